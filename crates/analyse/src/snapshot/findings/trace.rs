//! NW081 to NW084: what a trace says of the causes of waiting, and what the run would be without them, by its replay.

use numawise_facts::finding::{
    Amount, Evidence, TracedQuantity, WatchedAdvice, WatchedQuantity, WatchedSubject,
};
use numawise_facts::{FindingId, Reading};
use numawise_tables::snapshot::{
    OutOfOrder, RankActivity, RankAsOthers, RunTrace, SnapshotFinding, TraceChange, WaitKind, WaitingCause,
    WhatIf,
};
use numawise_units::Nanoseconds;

use super::{Case, advice, evidence, finding, of_run};

/// A rank computes longer than others where it does so much longer in all.
const LONGER: f64 = 1.05;
/// Ranks take turns where without any inequality the run gains so many times what it gains without any one of those that compute longer.
const IN_TURN: f64 = 2.0;
/// NW010 is explained by what gains so much of it.
const EXPLAINED: f64 = 0.5;
/// So many pairs of calls are named.
const NAMED: usize = 3;

/// Adds what a trace says to the findings of MPI. Where it says why ranks wait, and that explains much of NW010, that says no more.
pub fn explain(case: &Case<'_>, findings: &mut Vec<SnapshotFinding>) {
    let traced = all(case);
    let gain = |finding: &SnapshotFinding| finding.potential.measured().map_or(0.0, |gain| gain.share.0);
    let explained = traced.iter().filter(|one| is_imbalance(one)).map(gain).fold(0.0, f64::max);
    findings.retain(|one| one.finding.id != FindingId::MpiImbalance || EXPLAINED * gain(one) > explained);
    findings.extend(traced);
}

fn all(case: &Case<'_>) -> Vec<SnapshotFinding> {
    let Some(trace) = case.trace else { return Vec::new() };
    let what_if = trace.what_if.measured().map_or(&[][..], Vec::as_slice);
    let longer = || what_if.iter().filter_map(|one| Some((one, longer(one)?)));
    let most = longer().map(|(one, _)| gained(trace, one)).max().unwrap_or_default();
    let change = |change: TraceChange| what_if.iter().find(|one| one.change == change);
    let unequal = change(TraceChange::ComputingEqual)
        .filter(|one| gained(trace, one).0 as f64 >= IN_TURN * most.0 as f64);
    let mut findings = Vec::new();
    // Of several worlds, each has its own.
    if trace.ranks.iter().all(|rank| rank.world.is_none()) {
        findings.extend(longer().filter_map(|(one, of)| one_rank(case, trace, one, of)));
        findings.extend(unequal.and_then(|one| computing_unequal(case, trace, one)));
    }
    findings.extend(change(TraceChange::ReceivesPosted).and_then(|one| sends_wait(case, trace, one)));
    findings.extend(out_of_order(case, trace));
    findings
}

fn is_imbalance(finding: &SnapshotFinding) -> bool {
    matches!(finding.finding.id, FindingId::OneRankComputesLonger | FindingId::ComputingUnequal)
}

/// Of a rank that computes longer than the others, or as no other does.
fn longer(one: &WhatIf) -> Option<&RankAsOthers> {
    let TraceChange::RankAsOthers(of) = &one.change else { return None };
    let is_longer = of.others.is_none_or(|others| of.own.0 as f64 >= LONGER * others.0 as f64);
    is_longer.then_some(of)
}

fn gained(trace: &RunTrace, one: &WhatIf) -> Nanoseconds {
    trace.span.saturating_sub(one.span)
}

/// The traced time after a change; nothing where that is not worth saying.
pub fn replayed(
    case: &Case<'_>,
    trace: &RunTrace,
    one: &WhatIf,
    quantity: TracedQuantity,
) -> Option<Evidence> {
    let of = Some(Amount::Time(trace.span));
    case.is_worth(gained(trace, one).seconds()).then(|| of_run(quantity.into(), Amount::Time(one.span), of))
}

fn of_waiting(
    trace: &RunTrace,
    quantity: TracedQuantity,
    waiting: Nanoseconds,
    subject: WatchedSubject,
) -> Evidence {
    evidence(quantity.into(), Amount::Time(waiting), Some(Amount::Time(trace.times.waiting)), subject)
}

fn gain_finding(
    case: &Case<'_>,
    trace: &RunTrace,
    id: FindingId,
    (facts, one): (Vec<Evidence>, &WhatIf),
    cures: Vec<WatchedAdvice>,
) -> SnapshotFinding {
    let gain = case.gain(gained(trace, one).seconds());
    finding(id, facts, gain, cures.into_iter().map(advice).collect())
}

