//! Figures of a process that runs: how long its files take to be read, and what a stack, a place and its variables take.
//!
//! `cargo run --release -p numawise-symbols --example figures -- PID [least bytes of variables]`

use std::time::Instant;

use numawise_symbols::LoadedFiles;
use numawise_units::{Bytes, Pid};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let pid = Pid(i32::try_from(arguments.next().expect("a process id")).expect("a process id"));
    let least = Bytes(arguments.next().unwrap_or(64 << 10));
    let mut files = LoadedFiles::default();
    for path in files.files(pid) {
        let begun = Instant::now();
        let found = files.variables(pid, &path, least);
        let took = begun.elapsed().as_secs_f64() * 1e3;
        match found {
            Ok(variables) => {
                let defined = variables.iter().filter(|one| one.defined.measured().is_some()).count();
                println!(
                    "{took:8.1} ms {}: {} variables, {defined} with a line",
                    path.display(),
                    variables.len()
                );
                for one in variables.iter().take(8) {
                    let source = one.defined.measured().map(|place| &place.source);
                    let file = source.and_then(|source| source.file.measured());
                    let line = source.and_then(|source| source.line.measured());
                    println!("    {:#x} {} {} {file:?} {line:?}", one.address, one.bytes, one.name);
                }
            }
            Err(error) => println!("{took:8.1} ms {error}"),
        }
    }
}
