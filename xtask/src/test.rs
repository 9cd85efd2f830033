//! `cargo xtask test [--timing] [WORD ...]`: the test binaries of the whole workspace, several at once, with the time of every test.
//!
//! `cargo test` runs one binary after the other, so that the last test of each leaves the other CPUs idle, and says no times. Here the
//! modules of all binaries are jobs that as many workers take as there are CPUs, and one more, since many tests wait. A job is a process of
//! its own that runs its tests one after the other. Guests of emulated machines are few at a time. At the end stand the suites and the
//! slowest tests. With `--timing` those tests run that measure time, cost or what a scheduler did, one at a time: they are marked
//! `#[ignore = "timing: ..."]`, and no gate. Words choose jobs whose name has one of them.

mod binaries;
mod jobs;
mod running;
mod suites;
mod table;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::report;

pub use suites::check;

/// Why no tests ran.
#[derive(Debug)]
pub struct NoTests(String);

impl std::fmt::Display for NoTests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What was asked for.
#[derive(Debug, Default, PartialEq)]
struct Request {
    timing: bool,
    words: Vec<String>,
}

impl Request {
    fn read(arguments: &[&str]) -> Result<Request, NoTests> {
        let mut request = Request::default();
        for argument in arguments {
            match *argument {
                "--timing" => request.timing = true,
                other if other.starts_with('-') => {
                    let found = format!("found {other}, expected: cargo xtask test [--timing] [WORD ...]");
                    return Err(NoTests(found));
                }
                word => request.words.push(word.to_owned()),
            }
        }
        Ok(request)
    }

    fn wants(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }
}

/// Builds, runs and shows; fails where a test did, or where none ran.
pub fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    match Request::read(arguments).and_then(|request| all(root, &request)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => report::exit(Err(error)),
    }
}

fn all(root: &Path, request: &Request) -> Result<bool, NoTests> {
    let begun = Instant::now();
    let binaries = binaries::build(root)?;
    let built = begun.elapsed();
    let mut jobs = jobs::of(&binaries, request.timing)?;
    jobs.retain(|job| request.wants(&job.name()));
    if !request.timing && request.words.is_empty() {
        jobs.push(jobs::doc_tests(root));
    }
    let workers =
        if request.timing { 1 } else { std::thread::available_parallelism().map_or(2, usize::from) + 1 };
    let begun = Instant::now();
    let outcomes = running::run(jobs, workers);
    let ran = begun.elapsed();
    print!("{}", table::suites(&outcomes, built, ran));
    print!("{}", table::slowest(&outcomes));
    print!("{}", table::skipped(&outcomes));
    print!("{}", table::failures(&outcomes));
    let (text, good) = table::closing(&outcomes);
    println!("{text}");
    Ok(good)
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_jobs_and_unknown_options_are_refused() {
        let request = Request::read(&["--timing", "snapshot", "cli/run"]).unwrap();
        assert!(request.timing && request.wants("cli/snapshot known") && request.wants("cli/run plan"));
        assert!(!request.wants("cli/check lines") && Request::default().wants("anything"));
        assert!(
            Request::read(&["--release"])
                .unwrap_err()
                .0
                .contains("found --release, expected: cargo xtask test")
        );
    }
}
