//! The cases as they stand in their file.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::problem::Problem;

/// Where the programs' cases are described, from the root of the project.
pub(super) const FILE: &str = "native/workloads/cases/cases.toml";

/// A program, where it runs, and what has to be said of it; `cases.toml` says what each key means.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub name: String,
    pub about: String,
    #[serde(default = "two_sockets")]
    pub machine: String,
    #[serde(default = "yes")]
    pub timing: bool,
    #[serde(default = "scale")]
    pub scale: f64,
    pub command: String,
    pub threads: u32,
    #[serde(default)]
    pub pin: Option<String>,
    #[serde(default)]
    pub setup: Option<String>,
    #[serde(default = "five")]
    pub margin: u32,
    #[serde(default)]
    pub wall: bool,
    #[serde(default = "budget")]
    pub budget: u64,
    #[serde(default = "one_seed")]
    pub seeds: Vec<u64>,
    #[serde(default = "rounds")]
    pub rounds: usize,
    #[serde(default = "once")]
    pub as_is: usize,
    #[serde(default = "run")]
    pub run: f64,
    pub cases: Vec<String>,
    #[serde(default)]
    pub findings: Vec<String>,
    #[serde(default)]
    pub either: Vec<String>,
    #[serde(default)]
    pub may: Vec<String>,
    #[serde(default)]
    pub cures: Vec<String>,
}

fn two_sockets() -> String {
    "two-socket".to_owned()
}

fn yes() -> bool {
    true
}

fn scale() -> f64 {
    600.0
}

fn budget() -> u64 {
    35
}

fn one_seed() -> Vec<u64> {
    vec![1]
}

fn five() -> u32 {
    5
}

fn rounds() -> usize {
    4
}

fn run() -> f64 {
    0.85
}

fn once() -> usize {
    1
}

#[derive(Deserialize)]
struct File {
    case: Vec<Case>,
}

impl Case {
    /// The program's command with so many threads.
    pub fn with_threads(&self, threads: u32) -> String {
        self.command.replace("{threads}", &threads.to_string())
    }

    /// Ratios up to this are no effect, for the check and for who judges it.
    pub fn margin(&self) -> f64 {
        1.0 + f64::from(self.margin) / 100.0
    }

    /// A name of the testbed, or a file beside the description.
    pub fn machine_file(&self, root: &Path) -> PathBuf {
        let beside = root.join(FILE).with_file_name(&self.machine);
        if self.machine.ends_with(".toml") { beside } else { PathBuf::from(&self.machine) }
    }

    /// The nodes of high-bandwidth memory of its machine, as numactl takes them.
    pub fn high_bandwidth(&self) -> Option<&'static str> {
        (self.machine == "hbm").then_some("2,3")
    }
}

/// Reads the description of all cases.
pub(super) fn read(root: &Path) -> Result<Vec<Case>, Problem> {
    let path = root.join(FILE);
    parse(&std::fs::read_to_string(&path).map_err(Problem::read(&path))?)
}

fn parse(text: &str) -> Result<Vec<Case>, Problem> {
    let wrong = |what: String| Problem::Description { what };
    let File { case: cases } = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
    for (k, case) in cases.iter().enumerate() {
        if cases[..k].iter().any(|other| other.name == case.name) {
            return Err(wrong(format!("two cases are called {}", case.name)));
        }
        if case.threads == 0 || case.seeds.is_empty() || case.cases.is_empty() {
            return Err(wrong(format!("{}: threads, seeds and cases must not be none", case.name)));
        }
        if case.as_is == 0 || case.rounds == 0 || case.rounds % 2 == 1 {
            return Err(wrong(format!(
                "{}: rounds come in pairs, and each runs the program as it is",
                case.name
            )));
        }
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_describes_cases_for_machines_that_there_are() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let cases = read(root).unwrap();
        assert!(cases.len() >= 20, "{}", cases.len());
        for case in &cases {
            testbed::load(case.machine_file(root)).unwrap();
            assert!(!case.with_threads(3).contains('{'), "{}", case.command);
            assert!(!case.command.contains(['\'', '"', '\\']), "{} cannot be told from JSON", case.command);
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let case = "[[case]]\nname = 'a'\nabout = ''\ncommand = 'x'\nthreads = 1\ncases = ['gains']\n";
        let refused = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(parse(case).unwrap()[0].budget, 35);
        assert!(refused(&case.repeat(2)).contains("two cases are called a"));
        assert!(refused(&format!("{case}wish = 1\n")).contains("wish"));
        assert!(refused(&case.replace("threads = 1", "threads = 0")).contains("threads"));
        assert!(refused(&format!("{case}rounds = 5\n")).contains("pairs"));
    }
}
