//! Copies of a program: the signals that reach them through us, and a line on the end of each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use numawise_facts::{Exit, TaskPlacement};
use numawise_launch::{Finished, FinishedTask};
use numawise_linux::calls::signal::is_ignored;
use numawise_session::copies::RelayedSignals;
use numawise_session::plan::{RunPlan, RunRequest};
use numawise_session::{Error, copies};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use super::super::{Failure, SUCCESS, Status};
use crate::exit::stops_with_program;
use crate::streams;

#[cfg(test)]
#[path = "copies_tests.rs"]
mod tests;

/// Runs all tasks of the plan to their end, reports each on the standard error, and gives the status of the whole.
///
/// # Errors
/// When a copy cannot be started; none is left running then.
pub fn run(request: &RunRequest, plan: &RunPlan) -> Result<Status, Failure> {
    let signals = Signals::watch()?;
    stops_with_program()?;
    let finished = match copies::run(&request.command, plan, &signals) {
        Err(error @ Error::CopiesHeld { signal }) => {
            return Err(Failure::with_status(by_signal(signal), error.to_string()));
        }
        finished => finished?,
    };
    for (task, plan) in finished.tasks.iter().zip(&plan.placement.tasks) {
        streams::say(&line(task, plan));
    }
    Ok(status(&finished, signals.to_stop()))
}

/// The signals that came to us and are meant for the copies.
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
}

impl RelayedSignals for Signals {
    fn to_stop(&self) -> Option<i32> {
        Some(self.stop.load(Ordering::Relaxed) as i32).filter(|signal| *signal != 0)
    }

    fn to_relay(&self) -> Vec<i32> {
        let came = |(_, came): &&(i32, Arc<AtomicBool>)| came.swap(false, Ordering::Relaxed);
        self.relay.iter().filter(came).map(|(signal, _)| *signal).collect()
    }

    fn passed_on(&self, signal: i32) {
        streams::say(&format!("signal {signal}: passed on to the copies"));
    }

    fn stopping(&self, signal: i32) {
        streams::say(&format!("signal {signal}: the copies are asked to end"));
    }
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
    let time = task.usage.cpu_time();
    let memory = match (task.usage.peak_memory.measured(), task.usage.peak_memory.reason()) {
        (Some(bytes), _) => bytes.to_string(),
        (None, Some(reason)) => format!("unavailable: {reason}"),
        (None, None) => "unavailable".to_owned(),
    };
    format!(
        "copy {}: {end}, {} ({time} of CPU time), memory at its peak {memory}; CPUs {}, memory policy {}",
        task.task, task.wall, plan.cpus, plan.memory
    )
}
