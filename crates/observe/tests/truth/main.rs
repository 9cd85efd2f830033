//! Programs whose truth is known, watched: the observer must say it.
//!
//! Times are asserted with wide margins, since other work may run on the machine; places are asserted exactly.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use numawise_facts::{Observation, ThreadObservation};
use numawise_observe::{Method, Options, Usage, Watch};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, Pid};

mod cost;
mod hostile;
mod memory;
mod now;
mod threads;

/// The program of known behaviour.
fn actor(mode: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_observe-actor"));
    command.args(mode.split(' ')).stdout(Stdio::null());
    command
}

/// One program at a time: they are to be measured, and the machine may be small.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a program and watches it; the time is what `finish` took.
fn watch(mut command: Command, options: &Options) -> (Observation, Usage, Duration) {
    let _alone = alone();
    let begun = Instant::now();
    let child = command.spawn().expect("a program that can be started");
    let watch = Watch::start(&[Pid(child.id() as i32)], options);
    let usage = wait(child, begun);
    let ended = Instant::now();
    let observation = watch.finish(&usage);
    (observation, usage, ended.elapsed())
}

/// A budget that is enough on a machine whose CPUs others take away: time that is stolen in the middle of a look counts
/// as the look's. What the usual budget costs is the matter of `cost`.
fn generous() -> Options {
    Options { rate: 0.3, ..Options::default() }
}

fn observe(mode: &str) -> Observation {
    watch(actor(mode), &generous()).0
}

/// Waits as the launcher does.
fn wait(child: Child, begun: Instant) -> Usage {
    let mut status = 0;
    // SAFETY: a rusage is plain numbers, valid when all are zero.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one int and one rusage; the child is ours and not yet waited for.
    let pid = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut used) };
    assert_eq!((pid, status), (child.id() as i32, 0), "the program failed");
    let time =
        |time: libc::timeval| Nanoseconds(time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000);
    Usage {
        user: time(used.ru_utime),
        system: time(used.ru_stime),
        peak_memory: Some(Bytes::kib(used.ru_maxrss as u64)),
        minor_faults: used.ru_minflt as u64,
        major_faults: used.ru_majflt as u64,
        voluntary_switches: used.ru_nvcsw as u64,
        involuntary_switches: used.ru_nivcsw as u64,
        wall: begun.elapsed().into(),
    }
}

fn threads(observation: &Observation) -> &[ThreadObservation] {
    match observation.threads.measured() {
        Some(threads) => threads,
        None => panic!("no threads: {:?}", observation.threads.reason()),
    }
}

fn named<'a>(observation: &'a Observation, name: &str) -> &'a ThreadObservation {
    let threads = threads(observation);
    let found = threads.iter().find(|thread| thread.name == name);
    found.unwrap_or_else(|| panic!("no thread {name} in {threads:#?}"))
}

/// The CPUs that we may use, first and last (the same on a machine with one).
fn two_cpus() -> (CpuId, CpuId) {
    let status = std::fs::read_to_string("/proc/self/status").expect("our own status");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let cpus: CpuSet = list.expect("a list of CPUs").trim().parse().expect("a list of CPUs");
    (cpus.first().expect("a CPU"), cpus.last().expect("a CPU"))
}
