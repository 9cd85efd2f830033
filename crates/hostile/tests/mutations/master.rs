//! Starts workers, counts what they did, and keeps the inputs that failed.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use numawise_hostile::{Reader, corpus, input, readers};

use crate::{NAME, Request};

/// As many workers as this at once.
const WORKERS: usize = 2;
/// A reader that killed so many workers gets no more inputs.
const MOST_DEATHS: usize = 5;

/// What came of a reader's inputs.
#[derive(Default)]
struct Tally {
    accepted: u64,
    refused: u64,
    slowest: u64,
    largest: u64,
    failures: Vec<(u64, String)>,
}

/// The seed of all inputs, whose times are known.
const SEED: u64 = 1;
/// Of so many inputs of a reader one is taken where all would take too long, beside those that are not mutated.
const OF: u64 = 12;

pub fn run(request: &Request) -> ExitCode {
    let asked = |reader: &Reader| {
        request.readers.is_empty() || request.readers.iter().any(|name| reader.name.contains(name.as_str()))
    };
    let mut readers: Vec<Reader> = readers().into_iter().filter(asked).collect();
    if readers.is_empty() {
        println!("no reader is called {:?}", request.readers);
        return ExitCode::FAILURE;
    }
    for reader in &mut readers {
        let some = corpus(reader).len() as u64 + reader.inputs / OF;
        let usual = if request.timing { reader.inputs } else { some };
        reader.inputs = request.inputs.unwrap_or(usual);
    }
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(SEED, |now| now.as_secs());
    let seed = request.seed.unwrap_or_else(|| if request.timing { SEED } else { now() });
    println!("seed {seed}");
    let begun = Instant::now();
    println!(
        "{:20} {:>8} {:>9} {:>8} {:>11} {:>12}",
        "reader", "inputs", "accepted", "refused", "slowest", "largest"
    );
    let (next, all) = (AtomicUsize::new(0), Mutex::new((0u64, 0usize)));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(reader) = readers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tally = of(reader, seed, request.timing);
                    let mut all = all.lock().expect("no worker's thread panics");
                    print(reader, seed, &tally);
                    all.0 += tally.accepted + tally.refused;
                    all.1 += tally.failures.len();
                }
            });
        }
    });
    let (inputs, failures) = *all.lock().expect("no worker's thread panics");
    println!(
        "{inputs} inputs for {} readers in {:.0} s, {failures} failed (seed {})",
        readers.len(),
        begun.elapsed().as_secs_f64(),
        seed
    );
    // As the usual test harness says it.
    println!("test {NAME} ... {}", if failures == 0 { "ok" } else { "FAILED" });
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn of(reader: &Reader, seed: u64, timing: bool) -> Tally {
    let mut tally = Tally::default();
    let (mut from, mut deaths) = (0, 0);
    let progress =
        std::env::temp_dir().join(format!("numawise-hostile-{}-{}", std::process::id(), reader.name));
    while from < reader.inputs && deaths < MOST_DEATHS {
        let ended = worker(reader, seed, from, timing, &progress, &mut tally);
        let Some(death) = ended else { break };
        // The number of the input that it died of stands in the file.
        let bytes = fs::read(&progress).ok().and_then(|bytes| bytes.try_into().ok());
        let last = bytes.map_or(from, u64::from_le_bytes);
        tally.refused += last + 1 - from;
        tally.failures.push((last, death));
        from = last + 1;
        deaths += 1;
    }
    let _ = fs::remove_file(progress);
    tally
}

/// How the worker died, if it did not come to its end.
fn worker(
    reader: &Reader,
    seed: u64,
    from: u64,
    timing: bool,
    progress: &PathBuf,
    tally: &mut Tally,
) -> Option<String> {
    let own = std::env::current_exe().expect("the path of this program");
    let output = Command::new(own)
        .args(["--worker", reader.name, &seed.to_string(), &from.to_string(), &reader.inputs.to_string()])
        .arg(if timing { "timing" } else { "any time" })
        .arg(progress)
        .stderr(Stdio::piped())
        .output()
        .expect("a worker");
    let mut whole = false;
    let mut hung = false;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some((k, failure)) = line.strip_prefix("failed ").and_then(|rest| rest.split_once(' ')) {
            tally.failures.push((k.parse().expect("a number"), failure.to_owned()));
        } else if let Some(numbers) = line.strip_prefix("done ") {
            let numbers: Vec<u64> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
            tally.accepted += numbers[0];
            tally.refused += numbers[1];
            tally.slowest = tally.slowest.max(numbers[2]);
            tally.largest = tally.largest.max(numbers[3]);
            whole = true;
        }
        hung |= line == "hung";
    }
    if whole {
        return None;
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
    Some(if hung {
        "hangs".to_owned()
    } else {
        format!("kills the process ({}): {}", output.status, said.join(" | "))
    })
}

fn print(reader: &Reader, seed: u64, tally: &Tally) {
    println!(
        "{:20} {:>8} {:>9} {:>8} {:>8.1} ms {:>8.1} MiB",
        reader.name,
        tally.accepted + tally.refused,
        tally.accepted,
        tally.refused,
        tally.slowest as f64 / 1000.0,
        tally.largest as f64 / 1_048_576.0
    );
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    let corpus = corpus(reader);
    for (k, failure) in tally.failures.iter().take(20) {
        let file = folder.join(format!("{}-{seed}-{k}", reader.name));
        let written =
            fs::create_dir_all(&folder).and_then(|()| fs::write(&file, input(reader, &corpus, seed, *k)));
        println!("  FAILED: input {k} {failure}");
        match written {
            Ok(()) => println!(
                "  again: cargo test -p numawise-hostile --test mutations -- --repeats {} {}",
                reader.name,
                file.display()
            ),
            Err(error) => println!("  it cannot be kept in {}: {error}", file.display()),
        }
    }
}