/// NW081: of a rank whose computing makes others wait.
fn one_rank(case: &Case<'_>, trace: &RunTrace, one: &WhatIf, of: &RankAsOthers) -> Option<SnapshotFinding> {
    let is_it = |cause: &&WaitingCause| {
        cause.what.computed_to() == Some(of.to.as_ref()) && (cause.world, cause.rank) == (of.world, of.rank)
    };
    let causes: Vec<&WaitingCause> = trace.causes.iter().filter(is_it).collect();
    let sum = |time: fn(&WaitingCause) -> Nanoseconds| {
        causes.iter().fold(Nanoseconds(0), |sum, cause| sum + time(cause))
    };
    let (waiting, through_others) = (sum(|of| of.waiting), sum(|of| of.through_others));
    let cause = causes.first()?;
    let (call, place) = match &of.to {
        Some(to) => (Some(to.call.clone()), to.place.clone()),
        None => (None, Reading::unavailable("no call of MPI came behind")),
    };
    let subject = WatchedSubject::ComputingBefore { world: of.world, rank: of.rank, call, place };
    let (quantity, cure) = match of.others {
        Some(_) => (TracedQuantity::TimeIfAsOthers, WatchedAdvice::BalanceRanks { ranks: vec![of.rank] }),
        None => (TracedQuantity::TimeIfNotAtAll, WatchedAdvice::OverlapMessages),
    };
    let replayed = replayed(case, trace, one, quantity)?;
    let of_own = TracedQuantity::ComputingThere.into();
    let own = evidence(of_own, Amount::Time(of.own), of.others.map(Amount::Time), subject.clone());
    let mut facts =
        vec![of_waiting(trace, TracedQuantity::WaitingForComputing, waiting, subject), replayed, own];
    facts.extend(causes.iter().filter_map(|cause| inside(of, cause, waiting)).take(NAMED));
    let ranks = Amount::Count(cause.waiting_ranks);
    facts.push(of_run(TracedQuantity::RanksThatWaited.into(), ranks, None));
    if through_others.0 > 0 {
        let quantity = TracedQuantity::ThroughOthers.into();
        facts.push(of_run(quantity, Amount::Time(through_others), Some(Amount::Time(waiting))));
    }
    Some(gain_finding(case, trace, FindingId::OneRankComputesLonger, (facts, one), vec![cure]))
}

/// What of a rank's computing is due to one of its threads, to what lies outside of regions, or to files.
fn inside(of: &RankAsOthers, cause: &WaitingCause, waiting: Nanoseconds) -> Option<Evidence> {
    let (quantity, subject) = match &cause.what {
        RankActivity::InRegion { region, thread: Some(thread), .. } => {
            let (world, rank, thread, place) = (of.world, of.rank, *thread, region.clone());
            (TracedQuantity::WaitingForThread, WatchedSubject::ThreadInRegion { world, rank, thread, place })
        }
        RankActivity::Serial { after, before, .. } => {
            let (after, before) = (after.clone(), before.clone());
            (TracedQuantity::WaitingForSerial, WatchedSubject::Between { after, before })
        }
        RankActivity::InFiles { operation, .. } => {
            let kind = (*operation).into();
            (TracedQuantity::WaitingForFiles, WatchedSubject::FileCalls { kind })
        }
        _ => return None,
    };
    Some(evidence(quantity.into(), Amount::Time(cause.waiting), Some(Amount::Time(waiting)), subject))
}

/// NW082: no one rank is the cause, and without any inequality the run is shorter.
fn computing_unequal(case: &Case<'_>, trace: &RunTrace, one: &WhatIf) -> Option<SnapshotFinding> {
    let facts = vec![replayed(case, trace, one, TracedQuantity::TimeIfEqual)?];
    let cures = vec![WatchedAdvice::MeetLessOften];
    Some(gain_finding(case, trace, FindingId::ComputingUnequal, (facts, one), cures))
}

/// NW083: sends that cannot end before their receives are there.
fn sends_wait(case: &Case<'_>, trace: &RunTrace, one: &WhatIf) -> Option<SnapshotFinding> {
    let rows = || trace.waits.iter().filter(|row| row.kind == WaitKind::LateReceiver);
    let waiting = rows().fold(Nanoseconds(0), |sum, row| sum + row.waiting);
    let replayed = replayed(case, trace, one, TracedQuantity::TimeIfPosted)?;
    let mut facts = vec![
        of_waiting(trace, TracedQuantity::WaitingOfSends, waiting, WatchedSubject::WatchedRun),
        replayed,
    ];
    facts.extend(rows().take(NAMED).map(|row| {
        let subject = WatchedSubject::LateCall {
            waits: row.waits.clone(),
            late: row.late.clone(),
            waiting_ranks: row.waiting_ranks,
            late_ranks: row.late_ranks,
        };
        let of = Some(Amount::Time(trace.times.waiting));
        evidence(WatchedQuantity::LateReceiver, Amount::Time(row.waiting), of, subject)
    }));
    let cures = vec![WatchedAdvice::PostReceivesEarly];
    Some(gain_finding(case, trace, FindingId::SendsWait, (facts, one), cures))
}

/// NW084: receives that wait while the next message is there.
fn out_of_order(case: &Case<'_>, trace: &RunTrace) -> Option<SnapshotFinding> {
    let rows = &trace.out_of_order;
    let waiting = rows.iter().fold(Nanoseconds(0), |sum, row| sum + row.waiting);
    if !case.is_worth(waiting.seconds() / trace.ranks.len().max(1) as f64) {
        return None;
    }
    let of_row = |row: &OutOfOrder| {
        let (waits, next) = (row.waits.clone(), row.next.clone());
        let subject = WatchedSubject::CallBeforeCall {
            call: waits.call,
            place: waits.place,
            next: next.call,
            next_place: next.place,
        };
        let times = Amount::Count(row.times);
        [
            of_waiting(trace, TracedQuantity::WaitingOutOfOrder, row.waiting, subject.clone()),
            evidence(TracedQuantity::TimesOutOfOrder.into(), times, None, subject),
        ]
    };
    let facts: Vec<Evidence> = rows.iter().take(NAMED).flat_map(of_row).collect();
    let gain = Reading::unavailable("what another order of the receives brings was not replayed");
    let cures = vec![advice(WatchedAdvice::ReceiveWhatComesFirst)];
    Some(finding(FindingId::ReceivesOutOfOrder, facts, gain, cures))
}
