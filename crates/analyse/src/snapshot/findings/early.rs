//! NW016: ranks that ended without MPI_Finalize: which was the first, of what, and in what the others were kept then.
//!
//! Nobody but its parent, the launcher, is told how a process ended. What it noted says where it was: a rank that dies takes others with it
//! that wait in MPI, and those have waited for a while. Where that leaves several, none is named alone.

use std::collections::BTreeMap;

use numawise_facts::activity::{LastCall, MpiLibrary, ProcessEnd};
use numawise_facts::finding::{
    Amount, EarlyQuantity, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, WatchedAdvice,
    WatchedSubject,
};
use numawise_facts::{Exit, FindingId, Reading};
use numawise_tables::snapshot::SnapshotFinding;
use numawise_units::{Arrange, Nanoseconds};

use super::{Case, advice, evidence, finding, of_process, of_run};
use crate::snapshot::places::place;
use crate::snapshot::process::Process;

#[cfg(test)]
#[path = "early_tests.rs"]
mod tests;

/// Who is in MPI for less may have died in the call.
const WAITED: Nanoseconds = Nanoseconds(50_000_000);
/// Ranks that wait for one another do so for longer than this before somebody ends them; an error that MPI found ends sooner.
const HANGS: Nanoseconds = Nanoseconds(1_000_000_000);
/// Ends that are closer to each other have no order: that a process lives is looked at several times a second.
const APART: Nanoseconds = Nanoseconds(500_000_000);
/// SIGILL, SIGABRT, SIGBUS, SIGFPE and SIGSEGV: nobody sends them to others.
const CRASHES: [i32; 5] = [4, 6, 7, 8, 11];
/// So many ranks, and calls, are named.
const NAMED: usize = 3;
const RANKS: usize = 8;

/// A rank that began with MPI and did not end with it.
#[derive(Clone, Copy)]
struct Early<'a> {
    process: &'a Process<'a>,
    rank: u32,
    lived: Nanoseconds,
    end: Nanoseconds,
    last: Option<&'a LastCall>,
}

impl<'a> Early<'a> {
    fn of(process: &'a Process<'a>) -> Option<Self> {
        let activity = process.activity;
        let mpi = activity.mpi.measured()?;
        let began = mpi.initialised.measured().is_some() && mpi.finalised.measured().is_none();
        let lived = *activity.elapsed.measured()?;
        let threads = activity.threads.measured()?;
        let last =
            threads.iter().filter(|thread| thread.is_first).find_map(|thread| thread.last_call.as_ref());
        let rank = process.rank().filter(|_| began)?;
        Some(Self { process, rank, lived, end: activity.began + lived, last })
    }

    fn end_is(&self, end: ProcessEnd) -> bool {
        self.process.activity.end == end
    }

    fn within(&self) -> Option<Nanoseconds> {
        self.last?.within
    }

    /// It has waited in MPI for a while, for one that does not come any more, until it was killed: not one that ended by exit, as in an
    /// error that MPI found.
    fn waits(&self) -> bool {
        self.end_is(ProcessEnd::NotTold) && self.within().is_some_and(|within| within >= WAITED)
    }
}

pub fn ended_early(case: &Case<'_>) -> Option<SnapshotFinding> {
    // A program that ends well may leave out MPI_Finalize.
    let failed = case.run.parts.exit.is_some_and(|exit| !exit.success());
    let early: Vec<Early<'_>> = case.run.processes.iter().filter_map(Early::of).filter(|_| failed).collect();
    let crashed = early
        .iter()
        .find_map(|one| signal_of(case, one))
        .is_some_and(|(signal, _)| CRASHES.contains(&signal));
    let first = first(&early, crashed);
    let mut facts: Vec<Evidence> = first.iter().take(NAMED).map(|one| how(one, first.len() == 1)).collect();
    if let [one] = first.as_slice() {
        facts.extend(signal(case, one));
        facts.extend(last_call(case, one));
    }
    let is_first = |one: &Early<'_>| first.iter().any(|of| of.rank == one.rank);
    facts.extend(kept_in(case, early.iter().filter(|one| !is_first(one))));
    if facts.is_empty() {
        return None;
    }
    let hangs = first.is_empty() && !crashed;
    let what = if hangs { WatchedAdvice::FindHang } else { WatchedAdvice::FindCrash };
    let potential = Reading::unavailable("the run did not complete");
    Some(finding(FindingId::EndedEarly, facts, potential, vec![advice(what)]))
}

/// The one that ended first; several where that is not known, none where all waited in MPI and ended together. `crashed`: one of them.
fn first<'a>(early: &[Early<'a>], crashed: bool) -> Vec<Early<'a>> {
    let those =
        |is: &dyn Fn(&Early<'a>) -> bool| early.iter().copied().filter(|one| is(one)).collect::<Vec<_>>();
    let mut aborted = those(&|one| one.end_is(ProcessEnd::MpiAbort));
    if !aborted.is_empty() {
        aborted.arrange_by_key(|one| one.end);
        return aborted;
    }
    let alone = |mut found: Vec<Early<'a>>| {
        found.arrange_by_key(|one| one.end);
        match found.as_slice() {
            [one, next, ..] if next.end.saturating_sub(one.end) > APART => vec![*one],
            _ => found,
        }
    };
    match alone(those(&|one| !one.waits())) {
        found if !found.is_empty() => found,
        _ => match alone(early.to_vec()).as_slice() {
            [one] => vec![*one],
            _ => {
                let ends = |one: &Early<'a>| crashed || one.within().is_some_and(|within| within < HANGS);
                in_mpi(early).into_iter().filter(ends).collect()
            }
        },
    }
}

