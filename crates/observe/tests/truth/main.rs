//! Programs whose truth is known, watched: the observer must say it.
//!
//! Times are asserted with wide margins, since other work may run on the machine; places are asserted exactly.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use numawise_facts::{Observation, Reading, ResourceUsage, ThreadObservation};
use numawise_linux::calls::wait::EndStatus;
use numawise_observe::{Method, Options, Watch};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, Pid};
use program::copied;

mod cost;
mod hostile;
mod memory;
mod now;
#[path = "../../../cli/tests/support/program.rs"]
mod program;
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
fn watch(mut command: Command, options: &Options) -> (Observation, ResourceUsage, Duration) {
    let _alone = alone();
    let begun = Instant::now();
    let child = command.spawn().expect("a program that can be started");
    let watch = Watch::start(&[Pid(child.id() as i32)], options);
    let (usage, wall) = wait(child, begun);
    let ended = Instant::now();
    let observation = watch.finish(usage.clone(), wall);
    (observation, usage, ended.elapsed())
}

/// A budget that is enough on a machine whose CPUs others take away: time that is stolen in the middle of a sample counts
/// as the sample's. What the usual budget costs is the matter of `cost`.
fn generous() -> Options {
    Options { rate: 0.3, ..Options::default() }
}

fn observe(mode: &str) -> Observation {
    watch(actor(mode), &generous()).0
}

/// Waits as the launcher does.
fn wait(child: Child, begun: Instant) -> (ResourceUsage, Nanoseconds) {
    let (end, accounted) = numawise_linux::calls::wait::reap(Pid(child.id() as i32)).expect("our own child");
    assert_eq!(end, EndStatus::Exited(0), "the program failed");
    let peak = accounted.peak_of_child();
    let usage = ResourceUsage {
        user: Reading::Measured(accounted.user),
        system: Reading::Measured(accounted.system),
        peak_memory: peak.map_or_else(
            |_| Reading::unavailable("not above our own peak, which a program inherits"),
            Reading::Measured,
        ),
        minor_faults: Reading::Measured(accounted.minor_faults),
        major_faults: Reading::Measured(accounted.major_faults),
        voluntary_switches: Reading::Measured(accounted.voluntary_switches),
        involuntary_switches: Reading::Measured(accounted.involuntary_switches),
    };
    (usage, begun.elapsed().into())
}

/// What is known of a process that nobody waited for.
fn not_accounted() -> ResourceUsage {
    ResourceUsage::unavailable("nobody waited for it")
}

/// Its CPU time, in seconds.
fn accounted(usage: &ResourceUsage) -> f64 {
    usage.cpu_time().measured().expect("somebody waited for it").seconds()
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
