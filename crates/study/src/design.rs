//! Which contrasts a machine can show.
//!
//! A check compares what the operating system does with placements that differ from it in one respect each, so that a
//! difference has one explanation. What the machine cannot show is named with its reason.

use numawise_facts::notice::{MachineNotice, NodeReason, NotTriedReason, PlacementGroup, StudyNotice};
use numawise_facts::{
    Balancing, ContrastRole, CpuChoice, DeviceName, Levels, Machine, MemoryKind, MemoryRequest, Node, Notice,
    PageSize, PlacementRequest, PointId, PointPair, PointRole, Reading, Strategy, ThreadBinding,
};
use numawise_units::{Arrange, Bytes, CpuSet, Nanoseconds, NodeId, NodeSet, Ratio};

use crate::pages::FirstRunPages;

#[cfg(test)]
#[path = "design_tests.rs"]
mod tests;

/// The program as far as it bears on the design.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramNeeds {
    /// Threads of the program; without it, one for every CPU that we may use.
    pub threads: Option<u32>,
    /// Peak memory as seen in the warm-up, to tell whether the program fits into a node.
    pub memory: Reading<Bytes>,
    /// All tasks would write their metric to the same file.
    pub one_metric_file: bool,
    /// The library that pins threads is there.
    pub pinning_library: bool,
    /// Where the first run had its memory and its threads; empty before it.
    pub seen: FirstRunPlaces,
    pub pages: FirstRunPages,
    /// What is tried on one node is tried near to this device, and far from it.
    pub near: Option<NearDevice>,
}

/// A device, and the CPUs near to it that we may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearDevice {
    pub name: DeviceName,
    pub cpus: CpuSet,
}

impl NearDevice {
    /// True where no node with CPUs for us is far from the device.
    pub fn is_everywhere(&self, machine: &Machine) -> bool {
        machine.nodes_with_allowed_cpus().all(|node| !node.cpus.intersection(&self.cpus).is_empty())
    }
}

/// Where the first run was seen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FirstRunPlaces {
    /// Memory that stays where it is whatever policy a run has: pages of files, shared memory, what the program binds itself.
    pub fixed: Vec<(NodeId, Bytes)>,
    /// All memory.
    pub memory: Vec<(NodeId, Bytes)>,
    pub cpu_time: Vec<(NodeId, Nanoseconds)>,
}

impl FirstRunPlaces {
    /// The node with most of what decides, and why it does: memory that stays where it is, else any, else CPU time.
    fn node(&self) -> Option<(NodeId, NodeReason)> {
        let fixed = || self.fixed_on().map(|(node, share)| (node, reason_of_fixed(share)));
        let memory = || {
            let enough = self.memory.iter().map(|(_, bytes)| *bytes).sum::<Bytes>() >= LEAST;
            most(&shares(&self.memory, |bytes| bytes.0 as f64))
                .filter(|_| enough)
                .map(|(node, share)| (node, NodeReason::Memory { share: Ratio(share) }))
        };
        let cpu_time = || {
            most(&shares(&self.cpu_time, |time| time.seconds()))
                .map(|(node, share)| (node, NodeReason::CpuTime { share: Ratio(share) }))
        };
        fixed().or_else(memory).or_else(cpu_time)
    }

    /// The node with most of the memory that stays where it is, and its share.
    fn fixed_on(&self) -> Option<(NodeId, f64)> {
        most(&self.fixed_shares())
    }

    /// The two nodes that hold much of the memory that stays where it is, where none holds most of it.
    fn two(&self) -> Option<[NodeId; 2]> {
        match self.fixed_shares().as_slice() {
            [(one, most), (two, next), ..] if *most <= MOST && *next >= MUCH => Some([*one, *two]),
            _ => None,
        }
    }

