//! Runs a program with the library in it, follows what it writes down, and says how much that was: `follow LIBRARY PROGRAM [ARGUMENTS]`.

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use numawise_observe::objects::log::HeapLogs;
use numawise_units::Nanoseconds;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [library, program, arguments @ ..] = &words[..] else {
        return Err("expected: follow LIBRARY PROGRAM [ARGUMENTS]".into());
    };
    let folder = tempfile::tempdir_in(if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" })?;
    let mut command = Command::new(program);
    command.args(arguments).env("LD_PRELOAD", library).env("NUMAWISE_OBJECTS", folder.path());
    let mut logs = HeapLogs::new(folder.path());
    let mut records = 0u64;
    let mut reading = Duration::ZERO;
    let mut child = command.spawn()?;
    loop {
        let ended = child.try_wait()?;
        let now =
            numawise_syscalls::clock(libc::CLOCK_MONOTONIC).map_err(std::io::Error::from_raw_os_error)?;
        let until = if ended.is_some() { u64::MAX } else { now.saturating_sub(20_000_000) };
        let begin = Instant::now();
        logs.drain(Nanoseconds(until), &mut |_| records += 1);
        reading += begin.elapsed();
        if let Some(status) = ended {
            eprintln!(
                "{records} records, {:?}, {:?}, read in {reading:?}, {status}",
                logs.counts(),
                logs.samples()
            );
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
