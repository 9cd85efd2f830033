//! A run as it is asked for, and what it asks of the placement once the tasks and the CPUs of the job are known.

use std::borrow::Cow;
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;

use numawise_facts::notice::PlanNotice;
use numawise_facts::{
    Balancing, CpuChoice, DeviceName, InputTemplate, Machine, MemoryMode, MemoryRequest, Notice, Order,
    PageSize, Placement, PlacementRequest, RunSpec, Strategy, TaskPlacement, ThreadBinding,
};
use numawise_launch::{Change, Pinner};
use numawise_machine::AllowedSets;
use numawise_placement::PlacementError;
use numawise_units::{CpuSet, NodeSet, TaskId};

use super::gpus::VisibleGpus;
use super::placeholders;
use crate::numactl_list::{RequestedList, parse_cpus, parse_nodes};
use crate::objects_to::ObjectsTo;
use crate::{Error, openmp};

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;

/// What looks a variable of the environment up.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The tasks of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskCount {
    /// One, or as many as the job has ranks on this computer, when this process is one of them.
    #[default]
    OfTheJob,
    /// So many ranks, which are planned for and not started.
    Ranks(NonZeroU32),
    /// So many copies, started together.
    Copies(NonZeroU32),
}

/// The CPUs that a run asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CpuSelection {
    #[default]
    All,
    /// CPUs that the tasks share out.
    Listed(CpuSet),
    /// The same by a location as hwloc writes it, which only the machine can resolve.
    Located(String),
    /// A list as numactl writes it, all of which every task gets.
    Numactl(String),
}

/// The nodes whose CPUs a run asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NodeSelection {
    #[default]
    All,
    /// Nodes whose CPUs the tasks share out.
    Listed(NodeSet),
    /// A list as numactl writes it, all of whose CPUs every task gets.
    Numactl(String),
}

/// The memory that a run asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemorySelection {
    Policy(MemoryRequest),
    /// A policy of numactl's, with the list of its nodes as numactl writes it (none for [`MemoryMode::Local`]).
    Numactl {
        policy: MemoryMode,
        nodes: String,
    },
}

impl Default for MemorySelection {
    fn default() -> Self {
        MemorySelection::Policy(MemoryRequest::Default)
    }
}

/// Input files that are to be filled in for each task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputsRequest {
    pub templates: Vec<InputTemplate>,
    /// Where they stay; without it they go with the program.
    pub folder: Option<PathBuf>,
}

/// A run as it is asked for, valid as far as that can be said without the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    pub command: RunSpec,
    pub strategy: Option<Strategy>,
    /// Without it, threads are pinned where a strategy or an order chooses their CPUs.
    pub binding: Option<ThreadBinding>,
    pub threads: Option<u32>,
    pub tasks: TaskCount,
    pub cpus: CpuSelection,
    pub nodes: NodeSelection,
    pub memory: MemorySelection,
    pub choice: CpuChoice,
    pub balancing: Balancing,
    pub pages: PageSize,
    /// Only CPUs that this device is local to.
    pub near: Option<DeviceName>,
    /// The tasks share the machine's GPUs out.
    pub share_gpus: bool,
    /// CPUs outside of our mask may be taken, as far as the cgroup allows them.
    pub beyond_mask: bool,
    /// In a rank that its launcher bound, the CPUs of the launcher itself may be taken.
    pub rebind: bool,
    /// Threads that OpenMP does not know may be pinned by a library that is preloaded.
    pub preload: bool,
    /// The weights of the plan are written into the kernel before the start.
    pub write_weights: bool,
    /// Input files of the program that are filled in for each task.
    pub inputs: InputsRequest,
    /// Memory objects that are put on nodes by themselves.
    pub objects_to: Option<ObjectsTo>,
    pub explain: Explanation,
}

/// How much a run explains itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Explanation {
    /// Warnings only, by one rank of the computer.
    #[default]
    Warnings,
    /// The whole plan is shown instead of a start.
    Plan,
    /// Each rank shows its plan before the start, and each thread that is pinned is reported.
    EachRank,
}

impl RunRequest {
    /// The program, left to the operating system in every respect.
    pub fn new(command: RunSpec) -> Self {
        RunRequest {
            command,
            strategy: None,
            binding: None,
            threads: None,
            tasks: TaskCount::OfTheJob,
            cpus: CpuSelection::All,
            nodes: NodeSelection::All,
            memory: MemorySelection::default(),
            choice: CpuChoice::default(),
            balancing: Balancing::Default,
            pages: PageSize::Default,
            near: None,
            share_gpus: false,
            beyond_mask: false,
            rebind: false,
            preload: true,
            write_weights: false,
            inputs: InputsRequest::default(),
            objects_to: None,
            explain: Explanation::Warnings,
        }
    }