    /// The shares of memory that stays where it is; empty where that is little.
    fn fixed_shares(&self) -> Vec<(NodeId, f64)> {
        let sum = |places: &[(NodeId, Bytes)]| places.iter().map(|(_, bytes)| *bytes).sum::<Bytes>();
        let (fixed, all) = (sum(&self.fixed), sum(&self.memory));
        if fixed < LEAST_FIXED || fixed.0 as f64 <= NOTEWORTHY * all.0 as f64 {
            return Vec::new();
        }
        shares(&self.fixed, |bytes| bytes.0 as f64)
    }
}

/// The node that has most, if one does.
fn most(shares: &[(NodeId, f64)]) -> Option<(NodeId, f64)> {
    shares.first().copied().filter(|(_, share)| *share > MOST)
}

fn reason_of_fixed(share: f64) -> NodeReason {
    NodeReason::FixedMemory { share: Ratio(share) }
}

/// The share of each node, the node with the most first and the lower number first among equals; empty where there is nothing.
fn shares<T: Copy>(places: &[(NodeId, T)], size: fn(T) -> f64) -> Vec<(NodeId, f64)> {
    let sum: f64 = places.iter().map(|(_, of)| size(*of)).sum();
    let mut shares: Vec<(NodeId, f64)> =
        places.iter().map(|(node, of)| (*node, size(*of) / sum)).filter(|(_, share)| *share > 0.0).collect();
    shares.arrange_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares
}

/// Memory that stays where it is decides from this share of all memory on: below, it is the code of libraries.
const NOTEWORTHY: f64 = 0.2;
/// And from this on: the code of a shell and of its libraries is less.
const LEAST_FIXED: Bytes = Bytes::mib(4);
/// Less memory than this was seen too early, or has no weight.
const LEAST: Bytes = Bytes::mib(1);
/// A node has most of something from this share on.
const MOST: f64 = 0.6;
/// A second node is worth a trial too from this share on.
const MUCH: f64 = 0.3;

/// A point before its request is resolved to a placement.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedPoint {
    pub id: PointId,
    pub levels: Levels,
    pub role: PointRole,
    /// Of what is started.
    pub request: PlacementRequest,
    /// So many ranks are started by that.
    pub ranks: Option<u32>,
}

/// What to try, what to compare, and what cannot be tried.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyDesign {
    /// The first is the baseline.
    pub points: Vec<PlannedPoint>,
    pub pairs: Vec<PointPair>,
    pub not_tried: Vec<Notice>,
}

/// A node is not filled to the brim: this share of its free memory may be used by the program.
const FILL: f64 = 0.9;

/// Whether threads can be placed, on a machine that has more than one place for them.
///
/// # Errors
/// The reason why not.
pub fn can_place(machine: &Machine, needs: &ProgramNeeds) -> Result<(), NotTriedReason> {
    let refusal = machine.limits.iter().find_map(MachineNotice::affinity_refusal);
    match refusal {
        _ if machine.allowed_cpus.len() <= 1 => Ok(()),
        Some(by) => Err(NotTriedReason::AffinityRefused { by }),
        None if !needs.pinning_library => Err(NotTriedReason::PinningLibraryMissing),
        None => Ok(()),
    }
}

/// Plans a check of a program with these needs on this machine. Never empty: the baseline is always there.
pub fn plan(machine: &Machine, needs: &ProgramNeeds) -> StudyDesign {
    let threads = needs.threads.unwrap_or(machine.allowed_cpus.len() as u32).max(1);
    let mut draft = Draft::new(machine, needs, threads);
    if let Err(why) = can_place(machine, needs) {
        // Every point but the baseline places threads.
        draft.left_out(PlacementGroup::Pinned, why);
        return draft.design;
    }
    let homes: Vec<&Node> = machine.nodes_with_allowed_cpus().collect();
    match homes.as_slice() {
        [_, _, ..] => draft.several_nodes(&homes),
        _ => draft.one_node(),
    }
    draft.high_bandwidth();
    // Beside placements only: by themselves they would say nothing of those.
    if !draft.design.pairs.is_empty() {
        draft.fewer_threads();
        draft.pages_not_moved();
        draft.other_pages();
    }
    draft.design
}

