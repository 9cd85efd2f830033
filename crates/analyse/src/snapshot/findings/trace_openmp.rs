//! NW085 to NW087: what a trace says of threads that wait for one another, of time outside of regions, and of threads without a CPU.

use numawise_facts::finding::{
    Amount, Evidence, EvidenceSubject, TracedQuantity, WatchedAdvice, WatchedQuantity, WatchedSubject,
};
use numawise_facts::{FindingId, Reading};
use numawise_tables::snapshot::{
    LateThread, PlacedChange, PotentialGain, RunTrace, SnapshotFinding, ThreadWithoutCpu, TraceChange,
    TracedRegion, TracedSerial,
};
use numawise_traces::is_same_place;
use numawise_units::Nanoseconds;

use super::openmp::SHORT;
use super::trace::replayed;
use super::{Case, advice, evidence, finding, of_run};

/// What of NW021 and NW022 is explained here is not said a second time, where it is so much of it.
const EXPLAINED: f64 = 0.5;
/// So many threads, and places outside of regions, are named.
const NAMED: usize = 3;

/// Adds what a trace says of OpenMP in the place of what sums say.
pub fn explain(case: &Case<'_>, findings: &mut Vec<SnapshotFinding>) {
    let Some(trace) = case.trace else { return };
    let gain = |of: &SnapshotFinding| of.potential.measured().map_or(0.0, |gain| gain.share.0);
    let regions = trace.regions.iter().filter_map(|of| Some((of, uneven(case, trace, of)?)));
    let regions: Vec<(&TracedRegion, SnapshotFinding)> = regions.collect();
    let serial = serial(case, trace);
    findings.retain(|one| {
        let by = match one.finding.id {
            FindingId::RegionImbalance => {
                let is_it = |(of, _): &&(&TracedRegion, SnapshotFinding)| is_of(one, of);
                regions.iter().find(is_it).map(|(_, by)| by)
            }
            FindingId::SerialShare => serial.as_ref(),
            _ => None,
        };
        by.is_none_or(|by| by.potential.measured().is_none() || gain(by) < EXPLAINED * gain(one))
    });
    findings.extend(regions.into_iter().map(|(_, finding)| finding));
    findings.extend(serial);
    findings.extend(without_cpu(case, trace));
}

fn is_of(finding: &SnapshotFinding, of: &TracedRegion) -> bool {
    finding.finding.evidence.iter().any(|one| {
        matches!(&one.subject, EvidenceSubject::Watched(WatchedSubject::Region { place, .. }) if is_same_place(place, &of.region))
    })
}

/// What a change of the threads brings by replay, with the evidence; where nothing can be replayed, what it could bring at most on average over
/// ranks decides, and is not promised. Nothing where it is not worth saying.
fn potential(
    case: &Case<'_>,
    trace: &RunTrace,
    is_it: impl Fn(&TraceChange) -> bool,
    quantity: TracedQuantity,
    at_most: Nanoseconds,
) -> Option<(Reading<PotentialGain>, Option<Evidence>)> {
    match &trace.what_if {
        Reading::Measured(all) => {
            let one = all.iter().find(|one| is_it(&one.change))?;
            let said = replayed(case, trace, one, quantity)?;
            Some((case.gain(trace.span.saturating_sub(one.span).seconds()), Some(said)))
        }
        Reading::Unavailable { unavailable } => {
            let each = at_most.seconds() / trace.ranks.len().max(1) as f64;
            case.is_worth(each).then(|| (Reading::Unavailable { unavailable: unavailable.clone() }, None))
        }
    }
}

/// NW085: threads of a region wait for the last one of them.
fn uneven(case: &Case<'_>, trace: &RunTrace, of: &TracedRegion) -> Option<SnapshotFinding> {
    let is_it =
        |change: &TraceChange| matches!(change, TraceChange::ThreadsEqual { region } if *region == of.region);
    let (gain, said) = potential(case, trace, is_it, TracedQuantity::TimeIfThreadsEqual, of.gain)?;
    let subject = || WatchedSubject::Region { place: of.region.clone(), within: None };
    let fact = |quantity: TracedQuantity, value, of| evidence(quantity.into(), value, of, subject());
    let workers = trace.ranks.iter().flat_map(|rank| rank.workers.iter().map(|worker| worker.times));
    let threads = trace.ranks.iter().map(|rank| rank.times).chain(workers);
    let all = threads.fold(Nanoseconds(0), |sum, times| sum + times.openmp_waiting);
    let mut facts =
        vec![fact(TracedQuantity::WaitingInRegion, Amount::Time(of.waiting), Some(Amount::Time(all)))];
    let (uneven, times) = (Amount::Count(of.uneven), Amount::Count(of.times));
    facts.push(fact(TracedQuantity::RegionsUneven, uneven, Some(times)));
    facts.extend(said);
    facts.extend(of.late.iter().filter(|late| late.time.0 > 0).take(NAMED).map(|late| of_thread(of, late)));
    facts.extend(of.longest.filter(|longest| longest.time.0 > 0).map(|longest| {
        fact(TracedQuantity::LongestLate, Amount::Time(longest.begin), Some(Amount::Time(longest.time)))
    }));
    let each = of.time.seconds() / of.times.max(1) as f64;
    let often = of.late.first().map_or(0, |late| late.times);
    let cures = if each < SHORT {
        vec![WatchedAdvice::FewerRegions]
    } else if 2 * often > of.uneven {
        // It is mostly the same one.
        vec![WatchedAdvice::BalanceThreads, WatchedAdvice::DynamicSchedule]
    } else {
        vec![WatchedAdvice::DynamicSchedule, WatchedAdvice::MoreIterations]
    };
    Some(finding(FindingId::ThreadsWaitForLast, facts, gain, cures.into_iter().map(advice).collect()))
}

