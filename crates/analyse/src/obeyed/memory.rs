//! Memory: whether that of a point was on the nodes that its policy names, and who put it elsewhere.
//!
//! A policy is a default: a program's `mbind` wins over it, pages of a file stay where the page cache has them, shared memory
//! stays where another process touched it, and reserved huge pages come from the nodes that have some.

use std::collections::BTreeMap;

use numawise_facts::notice::StudyNotice;
use numawise_facts::{
    MappingSnapshot, MemoryMode, MemoryPlan, MemorySnapshot, Observation, PageUse, Point, PointRole,
    PolicyShare, Reading, Reason, ResidencySample, Study,
};
use numawise_units::{Arrange, Bytes, NodeId, NodeSet, Ratio};

use crate::inside::too_early;
use crate::{share, summary};

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;

/// A plan counts as not obeyed when more than this share of the memory is against it: then what the point measures is something
/// else. Less is what libraries, stacks and a node that has no room for the rest put elsewhere.
const AGAINST: f64 = 0.25;
/// Below this, stacks and the loader's own pages are too large a part.
const LEAST: Bytes = Bytes::mib(4);
/// Transparent huge pages: the piece in which memory is interleaved at most.
const HUGE_PAGE: u64 = 2 << 20;
/// Pieces for each thread and node that make an interleaving even whatever node each thread began with.
const PIECES: u64 = 4;
/// A mapped file below this is code, not data: from so much on the design of a study takes it for memory that stays where it is.
const DATA_FILE: Bytes = Bytes::mib(4);
/// Folders of programs and libraries: what is mapped of them is code.
const CODE: [&str; 5] = ["bin", "sbin", "lib", "lib64", "libexec"];
/// Who has less than this share of the memory against the plan is not worth a word.
const NOTEWORTHY: f64 = 0.10;

/// What was asked of memory at a point.
enum AskedOfMemory {
    /// All of it on these nodes.
    On(NodeSet),
    /// Even over these nodes.
    Over(NodeSet),
}

/// Memory that was not where the plan has it.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryAstray {
    pub asked: MemoryPlan,
    /// The share of `total` against the plan, in the last such run.
    pub against: Ratio,
    pub total: Bytes,
    pub by_node: Vec<(NodeId, Bytes)>,
    /// Who put it there, as far as it was seen; the largest first.
    pub deciders: Vec<MemoryDecider>,
    /// The runs in which it was so.
    pub runs: u32,
}

/// Who put memory where the plan does not have it, and how much.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryDecider {
    pub by: DecidedBy,
    pub bytes: Bytes,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DecidedBy {
    /// A policy of the mappings' own, as numa_maps writes it.
    Policy(String),
    /// What the memory is used for: pages that a process's policy does not move.
    Use(PageUse, Option<String>),
}

impl MemoryAstray {
    pub fn notice(&self, point: &Point) -> StudyNotice {
        StudyNotice::MemoryNotObeyed {
            point: point.id.clone(),
            asked: self.asked.clone(),
            against: self.against,
            found: self.by_node.clone(),
            trials: self.runs,
        }
    }
}

/// What was found, where most runs of a point that show it disagree with the plan.
pub fn not_obeyed(study: &Study, point: &Point) -> Option<MemoryAstray> {
    if point.role == PointRole::Baseline {
        return None;
    }
    let (plan, asked) = asked(study, point)?;
    let judged = |observation| judge(point, plan, &asked, observation);
    let runs: Vec<Option<MemoryAstray>> = summary::watched(study, point).filter_map(judged).collect();
    let astray = runs.iter().flatten().count();
    if 2 * astray <= runs.len() {
        return None;
    }
    // The last says it for all: what decides is the same in every run.
    let last = runs.into_iter().flatten().last()?;
    Some(MemoryAstray { runs: astray as u32, ..last })
}

