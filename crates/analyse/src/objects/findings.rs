//! Findings of memory objects: what stands out of where they lie and who uses them.
//!
//! The run is watched once, so that nothing is known here of what a cure brings.

use std::collections::BTreeSet;

use numawise_facts::finding::{
    Advice, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, ObjectAdvice,
    ObjectQuantity, ObjectSubject,
};
use numawise_facts::memory::MemoryKind;
use numawise_facts::{Finding, FindingId, Machine, ObjectRun, Reading};
use numawise_tables::objects::{NodeShare, ObjectFinding, ObjectRow, ShareInterval, ThreadShare, UseRow};
use numawise_units::{Bytes, NodeId, NodeSet, Ratio};

use super::is_programs_own;

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;

/// An object with less of the time for memory is none to look at.
const WORTH_SAYING: f64 = 0.05;
/// One thread, or one node, has it.
const NEARLY_ALL: f64 = 0.9;
/// Several nodes use it where the others together have so much.
const SEVERAL: f64 = 0.2;
/// Above it, nodes divide the parts of an object among them; two nodes that use all of it have 0.5.
const DIVIDED: f64 = 0.8;

/// All findings, in the order of the rows.
pub fn all(run: &ObjectRun, rows: &[ObjectRow]) -> Vec<ObjectFinding> {
    let machine = &run.header.machine;
    let mut findings = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let Some(seen) = Seen::of(row) else { continue };
        let found = of_threads(machine, &seen).or_else(|| remote(&seen));
        findings.extend(found.map(|finding| ObjectFinding { row: k, finding }));
    }
    findings.extend(not_in_fast_memory(machine, rows));
    findings.sort_by_key(|finding| finding.row);
    findings
}

/// A row of which enough is known.
struct Seen<'a> {
    time: ShareInterval,
    used: &'a UseRow,
    row: &'a ObjectRow,
}

