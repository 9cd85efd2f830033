//! Calls of MPI over all ranks: by name, by place in the program, by communicator.

mod merged;

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::Reading;
use numawise_facts::activity::{CallSite, CallTime, CodePlace, MpiLibrary};
use numawise_tables::snapshot::{
    CommunicatorRow, LateCalls, MessageSizeRow, MpiCallRow, MpiSiteRow, MpiSummary, RankSpread,
    WaitingInCalls,
};
use numawise_traces::{KnownOfPlace, PlacedCall};
use numawise_units::{Arrange, Bytes, Nanoseconds, Ratio};

use super::efficiency::{MpiTimes, mpi_times};
use super::late::{self, LateForSites};
use super::places::place;
use super::process::{Process, in_mpi};
use super::traced::AnalysedTrace;
use super::waiting::{DrawnCalls, WaitingOfSites, completes_requests};
use super::{Run, rating, volume};

/// Why there are no tables: a sum of times would be cut off.
const TOO_LONG: &str =
    "the time in MPI over all ranks together is more than 584 years, which these tables do not hold";
/// Rows of places, so that what is shown stays bounded; all others are summed up.
const MOST_SITES: usize = 500;

pub fn summary(run: &Run<'_>, traced: Option<&AnalysedTrace>) -> Reading<MpiSummary> {
    if let Some(merged) = run.parts.merged {
        return merged::summary(run, merged);
    }
    let mut libraries = run.processes.iter().filter_map(|process| process.activity.mpi.measured());
    let Some(first) = libraries.next() else {
        let why = run.processes.iter().find_map(|process| process.activity.mpi.reason());
        return why.map_or_else(
            || Reading::unavailable("no process was watched"),
            |why| Reading::Unavailable { unavailable: why.clone() },
        );
    };
    // All other sums are parts of it.
    if all_time(run).0 == u64::MAX {
        return Reading::unavailable(TOO_LONG);
    }
    let times = mpi_times(run);
    let imbalance = imbalance(&times);
    let (sites, late, further_sites) = sites(run, traced.filter(|traced| traced.is_whole));
    let threads = run.processes.iter().flat_map(Process::threads);
    let callers = threads.filter(|thread| !thread.calls.is_empty()).count() as u64;
    let waiting_in_calls = waiting_in_calls(&sites, callers);
    Reading::Measured(MpiSummary {
        library: libraries
            .fold(first.library, |one, mpi| if one == mpi.library { one } else { MpiLibrary::Other }),
        has_several: run
            .processes
            .iter()
            .any(|one| one.activity.mpi.measured().is_some_and(|mpi| mpi.has_several)),
        share: rating::loss(times.as_ref().map(|times| Ratio(times.mean / times.elapsed))),
        share_by_rank: by_rank(run, &times),
        imbalance_share: imbalance.as_ref().and_then(|imbalance| run.share(*imbalance)),
        waiting_share: rating::loss(waiting(&imbalance, &waiting_in_calls).and_then(|time| run.share(time))),
        imbalance: imbalance.map(Nanoseconds::from_seconds),
        waiting_in_calls,
        late: Reading::Measured(late),
        calls: calls(run),
        sites,
        further_sites,
        messages: messages(run),
        communicators: communicators(run),
        volume: volume::tables(run),
    })
}

/// Time in MPI beyond that of the rank with the least, on average, in seconds.
fn imbalance(times: &Reading<MpiTimes>) -> Reading<f64> {
    times.as_ref().and_then(|times| match &times.unequal {
        Some(reason) => Reading::unavailable(reason.clone()),
        None => Reading::Measured(times.mean - times.least),
    })
}

fn by_rank(run: &Run<'_>, times: &Reading<MpiTimes>) -> Reading<RankSpread> {
    times.as_ref().and_then(|times| {
        let shares = run.processes.iter().filter_map(|process| {
            let (time, cpus) = (process.time.measured()?, *process.cpus.measured()?);
            Some((process.rank()?, Ratio(in_mpi(time).seconds() / (cpus as f64 * times.elapsed))))
        });
        let by_share = |one: &(u32, Ratio), two: &(u32, Ratio)| one.1.0.total_cmp(&two.1.0);
        let all: Vec<(u32, Ratio)> = shares.collect();
        match (all.iter().copied().min_by(by_share), all.iter().copied().max_by(by_share)) {
            (Some(least), Some(most)) => {
                Reading::Measured(RankSpread { mean: Ratio(times.mean / times.elapsed), least, most })
            }
            _ => Reading::unavailable("no time of a rank was measured"),
        }
    })
}