/// The node for what is tried on one.
#[derive(Debug, Clone)]
struct Home {
    node: NodeId,
    /// CPUs of it that may be taken.
    cpus: u32,
    /// The device that chose it.
    near: Option<DeviceName>,
    /// Only these CPUs of it; without them all that we may use.
    part: Option<CpuSet>,
}

struct Draft<'a> {
    machine: &'a Machine,
    needs: &'a ProgramNeeds,
    threads: u32,
    design: StudyDesign,
}

impl<'a> Draft<'a> {
    fn new(machine: &'a Machine, needs: &'a ProgramNeeds, threads: u32) -> Self {
        let design = StudyDesign { points: Vec::new(), pairs: Vec::new(), not_tried: Vec::new() };
        let mut draft = Draft { machine, needs, threads, design };
        let request = PlacementRequest { threads: Some(threads), ..PlacementRequest::as_the_os_does() };
        draft.point("os", PointRole::Baseline, request);
        draft
    }

    fn point(&mut self, id: &str, role: PointRole, request: PlacementRequest) {
        let levels = Levels::of(&request, request.threads.unwrap_or(self.threads));
        self.design.points.push(PlannedPoint { id: id.into(), levels, role, request, ranks: None });
    }

    /// On CPUs that a device chose, where one did.
    fn point_near(&mut self, id: &str, role: PointRole, request: PlacementRequest, home: &Home) {
        self.point(id, role, request);
        if let Some(point) = self.design.points.last_mut() {
            point.levels.placement.near.clone_from(&home.near);
        }
    }

    fn not_tried(&mut self, notice: StudyNotice) {
        self.design.not_tried.push(notice.into());
    }

    fn left_out(&mut self, placements: PlacementGroup, reason: NotTriedReason) {
        self.not_tried(StudyNotice::NotTried { placements, reason });
    }

