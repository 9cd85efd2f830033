//! What will be measured, in which order, and how long each step may take. Pure: it may be made of any machine.
//!
//! Memory is taken once for each node that has some: all that is measured of this node's memory comes in a row, from all
//! nodes with CPUs. The whole keeps to a budget that grows with the pairs of nodes; getting memory ready is taken from it
//! first, and what is left is shared by what each step would like to have.

mod steps;

pub(crate) use steps::{DELAYS, lonely, per_octave};

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

use numawise_facts::{Depth, Machine, Mix, Target, Workers};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId};

use crate::Request;
use crate::layout::Layout;
use crate::sizes;

/// The steps of a measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub steps: Vec<PlannedStep>,
    /// What the whole may take.
    pub budget: Nanoseconds,
    /// What is left out on purpose, as sentences.
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    /// As a person would name it.
    pub what: String,
    pub expected: Nanoseconds,
    pub(crate) experiment: Experiment,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Experiment {
    /// Gets memory of these nodes, and gives back that of others.
    Fill(Vec<NodeId>),
    Bandwidth {
        workers: Workers,
        target: Target,
        mix: Mix,
    },
    Loaded {
        from: NodeId,
        to: NodeId,
        mix: Mix,
    },
    Latency {
        from: NodeId,
        to: NodeId,
    },
    WorkingSets {
        from: NodeId,
        to: NodeId,
    },
    /// Gets memory of this node in base pages.
    FillBase(NodeId),
    TlbMisses {
        from: NodeId,
        to: NodeId,
    },
    Transfer {
        owner: Core,
        reader: Core,
    },
}

/// A CPU and the node it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Core {
    pub cpu: CpuId,
    pub node: NodeId,
    /// The node whose memory is its own.
    pub home: NodeId,
}

impl Plan {
    /// The steps for this machine. Nothing is measured, and the machine may be a recorded one.
    pub fn of(machine: &Machine, request: &Request) -> Plan {
        Plan::with(&Layout::of(machine, request), request)
    }

    pub(crate) fn with(layout: &Layout, request: &Request) -> Plan {
        let budget = budget(request.depth, layout.pairs());
        let (wishes, remarks) = steps::wishes(layout, request);
        // A tenth for all that nobody planned.
        let usable = budget * 0.9;
        let ready: f64 = wishes.iter().filter(|wish| wish.fixed).map(|wish| wish.seconds).sum();
        let wished: f64 = wishes.iter().filter(|wish| !wish.fixed).map(|wish| wish.seconds).sum();
        // Where memory comes slowly or is large, measuring keeps a third.
        let scale = ((usable - ready).max(usable / 3.0) / wished.max(1e-9)).min(1.0);
        let step = |wish: steps::Wish| PlannedStep {
            expected: Nanoseconds::from_seconds(wish.seconds * if wish.fixed { 1.0 } else { scale }),
            what: wish.what,
            experiment: wish.experiment,
        };
        Plan {
            steps: wishes.into_iter().map(step).collect(),
            budget: Nanoseconds::from_seconds(budget),
            remarks,
        }
    }

    /// The same in a part of the time.
    pub(crate) fn shortened(mut self, share: f64) -> Plan {
        let times = |span: Nanoseconds| Nanoseconds::from_seconds(span.seconds() * share);
        self.budget = times(self.budget);
        self.steps.iter_mut().for_each(|step| step.expected = times(step.expected));
        self
    }

    /// How many buffers are got ready.
    pub(crate) fn buffers(&self) -> usize {
        let of_step = |step: &PlannedStep| match &step.experiment {
            Experiment::Fill(nodes) => nodes.len(),
            Experiment::FillBase(_) => 1,
            _ => 0,
        };
        self.steps.iter().map(of_step).sum()
    }

    /// What the steps will probably take in all.
    pub fn expected(&self) -> Nanoseconds {
        self.steps.iter().fold(Nanoseconds(0), |sum, step| sum + step.expected)
    }
}

/// Seconds for so many pairs of nodes.
fn budget(depth: Depth, pairs: usize) -> f64 {
    let (whole, pair) = match depth {
        Depth::Quick => (5.0, 1.0),
        Depth::Standard => (20.0, 2.0),
        Depth::Full => (60.0, 5.0),
    };
    whole + pair * pairs as f64
}

/// The mixes of this depth, reads first: they can be checked as long as nothing was written.
pub(crate) fn mixes(request: &Request) -> Vec<Mix> {
    let all = match request.depth {
        Depth::Quick => &Mix::ALL[..1],
        Depth::Standard | Depth::Full => &Mix::ALL[..],
    };
    let asked = |mix: &&Mix| request.mixes.is_empty() || request.mixes.contains(mix);
    // A quick look at another mix is one at that mix.
    let all = if request.mixes.is_empty() { all } else { &Mix::ALL[..] };
    all.iter().filter(asked).copied().collect()
}

/// The mixes whose curve under load is taken.
pub(crate) fn loaded_mixes(request: &Request) -> Vec<Mix> {
    let all = mixes(request);
    match request.depth {
        Depth::Quick => Vec::new(),
        Depth::Full => all,
        Depth::Standard if !request.mixes.is_empty() => all,
        Depth::Standard => vec![Mix::Read, Mix::Read2Write1],
    }
}

/// How large a node's buffer will probably be.
fn expected_bytes(layout: &Layout, node: NodeId, request: &Request) -> Bytes {
    let column = layout.columns.iter().find(|column| column.node == node);
    let free = column.and_then(|column| column.free.as_ref().ok().copied().flatten());
    let room = sizes::Room { free, cgroup: None, most: request.most_memory, nodes: 1 };
    let wanted = sizes::wanted(layout.caches, request.depth).bytes;
    if free.is_none() && request.most_memory.is_none() {
        return wanted;
    }
    wanted.min(sizes::allowance(&room).bytes)
}
