//! Programs whose truth is known, watched: the observer must say it.
//!
//! A program stays until what it is asked for was seen of it, however long a busy machine takes; what is seen is asserted exactly.

use std::io::{BufRead, BufReader};
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

/// A program that has said that it is ready; ended at the end, with all that it has started.
struct Ready(Child);

impl Ready {
    /// None when it ends before.
    fn start(command: &mut Command) -> Option<Self> {
        let command = command.stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().expect("a program that can be started");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let ready = Ready(child);
        (line == "ready\n").then_some(ready)
    }

    fn pid(&self) -> Pid {
        Pid(self.0.id() as i32)
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        // SAFETY: kill touches no memory of ours. It may have ended by itself.
        unsafe { libc::kill(-self.pid().0, libc::SIGKILL) };
        let _ = self.0.wait();
    }
}

fn start(mode: &str) -> Ready {
    Ready::start(&mut actor(mode)).expect("a program that gets ready")
}

/// How long it may take until something was seen: much longer than it takes anywhere.
const PATIENCE: Duration = Duration::from_secs(120);

/// Watches programs that stay, for longer and longer, until it was seen what is waited for.
fn watch_until(
    pids: &[Pid],
    options: &Options,
    what: &str,
    is_seen: impl Fn(&Observation) -> bool,
) -> Observation {
    let begun = Instant::now();
    let mut time = Duration::from_millis(60);
    loop {
        let watch = Watch::start(pids, options);
        std::thread::sleep(time);
        let seen = watch.finish(not_accounted(), time.into());
        if is_seen(&seen) {
            return seen;
        }
        assert!(begun.elapsed() < PATIENCE, "waited for {what}: {seen:#?}");
        time *= 2;
    }
}

/// A budget that is enough on a machine whose CPUs others take away: time that is stolen in the middle of a sample counts
/// as the sample's. What the usual budget costs is the matter of `cost`.
fn generous() -> Options {
    Options { rate: 0.3, ..Options::default() }
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

fn threads(observation: &Observation) -> &[ThreadObservation] {
    match observation.threads.measured() {
        Some(threads) => threads,
        None => panic!("no threads: {:?}", observation.threads.reason()),
    }
}

fn named<'a>(observation: &'a Observation, name: &str) -> Option<&'a ThreadObservation> {
    let threads = observation.threads.measured()?;
    threads.iter().find(|thread| thread.name == name)
}

/// The CPUs that we may use, first and last (the same on a machine with one).
fn two_cpus() -> (CpuId, CpuId) {
    let status = std::fs::read_to_string("/proc/self/status").expect("our own status");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let cpus: CpuSet = list.expect("a list of CPUs").trim().parse().expect("a list of CPUs");
    (cpus.first().expect("a CPU"), cpus.last().expect("a CPU"))
}
