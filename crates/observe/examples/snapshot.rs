//! Prints where the threads and pages of processes are: `cargo run --release -p numawise-observe --example snapshot --
//! [--quiet] [--largest N] [--no-memory] [--no-threads] PID...`. With `--quiet` only how many of each there are.

use numawise_observe::{SnapshotOptions, snapshot};
use numawise_units::Pid;

fn main() {
    let mut options = SnapshotOptions::default();
    let (mut quiet, mut pids) = (false, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quiet" => quiet = true,
            "--largest" => {
                options.largest = words.next().and_then(|count| count.parse().ok()).expect("a count")
            }
            "--no-memory" => options.memory = false,
            "--no-threads" => options.threads = false,
            pid => pids.push(Pid(pid.parse().expect("a process identifier"))),
        }
    }
    let seen = snapshot(&pids, &options);
    if !quiet {
        println!("{seen:#?}");
    }
    for task in &seen.tasks {
        let threads = task.threads.as_ref().map(|threads| threads.len());
        let mappings = task.memory.as_ref().map(|memory| memory.mappings);
        println!("{} {}: {threads} threads, {mappings} mappings", task.pid, task.name);
    }
}
