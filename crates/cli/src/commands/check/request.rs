//! What was typed, validated.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use numawise_facts::{Argument, Metric, RunSpec};
use numawise_launch::{Pinner, find_agent};
use numawise_observe::Options;
use numawise_study::{Extractor, LocalRunner};
use numawise_units::Nanoseconds;

use super::Arguments;
use crate::commands::Failure;
use crate::openmp::outermost;

/// The least number of repeats: below it no interval is worth its name.
const LEAST_REPEATS: u32 = 5;

/// A check that can be carried out.
#[derive(Debug)]
pub struct Request {
    pub command: RunSpec,
    pub threads: Option<u32>,
    pub metric: Metric,
    pub budget: Nanoseconds,
    pub repeats: u32,
    pub margin: f64,
    sampling: f64,
    pub seed: Option<u64>,
    pub record: PathBuf,
    pub fresh: bool,
}

impl Request {
    pub fn new(typed: Arguments) -> Result<Self, Failure> {
        let directory = std::env::current_dir().map_err(|e| {
            Failure::new(format!("cannot tell the current folder: {e}; change to one that exists"))
        })?;
        let threads = match (typed.threads, std::env::var("OMP_NUM_THREADS")) {
            (Some(0), _) => return Err(Failure::new("--threads 0: expected at least 1")),
            (Some(threads), _) => Some(threads),
            (None, Ok(text)) => Some(omp_num_threads(&text)?),
            (None, Err(_)) => None,
        };
        if typed.repeats < LEAST_REPEATS {
            let found = typed.repeats;
            return Err(Failure::new(format!("--repeats {found}: expected at least {LEAST_REPEATS}")));
        }
        let metric = match typed.metric {
            Some(regex) => Metric::Output { regex, higher_is_better: typed.higher_is_better },
            None => Metric::WallTime,
        };
        Extractor::new(&metric).map_err(|problem| Failure::new(format!("--metric {problem}")))?;
        let record = typed.output.unwrap_or_else(|| record_of(Path::new(&typed.command[0])));
        Ok(Request {
            command: RunSpec { command: typed.command.into_iter().map(Argument).collect(), directory },
            threads,
            metric,
            budget: typed.budget,
            repeats: typed.repeats,
            margin: typed.margin.0,
            sampling: typed.sampling.0,
            seed: typed.seed,
            record,
            fresh: typed.fresh,
        })
    }

    /// What runs the trials.
    pub fn runner(&self) -> LocalRunner {
        let watch = Options { rate: CAUTION * self.sampling, ..Options::default() };
        LocalRunner { spec: self.command.clone(), watch, pinner: self.pinner() }
    }

    /// What pins the threads of every runtime, where the program lets itself be pinned.
    fn pinner(&self) -> Option<Pinner> {
        let library = find_agent(&std::env::current_exe().ok()?)?;
        let pinner = Pinner { library, verbose: false };
        let program = Path::new(self.command.command.first()?.as_os_str());
        pinner.problem(program).is_none().then_some(pinner)
    }
}

/// Sampling aims at this part of its share, for what the last sample costs more than was foreseen.
const CAUTION: f64 = 0.8;

/// The outermost level of `OMP_NUM_THREADS`, which may be a list.
fn omp_num_threads(text: &str) -> Result<u32, Failure> {
    outermost(text).ok_or_else(|| {
        Failure::new(format!(
            "OMP_NUM_THREADS is '{text}'; expected a number of threads; unset it or give --threads"
        ))
    })
}

/// `app.nw` in the current folder.
fn record_of(program: &Path) -> PathBuf {
    let mut name = program.file_name().unwrap_or(program.as_os_str()).to_owned();
    name.push(".nw");
    PathBuf::from(name)
}

/// A share above 0 and below 1, typed as `5%` or `0.05`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, unit) = match text.strip_suffix('%') {
            Some(number) => (number.trim_end(), 100.0),
            None => (text, 1.0),
        };
        match number.parse::<f64>().map(|value| value / unit) {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Share(share)),
            _ => Err("expected a share above 0 and below 100%, such as 5% or 0.05".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read() {
        for (text, share) in [("5%", 0.05), ("0.05", 0.05), ("2.5 %", 0.025), ("99%", 0.99)] {
            assert!((text.parse::<Share>().unwrap().0 - share).abs() < 1e-12, "{text}");
        }
        for text in ["", "5", "0", "-1%", "100%", "x%", "nan"] {
            assert!(text.parse::<Share>().unwrap_err().contains("expected a share"), "{text}");
        }
    }

    #[test]
    fn the_record_is_named_after_the_program() {
        for (program, record) in [("./build/app", "app.nw"), ("app", "app.nw"), ("/bin/my.app", "my.app.nw")]
        {
            assert_eq!(record_of(Path::new(program)), Path::new(record));
        }
    }

    #[test]
    fn a_list_of_threads_counts_by_its_first_level() {
        assert_eq!(omp_num_threads("4").ok(), Some(4));
        assert_eq!(omp_num_threads(" 8,2").ok(), Some(8));
        for text in ["", "0", "x", "-1"] {
            assert!(omp_num_threads(text).is_err(), "{text}");
        }
    }
}
