//! How much shorter computing would be if threads of OpenMP had equal work, or did what one of them does alone: for replays.

use std::cmp::Reverse;

use numawise_tables::snapshot::TraceChange;
use numawise_units::{Arrange, Nanoseconds};

use super::lanes::{Lane, Lanes};
use super::span;
use super::teams::{Opened, Team};
use super::timeline::{State, segments};
use super::waits::Waits;
use super::work::{Work, each_part};

/// Regions of which it is asked.
const REGIONS: usize = 2;

/// By how much the computing before each call of each lane, and behind its last one, is shorter.
pub struct Shorter(Vec<Vec<Nanoseconds>>);

impl Shorter {
    pub fn computing(&self, lane: u32, number: usize, computing: Nanoseconds) -> Nanoseconds {
        let by = self.0.get(lane as usize).and_then(|of| of.get(number));
        computing.saturating_sub(by.copied().unwrap_or_default())
    }

    fn of(lanes: &Lanes<'_>, waits: &Waits, gain: &dyn Fn(&Team, Part<'_>) -> Nanoseconds) -> Shorter {
        let of_lane = |lane: &Lane<'_>| {
            let mut shorter = Vec::new();
            each(lanes, waits, lane, &mut |number, team, part| {
                shorter.resize(lane.calls.len() + 1, Nanoseconds(0));
                if let Some(sum) = shorter.get_mut(number) {
                    *sum = *sum + gain(team, part);
                }
            });
            shorter
        };
        Shorter(lanes.all.iter().map(of_lane).collect())
    }
}

/// Nothing where no rank was in files.
pub fn without_files(lanes: &Lanes<'_>, waits: &Waits) -> Option<Shorter> {
    let mut is_shorter = false;
    let mut of_lane = |lane: &Lane<'_>| {
        let mut shorter = Vec::new();
        if lane.states.is_always_same() {
            return shorter;
        }
        shorter.resize(lane.calls.len() + 1, Nanoseconds(0));
        segments(lane, waits, 0, &mut |segment| {
            let Some(sum) = shorter.get_mut(segment.call).filter(|_| segment.state == State::Useful) else {
                return true;
            };
            lane.states.by_file((segment.begin, segment.end), &mut |file, (begin, end)| {
                // What one thread of a region gains, the others need not.
                if file.is_some() && !lanes.team(lane.number).is_some_and(|team| team.is_in_region(begin)) {
                    *sum = *sum + span(begin, end);
                    is_shorter = true;
                }
            });
            true
        });
        shorter
    };
    let all = lanes.all.iter().map(&mut of_lane).collect();
    is_shorter.then_some(Shorter(all))
}

/// A region that holds no call, or time outside of regions.
#[derive(Clone, Copy)]
enum Part<'t> {
    Region(&'t Opened),
    Serial(Nanoseconds),
}

/// Each part of the computing of a lane, with the number of the call before which it is.
fn each(lanes: &Lanes<'_>, waits: &Waits, lane: &Lane<'_>, take: &mut dyn FnMut(usize, &Team, Part<'_>)) {
    let Some(team) = lanes.team(lane.number) else { return };
    segments(lane, waits, 0, &mut |segment| {
        let window = (segment.begin, segment.end);
        if segment.state == State::Useful {
            each_part(team, lane, &segment, window, &mut |(begin, end), work| match work {
                Work::Serial { .. } => take(segment.call, team, Part::Serial(span(begin, end))),
                Work::Together(region) if (begin, end) == (region.begin, region.end) => {
                    take(segment.call, team, Part::Region(region));
                }
                Work::Together(_) => {}
            });
        }
        true
    });
}

/// A region takes as long as its threads work on average.
pub fn gain_of(team: &Team, region: &Opened) -> Nanoseconds {
    let waiting = team.stages(region).iter().fold(Nanoseconds(0), |sum, stage| sum + stage.waiting);
    Nanoseconds(waiting.0 / u64::from(region.threads.max(1)))
}

/// What can be asked of threads, with the largest gains first.
pub fn changes(lanes: &Lanes<'_>, waits: &Waits) -> Vec<(TraceChange, Shorter)> {
    let mut gains = vec![Nanoseconds(0); lanes.constructs.len()];
    let mut serial = Nanoseconds(0);
    for lane in &lanes.all {
        each(lanes, waits, lane, &mut |_, team, part| match part {
            Part::Serial(time) => serial = serial + time,
            Part::Region(region) => {
                if let Some(sum) = gains.get_mut(region.of as usize) {
                    *sum = *sum + gain_of(team, region);
                }
            }
        });
    }
    let mut regions: Vec<(u32, Nanoseconds)> = (0..).zip(gains).filter(|(_, gain)| gain.0 > 0).collect();
    regions.arrange_by_key(|(_, gain)| Reverse(*gain));
    let equal = regions.into_iter().take(REGIONS).filter_map(|(of, _)| {
        let change = TraceChange::ThreadsEqual { region: lanes.constructs.get(of as usize)?.1.clone() };
        let gain = move |team: &Team, part: Part<'_>| match part {
            Part::Region(region) if region.of == of => gain_of(team, region),
            _ => Nanoseconds(0),
        };
        Some((change, Shorter::of(lanes, waits, &gain)))
    });
    let mut all: Vec<(TraceChange, Shorter)> = equal.collect();
    if serial.0 > 0 {
        let gain = |team: &Team, part: Part<'_>| match part {
            Part::Serial(time) => span(Nanoseconds(time.0 / u64::from(team.threads.max(1))), time),
            Part::Region(_) => Nanoseconds(0),
        };
        all.push((TraceChange::SerialDivided, Shorter::of(lanes, waits, &gain)));
    }
    all
}
