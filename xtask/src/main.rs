//! `cargo xtask tidy`: the habits of the house that a compiler does not check. `test`: all test binaries, several at once. `wrappers`, `man`:
//! what is made of tables and headers.

mod circles;
mod exceptions;
mod files;
mod man;
mod map;
mod report;
mod rule;
mod rules;
mod source;
mod test;
mod tidy;
mod words;
mod wrappers;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project's folder");
    let done = match words[..] {
        ["tidy"] => return tidy::check(root),
        ["test", ref rest @ ..] => return test::run(root, rest),
        ["wrappers"] => wrappers::write(root).map_err(|error| error.to_string()),
        ["man", folder] => man::write(root, Path::new(folder)).map_err(|error| error.to_string()),
        _ => Err(format!(
            "found '{}', expected: cargo xtask tidy, test, wrappers, or man FOLDER",
            words.join(" ")
        )),
    };
    report::exit(done)
}
