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
mod kinds;
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
use numawise_tables::snapshot::{
    LateCalls, RunTrace, TraceEvents, TraceTimes, TracedRank, TracedWait, TracedWorker, WaitKind, WaitsFor,
};
use numawise_units::Nanoseconds;

use both::both;
use collectives::Collectives;
use lanes::{Lane, Lanes};
use matching::Matched;
pub use matching::paired;
pub use run::{Process, Run};
pub use threads::is_same_place;
pub use view::{StreamAt, StreamView, TraceView};
use waits::Waits;

/// Rows of each table.
const MOST_ROWS: usize = 32;

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
        let (matched, collectives) = both(|| matching::of(&lanes), || Collectives::of(&run, &lanes));
        let waits = Waits::of(&lanes, &matched, &collectives);
        Some(Traced { run, lanes, matched, collectives, waits })
    }

    /// Whether it has all calls from the end of `MPI_Init` to the begin of `MPI_Finalize`.
    pub fn is_whole(&self) -> bool {
        self.lanes.lost == 0 && !self.waits.has_left_out() && self.run.part.is_none_or(TracePart::is_whole)
    }

    pub fn by_place(&self) -> BTreeMap<PlacedCall, KnownOfPlace> {
        let mut places: BTreeMap<PlacedCall, KnownOfPlace> = BTreeMap::new();
        for lane in &self.lanes.all {
            // What waits and what is not judged stand in the order of the calls: of all others there is nothing to be known.
            let called = lane.called_sites().map(|site| (site, KnownOfPlace::default()));
            let mut sites: BTreeMap<u32, KnownOfPlace> = called.collect();
            let of_call = |call: u32| lane.calls.get(call as usize);
            for (wait, call) in
                self.waits.of_lane(lane.number).iter().filter_map(|wait| Some((wait, of_call(wait.call)?)))
            {
                let known = sites.entry(call.site).or_default();
                known.waiting = known.waiting + span(call.begin, wait.until);
            }
            for call in self.waits.not_judged_of(lane.number).filter_map(of_call) {
                let known = sites.entry(call.site).or_default();
                known.not_judged = known.not_judged + span(call.begin, call.end);
            }
            for (site, of_site) in sites {
                let Some(name) = lane.placed_call(&self.run, site) else { continue };
                let known = places.entry(name).or_default();
                known.waiting = known.waiting + of_site.waiting;
                known.not_judged = known.not_judged + of_site.not_judged;
            }
        }
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
        let replayed = || {
            let (faithful, causes) = both(faithful, || causes::of_waits(lanes, matched, waits, collectives));
            let what_if = faithful.map(|faithful| faithful.what_if(lanes, waits, &causes));
            (causes, what_if)
        };
        let ((causes, what_if), table) = both(replayed, || self.without_causes());
        RunTrace { is_part, causes: causes.into_iter().map(|cause| cause.row).collect(), what_if, ..table }
    }

    /// All tables but those of causes and of what would be without them.
    fn without_causes(&self) -> RunTrace {
        let Traced { run, lanes, matched, waits, .. } = self;
        let timeline = timeline::of(lanes, waits);
        let waited_for = waits.waited_for(lanes);
        let calls =
            |lane: &Lane<'_>| lane.asked_calls(lanes).filter(|call| !call.is_left_out()).count() as u64;
        let rank =
            |(lane, (timeline, workers)): (&Lane<'_>, (Vec<TraceTimes>, Vec<TracedWorker>))| TracedRank {
                world: lane.numbered_world,
                rank: lane.rank,
                thread: lane.thread_number,
                times: timeline.iter().copied().sum(),
                waited_for: waited_for.get(lane.number as usize).copied().unwrap_or_default(),
                calls: calls(lane),
                timeline,
                workers,
            };
        let ranks: Vec<TracedRank> = lanes.shown().zip(timeline).map(rank).collect();
        RunTrace {
            span: span(lanes.begin, lanes.end),
            begin: span(lanes.origin, lanes.begin),
            is_part: false,
            are_ranks: lanes.are_ranks,
            calls: ranks.iter().map(|rank| rank.calls).sum(),
            messages: matched.messages.len() as u64,
            unmatched: matched.unmatched,
            lost: lanes.lost,
            is_end: lanes.is_end,
            is_window: lanes.is_window,
            clock_error: lanes.clock_error(),
            times: ranks.iter().map(|rank| rank.times).sum(),
            ranks,
            waits: waits.by_place(lanes),
            pairs: waits.by_pair(lanes),
            causes: Vec::new(),
            critical_path: path::critical_path(lanes, waits),
            what_if: Reading::unavailable("not replayed"),
            period: period::of(lanes),
            out_of_order: order::out_of_order(lanes, matched, waits),
            not_judged: waits.not_judged_by_reason(lanes),
            messages_by_pair: profiles::messages(lanes, matched),
            collective_calls: profiles::collectives(run, lanes, waits),
            openmp: openmp::constructs(lanes, waits),
            regions: team_tables::regions(lanes),
            serial: team_tables::serial(lanes, waits),
            placed: placed::marks(run, lanes, waits),
            openmp_unseen: openmp::unseen(run, lanes),
            phases: phase_tables::table(lanes, waits),
        }
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
