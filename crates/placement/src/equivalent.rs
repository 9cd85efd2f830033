//! The commands of other tools that carry a plan out, so that people can leave; and what those commands leave out.

use numawise_facts::notice::PlanNotice;
use numawise_facts::{
    AttributeOrigin, EquivalentTool, Machine, MemoryMode, NodeWeight, Notice, PageSize, Placement,
    TaskPlacement, ThreadBinding, gpu_variables,
};
use numawise_units::IdSet;

use crate::weights::{Bandwidths, bandwidths};

#[cfg(test)]
#[path = "equivalent_tests.rs"]
mod tests;

/// Where the kernel keeps the weights: one file `nodeN` for each node, for all programs, root's to write.
const WEIGHTS_FOLDER: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";

/// The commands of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct EquivalentCommands {
    pub tool: EquivalentTool,
    /// Lines for a shell: for the launchers of MPI one for the job, for the others one for each task.
    pub lines: Vec<String>,
    /// What the lines leave out.
    pub missing: Vec<Notice>,
}

impl EquivalentCommands {
    fn new(tool: EquivalentTool, lines: Vec<String>, missing: Vec<PlanNotice>) -> Self {
        EquivalentCommands { tool, lines, missing: missing.into_iter().map(Notice::from).collect() }
    }

    /// False where the placement has a memory policy and the tool has no words for it: its lines do something else. Memory on
    /// the node that touches it is what the kernel does without words.
    pub fn has_the_memory_policy(&self) -> bool {
        let not_said = |notice: &Notice| match notice {
            Notice::Plan(PlanNotice::PolicyNotExpressible { memory, .. }) => memory.mode != MemoryMode::Local,
            _ => false,
        };
        !self.missing.iter().any(not_said)
    }

    /// True when the tool has a part in the lines; numactl and taskset have none where there is nothing to place.
    pub fn places_something(&self) -> bool {
        match self.tool {
            EquivalentTool::Numactl | EquivalentTool::Taskset => {
                self.lines.iter().any(|line| line.contains(self.tool.name()))
            }
            _ => !self.lines.is_empty(),
        }
    }
}

/// The commands of each tool for `placement`; the kernel's weights are among them only where there are some to write.
/// `command` gives the program's line for a task; `set_threads` says whether the lines should set the
/// number of OpenMP threads too.
pub fn equivalent_commands(
    machine: &Machine,
    placement: &Placement,
    set_threads: bool,
    command: &dyn Fn(&TaskPlacement) -> String,
) -> Vec<EquivalentCommands> {
    let plan = Commands { machine, placement, set_threads, command };
    let mut all =
        vec![plan.numactl(), plan.taskset(), plan.openmp(), plan.open_mpi(), plan.mpich(), plan.srun()];
    all.iter_mut().for_each(|commands| commands.missing.extend(plan.small_pages()));
    all.extend(plan.kernel_weights());
    all
}

/// Those of one tool, `None` where it has no part in the placement. The variables of single runtimes of OpenMP are given here alone: beside
/// those of OpenMP itself, which every runtime reads, they say nothing more.
pub fn commands_of(
    tool: EquivalentTool,
    machine: &Machine,
    placement: &Placement,
    set_threads: bool,
    command: &dyn Fn(&TaskPlacement) -> String,
) -> Option<EquivalentCommands> {
    let plan = Commands { machine, placement, set_threads, command };
    match tool {
        EquivalentTool::KmpAffinity | EquivalentTool::GompCpuAffinity => Some(plan.affinity(tool)),
        _ => equivalent_commands(machine, placement, set_threads, command)
            .into_iter()
            .find(|commands| commands.tool == tool),
    }
}

struct Commands<'a> {
    machine: &'a Machine,
    placement: &'a Placement,
    set_threads: bool,
    command: &'a dyn Fn(&TaskPlacement) -> String,
}

