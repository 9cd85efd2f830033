//! NW010 to NW013: what MPI takes.

use std::collections::BTreeMap;

use numawise_facts::activity::{CallTime, CodePlace, MessageFamily};
use numawise_facts::finding::{Amount, Evidence, WatchedAdvice, WatchedQuantity, WatchedSubject};
use numawise_facts::{FindingId, Reading};
use numawise_tables::snapshot::{
    LateCalls, MpiSummary, SnapshotFinding, TrafficMatrix, WaitingInCalls, WaitsFor,
};
use numawise_units::{Arrange, Bytes, Nanoseconds};

use super::{Case, advice, evidence, finding, of_run, time};
use crate::snapshot::efficiency::{MpiTimes, mpi_times};
use crate::snapshot::mpi::{comes_once, is_mostly_known, waiting_of_rank};
use crate::snapshot::process::in_mpi;
use crate::snapshot::sum;

/// A rank is outside of MPI for so many times the mean: it has more to do than others.
const HAS_MORE: f64 = 1.05;
/// So many ranks are named, and so many pairs of places.
const NAMED: usize = 3;
/// A pair of places is named that has so much of the waiting.
const MUCH_WAITING: f64 = 0.1;
/// Ranks with more to do are why others wait where so much of the waiting is as long as these are in MPI beyond them.
const UNBALANCED: f64 = 0.5;
/// Time of the rank with the least time in MPI, of the elapsed time: POP's 0.8 for both parts of MPI's efficiency leaves a tenth each.
const TRANSFER: f64 = 0.1;
/// One call has so much of the time in MPI.
const CONCENTRATED: f64 = 0.5;
/// Messages whose sizes have so many bits at most are smaller than 1 KiB.
const SMALL_BITS: u32 = 10;
/// So many of all messages are small.
const MOSTLY_SMALL: f64 = 0.8;
/// For each rank.
const MANY_MESSAGES: f64 = 1000.0;
/// A call that takes longer for each message waits for it.
const NOT_WAITING: f64 = 50e-6;

pub fn all(case: &Case<'_>) -> Vec<SnapshotFinding> {
    let Some(mpi) = case.mpi else { return Vec::new() };
    let times = mpi_times(case.run);
    let Some(times) = times.measured() else { return Vec::new() };
    let several = case.run.size() > 1;
    let rules = [
        imbalance(case, mpi, times).filter(|_| several),
        transfer(case, mpi, times).filter(|_| several),
        concentrated(case, mpi, times),
        tiny_messages(case, mpi),
    ];
    rules.into_iter().flatten().collect()
}

/// NW010: ranks that are done wait for those that come later. How long is that which was measured in their calls, where that is known
/// of nearly all; else what follows from the rank that is in MPI least, which is nothing where ranks are late in turn.
fn imbalance(case: &Case<'_>, mpi: &MpiSummary, times: &MpiTimes) -> Option<SnapshotFinding> {
    let measured = waiting_in_calls(mpi);
    let by_calls = measured.as_ref().filter(|found| is_mostly_known(found)).map(waiting_of_rank);
    let waiting = by_calls.unwrap_or(times.mean - times.least);
    if times.unequal.is_some() || !case.is_worth(waiting) {
        return None;
    }
    let balance = case.efficiency.mpi_load_balance.value.measured()?;
    let balance = of_run(WatchedQuantity::MpiLoadBalance, Amount::Share(*balance), None);
    let late = mpi.late.measured().map_or(&[][..], Vec::as_slice);
    let late_calls = late_calls(late, measured);
    let mut facts: Vec<Evidence> = match by_calls {
        Some(_) => measured.map(waited).into_iter().chain(late_calls).chain([balance]).collect(),
        None => {
            let longer = of_run(WatchedQuantity::MpiWaiting, time(waiting), Some(time(times.elapsed)));
            [balance, longer].into_iter().chain(late_calls).collect()
        }
    };
    let longest = longest(case, times);
    facts.extend(longest.iter().map(|rank| rank.evidence(times)));
    // Ranks that take turns to be late would wait also if all had as much to do.
    let in_turn = longest.is_empty() || times.mean - times.least < UNBALANCED * waiting;
    let mut cures = vec![advice(match what_for(late) {
        _ if !in_turn => {
            WatchedAdvice::BalanceRanks { ranks: longest.iter().map(|rank| rank.rank).collect() }
        }
        WaitsFor::Last => WatchedAdvice::MeetLessOften,
        WaitsFor::Sender | WaitsFor::Receiver => WatchedAdvice::OverlapMessages,
    })];
    cures.push(advice(WatchedAdvice::TryRanksTimesThreads));
    Some(finding(FindingId::MpiImbalance, facts, case.gain(waiting), cures))
}