/// What calls have in common.
struct Calls {
    calls: CallTime,
    longest: Nanoseconds,
    sent: Reading<Bytes>,
    received: Reading<Bytes>,
    ranks: RankTimes,
}

impl Default for Calls {
    fn default() -> Self {
        Calls {
            calls: CallTime::default(),
            longest: Nanoseconds(0),
            sent: Reading::Measured(Bytes(0)),
            received: Reading::Measured(Bytes(0)),
            ranks: RankTimes::default(),
        }
    }
}

impl Calls {
    /// Calls of a rank come one after the other.
    fn add(&mut self, rank: Option<u32>, site: &CallSite) {
        add(&mut self.calls, site.calls);
        self.longest = self.longest.max(site.longest);
        self.sent = self.sent.clone().zip(site.sent.clone()).map(|(all, one)| all + one);
        self.received = self.received.clone().zip(site.received.clone()).map(|(all, one)| all + one);
        if let Some(rank) = rank {
            self.ranks.add(rank, site.calls.time);
        }
    }
}

/// Times by rank, of which only the least and the most are kept: there may be hundreds of thousands.
#[derive(Default)]
struct RankTimes {
    count: u64,
    current: Option<(u32, Nanoseconds)>,
    least: Option<(u32, Nanoseconds)>,
    most: Option<(u32, Nanoseconds)>,
}

impl RankTimes {
    fn add(&mut self, rank: u32, time: Nanoseconds) {
        match &mut self.current {
            Some((current, sum)) if *current == rank => *sum = *sum + time,
            _ => {
                self.finish();
                self.count += 1;
                self.current = Some((rank, time));
            }
        }
    }

    /// The last rank counts too.
    fn finish(&mut self) {
        let Some(last) = self.current.take() else { return };
        if self.least.is_none_or(|least| last.1 < least.1) {
            self.least = Some(last);
        }
        if self.most.is_none_or(|most| last.1 > most.1) {
            self.most = Some(last);
        }
    }
}

fn add(sum: &mut CallTime, one: CallTime) {
    sum.count = sum.count.saturating_add(one.count);
    sum.time = sum.time + one.time;
}

/// They come once, and are not in the time that efficiencies are of: no share of other calls has them in it.
pub fn comes_once(call: &str) -> bool {
    matches!(call, "MPI_Init" | "MPI_Init_thread" | "MPI_Finalize")
}

/// All time in MPI but for what comes once, also of calls that found no row.
fn all_time(run: &Run<'_>) -> Nanoseconds {
    let threads = run.processes.iter().flat_map(Process::threads);
    threads.fold(Nanoseconds(0), |sum, thread| {
        let sites = thread.calls.iter().filter(|site| !comes_once(&site.call));
        sites.fold(sum, |sum, site| sum + site.calls.time) + thread.lost_calls.time
    })
}

/// The share of a call of all time in MPI.
fn share(call: &str, part: Nanoseconds, all: Nanoseconds) -> Reading<Ratio> {
    match all.0 {
        _ if comes_once(call) => Reading::unavailable("it comes once: shares are of the other calls"),
        0 => Reading::unavailable("no time in MPI was measured"),
        _ => Reading::Measured(Ratio(part.seconds() / all.seconds())),
    }
}

/// So much of the time in calls is time of which it is known what was waiting.
const MOSTLY_KNOWN: f64 = 0.9;

/// Of nearly all time in calls it is known what was waiting: the rest would not make another figure of it.
pub fn is_mostly_known(of: &WaitingInCalls) -> bool {
    of.callers > 0 && of.known.0 > 0 && of.known.seconds() >= MOSTLY_KNOWN * of.all.seconds()
}

/// On average over the threads that call MPI, of the run, in seconds.
pub fn waiting_of_rank(of: &WaitingInCalls) -> f64 {
    of.waiting.seconds() / of.callers as f64
}

