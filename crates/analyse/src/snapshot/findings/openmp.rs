//! NW020 to NW024: what threads of parallel regions wait for, and what is outside of them.

use numawise_facts::activity::{ConstructName, OpenMpSchedule};
use numawise_facts::finding::{Amount, Evidence, WatchedAdvice, WatchedQuantity, WatchedSubject};
use numawise_facts::{FindingId, Reading};
use numawise_tables::snapshot::{LoopRow, OpenMpSummary, RegionRow, SnapshotFinding};
use numawise_units::{Nanoseconds, Ratio};

use super::{Case, advice, evidence, finding, of_run, time};
use crate::snapshot::sum;

/// A loop whose iterations fill its threads to this share is no case of too few.
const FILLED: f64 = 0.9;
/// What the iterations explain of a region's imbalance is not said a second time.
const EXPLAINED: f64 = 0.5;
/// A serial share that is worth a look, as a loss is (`rating`).
const SERIAL: f64 = 0.1;
/// A region that takes fewer seconds each time is little more than its barrier and the waking of its threads (a barrier takes up to
/// 5 us, waking a thread up to 50): no schedule balances it.
pub const SHORT: f64 = 50e-6;

pub fn all(case: &Case<'_>) -> Vec<SnapshotFinding> {
    let Some(openmp) = case.openmp else { return Vec::new() };
    let mut findings = Vec::new();
    for region in &openmp.regions {
        let few = loops(region)
            .iter()
            .filter_map(|row| too_few(case, region, row))
            .max_by(|one, two| gain_of(one).total_cmp(&gain_of(two)));
        let explained = few.as_ref().map_or(0.0, gain_of);
        findings.extend(few);
        findings.extend(imbalance(case, region, explained));
        findings.extend(scheduling(case, region));
        findings.extend(locks(case, region));
    }
    findings.extend(serial(case, openmp));
    findings
}

/// None where they are not known.
fn loops(region: &RegionRow) -> &[LoopRow] {
    region.loops.measured().map_or(&[], Vec::as_slice)
}

fn gain_of(finding: &SnapshotFinding) -> f64 {
    finding.potential.measured().map_or(0.0, |gain| gain.time.seconds())
}

/// Time of one of a region's threads, by the clock.
fn per_thread(region: &RegionRow, sum: Nanoseconds) -> f64 {
    sum.seconds() / region.threads.max(1) as f64
}

/// All time that its threads had.
fn whole(region: &RegionRow) -> Amount {
    Amount::Time(region.useful + region.mpi + region.imbalance + region.lock + region.scheduling)
}

fn of_region(case: &Case<'_>, region: &RegionRow) -> Evidence {
    let longest = Amount::Time(region.longest_time);
    evidence(WatchedQuantity::TimeOfRegion, longest, case.elapsed_amount(), subject(region))
}

fn in_region(region: &RegionRow, quantity: WatchedQuantity, value: Amount, of: Option<Amount>) -> Evidence {
    evidence(quantity, value, of, subject(region))
}

fn subject(region: &RegionRow) -> WatchedSubject {
    let within = region.within.first().and_then(Reading::measured).cloned();
    WatchedSubject::Region { place: region.place.clone(), within }
}

/// NW020: some threads have one iteration more than others, and there are few.
fn too_few(case: &Case<'_>, region: &RegionRow, row: &LoopRow) -> Option<SnapshotFinding> {
    let (at_best, iterations) = (row.at_best.measured()?.0, row.iterations.measured()?.0);
    // Waiting behind a loop may be noted at a barrier of its own.
    let imbalance = row.imbalance.measured().copied().filter(|wait| wait.0 > 0).unwrap_or(region.imbalance);
    let lost = per_thread(region, row.useful + imbalance) * (1.0 - at_best);
    let gain = lost.min(per_thread(region, imbalance));
    if at_best >= FILLED || !case.is_worth(gain) {
        return None;
    }
    let subject = || WatchedSubject::ConstructAt { construct: row.name, place: row.place.clone() };
    let (count, threads) = (Amount::Count(iterations.round() as u64), Amount::Count(row.threads));
    let facts = vec![
        evidence(WatchedQuantity::LoopIterations, count, Some(threads), subject()),
        evidence(WatchedQuantity::LoopAtBest, Amount::Share(Ratio(at_best)), None, subject()),
        in_region(
            region,
            WatchedQuantity::RegionImbalance,
            Amount::Time(region.imbalance),
            Some(whole(region)),
        ),
    ];
    let mut cures = vec![advice(WatchedAdvice::MoreIterations)];
    // As many as do it in the same number of rounds.
    let rounds = (iterations / row.threads.max(1) as f64).ceil().max(1.0);
    let fitting = (iterations / rounds).ceil() as u32;
    if u64::from(fitting) < row.threads && fitting > 0 {
        cures.push(advice(WatchedAdvice::FittingThreads { threads: fitting }));
    }
    Some(finding(FindingId::TooFewIterations, facts, case.gain(gain), cures))
}

