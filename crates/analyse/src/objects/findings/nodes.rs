//! NW040 to NW043 and NW045: objects on another node than is good for those that use them.

use std::collections::BTreeSet;

use numawise_facts::finding::{Evidence, ObjectAdvice, ObjectQuantity, ObjectSubject};
use numawise_facts::objects::PARTS;
use numawise_facts::{Finding, FindingId, Machine, Reading};
use numawise_tables::objects::{FastMemoryChoice, NodeShare};
use numawise_units::{Bytes, NodeId, NodeSet, Ratio};

use super::{DIVIDED, NEARLY_ALL, SEVERAL, Seen, evidence, of_thread};

/// Pages that are spread over two nodes without regard to their users are remote to half of them.
const MISPLACED: f64 = 0.4;
/// The fast memory holds it where so much of it lies there.
const HALF: f64 = 0.5;

/// Used from several nodes, on one of which it lies.
pub fn of_threads(machine: &Machine, seen: &Seen<'_>) -> Option<Finding> {
    let (home, on_home) = seen.home().filter(|(home, _)| has_cpus(machine, *home))?;
    let elsewhere = seen.used_elsewhere_than(home);
    if elsewhere < SEVERAL || seen.user_node().is_some() {
        return None;
    }
    let parts = division(seen)?;
    let toucher = seen.row.first_touch.measured().and_then(|touch| {
        let first = touch.threads.first()?;
        (first.share.0 >= NEARLY_ALL).then_some(*first)
    });
    let on = ObjectSubject::NodeOfObject { node: home };
    let mut all = vec![
        seen.time(),
        evidence(ObjectQuantity::ObjectOnNode, on_home, on.clone()),
        evidence(ObjectQuantity::UsedFromElsewhere, Ratio(elsewhere), on),
    ];
    all.extend(
        toucher
            .map(|thread| evidence(ObjectQuantity::FaultsOfObjectByThread, thread.share, of_thread(&thread))),
    );
    let is_divided = parts.is_divided;
    all.push(parts.evidence);
    all.extend(seen.remote());
    let interleave = ObjectAdvice::InterleaveObject { nodes: nodes_of(machine, &seen.used.nodes, home) };
    if !is_divided {
        return Some(seen.finding(FindingId::ObjectUsedByAll, all, vec![interleave]));
    }
    // Where it is not known who touched it, the pages still lie on one node.
    let id = if toucher.is_some() { FindingId::ObjectTouchedByOne } else { FindingId::ObjectRemote };
    Some(seen.finding(id, all, vec![touch_where_used(seen), interleave]))
}

/// Whether nodes divide an object among them, by its parts.
struct Divided {
    is_divided: bool,
    evidence: Evidence,
}

/// Pages have no more anywhere that Linux runs on servers: aarch64 and POWER.
const LARGEST_PAGE: Bytes = Bytes::kib(64);

/// An object of few pages has parts below the size of a page, which can lie on one node only: then its pages count.
fn division(seen: &Seen<'_>) -> Option<Divided> {
    let page = seen.run.watching.page_size.measured().copied().unwrap_or(LARGEST_PAGE);
    let has_large_parts = seen.row.bytes.0 / u64::from(PARTS) >= page.0;
    let (quantity, share) = if has_large_parts {
        (ObjectQuantity::PartsOfNodes, &seen.used.parts_of_nodes)
    } else {
        (ObjectQuantity::PagesOfNodes, &seen.used.pages_of_nodes)
    };
    let share = *share.measured()?;
    Some(Divided {
        is_divided: share.0 >= DIVIDED,
        evidence: evidence(quantity, share, ObjectSubject::WholeObject),
    })
}

fn touch_where_used(seen: &Seen<'_>) -> ObjectAdvice {
    let used_at = match seen.used.places.first() {
        Some((place, _)) => Reading::Measured(place.clone()),
        None => Reading::unavailable("no place of its use is known"),
    };
    ObjectAdvice::TouchWhereUsed { used_at }
}

