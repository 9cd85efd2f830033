//! The steps with the time that each requests.

use numawise_facts::notice::MembenchNotice;
use numawise_facts::{Depth, Mix, Notice, Target, Workers};
use numawise_units::{Bytes, NodeId};

use super::{Core, Experiment, expected_bytes, loaded_mixes, mixes};
use crate::MeasurementRequest;
use crate::layout::{Layout, Row};
use crate::sizes;

/// Transfers between all cores of more than this many are a long list that nobody reads: 64 x 63 are enough.
const MOST_CORES: usize = 64;
/// Bytes that a thread gets ready in a second: zeroed by the kernel and filled (measured here: 0.5 to 1.6 GB/s).
const READY: f64 = 1e9;
/// With more threads than this, the kernel's and the node's limits count.
const READY_THREADS: usize = 4;
/// Seconds to link a byte's share of a ring of every fourth line (measured here: 60 ns a line).
const LINK: f64 = 60e-9 / 256.0;
/// Points of a curve under load.
pub const DELAYS: usize = 12;

/// A step and the time that it requests.
pub(super) struct RequestedStep {
    pub seconds: f64,
    /// It takes what it takes.
    pub fixed: bool,
    pub experiment: Experiment,
}

struct Steps<'a> {
    layout: &'a Layout,
    request: &'a MeasurementRequest,
    buffers: usize,
    list: Vec<RequestedStep>,
}

/// All steps, with so many buffers on each node.
pub(super) fn requested(
    layout: &Layout,
    request: &MeasurementRequest,
    buffers: usize,
) -> (Vec<RequestedStep>, Vec<Notice>) {
    let mut steps = Steps { layout, request, buffers, list: Vec::new() };
    let columns: Vec<NodeId> = layout.usable_columns().map(|column| column.node).collect();
    let owners: Vec<NodeId> = layout.with_local_memory().map(|row| row.node).collect();
    for &to in &columns {
        if layout.usable_rows().next().is_none() {
            break;
        }
        steps.fill(&[to]);
        steps.bandwidths(to);
        if columns.len() == 1 && owners.len() == 1 {
            steps.peaks();
        }
        steps.loaded(to);
        for (at, row) in layout.usable_rows().enumerate() {
            steps.latency(row, to, at == 0);
        }
        for row in layout.usable_rows() {
            steps.working_sets(row, to);
        }
        steps.tlb_misses(to);
    }
    if columns.len() > 1 && !owners.is_empty() {
        steps.fill(&owners);
        steps.peaks();
    }
    let notices = steps.transfers();
    (steps.list, notices)
}

impl Steps<'_> {
    fn push(&mut self, seconds: f64, experiment: Experiment) {
        self.list.push(RequestedStep { seconds, fixed: false, experiment });
    }

    /// One of three numbers, by depth.
    fn by_depth(&self, quick: f64, standard: f64, full: f64) -> f64 {
        match self.request.depth {
            Depth::Quick => quick,
            Depth::Standard => standard,
            Depth::Full => full,
        }
    }

    fn ready_seconds(&self, nodes: &[NodeId], threads: usize, buffers: usize) -> f64 {
        let bytes = nodes.iter().map(|&node| expected_bytes(self.layout, node, self.request, buffers));
        let rate = READY * threads.clamp(1, READY_THREADS) as f64;
        // Nodes come one after the other.
        bytes.map(|bytes| 0.02 + bytes.0 as f64 / rate).sum()
    }

    fn fill(&mut self, nodes: &[NodeId]) {
        let threads = self.layout.usable_rows().map(|row| row.cores().len()).min().unwrap_or(1);
        let seconds = self.ready_seconds(nodes, threads, self.buffers);
        self.list.push(RequestedStep { seconds, fixed: true, experiment: Experiment::Fill(nodes.to_vec()) });
    }

    fn bandwidths(&mut self, to: NodeId) {
        let seconds = self.by_depth(0.6, 0.5, 0.8);
        let by_core = self.request.depth != Depth::Quick;
        for mix in mixes(self.request) {
            for row in self.layout.usable_rows() {
                let node = row.node;
                if by_core {
                    self.push(
                        seconds,
                        Experiment::Bandwidth { workers: Workers::Core(node), target: Target::Node(to), mix },
                    );
                }
                self.push(
                    seconds,
                    Experiment::Bandwidth { workers: Workers::Node(node), target: Target::Node(to), mix },
                );
            }
        }
    }

    fn peaks(&mut self) {
        for mix in mixes(self.request) {
            self.push(
                self.by_depth(0.8, 0.5, 1.0),
                Experiment::Bandwidth { workers: Workers::Machine, target: Target::Local, mix },
            );
        }
    }

    fn loaded(&mut self, to: NodeId) {
        for mix in loaded_mixes(self.request) {
            for row in self.layout.usable_rows().filter(|row| row.cores().len() > 1) {
                if self.request.depth == Depth::Full || row.local == Some(to) {
                    let from = row.node;
                    self.push(
                        self.by_depth(0.0, 0.2, 0.3) * DELAYS as f64 + self.link(to, true) / 2.0,
                        Experiment::Loaded { from, to, mix },
                    );
                }
            }
        }
    }

    /// What linking this node's buffer takes: the first that uses it does that.
    fn link(&self, to: NodeId, first: bool) -> f64 {
        if first { expected_bytes(self.layout, to, self.request, 1).0 as f64 * LINK } else { 0.0 }
    }

    fn latency(&mut self, row: &Row, to: NodeId, first: bool) {
        let from = row.node;
        self.push(self.by_depth(0.8, 1.0, 1.5) + self.link(to, first), Experiment::Latency { from, to });
    }

    fn working_sets(&mut self, row: &Row, to: NodeId) {
        let from = row.node;
        let farthest = self.request.depth == Depth::Full && row.farthest == Some(to);
        if self.request.depth == Depth::Quick || !(row.local == Some(to) || farthest) {
            return;
        }
        let most = expected_bytes(self.layout, to, self.request, 1);
        let points = sizes::working_sets(most, per_octave(self.request.depth)).len();
        self.push(
            self.by_depth(0.0, 0.12, 0.15) * points.max(1) as f64 + link_seconds(most),
            Experiment::WorkingSets { from, to },
        );
    }

    fn tlb_misses(&mut self, to: NodeId) {
        if self.request.depth == Depth::Quick {
            return;
        }
        let threads = self.layout.usable_rows().map(|row| row.cores().len()).min().unwrap_or(1);
        let seconds = self.ready_seconds(&[to], threads, 1);
        self.list.push(RequestedStep { seconds, fixed: true, experiment: Experiment::FillBase(to) });
        for (at, row) in self.layout.usable_rows().enumerate() {
            let from = row.node;
            self.push(
                self.by_depth(0.0, 0.6, 1.0) + 2.0 * self.link(to, at == 0),
                Experiment::TlbMisses { from, to },
            );
        }
    }

    fn transfers(&mut self) -> Vec<Notice> {
        let mut notices = Vec::new();
        let seconds = self.by_depth(0.0, 0.15, 0.1);
        for (owner, reader) in pairs(self.layout, self.request.depth, &mut notices) {
            self.push(seconds, Experiment::Transfer { owner, reader });
        }
        notices
    }
}

