//! Which contrasts a machine can show.
//!
//! A check compares what the operating system does with placements that differ from it in one respect each, so that a
//! difference has one explanation. What the machine cannot show is named with its reason.

use numawise_facts::{
    Counts, CpuChoice, Machine, MemoryKind, MemoryRequest, Node, Pair, PlacementRequest, PointId, PointRole,
    Reading, Strategy, ThreadBinding,
};
use numawise_units::{Bytes, NodeId, NodeSet};

#[cfg(test)]
#[path = "design_tests.rs"]
mod tests;

/// The program as far as it bears on the design.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Threads of the program; without it, one for every CPU that we may use.
    pub threads: Option<u32>,
    /// Peak memory as seen in the warm-up, to tell whether the program fits into a node.
    pub memory: Reading<Bytes>,
}

/// A point before its request is resolved to a placement.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    pub id: PointId,
    pub title: String,
    pub role: PointRole,
    pub request: PlacementRequest,
}

/// What to try, what to compare, and what cannot be tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The first is the baseline.
    pub points: Vec<Planned>,
    pub pairs: Vec<Pair>,
    pub not_tried: Vec<String>,
}

/// A node is not filled to the brim: this share of its free memory may be used by the program.
const FILL: f64 = 0.9;

/// Plans a check of a program of this shape on this machine. Never empty: the baseline is always there.
pub fn plan(machine: &Machine, shape: &Shape) -> Design {
    let threads = shape.threads.unwrap_or(machine.allowed_cpus.len() as u32).max(1);
    let mut draft = Draft::new(machine, shape, threads);
    let homes: Vec<&Node> = machine.nodes_with_allowed_cpus().collect();
    match homes.as_slice() {
        [_, _, ..] => draft.several_nodes(&homes),
        _ => draft.one_node(),
    }
    draft.high_bandwidth();
    draft.design
}

struct Draft<'a> {
    machine: &'a Machine,
    shape: &'a Shape,
    threads: u32,
    design: Design,
}

impl<'a> Draft<'a> {
    fn new(machine: &'a Machine, shape: &'a Shape, threads: u32) -> Self {
        let design = Design { points: Vec::new(), pairs: Vec::new(), not_tried: Vec::new() };
        let mut draft = Draft { machine, shape, threads, design };
        let request = PlacementRequest { threads: Some(threads), ..PlacementRequest::as_the_os_does() };
        draft.point("os", "the operating system's placement".to_owned(), PointRole::Baseline, request);
        draft
    }

    fn point(&mut self, id: &str, title: String, role: PointRole, request: PlacementRequest) {
        self.design.points.push(Planned { id: id.into(), title, role, request });
    }

    fn pair(&mut self, from: &str, to: &str, counts: Counts) {
        self.design.pairs.push(Pair { from: from.into(), to: to.into(), counts });
    }

    fn pinned(&self, strategy: Strategy, memory: MemoryRequest) -> PlacementRequest {
        PlacementRequest {
            strategy,
            binding: ThreadBinding::Pinned,
            threads: Some(self.threads),
            memory,
            // The number of threads counts all CPUs, so all must be there to be taken; fast ones come first.
            choice: CpuChoice { efficient_cores: true, ..CpuChoice::default() },
            ..PlacementRequest::as_the_os_does()
        }
    }

    /// One node with CPUs: only pinning can matter.
    fn one_node(&mut self) {
        match self.machine.allowed_cpus.len() {
            0 | 1 => self.design.not_tried.push(
                "pinning: there is one CPU that we may use, so every placement of threads is the same"
                    .to_owned(),
            ),
            _ => {
                let request = self.pinned(Strategy::Local, MemoryRequest::Default);
                self.point(
                    "pinned",
                    "threads pinned, one to a CPU".to_owned(),
                    PointRole::Candidate,
                    request,
                );
                self.pair("os", "pinned", Counts::BothWays);
                if self.memory_elsewhere().is_ok() {
                    let far = self.pinned(Strategy::Local, MemoryRequest::Remote);
                    self.point(
                        "remote",
                        "threads pinned, memory of the farthest node".to_owned(),
                        PointRole::Diagnosis,
                        far,
                    );
                    self.pair("pinned", "remote", Counts::BothWays);
                }
            }
        }
        if self.machine.allowed_nodes.len() <= 1 {
            let why = "memory placement: there is one node that we may take memory from, so it cannot matter";
            self.design.not_tried.push(why.to_owned());
        }
    }

