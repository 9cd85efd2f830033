//! What is run as one process: the tests of a module of a test target, a test of a target that stands in no module, or all tests beside the
//! code of a crate.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::binaries::Binary;
use super::{NoTests, cargo, suites};

/// Tests with this begin make files for `testdata`, and test nothing.
const MAKES: &str = "makes_";

/// One process to run.
#[derive(Debug)]
pub struct Job {
    pub suite: String,
    /// The module, or the test; empty where a crate's tests run together.
    pub module: String,
    pub command: Command,
    /// Whether it boots emulated machines.
    pub guests: bool,
}

impl Job {
    pub fn name(&self) -> String {
        format!("{} {}", self.suite, self.module).trim_end().to_owned()
    }
}

/// The jobs of these binaries, those that take longest first.
///
/// # Errors
/// When a binary does not list its tests.
pub fn of(binaries: &[Binary], timing: bool) -> Result<Vec<Job>, NoTests> {
    let mut jobs = Vec::new();
    for binary in binaries {
        for (module, tests) in modules(&binary.suite, &listed(binary, timing)?, timing) {
            let mut command = Command::new(&binary.file);
            command.current_dir(&binary.folder).env("CARGO_MANIFEST_DIR", &binary.folder);
            command.arg("--test-threads=1");
            if timing {
                command.args(["--ignored", "--nocapture"]);
            }
            command.arg("--exact").args(tests);
            jobs.push(Job {
                suite: binary.suite.clone(),
                module,
                command,
                guests: suites::boots_guests(&binary.suite),
            });
        }
    }
    jobs.sort_by_key(|job| std::cmp::Reverse(suites::budget(&job.suite)));
    Ok(jobs)
}

/// The examples in the documentation, which cargo compiles and runs by itself.
pub fn doc_tests(root: &Path) -> Job {
    let mut command = cargo(root);
    command.args(["test", "--workspace", "--locked", "--doc"]);
    Job { suite: suites::DOC.to_owned(), module: String::new(), command, guests: false }
}

fn listed(binary: &Binary, timing: bool) -> Result<String, NoTests> {
    let mut command = Command::new(&binary.file);
    command.args(["--list", "--format", "terse"]).current_dir(&binary.folder);
    if timing {
        command.arg("--ignored");
    }
    let failed = |why: String| NoTests(format!("{} does not list its tests: {why}", binary.file.display()));
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Tests by their first module or by themselves, where the suite is a test target.
fn modules(suite: &str, listed: &str, timing: bool) -> BTreeMap<String, Vec<String>> {
    let mut modules: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for test in listed.lines().filter_map(|line| line.strip_suffix(": test")) {
        if timing && test.rsplit("::").next().is_some_and(|name| name.starts_with(MAKES)) {
            continue;
        }
        let module = test.split_once("::").map_or(test, |(module, _)| module);
        let module = if suite.contains('/') { module } else { "" };
        modules.entry(module.to_owned()).or_default().push(test.to_owned());
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_cut_by_its_modules_and_a_crate_is_not() {
        let listed =
            "known::one: test\nknown::two: test\nmakes_a_file: test\nplain: test\nbench: benchmark\n";
        let of = |suite, timing| {
            let found = modules(suite, listed, timing);
            found.into_iter().map(|(module, tests)| (module, tests.len())).collect::<Vec<_>>()
        };
        let own = |name: &str, count| (name.to_owned(), count);
        assert_eq!(of("cli/snapshot", false), [own("known", 2), own("makes_a_file", 1), own("plain", 1)]);
        assert_eq!(of("cli/snapshot", true), [own("known", 2), own("plain", 1)]);
        assert_eq!(of("units", false), [(String::new(), 4)]);
    }
}
