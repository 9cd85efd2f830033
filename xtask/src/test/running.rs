//! Jobs in their processes, and what came of each.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, mpsc};
use std::time::{Duration, Instant};

use super::jobs::Job;

#[cfg(test)]
#[path = "running_tests.rs"]
mod tests;

/// So many jobs that boot guests run at once: a guest waits for most of the time, and has four CPUs of its own.
const GUESTS: usize = 2;

/// A job that takes longer has a test that never ends: ten times as long as the longest takes on a slow, busy machine.
const NEVER_ENDS: Duration = Duration::from_secs(30 * 60);

/// A test that ran, or was left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    pub name: String,
    pub time: Duration,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    Ignored,
}

/// What came of a job.
#[derive(Debug)]
pub struct Outcome {
    pub suite: String,
    pub name: String,
    pub good: bool,
    pub time: Duration,
    pub tests: Vec<Test>,
    /// All that it printed, standard error behind standard output.
    pub output: String,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    guests: usize,
}

impl Waiting {
    /// The next that may run now.
    fn next(&mut self) -> Option<Job> {
        let place = self.jobs.iter().position(|job| !job.guests || self.guests < GUESTS)?;
        let job = self.jobs.remove(place)?;
        self.guests += usize::from(job.guests);
        Some(job)
    }
}

/// Runs all of them on so many workers.
pub fn run(jobs: Vec<Job>, workers: usize) -> Vec<Outcome> {
    let waiting = Mutex::new(Waiting { jobs: jobs.into(), guests: 0 });
    let (ended, outcomes) = (Condvar::new(), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let mut queue = waiting.lock().expect("no worker panics with the lock");
            let job = loop {
                if queue.jobs.is_empty() {
                    return;
                }
                match queue.next() {
                    Some(job) => break job,
                    None => queue = ended.wait(queue).expect("no worker panics with the lock"),
                }
            };
            drop(queue);
            let guests = job.guests;
            let outcome = one(job, NEVER_ENDS);
            eprintln!(
                "{} {:7.1} s  {}",
                if outcome.good { "ok    " } else { "FAILED" },
                outcome.time.as_secs_f64(),
                outcome.name
            );
            outcomes.lock().expect("no worker panics with the lock").push(outcome);
            waiting.lock().expect("no worker panics with the lock").guests -= usize::from(guests);
            ended.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    outcomes.into_inner().expect("all workers have ended")
}

/// Where the launchers of a job keep what they need while they run. In the folder of all, `ompi.HOST.UID`, an mpirun of Open MPI that begins
/// while another one makes or removes it ends with "File exists".
struct LauncherFolder(PathBuf);

impl LauncherFolder {
    fn make() -> LauncherFolder {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let name = format!("numawise-test-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // Where it cannot be made, launchers say so.
        let _ = std::fs::create_dir_all(&path);
        LauncherFolder(path)
    }

    /// For Open MPI 4 and 5.
    fn variables(&self) -> [(&'static str, &PathBuf); 2] {
        [("OMPI_MCA_orte_tmpdir_base", &self.0), ("PRTE_MCA_prte_tmpdir_base", &self.0)]
    }
}

impl Drop for LauncherFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// It is killed after `limit`.
fn one(mut job: Job, limit: Duration) -> Outcome {
    let begun = Instant::now();
    let name = job.name();
    let failed = |output: String| Outcome {
        suite: job.suite.clone(),
        name: name.clone(),
        good: false,
        time: begun.elapsed(),
        tests: Vec::new(),
        output,
    };
    let folder = LauncherFolder::make();
    job.command.envs(folder.variables());
    let started = job.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return failed(format!("it cannot be started: {error}\n")),
    };
    let (out, err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
    let process = child.id().to_string();
    let (ends, ended) = mpsc::channel::<()>();
    let ((mut output, tests), errors, is_killed) = std::thread::scope(|scope| {
        let errors = scope.spawn(move || read(err));
        let watch = scope.spawn(move || {
            let is_late = ended.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
            is_late && Command::new("kill").args(["-KILL", &process]).status().is_ok()
        });
        let read = (follow(out, begun), errors.join().expect("reading does not panic"));
        drop(ends);
        (read.0, read.1, watch.join().expect("waiting does not panic"))
    });
    output.push_str(&errors);
    let status = match child.wait() {
        Ok(status) => status,
        Err(error) => return failed(format!("{output}it cannot be waited for: {error}\n")),
    };
    let good = status.success() && !tests.iter().any(|test| test.verdict == Verdict::Failed);
    if is_killed {
        output.push_str(&format!("killed: it had not ended after {} s\n", limit.as_secs()));
    }
    if !status.success() {
        output.push_str(&format!("{status}\n"));
    }
    Outcome { suite: job.suite, name, good, time: begun.elapsed(), tests, output }
}

fn read(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read until then is shown.
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads what the harness prints while it does: a test's time ends where its verdict comes.
fn follow(from: impl Read, begun: Instant) -> (String, Vec<Test>) {
    let (mut output, mut tests, mut last) = (String::new(), Vec::new(), begun);
    let mut lines = BufReader::new(from);
    let mut line = Vec::new();
    // The name of a test whose verdict stands on a later line, behind what it printed past the harness.
    let mut open = None;
    while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line).into_owned();
        if let Some((name, verdict)) = verdict(text.trim_end(), &mut open) {
            let now = Instant::now();
            tests.push(Test { name, time: now - last, verdict });
            last = now;
        }
        output.push_str(&text);
        line.clear();
    }
    (output, tests)
}

/// The test that this line ends, if it ends one.
fn verdict(line: &str, open: &mut Option<String>) -> Option<(String, Verdict)> {
    let rest = match line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
        Some((name, rest)) => {
            *open = Some(name.to_owned());
            rest
        }
        None => line,
    };
    let verdict = match rest {
        rest if rest.ends_with("ok") => Verdict::Passed,
        rest if rest.ends_with("FAILED") => Verdict::Failed,
        rest if rest.starts_with("ignored") => Verdict::Ignored,
        _ => return None,
    };
    Some((open.take()?, verdict))
}
