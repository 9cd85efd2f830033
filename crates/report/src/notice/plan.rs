//! Texts of the notices of a plan.

use numawise_facts::notice::{PlanNotice, ProfileReference};
use numawise_facts::{AttributeOrigin, EquivalentTool, MemoryMode, NodeWeight, Strategy};
use numawise_units::{CpuSet, Nanoseconds};

use crate::amount::moment;

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

pub fn text(notice: &PlanNotice) -> String {
    match notice {
        PlanNotice::NodesWithoutUsableCpus { nodes } => {
            format!("node {nodes} has no CPUs that may be used and was passed over")
        }
        PlanNotice::Oversubscribed { threads, cpus } => format!(
            "oversubscribed: {threads} threads on {} ({cpus}), so that some CPUs have {} threads",
            number_of(cpus),
            threads.div_ceil(cpus.len().max(1)),
        ),
        PlanNotice::TaskOversubscribed { threads, cpus, strategy } => format!(
            "oversubscribed: a task of {threads} threads has {} ({cpus}){}",
            number_of(cpus),
            inside_one_node(*strategy)
        ),
        PlanNotice::TasksShareCpus { shared, unused, strategy } => format!(
            "oversubscribed: some CPUs ({shared}) have threads of several tasks while others ({unused}) have none{}",
            inside_one_node(*strategy)
        ),
        PlanNotice::SkippedCpusUnknown { cpus, exist } => {
            format!("CPU {cpus} was to be skipped and does not exist on this machine; it has CPUs {exist}")
        }
        PlanNotice::OrderWithoutEffect { order, .. } => {
            format!("order {order} changes nothing: threads are free inside of the CPUs of their task")
        }
        PlanNotice::OnlyEfficientCores { cpus } => {
            format!("only efficient (slower) cores are left ({cpus}); they are taken")
        }
        PlanNotice::EfficientCoresLeftOut { cpus } => format!(
            "the CPUs of efficient (slower) cores ({cpus}) were left out; they are taken when efficient cores are asked for"
        ),
        PlanNotice::FarthestIsOfOtherKind { node, kind } => format!(
            "the farthest memory is node {node}, which is {kind}: a difference may come from the kind of memory, not from \
             the interconnect"
        ),
        PlanNotice::FarthestWithoutDistances { node } => {
            format!("the machine gives no distances: node {node} was taken as the farthest")
        }
        PlanNotice::BalancingWithoutPolicy => {
            "NUMA balancing: without a memory policy of its own a program is balanced when the whole system is \
             (kernel.numa_balancing, root's to set); with --memory bind it can be switched on for the program"
                .to_owned()
        }
        PlanNotice::BalancingNeedsLinux610 => {
            "NUMA balancing with policy preferred-many needs Linux 6.10; older kernels refuse it".to_owned()
        }
        PlanNotice::BalancingIgnored { policy } => {
            format!("--balancing is ignored together with {}, as numactl does", numactl_option(*policy))
        }
        PlanNotice::WeightsNeeded { .. }
        | PlanNotice::BandwidthUnknown { .. }
        | PlanNotice::KernelWeightsDiffer { .. }
        | PlanNotice::KernelWeightsWritten { .. } => format!("weighted interleaving: {}", weights(notice)),
        PlanNotice::WeightsDerivedFrom { origin, profile, bandwidths } => {
            let each: Vec<String> =
                bandwidths.iter().map(|one| format!("node {} {}", one.node, one.bandwidth)).collect();
            let who = match (origin, profile) {
                (AttributeOrigin::Measured, Some(profile)) => format!("measured on {}", when_and_where(profile)),
                (AttributeOrigin::Measured, None) => "measured, as the machine file has them".to_owned(),
                (AttributeOrigin::Firmware, _) => "that the firmware declares".to_owned(),
            };
            format!("the weights are derived from bandwidths {who}: {}", each.join(", "))
        }
        PlanNotice::KindsDerivedFrom { profile } => {
            format!("kinds of memory are derived from what was measured on {}", when_and_where(profile))
        }
        PlanNotice::NodesIdle { tasks, nodes } => {
            let tasks = match tasks {
                1 => "the only task".to_owned(),
                tasks => format!("each of {tasks} tasks"),
            };
            format!(
                "{tasks} stays inside one node, so that node {nodes} idles; strategies distributed and local use it, and so do more \
                 tasks"
            )
        }
        PlanNotice::GpusFar { tasks } => format!(
            "task {} is near to no GPU and shares one that is farther; --near gpu keeps all tasks near to GPUs",
            numbers(tasks)
        ),
        PlanNotice::GpusUnused { gpus } => {
            format!("no task is near to GPU {}, so that it stays unused", numbers(gpus))
        }
        PlanNotice::GpusOfUnknownLocality { gpus } => format!(
            "what GPU {} is near to is not known: it was dealt as if it were near to all tasks",
            numbers(gpus)
        ),
        PlanNotice::GpusOfBoundRank => "the launcher bound this rank, so it sees all GPUs near to its CPUs, and other ranks there may see \
             the same; ranks that the launcher does not bind share them out"
            .to_owned(),
        PlanNotice::ThreadsNotPlaced
        | PlanNotice::PolicyNotExpressible { .. }
        | PlanNotice::BalancingIgnoredByNumactl
        | PlanNotice::WeightsNeedNewNumactl
        | PlanNotice::SmallPagesNotExpressible
        | PlanNotice::WeightsOfTheMachine
        | PlanNotice::WeightsOfThisMachine
        | PlanNotice::NoMask
        | PlanNotice::MovingThreadsNotExpressible
        | PlanNotice::ThreadOrderLeftToOpenMp
        | PlanNotice::ThreadCountsDiffer
        | PlanNotice::GpusDiffer
        | PlanNotice::MasksNeedWholeComputer
        | PlanNotice::BalancedPoliciesDiffer
        | PlanNotice::CommandsDiffer
        | PlanNotice::PoliciesDiffer => left_out(notice),
    }
}

