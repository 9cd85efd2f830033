//! The commands of Slurm that a study uses, and what they print.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use numawise_facts::Argument;
use numawise_units::{Arrange, Nanoseconds};

use super::SlurmOptions;
use super::error::SlurmError;

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;

/// What the script of a job ends with where something is not on its node.
pub const NO_FOLDER: i32 = 121;
pub const NO_NUMAWISE: i32 = 122;
pub const NO_DIRECTORY: i32 = 123;
/// So long a network file system may not yet show a file that another computer made, in seconds.
const LATE_FILE: u32 = 10;

/// The number of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobNumber(pub u32);

/// A job of ours in the queue, or that has just left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedJob {
    pub number: JobNumber,
    pub name: String,
    pub state: JobState,
}

/// Whether a job is still to be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    Waiting,
    Running,
    Ended,
}

impl JobState {
    /// Of the word that `squeue` has for it. What is not known here is waited for.
    fn of(word: &str) -> JobState {
        match word {
            "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "STAGE_OUT" | "SIGNALING" | "RESIZING" => {
                JobState::Running
            }
            "COMPLETED" | "CANCELLED" | "FAILED" | "TIMEOUT" | "PREEMPTED" | "NODE_FAIL" | "BOOT_FAIL"
            | "DEADLINE" | "OUT_OF_MEMORY" | "REVOKED" => JobState::Ended,
            _ => JobState::Waiting,
        }
    }
}

/// How a job ended, as Slurm remembers it for some minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedJob {
    /// Slurm's word, such as `NODE_FAIL`.
    pub state: String,
    pub reason: String,
    pub code: i32,
    pub signal: i32,
    /// None for one that never began.
    pub node: Option<String>,
    /// In whole seconds.
    pub ran: Nanoseconds,
}

/// A node of the partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterNode {
    pub name: String,
    pub is_idle: bool,
}

/// A job to submit.
pub struct Submission<'a> {
    pub name: &'a str,
    pub node: Option<&'a str>,
    /// Ranks that its command starts, where that is known.
    pub ranks: Option<u32>,
    /// What it is to do, and where what it prints goes.
    pub order: &'a Path,
    pub output: &'a Path,
}

/// # Errors
/// [`SlurmError::Refused`] with what `sbatch` said.
pub fn submit(options: &SlurmOptions, submission: &Submission<'_>) -> Result<JobNumber, SlurmError> {
    const SBATCH: &str = "sbatch";
    let mut words: Vec<OsString> =
        ["--parsable", "--no-requeue", "--output=/dev/null", "--nodes=1"].map(OsString::from).to_vec();
    let mut option = |name: &str, value: &OsStr| {
        let mut word = OsString::from(name);
        word.push(value);
        words.push(word);
    };
    option("--job-name=", submission.name.as_ref());
    option("--chdir=", options.directory.as_os_str());
    if let Some(partition) = &options.partition {
        option("--partition=", partition.as_ref());
    }
    if let Some(node) = submission.node {
        option("--nodelist=", node.as_ref());
    }
    if let Some(ranks) = submission.ranks {
        option("--ntasks=", ranks.to_string().as_ref());
    }
    if !options.shares_nodes {
        words.extend(["--exclusive".into(), "--mem=0".into()]);
    }
    words.extend(options.options.iter().cloned());
    let said = run(SBATCH, &words, &script(options, submission))?;
    let text = succeeded(SBATCH, said)?;
    let number = text.trim().split(';').next().and_then(|number| number.parse().ok());
    number.map(JobNumber).ok_or_else(|| SlurmError::Unexpected {
        program: SBATCH,
        found: text.trim().to_owned(),
        expected: "the number of a job",
    })
}