impl Commands<'_> {
    fn pinned(&self) -> bool {
        self.placement.binding == ThreadBinding::Pinned
    }

    fn command(&self, task: &TaskPlacement) -> String {
        (self.command)(task)
    }

    fn each(&self, line: impl Fn(&TaskPlacement) -> Vec<String>) -> Vec<String> {
        self.placement.tasks.iter().map(|task| line(task).join(" ")).collect()
    }

    /// True when some task has a policy of its own.
    fn has_policy(&self) -> bool {
        self.placement.tasks.iter().any(|task| task.memory.mode != MemoryMode::Default)
    }

    fn has_mask(&self) -> bool {
        self.placement.tasks.iter().any(|task| self.is_masked(task))
    }

    fn is_masked(&self, task: &TaskPlacement) -> bool {
        task.cpus != self.machine.allowed_cpus
    }

    fn threads_not_placed(&self) -> Vec<PlanNotice> {
        self.pinned().then_some(PlanNotice::ThreadsNotPlaced).into_iter().collect()
    }

    fn policy_not_expressible(&self, tool: EquivalentTool) -> Vec<PlanNotice> {
        let first = self.placement.tasks.iter().find(|task| task.memory.mode != MemoryMode::Default);
        let notice =
            |task: &TaskPlacement| PlanNotice::PolicyNotExpressible { memory: task.memory.clone(), tool };
        first.map(notice).into_iter().collect()
    }

    fn is_balanced(&self, mode: MemoryMode) -> bool {
        self.placement.tasks.iter().any(|task| task.memory.balancing && task.memory.mode == mode)
    }

    /// numactl(8) of 2.0.16: "This should only be used with --membind, -m only, otherwise ignored."
    fn ignored_by_numactl(&self) -> Option<PlanNotice> {
        self.is_balanced(MemoryMode::PreferredMany).then_some(PlanNotice::BalancingIgnoredByNumactl)
    }

    /// What numactl leaves out, in whatever line it stands.
    fn left_out_by_numactl(&self) -> Vec<PlanNotice> {
        let weighted = |task: &TaskPlacement| task.memory.mode == MemoryMode::WeightedInterleave;
        let is_new = self.placement.tasks.iter().any(weighted);
        let version = is_new.then_some(PlanNotice::WeightsNeedNewNumactl);
        self.threads_not_placed().into_iter().chain(self.ignored_by_numactl()).chain(version).collect()
    }

    /// The weights, which are the same for all tasks, as lines for root's shell.
    fn kernel_weights(&self) -> Option<EquivalentCommands> {
        let weights =
            &self.placement.tasks.iter().find(|task| !task.memory.weights.is_empty())?.memory.weights;
        let line =
            |weight: &NodeWeight| format!("echo {} > {WEIGHTS_FOLDER}/node{}", weight.weight, weight.node);
        let mut missing = vec![PlanNotice::WeightsOfTheMachine];
        let nodes = weights.iter().map(|weight| weight.node).collect();
        let measured = |known: Bandwidths| known.origin == AttributeOrigin::Measured;
        if bandwidths(self.machine, &nodes).is_ok_and(measured) {
            missing.push(PlanNotice::WeightsOfThisMachine);
        }
        let lines = weights.iter().map(line).collect();
        Some(EquivalentCommands::new(EquivalentTool::KernelWeights, lines, missing))
    }

    fn numactl(&self) -> EquivalentCommands {
        let line = |task: &TaskPlacement| {
            let mut words = self.variables(task);
            words.extend(self.numactl_words(task));
            words.push(self.command(task));
            words
        };
        EquivalentCommands::new(EquivalentTool::Numactl, self.each(line), self.left_out_by_numactl())
    }

    /// `numactl --physcpubind=.. --membind=..`, or nothing where there is nothing to place.
    fn numactl_words(&self, task: &TaskPlacement) -> Vec<String> {
        let mut words = Vec::new();
        if self.is_masked(task) {
            words.push(format!("--physcpubind={}", task.cpus));
        }
        words.extend(policy_options(task));
        if !words.is_empty() {
            words.insert(0, "numactl".to_owned());
        }
        words
    }

    fn taskset(&self) -> EquivalentCommands {
        let line = |task: &TaskPlacement| {
            let mut words = self.variables(task);
            if self.is_masked(task) {
                words.push(format!("taskset -c {}", task.cpus));
            }
            words.push(self.command(task));
            words
        };
        let lines = if self.has_mask() { self.each(line) } else { Vec::new() };
        let no_mask = lines.is_empty().then_some(PlanNotice::NoMask).into_iter().collect();
        let policy = self.policy_not_expressible(EquivalentTool::Taskset);
        EquivalentCommands::new(
            EquivalentTool::Taskset,
            lines,
            [no_mask, policy, self.threads_not_placed()].concat(),
        )
    }

    fn openmp(&self) -> EquivalentCommands {
        let line = |task: &TaskPlacement| {
            let mut words = assignments(common(task).into_iter().chain(self.openmp_variables(task)));
            words.push(self.command(task));
            words
        };
        let mut missing = self.policy_not_expressible(EquivalentTool::OpenMp);
        if self.has_mask() && !self.pinned() {
            missing.push(PlanNotice::MovingThreadsNotExpressible);
        }
        EquivalentCommands::new(EquivalentTool::OpenMp, self.each(line), missing)
    }

    /// A list of CPUs, one for each thread, as a runtime of OpenMP has it in a variable of its own.
    fn affinity(&self, tool: EquivalentTool) -> EquivalentCommands {
        let variable = |list: String| match tool {
            EquivalentTool::KmpAffinity => {
                ("KMP_AFFINITY", format!("granularity=fine,proclist=[{list}],explicit"))
            }
            _ => ("GOMP_CPU_AFFINITY", list),
        };
        let line = |task: &TaskPlacement| {
            let list: Vec<String> = task.threads.iter().map(ToString::to_string).collect();
            let number = ("OMP_NUM_THREADS", task.threads.len().to_string());
            let mut words = assignments(common(task).into_iter().chain([number, variable(list.join(","))]));
            words.push(self.command(task));
            words
        };
        let lines = if self.pinned() { self.each(line) } else { Vec::new() };
        let mut missing = self.policy_not_expressible(tool);
        if !self.pinned() {
            let mask = self.has_mask();
            missing.push(if mask { PlanNotice::MovingThreadsNotExpressible } else { PlanNotice::NoMask });
        }
        let mut commands = EquivalentCommands::new(tool, lines, missing);
        commands.missing.extend(self.small_pages());
        commands
    }

    fn small_pages(&self) -> Option<Notice> {
        let small = self.placement.tasks.iter().any(|task| task.memory.pages == PageSize::Small);
        small.then_some(PlanNotice::SmallPagesNotExpressible).map(Notice::from)
    }

    /// The variables that go in front of a command, as assignments.
    fn variables(&self, task: &TaskPlacement) -> Vec<String> {
        assignments(self.pairs(task).into_iter())
    }

    fn pairs(&self, task: &TaskPlacement) -> Vec<(&'static str, String)> {
        let mut pairs = common(task);
        if self.pinned() || self.set_threads {
            pairs.extend(self.openmp_variables(task));
        }
        pairs
    }

    fn openmp_variables(&self, task: &TaskPlacement) -> Vec<(&'static str, String)> {
        let mut pairs = vec![("OMP_NUM_THREADS", task.threads.len().to_string())];
        if self.pinned() {
            let places: Vec<String> = task.threads.iter().map(place).collect();
            pairs.push(("OMP_PLACES", places.join(",")));
            pairs.push(("OMP_PROC_BIND", "close".to_owned()));
        }
        pairs
    }

    /// One command for each rank, each with its own mask: the same in every version of Open MPI, whose rank files number
    /// CPUs in ways that differ.
    fn open_mpi(&self) -> EquivalentCommands {
        let set = |(name, value): (&str, String)| format!("-x {name}='{value}'");
        let lines = self.ranks(&format!("mpirun --bind-to none{}", self.slots_of_open_mpi()), &set);
        EquivalentCommands::new(EquivalentTool::OpenMpi, lines, self.left_out_by_numactl())
    }

    /// Open MPI counts a slot for each core and refuses more ranks: what lets it start them. Hardware threads as slots change nothing else; where
    /// there are more ranks than these, its ranks give their CPUs up while they wait.
    fn slots_of_open_mpi(&self) -> &'static str {
        let (ranks, allowed) = (self.placement.tasks.len(), &self.machine.allowed_cpus);
        match () {
            () if ranks <= self.machine.cores(allowed) => "",
            () if ranks <= allowed.len() => " --use-hwthread-cpus",
            () => " --oversubscribe",
        }
    }

    fn mpich(&self) -> EquivalentCommands {
        let set = |(name, value): (&str, String)| format!("-env {name} '{value}'");
        let lines = self.ranks("mpiexec -bind-to none", &set);
        EquivalentCommands::new(EquivalentTool::Mpich, lines, self.left_out_by_numactl())
    }

    fn ranks(&self, launcher: &str, set: &dyn Fn((&str, String)) -> String) -> Vec<String> {
        let rank = |task: &TaskPlacement| {
            let mut words = vec!["-n 1".to_owned()];
            words.extend(self.pairs(task).into_iter().map(set));
            words.extend(self.numactl_words(task));
            words.push(self.command(task));
            words
        };
        vec![format!("{launcher} {}", self.each(rank).join(" : "))]
    }

    fn srun(&self) -> EquivalentCommands {
        let tasks = &self.placement.tasks;
        let mut words = Vec::new();
        let mut missing = Vec::new();
        let Some(first) = tasks.first() else {
            return EquivalentCommands::new(EquivalentTool::Srun, Vec::new(), missing);
        };
        if self.pinned() {
            words.push("OMP_PLACES=threads OMP_PROC_BIND=close".to_owned());
            missing.push(PlanNotice::ThreadOrderLeftToOpenMp);
        }
        if self.pinned() || self.set_threads {
            words.insert(0, format!("OMP_NUM_THREADS={}", first.threads.len()));
        }
        words.splice(0..0, assignments(pages_variable(first).into_iter()));
        if tasks.iter().all(|task| task.gpus == first.gpus) {
            words.splice(0..0, assignments(gpu_variables(&first.gpus).into_iter()));
        } else {
            missing.push(PlanNotice::GpusDiffer);
        }
        let cpus = self.machine.allowed_cpus.len();
        // More tasks than CPUs are refused otherwise.
        let overcommit = if tasks.len() > cpus { " -O" } else { "" };
        words.push(format!("srun -n {}{overcommit}", tasks.len()));
        if tasks.iter().any(|task| task.threads.len() != first.threads.len()) {
            missing.push(PlanNotice::ThreadCountsDiffer);
        } else if tasks.iter().any(|task| self.command(task) != self.command(first)) {
            missing.push(PlanNotice::CommandsDiffer);
        }
        if self.has_mask() {
            words.push(format!("--cpu-bind=mask_cpu:{}", masks(tasks.iter().map(|task| &task.cpus))));
            missing.push(PlanNotice::MasksNeedWholeComputer);
        } else {
            // Not with masks: since Slurm 22.05 -c gives the step so many CPUs and refuses masks with others (--exact).
            let each = first.threads.len().min(cpus / tasks.len()).max(1);
            words.push(format!("-c {each} --cpu-bind=none"))
        }
        if self.has_policy() {
            self.srun_memory(&mut words, &mut missing);
        }
        words.push(self.command(first));
        EquivalentCommands::new(EquivalentTool::Srun, vec![words.join(" ")], missing)
    }

    fn srun_memory(&self, words: &mut Vec<String>, missing: &mut Vec<PlanNotice>) {
        let tasks = &self.placement.tasks;
        let all = |mode: MemoryMode| tasks.iter().all(|task| task.memory.mode == mode);
        let same = tasks.iter().all(|task| task.memory == tasks[0].memory);
        let balanced = tasks.iter().any(|task| task.memory.balancing);
        if balanced && same {
            // No option of srun's own, but the same for all: numactl inside.
            words.extend(["numactl".to_owned()].into_iter().chain(policy_options(&tasks[0])));
            missing.extend(self.ignored_by_numactl());
            return;
        }
        if balanced {
            missing.push(PlanNotice::BalancedPoliciesDiffer);
        }
        if all(MemoryMode::Local) {
            words.push("--mem-bind=local".to_owned());
        } else if all(MemoryMode::Bind) {
            let nodes = masks(tasks.iter().map(|task| &task.memory.nodes));
            words.push(format!("--mem-bind=mask_mem:{nodes}"));
        } else if all(MemoryMode::Preferred) {
            let nodes = masks(tasks.iter().map(|task| &task.memory.nodes));
            words.push(format!("--mem-bind=prefer,mask_mem:{nodes}"));
        } else if same {
            words.extend(["numactl".to_owned()].into_iter().chain(policy_options(&tasks[0])));
        } else {
            missing.push(PlanNotice::PoliciesDiffer);
        }
    }
}

