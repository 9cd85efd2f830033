//! Copies of a program side by side: started together, waited for, and told of one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use numawise_facts::{Exit, Placement, RunSpec, TaskPlacement};
use numawise_launch::{Finished, FinishedTask, Io, Job, Pinner, Start};
use numawise_units::Nanoseconds;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::super::{Failure, SUCCESS, Status};

#[cfg(test)]
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
    let signal = signals()?;
    let mut job =
        Job::spawn(spec, placement, Start { io: Io::Inherit, pinner }).map_err(Failure::from_launch)?;
    let finished = loop {
        if let Some(finished) = job.wait_timeout(LOOK).map_err(Failure::from_launch)? {
            break finished;
        }
        let number = signal.load(Ordering::Relaxed);
        if number != 0 {
            super::say(&format!("signal {number}: the copies are told to end"));
            job.kill(GRACE);
            match job.wait_timeout(Duration::ZERO).map_err(Failure::from_launch)? {
                Some(finished) => break finished,
                None => return Err(held(number)),
            }
        }
    };
    for (task, plan) in finished.tasks.iter().zip(&placement.tasks) {
        super::say(&line(task, plan));
    }
    Ok(status(&finished, signal.load(Ordering::Relaxed)))
}

/// The number of the signal that told us to stop, 0 for none. A second one ends us, and the kernel the copies with us.
fn signals() -> Result<Arc<AtomicUsize>, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("cannot watch for signals: {error}"));
    let (told, again) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // nohup asked for SIGHUP to be ignored; a shell does so with SIGINT for what runs in its background.
        if is_ignored(signal) {
            continue;
        }
        // In this order: the first signal finds `again` unset.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))
            .map_err(failed)?;
        signal_hook::flag::register(signal, Arc::clone(&again)).map_err(failed)?;
        signal_hook::flag::register_usize(signal, Arc::clone(&told), signal as usize).map_err(failed)?;
    }
    Ok(told)
}

fn is_ignored(signal: i32) -> bool {
    // SAFETY: a null action only asks; the kernel writes the present one into the live, zeroed struct.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

fn held(signal: usize) -> Failure {
    let message = "some copies did not end even when they were killed: the kernel holds them (state D in ps)";
    Failure::with_status(by_signal(signal as i32), message)
}

fn by_signal(signal: i32) -> Status {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

/// That of the first copy that failed; when all went well in spite of a signal to us, that of the signal.
fn status(finished: &Finished, signal: usize) -> Status {
    let of = |task: &FinishedTask| match task.exit {
        Exit::Code(code) => u8::try_from(code).unwrap_or(u8::MAX),
        Exit::Signal(number) => by_signal(number),
    };
    let failed = finished.tasks.iter().map(of).find(|status| *status != SUCCESS);
    let stopped = (signal != 0).then(|| by_signal(signal as i32));
    failed.or(stopped).unwrap_or(SUCCESS)
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
