//! Compiles programs, runs them with and without the library, and reads what it wrote.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use numawise_facts::objects::AllocationLog;
use numawise_observe::objects::input::{MemoryChange, PythonFrame, Stack};
use numawise_observe::objects::log::{HeapLogs, LoggedRecord, LoggedSamples};
use numawise_units::{Nanoseconds, Pid};

use crate::library::heap_library as library;

/// How a program ended and what it printed.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    pub status: std::process::ExitStatus,
    pub output: String,
    pub errors: String,
}

/// What was written down, without the bytes that it lay in.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    Begins { process: Pid, parent: Pid, forked: bool },
    Stack { process: Pid, number: u32, python: Option<u32>, ip: u64, sp: u64, bp: u64, bytes: Vec<u8> },
    Python { number: u32, frames: Vec<PythonFrame> },
    Memory { process: Pid, thread: Pid, change: MemoryChange },
    Sample { thread: Pid, cpu: u32, ip: u64, bytes: usize, python: Option<u32> },
}

pub struct Written {
    pub entries: Vec<Entry>,
    pub counts: AllocationLog,
    pub samples: LoggedSamples,
}

impl Written {
    pub fn changes(&self) -> impl Iterator<Item = &MemoryChange> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Memory { change, .. } => Some(change),
            _ => None,
        })
    }

    /// The place of an allocation or a mapping among all entries.
    pub fn find(&self, address: u64, bytes: u64) -> Option<usize> {
        self.entries.iter().position(|entry| {
            let Entry::Memory { change, .. } = entry else { return false };
            match change {
                MemoryChange::Allocated { address: at, bytes: of, .. }
                | MemoryChange::Mapped { address: at, bytes: of, .. } => (*at, *of) == (address, bytes),
                _ => false,
            }
        })
    }
}

pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("log")).unwrap();
        Bench { folder }
    }

    pub fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// A program beside this file, compiled once; `None`, having said so, where that cannot be done here.
    pub fn compile(&self, compiler: &str, source: &str, options: &[&str]) -> Option<PathBuf> {
        static COMPILED: LazyLock<Mutex<HashMap<String, Option<PathBuf>>>> = LazyLock::new(Mutex::default);
        let name = format!("{source}{}", options.concat().replace(['/', '-'], "_"));
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.entry(name.clone()).or_insert_with(|| compiled_now(compiler, source, options, &name)).clone()
    }

    pub fn without(&self, words: &[&str]) -> Ended {
        end(self.command(words).spawn().unwrap())
    }

    /// Runs a program with the library, reads what it writes while it runs, and checks that it ended and printed as without. What it
    /// printed on standard error is given.
    pub fn with(&self, words: &[&str], variables: &[(&str, &str)]) -> (Written, String) {
        let without = self.without(words);
        let mut logs = HeapLogs::new(&self.log());
        let mut command = self.command(words);
        command.env("LD_PRELOAD", library()).env("NUMAWISE_OBJECTS", self.log());
        let child = command.envs(variables.iter().copied()).spawn().unwrap();
        let waiter = std::thread::spawn(move || end(child));
        let mut entries = Vec::new();
        while !waiter.is_finished() {
            logs.drain(now(Duration::from_millis(20)), &mut |record| entries.push(entry(record)));
            std::thread::sleep(Duration::from_millis(20));
        }
        let ended = waiter.join().unwrap();
        logs.drain(Nanoseconds(u64::MAX), &mut |record| entries.push(entry(record)));
        assert_eq!(
            (ended.status, &ended.output),
            (without.status, &without.output),
            "{words:?}: {}",
            ended.errors
        );
        for file in std::fs::read_dir(self.log()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        (Written { entries, counts: logs.counts(), samples: logs.samples() }, ended.errors)
    }

    /// The same of a program that says `turn` again and again and waits until it may go on: what it allocated before is read by then.
    pub fn with_turns(&self, words: &[&str]) -> Written {
        let mut logs = HeapLogs::new(&self.log());
        let mut entries = Vec::new();
        let mut without = Vec::new();
        self.turns(self.command(words), &mut without, &mut || {});
        let mut command = self.command(words);
        command.env("LD_PRELOAD", library()).env("NUMAWISE_OBJECTS", self.log());
        command.env("NUMAWISE_OBJECTS_ALL", "1");
        let mut with = Vec::new();
        // The program waits, so that none of its threads is in the middle of a record.
        self.turns(command, &mut with, &mut || {
            logs.drain(now(Duration::ZERO), &mut |record| entries.push(entry(record)));
        });
        logs.drain(Nanoseconds(u64::MAX), &mut |record| entries.push(entry(record)));
        assert_eq!(with, without, "{words:?}");
        Written { entries, counts: logs.counts(), samples: logs.samples() }
    }

    /// Runs a program to its end, and gives what it printed.
    fn turns(&self, mut command: Command, printed: &mut Vec<String>, turn: &mut dyn FnMut()) {
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            if line == "turn" {
                turn();
                input.write_all(b"\n").unwrap();
            }
            printed.push(line);
        }
        assert!(child.wait().unwrap().success());
    }

    /// Runs a program with rules and nothing else, or with a log too; how it ended.
    pub fn with_rules(&self, words: &[&str], rules: &str, variables: &[(&str, &str)]) -> Ended {
        let mut command = self.command(words);
        command.env("LD_PRELOAD", library()).env("NUMAWISE_OBJECTS_TO", rules);
        end(command.envs(variables.iter().copied()).spawn().unwrap())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.folder.path()).env_remove("LD_PRELOAD");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Compiles it, under another name until it is whole: another process of these tests may run the one that is there.
