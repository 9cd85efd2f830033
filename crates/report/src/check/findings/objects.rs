//! Findings of memory objects.

use numawise_facts::finding::{
    Evidence, EvidenceQuantity, EvidenceSubject, ObjectAdvice, ObjectQuantity, ObjectSubject,
};
use numawise_facts::{Finding, FindingId};
use numawise_units::NodeId;

use super::{amount, value, watched};

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;

/// What a finding is called.
pub fn name(id: FindingId) -> &'static str {
    super::title(id)
}

pub(super) fn title(id: FindingId) -> &'static str {
    match id {
        FindingId::ObjectTouchedByOne => "first touched by one thread, used from several nodes",
        FindingId::ObjectRemote => "lies on another node than its users",
        FindingId::ObjectUsedByAll => "lies on one node, and threads of several use all of it",
        FindingId::ObjectOfThreadElsewhere => "used by one thread, which is on another node",
        FindingId::ObjectNotInFastMemory => "much used, and not in the fast memory",
        _ => id.code(),
    }
}

/// What was seen, one sentence for each piece of evidence.
pub fn evidence(finding: &Finding) -> Vec<String> {
    let sentence = |one: &Evidence| match one.quantity {
        EvidenceQuantity::Object(quantity) => sentence(quantity, one),
        _ => value(one),
    };
    finding.evidence.iter().map(sentence).collect()
}

/// What to do, one sentence each.
pub fn advice(finding: &Finding) -> Vec<String> {
    super::advice(finding)
}

pub(super) fn sentence(quantity: ObjectQuantity, one: &Evidence) -> String {
    let value = value(one);
    match quantity {
        ObjectQuantity::MemoryTimeOfObject => {
            let interval = one.interval.map_or_else(String::new, |(low, high)| {
                format!(" (95 % interval {} to {})", amount(low), amount(high))
            });
            format!("threads spend {value} of their time for memory with it{interval}")
        }
        ObjectQuantity::FaultsOfObjectByThread => {
            format!("{} took {value} of its page faults", subject(one))
        }
        ObjectQuantity::ObjectOnNode => format!("{value} of it lie on {}", subject(one)),
        ObjectQuantity::UsedFromElsewhere => {
            format!("threads on other nodes than {} have {value} of the time with it", subject(one))
        }
        ObjectQuantity::RemoteUse => {
            format!("in {value} of the time with it the page was on another node than the CPU")
        }
        ObjectQuantity::UsedFromNode => {
            format!("threads on {} have {value} of the time with it", subject(one))
        }
        ObjectQuantity::UsedByThread => format!("{} has {value} of the time with it", subject(one)),
        ObjectQuantity::PartsOfNodes => {
            format!("of each part of it, the node that uses it most has {value} of that, on average")
        }
    }
}

fn subject(one: &Evidence) -> String {
    match &one.subject {
        EvidenceSubject::Object(ObjectSubject::ThreadOfObject { number, node }) => thread(*number, *node),
        EvidenceSubject::Object(ObjectSubject::NodeOfObject { node }) => format!("node {node}"),
        _ => "the object".to_owned(),
    }
}

/// `thread 3 on node 1`.
pub fn thread(number: u32, node: Option<NodeId>) -> String {
    match node {
        Some(node) => format!("thread {number} on node {node}"),
        None => format!("thread {number}"),
    }
}

pub(super) fn advise(advice: &ObjectAdvice) -> String {
    match advice {
        ObjectAdvice::TouchWhereUsed { used_at } => {
            format!(
                "initialise it in a loop that is divided among the threads as the one {} (the same static schedule), with pinned threads",
                watched::place(used_at)
            )
        }
        ObjectAdvice::InterleaveObject { nodes } => {
            format!(
                "spread its pages over nodes {nodes} (numa_alloc_interleaved, mbind, or --memory interleave for all memory)"
            )
        }
        ObjectAdvice::TouchByUser { number } => {
            format!("let thread {number} initialise it, once it is where it stays")
        }
        ObjectAdvice::PutOnNode { node } => {
            format!("put it on node {node} (numa_alloc_onnode, mbind), or let its users run where it lies")
        }
        ObjectAdvice::PutIntoFastMemory { nodes } => {
            format!("put it into the fast memory, node {nodes} (memkind, hbw_malloc, mbind)")
        }
    }
}
