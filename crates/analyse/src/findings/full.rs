//! NW056: a node that has no room for the memory that is meant for it.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, EvidenceQuantity, EvidenceSource, EvidenceSubject, SystemAdvice,
    SystemQuantity,
};
use numawise_facts::{Finding, FindingId, Observation, Point, PointRole, Reading};
use numawise_units::{Bytes, NodeId, NodeSet};

use super::pages::median;
use super::{Case, Decided, cost, plain};
use crate::comparison::Comparison;
use crate::{middle, summary};

#[cfg(test)]
#[path = "full_tests.rs"]
mod tests;

/// Less memory than this, or than this share of the program's, is turned away by any node at times.
const LEAST: Bytes = Bytes::mib(16);
const NOTEWORTHY: f64 = 0.05;

/// In most runs of the operating system's placement a node could not give the memory that was meant for it.
pub fn node_is_full(case: &Case) -> Option<Finding> {
    let point = case.study.header.point(&case.baseline.id)?;
    let (node, away) = turned_away(case, point)?;
    let subject = || EvidenceSubject::Nodes { point: point.id.clone(), nodes: NodeSet::single(node) };
    let bytes = |quantity, value| {
        let of = case.baseline.peak_memory.measured().copied().map(Amount::Bytes);
        plain(quantity, Amount::Bytes(value), of, subject(), EvidenceSource::Observations)
    };
    let mut evidence = vec![bytes(SystemQuantity::TurnedAway.into(), away)];
    let machine = &case.study.header.machine;
    let free = machine.nodes.iter().find(|of| of.id == node).and_then(|of| of.free.measured());
    evidence.extend(free.map(|free| bytes(SystemQuantity::NodeFree.into(), *free)));
    let reclaims = median(case, point, |events| &events.node_reclaims).measured().copied();
    evidence.extend(reclaims.filter(|count| *count > 0).map(|count| {
        let value = Amount::Count(count);
        plain(SystemQuantity::NodeReclaims.into(), value, None, subject(), EvidenceSource::Observations)
    }));
    let gain = elsewhere(case);
    evidence.extend(gain.map(|gain| gain.evidence(EvidenceQuantity::EffectOfPlacement)));
    let mut advice =
        vec![AdvisedStep::from(Advice::System(SystemAdvice::FreeTheNode { nodes: NodeSet::single(node) }))];
    advice.splice(
        0..0,
        gain.map(|gain| {
            let placement = gain.between.to.id.clone();
            AdvisedStep::tried(Advice::UsePlacement { placement }, gain.effect)
        }),
    );
    Some(Finding {
        id: FindingId::NodeFull,
        evidence,
        cost: cost(gain, "no placement for which there was room is decidedly better"),
        cure: gain.and_then(|gain| gain.cure()),
        advice,
    })
}

/// The node that turned most memory away in most runs of a point, and the median of how much.
fn turned_away(case: &Case, point: &Point) -> Option<(NodeId, Bytes)> {
    let runs: Vec<Option<(NodeId, Bytes)>> = summary::watched(case.study, point).filter_map(of_run).collect();
    let most: Vec<(NodeId, Bytes)> = runs.iter().flatten().copied().collect();
    if 2 * most.len() <= runs.len() {
        return None;
    }
    let (node, _) = most.iter().copied().max_by_key(|(_, bytes)| *bytes)?;
    let there: Vec<Bytes> = most.iter().filter(|(of, _)| *of == node).map(|(_, bytes)| *bytes).collect();
    Some((node, middle(there)?))
}

/// The node that turned most memory away in a run, where that is a part that counts; `None` where it is not known.
fn of_run(observation: &Observation) -> Option<Option<(NodeId, Bytes)>> {
    let peak = observation.usage.peak_memory.measured()?.0 as f64;
    let nodes = observation.memory_events.turned_away.measured()?.iter().copied();
    let most = nodes.max_by_key(|(_, bytes)| *bytes);
    Some(most.filter(|(_, bytes)| *bytes >= LEAST && bytes.0 as f64 >= NOTEWORTHY * peak))
}

/// The best placement that is decidedly better and for which there was room.
fn elsewhere<'a>(case: &Case<'a>) -> Option<Decided<'a>> {
    let header = &case.study.header;
    let from = header.baseline()?;
    let candidates = header.points.iter().filter(|to| to.role == PointRole::Candidate);
    let with_room = candidates.filter(|to| {
        let known = summary::watched(case.study, to)
            .any(|o| matches!(o.memory_events.turned_away, Reading::Measured(_)));
        known && turned_away(case, to).is_none()
    });
    let gains = with_room.filter_map(|to| case.gain(Some(Comparison { from, to })));
    gains.max_by(|a, b| a.effect.ratio.0.total_cmp(&b.effect.ratio.0))
}
