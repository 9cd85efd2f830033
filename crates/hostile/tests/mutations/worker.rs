//! One reader and a range of inputs, in a process of its own that may die of them.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use numawise_hostile::{Read, Reader, corpus, input, reader};

use crate::limits::Yardstick;
use crate::{counted, limits};

/// Where the last panic was, and why.
static PANIC: Mutex<String> = Mutex::new(String::new());
/// Seconds since the start at which the current input began.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// How often an input is read at most.
const READINGS: usize = 3;

/// What came of an input.
struct Outcome {
    read: Result<Read, String>,
    /// Bytes of the input.
    length: usize,
    time: Duration,
    /// Nothing where time is not judged.
    yardstick: Option<Yardstick>,
    memory: usize,
}

impl Outcome {
    /// What it may take, where it took more.
    fn is_slow(&self) -> Option<Duration> {
        self.yardstick.map(|yardstick| yardstick.allows(self.length)).filter(|most| self.time > *most)
    }

    /// Why the input counts as a failure.
    fn failure(&self) -> Option<String> {
        match &self.read {
            Err(panic) => return Some(format!("panics: {panic}")),
            Ok(Read::Nonsense(nonsense)) => return Some(format!("is taken with nonsense: {nonsense}")),
            Ok(Read::Accepted | Read::Refused(_)) => {}
        }
        if let Some(most) = self.is_slow() {
            let [took, most] = [self.time, most].map(|time| time.as_secs_f64());
            return Some(format!(
                "takes {took:.1} s of CPU time, {} bytes may take {most:.1} s",
                self.length
            ));
        }
        (self.memory > limits::MEMORY).then(|| format!("takes {} MiB of memory", self.memory >> 20))
    }
}

/// Reads inputs `from` to `end` of a seed. Says on standard output what failed, then what was done; writes the number of the
/// current input into the file `progress`.
pub fn run(name: &str, numbers: [&str; 3], timing: bool, progress: &str) -> ExitCode {
    let [seed, from, end] = numbers.map(|text| text.parse::<u64>().expect("a number"));
    let reader = reader(name).expect("a reader of this name");
    let corpus = corpus(&reader);
    let progress = File::create(progress).expect("a file for the progress");
    limits::limit();
    keep_panics();
    watch();
    let yardstick = timing.then(Yardstick::measure);
    let (mut accepted, mut refused, mut slowest, mut largest) = (0u64, 0u64, Duration::ZERO, 0);
    for k in from..end {
        let bytes = input(&reader, &corpus, seed, k);
        progress.write_all_at(&k.to_le_bytes(), 0).expect("room for the progress");
        let outcome = undisturbed(&reader, &bytes, yardstick);
        match &outcome.read {
            Ok(Read::Accepted) => accepted += 1,
            _ => refused += 1,
        }
        slowest = slowest.max(outcome.time);
        largest = largest.max(outcome.memory);
        if let Some(failure) = outcome.failure() {
            println!("failed {k} {}", failure.replace('\n', " | "));
        }
    }
    println!("done {accepted} {refused} {} {largest}", slowest.as_micros());
    ExitCode::SUCCESS
}

/// Reads one file.
pub fn repeat(name: &str, file: &str) -> ExitCode {
    let reader = reader(name).expect("a reader of this name");
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    limits::limit();
    let outcome = undisturbed(&reader, &bytes, Some(Yardstick::measure()));
    println!("{:?}", outcome.read);
    println!("{} us of CPU time, {} bytes of memory", outcome.time.as_micros(), outcome.memory);
    match outcome.failure() {
        Some(failure) => {
            println!("{failure}");
            ExitCode::FAILURE
        }
        None => ExitCode::SUCCESS,
    }
}

/// One that takes too long is read again, beside another measurement of the machine: the shortest time counts, and the slowest machine,
/// since the host of a virtual one that takes its CPUs away is on the clock too.
fn undisturbed(reader: &Reader, bytes: &[u8], yardstick: Option<Yardstick>) -> Outcome {
    let mut outcome = one(reader, bytes, yardstick);
    for _ in 1..READINGS {
        if outcome.is_slow().is_none() {
            break;
        }
        outcome.yardstick = outcome.yardstick.max(Some(Yardstick::measure()));
        outcome.time = outcome.time.min(one(reader, bytes, yardstick).time);
    }
    outcome
}

fn one(reader: &Reader, bytes: &[u8], yardstick: Option<Yardstick>) -> Outcome {
    let resident = limits::most_resident();
    let held = counted::reset();
    let begun = limits::cpu_time();
    let read = catch_unwind(AssertUnwindSafe(|| (reader.read)(bytes)));
    let time = limits::cpu_time().saturating_sub(begun);
    BEGUN.fetch_add(1, Ordering::Relaxed);
    let allocated = counted::most().saturating_sub(held);
    // What is resident is the most of the whole process, so it counts where it grows.
    let grown = limits::most_resident().saturating_sub(resident);
    let read = read.map_err(|_| PANIC.lock().map(|text| text.clone()).unwrap_or_default());
    Outcome { read, length: bytes.len(), time, yardstick, memory: allocated.max(grown) }
}

fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        if let Ok(mut last) = PANIC.lock() {
            *last = text;
        }
    }));
}

/// Ends the process where an input takes so long that nobody would wait for it.
fn watch() {
    std::thread::spawn(|| {
        let (mut last, mut since) = (BEGUN.load(Ordering::Relaxed), Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = BEGUN.load(Ordering::Relaxed);
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > limits::WAITING {
                println!("hung");
                std::process::exit(3);
            }
        }
    });
}
