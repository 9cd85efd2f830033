//! A trace as far as its streams tell by themselves, part by part: when each rank was in calls. What waits, and what belongs together, needs all.

use std::sync::Arc;

use numawise_facts::Activity;
use numawise_facts::activity::{TracedCall, TracedKind};
use numawise_tables::snapshot::{AskedWindow, EventCall, EventState, PlacedMark, TraceEvents, TraceWindow};
use numawise_units::Nanoseconds;

use super::super::Run;
use super::super::lanes::{Lane, Lanes};
use super::super::phases::Window;
use super::super::{placed, span};
use super::shares::{Stretch, Take};
use super::{MOST_EVENTS, Row, RowOf, asked_rows, nobody, shares_of, window, within};

/// Where a part of a stream begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamAt {
    /// The number of the process among the run's activities.
    pub activity: usize,
    pub tid: i32,
    pub begin: Nanoseconds,
}

/// A trace whose parts come one after the other.
pub struct StreamView<'a> {
    lanes: Lanes<'a>,
    marks: Vec<(u32, PlacedMark)>,
    rows: Vec<Row>,
    /// Of each part, its row and its stretch.
    places: Vec<Option<(usize, usize)>>,
    /// Of each row, the parts that its stretches are.
    parts: Vec<Vec<usize>>,
}

impl<'a> StreamView<'a> {
    /// Of a run whose traces have [`calls_at_edges`]; `parts` in the order of their threads and times, with the numbers of `activities`. Nothing where
    /// no rank has one.
    pub fn of(run: &Run<'a>, activities: &[Activity], parts: &[StreamAt]) -> Option<StreamView<'a>> {
        let lanes = Lanes::of(run).filter(|lanes| lanes.are_ranks)?;
        let mut places = vec![None; parts.len()];
        let mut of_row = |lane: &Lane<'_>| {
            let process = run.processes.get(lane.process)?;
            let activity = activities.iter().position(|of| std::ptr::eq(of, process.activity))?;
            let is_own = |(_, part): &(usize, &StreamAt)| (part.activity, part.tid) == (activity, lane.tid);
            let first = parts.partition_point(|part| part.activity < activity);
            let own = parts.iter().enumerate().skip(first).take_while(|(_, part)| part.activity == activity);
            let own: Vec<usize> = own.filter(is_own).map(|(number, _)| number).collect();
            let begin = |part: Option<&usize>| part.and_then(|part| parts.get(*part)).map(|part| part.begin);
            let mut stretches = Vec::with_capacity(own.len());
            for (stretch, part) in own.iter().enumerate() {
                let begins = if stretch == 0 { lane.begin } else { begin(Some(part))? };
                let ends = begin(own.get(stretch + 1)).unwrap_or(lane.end);
                let [begins, ends] = [begins, ends].map(|moment| moment.clamp(lane.begin, lane.end));
                stretches.push(Stretch::unread((begins, ends)));
                if let Some(place) = places.get_mut(*part) {
                    *place = Some((lane.number as usize, stretch));
                }
            }
            Some((stretches, own))
        };
        let (mut rows, mut of_rows) = (Vec::new(), Vec::new());
        for lane in &lanes.all {
            let (stretches, own) = of_row(lane).unwrap_or_default();
            rows.push(Row { of: RowOf::Lane(lane.number), stretches });
            of_rows.push(own);
        }
        let marks = placed::all(run, &lanes);
        Some(StreamView { lanes, marks, rows, places, parts: of_rows })
    }

    /// The bins of a part, from its calls; nothing where nobody sees it.
    pub fn stretch(&self, part: usize, calls: &[TracedCall]) -> Option<Stretch> {
        let (row, stretch) = (*self.places.get(part)?)?;
        let of = self.rows.get(row)?.stretches.get(stretch)?;
        let window = (of.begin, of.end);
        Some(Stretch::of(window, calls.len(), |take| pieces(calls, window, take)))
    }

    /// The same without its calls: what a thread did in equal spans from one moment to another, as of [`Stretch::sketched`].
    pub fn sketch(&mut self, part: usize, window: Window, spans: &[[u16; 2]]) {
        let Some((row, stretch)) = self.places.get(part).copied().flatten() else { return };
        if let Some(place) = self.rows.get_mut(row).and_then(|row| row.stretches.get_mut(stretch)) {
            *place = Stretch::sketched((place.begin, place.end), window, spans);
        }
    }