/// What the job runs: first whatever could be missing on its node.
fn script(options: &SlurmOptions, submission: &Submission<'_>) -> Vec<u8> {
    let shell = |word: &OsStr| Argument(word.to_owned()).quoted().into_vec();
    let (order, output) = (shell(submission.order.as_os_str()), shell(submission.output.as_os_str()));
    let (directory, numawise) = (shell(options.directory.as_os_str()), shell(options.numawise.as_os_str()));
    let mut script = Vec::new();
    let mut add = |parts: &[&[u8]]| parts.iter().for_each(|part| script.extend_from_slice(part));
    add(&[b"#!/bin/sh\ntries=0\nuntil test -e ", &order, b"; do\n"]);
    add(&[format!("  tries=$((tries + 1)); test $tries -le {LATE_FILE} || exit {NO_FOLDER}\n").as_bytes()]);
    add(&[b"  sleep 1\ndone\ncd ", &directory, format!(" || exit {NO_DIRECTORY}\n").as_bytes()]);
    add(&[b"test -x ", &numawise, format!(" || exit {NO_NUMAWISE}\n").as_bytes()]);
    add(&[b"exec > ", &output, b" 2>&1\nexec ", &numawise, b" study --as-job ", &order]);
    options.words.iter().for_each(|word| add(&[b" ", &shell(word)]));
    add(&[b"\n"]);
    script
}

/// All jobs of ours that Slurm knows, also those that have ended lately.
///
/// # Errors
/// When Slurm does not answer.
pub fn queue() -> Result<Vec<QueuedJob>, SlurmError> {
    const SQUEUE: &str = "squeue";
    let words = ["--me", "--noheader", "--states=all", "--format=%i|%T|%j"];
    let text = succeeded(SQUEUE, run(SQUEUE, &words.map(OsString::from), b"")?)?;
    Ok(text.lines().filter_map(queued).collect())
}

/// Jobs that are no jobs of ours may be called anything.
fn queued(line: &str) -> Option<QueuedJob> {
    let mut fields = line.splitn(3, '|');
    let number = JobNumber(fields.next()?.trim().parse().ok()?);
    let state = JobState::of(fields.next()?.trim());
    Some(QueuedJob { number, state, name: fields.next()?.trim().to_owned() })
}

/// # Errors
/// When Slurm does not end them.
pub fn cancel(jobs: &[JobNumber]) -> Result<(), SlurmError> {
    const SCANCEL: &str = "scancel";
    if jobs.is_empty() {
        return Ok(());
    }
    let quiet = std::iter::once(OsString::from("--quiet"));
    let words: Vec<OsString> = quiet.chain(jobs.iter().map(|job| job.0.to_string().into())).collect();
    succeeded(SCANCEL, run(SCANCEL, &words, b"")?).map(drop)
}

/// How a job ended; nothing where Slurm has forgotten it or does not tell, or it has not ended.
///
/// # Errors
/// When `scontrol` cannot be started.
pub fn ended(job: JobNumber) -> Result<Option<EndedJob>, SlurmError> {
    let words = ["show", "job", "--oneliner", &job.0.to_string()].map(OsString::from);
    let output = run("scontrol", &words, b"")?;
    Ok(ended_job(&String::from_utf8_lossy(&output.stdout)))
}

fn ended_job(text: &str) -> Option<EndedJob> {
    let field = |name: &str| {
        let value = |word: &str| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned);
        text.split_whitespace().find_map(value)
    };
    let state = field("JobState").filter(|state| JobState::of(state) == JobState::Ended)?;
    let exit = field("ExitCode")?;
    let (code, signal) = exit.split_once(':')?;
    Some(EndedJob {
        state,
        reason: field("Reason")?,
        code: code.parse().ok()?,
        signal: signal.parse().ok()?,
        node: field("NodeList").filter(|node| !node.is_empty() && node != "(null)"),
        ran: span(&field("RunTime")?)?,
    })
}

