//! What ranks did in phases.

use std::collections::HashMap;

use numawise_facts::activity::PhaseName;
use numawise_tables::snapshot::{EventPhase, TraceTimes, TracedPhase};
use numawise_units::{Arrange, Nanoseconds};

use super::lanes::{Lane, Lanes};
use super::phases::Phase;
use super::span;
use super::timeline::add_asked;
use super::waits::Waits;

/// Adds, of each, what threads in MPI did in it, as far as that is asked for, and counted in a slice.
pub fn add_to(lanes: &Lanes<'_>, waits: &Waits, spent: &mut Vec<TraceTimes>) {
    spent.resize(lanes.phases.names.len(), TraceTimes::default());
    for (number, times) in spent.iter_mut().enumerate() {
        for lane in lanes.shown() {
            for window in lanes.phases.of_thread(lane.process, lane.tid, |name| name == number) {
                for piece in lane.pieces(lanes, window.0.max(lane.begin), window.1.min(lane.end)) {
                    add_asked(lane, waits, piece, times);
                }
            }
        }
    }
}

pub fn table(lanes: &Lanes<'_>, spent: &[TraceTimes]) -> Vec<TracedPhase> {
    let row = |(number, name): (usize, &PhaseName)| {
        let mut row = TracedPhase {
            name: name.clone(),
            times: 0,
            begin: Nanoseconds(u64::MAX),
            end: Nanoseconds(0),
            ranks: 0,
            spent: spent.get(number).copied().unwrap_or_default(),
        };
        for lane in lanes.shown() {
            let mut times = 0;
            for window in lanes.phases.of_thread(lane.process, lane.tid, |name| name == number) {
                let mut is_asked = false;
                for (begin, end) in lane.pieces(lanes, window.0.max(lane.begin), window.1.min(lane.end)) {
                    is_asked = true;
                    row.begin = row.begin.min(span(lanes.origin, begin));
                    row.end = row.end.max(span(lanes.origin, end));
                }
                times += u64::from(is_asked);
            }
            row.times = row.times.max(times);
            row.ranks += u64::from(times > 0);
        }
        (row.ranks > 0).then_some(row)
    };
    let mut rows: Vec<TracedPhase> = lanes.phases.names.iter().enumerate().filter_map(row).collect();
    rows.arrange_by_key(|row| row.begin);
    rows
}

/// For a drawing.
pub fn events(lanes: &Lanes<'_>) -> Vec<EventPhase> {
    let mut first: HashMap<usize, &Lane<'_>> = HashMap::new();
    for lane in &lanes.all {
        first.entry(lane.process).or_insert(lane);
    }
    let of_lane = |phase: &Phase| {
        let lane = first.get(&phase.process)?;
        let (begin, end) = (phase.window.0.max(lane.begin), phase.window.1.min(lane.end));
        let name = lanes.phases.names.get(phase.name)?.clone();
        let [begin, end] = [begin, end].map(|moment| span(lanes.origin, moment));
        (begin < end).then_some(EventPhase { name, lane: lane.number, begin, end })
    };
    lanes.phases.all.iter().filter_map(of_lane).collect()
}