/// What ranks wait in MPI for others, on average, in seconds: as measured in their calls, where that is known of nearly all; else what
/// they are in MPI for beyond the rank with the least, which is nothing where ranks are late in turn.
fn waiting(imbalance: &Reading<f64>, in_calls: &Reading<WaitingInCalls>) -> Reading<f64> {
    match in_calls.measured().filter(|found| is_mostly_known(found)) {
        Some(found) => imbalance.as_ref().map(|_| waiting_of_rank(found)),
        None => imbalance.clone(),
    }
}

fn calls(run: &Run<'_>) -> Vec<MpiCallRow> {
    let mut by_name: BTreeMap<&str, Calls> = BTreeMap::new();
    for process in &run.processes {
        for site in process.threads().flat_map(|thread| &thread.calls) {
            by_name.entry(&site.call).or_default().add(process.rank(), site);
        }
    }
    let all = all_time(run);
    let mut rows: Vec<MpiCallRow> = by_name
        .into_iter()
        .map(|(call, of)| MpiCallRow {
            call: call.to_owned(),
            calls: of.calls,
            share: share(call, of.calls.time, all),
            longest: of.longest,
            sent: of.sent,
            received: of.received,
            ranks: of.ranks.count,
        })
        .collect();
    rows.arrange_by_key(|row| (std::cmp::Reverse(row.calls.time), row.call.clone()));
    rows
}

/// The call, its place, and the name of the communicator.
type SiteKey<'a> = (&'a str, Reading<CodePlace>, Reading<String>);

/// Over all sites, those that come once apart; `callers` are the threads that called MPI.
fn waiting_in_calls(sites: &[MpiSiteRow], callers: u64) -> Reading<WaitingInCalls> {
    let zero = Nanoseconds(0);
    let mut sum = WaitingInCalls { waiting: zero, known: zero, in_requests: zero, all: zero, callers };
    for row in sites.iter().filter(|row| !comes_once(&row.call)) {
        sum.all = sum.all + row.calls.time;
        if completes_requests(&row.call) && row.waiting.measured().is_none() {
            sum.in_requests = sum.in_requests + row.calls.time;
        }
        if let Reading::Measured(waiting) = &row.waiting {
            sum.known = sum.known + row.calls.time;
            sum.waiting = sum.waiting + *waiting;
        }
    }
    match sum.known.0 {
        0 => Reading::unavailable(
            "there is no blocking collective call, receive or send of which enough calls could be compared between ranks",
        ),
        _ => Reading::Measured(sum),
    }
}

/// A part of the time of calls of which waiting is not known that is left alone.
const SMALL_PART: f64 = 0.05;

/// The rows, for whom they wait, and what found no row. A trace that is whole knows more than calls that were drawn.
fn sites(run: &Run<'_>, traced: Option<&AnalysedTrace>) -> (Vec<MpiSiteRow>, Vec<LateCalls>, CallTime) {
    let known = traced.map(|traced| &traced.by_place);
    let mut by_place: BTreeMap<SiteKey<'_>, (Calls, WaitingOfSites, LateForSites<'_>)> = BTreeMap::new();
    let mut further = CallTime::default();
    let drawn = DrawnCalls::of(run);
    for (number, process) in run.processes.iter().enumerate() {
        for thread in process.threads() {
            add(&mut further, thread.lost_calls);
            for site in &thread.calls {
                let at = place(run.parts, process.activity, &site.at);
                let key = (site.call.as_str(), at, process.activity.communicator_name(site.communicator));
                let (calls, waiting, late) = by_place.entry(key).or_default();
                calls.add(process.rank(), site);
                late.add(run, &drawn.late, number, site);
                waiting.add(run, &drawn, number, site);
            }
        }
    }
    let all = all_time(run);
    let mut all_late = Vec::new();
    let row = |(key, (calls, waiting, late)): (SiteKey<'_>, (Calls, WaitingOfSites, LateForSites<'_>))| {
        let of_place = known.and_then(|known| {
            let name: PlacedCall = (key.0.to_owned(), key.1.clone(), key.2.clone());
            known.get(&name)
        });
        let is_known = |of: &&KnownOfPlace| of.not_judged.0 as f64 <= SMALL_PART * calls.calls.time.0 as f64;
        let waiting = match of_place.filter(is_known) {
            Some(of_place) => Reading::Measured(of_place.waiting),
            None => waiting.waiting(key.0),
        };
        if let Reading::Measured(waiting) = &waiting {
            all_late.extend(late.rows(key.0, &key.1, *waiting));
        }
        site_row(key, calls, waiting, all)
    };
    let mut rows: Vec<MpiSiteRow> = by_place.into_iter().map(row).collect();
    rows.arrange_by_key(|row| std::cmp::Reverse(row.calls.time));
    for row in rows.drain(rows.len().min(MOST_SITES)..) {
        add(&mut further, row.calls);
    }
    let late = traced.map_or(all_late, |traced| numawise_traces::late(&traced.tables.waits));
    (rows, late::longest(late), further)
}