/// NW021: threads wait for each other at the barriers of a region.
fn imbalance(case: &Case<'_>, region: &RegionRow, explained: f64) -> Option<SnapshotFinding> {
    let gain = region.most_potential_gain.measured()?.seconds();
    if !case.is_worth(gain) || explained >= EXPLAINED * gain {
        return None;
    }
    let mut facts = vec![
        of_region(case, region),
        in_region(
            region,
            WatchedQuantity::RegionImbalance,
            Amount::Time(region.imbalance),
            Some(whole(region)),
        ),
    ];
    // The time of a region is the mean over processes, its calls are those of all.
    let each = region.time.seconds() * region.processes as f64 / region.calls.max(1) as f64;
    if each < SHORT {
        facts.push(in_region(region, WatchedQuantity::RegionCalls, Amount::Count(region.calls), None));
        let cures = vec![advice(WatchedAdvice::FewerRegions)];
        return Some(finding(FindingId::RegionImbalance, facts, case.gain(gain), cures));
    }
    let is_dynamic = |row: &LoopRow| {
        matches!(row.schedule, Reading::Measured(OpenMpSchedule::Dynamic | OpenMpSchedule::Guided))
    };
    let may_be_dynamic = region.loops.measured().is_none_or(|loops| loops.iter().any(is_dynamic));
    let cure = if may_be_dynamic { WatchedAdvice::BalanceThreads } else { WatchedAdvice::DynamicSchedule };
    Some(finding(FindingId::RegionImbalance, facts, case.gain(gain), vec![advice(cure)]))
}

/// NW023: being given work takes long.
fn scheduling(case: &Case<'_>, region: &RegionRow) -> Option<SnapshotFinding> {
    let gain = per_thread(region, region.scheduling);
    if !case.is_worth(gain) {
        return None;
    }
    let mut facts = vec![
        of_region(case, region),
        in_region(
            region,
            WatchedQuantity::RegionScheduling,
            Amount::Time(region.scheduling),
            Some(whole(region)),
        ),
    ];
    let chunks = sum(loops(region).iter().filter_map(|row| row.chunks.measured().copied()));
    let cures = if chunks > region.calls.saturating_mul(region.threads) {
        let useful = loops(region).iter().fold(Nanoseconds(0), |sum, row| sum + row.useful);
        facts.push(in_region(region, WatchedQuantity::RegionChunks, Amount::Count(chunks), None));
        let each = time(useful.seconds() / chunks as f64);
        facts.push(in_region(region, WatchedQuantity::UsefulPerChunk, each, None));
        vec![advice(WatchedAdvice::LargerChunks)]
    } else {
        facts.push(in_region(region, WatchedQuantity::RegionCalls, Amount::Count(region.calls), None));
        let chunks = region.loops.measured().is_none().then(|| advice(WatchedAdvice::LargerChunks));
        [advice(WatchedAdvice::FewerRegions)].into_iter().chain(chunks).collect()
    };
    Some(finding(FindingId::SchedulingOverhead, facts, case.gain(gain), cures))
}

/// NW024: threads wait for critical sections, locks or their turn.
fn locks(case: &Case<'_>, region: &RegionRow) -> Option<SnapshotFinding> {
    let gain = per_thread(region, region.lock);
    if !case.is_worth(gain) {
        return None;
    }
    let mut facts = vec![
        of_region(case, region),
        in_region(region, WatchedQuantity::RegionLock, Amount::Time(region.lock), Some(whole(region))),
    ];
    let is_lock = |name: ConstructName| {
        use ConstructName::{Atomic, Critical, Lock, Ordered};
        matches!(name, Critical | Atomic | Ordered | Lock)
    };
    let waits = region.waits.measured().into_iter().flatten();
    let longest = waits.filter(|row| is_lock(row.name)).max_by_key(|row| row.time);
    facts.extend(longest.map(|row| {
        let subject = WatchedSubject::ConstructAt { construct: row.name, place: row.place.clone() };
        evidence(WatchedQuantity::WaitsAt, Amount::Count(row.waits), None, subject)
    }));
    let cures = vec![advice(WatchedAdvice::ReduceInsteadOfLock)];
    Some(finding(FindingId::LockContention, facts, case.gain(gain), cures))
}

/// NW022: what only the first thread does.
fn serial(case: &Case<'_>, openmp: &OpenMpSummary) -> Option<SnapshotFinding> {
    let elapsed = case.elapsed()?;
    let share = openmp.serial.value.measured()?.0;
    let teams = openmp.regions.iter().filter_map(|region| region.team.measured());
    let threads = teams.map(|team| team.most).max()?;
    let gain = share * elapsed * (1.0 - 1.0 / f64::from(threads.max(1)));
    if share < SERIAL || !case.is_worth(gain) {
        return None;
    }
    let facts = vec![
        of_run(WatchedQuantity::SerialTime, time(share * elapsed), case.elapsed_amount()),
        of_run(WatchedQuantity::SpeedupLimit, Amount::Ratio(Ratio(1.0 / share)), None),
    ];
    let cures = vec![advice(WatchedAdvice::ParalleliseRest)];
    Some(finding(FindingId::SerialShare, facts, case.gain(gain), cures))
}
