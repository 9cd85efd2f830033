//! Who waited where and for whom, summed up: of all calls, or of slices one after the other.

use std::collections::BTreeMap;

use numawise_facts::activity::TracedKind;
use numawise_tables::snapshot::{
    LongestWait, NotJudged, NotJudgedReason, RankInCall, TracedWait, WaitKind, WaitingPair,
};
use numawise_units::Nanoseconds;

use super::lane_set::LaneSet;
use super::lanes::Lanes;
use super::waits::{ShownWait, Waits};
use super::{MOST_ROWS, span};

#[derive(Default)]
struct OfPlace {
    times: u64,
    time: Nanoseconds,
    longest: Option<LongestWait>,
    /// Of the longest.
    lane: u32,
    waiting: LaneSet,
    late: LaneSet,
}

/// See [`WaitSums::add`].
#[derive(Default)]
pub struct WaitSums {
    places: BTreeMap<(WaitKind, u32, u32), OfPlace>,
    pairs: BTreeMap<(usize, u32, u32), WaitingPair>,
    /// Of each lane, how long others waited for it.
    waited_for: Vec<Nanoseconds>,
    not_judged: BTreeMap<NotJudgedReason, (u64, Nanoseconds)>,
}

impl WaitSums {
    /// Adds those that are counted in a slice, or all.
    pub fn add(&mut self, lanes: &Lanes<'_>, waits: &Waits) {
        self.waited_for.resize(lanes.all.len(), Nanoseconds(0));
        // From inside: what flattens is much faster so than asked for one after the other.
        waits.each(lanes).for_each(|of| {
            self.add_pair(lanes, &of);
            self.add_place(lanes, &of);
        });
        for (at, why) in &waits.not_judged {
            let Some((lane, call)) = lanes.call(*at) else { continue };
            let pieces = lane.pieces(lanes, call.begin, call.end).filter(|_| lane.is_shown);
            for (number, (begin, end)) in pieces.enumerate() {
                let row = self.not_judged.entry(*why).or_default();
                let calls = if let TracedKind::LeftOut { calls } = call.kind { calls } else { 1 };
                *row = (row.0 + if number == 0 { calls } else { 0 }, row.1 + span(begin, end));
            }
        }
    }

    fn add_pair(&mut self, lanes: &Lanes<'_>, of: &ShownWait<'_, '_, '_>) {
        let ShownWait { lane, wait, begin, end, times, .. } = *of;
        let time = span(begin, end);
        if let Some(sum) = self.waited_for.get_mut(wait.late.lane as usize) {
            *sum = *sum + time;
        }
        let Some(late) = lanes.all.get(wait.late.lane as usize) else { return };
        let nothing = WaitingPair {
            world: lane.numbered_world,
            waits: lane.rank,
            late: late.rank,
            times: 0,
            waiting: Nanoseconds(0),
        };
        let pair = self.pairs.entry((lane.world, lane.rank, late.rank)).or_insert(nothing);
        pair.times += times;
        pair.waiting = pair.waiting + time;
    }

    fn add_place(&mut self, lanes: &Lanes<'_>, of: &ShownWait<'_, '_, '_>) {
        let ShownWait { lane, call, wait, begin, end, times, .. } = *of;
        let Some((late, of_late)) = lanes.call(wait.late) else { return };
        let (mine, theirs) = (lane.place_of(call.site), late.place_of(of_late.site));
        let row = self.places.entry((wait.kind, mine, theirs)).or_default();
        let time = span(begin, end);
        row.times += times;
        row.time = row.time + time;
        row.waiting.insert(lane.number);
        row.late.insert(late.number);
        let begin = span(lanes.origin, begin);
        // Of equal ones the first of the first lane, however the trace is cut.
        let of_longest = row.lane;
        let is_longer = |of: LongestWait| of.time < time || of.time == time && lane.number < of_longest;
        if row.longest.is_none_or(is_longer) {
            row.lane = lane.number;
            row.longest = Some(LongestWait { time, begin, waits: lane.rank, late: late.rank });
        }
    }

    pub fn waited_for(&self, lane: u32) -> Nanoseconds {
        self.waited_for.get(lane as usize).copied().unwrap_or_default()
    }

    pub fn not_judged(&self) -> Vec<NotJudged> {
        let rows = self.not_judged.iter();
        rows.map(|(why, (calls, time))| NotJudged { why: *why, calls: *calls, time: *time }).collect()
    }

    pub fn by_pair(&self) -> Vec<WaitingPair> {
        let mut pairs: Vec<WaitingPair> = self.pairs.values().copied().collect();
        pairs.sort_by_cached_key(|pair| std::cmp::Reverse(pair.waiting));
        pairs.truncate(MOST_ROWS);
        pairs
    }

    pub fn by_place(&self, lanes: &Lanes<'_>) -> Vec<TracedWait> {
        let row = |((kind, mine, theirs), row): (&(WaitKind, u32, u32), &OfPlace)| {
            let longest = row.longest?;
            let at = |rank, place: u32| {
                let of = lanes.places.get(place as usize)?;
                Some(RankInCall { rank, call: of.call.clone(), place: of.place.clone() })
            };
            Some(TracedWait {
                kind: *kind,
                waits: at(longest.waits, *mine)?,
                late: at(longest.late, *theirs)?,
                times: row.times,
                waiting: row.time,
                longest,
                waiting_ranks: row.waiting.ranks(lanes),
                late_ranks: row.late.ranks(lanes),
            })
        };
        let mut rows: Vec<TracedWait> = self.places.iter().filter_map(row).collect();
        rows.sort_by_cached_key(|row| std::cmp::Reverse(row.waiting));
        rows.truncate(MOST_ROWS);
        rows
    }
}