    /// Makes bins known.
    pub fn put(&mut self, part: usize, of: Stretch) {
        let Some((row, stretch)) = self.places.get(part).copied().flatten() else { return };
        // One with few calls has no bins: these are asked for whenever it is seen.
        if let Some(place) = self.rows.get_mut(row).and_then(|row| row.stretches.get_mut(stretch)) {
            *place = of;
        }
    }

    fn part(&self, (row, stretch): (usize, usize)) -> Option<usize> {
        self.parts.get(row)?.get(stretch).copied()
    }

    /// All but calls: what numbers stand for, and marks.
    pub fn names(&self) -> TraceEvents {
        TraceEvents { marks: self.marks.clone(), ..nobody(&self.lanes) }
    }

    /// A part of the timeline. `calls`: those of a part by its number, where they are at hand.
    pub fn window<'r>(
        &self,
        asked: AskedWindow<'r>,
        calls: &mut dyn FnMut(usize) -> Option<Arc<Vec<TracedCall>>>,
    ) -> TraceWindow<'r> {
        let rows = asked_rows(&self.rows, &self.lanes, &asked);
        let of = within(asked, &self.lanes, rows.len());
        let window = window(&of, &self.lanes);
        let mut is_rough = false;
        let mut exact = |place: (usize, usize), window: Window, take: &mut Take<'_>| {
            let found = self.part(place).and_then(&mut *calls);
            is_rough |= found.is_none();
            found.map(|calls| pieces(&calls, window, take)).is_some()
        };
        let (groups, columns, shares) = shares_of(&self.rows, &rows, &of, window, &mut exact);
        let of = AskedWindow { columns: columns as u32, ..of };
        match self.events_in(&of, window, &rows, calls) {
            Some(events) if !is_rough => {
                TraceWindow { of, groups: Vec::new(), shares: Vec::new(), events, is_rough }
            }
            _ => TraceWindow { of, groups, shares, events: nobody(&self.lanes), is_rough },
        }
    }

    /// All calls of a window, where they are few and at hand.
    fn events_in(
        &self,
        of: &AskedWindow<'_>,
        (from, to): Window,
        rows: &[usize],
        calls: &mut dyn FnMut(usize) -> Option<Arc<Vec<TracedCall>>>,
    ) -> Option<TraceEvents> {
        let mut found = nobody(&self.lanes);
        let mut count = 0;
        for number in rows.get(of.top as usize..of.bottom as usize)? {
            let (number, row) = (*number, self.rows.get(*number)?);
            let lane = self.lanes.all.get(number)?;
            for (place, stretch) in row.stretches.iter().enumerate() {
                if stretch.end <= from || stretch.begin >= to {
                    continue;
                }
                // Of one whose bins are as fine as the screen there are too many calls.
                if stretch.is_fine(to.saturating_sub(from).0 as f64 / f64::from(of.columns.max(1))) {
                    return None;
                }
                let all = calls(self.part((number, place))?)?;
                let first = all.partition_point(|call| call.end <= from.max(lane.begin));
                let shown = all.iter().skip(first).take_while(|call| call.begin < to && call.end <= lane.end);
                let into = found.lanes.get_mut(number)?;
                for call in shown {
                    count += 1;
                    if count > MOST_EVENTS {
                        return None;
                    }
                    into.calls.push(event(&self.lanes, lane, call));
                }
            }
        }
        Some(found)
    }
}

fn event(lanes: &Lanes<'_>, lane: &Lane<'_>, call: &TracedCall) -> EventCall {
    let state = match call.kind {
        TracedKind::Polls { calls, .. } => EventState::Polled { calls },
        _ => EventState::Called,
    };
    let since = |moment: Nanoseconds| span(lanes.origin, moment);
    let (begin, end) = (since(call.entered()), since(call.end));
    EventCall { site: lane.placed(call.site), begin, end, bytes: call.bytes, state }
}

/// What a thread did in a window, from its calls: as far as they tell, it was useful between them.
fn pieces(calls: &[TracedCall], (from, to): Window, take: &mut Take<'_>) {
    let mut since = from;
    let first = calls.partition_point(|call| call.end <= from);
    let mut put = |state, begin: Nanoseconds, end: Nanoseconds| {
        if begin < end {
            take(state, (begin, end));
        }
    };
    for call in calls.iter().skip(first).take_while(|call| call.begin < to) {
        let entered = call.entered().clamp(since, to);
        let end = call.end.clamp(entered, to);
        put(0, since, entered);
        put(if matches!(call.kind, TracedKind::Polls { .. }) { 5 } else { 4 }, entered, end);
        since = end;
    }
    put(0, since, to);
}
