//! NW050: threads that do better together on one node.

use numawise_facts::finding::{Advice, Amount, EvidenceQuantity, EvidenceSource, EvidenceSubject};
use numawise_facts::{Effect, Finding, FindingId};

use super::{Case, Decided, concentrated, files, of_points, plain};
use crate::comparison::{self, Comparison};

#[cfg(test)]
#[path = "together_tests.rs"]
mod tests;

/// Threads and memory of one node are better than the operating system's placement, and better than memory that is interleaved and than
/// threads over all nodes: the threads share data, or what they need fits together.
pub fn better_together(case: &Case) -> Option<Finding> {
    let gain = one_node_is_best(case)?;
    if gain.between.to.threads() < 2 || files::read_elsewhere(case).is_some() {
        return None; // one thread shares nothing with others; what is better for files is known
    }
    let Comparison { from, to } = gain.between;
    let mut evidence = vec![plain(
        EvidenceQuantity::Threads,
        Amount::Count(to.threads().into()),
        Some(Amount::Count(from.threads().into())),
        EvidenceSubject::Point { point: to.id.clone() },
        EvidenceSource::Design,
    )];
    evidence.push(gain.evidence(EvidenceQuantity::EffectOfOneNode));
    for (quantity, between) in others(case) {
        if let Some(contrast) = between.and_then(|between| case.contrast(between)) {
            evidence.extend(between.map(|between| of_points(quantity, between, contrast.effect.clone())));
        }
    }
    evidence.extend(concentrated::concentrated(case).map(|seen| seen.evidence(case)).into_iter().flatten());
    let advice = Advice::KeepTogether { placement: to.id.clone() };
    Some(gain.finding(FindingId::BetterTogether, evidence, advice))
}

/// The gain of one node, where it is more than that of every placement over all nodes that was compared.
pub fn one_node_is_best<'a>(case: &Case<'a>) -> Option<Decided<'a>> {
    let gain = case.gain(comparison::of_one_node(&case.study.header))?;
    let effects: Vec<Effect> = others(case)
        .into_iter()
        .filter_map(|(_, between)| case.contrast(between?)?.effect.measured().copied())
        .collect();
    // The intervals hold together, so that those which do not touch are decided. What is not known to gain anything, and is worse by its
    // own figure than this is at the least, is no reason to spread the memory either.
    let one = gain.effect;
    let is_less =
        |other: &Effect| other.high.0 < one.low.0 || other.low.0 <= 1.0 && other.ratio.0 < one.low.0;
    (!effects.is_empty() && effects.iter().all(is_less)).then_some(gain)
}

/// The placements over all nodes.
fn others<'a>(case: &Case<'a>) -> [(EvidenceQuantity, Option<Comparison<'a>>); 2] {
    let header = &case.study.header;
    [
        (EvidenceQuantity::EffectOfInterleaving, comparison::of_interleaving(header)),
        (EvidenceQuantity::EffectOfPlacement, comparison::over_all_nodes(header)),
    ]
}
