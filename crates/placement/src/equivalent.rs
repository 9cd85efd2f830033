//! A plan in the words of other tools, so that people can leave; and what those tools have no words for.

use numawise_facts::{
    AttributeOrigin, Machine, MemoryMode, NodeWeight, PageSize, Placement, TaskPlacement, ThreadBinding,
};
use numawise_units::IdSet;

use crate::weights::{Bandwidths, FOLDER, bandwidths};

#[cfg(test)]
#[path = "equivalent_tests.rs"]
mod tests;

/// A plan in the words of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equivalent {
    /// One of [`tools`].
    pub tool: &'static str,
    /// Lines for a shell: for the launchers of MPI one for the job, for the others one for each task.
    pub lines: Vec<String>,
    /// What the lines leave out, because the tool has no words for it.
    pub missing: Vec<String>,
}

/// The tools in whose words plans are said, in the order in which [`equivalents`] gives them.
pub fn tools() -> &'static [&'static str] {
    &["numactl", "taskset", "openmp", "mpirun-openmpi", "mpirun-mpich", "srun", KERNEL_WEIGHTS]
}

/// Not a program: the lines write the kernel's weights for interleaving.
const KERNEL_WEIGHTS: &str = "kernel-weights";

/// `placement` in the words of other tools; `kernel-weights` is among them only where there are weights to write. `command` gives the program's line for a task with so many threads;
/// `set_threads` says whether the lines should set the number of OpenMP threads too.
pub fn equivalents(
    machine: &Machine,
    placement: &Placement,
    set_threads: bool,
    command: &dyn Fn(u32) -> String,
) -> Vec<Equivalent> {
    let plan = Plan { machine, placement, set_threads, command };
    let mut all =
        vec![plan.numactl(), plan.taskset(), plan.openmp(), plan.open_mpi(), plan.mpich(), plan.srun()];
    all.iter_mut().for_each(|equivalent| equivalent.missing.extend(plan.pages_note()));
    all.extend(plan.kernel_weights());
    all
}

const THREADS_ARE_NOT_PINNED: &str = "it places the process only; threads are pinned by the OpenMP variables in front, other threads not at all";

struct Plan<'a> {
    machine: &'a Machine,
    placement: &'a Placement,
    set_threads: bool,
    command: &'a dyn Fn(u32) -> String,
}

