//! Where threads of OpenMP waited for one another, for which of them, and where ranks were outside of regions.

use std::cmp::Reverse;

use numawise_tables::snapshot::{LateThread, LongestThreadWait, TracedRegion, TracedSerial};
use numawise_units::{Arrange, Nanoseconds};

use super::lane_set::LaneSet;
use super::lanes::{Lane, Lanes};
use super::teams::{Opened, Team};
use super::timeline::{State, own_segments};
use super::waits::Waits;
use super::work::{Point, Work, each_part};
use super::{MOST_ROWS, equal_threads, span};

/// Threads of a region that are named.
const LATE: usize = 4;

#[derive(Default)]
struct OfRegion {
    times: u64,
    uneven: u64,
    time: Nanoseconds,
    waiting: Nanoseconds,
    gain: Nanoseconds,
    longest: Option<LongestThreadWait>,
    /// By lane, and thread: how often it came last, and how much later than the last of the others.
    late: Vec<((u32, u32), (u64, Nanoseconds))>,
}

impl OfRegion {
    fn add(&mut self, lanes: &Lanes<'_>, lane: &Lane<'_>, team: &Team, region: &Opened) {
        self.times += 1;
        self.time = self.time + span(region.begin, region.end);
        self.gain = self.gain + equal_threads::gain_of(team, region);
        let mut is_uneven = false;
        for stage in team.stages(region) {
            is_uneven |= stage.waiting.0 > 0;
            self.waiting = self.waiting + stage.waiting;
            let Some(thread) = stage.late else { continue };
            // Those of a lane stand at the end.
            let mut own = self.late.iter_mut().rev().take_while(|((of, _), _)| *of == lane.number);
            match own.find(|((_, number), _)| *number == thread) {
                Some((_, late)) => *late = (late.0 + 1, late.1 + stage.alone),
                None => self.late.push(((lane.number, thread), (1, stage.alone))),
            }
            if self.longest.is_none_or(|longest| longest.time < stage.alone) {
                let begin = span(lanes.origin, stage.end.saturating_sub(stage.alone));
                let (time, rank) = (stage.alone, lane.rank);
                self.longest = Some(LongestThreadWait { time, begin, rank, number: thread });
            }
        }
        self.uneven += u64::from(is_uneven);
    }

    fn row(self, lanes: &Lanes<'_>, of: u32) -> Option<TracedRegion> {
        let mut late = self.late;
        late.arrange_by_key(|(_, (_, alone))| Reverse(*alone));
        let late = late.into_iter().take(LATE).filter_map(|((lane, thread), (times, time))| {
            let lane = lanes.all.get(lane as usize)?;
            Some(LateThread { world: lane.numbered_world, rank: lane.rank, thread, times, time })
        });
        Some(TracedRegion {
            region: lanes.constructs.get(of as usize)?.1.clone(),
            times: self.times,
            uneven: self.uneven,
            time: self.time,
            waiting: self.waiting,
            gain: self.gain,
            longest: self.longest,
            late: late.collect(),
        })
    }
}

/// Those with most waiting first.
pub fn regions(lanes: &Lanes<'_>) -> Vec<TracedRegion> {
    let mut all: Vec<OfRegion> = Vec::new();
    all.resize_with(lanes.constructs.len(), OfRegion::default);
    for lane in lanes.shown() {
        let Some(team) = lanes.team(lane.number) else { continue };
        let is_asked = |region: &&Opened| {
            let end = region.end.max(Nanoseconds(1));
            lane.pieces(lanes, Nanoseconds(end.0 - 1), end).next().is_some()
        };
        for region in team.opened.iter().filter(is_asked) {
            let of = all.get_mut(region.of as usize);
            of.into_iter().for_each(|of| of.add(lanes, lane, team, region));
        }
    }
    let rows = (0..).zip(all).filter(|(_, of)| of.waiting.0 > 0);
    let mut rows: Vec<TracedRegion> = rows.filter_map(|(of, row)| row.row(lanes, of)).collect();
    rows.arrange_by_key(|row| Reverse(row.waiting));
    rows.truncate(MOST_ROWS);
    rows
}

#[derive(Default)]
pub struct OfSerial {
    times: u64,
    time: Nanoseconds,
    idle: Nanoseconds,
    lanes: LaneSet,
}

/// Between which points.
pub type Serial = Vec<((Point, Point), OfSerial)>;

/// Adds what is counted in a slice, or all.
pub fn add_serial(lanes: &Lanes<'_>, waits: &Waits, all: &mut Serial) {
    for lane in lanes.shown() {
        let Some(team) = lanes.team(lane.number) else { continue };
        own_segments(lane, waits, &mut |segment| {
            let window = (segment.begin, segment.end);
            if segment.state == State::Useful {
                each_part(team, lane, &segment, window, &mut |(begin, end), work| {
                    let Work::Serial { after, before } = work else { return };
                    for (number, (begin, end)) in lane.pieces(lanes, begin, end).enumerate() {
                        let known = all.iter().position(|(of, _)| *of == (after, before));
                        let place = known.unwrap_or_else(|| {
                            all.push(((after, before), OfSerial::default()));
                            all.len() - 1
                        });
                        let Some((_, row)) = all.get_mut(place) else { continue };
                        let time = span(begin, end);
                        row.times += u64::from(number == 0);
                        row.time = row.time + time;
                        row.idle = row.idle + Nanoseconds(time.0 * u64::from(team.threads - 1));
                        row.lanes.insert(lane.number);
                    }
                });
            }
        });
    }
}

/// The longest first.
pub fn serial(lanes: &Lanes<'_>, all: Serial) -> Vec<TracedSerial> {
    let row = |((after, before), of): ((Point, Point), OfSerial)| TracedSerial {
        after: after.shown(lanes),
        before: before.shown(lanes),
        times: of.times,
        time: of.time,
        idle: of.idle,
        ranks: of.lanes.ranks(lanes),
    };
    let mut rows: Vec<TracedSerial> = all.into_iter().map(row).collect();
    rows.arrange_by_key(|row| Reverse(row.time));
    rows.truncate(MOST_ROWS);
    rows
}
