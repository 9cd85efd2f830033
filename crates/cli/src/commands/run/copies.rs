//! Copies of a program side by side: started together, waited for, and told of one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use numawise_facts::{Exit, Placement, RunSpec, TaskPlacement};
use numawise_launch::{Finished, FinishedTask, Io, Job, Pinner, Start};
use numawise_units::Nanoseconds;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use super::super::{Failure, SUCCESS, Status};

#[cfg(test)]
#[path = "copies_tests.rs"]
mod tests;

/// How long copies may take to end themselves when we were told to stop. A second signal does not wait for them.
const GRACE: Duration = Duration::from_secs(5);
/// How often we look whether a signal came; the end of the copies wakes us at once.
const LOOK: Duration = Duration::from_millis(50);

/// Runs all tasks of the plan to their end, tells of each on the standard error, and gives the status of the whole.
///
/// # Errors
/// When a copy cannot be started; none is left running then.
pub fn run(spec: &RunSpec, placement: &Placement, pinner: Option<&Pinner>) -> Result<Status, Failure> {
    let signals = Signals::watch()?;
    let mut job =
        Job::spawn(spec, placement, Start { io: Io::Inherit, pinner }).map_err(Failure::from_launch)?;
    let finished = loop {
        if let Some(finished) = job.wait_timeout(LOOK).map_err(Failure::from_launch)? {
            break finished;
        }
        for number in signals.to_relay() {
            super::say(&format!("signal {number}: passed on to the copies"));
            job.signal(number);
        }
        if let Some(number) = signals.to_stop() {
            super::say(&format!("signal {number}: the copies are told to end"));
            job.end(number, GRACE);
            match job.wait_timeout(Duration::ZERO).map_err(Failure::from_launch)? {
                Some(finished) => break finished,
                None => return Err(held(number)),
            }
        }
    };
    for (task, plan) in finished.tasks.iter().zip(&placement.tasks) {
        super::say(&line(task, plan));
    }
    Ok(status(&finished, signals.to_stop()))
}

/// The signals that came to us and are meant for the copies: each goes to them as it is.
struct Signals {
    /// The one that told us to stop, 0 for none. A second one ends us, and the kernel the copies with us.
    stop: Arc<AtomicUsize>,
    /// Those that mean something between the user and the program, and that may come again.
    relay: Vec<(i32, Arc<AtomicBool>)>,
}

impl Signals {
    fn watch() -> Result<Signals, Failure> {
        Signals::register().map_err(|error| Failure::new(format!("cannot watch for signals: {error}")))
    }

    /// Leaves alone what is ignored, here and so in the copies: nohup asked for that with SIGHUP, and a shell does so with
    /// SIGINT and SIGQUIT for what runs in its background.
    fn register() -> std::io::Result<Signals> {
        let (stop, again) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|signal| !is_ignored(*signal)) {
            // In this order: the first signal finds `again` unset.
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))?;
            signal_hook::flag::register(signal, Arc::clone(&again))?;
            signal_hook::flag::register_usize(signal, Arc::clone(&stop), signal as usize)?;
        }
        let mut relay = Vec::new();
        for signal in [SIGUSR1, SIGUSR2].into_iter().filter(|signal| !is_ignored(*signal)) {
            let came = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, Arc::clone(&came))?;
            relay.push((signal, came));
        }
        Ok(Signals { stop, relay })
    }

    fn to_stop(&self) -> Option<i32> {
        Some(self.stop.load(Ordering::Relaxed) as i32).filter(|signal| *signal != 0)
    }

    /// Each once for all that came since the last look, as the kernel does for a process that does not look.
    fn to_relay(&self) -> impl Iterator<Item = i32> {
        self.relay.iter().filter(|(_, came)| came.swap(false, Ordering::Relaxed)).map(|(signal, _)| *signal)
    }
}

fn is_ignored(signal: i32) -> bool {
    // SAFETY: a null action only asks; the kernel writes the present one into the live, zeroed struct.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

fn held(signal: i32) -> Failure {
    let message = "some copies did not end even when they were killed: the kernel holds them (state D in ps)";
    Failure::with_status(by_signal(signal), message)
}

fn by_signal(signal: i32) -> Status {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

/// That of the first copy that failed; when all went well in spite of a signal to us, that of the signal.
fn status(finished: &Finished, signal: Option<i32>) -> Status {
    let of = |task: &FinishedTask| match task.exit {
        Exit::Code(code) => u8::try_from(code).unwrap_or(u8::MAX),
        Exit::Signal(number) => by_signal(number),
    };
    let failed = finished.tasks.iter().map(of).find(|status| *status != SUCCESS);
    failed.or(signal.map(by_signal)).unwrap_or(SUCCESS)
}

/// What became of a copy.
fn line(task: &FinishedTask, plan: &TaskPlacement) -> String {
    let end = match task.exit {
        Exit::Code(code) => format!("status {code}"),
        Exit::Signal(number) => format!("ended by signal {number}"),
    };
    let time = Nanoseconds(task.usage.user.0.saturating_add(task.usage.system.0));
    let memory = match (task.usage.max_rss.measured(), task.usage.max_rss.reason()) {
        (Some(bytes), _) => bytes.to_string(),
        (None, Some(reason)) => format!("unavailable: {reason}"),
        (None, None) => "unavailable".to_owned(),
    };
    format!(
        "copy {}: {end}, {} ({time} of CPU time), memory at its peak {memory}; CPUs {}, memory policy {}",
        task.task, task.wall, plan.cpus, plan.memory
    )
}