    /// True when the tasks of a job share out what is asked for; false when every task gets all of it, as with numactl's own
    /// lists, and where no CPUs are chosen.
    pub fn shares(&self) -> bool {
        self.spreads()
            || self.orders()
            || self.is_pinned_by_request()
            || matches!(self.cpus, CpuSelection::Listed(_) | CpuSelection::Located(_))
            || matches!(self.nodes, NodeSelection::Listed(_))
            || self.near.is_some()
            || self.share_gpus
    }

    /// True when something else than all CPUs that we were given is asked for.
    pub fn chooses_cpus(&self) -> bool {
        self.shares()
            || self.cpus != CpuSelection::All
            || self.nodes != NodeSelection::All
            || self.choice != CpuChoice::default()
    }

    pub fn is_pinned_by_request(&self) -> bool {
        self.binding == Some(ThreadBinding::Pinned)
    }

    /// True when no strategy chooses the CPUs of the threads, and an order does.
    fn orders(&self) -> bool {
        !self.spreads() && self.choice.order != Order::default() && self.binding != Some(ThreadBinding::Free)
    }

    /// True where nodes stand in a list as numactl writes it, for CPUs or for memory.
    pub(super) fn lists_nodes(&self) -> bool {
        matches!(self.nodes, NodeSelection::Numactl(_))
            || matches!(self.memory, MemorySelection::Numactl { .. })
    }

    fn spreads(&self) -> bool {
        matches!(self.strategy, Some(Strategy::Local | Strategy::Distributed | Strategy::Semi))
    }

    /// True where anything about the placement is asked for.
    pub fn is_placed(&self) -> bool {
        *self != RunRequest::new(self.command.clone())
    }
}

/// The tasks of the job on this computer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobTasks {
    pub number: u32,
    /// Which of them this process becomes.
    pub ours: u32,
    /// Threads of each task, where neither the request nor the environment gives their number and its CPUs do not either.
    pub threads: Option<u32>,
    /// With `--all` of numactl: the nodes of the computer, among which its lists of nodes choose instead of among those whose memory we may
    /// use.
    pub all_nodes: Option<NodeSet>,
    /// The masks of several tasks overlap, and it is not known which CPU is whose: threads are better not pinned.
    pub overlapping: bool,
}

impl JobTasks {
    pub fn of(number: u32) -> Self {
        JobTasks { number, ..JobTasks::default() }
    }
}

/// What the planner is asked for all tasks of the job on this computer.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRequest {
    pub placement: PlacementRequest,
    /// CPUs that only the machine can resolve.
    pub location: Option<String>,
    /// The nodes of CPUs have to be known, whatever the placement needs.
    pub needs_topology: bool,
    /// The same by a device.
    pub near: Option<DeviceName>,
    /// The GPUs that are to be shared out.
    pub gpus: Option<VisibleGpus>,
    /// How many tasks get the same plan, each what one alone would get, instead of its share.
    pub repeat: u32,
    /// The program's threads are ours to set: their number was given, or they are placed or pinned.
    pub steers_threads: bool,
    /// A part of the request that has no effect.
    pub ignored: Option<Notice>,
}

impl JobRequest {
    /// # Errors
    /// When a list makes no sense, or names nothing of what is allowed.
    pub fn new(
        request: &RunRequest,
        allowed: &AllowedSets,
        tasks: &JobTasks,
        environment: Environment<'_>,
    ) -> Result<JobRequest, Error> {
        let list = |list| move |source| Error::List { list, source };
        let (cpus, location) = match &request.cpus {
            CpuSelection::All => (None, None),
            CpuSelection::Listed(cpus) => (Some(cpus.clone()), None),
            CpuSelection::Located(text) => (None, Some(text.clone())),
            CpuSelection::Numactl(text) => {
                (Some(parse_cpus(text, &allowed.cpus).map_err(list(RequestedList::Cpus))?), None)
            }
        };
        let listed_nodes = tasks.all_nodes.as_ref().unwrap_or(&allowed.nodes);
        let nodes = match &request.nodes {
            NodeSelection::All => None,
            NodeSelection::Listed(nodes) => Some(nodes.clone()),
            NodeSelection::Numactl(text) => {
                Some(parse_nodes(text, listed_nodes).map_err(list(RequestedList::Nodes))?)
            }
        };
        let listed = cpus.is_some()
            || nodes.is_some()
            || location.is_some()
            || request.near.is_some()
            || matches!(request.choice.order, Order::Listed(_));
        // Every rank that has these CPUs would choose the same ones of them.
        let may_choose = !tasks.overlapping || request.is_pinned_by_request();
        let strategy = match request.strategy {
            Some(strategy) if may_choose => strategy,
            _ if listed => Strategy::Explicit,
            _ => Strategy::None,
        };
        let pins = match request.binding {
            Some(binding) => binding == ThreadBinding::Pinned,
            None => (request.spreads() || request.orders()) && may_choose,
        };
        // Copies without a number of threads would each take the whole machine.
        let copies = matches!(request.tasks, TaskCount::Copies(_));
        let steers_threads = request.threads.is_some() || request.spreads() || pins || copies;
        let threads = match request.threads {
            Some(threads) => Some(threads),
            None if steers_threads || request.command.takes_threads() => {
                let named = environment("OMP_NUM_THREADS");
                named.and_then(|value| openmp::outermost(value.to_str()?)).or(tasks.threads)
            }
            None => None,
        };
        let (number, repeat) = if request.shares() { (tasks.number, 1) } else { (1, tasks.number) };
        let (balancing, ignored) = balancing(request);
        let placement = PlacementRequest {
            strategy,
            binding: if pins { ThreadBinding::Pinned } else { ThreadBinding::Free },
            tasks: number,
            threads,
            cpus,
            nodes,
            memory: memory(request, listed_nodes, &allowed.nodes)?,
            balancing,
            pages: request.pages,
            choice: request.choice.clone(),
        };
        let needs_topology =
            location.is_some() || placeholders::takes_nodes(&request.command, &request.inputs.templates);
        let gpus = request.share_gpus.then(|| VisibleGpus::of(environment)).transpose()?;
        let near = request.near.clone();
        Ok(JobRequest { placement, location, needs_topology, near, gpus, repeat, steers_threads, ignored })
    }