/// The one of ranks in MPI that died there: who is in it for less than half as long as any other. MPI writes what it knows before it ends.
fn in_mpi<'a>(early: &[Early<'a>]) -> Vec<Early<'a>> {
    let mut all: Vec<(Nanoseconds, Early<'a>)> =
        early.iter().filter_map(|one| Some((one.within()?, *one))).collect();
    all.arrange_by_key(|(within, _)| *within);
    match all.as_slice() {
        [(least, one), (next, _), ..] if least.0 < next.0 / 2 => vec![*one],
        _ => Vec::new(),
    }
}

fn how(one: &Early<'_>, is_alone: bool) -> Evidence {
    let quantity = match one.process.activity.end {
        ProcessEnd::MpiAbort => EarlyQuantity::AbortedAfter.into(),
        ProcessEnd::Exit => EarlyQuantity::ExitedAfter.into(),
        ProcessEnd::NotTold if is_alone => EarlyQuantity::DiedAfter.into(),
        ProcessEnd::NotTold => EarlyQuantity::MayHaveDiedAfter.into(),
    };
    evidence(quantity, Amount::Time(one.lived), None, of_process(one.process))
}

/// By which signal, as far as the status of the program or of its launcher tells: that of shells, 128 + the signal, and MPICH's, the
/// signal itself, where the process did not end by exit.
fn signal(case: &Case<'_>, one: &Early<'_>) -> Option<Evidence> {
    let (signal, status) = signal_of(case, one)?;
    let count = |number: i32| Amount::Count(number.unsigned_abs().into());
    Some(of_run(EarlyQuantity::EndedBySignal.into(), count(signal), status.map(count)))
}

/// The signal, and the launcher's status that says so.
fn signal_of(case: &Case<'_>, one: &Early<'_>) -> Option<(i32, Option<i32>)> {
    const LAST: i32 = 64;
    if !one.end_is(ProcessEnd::NotTold) {
        return None;
    }
    let library = one.process.activity.mpi.measured()?.library;
    match case.run.parts.exit? {
        // Who is killed by a launcher is not who died.
        Exit::Signal(9) => None,
        Exit::Signal(signal) => Some((signal, None)),
        Exit::Code(code) if (129..=128 + LAST).contains(&code) => Some((code - 128, Some(code))),
        Exit::Code(code) if library == MpiLibrary::Mpich && (2..=15).contains(&code) => {
            Some((code, Some(code)))
        }
        Exit::Code(_) => None,
    }
}

fn last_call(case: &Case<'_>, one: &Early<'_>) -> Option<Evidence> {
    let last = one.last?;
    let call = WatchedSubject::CallAt {
        call: last.call.clone(),
        place: place(case.run.parts, one.process.activity, &last.at),
    };
    Some(match last.within {
        Some(within) => evidence(EarlyQuantity::DiedInCall.into(), Amount::Time(within), None, call),
        None => Evidence {
            quantity: EvidenceQuantity::Watched(EarlyQuantity::DiedAfterCall.into()),
            value: Reading::unavailable("it is not noted when a call returned"),
            of: None,
            interval: None,
            subject: EvidenceSubject::Watched(call),
            source: EvidenceSource::Collector,
        },
    })
}

/// The calls in which others were, those of most ranks first.
fn kept_in<'a>(case: &Case<'_>, others: impl Iterator<Item = &'a Early<'a>>) -> Vec<Evidence> {
    let mut calls = BTreeMap::<_, Vec<&Early<'_>>>::new();
    for one in others.filter(|one| one.waits()) {
        let Some(last) = one.last else { continue };
        let at = last.at.measured().and_then(|at| Some((one.process.activity.path(at.file)?, at.address)));
        calls.entry((&last.call, at)).or_default().push(one);
    }
    let mut calls: Vec<_> = calls.into_values().collect();
    calls.arrange_by_key(|ranks| std::cmp::Reverse(ranks.len()));
    let sentence = |ranks: &Vec<&Early<'_>>| {
        let (one, longest) = (ranks.first()?, ranks.iter().filter_map(|one| one.within()).max()?);
        let last = one.last?;
        let subject = WatchedSubject::CallOfRanks {
            call: last.call.clone(),
            place: place(case.run.parts, one.process.activity, &last.at),
            ranks: ranks.iter().take(RANKS).map(|one| one.rank).collect(),
            further_ranks: ranks.len().saturating_sub(RANKS) as u64,
        };
        Some(evidence(EarlyQuantity::KeptInCall.into(), Amount::Time(longest), None, subject))
    };
    calls.iter().take(NAMED).filter_map(sentence).collect()
}
