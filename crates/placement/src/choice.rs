//! Which of the usable CPUs are taken, and in which order: what a request's [`CpuChoice`] says.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use numawise_facts::notice::PlanNotice;
use numawise_facts::{
    Cpu, CpuChoice, Machine, Notice, Order, PlacementRequest, Smt, Strategy, ThreadBinding,
};
use numawise_units::CpuSet;

use crate::error::{PlacementError, SkippedCpus};

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;

/// What is left of `usable`: first without what is to be skipped, then without efficient cores, then with so many hardware
/// threads of each core as are wanted.
///
/// CPUs to be skipped that may not be used anyway change nothing and are passed over; those that do not exist get a warning,
/// since the number may be a typing error.
///
/// # Errors
/// When nothing is left.
pub fn narrowed(
    machine: &Machine,
    request: &PlacementRequest,
    usable: CpuSet,
    warnings: &mut Vec<Notice>,
) -> Result<CpuSet, PlacementError> {
    let choice = &request.choice;
    warn_of_unknown(machine, choice, warnings);
    warn_of_no_order(request, warnings);
    let os_core = os_core(machine, choice);
    let left = usable.difference(&choice.skip.union(&os_core));
    if left.is_empty() {
        let skipped = SkippedCpus { listed: choice.skip.intersection(&usable), os_core };
        return Err(PlacementError::AllSkipped { usable, skipped });
    }
    let left = without_efficient(machine, request, left, warnings);
    Ok(some_of_each_core(machine, &left, choice.smt))
}

/// The core of the machine's first CPU: there, by default, run the boot CPU's timers and most interrupts.
fn os_core(machine: &Machine, choice: &CpuChoice) -> CpuSet {
    match machine.cpus.first() {
        Some(first) if choice.skip_os_core => {
            machine.cpus.iter().filter(|cpu| cpu.core == first.core).map(|cpu| cpu.id).collect()
        }
        _ => CpuSet::new(),
    }
}

fn warn_of_unknown(machine: &Machine, choice: &CpuChoice, warnings: &mut Vec<Notice>) {
    let exist = machine.online();
    let unknown = choice.skip.difference(&exist);
    if !unknown.is_empty() {
        warnings.push(PlanNotice::SkippedCpusUnknown { cpus: unknown, exist }.into());
    }
}

fn warn_of_no_order(request: &PlacementRequest, warnings: &mut Vec<Notice>) {
    let PlacementRequest { strategy, binding, choice: CpuChoice { order, .. }, .. } = request;
    let free = *binding == ThreadBinding::Free && matches!(strategy, Strategy::None | Strategy::Explicit);
    if free && *order != Order::default() {
        warnings.push(PlanNotice::OrderWithoutEffect { order: order.clone(), strategy: *strategy }.into());
    }
}

/// The cores of the lowest of several ranks of efficiency; none where all are alike or nothing is known of them. On a machine
/// of three kinds the middle one counts as fast: it may be most of the machine, and the fastest a single core.
fn efficient(machine: &Machine) -> CpuSet {
    let rank = |cpu: &Cpu| cpu.efficiency.measured().copied();
    let ranks = || machine.cpus.iter().filter_map(rank);
    match (ranks().min(), ranks().max()) {
        (Some(least), Some(most)) if least < most => {
            machine.cpus.iter().filter(|cpu| rank(cpu) == Some(least)).map(|cpu| cpu.id).collect()
        }
        _ => CpuSet::new(),
    }
}

/// Whether some cores are less efficient in work than others, and left out unless they are asked for.
pub fn has_efficient_cores(machine: &Machine) -> bool {
    !efficient(machine).is_empty()
}

/// Which CPUs are taken is ours to say: the operating system does not choose, and nobody named them.
fn we_choose(request: &PlacementRequest) -> bool {
    let of_strategy = match request.strategy {
        Strategy::Local | Strategy::Distributed | Strategy::Semi => true,
        Strategy::None => request.binding == ThreadBinding::Pinned,
        Strategy::Explicit => false,
    };
    of_strategy && request.cpus.is_none() && !matches!(request.choice.order, Order::Listed(_))
}

/// Threads that wait for one another are as slow as the slowest, so efficient cores are taken only when asked for, by
/// name or in general, and where the operating system chooses.
fn without_efficient(
    machine: &Machine,
    request: &PlacementRequest,
    left: CpuSet,
    warnings: &mut Vec<Notice>,
) -> CpuSet {
    if !we_choose(request) || request.choice.efficient_cores {
        return left;
    }
    let slow = efficient(machine).intersection(&left);
    if slow.is_empty() {
        return left;
    }
    let fast = left.difference(&slow);
    if fast.is_empty() {
        warnings.push(PlanNotice::OnlyEfficientCores { cpus: slow }.into());
        return left;
    }
    warnings.push(PlanNotice::EfficientCoresLeftOut { cpus: slow }.into());
    fast
}

/// The CPUs to be shared out, and the number of threads of each task where its CPUs do not say it. Where the number is ours, a
/// task gets one thread for each of its cores, and one where there are more tasks than cores; whoever names CPUs, says how many
/// of a core, or wants its threads side by side (`compact`) means all of them; a list of CPUs has a thread for each
/// (docs/decisions/0030-one-thread-a-core.md).
pub fn one_a_core(machine: &Machine, request: &PlacementRequest, usable: CpuSet) -> (CpuSet, Option<u32>) {
    let CpuChoice { order, smt, .. } = &request.choice;
    if let (None, Order::Listed(cpus)) = (request.threads, order) {
        return (usable, Some(cpus.len() as u32));
    }
    if request.threads.is_some() || !we_choose(request) || *order == Order::Compact || *smt != Smt::AsNeeded {
        return (usable, request.threads);
    }
    let cores = some_of_each_core(machine, &usable, Smt::PerCore(NonZeroU32::MIN));
    if cores.len() < request.tasks as usize { (usable, Some(1)) } else { (cores, None) }
}

fn some_of_each_core(machine: &Machine, cpus: &CpuSet, smt: Smt) -> CpuSet {
    let Smt::PerCore(most) = smt else { return cpus.clone() };
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    let mut kept = CpuSet::new();
    for id in cpus.iter() {
        // A CPU of which the machine does not say its core is a core of its own.
        let Some(cpu) = machine.cpu(id) else {
            kept.insert(id);
            continue;
        };
        let of_core = taken.entry(cpu.core).or_default();
        if *of_core < most.get() {
            *of_core += 1;
            kept.insert(id);
        }
    }
    kept
}

/// Every n-th of `list`, at its end on from the next offset: 0, n, 2n, ..., 1, n + 1, ...
pub fn stepped<T: Copy>(list: &[T], choice: &CpuChoice) -> Vec<T> {
    let step = choice.step.get() as usize;
    (0..step.min(list.len())).flat_map(|offset| list.iter().copied().skip(offset).step_by(step)).collect()
}