/// What the kernel's weights have to do with a plan.
fn weights(notice: &PlanNotice) -> String {
    match notice {
        PlanNotice::WeightsNeeded { weights, origin, error } => {
            let measured = match origin {
                AttributeOrigin::Measured => "measured ",
                AttributeOrigin::Firmware => "",
            };
            let off = error
                .map(|error| format!(", at worst {:.0} % off the bandwidths", error.0 * 100.0))
                .unwrap_or_default();
            format!(
                "the kernel has one set of weights for all programs; for these nodes to share pages by their \
                 {measured}bandwidths it must be {} (root's to write: --emit kernel-weights prints the commands{off})",
                list(weights)
            )
        }
        PlanNotice::BandwidthUnknown { nodes, machine_is_measured } => {
            let why = if *machine_is_measured {
                format!(
                    "the bandwidth of node {nodes} is neither measured nor given by the machine's firmware"
                )
            } else {
                format!(
                    "the machine's firmware gives no bandwidth of node {nodes}, and it is not measured yet (numawise \
                     machine measure)"
                )
            };
            format!(
                "{why}, so that no weights can be derived; the kernel's own, one set for all programs, decide (1 each \
                 unless somebody wrote others)"
            )
        }
        PlanNotice::KernelWeightsDiffer { now, planned } => format!(
            "pages will go by the kernel's weights of now, {}; --global-weights writes those of the plan ({}) first, for all \
             programs of this computer, and needs root",
            list(now),
            list(planned)
        ),
        PlanNotice::KernelWeightsWritten { weights } => format!(
            "the kernel's weights are now {}, for all programs of this computer, until somebody writes others",
            list(weights)
        ),
        _ => String::new(),
    }
}