    /// The plan for all tasks of the job on this computer.
    ///
    /// # Errors
    /// When the machine does not have, or does not allow, what was asked for.
    pub fn place(&self, machine: &Machine) -> Result<Placement, Error> {
        let mut asked = Cow::Borrowed(&self.placement);
        if let Some(location) = &self.location {
            asked.to_mut().cpus = Some(numawise_placement::locate(machine, location)?);
        }
        if let Some(device) = &self.near {
            asked = Cow::Owned(numawise_placement::near(machine, &asked, device)?);
        }
        let mut placement = numawise_placement::place(machine, &asked)?;
        placement.warnings.extend(self.ignored.clone());
        if let ([only], 2..) = (placement.tasks.as_slice(), self.repeat) {
            numawise_placement::check_tasks(self.repeat)?;
            let only = only.clone();
            let copy = |number: u32| TaskPlacement { task: TaskId(number), ..only.clone() };
            placement.tasks = (0..self.repeat).map(copy).collect();
        }
        if let Some(visible) = &self.gpus {
            numawise_placement::share_gpus(machine, &mut placement, &|gpu| visible.may(gpu))
                .map_err(PlacementError::from)?;
        }
        Ok(placement)
    }

    /// True when the devices of the machine have a part in the plan.
    pub fn is_about_devices(&self) -> bool {
        self.near.is_some() || self.gpus.is_some()
    }

    /// What the environment of a task needs.
    pub fn changes(&self, task: &TaskPlacement, pinner: Option<&Pinner>) -> Vec<Change> {
        if self.steers_threads {
            numawise_launch::environment(task, self.placement.binding, pinner)
        } else {
            let of_gpus = numawise_launch::gpu_changes(&task.gpus);
            numawise_launch::page_changes(&task.memory).into_iter().chain(of_gpus).collect()
        }
    }
}

/// numactl ignores balancing with all of its policies but bind.
fn balancing(request: &RunRequest) -> (Balancing, Option<Notice>) {
    match request.memory {
        MemorySelection::Numactl { policy, .. }
            if request.balancing == Balancing::On && policy != MemoryMode::Bind =>
        {
            (Balancing::Default, Some(PlanNotice::BalancingIgnored { policy }.into()))
        }
        _ => (request.balancing, None),
    }
}

/// A list chooses among the `listed` nodes. Of what it chooses the kernel would take what is allowed, where that is something.
fn memory(request: &RunRequest, listed: &NodeSet, allowed: &NodeSet) -> Result<MemoryRequest, Error> {
    let (policy, text) = match &request.memory {
        MemorySelection::Policy(memory) => return Ok(memory.clone()),
        MemorySelection::Numactl { policy: MemoryMode::Local, .. } => return Ok(MemoryRequest::Local),
        MemorySelection::Numactl { policy, nodes } => (*policy, nodes),
    };
    let list = RequestedList::Memory(policy);
    let nodes = parse_nodes(text, listed).map_err(|source| Error::List { list, source })?;
    let nodes = match nodes.intersection(allowed) {
        usable if listed != allowed && !usable.is_empty() => usable,
        _ => nodes,
    };
    Ok(match policy {
        MemoryMode::Default | MemoryMode::Local => MemoryRequest::Default,
        MemoryMode::Bind => MemoryRequest::Bind(Some(nodes)),
        MemoryMode::Interleave => MemoryRequest::Interleave(Some(nodes)),
        MemoryMode::WeightedInterleave => MemoryRequest::KernelWeighted(nodes),
        MemoryMode::PreferredMany => MemoryRequest::PreferredMany(nodes),
        MemoryMode::Preferred => match (nodes.len(), nodes.first()) {
            (1, node) => MemoryRequest::Preferred(node),
            _ => return Err(Error::SeveralPreferred { nodes }),
        },
    })
}