/// Memory of a node without CPUs, as fast memory often is, is never on the node of those that use it.
fn has_cpus(machine: &Machine, node: NodeId) -> bool {
    machine.node(node).is_some_and(|node| !node.cpus.is_empty())
}

/// Used from one node, while it lies on another.
pub fn remote(machine: &Machine, seen: &Seen<'_>) -> Option<Finding> {
    let (home, on_home) = seen.home().filter(|(home, _)| has_cpus(machine, *home))?;
    let (user_node, from_there) = seen.user_node()?;
    if user_node == home {
        return None;
    }
    let on = ObjectSubject::NodeOfObject { node: home };
    let mut all = vec![seen.time(), evidence(ObjectQuantity::ObjectOnNode, on_home, on)];
    let put = ObjectAdvice::PutOnNode { node: user_node };
    let Some(thread) = seen.user() else {
        let subject = ObjectSubject::NodeOfObject { node: user_node };
        all.push(evidence(ObjectQuantity::UsedFromNode, from_there, subject));
        all.extend(seen.remote());
        return Some(seen.finding(FindingId::ObjectRemote, all, vec![put]));
    };
    all.push(evidence(ObjectQuantity::UsedByThread, thread.share, of_thread(thread)));
    all.extend(seen.remote());
    let by_user = ObjectAdvice::TouchByUser { number: thread.number };
    Some(seen.finding(FindingId::ObjectOfThreadElsewhere, all, vec![by_user, put]))
}

/// It lies on several nodes whose threads divide it among them, but its parts are not with those that use them.
pub fn misplaced(machine: &Machine, seen: &Seen<'_>) -> Option<Finding> {
    if seen.home().is_some() || !seen.has_several_users() {
        return None;
    }
    let most = *seen.row.pages.measured()?.first()?;
    let remote = seen.used.remote.measured().filter(|share| share.0 >= MISPLACED)?;
    let parts = division(seen).filter(|parts| parts.is_divided)?;
    let node = most.node.filter(|node| has_cpus(machine, *node))?;
    let all = vec![
        seen.time(),
        evidence(ObjectQuantity::ObjectOnNode, most.share, ObjectSubject::NodeOfObject { node }),
        evidence(ObjectQuantity::RemoteUse, *remote, ObjectSubject::WholeObject),
        parts.evidence,
    ];
    Some(seen.finding(FindingId::ObjectRemote, all, vec![touch_where_used(seen)]))
}

/// Chosen for the fast memory, and most of it is not there.
pub fn not_in_fast_memory(choice: &FastMemoryChoice, row: usize, seen: &Seen<'_>) -> Option<Finding> {
    choice.chosen.iter().find(|one| one.row == row)?;
    let pages = seen.row.pages.measured()?;
    let is_fast = |of: &&NodeShare| of.node.is_some_and(|node| choice.nodes.contains(node));
    let there: f64 = pages.iter().filter(is_fast).map(|of| of.share.0).sum();
    let most = pages.iter().find(|of| !is_fast(of))?;
    if there >= HALF {
        return None;
    }
    let subject = ObjectSubject::NodeOfObject { node: most.node? };
    let mut all = vec![seen.time(), evidence(ObjectQuantity::ObjectOnNode, most.share, subject)];
    if choice.chosen.len() > 1 {
        let together = choice.memory_time.value;
        all.push(evidence(ObjectQuantity::MemoryTimeOfChoice, together, ObjectSubject::WholeObject));
    }
    let advice = ObjectAdvice::PutIntoFastMemory { nodes: choice.nodes.clone() };
    Some(seen.finding(FindingId::ObjectNotInFastMemory, all, vec![advice]))
}

/// Nodes with memory from which it is used, and the one where it lies.
fn nodes_of(machine: &Machine, used: &[NodeShare], home: NodeId) -> NodeSet {
    let users: BTreeSet<NodeId> = used.iter().filter_map(|of| of.node).chain([home]).collect();
    let has_memory = |node: &NodeId| machine.node(*node).is_some_and(|node| !node.has_no_memory());
    users.into_iter().filter(has_memory).collect()
}