/// The policy of all tasks together; `None` where nothing is asked, or only as long as there is room.
fn asked<'a>(study: &Study, point: &'a Point) -> Option<(&'a MemoryPlan, AskedOfMemory)> {
    let tasks = &point.placement.tasks;
    let plan = &tasks.first()?.memory;
    let named = || tasks.iter().fold(NodeSet::new(), |all, task| all.union(&task.memory.nodes));
    let asked = match plan.mode {
        MemoryMode::Bind | MemoryMode::WeightedInterleave => AskedOfMemory::On(named()),
        MemoryMode::Interleave => AskedOfMemory::Over(named()),
        MemoryMode::Local => {
            let machine = &study.header.machine;
            AskedOfMemory::On(point.placement.cpus().iter().filter_map(|cpu| machine.node_of(cpu)).collect())
        }
        MemoryMode::Default | MemoryMode::Preferred | MemoryMode::PreferredMany => return None,
    };
    let (AskedOfMemory::On(nodes) | AskedOfMemory::Over(nodes)) = &asked;
    (!nodes.is_empty()).then_some((plan, asked))
}

/// One run: `None` when it does not show it, `Some(None)` when it was obeyed.
fn judge(
    point: &Point,
    plan: &MemoryPlan,
    asked: &AskedOfMemory,
    observation: &Observation,
) -> Option<Option<MemoryAstray>> {
    let sample = observation.pages.measured()?;
    let memory = sample.memory.measured();
    let by_node = counted(sample, memory);
    let total: Bytes = by_node.iter().map(|(_, bytes)| *bytes).sum();
    if total < LEAST || too_early(observation, total) {
        return None;
    }
    let foreign: Vec<&PolicyShare> =
        memory.map(|memory| foreign(point, memory).collect()).unwrap_or_default();
    let foreign_share = {
        let bytes: Bytes = foreign.iter().flat_map(|share| &share.by_node).map(|(_, bytes)| *bytes).sum();
        share(bytes.0 as f64, total.0 as f64)?.0.min(1.0)
    };
    let against = match asked {
        AskedOfMemory::On(nodes) => {
            let outside = outside(&by_node, nodes, total);
            // The kernel puts memory where it is touched first, which any node may be; a program's own policy is another matter.
            if plan.mode == MemoryMode::Local { outside.max(foreign_share) } else { outside }
        }
        AskedOfMemory::Over(nodes) => {
            let pieces = PIECES * u64::from(point.threads().max(1)) * nodes.len() as u64;
            if total.0 < pieces * HUGE_PAGE && foreign_share <= AGAINST {
                return None;
            }
            uneven(&by_node, nodes, total)
        }
    };
    Some((against > AGAINST).then(|| MemoryAstray {
        asked: plan.clone(),
        against: Ratio(against),
        total,
        deciders: deciders(asked, sample, &foreign, total),
        by_node,
        runs: 1,
    }))
}

/// The memory that a policy is expected to place, by node: all but code. Where uses are not known, private and shared memory.
fn counted(sample: &ResidencySample, memory: Option<&MemorySnapshot>) -> Vec<(NodeId, Bytes)> {
    let Some(memory) = memory else { return sample.own_and_shared() };
    let mut by_node: BTreeMap<NodeId, Bytes> = BTreeMap::new();
    let mut add = |node: NodeId, bytes: Bytes| {
        let sum = by_node.entry(node).or_default();
        *sum = Bytes(sum.0.saturating_add(bytes.0));
    };
    memory
        .by_use
        .iter()
        .filter(|(used_for, ..)| *used_for != PageUse::File)
        .for_each(|(_, node, bytes)| add(*node, *bytes));
    data_files(memory).flat_map(|file| &file.by_node).for_each(|(node, bytes)| add(*node, *bytes));
    by_node.into_iter().collect()
}

/// Files that are mapped as data.
pub fn data_files(memory: &MemorySnapshot) -> impl Iterator<Item = &MappingSnapshot> {
    let code = |file: &str| {
        let folders = file.rsplit_once('/').map_or("", |(folders, _)| folders);
        file.ends_with(".so")
            || file.contains(".so.")
            || folders.split('/').any(|folder| CODE.contains(&folder))
    };
    memory.largest.iter().filter(move |mapping| {
        mapping.used_for == PageUse::File
            && mapping.resident() >= DATA_FILE
            && mapping.file.as_deref().is_some_and(|file| !code(file))
    })
}

fn outside(by_node: &[(NodeId, Bytes)], nodes: &NodeSet, total: Bytes) -> f64 {
    let outside: Bytes = by_node.iter().filter(|(node, _)| !nodes.contains(*node)).map(|(_, b)| *b).sum();
    outside.0 as f64 / total.0 as f64
}

