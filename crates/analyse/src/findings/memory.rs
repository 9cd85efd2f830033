//! NW001: pages on one node, threads on all.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject,
};
use numawise_facts::{Finding, FindingId, ThreadObservation};
use numawise_tables::{Contrast, MemoryMove};

use super::{Case, Decided, cost, latency_and_bandwidth, plain};
use super::{concentrated, together};
use crate::{comparison, share, summary};

/// Memory first touched by one thread: in most runs nearly all pages lie on one node while several threads work on several
/// nodes, and a placement that moves the memory closer or spreads it is faster, or remote memory is slower.
pub fn first_touch_by_one_thread(case: &Case) -> Option<Finding> {
    let seen = concentrated::concentrated(case)?;
    if together::one_node_is_best(case).is_some() {
        return None; // spreading memory is not what helps: NW050 says what does
    }
    let interleaved = case.gain(comparison::of_interleaving(&case.study.header));
    let remote = case.loss(comparison::of_remote_memory(&case.study.header));
    if interleaved.is_none() && (remote.is_none() || interleaving_brings_nothing(case)) {
        return None; // the pages are in one place, and it costs nothing
    }
    let mut evidence = seen.evidence(case);
    evidence.extend(faults(case));
    evidence.extend(interleaved.map(|gain| gain.evidence(EvidenceQuantity::EffectOfInterleaving)));
    evidence.extend(remote.map(|loss| loss.evidence(EvidenceQuantity::EffectOfRemoteMemory)));
    if remote.is_some() {
        evidence.extend(remote_memory(case));
        evidence.extend(case.expected_effect(MemoryMove::ToRemote));
    }
    evidence.extend(interleaved.and_then(|_| case.expected_effect(MemoryMove::ToInterleaved)));
    let (advice, best) = steps(case, interleaved, seen.is_of_processes);
    Some(Finding {
        id: FindingId::FirstTouchByOneThread,
        evidence,
        cost: cost(best, "no cure that needs no change of the program brought a decided gain"),
        cure: best.and_then(|gain| gain.cure()),
        advice,
    })
}

/// True where a gain by interleaving is ruled out: threads that are far from the memory do not hold up those that are near, as where they
/// take their work from a queue.
fn interleaving_brings_nothing(case: &Case) -> bool {
    let Some(between) = comparison::of_interleaving(&case.study.header) else { return false };
    let is_it = |contrast: &Contrast| contrast.from == between.from.id && contrast.to == between.to.id;
    case.judged.counting().any(|(contrast, ruled_out)| ruled_out && is_it(contrast))
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

/// What to do, the greatest gain first, and the greatest gain.
fn steps<'a>(
    case: &Case<'a>,
    interleaved: Option<Decided<'a>>,
    by_processes: bool,
) -> (Vec<AdvisedStep>, Option<Decided<'a>>) {
    let interleaving_helped = interleaved.is_some();
    let initialise = if by_processes {
        Advice::InitialiseSharedMemory { interleaving_helped }
    } else {
        Advice::InitialiseInParallel { interleaving_helped }
    };
    let mut steps: Vec<AdvisedStep> = vec![initialise.into()];
    steps.extend(interleaved.map(|gain| AdvisedStep::tried(Advice::InterleaveMemory, gain.effect)));
    let Some(inside) = case.gain(comparison::of_one_node(&case.study.header)) else {
        return (steps, interleaved);
    };
    let placement = inside.between.to.id.clone();
    let together = AdvisedStep::tried(Advice::KeepTogether { placement }, inside.effect);
    match interleaved {
        Some(gain) if gain.effect.ratio.0 > inside.effect.ratio.0 => {
            steps.push(together);
            (steps, interleaved)
        }
        _ => {
            steps.insert(0, together);
            (steps, Some(inside))
        }
    }
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
