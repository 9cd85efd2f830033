//! Trials that others disturbed. The marks rest on what the machine reports, never on the result itself, so that leaving
//! them out does not bias the effect.

use numawise_facts::{Disturbance, HostNoise, SamplerCost};
use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "disturb_tests.rs"]
mod tests;

/// Share of the machine's CPU time taken by the hypervisor above which a trial is marked. Steal slows memory-bound
/// programs about in proportion, so 5 % is of the size of the effects that a check is to tell.
pub const STEAL_LIMIT: f64 = 0.05;
/// Share of the machine's CPU time used by other processes above which a trial is marked.
pub const OTHER_LOAD_LIMIT: f64 = 0.10;

/// What disturbed a trial. A reading that is unavailable marks nothing.
pub fn disturbances(noise: &HostNoise) -> Vec<Disturbance> {
    let over = |share: Option<f64>, limit: f64| share.filter(|share| *share > limit);
    let steal = over(noise.steal.measured().map(|r| r.0), STEAL_LIMIT).map(Disturbance::Steal);
    let load = over(noise.other_load.measured().map(|r| r.0), OTHER_LOAD_LIMIT).map(Disturbance::OtherLoad);
    steal.into_iter().chain(load).collect()
}

/// The part of the margin that watching may take of one CPU in a trial that is compared.
pub const WATCHED_PART_OF_MARGIN: f64 = 0.1;
/// In shorter trials a single sample may take more, and a tick of the kernel's clock says it.
const WATCHED_LONG: Nanoseconds = Nanoseconds(200_000_000);

/// The same in a rehearsal. An emulated CPU needs some 40 ms for a sample, so that the few of a trial took 1 to 3 % of one CPU in all
/// trials of a check; they are watched alike, and with several CPUs the program feels a part of it.
const WATCHED_IN_REHEARSAL: f64 = 1.0;

/// Whether watching took so much that the trial is not to be compared, by the margin of the study.
pub fn watching(cost: &SamplerCost, margin: f64, is_rehearsed: bool) -> Option<Disturbance> {
    let share = cost.cpu_time.seconds() / cost.span.seconds().max(f64::MIN_POSITIVE);
    let part = if is_rehearsed { WATCHED_IN_REHEARSAL } else { WATCHED_PART_OF_MARGIN };
    let is_too_much = cost.span >= WATCHED_LONG && share > part * margin;
    is_too_much.then_some(Disturbance::Watching(share.min(1.0)))
}

/// Share of the wall time in which the program was stopped above which a trial is marked: a fifth of the margin that effects are
/// usually told by.
const STOPPED_LIMIT: f64 = 0.01;
/// A wait of ours that ends so much too late is marked. A thread that waits gets a CPU within some milliseconds, also on a busy
/// machine.
pub const LATE_LIMIT: Nanoseconds = Nanoseconds(500_000_000);
/// Clocks that differ by less were read one after another, or are being adjusted slowly (at most 0.5 ms in a second).
const CLOCK_LIMIT: Nanoseconds = Nanoseconds(100_000_000);

/// What the trial's time holds beside the program's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted {
    /// How long the program was stopped.
    pub stopped: Nanoseconds,
    /// How much too late a wait of ours ended.
    pub late: Nanoseconds,
    pub suspended: Nanoseconds,
    pub clock_set: Nanoseconds,
}

/// What interrupted a trial that took `wall`.
pub fn interruptions(of: &Interrupted, wall: Nanoseconds) -> Vec<Disturbance> {
    let marked = [
        (of.stopped.seconds() > STOPPED_LIMIT * wall.seconds(), Disturbance::Stopped(of.stopped)),
        // When the program was stopped as long as we, nothing ran on without us.
        (of.late > of.stopped + LATE_LIMIT, Disturbance::WatcherStopped(of.late)),
        (of.suspended > CLOCK_LIMIT, Disturbance::Suspended(of.suspended)),
        (
            of.clock_set.seconds() > CLOCK_LIMIT.seconds() + 0.001 * wall.seconds(),
            Disturbance::ClockSet(of.clock_set),
        ),
    ];
    marked.into_iter().filter_map(|(marked, disturbance)| marked.then_some(disturbance)).collect()
}