/// The share that would have to move for each node to hold as much.
fn uneven(by_node: &[(NodeId, Bytes)], nodes: &NodeSet, total: Bytes) -> f64 {
    let fair = |node: NodeId| if nodes.contains(node) { 1.0 / nodes.len() as f64 } else { 0.0 };
    by_node.iter().map(|(node, bytes)| (bytes.0 as f64 / total.0 as f64 - fair(*node)).max(0.0)).sum()
}

/// Policies of mappings that are not what a task was started with.
fn foreign<'a>(point: &'a Point, memory: &'a MemorySnapshot) -> impl Iterator<Item = &'a PolicyShare> {
    let asked = |policy: &str| point.placement.tasks.iter().any(|task| is_asked(&task.memory, policy));
    memory.by_policy.iter().filter(move |share| !asked(&share.policy))
}

/// Whether a policy as numa_maps writes it (`bind:0`, `interleave=static:0-1`, `prefer (many):0`) is that of the plan.
fn is_asked(plan: &MemoryPlan, policy: &str) -> bool {
    let (name, nodes) = policy.split_once(':').unwrap_or((policy, ""));
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let expected: &[&str] = match plan.mode {
        MemoryMode::Default | MemoryMode::Local => return matches!(name, "local" | "default"),
        MemoryMode::Bind => &["bind"],
        MemoryMode::Interleave => &["interleave"],
        MemoryMode::WeightedInterleave => &["weighted interleave"],
        MemoryMode::Preferred | MemoryMode::PreferredMany => &["prefer", "prefer (many)"],
    };
    expected.contains(&name) && nodes.parse::<NodeSet>().is_ok_and(|nodes| nodes == plan.nodes)
}

/// Who has how much of the memory against the plan.
fn deciders(
    asked: &AskedOfMemory,
    sample: &ResidencySample,
    foreign: &[&PolicyShare],
    total: Bytes,
) -> Vec<MemoryDecider> {
    let (AskedOfMemory::On(nodes) | AskedOfMemory::Over(nodes)) = asked;
    // What is interleaved has no node that is wrong for a page: the whole counts.
    let whole = matches!(asked, AskedOfMemory::Over(_));
    let counts = |node: NodeId| whole || !nodes.contains(node);
    let astray = |by_node: &[(NodeId, Bytes)]| -> Bytes {
        by_node.iter().filter(|(node, _)| counts(*node)).map(|(_, bytes)| *bytes).sum()
    };
    let policies = foreign.iter().map(|share| MemoryDecider {
        by: DecidedBy::Policy(share.policy.clone()),
        bytes: share.by_node.iter().map(|(_, bytes)| *bytes).sum(),
    });
    let Some(memory) = sample.memory.measured() else {
        let bytes = astray(sample.shared.measured().map_or(&[], Vec::as_slice));
        let shared = MemoryDecider { by: DecidedBy::Use(PageUse::Shared, None), bytes };
        return Vec::from_iter((bytes.0 as f64 >= NOTEWORTHY * total.0 as f64).then_some(shared));
    };
    let of_use = |used_for: PageUse| -> Bytes {
        let there = memory.by_use.iter().filter(|(other, node, _)| *other == used_for && counts(*node));
        there.map(|(.., bytes)| *bytes).sum()
    };
    let uses = [PageUse::Huge, PageUse::Shared]
        .map(|used_for| MemoryDecider { by: DecidedBy::Use(used_for, None), bytes: of_use(used_for) });
    let files = data_files(memory).map(|mapping| MemoryDecider {
        by: DecidedBy::Use(PageUse::File, mapping.file.clone()),
        bytes: astray(&mapping.by_node),
    });
    let mut deciders: Vec<MemoryDecider> = policies.chain(uses).chain(files).collect();
    deciders.retain(|decider| decider.bytes.0 as f64 >= NOTEWORTHY * total.0 as f64);
    deciders.arrange_by_key(|decider| std::cmp::Reverse(decider.bytes));
    deciders
}

/// Why it was not seen who decides.
pub fn unseen(study: &Study, point: &Point) -> Option<Reason> {
    let of = |observation: &Observation| match &observation.pages.measured()?.memory {
        Reading::Unavailable { unavailable } => Some(unavailable.clone()),
        Reading::Measured(_) => None,
    };
    summary::watched(study, point).find_map(of)
}
