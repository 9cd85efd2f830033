//! Who came late for whom, at which places: of the calls that were drawn, with what of each was waiting.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::Reading;
use numawise_facts::activity::{CallSample, CallSite, CodePlace};
use numawise_tables::snapshot::{LateCalls as LateRow, RankInCall, WaitsFor};
use numawise_units::{Arrange, Nanoseconds};

use super::Run;
use super::places::place;

/// So many rows are kept, those with most waiting.
const MOST_ROWS: usize = 16;

/// A call and its process.
pub type DrawnCall<'a> = (usize, &'a CallSample);

/// A site of a process: the process, the call, the file and the address, the communicator.
pub type SiteName<'a> = (usize, &'a str, Option<(u32, u64)>, Option<u16>);

pub fn site_of(process: usize, call: &CallSample) -> SiteName<'_> {
    let at = call.at.measured().map(|at| (at.file, at.address));
    (process, &call.call, at, call.communicator)
}

/// By the place that waits and the one that comes late: what for, the late call, and how long that was in the calls that were drawn.
#[derive(Default)]
pub struct LateCalls<'a> {
    by_waiting: BTreeMap<SiteName<'a>, BTreeMap<SiteName<'a>, Late<'a>>>,
}

struct Late<'a> {
    what: WaitsFor,
    call: &'a CallSample,
    waiting: u64,
}

impl<'a> LateCalls<'a> {
    pub fn add(&mut self, what: WaitsFor, waits: DrawnCall<'a>, late: DrawnCall<'a>, waiting: u64) {
        if waiting == 0 {
            return;
        }
        let of_site = self.by_waiting.entry(site_of(waits.0, waits.1)).or_default();
        let pair = of_site.entry(site_of(late.0, late.1)).or_insert(Late { what, call: late.1, waiting: 0 });
        pair.waiting = pair.waiting.saturating_add(waiting);
    }
}

/// What for, the call that comes late, and its place.
type LateKey<'a> = (WaitsFor, &'a str, Reading<CodePlace>);

/// For whom several sites that are shown as one waited.
#[derive(Default)]
pub struct LateForSites<'a> {
    by_late: BTreeMap<LateKey<'a>, BTreeMap<(u32, u32), u64>>,
}

impl<'a> LateForSites<'a> {
    pub fn add(&mut self, run: &Run<'a>, late: &LateCalls<'a>, process: usize, site: &'a CallSite) {
        let at = site.at.measured().map(|at| (at.file, at.address));
        let of_site = late.by_waiting.get(&(process, site.call.as_str(), at, site.communicator));
        for (name, one) in of_site.into_iter().flatten() {
            let rank = |process: usize| run.processes.get(process).and_then(|process| process.rank());
            let Some(other) = run.processes.get(name.0) else { continue };
            let (Some(waits), Some(late)) = (rank(process), rank(name.0)) else { continue };
            let key = (one.what, one.call.call.as_str(), place(run.parts, other.activity, &one.call.at));
            let time = self.by_late.entry(key).or_default().entry((waits, late)).or_default();
            *time = time.saturating_add(one.waiting);
        }
    }

    /// `waiting`, which is known of the sites, as the calls that were drawn of them divide it.
    pub fn rows(self, call: &str, at: &Reading<CodePlace>, waiting: Nanoseconds) -> Vec<LateRow> {
        let drawn: u64 = self.by_late.values().flat_map(BTreeMap::values).sum();
        let scaled = |time: u64| Nanoseconds((waiting.0 as f64 * (time as f64 / drawn.max(1) as f64)) as u64);
        let row = |((what, late_call, late_at), pairs): (LateKey<'_>, BTreeMap<(u32, u32), u64>)| {
            let (most, _) = pairs.iter().max_by_key(|(_, time)| **time)?;
            let ranks =
                |of: fn(&(u32, u32)) -> u32| pairs.keys().map(of).collect::<BTreeSet<u32>>().len() as u64;
            Some(LateRow {
                what,
                waits: RankInCall { rank: most.0, call: call.to_owned(), place: at.clone() },
                late: RankInCall { rank: most.1, call: late_call.to_owned(), place: late_at },
                waiting: scaled(pairs.values().sum()),
                waiting_ranks: ranks(|(waits, _)| *waits),
                late_ranks: ranks(|(_, late)| *late),
            })
        };
        self.by_late.into_iter().filter_map(row).collect()
    }
}

/// Those with most waiting first.
pub fn longest(mut rows: Vec<LateRow>) -> Vec<LateRow> {
    rows.arrange_by_key(|row| std::cmp::Reverse(row.waiting));
    rows.truncate(MOST_ROWS);
    rows
}