/// Points in each doubling of a working set's size.
pub fn per_octave(depth: Depth) -> u32 {
    if depth == Depth::Full { 4 } else { 2 }
}

/// Linking all working sets up to this one: the sizes are a geometric row, so in all some three times the largest.
fn link_seconds(most: Bytes) -> f64 {
    3.0 * most.0 as f64 / 4e9
}

/// Who changes and who reads: a sample in the standard, all in the full.
fn pairs(layout: &Layout, depth: Depth, notices: &mut Vec<Notice>) -> Vec<(Core, Core)> {
    let cores_of = |row: &Row| -> Vec<Core> {
        // Without any memory there is nowhere to put a line.
        let Some(home) = row.local else { return Vec::new() };
        row.cores().iter().map(|&cpu| Core { cpu, node: row.node, home }).collect()
    };
    let rows: Vec<Vec<Core>> =
        layout.usable_rows().map(cores_of).filter(|cores: &Vec<Core>| !cores.is_empty()).collect();
    match depth {
        Depth::Quick => Vec::new(),
        Depth::Standard => {
            let firsts = rows.iter().map(|row| row[0]);
            let neighbours = rows.iter().filter_map(|row| Some((row[0], *row.get(1)?)));
            let across = firsts.clone().flat_map(|owner| {
                firsts
                    .clone()
                    .filter(move |reader| reader.node != owner.node)
                    .map(move |reader| (owner, reader))
            });
            neighbours.chain(across).collect()
        }
        Depth::Full => {
            let all = rows.iter().map(Vec::len).sum::<usize>();
            // Of each node the first ones.
            let share = if all > MOST_CORES { (MOST_CORES / rows.len().max(1)).max(1) } else { all };
            let cores: Vec<Core> =
                rows.iter().flat_map(|row| row.iter().take(share)).take(MOST_CORES).copied().collect();
            if cores.len() < all {
                let (measured, cores) = (cores.len() as u32, all as u32);
                notices.push(MembenchNotice::TransfersBetweenSomeCores { measured, cores }.into());
            }
            let others = |owner: Core| cores.iter().filter(move |reader| reader.cpu != owner.cpu);
            cores.iter().flat_map(|&owner| others(owner).map(move |&reader| (owner, reader))).collect()
        }
    }
}

/// Whether a node's loaded latency is wanted although it has but one core, so that the cell says why it is empty.
pub fn without_load(layout: &Layout, request: &MeasurementRequest) -> Vec<(NodeId, NodeId, Mix)> {
    let rows = layout.usable_rows().filter(|row| row.cores().len() == 1);
    let cells = rows.flat_map(|row| {
        let columns = layout.usable_columns().map(|column| column.node);
        let wanted = columns.filter(|&to| request.depth == Depth::Full || row.local == Some(to));
        wanted.flat_map(move |to| loaded_mixes(request).into_iter().map(move |mix| (row.node, to, mix)))
    });
    cells.collect()
}