/// For whom ranks waited, where that is much of it.
fn late_calls(late: &[LateCalls], known: Option<WaitingInCalls>) -> impl Iterator<Item = Evidence> {
    let all = known.map_or(Nanoseconds(0), |known| known.waiting);
    let much = late.iter().filter(move |row| row.waiting.seconds() >= MUCH_WAITING * all.seconds());
    much.take(NAMED).map(move |row| {
        let quantity = match row.what {
            WaitsFor::Sender => WatchedQuantity::LateSender,
            WaitsFor::Receiver => WatchedQuantity::LateReceiver,
            WaitsFor::Last => WatchedQuantity::LateToCollective,
        };
        let subject = WatchedSubject::LateCall {
            waits: row.waits.clone(),
            late: row.late.clone(),
            waiting_ranks: row.waiting_ranks,
            late_ranks: row.late_ranks,
        };
        evidence(quantity, Amount::Time(row.waiting), Some(Amount::Time(all)), subject)
    })
}

/// For what ranks wait most.
fn what_for(late: &[LateCalls]) -> WaitsFor {
    let of = |what| sum(late.iter().filter(|row| row.what == what).map(|row| row.waiting.0));
    let all = [WaitsFor::Sender, WaitsFor::Receiver, WaitsFor::Last];
    all.into_iter().max_by_key(|what| of(*what)).unwrap_or(WaitsFor::Last)
}

/// A rank, and its time outside of MPI in seconds.
struct BusyRank {
    rank: u32,
    host: String,
    outside: f64,
}

impl BusyRank {
    fn subject(&self) -> WatchedSubject {
        WatchedSubject::Rank { rank: self.rank, host: self.host.clone() }
    }

    fn evidence(&self, times: &MpiTimes) -> Evidence {
        let mean = Some(time(times.elapsed - times.mean));
        evidence(WatchedQuantity::OutsideMpiOfRank, time(self.outside), mean, self.subject())
    }
}

/// The ranks with the least time in MPI are kept in full, where ranks are merged.
fn outside_of_mpi(case: &Case<'_>, times: &MpiTimes) -> Vec<BusyRank> {
    let ranks = case.run.processes.iter().filter_map(|process| {
        let mpi = in_mpi(process.time.measured()?).seconds();
        let cpus = *process.cpus.measured()? as f64;
        let outside = times.elapsed - mpi / cpus;
        Some(BusyRank { rank: process.rank()?, host: process.activity.host.clone(), outside })
    });
    let mut all: Vec<BusyRank> = ranks.collect();
    all.arrange_by(|one, two| two.outside.total_cmp(&one.outside));
    all
}

/// Those that have more to do than others.
fn longest(case: &Case<'_>, times: &MpiTimes) -> Vec<BusyRank> {
    let mean = times.elapsed - times.mean;
    let ranks = outside_of_mpi(case, times).into_iter();
    ranks.take_while(|rank| rank.outside >= HAS_MORE * mean).take(NAMED).collect()
}

/// NW011: also the rank that has most to do is in MPI for long.
fn transfer(case: &Case<'_>, mpi: &MpiSummary, times: &MpiTimes) -> Option<SnapshotFinding> {
    let waiting = waiting_in_calls(mpi);
    // What was measured as waiting moves nothing: NW010 has it.
    let moving =
        waiting.filter(is_mostly_known).map_or(times.least, |found| times.least.min(moving_of_rank(found)));
    if times.unequal.is_some() || moving < TRANSFER * times.elapsed {
        return None;
    }
    let efficiency = case.efficiency.mpi_communication.value.measured()?;
    let least = outside_of_mpi(case, times).into_iter().next()?;
    let mut facts = vec![
        of_run(WatchedQuantity::MpiCommunication, Amount::Share(*efficiency), None),
        evidence(WatchedQuantity::MpiLeast, time(times.least), Some(time(times.elapsed)), least.subject()),
    ];
    let sent = mpi.calls.iter().map(|row| row.sent.measured().copied());
    let sent: Option<Vec<Bytes>> = sent.collect();
    facts.extend(
        sent.map(|sent| of_run(WatchedQuantity::MpiVolume, Amount::Bytes(sent.into_iter().sum()), None)),
    );
    let in_turn =
        waiting.is_some_and(|found| !is_mostly_known(&found) && found.waiting.0 * 2 >= found.known.0);
    facts.extend(waiting.map(waited));
    let mut cures: Vec<_> = in_turn.then(|| advice(WatchedAdvice::MeetLessOften)).into_iter().collect();
    cures.push(advice(WatchedAdvice::OverlapMessages));
    let (between, all) = mpi.volume.by_host.measured().map(between_hosts).unwrap_or_default();
    if between.0 * 2 >= all.0 && between.0 > 0 {
        let (between, all) = (Amount::Bytes(between), Some(Amount::Bytes(all)));
        facts.push(of_run(WatchedQuantity::VolumeBetweenHosts, between, all));
        cures.push(advice(WatchedAdvice::NeighboursOnOneHost));
    }
    Some(finding(FindingId::MpiTransfer, facts, case.gain(moving), cures))
}

/// What is no waiting, as far as is known, on average over the threads that call MPI.
fn moving_of_rank(of: WaitingInCalls) -> f64 {
    of.all.saturating_sub(of.waiting).seconds() / of.callers as f64
}

