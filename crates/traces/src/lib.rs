//! What the calls of a trace tell together: a [`Run`] in, a [`RunTrace`] out. [`lanes`]: the threads that were traced, and their calls on one clock. [`matching`]: both ends of
//! each message. [`waits`]: which calls waited, for whom. [`causes`]: what the late ones did meanwhile.
//!
//! A wait is a part of a call, from its begin. The rest of a call moves data, or waits for what is not known. Patterns are those of Scalasca
//! (late sender, late receiver, late broadcast, early reduce, wait at N x N); a root that needs all waits for the last of them.

mod both;
mod causes;
mod collectives;
mod equal_threads;
mod events;
mod keep;
mod kinds;
mod lane_set;
mod lanes;
mod matching;
mod needs;
mod openmp;
mod order;
mod path;
mod period;
mod phase_tables;
mod phases;
mod placed;
mod profiles;
mod replay;
mod run;
mod slices;
mod sums;
mod tables;
mod team_tables;
mod teams;
mod threads;
mod timeline;
mod view;
mod waits;
mod windows;
mod work;

use std::collections::BTreeMap;

use numawise_facts::activity::CodePlace;
use numawise_facts::{Reading, TracePart};
use numawise_tables::snapshot::{LateCalls, RunTrace, TraceEvents, TracedWait, WaitKind, WaitsFor};
use numawise_units::Nanoseconds;

use both::both;
use causes::CauseSums;
use collectives::Collectives;
use lanes::Lanes;
use matching::Matched;
pub use matching::paired;
pub use run::{Process, Run};
pub use slices::{CallStreams, Sliced, sliced};
use tables::Sums;
pub use threads::is_same_place;
pub use view::{StreamAt, StreamView, TraceView};
use waits::Waits;

/// Bytes of memory that the analysis takes for a call or an end of a message (`trace_cost`).
pub const MEMORY_OF_AN_EVENT: u64 = 110;
/// Rows of each table.
const MOST_ROWS: usize = 1000;

/// A trace with what follows from it.
pub struct Traced<'a> {
    run: Run<'a>,
    lanes: Lanes<'a>,
    matched: Matched,
    collectives: Collectives,
    waits: Waits,
}

/// A call at one place on one communicator, as people name it: the call, the place, the communicator's name.
pub type PlacedCall = (String, Reading<CodePlace>, Reading<String>);

/// Of all calls at one place: how long they waited, and how long those took of which it is not known.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownOfPlace {
    pub waiting: Nanoseconds,
    pub not_judged: Nanoseconds,
}

impl<'a> Traced<'a> {
    /// Nothing where no trace was made.
    pub fn of(run: Run<'a>) -> Option<Traced<'a>> {
        let lanes = Lanes::of(&run)?;
        Some(Traced::of_lanes(run, lanes))
    }

    fn of_lanes(run: Run<'a>, lanes: Lanes<'a>) -> Traced<'a> {
        let (matched, collectives) = both(|| matching::of(&lanes), || Collectives::of(&run, &lanes));
        let waits = Waits::of(&lanes, &matched, &collectives);
        Traced { run, lanes, matched, collectives, waits }
    }

    /// Whether it has all calls from the end of `MPI_Init` to the begin of `MPI_Finalize`.
    pub fn is_whole(&self) -> bool {
        self.lanes.lost == 0 && !self.waits.has_left_out() && self.run.part.is_none_or(TracePart::is_whole)
    }

    pub fn by_place(&self) -> BTreeMap<PlacedCall, KnownOfPlace> {
        let mut places = BTreeMap::new();
        tables::add_known(self, &mut places);
        places
    }

    /// Its calls and messages, for a drawing.
    pub fn events(&self) -> TraceEvents {
        let marks = placed::all(&self.run, &self.lanes);
        events::of(&self.lanes, &self.matched, &self.waits, &self.collectives, marks)
    }

    /// All tables.
    pub fn tables(&self) -> RunTrace {
        let Traced { run, lanes, matched, collectives, waits } = self;
        let is_part = run.part.is_some_and(|part| !part.is_whole());
        let faithful = || {
            if is_part {
                return Reading::unavailable("only a whole trace is replayed");
            }
            replay::Faithful::of(lanes, matched, waits, collectives)
        };
        let causes = || {
            let mut causes = CauseSums::default();
            causes.add(lanes, matched, waits, collectives);
            causes.rows(lanes)
        };
        let replayed = || {
            let (faithful, causes) = both(faithful, causes);
            let what_if = faithful.map(|faithful| faithful.what_if(lanes, waits, &causes));
            (causes, what_if)
        };
        let without_causes = || {
            let mut sums = Sums::default();
            sums.add(self);
            sums.table(run, lanes)
        };
        let ((causes, what_if), table) = both(replayed, without_causes);
        RunTrace { is_part, causes: causes.into_iter().map(|cause| cause.row).collect(), what_if, ..table }
    }
}

/// Who came late for whom.
pub fn late(waits: &[TracedWait]) -> Vec<LateCalls> {
    let late = |row: &TracedWait| LateCalls {
        what: match row.kind {
            WaitKind::LateSender | WaitKind::LatePost | WaitKind::LateComplete | WaitKind::LockContention => {
                WaitsFor::Sender
            }
            WaitKind::LateReceiver => WaitsFor::Receiver,
            WaitKind::LateRoot
            | WaitKind::EarlyRoot
            | WaitKind::LastOfAll
            | WaitKind::LateLowerRank
            | WaitKind::LateNeighbour => WaitsFor::Last,
        },
        waits: row.waits.clone(),
        late: row.late.clone(),
        waiting: row.waiting,
        waiting_ranks: row.waiting_ranks,
        late_ranks: row.late_ranks,
    };
    waits.iter().map(late).collect()
}

fn span(begin: Nanoseconds, end: Nanoseconds) -> Nanoseconds {
    end.saturating_sub(begin)
}