    fn several_nodes(&mut self, homes: &[&Node]) {
        let Some(home) = self.roomiest(homes) else {
            self.design.not_tried.push("one node: none has both CPUs and memory that we may use".to_owned());
            return;
        };
        let inside = self.threads.min(home.1);
        let same_threads = inside == self.threads;
        let fits = self.fits(&NodeSet::single(home.0), 1);
        let request = |memory| PlacementRequest {
            threads: Some(inside),
            nodes: Some(NodeSet::single(home.0)),
            ..self.pinned(Strategy::Local, memory)
        };
        let own = request(self.near(MemoryRequest::Bind(None)));
        let far = request(MemoryRequest::Remote);
        let spread = self.pinned(Strategy::Distributed, self.near(MemoryRequest::Local));
        let woven = self.pinned(Strategy::Distributed, MemoryRequest::Interleave(None));

        self.point(
            "all-nodes",
            "threads pinned over all nodes, local memory".to_owned(),
            PointRole::Candidate,
            spread,
        );
        self.pair("os", "all-nodes", Counts::BothWays);
        let elsewhere = self.memory_elsewhere();
        if elsewhere.is_ok() {
            let title = "threads pinned over all nodes, memory interleaved".to_owned();
            self.point("interleave", title, PointRole::Candidate, woven);
            self.pair("os", "interleave", Counts::BothWays);
        }
        match &fits {
            Ok(()) => {
                let title = format!("CPUs and memory of node {}, {inside} threads", home.0);
                self.point("one-node", title, PointRole::Candidate, own);
                let counts = if same_threads { Counts::BothWays } else { Counts::GainOnly };
                self.pair("os", "one-node", counts);
                if same_threads {
                    self.pair("one-node", "all-nodes", Counts::BothWays);
                }
            }
            Err(why) => self.design.not_tried.push(format!("one node: {why}")),
        }
        if elsewhere.is_ok() && fits.is_ok() {
            let title = format!("CPUs of node {}, memory of the farthest, {inside} threads", home.0);
            self.point("remote", title, PointRole::Diagnosis, far);
            self.pair("one-node", "remote", Counts::BothWays);
        }
        if let Err(why) = elsewhere {
            self.design.not_tried.push(format!("interleave and remote: {why}"));
        }
        self.copies(homes);
    }

    /// A policy that keeps memory near; where policies are forbidden the kernel's own does nearly the same.
    fn near(&self, policy: MemoryRequest) -> MemoryRequest {
        if self.policies_are_forbidden() { MemoryRequest::Default } else { policy }
    }

    fn policies_are_forbidden(&self) -> bool {
        !self.machine.policies_may_be_set()
    }

    /// Whether memory can be put on other nodes than the kernel would; an error says why not.
    fn memory_elsewhere(&self) -> Result<(), String> {
        let nodes = &self.machine.allowed_nodes;
        match nodes.len() {
            _ if self.policies_are_forbidden() => {
                Err("memory policy calls are forbidden here (`numawise machine` says by what)".to_owned())
            }
            0 | 1 => Err(format!("only node {nodes} may give us memory")),
            _ => Ok(()),
        }
    }

    /// One copy on each node at the same time.
    fn copies(&mut self, homes: &[&Node]) {
        let tasks = homes.len() as u32;
        let least = homes.iter().map(|node| self.cpus_of(node)).min().unwrap_or(0);
        let each = (self.threads / tasks).min(least);
        if each == 0 {
            let threads = self.threads;
            self.design
                .not_tried
                .push(format!("one copy on each node: {threads} threads are fewer than {tasks} nodes"));
            return;
        }
        let room = homes.iter().try_for_each(|node| self.fits(&NodeSet::single(node.id), 1));
        if let Err(why) = room {
            self.design.not_tried.push(format!("one copy on each node: {why}"));
            return;
        }
        let request = PlacementRequest {
            tasks,
            threads: Some(each),
            ..self.pinned(Strategy::Semi, self.near(MemoryRequest::Bind(None)))
        };
        let title = format!("{tasks} copies at once, one on each node, {each} threads each");
        self.point("copies", title, PointRole::Diagnosis, request);
        self.pair("os", "copies", Counts::No);
    }

    fn high_bandwidth(&mut self) {
        let nodes = self.machine.allowed_of_kind(MemoryKind::Hbm);
        if nodes.is_empty() {
            return;
        }
        match self.memory_elsewhere().and_then(|()| self.fits(&nodes, 1)) {
            Ok(()) => {
                let request = self.pinned(Strategy::Distributed, MemoryRequest::Hbm);
                let title = format!("threads pinned over all nodes, memory in HBM (nodes {nodes})");
                self.point("hbm", title, PointRole::Candidate, request);
                self.pair("os", "hbm", Counts::BothWays);
            }
            Err(why) => self.design.not_tried.push(format!("HBM: {why}")),
        }
    }

    /// Whether the program fits into the memory of these nodes; an error says why not.
    fn fits(&self, nodes: &NodeSet, times: u64) -> Result<(), String> {
        let Some(need) = self.shape.memory.measured() else {
            return Ok(());
        };
        let need = Bytes(need.0 * times);
        let mut room = Bytes(0);
        for node in self.machine.nodes.iter().filter(|node| nodes.contains(node.id)) {
            match node.free.measured().or(node.memory.measured()) {
                Some(free) => room = room + Bytes((free.0 as f64 * FILL) as u64),
                None => return Ok(()), // not known: let the trial tell
            }
        }
        let noun = if nodes.len() == 1 { "node" } else { "nodes" };
        if need <= room {
            Ok(())
        } else {
            Err(format!("the program needs {need}, and {noun} {nodes} can take {room}"))
        }
    }

    /// The node with the most CPUs that we may use, among those that may give us memory; the lowest number first.
    fn roomiest(&self, homes: &[&Node]) -> Option<(NodeId, u32)> {
        let with_memory = homes.iter().filter(|node| self.machine.allowed_nodes.contains(node.id));
        let candidates = with_memory.map(|node| (node.id, self.cpus_of(node)));
        candidates.max_by_key(|(id, cpus)| (*cpus, std::cmp::Reverse(*id)))
    }

    fn cpus_of(&self, node: &Node) -> u32 {
        node.cpus.intersection(&self.machine.allowed_cpus).len() as u32
    }
}