/// What of the calls was waiting, where that is known of some.
fn waiting_in_calls(mpi: &MpiSummary) -> Option<WaitingInCalls> {
    mpi.waiting_in_calls.measured().copied().filter(|found| found.known.0 > 0)
}

fn waited(found: WaitingInCalls) -> Evidence {
    let of = Some(Amount::Time(found.known));
    of_run(WatchedQuantity::WaitingInCalls, Amount::Time(found.waiting), of)
}

fn between_hosts(hosts: &TrafficMatrix) -> (Bytes, Bytes) {
    let between = hosts.cells.iter().filter(|cell| cell.from != cell.to).map(|cell| cell.bytes).sum();
    (between, hosts.cells.iter().map(|cell| cell.bytes).sum())
}

/// NW012: most of the time in MPI is in one call, perhaps at one place.
fn concentrated(case: &Case<'_>, mpi: &MpiSummary, times: &MpiTimes) -> Option<SnapshotFinding> {
    let cpus = case.cpus.measured()?.count as f64;
    let calls = || mpi.calls.iter().filter(|row| !comes_once(&row.call));
    let all = calls().fold(Nanoseconds(0), |sum, row| sum + row.calls.time);
    let enough = |of: CallTime| of.time.seconds() >= CONCENTRATED * all.seconds();
    let top = calls().max_by_key(|row| row.calls.time)?;
    let in_run = top.calls.time.seconds() / cpus;
    if !enough(top.calls) || in_run < TRANSFER * times.elapsed {
        return None;
    }
    let place = busiest_place(mpi, &top.call).filter(|(_, calls)| enough(*calls));
    let (subject, of) = match place {
        Some((place, calls)) => (WatchedSubject::CallAt { call: top.call.clone(), place }, calls),
        None => (WatchedSubject::Call { call: top.call.clone() }, top.calls),
    };
    let facts = vec![
        evidence(
            WatchedQuantity::TimeOfCall,
            Amount::Time(of.time),
            Some(Amount::Time(all)),
            subject.clone(),
        ),
        evidence(WatchedQuantity::CallsOf, Amount::Count(of.count), None, subject),
    ];
    let cures = vec![advice(WatchedAdvice::CallLessOften { call: top.call.clone() })];
    Some(finding(FindingId::MpiConcentrated, facts, case.gain(of.time.seconds() / cpus), cures))
}

/// Where a call takes the longest, on whatever communicator.
fn busiest_place(mpi: &MpiSummary, call: &str) -> Option<(Reading<CodePlace>, CallTime)> {
    let mut places: BTreeMap<&Reading<CodePlace>, CallTime> = BTreeMap::new();
    for row in mpi.sites.iter().filter(|row| row.call == call && row.place.measured().is_some()) {
        let sum = places.entry(&row.place).or_default();
        *sum = CallTime { count: sum.count.saturating_add(row.calls.count), time: sum.time + row.calls.time };
    }
    let busiest = places.into_iter().max_by_key(|(_, calls)| calls.time);
    busiest.map(|(place, calls)| (place.clone(), calls))
}

/// NW013: messages so small that calling costs more than moving.
fn tiny_messages(case: &Case<'_>, mpi: &MpiSummary) -> Option<SnapshotFinding> {
    let cpus = case.cpus.measured()?.count as f64;
    let sends = || mpi.messages.iter().filter(|row| row.family == MessageFamily::Send);
    let all = sum(sends().map(|row| row.messages));
    let small = sum(sends().filter(|row| row.bits <= SMALL_BITS).map(|row| row.messages));
    let calls = mpi.calls.iter().filter(|row| is_from_one_to_one(&row.call));
    let in_calls = calls.fold(Nanoseconds(0), |sum, row| sum + row.calls.time).seconds();
    let each = in_calls / all.max(1) as f64;
    let many = all as f64 >= MANY_MESSAGES * case.run.size() as f64;
    let mostly_small = small as f64 >= MOSTLY_SMALL * all as f64;
    if !many || !mostly_small || each > NOT_WAITING || !case.is_worth(in_calls / cpus) {
        return None;
    }
    let facts = vec![
        of_run(WatchedQuantity::SmallMessages, Amount::Count(small), Some(Amount::Count(all))),
        of_run(WatchedQuantity::TimePerMessage, time(each), None),
    ];
    let cures = vec![advice(WatchedAdvice::JoinMessages)];
    Some(finding(FindingId::TinyMessages, facts, case.gain(in_calls / cpus), cures))
}

/// Sends, receives and what waits for them.
fn is_from_one_to_one(call: &str) -> bool {
    const BEGINS: [&str; 14] = [
        "Send", "Isend", "Bsend", "Ibsend", "Ssend", "Issend", "Rsend", "Irsend", "Recv", "Irecv", "Wait",
        "Test", "Start", "Probe",
    ];
    let name = call.strip_prefix("MPI_").unwrap_or(call);
    BEGINS.iter().any(|begin| name.starts_with(begin)) || name.starts_with("Sendrecv") || name == "Iprobe"
}
