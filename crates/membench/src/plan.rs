//! What will be measured, in which order, and how long each step may take. Pure: it may be made of any machine.
//!
//! Memory is taken once for each node that has some: all that is measured of this node's memory comes in a row, from all
//! nodes with CPUs. The whole keeps to a budget that grows with the pairs of nodes; getting memory ready is taken from it
//! first, and what is left is shared by what each step would like to have.

mod steps;

pub(crate) use steps::{DELAYS, per_octave, without_load};

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

use numawise_facts::{Depth, Machine, MeasurementStep, Mix, Notice, Target, Workers};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId};

use crate::MeasurementRequest;
use crate::layout::Layout;
use crate::sizes;

/// Buffers on a node that take turns, each in another place of the memory: what a virtual machine's host, or the colour of its
/// pages, does to one as a whole shows beside the others. Of three the median leaves one out.
const BUFFERS: usize = 3;
/// The share of all the time that getting memory may take for the sake of several buffers.
const BUFFERS_SHARE: f64 = 0.25;

/// The steps of a measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasurementPlan {
    pub steps: Vec<PlannedStep>,
    /// What the whole may take.
    pub budget: Nanoseconds,
    /// As so many buffers a node's memory is had: see [`BUFFERS`].
    pub(crate) parts: usize,
    /// What is left out on purpose.
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    pub step: MeasurementStep,
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

impl Experiment {
    /// The step for those who wait.
    fn step(&self) -> MeasurementStep {
        match *self {
            Experiment::Fill(ref nodes) => {
                MeasurementStep::GetMemory { nodes: nodes.iter().copied().collect() }
            }
            Experiment::Bandwidth { workers, target, mix } => {
                MeasurementStep::Bandwidth { workers, target, mix }
            }
            Experiment::Loaded { from, to, mix } => MeasurementStep::LoadedLatency { from, to, mix },
            Experiment::Latency { from, to } => MeasurementStep::IdleLatency { from, to },
            Experiment::WorkingSets { from, to } => MeasurementStep::WorkingSets { from, to },
            Experiment::FillBase(node) => MeasurementStep::GetBasePages { node },
            Experiment::TlbMisses { from, to } => MeasurementStep::TlbMisses { from, to },
            Experiment::Transfer { owner, reader } => {
                MeasurementStep::Transfer { owner: owner.cpu, reader: reader.cpu }
            }
        }
    }
}

/// A CPU and the node it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Core {
    pub cpu: CpuId,
    pub node: NodeId,
    /// The node whose memory is local to it.
    pub home: NodeId,
}

impl MeasurementPlan {
    /// The steps for this machine. Nothing is measured, and the machine may be a recorded one.
    pub fn of(machine: &Machine, request: &MeasurementRequest) -> MeasurementPlan {
        MeasurementPlan::with(&Layout::of(machine, request), request)
    }

    pub(crate) fn with(layout: &Layout, request: &MeasurementRequest) -> MeasurementPlan {
        let budget = budget(request.depth, layout.pairs());
        let fixed = |steps: &[steps::RequestedStep]| -> f64 {
            steps.iter().filter(|step| step.fixed).map(|step| step.seconds).sum()
        };
        let affordable =
            |parts: &usize| fixed(&steps::requested(layout, request, *parts).0) <= budget * BUFFERS_SHARE;
        let parts = (2..=BUFFERS).rev().find(affordable).unwrap_or(1);
        let (requested, notices) = steps::requested(layout, request, parts);
        // A tenth for all that nobody planned.
        let usable = budget * 0.9;
        let ready = fixed(&requested);
        let scalable: f64 = requested.iter().filter(|step| !step.fixed).map(|step| step.seconds).sum();
        // Where memory comes slowly or is large, measuring keeps a third.
        let scale = ((usable - ready).max(usable / 3.0) / scalable.max(1e-9)).min(1.0);
        let planned = |step: steps::RequestedStep| PlannedStep {
            expected: Nanoseconds::from_seconds(step.seconds * if step.fixed { 1.0 } else { scale }),
            step: step.experiment.step(),
            experiment: step.experiment,
        };
        MeasurementPlan {
            steps: requested.into_iter().map(planned).collect(),
            budget: Nanoseconds::from_seconds(budget),
            parts,
            notices,
        }
    }

    /// The same in a part of the time.
    pub(crate) fn shortened(mut self, share: f64) -> MeasurementPlan {
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
pub(crate) fn mixes(request: &MeasurementRequest) -> Vec<Mix> {
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
pub(crate) fn loaded_mixes(request: &MeasurementRequest) -> Vec<Mix> {
    let all = mixes(request);
    match request.depth {
        Depth::Quick => Vec::new(),
        Depth::Full => all,
        Depth::Standard if !request.mixes.is_empty() => all,
        Depth::Standard => vec![Mix::Read, Mix::Read2Write1],
    }
}

/// How large so many buffers of a node will probably be.
fn expected_bytes(layout: &Layout, node: NodeId, request: &MeasurementRequest, buffers: usize) -> Bytes {
    let column = layout.columns.iter().find(|column| column.node == node);
    let free = column.and_then(|column| column.free.as_ref().ok().copied().flatten());
    let limits = sizes::MemoryLimits { free, cgroup: None, most: request.most_memory, nodes: 1 };
    let wanted = sizes::wanted(layout.caches, request.depth).bytes;
    let wanted = Bytes(wanted.0.saturating_mul(buffers as u64));
    if free.is_none() && request.most_memory.is_none() {
        return wanted;
    }
    wanted.min(sizes::allowance(&limits).bytes)
}