/// numactl takes `--balancing` only before the policy that it belongs to.
fn policy_options(task: &TaskPlacement) -> Vec<String> {
    let nodes = &task.memory.nodes;
    let policy = match task.memory.mode {
        MemoryMode::Default => return Vec::new(),
        MemoryMode::Local => "--localalloc".to_owned(),
        MemoryMode::Bind => format!("--membind={nodes}"),
        MemoryMode::Preferred => format!("--preferred={nodes}"),
        MemoryMode::PreferredMany => format!("--preferred-many={nodes}"),
        MemoryMode::Interleave => format!("--interleave={nodes}"),
        MemoryMode::WeightedInterleave => format!("--weighted-interleave={nodes}"),
    };
    let balancing = task.memory.balancing.then(|| "--balancing".to_owned());
    balancing.into_iter().chain([policy]).collect()
}

/// glibc's tunable for the pages of what `malloc` gives (since 2.35: The GNU C Library manual, "Memory Allocation Tunables").
fn pages_variable(task: &TaskPlacement) -> Option<(&'static str, String)> {
    let value = match task.memory.pages {
        PageSize::Default | PageSize::Small => return None,
        PageSize::Thp => 1,
        PageSize::Huge => 2,
    };
    Some(("GLIBC_TUNABLES", format!("glibc.malloc.hugetlb={value}")))
}

