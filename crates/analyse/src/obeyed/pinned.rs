//! Pinning: whether a plan that pins threads found threads to pin.
//!
//! By the rules of the library that pins (`docs/formats/pin-protocol.md`) a process with fewer threads than the plan keeps the CPUs
//! of the whole task. The plan was followed then, and yet no thread is pinned.

use std::collections::BTreeSet;

use numawise_facts::notice::{NotPinnedReason, StudyNotice};
use numawise_facts::{Point, Study, ThreadBinding, ThreadObservation};
use numawise_units::Pid;

use super::reach::out_of_reach;
use super::threads::bound_by_others;
use crate::{inside, summary};

#[cfg(test)]
#[path = "pinned_tests.rs"]
mod tests;

/// No thread that worked was held on one CPU at a point that pins threads, and why. Nothing where another notice says it: the
/// library cannot reach the program, or the program binds its threads itself. Nothing of runs too short to tell.
pub fn not_pinned(study: &Study, point: &Point) -> Option<StudyNotice> {
    let pins = point.plan().binding == ThreadBinding::Pinned && point.threads() > 1;
    if !pins || out_of_reach(point) || bound_by_others(study).is_some() {
        return None;
    }
    let run = summary::watched(study, point).filter(|run| inside::is_watched_long(run)).last()?;
    let workers = inside::workers(run)?;
    let loose = |thread: &&ThreadObservation| thread.mask.measured().is_some_and(|mask| mask.len() > 1);
    if workers.is_empty() || !workers.iter().all(loose) {
        return None;
    }
    Some(StudyNotice::NotPinned { point: point.id.clone(), reason: reason(point, &workers) })
}

fn reason(point: &Point, workers: &[&ThreadObservation]) -> NotPinnedReason {
    let planned = point.threads();
    let processes: BTreeSet<Pid> = workers.iter().map(|thread| thread.pid).collect();
    let most = processes.iter().map(|pid| workers.iter().filter(|thread| thread.pid == *pid).count()).max();
    let most = most.map_or(0, |most| most as u32);
    if most >= planned {
        return NotPinnedReason::NotSeen;
    }
    match processes.len() {
        1 => NotPinnedReason::FewerThreads { ran: most, planned },
        several => NotPinnedReason::Processes { processes: several as u32 },
    }
}