    fn pair(&mut self, from: &str, to: &str, role: ContrastRole) {
        self.design.pairs.push(PointPair { from: from.into(), to: to.into(), role });
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
            0 | 1 => self.not_tried(StudyNotice::OneCpu),
            _ => {
                let request = self.pinned(Strategy::Local, MemoryRequest::Default);
                self.point("pinned", PointRole::Candidate, request);
                self.pair("os", "pinned", ContrastRole::BothWays);
                if self.memory_elsewhere().is_ok() {
                    let remote = self.pinned(Strategy::Local, MemoryRequest::Remote);
                    self.point("remote", PointRole::Diagnosis, remote);
                    self.pair("pinned", "remote", ContrastRole::BothWays);
                }
            }
        }
        if self.machine.allowed_nodes.len() <= 1 {
            self.not_tried(StudyNotice::OneMemoryNode);
        }
    }

    fn several_nodes(&mut self, homes: &[&Node]) {
        let Some(home) = self.home(homes) else {
            self.not_tried(StudyNotice::NoNodeWithCpusAndMemory);
            return;
        };
        let inside = self.threads.min(home.cpus);
        let same_threads = inside == self.threads;
        let fits = self.fits(&NodeSet::single(home.node));
        let on = |node: NodeId, memory| PlacementRequest {
            threads: Some(inside),
            nodes: Some(NodeSet::single(node)),
            ..self.pinned(Strategy::Local, memory)
        };
        let inside_node = self.local(MemoryRequest::Bind(None));
        let at_home = |memory| PlacementRequest { cpus: home.part.clone(), ..on(home.node, memory) };
        let (local, remote) = (at_home(inside_node.clone()), at_home(MemoryRequest::Remote));
        let other = self.other_home(homes, &home).map(|node| (node, on(node, inside_node.clone())));
        let far = self.far_from(homes, &home).map(|node| (node, on(node, inside_node)));
        let one_node = if home.near.is_some() { "near" } else { "one-node" };
        let spread = self.pinned(Strategy::Distributed, self.local(MemoryRequest::Local));
        let interleaved = self.pinned(Strategy::Distributed, MemoryRequest::Interleave(None));

        self.point("all-nodes", PointRole::Candidate, spread);
        self.pair("os", "all-nodes", ContrastRole::BothWays);
        let elsewhere = self.memory_elsewhere();
        if elsewhere.is_ok() {
            self.point("interleave", PointRole::Candidate, interleaved);
            self.pair("os", "interleave", ContrastRole::BothWays);
        }
        match &fits {
            Ok(()) => {
                self.point_near(one_node, PointRole::Candidate, local, &home);
                let role = if same_threads { ContrastRole::BothWays } else { ContrastRole::GainOnly };
                self.pair("os", one_node, role);
                if same_threads {
                    self.pair(one_node, "all-nodes", ContrastRole::BothWays);
                }
                // Where memory stays on a node whatever is tried, being there matters most, and is the last to be left out.
                if self.needs.seen.fixed_on().is_some_and(|(node, _)| node == home.node)
                    && let Some(point) = self.design.points.pop()
                {
                    self.design.points.insert(1, point);
                }
            }
            Err(why) => self.left_out(PlacementGroup::OneNode, why.clone()),
        }
        if let Some((node, request)) = other {
            let id = format!("one-node-{node}");
            self.point(&id, PointRole::Candidate, request);
            self.pair("os", &id, ContrastRole::GainOnly);
        }
        if home.near.is_some() && fits.is_ok() {
            match far {
                Some((node, request)) => self.far(node, request, one_node),
                None => self
                    .left_out(PlacementGroup::FarFromDevice, NotTriedReason::NoFarNode { threads: inside }),
            }
        }
        if elsewhere.is_ok() && fits.is_ok() {
            self.point_near("remote", PointRole::Diagnosis, remote, &home);
            self.pair(one_node, "remote", ContrastRole::BothWays);
        }
        if let Err(why) = elsewhere {
            self.left_out(PlacementGroup::InterleavedAndRemote, why);
        }
        self.copies(homes);
    }

    /// The same as near to the device, on a node that is not: it tells what being near is worth.
    fn far(&mut self, node: NodeId, request: PlacementRequest, near: &str) {
        match self.fits(&NodeSet::single(node)) {
            Ok(()) => {
                self.point("far", PointRole::Diagnosis, request);
                self.pair(near, "far", ContrastRole::BothWays);
            }
            Err(why) => self.left_out(PlacementGroup::FarFromDevice, why),
        }
    }

    /// A policy that keeps memory local; where policies are forbidden the kernel's own does nearly the same.
    fn local(&self, policy: MemoryRequest) -> MemoryRequest {
        if self.policies_are_forbidden() { MemoryRequest::Default } else { policy }
    }

    fn policies_are_forbidden(&self) -> bool {
        !self.machine.policies_may_be_set()
    }

    /// Whether memory can be put on other nodes than the kernel would; an error says why not.
    fn memory_elsewhere(&self) -> Result<(), NotTriedReason> {
        let nodes = &self.machine.allowed_nodes;
        match nodes.len() {
            _ if self.policies_are_forbidden() => Err(NotTriedReason::PoliciesForbidden),
            0 | 1 => Err(NotTriedReason::OnlyMemoryOf { nodes: nodes.clone() }),
            _ => Ok(()),
        }
    }

    /// One copy on each node at the same time.
    fn copies(&mut self, homes: &[&Node]) {
        if self.needs.one_metric_file {
            self.left_out(PlacementGroup::CopyPerNode, NotTriedReason::OneMetricFile);
            return;
        }
        let tasks = homes.len() as u32;
        let least = homes.iter().map(|node| self.cpus_of(node)).min().unwrap_or(0);
        let each = (self.threads / tasks).min(least);
        if each == 0 {
            let why = NotTriedReason::FewerThreadsThanNodes { threads: self.threads, nodes: tasks };
            self.left_out(PlacementGroup::CopyPerNode, why);
            return;
        }
        let room = homes.iter().try_for_each(|node| self.fits(&NodeSet::single(node.id)));
        if let Err(why) = room {
            self.left_out(PlacementGroup::CopyPerNode, why);
            return;
        }
        let request = PlacementRequest {
            tasks,
            threads: Some(each),
            ..self.pinned(Strategy::Semi, self.local(MemoryRequest::Bind(None)))
        };
        self.point("copies", PointRole::Diagnosis, request);
        self.pair("os", "copies", ContrastRole::Unjudged);
    }

    fn high_bandwidth(&mut self) {
        let nodes = self.machine.allowed_of_kind(MemoryKind::Hbm);
        if nodes.is_empty() {
            return;
        }
        match self.memory_elsewhere().and_then(|()| self.fits(&nodes)) {
            Ok(()) => {
                let request = self.pinned(Strategy::Distributed, MemoryRequest::Hbm);
                self.point("hbm", PointRole::Candidate, request);
                self.pair("os", "hbm", ContrastRole::BothWays);
            }
            Err(why) => self.left_out(PlacementGroup::HighBandwidthMemory, why),
        }
    }

    /// As many threads as CPUs, where more were asked for.
    fn fewer_threads(&mut self) {
        let cpus = self.machine.allowed_cpus.len() as u32;
        if cpus > 0 && cpus < self.threads {
            let request = PlacementRequest { threads: Some(cpus), ..PlacementRequest::as_the_os_does() };
            self.point("fewer-threads", PointRole::Diagnosis, request);
            self.pair("os", "fewer-threads", ContrastRole::Unjudged);
        }
    }

    /// The same without NUMA balancing, where that moved pages.
    fn pages_not_moved(&mut self) {
        let moved = self.needs.pages.were_moved(&self.needs.memory) && self.machine.allowed_nodes.len() > 1;
        if moved && !self.policies_are_forbidden() {
            let threads = Some(self.threads);
            let request =
                PlacementRequest { threads, balancing: Balancing::Off, ..PlacementRequest::as_the_os_does() };
            self.point("pages-not-moved", PointRole::Diagnosis, request);
            self.pair("os", "pages-not-moved", ContrastRole::Unjudged);
        }
    }

    /// The same with pages of the other size. What they bring is no effect of places, so the verdict does not rest on it.
    fn other_pages(&mut self) {
        let pages = match self.needs.pages.other_size(&self.needs.memory) {
            None => return,
            Some(Err(why)) => return self.left_out(PlacementGroup::HugePages, why),
            Some(Ok(pages)) => pages,
        };
        let id = if pages == PageSize::Small { "small-pages" } else { "huge-pages" };
        let threads = Some(self.threads);
        let request = PlacementRequest { threads, pages, ..PlacementRequest::as_the_os_does() };
        self.point(id, PointRole::Diagnosis, request);
        self.pair("os", id, ContrastRole::Unjudged);
    }

    /// Whether the program fits into the memory of these nodes; an error says why not.
    fn fits(&self, nodes: &NodeSet) -> Result<(), NotTriedReason> {
        let Some(needs) = self.needs.memory.measured().copied() else {
            return Ok(());
        };
        let mut capacity = Bytes(0);
        for node in self.machine.nodes.iter().filter(|node| nodes.contains(node.id)) {
            match node.free.measured().or(node.memory.measured()) {
                Some(free) => capacity = capacity + Bytes((free.0 as f64 * FILL) as u64),
                None => return Ok(()), // not known: let the trial tell
            }
        }
        if needs <= capacity {
            Ok(())
        } else {
            Err(NotTriedReason::DoesNotFit { needs, nodes: nodes.clone(), capacity })
        }
    }

    /// The node for what is tried on one: of those with CPUs for all threads, or with the most, the one where the first run had
    /// its memory; the lowest number where that does not tell. Only nodes that may give us memory; near to the device that was
    /// asked for, only its CPUs.
    fn home(&mut self, homes: &[&Node]) -> Option<Home> {
        let with_memory: Vec<&Node> =
            homes.iter().copied().filter(|node| self.machine.allowed_nodes.contains(node.id)).collect();
        let all: Vec<Home> = with_memory.iter().map(|node| self.whole(node)).collect();
        let near = self.needs.near.as_ref().filter(|near| !near.is_everywhere(self.machine));
        let Some(near) = near else { return self.best_home(all) };
        let near: Vec<Home> = with_memory.iter().filter_map(|node| self.part_near(node, near)).collect();
        if near.is_empty() {
            let nodes = self.machine.allowed_nodes.clone();
            self.left_out(PlacementGroup::OneNode, NotTriedReason::OnlyMemoryOf { nodes });
            return self.best_home(all);
        }
        self.best_home(near)
    }

    fn whole(&self, node: &Node) -> Home {
        Home { node: node.id, cpus: self.cpus_of(node), near: None, part: None }
    }

    /// The CPUs of a node that are near to a device, where it has some.
    fn part_near(&self, node: &Node, device: &NearDevice) -> Option<Home> {
        let part = node.cpus.intersection(&device.cpus);
        let cpus = part.len() as u32;
        let part = (cpus < self.cpus_of(node)).then_some(part);
        (cpus > 0).then(|| Home { node: node.id, cpus, near: Some(device.name.clone()), part })
    }

    fn best_home(&mut self, candidates: Vec<Home>) -> Option<Home> {
        let most = candidates.iter().map(|home| home.cpus).max()?;
        let enough = |home: &&Home| home.cpus >= most.min(self.threads);
        let at = |node: NodeId| candidates.iter().filter(enough).find(|home| home.node == node).cloned();
        if let Some((node, reason)) = self.needs.seen.node()
            && let Some(home) = at(node)
        {
            if home.near.is_none() {
                self.not_tried(StudyNotice::OtherNodes { tried: node, reason });
            }
            return Some(home);
        }
        if let Some([most, _]) = self.needs.seen.two()
            && let Some(home) = at(most)
        {
            return Some(home);
        }
        candidates.into_iter().max_by_key(|home| (home.cpus, std::cmp::Reverse(home.node)))
    }

    /// The second node for what is tried on one, where memory that stays where it is lies on two: one with as many CPUs for the
    /// threads and room for the memory.
    fn other_home(&self, homes: &[&Node], home: &Home) -> Option<NodeId> {
        let [one, two] = self.needs.seen.two().filter(|_| home.near.is_none())?;
        let node = homes.iter().find(|node| node.id == two && one == home.node)?;
        let enough = self.cpus_of(node) >= self.threads.min(home.cpus);
        let may = self.machine.allowed_nodes.contains(two) && self.fits(&NodeSet::single(two)).is_ok();
        (enough && may).then_some(two)
    }

    /// Of the nodes without a CPU near to the device, with as many CPUs for the threads and with memory for us, the farthest.
    fn far_from(&self, homes: &[&Node], home: &Home) -> Option<NodeId> {
        let near = self.needs.near.as_ref().filter(|_| home.near.is_some())?;
        let may = |node: &&&Node| {
            node.cpus.intersection(&near.cpus).is_empty()
                && self.machine.allowed_nodes.contains(node.id)
                && self.cpus_of(node) >= self.threads.min(home.cpus)
        };
        let distance = |node: &Node| self.machine.distance(home.node, node.id);
        let far = homes.iter().filter(may);
        far.max_by_key(|node| (distance(node), std::cmp::Reverse(node.id))).map(|node| node.id)
    }

    fn cpus_of(&self, node: &Node) -> u32 {
        node.cpus.intersection(&self.machine.allowed_cpus).len() as u32
    }
}
