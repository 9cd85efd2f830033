//! Findings of memory objects: what stands out of where they lie and who uses them.
//!
//! The run is watched once, so that what a cure brings is known only where it was tried afterwards.

mod nodes;
mod pages;

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, ObjectAdvice,
    ObjectQuantity, ObjectSubject,
};
use numawise_facts::objects::{AccessMethod, TriedCure};
use numawise_facts::{Finding, FindingId, ObjectRun, Reading};
use numawise_tables::objects::{
    FastMemoryChoice, ObjectFinding, ObjectRow, ShareInterval, ThreadShare, UseRow,
};
use numawise_units::{NodeId, Ratio};

use super::is_programs_own;

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;

/// An object with less of the time for memory is none to speak of.
const WORTH_SAYING: f64 = 0.05;
/// One thread, or one node, has it.
const NEARLY_ALL: f64 = 0.9;
/// Several nodes use it where the others together have so much.
const SEVERAL: f64 = 0.2;
/// Above it, nodes divide the parts of an object among them; two nodes that use all of it have 0.5.
const DIVIDED: f64 = 0.8;

/// All findings, in the order of the rows.
pub fn all(run: &ObjectRun, rows: &[ObjectRow], fast: Option<&FastMemoryChoice>) -> Vec<ObjectFinding> {
    let machine = &run.header.machine;
    let thp = &run.header.host.transparent_huge_pages;
    let mut findings = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let Some(seen) = Seen::of(run, row) else { continue };
        let on_nodes = pages::shared(&seen)
            .or_else(|| nodes::of_threads(machine, &seen))
            .or_else(|| nodes::remote(machine, &seen))
            .or_else(|| nodes::misplaced(machine, &seen));
        let further = [
            fast.and_then(|choice| nodes::not_in_fast_memory(choice, k, &seen)),
            pages::without_huge_pages(thp, &seen),
        ];
        let all = on_nodes.into_iter().chain(further.into_iter().flatten());
        findings.extend(all.map(|finding| ObjectFinding { row: k, finding }));
    }
    findings
}

/// A row of which enough is known.
struct Seen<'a> {
    time: ShareInterval,
    used: &'a UseRow,
    row: &'a ObjectRow,
    run: &'a ObjectRun,
}

impl<'a> Seen<'a> {
    fn of(run: &'a ObjectRun, row: &'a ObjectRow) -> Option<Seen<'a>> {
        let time = *row.memory_time.measured()?;
        let is_worth = is_programs_own(row.kind) && time.value.0 >= WORTH_SAYING;
        is_worth.then_some(Seen { time, used: row.used.measured()?, row, run })
    }

    /// Where nearly all of it lies.
    fn home(&self) -> Option<(NodeId, Ratio)> {
        let first = self.row.pages.measured()?.first()?;
        (first.share.0 >= NEARLY_ALL).then_some((first.node?, first.share))
    }

    /// The node of nearly all use.
    fn user_node(&self) -> Option<(NodeId, Ratio)> {
        let first = self.used.nodes.first()?;
        (first.share.0 >= NEARLY_ALL).then_some((first.node?, first.share))
    }

    /// The thread of nearly all use.
    fn user(&self) -> Option<&ThreadShare> {
        self.used.threads.first().filter(|thread| thread.share.0 >= NEARLY_ALL)
    }

    fn used_elsewhere_than(&self, node: NodeId) -> f64 {
        self.used.nodes.iter().filter(|of| of.node != Some(node)).map(|of| of.share.0).sum()
    }

    /// Used from several nodes, none of which has nearly all of it.
    fn has_several_users(&self) -> bool {
        let rest = 1.0 - self.used.nodes.first().map_or(1.0, |of| of.share.0);
        rest >= SEVERAL && self.user_node().is_none()
    }

    /// What every finding begins with.
    fn time(&self) -> Evidence {
        let share = |ratio| Amount::Share(ratio);
        let method = self.run.watching.time.measured().map_or(AccessMethod::Waited, |time| time.method);
        let quantity = match method {
            AccessMethod::Waited => ObjectQuantity::MemoryTimeOfObject,
            AccessMethod::Passes => ObjectQuantity::AccessesOfObject,
        };
        Evidence {
            interval: Some((share(self.time.low), share(self.time.high))),
            ..evidence(quantity, self.time.value, ObjectSubject::WholeObject)
        }
    }

    fn remote(&self) -> Option<Evidence> {
        let remote = *self.used.remote.measured()?;
        Some(evidence(ObjectQuantity::RemoteUse, remote, ObjectSubject::WholeObject))
    }

    /// What a cure brought: tried on this object, else on all memory of the program.
    fn brought(&self, advice: ObjectAdvice) -> AdvisedStep {
        let cure = advice.cure();
        let of_cure = |trial: &&TriedCure| trial.cure == cure;
        let on = |object: Option<u32>| {
            let trials = self.run.trials.iter().filter(of_cure);
            trials.filter(|trial| trial.object == object).map(|trial| trial.effect.clone()).next()
        };
        let own = u32::try_from(self.row.object).ok().and_then(|object| on(Some(object)));
        let step = AdvisedStep::from(Advice::Object(advice));
        match own.or_else(|| on(None)) {
            Some(brought) => AdvisedStep { brought, ..step },
            None => step,
        }
    }

    fn finding(&self, id: FindingId, evidence: Vec<Evidence>, advice: Vec<ObjectAdvice>) -> Finding {
        let advice: Vec<AdvisedStep> = advice.into_iter().map(|advice| self.brought(advice)).collect();
        let tried = advice.iter().filter_map(|step| step.brought.measured().copied());
        let best = tried.max_by(|one, other| one.ratio.0.total_cmp(&other.ratio.0));
        let cost = best.map_or_else(
            || Reading::unavailable("the run was watched once, and no cure was tried"),
            Reading::Measured,
        );
        Finding { id, evidence, cost, cure: None, advice }
    }
}

fn evidence(quantity: ObjectQuantity, value: Ratio, subject: ObjectSubject) -> Evidence {
    Evidence {
        quantity: EvidenceQuantity::Object(quantity),
        value: Reading::Measured(Amount::Share(value)),
        of: None,
        interval: None,
        subject: EvidenceSubject::Object(subject),
        source: EvidenceSource::Samples,
    }
}

fn of_thread(thread: &ThreadShare) -> ObjectSubject {
    ObjectSubject::ThreadOfObject { number: thread.number, node: thread.node }
}
