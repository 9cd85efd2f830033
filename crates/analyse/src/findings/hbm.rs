//! NW005: high-bandwidth memory.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject,
};
use numawise_facts::notice::{NotTriedReason, PlacementGroup, StudyNotice};
use numawise_facts::{Finding, FindingId, MemoryKind, Notice, Reading};
use numawise_tables::MemoryMove;
use numawise_units::{Bytes, NodeSet};

use super::{Case, cost};
use crate::comparison;

/// There are HBM nodes that we may use, the operating system puts nothing there, and it is faster there or the program
/// was too large to try.
pub fn unused(case: &Case) -> Option<Finding> {
    let nodes = case.study.header.machine.allowed_of_kind(MemoryKind::Hbm);
    if nodes.is_empty() {
        return None;
    }
    let gain = case.gain(comparison::of_high_bandwidth_memory(&case.study.header));
    let mut evidence = vec![memory_there(case, &nodes)];
    let (advice, cure) = match (gain, why_not_tried(case)) {
        (Some(gain), _) => {
            evidence.push(gain.evidence(EvidenceQuantity::EffectOfHighBandwidthMemory));
            evidence.extend(case.expected_effect(MemoryMove::ToHighBandwidth));
            (AdvisedStep::tried(Advice::UseHighBandwidthMemory { nodes }, gain.effect), gain.cure())
        }
        (None, Some(why)) => {
            evidence.push(Evidence {
                quantity: EvidenceQuantity::EffectOfHighBandwidthMemory,
                value: Reading::unavailable("it was not tried"),
                of: None,
                interval: None,
                subject: EvidenceSubject::Nodes { point: case.baseline.id.clone(), nodes: nodes.clone() },
                source: EvidenceSource::NotTried(why.clone()),
            });
            (Advice::UseHighBandwidthMemoryInPart { nodes }.into(), None)
        }
        (None, None) => return None, // tried, and no better
    };
    let cost = cost(gain, "it was not tried, for the reason in the evidence");
    Some(Finding { id: FindingId::HbmUnused, evidence, cost, cure, advice: vec![advice] })
}

fn memory_there(case: &Case, nodes: &NodeSet) -> Evidence {
    let there = case.baseline.pages.as_ref().map(|pages| {
        let there: Bytes = pages.iter().filter(|(node, _)| nodes.contains(*node)).map(|(_, b)| *b).sum();
        Amount::Bytes(there)
    });
    Evidence {
        quantity: EvidenceQuantity::MemoryOnNodes,
        value: there,
        of: None,
        interval: None,
        subject: EvidenceSubject::Nodes { point: case.baseline.id.clone(), nodes: nodes.clone() },
        source: EvidenceSource::Observations,
    }
}

fn why_not_tried<'a>(case: &Case<'a>) -> Option<&'a NotTriedReason> {
    case.study.header.not_tried.iter().find_map(|notice| match notice {
        Notice::Study(StudyNotice::NotTried { placements: PlacementGroup::HighBandwidthMemory, reason }) => {
            Some(reason)
        }
        _ => None,
    })
}
