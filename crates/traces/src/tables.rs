//! All tables but those of causes and of what would be without them: of a whole trace, or summed up over its slices.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_tables::snapshot::{RunTrace, TraceTimes, TracedRank};

use super::lanes::{Lane, Lanes};
use super::order::WrongOrders;
use super::path::CriticalPath;
use super::period::Visits;
use super::profiles::{CollectiveSums, Transfers};
use super::sums::WaitSums;
use super::{
    KnownOfPlace, PlacedCall, Run, Traced, openmp, period, phase_tables, placed, span, team_tables, timeline,
};

#[derive(Default)]
pub struct Sums {
    waits: WaitSums,
    timelines: Vec<Vec<TraceTimes>>,
    /// Of each lane.
    calls: Vec<u64>,
    transfers: Transfers,
    path: CriticalPath,
    pub visits: Visits,
    orders: WrongOrders,
    collectives: CollectiveSums,
    constructs: Vec<openmp::OfConstruct>,
    serial: team_tables::Serial,
    placed: placed::WaitedMeanwhile,
    phases: Vec<TraceTimes>,
    unmatched: u64,
}

impl Sums {
    /// Adds what is counted in a slice, or all.
    pub fn add(&mut self, traced: &Traced<'_>) {
        let Traced { run, lanes, matched, waits, .. } = traced;
        timeline::add_to(lanes, waits, &mut self.timelines);
        self.waits.add(lanes, waits);
        self.calls.resize(lanes.all.len(), 0);
        for (lane, calls) in lanes.all.iter().zip(&mut self.calls).filter(|(lane, _)| lane.is_shown) {
            *calls += lane.asked_calls(lanes).filter(|call| !call.is_left_out()).count() as u64;
        }
        self.path.add(lanes, waits);
        self.visits.add(lanes);
        self.orders.add(lanes, matched, waits);
        self.transfers.add(lanes, matched);
        self.collectives.add(run, lanes, waits);
        openmp::add_to(lanes, waits, &mut self.constructs);
        team_tables::add_serial(lanes, waits, &mut self.serial);
        placed::add_to(run, lanes, waits, &mut self.placed);
        phase_tables::add_to(lanes, waits, &mut self.phases);
        self.unmatched += matched.unmatched;
    }

    pub fn table(self, run: &Run<'_>, lanes: &Lanes<'_>) -> RunTrace {
        let workers = timeline::workers(lanes);
        let rank = |(lane, workers): (&Lane<'_>, Vec<_>)| {
            let timeline = self.timelines.get(lane.number as usize).cloned().unwrap_or_default();
            TracedRank {
                world: lane.numbered_world,
                rank: lane.rank,
                thread: lane.thread_number,
                times: timeline.iter().copied().sum(),
                waited_for: self.waits.waited_for(lane.number),
                calls: self.calls.get(lane.number as usize).copied().unwrap_or_default(),
                timeline,
                workers,
            }
        };
        let ranks: Vec<TracedRank> = lanes.shown().zip(workers).map(rank).collect();
        RunTrace {
            span: span(lanes.begin, lanes.end),
            begin: span(lanes.origin, lanes.begin),
            is_part: false,
            are_ranks: lanes.are_ranks,
            calls: ranks.iter().map(|rank| rank.calls).sum(),
            messages: self.transfers.messages,
            unmatched: self.unmatched,
            lost: lanes.lost,
            is_end: lanes.is_end,
            is_window: lanes.is_window,
            lost_is_outside: lanes.lost_is_outside,
            clock_error: lanes.clock_error(),
            times: ranks.iter().map(|rank| rank.times).sum(),
            ranks,
            waits: self.waits.by_place(lanes),
            pairs: self.waits.by_pair(),
            causes: Vec::new(),
            critical_path: self.path.rows(lanes),
            what_if: Reading::unavailable("not replayed"),
            period: period::of(lanes, self.visits),
            out_of_order: self.orders.rows(lanes),
            not_judged: self.waits.not_judged(),
            messages_by_pair: self.transfers.rows(),
            collective_calls: self.collectives.rows(lanes),
            openmp: openmp::constructs(lanes, self.constructs),
            regions: team_tables::regions(lanes),
            serial: team_tables::serial(lanes, self.serial),
            placed: placed::marks(run, lanes, self.placed),
            openmp_unseen: openmp::unseen(run, lanes),
            phases: phase_tables::table(lanes, &self.phases),
            slices: None,
        }
    }
}

/// Adds what is known of the calls that are counted in a slice, or of all, by their places.
pub fn add_known(traced: &Traced<'_>, places: &mut BTreeMap<PlacedCall, KnownOfPlace>) {
    let Traced { run, lanes, waits, .. } = traced;
    for lane in &lanes.all {
        // What waits and what is not judged stand in the order of the calls: of all others there is nothing to be known.
        let called = lane.called_sites().map(|site| (site, KnownOfPlace::default()));
        let mut sites: BTreeMap<u32, KnownOfPlace> = called.collect();
        let of_call = |call: u32| lane.calls.get(call as usize);
        for wait in waits.of_lane(lane.number) {
            let Some(call) = of_call(wait.call) else { continue };
            let Some(from) = lane.counts_from(wait.call as usize, call, wait.until) else { continue };
            let known = sites.entry(call.site).or_default();
            known.waiting = known.waiting + span(from, wait.until);
        }
        for call in waits.not_judged_of(lane.number).filter_map(of_call) {
            let known = sites.entry(call.site).or_default();
            known.not_judged = known.not_judged + span(call.begin, call.end);
        }
        for (site, of_site) in sites {
            let Some(name) = lane.placed_call(run, site) else { continue };
            let known = places.entry(name).or_default();
            *known = KnownOfPlace {
                waiting: known.waiting + of_site.waiting,
                not_judged: known.not_judged + of_site.not_judged,
            };
        }
    }
}
