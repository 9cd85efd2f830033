//! What ranks do outside of calls: in which regions, and between which regions and calls.

use numawise_facts::finding::RegionOrCall;

use super::lanes::{Lane, Lanes};
use super::phases::Window;
use super::teams::{Opened, Team};
use super::timeline::Segment;

/// Where a part outside of regions begins or ends, by the numbers of places and constructs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// Of the lane.
    End,
    Call(u32),
    Region(u32),
}

impl Point {
    pub fn shown(self, lanes: &Lanes<'_>) -> Option<RegionOrCall> {
        Some(match self {
            Point::End => return None,
            Point::Call(place) => {
                let of = lanes.places.get(place as usize)?;
                RegionOrCall { call: Some(of.call.clone()), place: of.place.clone() }
            }
            Point::Region(of) => {
                RegionOrCall { call: None, place: lanes.constructs.get(of as usize)?.1.clone() }
            }
        })
    }
}

/// A part of what a rank does outside of calls.
#[derive(Clone, Copy)]
pub enum Work<'t> {
    Serial { after: Point, before: Point },
    Together(&'t Opened),
}

/// What a rank does in a window of useful time before a call.
pub fn each_part<'t>(
    team: &'t Team,
    lane: &Lane<'_>,
    segment: &Segment,
    (begin, end): Window,
    take: &mut dyn FnMut(Window, Work<'t>),
) {
    let call = |number: Option<usize>| {
        let call = number.and_then(|number| lane.calls.get(number));
        call.map_or(Point::End, |call| Point::Call(lane.place_of(call.site)))
    };
    let (before, from) = team.opened.split_at(team.opened.partition_point(|region| region.end <= begin));
    let last = before.last().filter(|region| region.end > segment.begin);
    let mut after = last.map_or_else(|| call(segment.call.checked_sub(1)), |region| Point::Region(region.of));
    let mut at = begin;
    for region in from.iter().take_while(|region| region.begin < segment.end) {
        let before = Point::Region(region.of);
        if at < region.begin.min(end) {
            take((at, region.begin.min(end)), Work::Serial { after, before });
        }
        if region.begin >= end {
            return;
        }
        let inside = (region.begin.max(at), region.end.min(end));
        take(inside, Work::Together(region));
        (at, after) = (inside.1, before);
    }
    if at < end {
        take((at, end), Work::Serial { after, before: call(Some(segment.call)) });
    }
}
