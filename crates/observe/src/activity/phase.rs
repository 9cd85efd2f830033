//! The phases of a file.

use numawise_facts::activity::{ActivityPhases, PhaseActivity, PhaseName, StateTimes};
use numawise_wire::snapshot::reader::{PhaseRecord, SnapshotFile};
use numawise_wire::snapshot::thread::STATES;
use numawise_wire::snapshot::{PhaseKind, ThreadState};

use super::{Clock, text};

pub(super) fn all(file: &SnapshotFile<'_>, clock: &Clock, until: u64) -> ActivityPhases {
    let [lost, unbalanced] = file.phases_lost();
    let phases = file.phases(until).filter(|phase| phase.count > 0 || phase.open > 0);
    ActivityPhases { rows: phases.map(|phase| row(&phase, clock)).collect(), lost, unbalanced }
}

fn row(phase: &PhaseRecord<'_>, clock: &Clock) -> PhaseActivity {
    PhaseActivity {
        name: name(phase),
        calls: phase.count,
        elapsed: clock.nanoseconds(phase.elapsed),
        longest: clock.nanoseconds(phase.longest),
        times: by_state(clock, &phase.ticks),
        mpi_outside: clock.nanoseconds(phase.mpi_outside),
        threads: phase.threads,
        is_open: phase.open > 0,
    }
}

pub(super) fn name(of: &PhaseRecord<'_>) -> PhaseName {
    match of.kind {
        PhaseKind::Region => PhaseName::Region(text(of.name)),
        PhaseKind::ThreadRegion => PhaseName::ThreadRegion(text(of.name)),
        PhaseKind::Control => PhaseName::Control(of.level),
    }
}

/// Ticks of each state as times.
pub(super) fn by_state(clock: &Clock, ticks: &[u64; STATES]) -> StateTimes {
    let of = |state: ThreadState| clock.nanoseconds(ticks.get(state as usize).copied().unwrap_or(0));
    StateTimes {
        useful: of(ThreadState::Useful),
        mpi: of(ThreadState::Mpi),
        barrier: of(ThreadState::OmpBarrier),
        scheduling: of(ThreadState::OmpScheduling),
        idle: of(ThreadState::OmpIdle),
        lock: of(ThreadState::OmpLock),
    }
}
