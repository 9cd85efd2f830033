//! `copies`: copies of a program, started together, waited for, and reported one by one.

use std::time::Duration;

use numawise_facts::RunSpec;
use numawise_launch::{Finished, Io, Job, Leftovers, Start, Variables};
use numawise_linux::Roots;

use crate::plan::RunPlan;
use crate::{Error, room};

/// How long copies may take to end themselves when they were told to stop. A second signal does not wait for them.
const GRACE: Duration = Duration::from_secs(5);
/// How often signals are asked for. One that this thread handles wakes it at once, as the end of the copies does: each look takes a CPU
/// from them for a moment.
const POLL: Duration = Duration::from_secs(1);

/// The signals that came to the caller and are meant for the copies.
pub trait RelayedSignals {
    /// The one that asks the copies to end.
    fn to_stop(&self) -> Option<i32>;
    /// Those that go to the copies as they are: each once for all that came since they were last asked for.
    fn to_relay(&self) -> Vec<i32>;
    /// Reports that a signal reaches the copies.
    fn passed_on(&self, signal: i32);
    /// Reports that the copies are asked to end.
    fn stopping(&self, signal: i32);
}

/// Runs all tasks of the plan to their end.
///
/// # Errors
/// When there is no room for so many, when a copy cannot be started or does not end even when it is killed; none that can be ended is left running.
pub fn run(spec: &RunSpec, plan: &RunPlan, signals: &dyn RelayedSignals) -> Result<Finished, Error> {
    let copies = plan.placement.tasks.len() as u64;
    if let Some((room, limit)) = room::tightest(&Roots::live()).filter(|(room, _)| *room < copies) {
        return Err(Error::NoRoomForCopies { copies, room, limit });
    }
    let commands: Vec<RunSpec> =
        plan.placement.tasks.iter().map(|task| plan.command(spec, task)).collect::<Result<_, _>>()?;
    // What a copy leaves behind on purpose goes on, as after a program that we become.
    let start = Start {
        io: Io::Inherit,
        pinner: plan.pinner.as_ref(),
        leftovers: Leftovers::Leave,
        variables: Variables::OfPlan,
        first_cpus: &[],
        commands: &commands,
    };
    let mut job = Job::spawn(spec, &plan.placement, start)?;
    loop {
        if let Some(finished) = job.wait_timeout(POLL)? {
            return Ok(finished);
        }
        job.stop_with_us();
        for signal in signals.to_relay() {
            signals.passed_on(signal);
            job.signal(signal);
        }
        if let Some(signal) = signals.to_stop() {
            signals.stopping(signal);
            job.end(signal, GRACE);
            return job.wait_timeout(Duration::ZERO)?.ok_or(Error::CopiesHeld { signal });
        }
    }
}