/// What an equivalent command leaves out.
fn left_out(notice: &PlanNotice) -> String {
    match notice {
        PlanNotice::GpusDiffer => "tasks have different GPUs, and one command gives all the same".to_owned(),
        PlanNotice::ThreadsNotPlaced => {
            "only the process is bound; OpenMP threads are pinned by the variables in front, other threads are not"
                .to_owned()
        }
        PlanNotice::PolicyNotExpressible { memory, tool } => {
            let balanced = if memory.balancing { " with NUMA balancing" } else { "" };
            let tool = if *tool == EquivalentTool::OpenMp { "OpenMP" } else { tool.name() };
            format!("memory policy {memory}{balanced}: {tool} has no option for it")
        }
        PlanNotice::BalancingIgnoredByNumactl => {
            "NUMA balancing: numactl 2.0.16 and older ignore --balancing together with --preferred-many"
                .to_owned()
        }
        PlanNotice::WeightsNeedNewNumactl => {
            "--weighted-interleave is known to numactl since version 2.0.19; Debian 12 has 2.0.16".to_owned()
        }
        PlanNotice::SmallPagesNotExpressible => {
            "small pages: no tool has an option for switching transparent huge pages off for one program"
                .to_owned()
        }
        PlanNotice::WeightsOfTheMachine => {
            "the weights are root's to write, and hold for all programs of the machine".to_owned()
        }
        PlanNotice::WeightsOfThisMachine => {
            "they go by bandwidths that were measured; those of another machine differ".to_owned()
        }
        PlanNotice::NoMask => "no mask is needed".to_owned(),
        PlanNotice::MovingThreadsNotExpressible => {
            "threads that may move inside the mask: OpenMP only knows places for threads that stay".to_owned()
        }
        PlanNotice::ThreadOrderLeftToOpenMp => {
            "which thread of a task gets which of its CPUs is OpenMP's choice".to_owned()
        }
        PlanNotice::ThreadCountsDiffer => "numbers of threads that differ between tasks".to_owned(),
        PlanNotice::MasksNeedWholeComputer => {
            "masks of CPUs hold inside a job that has the whole computer (salloc \
                                               --exclusive, sbatch --exclusive)"
                .to_owned()
        }
        PlanNotice::BalancedPoliciesDiffer => {
            "NUMA balancing where memory policies differ between tasks".to_owned()
        }
        PlanNotice::CommandsDiffer => {
            "it takes one command for all tasks, and theirs differ: the line has that of the first ({cpus}, {nodes} and {rank} stand for \
             what it has)"
                .to_owned()
        }
        PlanNotice::PoliciesDiffer => "memory policies that differ between tasks".to_owned(),
        _ => String::new(),
    }
}

/// The option of numactl, and of ours, that asks for a policy.
pub fn numactl_option(policy: MemoryMode) -> &'static str {
    match policy {
        MemoryMode::Default => "--memory default",
        MemoryMode::Local => "--localalloc",
        MemoryMode::Bind => "--membind",
        MemoryMode::Preferred => "--preferred",
        MemoryMode::PreferredMany => "--preferred-many",
        MemoryMode::Interleave => "--interleave",
        MemoryMode::WeightedInterleave => "--weighted-interleave",
    }
}

fn inside_one_node(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Semi => "; a task of `semi` stays inside one node",
        _ => "",
    }
}

fn number_of(cpus: &CpuSet) -> String {
    match cpus.len() {
        1 => "1 CPU".to_owned(),
        number => format!("{number} CPUs"),
    }
}

fn list(weights: &[NodeWeight]) -> String {
    let each: Vec<String> = weights.iter().map(|one| format!("node{} {}", one.node, one.weight)).collect();
    each.join(", ")
}

/// `2025-01-31 12:00:00 UTC (/home/me/.local/share/numawise/profiles/...json)`.
fn when_and_where(profile: &ProfileReference) -> String {
    let moment = |seconds: u64| moment(Nanoseconds(seconds.saturating_mul(1_000_000_000)));
    format!("{} ({})", profile.taken.map_or("an unknown date".to_owned(), moment), profile.path)
}

/// `0, 2, 5`
fn numbers<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
