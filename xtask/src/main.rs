//! `cargo xtask tidy`: the habits of the house that a compiler does not check. `cargo xtask wrappers`: what is made from tables.

mod circles;
mod exceptions;
mod files;
mod map;
mod report;
mod rule;
mod rules;
mod source;
mod words;
mod wrappers;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project's folder");
    if arguments == ["wrappers"] {
        return match wrappers::write(root) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("xtask: {error}");
                ExitCode::FAILURE
            }
        };
    }
    if arguments != ["tidy"] {
        eprintln!("xtask: found '{}', expected: cargo xtask tidy, or wrappers", arguments.join(" "));
        return ExitCode::from(2);
    }
    let mut report = report::Report::default();
    map::check(root, &mut report);
    let files = files::tracked(root, &mut report);
    files::check(root, &files, &mut report);
    rules::check(root, &files, &mut report);
    wrappers::check(root, &mut report);
    report.print()
}