fn of_thread(of: &TracedRegion, late: &LateThread) -> Evidence {
    let LateThread { world, rank, thread, times, time } = *late;
    let subject = WatchedSubject::ThreadInRegion { world, rank, thread, place: of.region.clone() };
    evidence(TracedQuantity::ThreadLate.into(), Amount::Time(time), Some(Amount::Count(times)), subject)
}

/// NW087: others had the CPU of a thread. What the run would be without that is not known.
fn without_cpu(case: &Case<'_>, trace: &RunTrace) -> Option<SnapshotFinding> {
    let all = &trace.placed.measured()?.without_cpu;
    let worth: Vec<&ThreadWithoutCpu> =
        all.iter().filter(|of| case.is_worth(of.time.seconds())).take(NAMED).collect();
    let first = worth.first()?;
    let PlacedChange::NoCpu(longest) = first.longest.what else { return None };
    let fact = |quantity: TracedQuantity, value, of: Option<Nanoseconds>, thread: &ThreadWithoutCpu| {
        let ThreadWithoutCpu { world, rank, thread, .. } = *thread;
        let subject = WatchedSubject::ThreadOf { world, rank, thread };
        evidence(quantity.into(), Amount::Time(value), of.map(Amount::Time), subject)
    };
    let each = |of: &&ThreadWithoutCpu| fact(TracedQuantity::ThreadWithoutCpu, of.time, Some(trace.span), of);
    let mut facts: Vec<Evidence> = worth.iter().map(each).collect();
    facts.push(fact(TracedQuantity::LongestWithoutCpu, first.longest.begin, Some(longest), first));
    if first.waited_meanwhile.0 > 0 {
        facts.push(fact(TracedQuantity::WaitedMeanwhile, first.waited_meanwhile, None, first));
    }
    let gain = Reading::unavailable("samples do not tell which computing took longer for want of a CPU");
    Some(finding(FindingId::CpuTakenAway, facts, gain, vec![advice(WatchedAdvice::SeparateCpus)]))
}

/// NW086: threads idle while one of their rank works outside of regions.
fn serial(case: &Case<'_>, trace: &RunTrace) -> Option<SnapshotFinding> {
    let rows = &trace.serial;
    let sum =
        |time: fn(&TracedSerial) -> Nanoseconds| rows.iter().fold(Nanoseconds(0), |sum, row| sum + time(row));
    let (time, idle) = (sum(|row| row.time), sum(|row| row.idle));
    let threads = 1.0 + idle.seconds() / time.seconds().max(f64::MIN_POSITIVE);
    let at_most = Nanoseconds::from_seconds(time.seconds() * (1.0 - 1.0 / threads));
    let is_it = |change: &TraceChange| *change == TraceChange::SerialDivided;
    let (gain, said) = potential(case, trace, is_it, TracedQuantity::TimeIfDivided, at_most)?;
    let of = Some(Amount::Time(trace.times.total()));
    let mut facts = vec![
        of_run(TracedQuantity::SerialOfRanks.into(), Amount::Time(time), of),
        of_run(TracedQuantity::IdleMeanwhile.into(), Amount::Time(idle), None),
    ];
    facts.extend(said);
    facts.extend(rows.iter().take(NAMED).map(|row| {
        let subject = WatchedSubject::Between { after: row.after.clone(), before: row.before.clone() };
        let quantity: WatchedQuantity = TracedQuantity::SerialBetween.into();
        evidence(quantity, Amount::Time(row.time), Some(Amount::Time(time)), subject)
    }));
    let cures = vec![advice(WatchedAdvice::ParalleliseRest)];
    Some(finding(FindingId::ThreadsIdleOutside, facts, gain, cures))
}