fn site_row(
    (call, place, communicator): SiteKey<'_>,
    mut of: Calls,
    waiting: Reading<Nanoseconds>,
    all: Nanoseconds,
) -> MpiSiteRow {
    of.ranks.finish();
    let of_rank = |found: Option<(u32, Nanoseconds)>| match found {
        Some(found) => Reading::Measured(found),
        None => Reading::unavailable("none of the processes is a rank"),
    };
    MpiSiteRow {
        call: call.to_owned(),
        place,
        communicator,
        calls: of.calls,
        share: share(call, of.calls.time, all),
        longest: of.longest,
        sent: of.sent,
        received: of.received,
        ranks: of.ranks.count,
        least: of_rank(of.ranks.least),
        most: of_rank(of.ranks.most),
        waiting,
    }
}

fn messages(run: &Run<'_>) -> Vec<MessageSizeRow> {
    let mut rows: Vec<MessageSizeRow> = Vec::new();
    for sizes in run.processes.iter().flat_map(Process::threads).flat_map(|thread| &thread.messages) {
        let same = |row: &&mut MessageSizeRow| (row.family, row.bits) == (sizes.family, sizes.bits);
        match rows.iter_mut().find(same) {
            Some(row) => row.messages = row.messages.saturating_add(sizes.messages),
            None => {
                rows.push(MessageSizeRow { family: sizes.family, bits: sizes.bits, messages: sizes.messages })
            }
        }
    }
    rows.arrange_by_key(|row| (row.family as u32, row.bits));
    rows
}

/// What is known of communicators of one name.
#[derive(Default)]
struct Named {
    sizes: Option<(u32, u32)>,
    groups: BTreeSet<u64>,
    unknown: u64,
    calls: CallTime,
    ranks: BTreeSet<u32>,
}

fn communicators(run: &Run<'_>) -> Vec<CommunicatorRow> {
    let mut by_name: BTreeMap<&str, Named> = BTreeMap::new();
    for process in &run.processes {
        let all = &process.activity.communicators;
        for one in all {
            let named = by_name.entry(&one.name).or_default();
            let (least, most) = named.sizes.unwrap_or((one.size, one.size));
            named.sizes = Some((least.min(one.size), most.max(one.size)));
            match one.members.measured() {
                Some(members) => drop(named.groups.insert(*members)),
                None => named.unknown += 1,
            }
            named.ranks.extend(process.rank());
        }
        for site in process.threads().flat_map(|thread| &thread.calls) {
            let number = site.communicator.map(usize::from);
            if let Some(one) = number.and_then(|number| all.get(number)) {
                add(&mut by_name.entry(&one.name).or_default().calls, site.calls);
            }
        }
    }
    let mut rows: Vec<CommunicatorRow> = by_name
        .into_iter()
        .map(|(name, of)| CommunicatorRow {
            name: name.to_owned(),
            sizes: of.sizes.unwrap_or_default(),
            groups: Reading::Measured(of.groups.len() as u64 + of.unknown),
            calls: of.calls,
            ranks: of.ranks.len() as u64,
        })
        .collect();
    rows.arrange_by_key(|row| (std::cmp::Reverse(row.calls.time), row.name.clone()));
    rows
}
