//! A place to work in, a program to study, what is left of both, and numbers drawn from a seed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use crate::{agent, signals};

/// The record that all commands of these tests write.
pub const RECORD: &str = "a.nw";
/// Every process that is started below one of our commands has this variable.
const MARKER: &str = "NUMAWISE_FAULTS_MARKER";
/// What all processes are given to end: less than those live that our programs leave.
const GRACE: Duration = Duration::from_secs(120);
/// Nothing that is waited for takes so long, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// xorshift*: any spread will do, the same every time.
pub struct Random(u64);

impl Random {
    /// The seed of the environment, or the fixed one. Printed, so that a failure can be had again.
    pub fn new(test: &str) -> Self {
        let seed = number_of("NUMAWISE_FAULTS_SEED").unwrap_or(8_2026);
        eprintln!("{test}: seed {seed}");
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    pub fn micros(&mut self, limit: u64) -> Duration {
        Duration::from_micros(self.below(limit))
    }
}

/// A number that the environment gives.
pub fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

/// A folder to work in, with the folder of temporary files and the data folder that its commands get.
pub struct Place {
    all: tempfile::TempDir,
    work: PathBuf,
    marker: String,
}

impl Place {
    pub fn new() -> Self {
        Place::with_work(|all| all.join("work"))
    }

    /// The folder to work in may lie elsewhere.
    pub fn with_work(work: impl FnOnce(&Path) -> PathBuf) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        agent::pinning_library();
        let all = tempfile::tempdir().unwrap();
        let work = work(all.path());
        for folder in ["tmp", "data"] {
            std::fs::create_dir(all.path().join(folder)).unwrap();
        }
        std::fs::create_dir_all(&work).unwrap();
        let marker = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Place { all, work, marker }
    }

    pub fn work(&self) -> &Path {
        &self.work
    }

    pub fn record(&self) -> PathBuf {
        self.work.join(RECORD)
    }

    /// A program of about 20 ms that notes where it begins and ends, and leaves a child that outlives it for `child` seconds.
    pub fn program(&self, child: &str) -> PathBuf {
        self.program_with(&format!("sleep {child} > /dev/null 2>&1 &"))
    }

    /// The same, whose `run`th run goes on until [`Place::let_go`].
    pub fn program_that_waits(&self, child: &str, run: usize) -> PathBuf {
        let waits = format!(
            "[ $(grep -c begun \"${{0%/*}}/log\") != {run} ] || until [ -e \"${{0%/*}}/go\" ]; do sleep 0.01; done"
        );
        self.program_with(&format!("sleep {child} > /dev/null 2>&1 &\n{waits}"))
    }

    /// Has the run that waits go on, and waits for no other.
    pub fn let_go(&self) {
        std::fs::write(self.all.path().join("go"), "").unwrap();
    }

    /// Waits until so many runs have begun.
    pub fn wait_for_run(&self, run: usize) {
        wait_until("a run begins", || self.runs().0 >= run);
    }

