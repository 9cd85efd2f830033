//! The phases that a program named: which part of a thread's time each is.

use numawise_facts::activity::{PhaseName, SpanKind, SpanName, ThreadTrace};
use numawise_tables::snapshot::{EventPhase, TraceTimes, TracedPhase};
use numawise_units::Nanoseconds;

use super::lanes::Lanes;
use super::span;
use super::timeline::add_asked;
use super::waits::Waits;

/// From when to when.
pub type Window = (Nanoseconds, Nanoseconds);

/// A phase that a thread began.
struct Phase {
    process: usize,
    tid: i32,
    /// Which of the names.
    name: usize,
    window: Window,
}

#[derive(Default)]
pub struct Phases {
    /// In the order in which they were met.
    names: Vec<PhaseName>,
    all: Vec<Phase>,
}

impl Phases {
    pub fn add(&mut self, process: usize, traced: &[(i32, &ThreadTrace)]) {
        for (tid, trace) in traced {
            for span in trace.spans.iter().filter(|span| span.kind == SpanKind::Phase) {
                let Some(SpanName::Phase(of)) = trace.names.get(span.of as usize) else { continue };
                let name = self.names.iter().position(|name| name == of).unwrap_or(self.names.len());
                if name == self.names.len() {
                    self.names.push(of.clone());
                }
                self.all.push(Phase { process, tid: *tid, name, window: (span.begin, span.end) });
            }
        }
    }

    /// When a thread was in one of the phases for which `is_it` holds, in their order.
    fn of_thread(&self, process: usize, tid: i32, is_it: impl Fn(usize) -> bool) -> Vec<Window> {
        let of_thread = |name: usize| matches!(self.names.get(name), Some(PhaseName::ThreadRegion(_)));
        let own = |phase: &&Phase| {
            phase.process == process && is_it(phase.name) && (phase.tid == tid || !of_thread(phase.name))
        };
        let mut windows: Vec<Window> = self.all.iter().filter(own).map(|phase| phase.window).collect();
        windows.sort_unstable();
        windows.dedup_by(|next, last| {
            let overlaps = next.0 <= last.1;
            if overlaps {
                last.1 = last.1.max(next.1);
            }
            overlaps
        });
        windows
    }

    /// When a thread was in a phase of this name, or all of the time where none is asked for.
    pub fn windows(&self, process: usize, tid: i32, asked: Option<&str>) -> Vec<Window> {
        let Some(asked) = asked else { return vec![(Nanoseconds(0), Nanoseconds(u64::MAX))] };
        let is_it = |name: usize| self.names.get(name).is_some_and(|name| name.is_called(asked));
        self.of_thread(process, tid, is_it)
    }

    /// Each with what the threads in MPI did in it, as far as that is asked for.
    pub fn table(&self, lanes: &Lanes<'_>, waits: &Waits) -> Vec<TracedPhase> {
        let row = |(number, name): (usize, &PhaseName)| {
            let mut row = TracedPhase {
                name: name.clone(),
                times: 0,
                begin: Nanoseconds(u64::MAX),
                end: Nanoseconds(0),
                ranks: 0,
                spent: TraceTimes::default(),
            };
            for lane in lanes.shown() {
                let mut times = 0;
                for window in self.of_thread(lane.process, lane.tid, |name| name == number) {
                    let mut is_asked = false;
                    for (begin, end) in lane.pieces(lanes, window.0.max(lane.begin), window.1.min(lane.end)) {
                        is_asked = true;
                        row.begin = row.begin.min(span(lanes.origin, begin));
                        row.end = row.end.max(span(lanes.origin, end));
                        add_asked(lane, waits, (begin, end), &mut row.spent);
                    }
                    times += u64::from(is_asked);
                }
                row.times = row.times.max(times);
                row.ranks += u64::from(times > 0);
            }
            (row.ranks > 0).then_some(row)
        };
        let mut rows: Vec<TracedPhase> = self.names.iter().enumerate().filter_map(row).collect();
        rows.sort_by_key(|row| row.begin);
        rows
    }

    /// For a drawing.
    pub fn events(&self, lanes: &Lanes<'_>) -> Vec<EventPhase> {
        let of_lane = |phase: &Phase| {
            let lane = lanes.all.iter().find(|lane| lane.process == phase.process)?;
            let (begin, end) = (phase.window.0.max(lane.begin), phase.window.1.min(lane.end));
            let name = self.names.get(phase.name)?.clone();
            let [begin, end] = [begin, end].map(|moment| span(lanes.origin, moment));
            (begin < end).then_some(EventPhase { name, lane: lane.number, begin, end })
        };
        self.all.iter().filter_map(of_lane).collect()
    }
}