impl Plan<'_> {
    fn pinned(&self) -> bool {
        self.placement.binding == ThreadBinding::Pinned
    }

    fn command(&self, task: &TaskPlacement) -> String {
        (self.command)(task.threads.len() as u32)
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

    fn pinning_note(&self) -> Vec<String> {
        self.pinned().then(|| THREADS_ARE_NOT_PINNED.to_owned()).into_iter().collect()
    }

    fn policy_note(&self, tool: &str) -> Vec<String> {
        let first = self.placement.tasks.iter().find(|task| task.memory.mode != MemoryMode::Default);
        let note = first.map(|task| {
            let balanced = if task.memory.balancing { " with NUMA balancing" } else { "" };
            format!("memory policy {}{balanced}: {tool} has no words for it", task.memory)
        });
        note.into_iter().collect()
    }

    fn is_balanced(&self, mode: MemoryMode) -> bool {
        self.placement.tasks.iter().any(|task| task.memory.balancing && task.memory.mode == mode)
    }

    /// What numactl leaves out, in whatever line it stands.
    fn numactl_notes(&self) -> Vec<String> {
        let mut notes = self.pinning_note();
        if self.is_balanced(MemoryMode::PreferredMany) {
            // numactl(8) of 2.0.16: "This should only be used with --membind, -m only, otherwise ignored."
            notes.push(
                "NUMA balancing: numactl 2.0.16 and older ignore --balancing beside --preferred-many"
                    .to_owned(),
            );
        }
        notes
    }

    fn pages_note(&self) -> Option<String> {
        let small = self.placement.tasks.iter().any(|task| task.memory.pages == PageSize::Small);
        small.then(|| {
            "small pages: no tool has words for switching transparent huge pages off for one program".into()
        })
    }

    /// The weights, which are the same for all tasks, as lines for root's shell.
    fn kernel_weights(&self) -> Option<Equivalent> {
        let weights =
            &self.placement.tasks.iter().find(|task| !task.memory.weights.is_empty())?.memory.weights;
        let line = |weight: &NodeWeight| format!("echo {} > {FOLDER}/node{}", weight.weight, weight.node);
        let mut missing =
            vec!["the weights are root's to write, and hold for all programs of the machine".to_owned()];
        let nodes = weights.iter().map(|weight| weight.node).collect();
        let measured = |told: Bandwidths| told.origin == AttributeOrigin::Measured;
        if bandwidths(self.machine, &nodes).is_ok_and(measured) {
            missing
                .push("they go by bandwidths that were measured; those of another machine differ".to_owned());
        }
        Some(Equivalent { tool: KERNEL_WEIGHTS, lines: weights.iter().map(line).collect(), missing })
    }

    fn numactl(&self) -> Equivalent {
        let line = |task: &TaskPlacement| {
            let mut words = self.variables(task);
            words.extend(self.numactl_words(task));
            words.push(self.command(task));
            words
        };
        Equivalent { tool: "numactl", lines: self.each(line), missing: self.numactl_notes() }
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

    fn taskset(&self) -> Equivalent {
        let line = |task: &TaskPlacement| {
            let mut words = self.variables(task);
            if self.is_masked(task) {
                words.push(format!("taskset -c {}", task.cpus));
            }
            words.push(self.command(task));
            words
        };
        let missing = [self.policy_note("taskset"), self.pinning_note()].concat();
        let lines = if self.has_mask() { self.each(line) } else { Vec::new() };
        let no_mask = "there is no mask to set".to_owned();
        let missing = if lines.is_empty() { [vec![no_mask], missing].concat() } else { missing };
        Equivalent { tool: "taskset", lines, missing }
    }

    fn openmp(&self) -> Equivalent {
        let line = |task: &TaskPlacement| {
            let mut words = assignments(pages_variable(task).into_iter().chain(self.openmp_variables(task)));
            words.push(self.command(task));
            words
        };
        let mut missing = self.policy_note("OpenMP");
        if self.has_mask() && !self.pinned() {
            missing.push(
                "threads that may move inside the mask: OpenMP only knows places for threads that stay"
                    .into(),
            );
        }
        Equivalent { tool: "openmp", lines: self.each(line), missing }
    }

    /// The variables that go in front of a command, as assignments.
    fn variables(&self, task: &TaskPlacement) -> Vec<String> {
        assignments(self.pairs(task).into_iter())
    }

    fn pairs(&self, task: &TaskPlacement) -> Vec<(&'static str, String)> {
        let mut pairs: Vec<_> = pages_variable(task).into_iter().collect();
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
    fn open_mpi(&self) -> Equivalent {
        let set = |(name, value): (&str, String)| format!("-x {name}='{value}'");
        let lines = self.ranks("mpirun --bind-to none", &set);
        Equivalent { tool: "mpirun-openmpi", lines, missing: self.numactl_notes() }
    }

    fn mpich(&self) -> Equivalent {
        let set = |(name, value): (&str, String)| format!("-env {name} '{value}'");
        let lines = self.ranks("mpiexec -bind-to none", &set);
        Equivalent { tool: "mpirun-mpich", lines, missing: self.numactl_notes() }
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

    fn srun(&self) -> Equivalent {
        let tasks = &self.placement.tasks;
        let mut words = Vec::new();
        let mut missing = Vec::new();
        let Some(first) = tasks.first() else {
            return Equivalent { tool: "srun", lines: Vec::new(), missing };
        };
        if self.pinned() {
            words.push("OMP_PLACES=threads OMP_PROC_BIND=close".to_owned());
            missing.push("which thread of a task gets which of its CPUs is OpenMP's choice".to_owned());
        }
        if self.pinned() || self.set_threads {
            words.insert(0, format!("OMP_NUM_THREADS={}", first.threads.len()));
        }
        if let Some((name, value)) = pages_variable(first) {
            words.insert(0, format!("{name}={value}"));
        }
        words.push(format!("srun -n {}", tasks.len()));
        if tasks.iter().any(|task| task.threads.len() != first.threads.len()) {
            missing.push("numbers of threads that differ between tasks".to_owned());
        }
        if self.has_mask() {
            words.push(format!("--cpu-bind=mask_cpu:{}", masks(tasks.iter().map(|task| &task.cpus))));
            missing.push(
                "masks of CPUs hold inside a job that has the whole computer (salloc --exclusive, sbatch --exclusive)"
                    .to_owned(),
            );
        } else {
            // Not with masks: since Slurm 22.05 -c gives the step so many CPUs and refuses masks with others (--exact).
            words.push(format!("-c {} --cpu-bind=none", first.threads.len()))
        }
        if self.has_policy() {
            self.srun_memory(&mut words, &mut missing);
        }
        words.push(self.command(first));
        Equivalent { tool: "srun", lines: vec![words.join(" ")], missing }
    }

    fn srun_memory(&self, words: &mut Vec<String>, missing: &mut Vec<String>) {
        let tasks = &self.placement.tasks;
        let all = |mode: MemoryMode| tasks.iter().all(|task| task.memory.mode == mode);
        let same = tasks.iter().all(|task| task.memory == tasks[0].memory);
        let balanced = tasks.iter().any(|task| task.memory.balancing);
        if balanced && same {
            // No word of srun's own, but the same for all: numactl inside.
            words.extend(["numactl".to_owned()].into_iter().chain(policy_options(&tasks[0])));
            missing.extend(self.numactl_notes().into_iter().filter(|note| note.contains("--balancing")));
            return;
        }
        if balanced {
            missing.push("NUMA balancing where memory policies differ between tasks".to_owned());
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
            missing.push("memory policies that differ between tasks".to_owned());
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
