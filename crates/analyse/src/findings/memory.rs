//! NW001: pages on one node, threads on all.

use numawise_facts::finding::{Advice, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject};
use numawise_facts::{Finding, FindingId, ThreadObservation};
use numawise_tables::MemoryMove;
use numawise_units::{Bytes, NodeId, NodeSet, Ratio};

use super::{Case, cost, latency_and_bandwidth, plain};
use crate::{comparison, share, summary};

/// Share of the memory on one node from which it counts as "on one node". Libraries and stacks of other threads put a
/// few percent elsewhere even in the plainest case.
const ON_ONE_NODE: f64 = 0.80;
/// Share of CPU time away from that node from which the threads count as being elsewhere too.
const ELSEWHERE: f64 = 0.25;
/// A sample that saw less than this share of the peak memory came too early to tell where the program's arrays are.
const SEEN: f64 = 0.25;
/// Less memory than this lives in the caches; its place has no weight.
const LEAST: Bytes = Bytes::mib(1);

/// Memory first touched by one thread: nearly all pages on one node while the threads run on several, and a placement
/// that moves the memory closer or spreads it is faster, or remote memory is slower.
pub fn first_touch_by_one_thread(case: &Case) -> Option<Finding> {
    let os = case.baseline;
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
    let interleaved = case.gain(comparison::of_interleaving(&case.study.header));
    let remote = case.loss(comparison::of_remote_memory(&case.study.header));
    if interleaved.is_none() && remote.is_none() {
        return None; // the pages are in one place, and it costs nothing
    }
    let on_home = || EvidenceSubject::Nodes { point: os.id.clone(), nodes: NodeSet::single(home) };
    let seen = |quantity, value, of| plain(quantity, value, of, on_home(), EvidenceSource::Observations);
    let mut evidence = vec![
        seen(EvidenceQuantity::MemoryOnNode, Amount::Share(concentration), Some(Amount::Bytes(total))),
        seen(EvidenceQuantity::CpuTimeElsewhere, Amount::Share(away), None),
    ];
    evidence.extend(faults(case));
    evidence.extend(interleaved.map(|gain| gain.evidence(EvidenceQuantity::EffectOfInterleaving)));
    evidence.extend(remote.map(|loss| loss.evidence(EvidenceQuantity::EffectOfRemoteMemory)));
    if remote.is_some() {
        evidence.extend(remote_memory(case));
        evidence.extend(case.expected_effect(MemoryMove::ToRemote));
    }
    evidence.extend(interleaved.and_then(|_| case.expected_effect(MemoryMove::ToInterleaved)));
    let mut advice = vec![Advice::InitialiseInParallel { interleaving_helped: interleaved.is_some() }];
    advice.extend(interleaved.map(|_| Advice::InterleaveMemory));
    Some(Finding {
        id: FindingId::FirstTouchByOneThread,
        evidence,
        cost: cost(
            interleaved,
            "interleaving, the only cure that needs no change of the program, brought no decided gain",
        ),
        cure: interleaved.and_then(|gain| gain.cure()),
        advice,
    })
}

/// What the figures of the machine say of remote memory.
fn remote_memory(case: &Case) -> Option<Evidence> {
    let expected = case.expected.as_ref().ok()?;
    Some(plain(
        EvidenceQuantity::RemoteMemory,
        latency_and_bandwidth(&expected.latency, &expected.bandwidth)?,
        None,
        EvidenceSubject::NodePair { cpus_of: expected.from, memory_of: expected.to },
        EvidenceSource::Profile,
    ))
}

fn away_from(home: NodeId, shares: &[(NodeId, Ratio)]) -> Ratio {
    Ratio(shares.iter().filter(|(node, _)| *node != home).map(|(_, share)| share.0).sum())
}

/// Which thread took the page faults, from the trial with the most.
fn faults(case: &Case) -> Option<Evidence> {
    let point = case.study.header.point(&case.baseline.id)?;
    let total = |threads: &Vec<ThreadObservation>| threads.iter().map(|t| t.minor_faults).sum::<u64>();
    let watched = summary::watched(case.study, point);
    let threads = watched.filter_map(|o| o.threads.measured()).max_by_key(|threads| total(threads))?;
    let first = threads.iter().max_by_key(|thread| thread.minor_faults)?;
    let part = share(first.minor_faults as f64, total(threads) as f64)?;
    (threads.len() > 1).then(|| {
        plain(
            EvidenceQuantity::PageFaultsOfThread,
            Amount::Share(part),
            Some(Amount::Count(threads.len() as u64)),
            EvidenceSubject::Thread { point: point.id.clone(), name: first.name.clone() },
            EvidenceSource::Observations,
        )
    })
}