fn compiled_now(compiler: &str, source: &str, options: &[&str], name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("heap-programs");
    std::fs::create_dir_all(&folder).unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects/programs").join(source);
    let own = format!("{name}.{}", std::process::id());
    let mut command = Command::new(compiler);
    command.args(["-g", "-O1", "-w", "-fno-builtin", "-fno-omit-frame-pointer", "-o"]);
    command.arg(&own).arg(from).args(options).current_dir(&folder);
    let compiled = match command.output() {
        Ok(compiled) => compiled,
        Err(error) => {
            eprintln!("SKIPPED: no {compiler}: {error}");
            return None;
        }
    };
    let errors = String::from_utf8_lossy(&compiled.stderr);
    if errors.contains("cannot find -l") {
        eprintln!("SKIPPED: no library for {options:?}");
        return None;
    }
    assert!(compiled.status.success(), "{compiler} {source}: {errors}");
    std::fs::rename(folder.join(own), folder.join(name)).unwrap();
    Some(folder.join(name))
}

fn end(child: Child) -> Ended {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { status: output.status, output: text(&output.stdout), errors: text(&output.stderr) }
}

/// So long ago, by the monotonic clock.
fn now(ago: Duration) -> Nanoseconds {
    let now = numawise_syscalls::clock(libc::CLOCK_MONOTONIC).unwrap();
    Nanoseconds(now - ago.as_nanos() as u64)
}

fn entry(record: LoggedRecord<'_>) -> Entry {
    match record {
        LoggedRecord::ProcessBegins { process, parent, forked, .. } => {
            Entry::Begins { process, parent, forked }
        }
        LoggedRecord::Stack { process, number, stack: Stack { ip, sp, bp, bytes, .. }, python } => {
            Entry::Stack { process, number, python, ip, sp, bp, bytes: bytes.to_vec() }
        }
        LoggedRecord::Python { number, frames, .. } => Entry::Python { number, frames },
        LoggedRecord::Memory(event) => {
            Entry::Memory { process: event.process, thread: event.thread, change: event.change }
        }
        LoggedRecord::Time(sample) => Entry::Sample {
            thread: sample.thread,
            cpu: sample.cpu.0,
            ip: sample.registers.ip,
            bytes: sample.stack.bytes.len(),
            python: sample.python,
        },
    }
}

/// Lines of a form, an address and bytes, as the programs print them.
pub fn noted(errors: &str) -> Vec<(String, u64, u64)> {
    let line = |line: &str| {
        let mut words = line.split(' ');
        let form = words.next()?.to_owned();
        let address = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        Some((form, address, words.next()?.parse().ok()?))
    };
    errors.lines().filter_map(line).collect()
}
