//! NW008 and NW009: who else than the plan decides where memory and threads are.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, ObeyedAdvice,
    ObeyedQuantity,
};
use numawise_facts::notice::StudyNotice;
use numawise_facts::{Finding, FindingId, PageUse, Point, Reading};
use numawise_tables::ContrastCall;

use super::{Case, Decided, cost, of_points, plain};
use crate::comparison::{self, Comparison};
use crate::obeyed::memory::{self, DecidedBy, MemoryAstray};
use crate::obeyed::threads;
use crate::share;

#[cfg(test)]
#[path = "others_tests.rs"]
mod tests;

/// Memory that was not where the plan has it, and who put it there.
pub fn memory_out_of_reach(case: &Case) -> Option<Finding> {
    let points = case.study.header.points.iter();
    let astray: Vec<(&Point, MemoryAstray)> =
        points.filter_map(|point| Some((point, memory::not_obeyed(case.study, point)?))).collect();
    let mut evidence: Vec<Evidence> =
        astray.iter().map(|(point, astray)| against_plan(point, astray)).collect();
    // The point with the most against its plan shows best who decides; it is the same program everywhere.
    let (point, most) = astray.iter().max_by(|a, b| a.1.against.0.total_cmp(&b.1.against.0))?;
    evidence.extend(most.deciders.iter().filter_map(|decider| {
        let part = Amount::Share(share(decider.bytes.0 as f64, most.total.0 as f64)?);
        let (quantity, subject) = subject(point, &decider.by);
        Some(plain(quantity, part, Some(Amount::Bytes(most.total)), subject, EvidenceSource::Observations))
    }));
    if most.deciders.is_empty() {
        evidence.push(nobody_seen(case, point));
    }
    let gain = beside_its_memory(case, most);
    evidence.extend(gain.map(|gain| gain.evidence(EvidenceQuantity::EffectOfOneNode)));
    let mut advice: Vec<AdvisedStep> = gain.map(keep_together).into_iter().collect();
    for decider in &most.deciders {
        let todo = AdvisedStep::from(match &decider.by {
            DecidedBy::Use(PageUse::Huge, _) => Advice::Obeyed(ObeyedAdvice::ReserveHugePages),
            DecidedBy::Use(PageUse::Shared, _) => Advice::Obeyed(ObeyedAdvice::PlaceSharedMemory),
            DecidedBy::Use(PageUse::File, _) => Advice::Obeyed(ObeyedAdvice::ReadFilesThere),
            DecidedBy::Policy(_) | DecidedBy::Use(..) => Advice::Obeyed(ObeyedAdvice::LeaveMemoryPolicy),
        });
        if !advice.contains(&todo) {
            advice.push(todo);
        }
    }
    Some(Finding {
        id: FindingId::MemoryOutOfReach,
        evidence,
        cost: cost(gain, "what other places for its memory would bring could not be tried"),
        cure: gain.and_then(|gain| gain.cure()),
        advice,
    })
}

fn keep_together(gain: Decided) -> AdvisedStep {
    AdvisedStep::tried(Advice::KeepTogether { placement: gain.between.to.id.clone() }, gain.effect)
}

/// A single thread that is decidedly better on the node where its memory lies, whoever put it there. Of files that is said by a
/// finding of their own, of several threads by that they do better together.
fn beside_its_memory<'a>(case: &Case<'a>, most: &MemoryAstray) -> Option<Decided<'a>> {
    if matches!(most.deciders.first()?.by, DecidedBy::Use(PageUse::File, _)) {
        return None;
    }
    let (home, _) = most.by_node.iter().max_by_key(|(_, bytes)| *bytes)?;
    let gain = case.gain(comparison::of_one_node(&case.study.header))?;
    let there = gain.between.to.levels.placement.nodes.as_ref()?.contains(*home);
    (there && gain.between.to.threads() < 2).then_some(gain)
}