/// The variables of a task that are no runtime's of threads.
fn common(task: &TaskPlacement) -> Vec<(&'static str, String)> {
    pages_variable(task).into_iter().chain(gpu_variables(&task.gpus)).collect()
}

fn assignments(pairs: impl Iterator<Item = (&'static str, String)>) -> Vec<String> {
    let assign = |(name, value): (&str, String)| {
        if value.contains(['{', ',']) { format!("{name}='{value}'") } else { format!("{name}={value}") }
    };
    pairs.map(assign).collect()
}

fn place(cpus: &numawise_units::CpuSet) -> String {
    let numbers: Vec<String> = cpus.iter().map(|cpu| cpu.to_string()).collect();
    format!("{{{}}}", numbers.join(","))
}

/// Sets as hexadecimal masks, the way Slurm reads them.
fn masks<'a, T: numawise_units::Id + 'a>(sets: impl Iterator<Item = &'a IdSet<T>>) -> String {
    let mask = |set: &IdSet<T>| {
        let mut words = set.words().iter().rev();
        let first = words.next().map_or("0".to_owned(), |word| format!("{word:x}"));
        words.fold(format!("0x{first}"), |mask, word| format!("{mask}{word:016x}"))
    };
    sets.map(mask).collect::<Vec<_>>().join(",")
}
