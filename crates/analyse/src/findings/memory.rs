//! NW001: pages on one node, threads on all.

use numawise_facts::{Finding, FindingId, ThreadObservation};
use numawise_units::{Bytes, NodeId, Ratio};

use super::{Case, cost};
use crate::{expected, share, summary};

/// Share of the memory on one node from which it counts as "on one node". Libraries and stacks of other threads put a
/// few percent elsewhere even in the plainest case.
const ON_ONE_NODE: f64 = 0.80;
/// Share of CPU time away from that node from which the threads count as being elsewhere too.
const ELSEWHERE: f64 = 0.25;
/// A census that saw less than this share of the peak memory came too early to tell where the program's arrays are.
const SEEN: f64 = 0.25;
/// Less memory than this lives in the caches; its place has no weight.
const LEAST: Bytes = Bytes::mib(1);

/// Memory first touched by one thread: nearly all pages on one node while the threads run on several, and a placement
/// that moves the memory closer or spreads it is faster, or memory from afar is slower.
pub fn first_touch_by_one_thread(case: &Case) -> Option<Finding> {
    let os = case.os();
    let pages = os.pages.measured()?;
    let total: Bytes = pages.iter().map(|(_, bytes)| *bytes).sum();
    let (home, most) = pages.iter().copied().max_by_key(|(_, bytes)| *bytes)?;
    let concentration = share(most.0 as f64, total.0 as f64)?;
    let away = away_from(home, os.cpu_share.measured()?);
    let peak = os.peak_memory.measured().map_or(0.0, |peak| peak.0 as f64);
    if total < LEAST || (total.0 as f64) < SEEN * peak || concentration.0 < ON_ONE_NODE || away.0 < ELSEWHERE
    {
        return None;
    }
    let interleaved = case.gain("os", "interleave");
    let far = case.loss("one-node", "remote");
    if interleaved.is_none() && far.is_none() {
        return None; // the pages are in one place, and it costs nothing
    }
    let mut evidence = vec![
        format!("{} of the program's {total} lie on node {home}", concentration.percent()),
        format!("{} of its CPU time is spent on other nodes", away.percent()),
    ];
    evidence.extend(faults(case));
    if let Some(effect) = interleaved {
        evidence.push(format!("the same threads with interleaved memory are {effect} as fast"));
    }
    if let Some(effect) = far {
        evidence
            .push(format!("one node with its own memory is {} as fast as with far memory", effect.inverse()));
    }
    evidence.extend(expected_of(case, interleaved.is_some(), far.is_some()));
    Some(Finding {
        id: FindingId::FirstTouchByOneThread,
        evidence,
        cost: cost(
            interleaved,
            "interleaving, the only cure that needs no change of the program, brought no decided gain",
        ),
        advice: advice(interleaved.is_some()),
    })
}

/// What the machine's memory explains of what was seen.
fn expected_of(case: &Case, interleaved: bool, far: bool) -> Vec<String> {
    let of_far = case.expected.measured().map(|expected| expected.text.clone()).filter(|_| far);
    let of_interleaving = expected::gain(case.expected, "os", "interleave").filter(|_| interleaved);
    of_far.into_iter().chain(of_interleaving).collect()
}

fn advice(interleaving_helps: bool) -> Vec<String> {
    let promise = if interleaving_helps {
        "each page then lies where it is used, which should bring at least what interleaving brought"
    } else {
        "what it brings cannot be measured from outside"
    };
    let mut advice = vec![format!(
        "initialise the large arrays in parallel, in a loop over the same indices with the same static schedule as the \
         loops that use them, and pin the threads; {promise}"
    )];
    if interleaving_helps {
        advice.push(
            "without changing the program: interleave its memory over the nodes (--memory interleave)"
                .to_owned(),
        );
    }
    advice
}

fn away_from(home: NodeId, shares: &[(NodeId, Ratio)]) -> Ratio {
    Ratio(shares.iter().filter(|(node, _)| *node != home).map(|(_, share)| share.0).sum())
}

/// Which thread took the page faults, from the trial with the most.
fn faults(case: &Case) -> Option<String> {
    let point = case.study.header.point(&case.os().id)?;
    let total = |threads: &Vec<ThreadObservation>| threads.iter().map(|t| t.minor_faults).sum::<u64>();
    let watched = summary::watched(case.study, point);
    let threads = watched.filter_map(|o| o.threads.measured()).max_by_key(|threads| total(threads))?;
    let first = threads.iter().max_by_key(|thread| thread.minor_faults)?;
    let part = share(first.minor_faults as f64, total(threads) as f64)?;
    (threads.len() > 1).then(|| {
        format!(
            "one of {} threads ({}) took {} of the page faults",
            threads.len(),
            first.name,
            part.percent()
        )
    })
}