impl<'a> Seen<'a> {
    fn of(row: &'a ObjectRow) -> Option<Seen<'a>> {
        let time = *row.memory_time.measured()?;
        let is_worth = is_programs_own(row.kind) && time.value.0 >= WORTH_SAYING;
        is_worth.then_some(Seen { time, used: row.used.measured()?, row })
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

    /// What every finding begins with.
    fn time(&self) -> Evidence {
        let share = |ratio| Amount::Share(ratio);
        Evidence {
            interval: Some((share(self.time.low), share(self.time.high))),
            ..evidence(ObjectQuantity::MemoryTimeOfObject, self.time.value, ObjectSubject::WholeObject)
        }
    }

    fn remote(&self) -> Option<Evidence> {
        let remote = *self.used.remote.measured()?;
        Some(evidence(ObjectQuantity::RemoteUse, remote, ObjectSubject::WholeObject))
    }
}

/// Used from several nodes, on one of which it lies.
fn of_threads(machine: &Machine, seen: &Seen<'_>) -> Option<Finding> {
    let (home, on_home) = seen.home()?;
    let elsewhere = seen.used_elsewhere_than(home);
    if elsewhere < SEVERAL || seen.user_node().is_some() {
        return None;
    }
    let parts = *seen.used.parts_of_nodes.measured()?;
    let toucher = seen.row.first_touch.measured().and_then(|touch| {
        let first = touch.threads.first()?;
        (first.share.0 >= NEARLY_ALL).then_some(*first)
    });
    let mut all = vec![
        seen.time(),
        evidence(ObjectQuantity::ObjectOnNode, on_home, ObjectSubject::NodeOfObject { node: home }),
        evidence(
            ObjectQuantity::UsedFromElsewhere,
            Ratio(elsewhere),
            ObjectSubject::NodeOfObject { node: home },
        ),
    ];
    all.extend(
        toucher
            .map(|thread| evidence(ObjectQuantity::FaultsOfObjectByThread, thread.share, of_thread(&thread))),
    );
    all.push(evidence(ObjectQuantity::PartsOfNodes, parts, ObjectSubject::WholeObject));
    all.extend(seen.remote());
    let interleave = ObjectAdvice::InterleaveObject { nodes: nodes_of(machine, &seen.used.nodes, home) };
    if parts.0 < DIVIDED {
        return Some(finding(FindingId::ObjectUsedByAll, all, vec![interleave]));
    }
    let used_at = match seen.used.places.first() {
        Some((place, _)) => Reading::Measured(place.clone()),
        None => Reading::unavailable("no place of its use is known"),
    };
    // Where it is not known who touched it, the pages still lie on one node.
    let id = if toucher.is_some() { FindingId::ObjectTouchedByOne } else { FindingId::ObjectRemote };
    Some(finding(id, all, vec![ObjectAdvice::TouchWhereUsed { used_at }, interleave]))
}

/// Used from one node, while it lies on another.
fn remote(seen: &Seen<'_>) -> Option<Finding> {
    let (home, on_home) = seen.home()?;
    let (user_node, from_there) = seen.user_node()?;
    if user_node == home {
        return None;
    }
    let mut all = vec![
        seen.time(),
        evidence(ObjectQuantity::ObjectOnNode, on_home, ObjectSubject::NodeOfObject { node: home }),
    ];
    let put = ObjectAdvice::PutOnNode { node: user_node };
    let Some(thread) = seen.user() else {
        let subject = ObjectSubject::NodeOfObject { node: user_node };
        all.push(evidence(ObjectQuantity::UsedFromNode, from_there, subject));
        all.extend(seen.remote());
        return Some(finding(FindingId::ObjectRemote, all, vec![put]));
    };
    all.push(evidence(ObjectQuantity::UsedByThread, thread.share, of_thread(thread)));
    all.extend(seen.remote());
    let by_user = ObjectAdvice::TouchByUser { number: thread.number };
    Some(finding(FindingId::ObjectOfThreadElsewhere, all, vec![by_user, put]))
}

/// Objects for the fast memory of the machine: those with the most time for each byte, as long as they fit. With parts that are small
/// beside the whole this choice is near to the best (G. B. Dantzig, Discrete-variable extremum problems, Operations Research 5, 1957).
fn not_in_fast_memory(machine: &Machine, rows: &[ObjectRow]) -> Vec<ObjectFinding> {
    let fast: Vec<_> = machine.nodes.iter().filter(|node| node.kind == MemoryKind::Hbm).collect();
    let nodes: NodeSet = fast.iter().map(|node| node.id).collect();
    let known = fast.iter().filter_map(|node| node.memory.measured());
    let Some(mut free) = known.copied().reduce(|all, one| Bytes(all.0 + one.0)) else { return Vec::new() };
    let mut wanted: Vec<(usize, Seen<'_>)> =
        rows.iter().enumerate().filter_map(|(k, row)| Some((k, Seen::of(row)?))).collect();
    let density = |seen: &Seen<'_>| seen.time.value.0 / seen.row.bytes.0.max(1) as f64;
    wanted.sort_by(|(_, one), (_, other)| density(other).total_cmp(&density(one)));
    let mut findings = Vec::new();
    for (k, seen) in wanted {
        if seen.row.bytes > free {
            continue;
        }
        free = Bytes(free.0 - seen.row.bytes.0);
        let Some((home, share)) = seen.home().filter(|(home, _)| !nodes.contains(*home)) else { continue };
        let on = evidence(ObjectQuantity::ObjectOnNode, share, ObjectSubject::NodeOfObject { node: home });
        let advice = ObjectAdvice::PutIntoFastMemory { nodes: nodes.clone() };
        let finding = finding(FindingId::ObjectNotInFastMemory, vec![seen.time(), on], vec![advice]);
        findings.push(ObjectFinding { row: k, finding });
    }
    findings
}

/// Nodes with memory from which it is used, and the one where it lies.
fn nodes_of(machine: &Machine, used: &[NodeShare], home: NodeId) -> NodeSet {
    let users: BTreeSet<NodeId> = used.iter().filter_map(|of| of.node).chain([home]).collect();
    let has_memory = |node: &NodeId| machine.node(*node).is_some_and(|node| !node.has_no_memory());
    users.into_iter().filter(has_memory).collect()
}

fn of_thread(thread: &ThreadShare) -> ObjectSubject {
    ObjectSubject::ThreadOfObject { number: thread.number, node: thread.node }
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

fn finding(id: FindingId, evidence: Vec<Evidence>, advice: Vec<ObjectAdvice>) -> Finding {
    Finding {
        id,
        evidence,
        cost: Reading::unavailable("the run was watched once, and no cure was tried"),
        cure: None,
        advice: advice.into_iter().map(|advice| Advice::Object(advice).into()).collect(),
    }
}