    /// The same with a line of a shell that leaves something else.
    pub fn program_with(&self, line: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let (path, log) = (self.all.path().join("program"), self.log());
        let log = log.display();
        let text = format!("#!/bin/sh\necho begun >> '{log}'\n{line}\nsleep 0.02\necho ended >> '{log}'\n");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn log(&self) -> PathBuf {
        self.all.path().join("log")
    }

    /// How many runs have begun and ended so far.
    pub fn runs(&self) -> (usize, usize) {
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        let count = |word| log.lines().filter(|line| *line == word).count();
        (count("begun"), count("ended"))
    }

    /// `numawise` with these words, in a process group of its own.
    pub fn numawise(&self, words: &[&str]) -> Command {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.args(words);
        self.settle(&mut command);
        command.process_group(0);
        command
    }

    /// Gives a command this place, and our marker.
    pub fn settle(&self, command: &mut Command) {
        signals::as_usual(command);
        command
            .current_dir(&self.work)
            .env_remove("OMP_NUM_THREADS")
            .env("TMPDIR", self.all.path().join("tmp"))
            .env("XDG_DATA_HOME", self.all.path().join("data"))
            .env(MARKER, &self.marker)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    }

    /// The processes of our commands that there still are, after a grace, with their command lines.
    pub fn left_running(&self) -> Vec<String> {
        let wanted = format!("{MARKER}={}", self.marker).into_bytes();
        let begun = Instant::now();
        loop {
            let found: Vec<String> = processes().filter_map(|process| marked(&process, &wanted)).collect();
            if found.is_empty() || begun.elapsed() > GRACE {
                return found;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The running programs (not we ourselves), newest last.
    pub fn program_processes(&self) -> Vec<i32> {
        self.processes_with("/program")
    }

    /// The processes of our commands with such a word in their command lines (not we ourselves), newest last.
    pub fn processes_with(&self, word: &str) -> Vec<i32> {
        let wanted = format!("{MARKER}={}", self.marker).into_bytes();
        let own = Path::new(env!("CARGO_BIN_EXE_numawise"));
        let number = |process: &PathBuf| {
            marked(process, &wanted).filter(|line| line.contains(word))?;
            std::fs::read_link(process.join("exe")).ok().filter(|file| file != own)?;
            process.file_name()?.to_str()?.parse().ok()
        };
        let mut found: Vec<i32> = processes().filter_map(|process| number(&process)).collect();
        found.sort_unstable();
        found
    }

    /// The result that the record holds, as JSON.
    pub fn told(&self) -> serde_json::Value {
        let output = self.numawise(&["report", "--json", RECORD]).stdout(Stdio::piped()).output().unwrap();
        serde_json::from_slice(&output.stdout).expect("a result")
    }

    /// What lies in the folders that should not.
    pub fn left_lying(&self, expected: &[&str]) -> BTreeSet<String> {
        let names = |folder: &Path| -> Vec<String> {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let mut left: BTreeSet<String> = names(&self.work).into_iter().collect();
        left.retain(|name| !expected.contains(&name.as_str()));
        left.extend(names(&self.all.path().join("tmp")).into_iter().map(|name| format!("tmp/{name}")));
        left.extend(names(&self.all.path().join("data")).into_iter().map(|name| format!("data/{name}")));
        left
    }

    /// Whether a process has a file open that lies in the folder and has no name.
    pub fn has_a_draft(&self, pid: u32) -> bool {
        let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        let mut open = files.flatten().filter_map(|file| std::fs::read_link(file.path()).ok());
        open.any(|file| {
            file.starts_with(&self.work) && file.as_os_str().as_encoded_bytes().ends_with(b"(deleted)")
        })
    }

    /// The number of trials in the record.
    pub fn trials(&self) -> usize {
        Place::trials_of(&self.record())
    }

    /// The number of trials in a record, which SQLite finds whole; 0 where there is none.
    pub fn trials_of(record: &Path) -> usize {
        let count =
            |sql: &Connection| sql.query_row("SELECT count(*) FROM trials", [], |row| row.get::<_, i64>(0));
        look_at_copy(record, count).unwrap_or(0) as usize
    }

    /// Why measuring ended, where the record says so.
    pub fn stopped(&self) -> Option<String> {
        look_at_copy(&self.record(), |sql| sql.query_row("SELECT stopped FROM study", [], |row| row.get(0)))
            .flatten()
    }
}

/// A copy is looked at, so that the record is left to numawise as it is.
fn look_at_copy<T>(record: &Path, look: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Option<T> {
    if !record.exists() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join(RECORD);
    std::fs::copy(record, &copy).unwrap();
    let journal = format!("{RECORD}-journal");
    // Most have none.
    let _ = std::fs::copy(record.with_file_name(&journal), folder.path().join(&journal));
    assert!(copy.metadata().unwrap().len() > 0, "an empty file is no record");
    let sql = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let check: String = sql.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok", "the record is damaged");
    Some(look(&sql).unwrap())
}

fn processes() -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes()[0].is_ascii_digit()))
}

/// The command line of a process that has a variable. One that has ended has no environment.
fn marked(process: &Path, wanted: &[u8]) -> Option<String> {
    let environment = std::fs::read(process.join("environ")).ok()?;
    if !environment.split(|byte| *byte == 0).any(|variable| variable == wanted) {
        return None;
    }
    let line = std::fs::read(process.join("cmdline")).ok()?;
    Some(String::from_utf8_lossy(&line).replace('\0', " "))
}

/// Whether a process is stopped.
pub fn is_stopped(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|behind| behind.starts_with(" T"))
}

/// Waits until something is so.
pub fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < PATIENCE, "{what}: not in {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal; to a group where the number is negative.
pub fn send(pid: i32, signal: i32) {
    // SAFETY: a system call on numbers.
    unsafe { libc::kill(pid, signal) };
}