fn against_plan(point: &Point, astray: &MemoryAstray) -> Evidence {
    plain(
        ObeyedQuantity::MemoryAgainstPlan.into(),
        Amount::Share(astray.against),
        Some(Amount::Bytes(astray.total)),
        EvidenceSubject::Point { point: point.id.clone() },
        EvidenceSource::Observations,
    )
}

fn subject(point: &Point, by: &DecidedBy) -> (EvidenceQuantity, EvidenceSubject) {
    let point = point.id.clone();
    match by {
        DecidedBy::Policy(policy) => (
            ObeyedQuantity::MemoryUnderPolicy.into(),
            EvidenceSubject::Policy { point, policy: policy.clone() },
        ),
        DecidedBy::Use(used_for, file) => (
            ObeyedQuantity::MemoryByUse.into(),
            EvidenceSubject::MemoryUse { point, used_for: *used_for, file: file.clone() },
        ),
    }
}

/// No policy but the plan's and no use that a policy does not move was seen, or mappings were not read at all.
fn nobody_seen(case: &Case, point: &Point) -> Evidence {
    let none = Reading::Measured(Amount::Share(numawise_units::Ratio(0.0)));
    Evidence {
        quantity: ObeyedQuantity::MemoryUnderPolicy.into(),
        value: memory::unseen(case.study, point)
            .map_or(none, |unavailable| Reading::Unavailable { unavailable }),
        of: None,
        interval: None,
        subject: EvidenceSubject::Point { point: point.id.clone() },
        source: EvidenceSource::Observations,
    }
}

/// Threads are bound where numawise binds nothing; and what happens without it, where a placement shows that.
pub fn threads_bound(case: &Case) -> Option<Finding> {
    let StudyNotice::BoundByOthers { point, found, allowed, .. } = threads::bound_by_others(case.study)?
    else {
        return None;
    };
    let mut evidence = vec![plain(
        ObeyedQuantity::CpusOfThreads.into(),
        Amount::Count(found.len() as u64),
        Some(Amount::Count(allowed.len() as u64)),
        EvidenceSubject::Cpus { point, cpus: found.clone() },
        EvidenceSource::Observations,
    )];
    let header = &case.study.header;
    let baseline = header.baseline()?;
    // A placement that was obeyed had the threads elsewhere: it is what happens without the program's binding.
    let elsewhere: Vec<Comparison> = header
        .points
        .iter()
        .map(|to| Comparison { from: baseline, to })
        .filter(|between| between.from.levels.same_work(&between.to.levels))
        .filter(|between| case.contrast(*between).is_some())
        // A plan may happen to name the CPUs that the program takes anyway.
        .filter(|between| threads::held_to(case.study, between.to).is_some_and(|there| there != found))
        .collect();
    let effects = elsewhere.iter().filter_map(|between| {
        let effect = case.contrast(*between)?.effect.clone();
        Some(of_points(EvidenceQuantity::EffectOfPlacement, *between, effect))
    });
    evidence.extend(effects);
    let gains = elsewhere.iter().filter_map(|between| case.decided(*between, ContrastCall::Better));
    let best: Option<Decided> = gains.max_by(|a, b| a.effect.ratio.0.total_cmp(&b.effect.ratio.0));
    let seen = |point: &Point| threads::held_to(case.study, point).is_some();
    let otherwise = if !header.points.iter().any(|point| point.id != baseline.id && seen(point)) {
        "at no other placement were its threads watched, so that no run shows what happens without its own binding"
    } else if elsewhere.is_empty() {
        "its own binding won at every other placement, so that no run shows what happens without it"
    } else {
        "no placement without its binding is decidedly better"
    };
    Some(Finding {
        id: FindingId::ThreadsBoundByProgram,
        evidence,
        cost: cost(best, otherwise),
        cure: best.and_then(|gain| gain.cure()),
        advice: match best {
            Some(gain) => {
                let placement = gain.between.to.id.clone();
                vec![AdvisedStep::tried(Advice::UsePlacement { placement }, gain.effect)]
            }
            None if elsewhere.is_empty() => vec![Advice::Obeyed(ObeyedAdvice::LeaveThreads).into()],
            None => Vec::new(),
        },
    })
}