/// A time as Slurm shows it: `02:03`, `01:02:03` or `1-01:02:03`.
fn span(text: &str) -> Option<Nanoseconds> {
    let number = |text: &str| -> Option<u64> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| is_plain).map(u64::from)
    };
    let (days, time) = match text.split_once('-') {
        Some((days, time)) => (number(days)?, time),
        None => (0, text),
    };
    let parts: Vec<u64> = time.split(':').map(number).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match *parts.as_slice() {
        [hours, minutes, seconds] => (hours, minutes, seconds),
        [minutes, seconds] => (0, minutes, seconds),
        _ => return None,
    };
    let minutes = (days * 24 + hours) * 60 + minutes;
    Some(Nanoseconds((minutes * 60 + seconds) * 1_000_000_000))
}

/// The nodes of a partition on which a job could run, now or later; of the default one without a name.
///
/// # Errors
/// When there is no such partition, or Slurm does not answer.
pub fn nodes(partition: Option<&str>) -> Result<Vec<ClusterNode>, SlurmError> {
    const SINFO: &str = "sinfo";
    let words = ["--noheader", "--Node", "--format=%P|%N|%T"].map(OsString::from);
    nodes_of(&succeeded(SINFO, run(SINFO, &words, b"")?)?, partition)
}

fn nodes_of(text: &str, partition: Option<&str>) -> Result<Vec<ClusterNode>, SlurmError> {
    let rows: Vec<[&str; 3]> = text
        .lines()
        .filter_map(|line| line.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok())
        .collect();
    let name = |shown: &str| shown.trim_end_matches('*').to_owned();
    let is_meant = |shown: &str| match partition {
        Some(partition) => partition.split(',').any(|one| one == name(shown)),
        None => shown.ends_with('*'),
    };
    let mut meant: Vec<(String, &str)> = rows
        .iter()
        .filter(|[shown, ..]| is_meant(shown))
        .map(|[_, node, state]| (name(node), *state))
        .collect();
    if meant.is_empty() {
        let mut exist: Vec<String> = rows.iter().map(|[shown, ..]| name(shown)).collect();
        exist.arrange();
        exist.dedup();
        return Err(match partition {
            Some(partition) => SlurmError::NoPartition { partition: partition.to_owned(), exist },
            None => SlurmError::NoDefaultPartition { exist },
        });
    }
    meant.arrange();
    meant.dedup_by(|one, other| one.0 == other.0);
    let usable = meant
        .into_iter()
        .filter_map(|(name, state)| usable(state).map(|is_idle| ClusterNode { name, is_idle }));
    Ok(usable.collect())
}

/// Whether a node in such a state is idle; nothing for one that takes no job. Marks behind the word: `*` does not answer, `$` and `@` are to
/// be maintained or booted; others (power saving, planned for a job) do not matter.
fn usable(state: &str) -> Option<bool> {
    let word = state.trim_end_matches(|mark: char| !mark.is_ascii_alphabetic());
    if state[word.len()..].contains(['*', '$', '@']) {
        return None;
    }
    match word {
        "idle" => Some(true),
        "mixed" | "allocated" | "completing" | "planned" | "reserved" => Some(false),
        _ => None,
    }
}

/// In a group of its own: Ctrl-C is for us, and not for a job that is just being submitted.
fn run(program: &'static str, words: &[OsString], input: &[u8]) -> Result<Output, SlurmError> {
    let failed = |source: io::Error| SlurmError::NotInstalled { program, source };
    let mut command = Command::new(program);
    command.args(words).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Who does not read it says why.
        let _ = stdin.write_all(input);
    }
    child.wait_with_output().map_err(failed)
}

fn succeeded(program: &'static str, output: Output) -> Result<String, SlurmError> {
    if output.status.success() {
        return Ok(OsString::from_vec(output.stdout).to_string_lossy().into_owned());
    }
    let said = [output.stderr, output.stdout].concat();
    Err(SlurmError::Refused { program, said: String::from_utf8_lossy(&said).into_owned() })
}
