//! What holds on every machine and for every request.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use numawise_facts::{Cpu, CpuChoice, MemoryKind, MemoryRequest, Order, Reading, Smt};
use numawise_units::{Bytes, NodeId, NodeSet};
use proptest::prelude::{
    Just, ProptestConfig, any, prop, prop_assert, prop_assert_eq, prop_assert_ne, prop_oneof, proptest,
};
use proptest::strategy::Strategy as Generator;

use super::*;
use crate::testing::{self, NodeSpec};

mod apart;

/// A machine with one to six nodes, some without CPUs or memory, one to four threads a core, numbers with gaps and in
/// either of the usual orders, and a mask.
fn machines() -> impl Generator<Value = Machine> {
    let node = (0u32..3, 0usize..5, 0u8..8, 0u8..4);
    (prop::collection::vec(node, 1..6), 1usize..5, any::<bool>(), 1u32..4, any::<u64>(), any::<u64>())
        .prop_map(|(nodes, smt, siblings_last, step, mask, mems)| {
            build(&nodes, smt, siblings_last, step, mask, mems)
        })
}

/// Machines of which a third are hybrid, with two or three kinds of cores in any mixture.
fn with_kinds() -> impl Generator<Value = Machine> {
    let kinds = prop_oneof![2 => Just(1u32), 1 => 2u32..4];
    (machines(), kinds, any::<u64>()).prop_map(|(mut machine, kinds, seed)| {
        for cpu in &mut machine.cpus {
            if kinds > 1 {
                cpu.efficiency = Reading::Measured((seed >> (cpu.core % 32 * 2)) as u32 % kinds);
            }
        }
        machine
    })
}

fn per_core(number: u32) -> Smt {
    NonZeroU32::new(number).map_or(Smt::All, Smt::PerCore)
}

fn choices() -> impl Generator<Value = CpuChoice> {
    let order = prop_oneof![Just(Order::Spread), Just(Order::Compact)];
    let smt = prop_oneof![Just(Smt::AsNeeded), Just(Smt::All), (1u32..4).prop_map(per_core)];
    let skip = prop_oneof![Just(0u64), any::<u64>()];
    (order, 1u32..6, smt, skip, any::<bool>(), any::<bool>()).prop_map(
        |(order, step, smt, skip, skip_os_core, efficient_cores)| CpuChoice {
            order,
            step: NonZeroU32::new(step).unwrap(),
            smt,
            skip: CpuSet::from_words(vec![skip & skip >> 1]), // a quarter of the CPUs
            skip_os_core,
            efficient_cores,
        },
    )
}

/// What a request may use after its choice, told apart from the code: CPU by CPU.
fn usable(machine: &Machine, request: &PlacementRequest) -> CpuSet {
    let choice = &request.choice;
    let os_core = machine.cpus[0].core;
    let ours = |cpu: &&Cpu| machine.allowed_cpus.contains(cpu.id);
    let kept = |cpu: &&Cpu| !(choice.skip.contains(cpu.id) || choice.skip_os_core && cpu.core == os_core);
    let left: Vec<&Cpu> = machine.cpus.iter().filter(ours).filter(kept).collect();
    let rank = |cpu: &Cpu| cpu.efficiency.measured().copied().unwrap_or(0);
    let lowest = machine.cpus.iter().map(rank).min().unwrap();
    let hybrid = machine.cpus.iter().any(|cpu| rank(cpu) > lowest);
    let free = request.strategy == Strategy::None && request.binding == ThreadBinding::Free;
    let left: Vec<&Cpu> =
        if hybrid && !choice.efficient_cores && !free && left.iter().any(|cpu| rank(cpu) > lowest) {
            left.into_iter().filter(|cpu| rank(cpu) > lowest).collect()
        } else {
            left
        };
    let before = |cpu: &Cpu| left.iter().filter(|other| other.core == cpu.core && other.id < cpu.id).count();
    let cores: BTreeSet<u32> = left.iter().map(|cpu| cpu.core).collect();
    let one_a_core = request.threads.is_none()
        && !free
        && choice.order == Order::Spread
        && cores.len() >= request.tasks as usize;
    let wanted = |cpu: &&&Cpu| match choice.smt {
        Smt::AsNeeded => !one_a_core || before(cpu) == 0,
        Smt::All => true,
        Smt::PerCore(most) => before(cpu) < most.get() as usize,
    };
    left.iter().filter(wanted).map(|cpu| cpu.id).collect()
}

fn build(
    nodes: &[(u32, usize, u8, u8)],
    smt: usize,
    siblings_last: bool,
    step: u32,
    mask: u64,
    mems: u64,
) -> Machine {
    let mut cores: Vec<Vec<Vec<u32>>> = nodes.iter().map(|(_, cores, ..)| vec![vec![]; *cores]).collect();
    if cores.iter().all(Vec::is_empty) {
        cores[0].push(vec![]);
    }
    let mut next = 0;
    let mut number = || {
        next += step;
        next - step
    };
    if siblings_last {
        (0..smt).for_each(|_| cores.iter_mut().flatten().for_each(|core| core.push(number())))
    } else {
        cores.iter_mut().flatten().for_each(|core| (0..smt).for_each(|_| core.push(number())))
    }
    let borrowed: Vec<Vec<&[u32]>> =
        cores.iter().map(|node| node.iter().map(Vec::as_slice).collect()).collect();
    let kinds = [MemoryKind::Dram, MemoryKind::Hbm, MemoryKind::Cxl, MemoryKind::Unknown];
    let specs: Vec<NodeSpec<'_>> = nodes
        .iter()
        .zip(&borrowed)
        .enumerate()
        .map(|(k, ((package, _, memory, kind), cores))| NodeSpec {
            id: k as u32 * step,
            package: *package,
            cores,
            kind: if cores.is_empty() { kinds[*kind as usize] } else { MemoryKind::Dram },
            mib: if *memory == 0 { 0 } else { 256 },
        })
        .collect();
    let mut machine = testing::machine(&specs);
    let bit = |mask: u64, k: usize| mask >> (k % 64) & 1 == 1;
    let all = machine.allowed_cpus.clone();
    let some: CpuSet = all.iter().enumerate().filter(|(k, _)| bit(mask, *k)).map(|(_, cpu)| cpu).collect();
    if !some.is_empty() {
        machine.allowed_cpus = some;
    }
    let all = machine.allowed_nodes.clone();
    let some: NodeSet = all.iter().enumerate().filter(|(k, _)| bit(mems, *k)).map(|(_, node)| node).collect();
    if !some.is_empty() {
        machine.allowed_nodes = some;
    }
    machine
}

fn requests() -> impl Generator<Value = PlacementRequest> {
    let strategy = prop_oneof![
        Just(Strategy::Local),
        Just(Strategy::Distributed),
        Just(Strategy::Semi),
        Just(Strategy::None)
    ];
    let memory = prop_oneof![
        Just(MemoryRequest::Default),
        Just(MemoryRequest::Local),
        Just(MemoryRequest::Bind(None)),
        Just(MemoryRequest::Preferred(None)),
        Just(MemoryRequest::Interleave(None)),
        Just(MemoryRequest::Hbm),
        Just(MemoryRequest::Remote),
    ];
    let binding = prop_oneof![Just(ThreadBinding::Pinned), Just(ThreadBinding::Free)];
    let smt = prop_oneof![Just(Smt::AsNeeded), Just(Smt::All)];
    (strategy, binding, 1u32..7, prop::option::of(1u32..20), memory, smt).prop_map(
        |(strategy, binding, tasks, threads, memory, smt)| PlacementRequest {
            choice: CpuChoice { smt, ..CpuChoice::default() },
            strategy,
            binding,
            tasks,
            threads,
            memory,
            ..PlacementRequest::as_the_os_does()
        },
    )
}

/// How often each allowed CPU is used by pinned threads.
fn uses(machine: &Machine, placement: &Placement) -> BTreeMap<CpuId, usize> {
    let mut uses: BTreeMap<CpuId, usize> = machine.allowed_cpus.iter().map(|cpu| (cpu, 0)).collect();
    for cpu in placement.tasks.iter().flat_map(|task| &task.threads).flat_map(CpuSet::iter) {
        *uses.entry(cpu).or_default() += 1;
    }
    uses
}

fn spread(values: impl Iterator<Item = usize> + Clone) -> usize {
    values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
}

/// The only errors that a request of this kind may meet.
fn is_about_memory(error: &PlacementError) -> bool {
    matches!(
        error,
        PlacementError::NoHbm { .. }
            | PlacementError::NothingRemote { .. }
            | PlacementError::NothingRemoteFromAll { .. }
            | PlacementError::NothingRemoteButNamed { .. }
            | PlacementError::NoMemory { .. }
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_outside_of_what_is_allowed(machine in machines(), request in requests()) {
        let placement = match place(&machine, &request) {
            Ok(placement) => placement,
            Err(error) => {
                prop_assert!(is_about_memory(&error), "{error}");
                return Ok(());
            }
        };
        prop_assert_eq!(placement.tasks.len(), request.tasks as usize);
        for (number, task) in placement.tasks.iter().enumerate() {
            prop_assert_eq!(task.task.0 as usize, number);
            prop_assert!(!task.threads.is_empty());
            prop_assert!(request.threads.is_none_or(|threads| task.threads.len() == threads as usize));
            prop_assert!(task.cpus.is_subset(&machine.allowed_cpus));
            prop_assert!(task.memory.nodes.is_subset(&machine.allowed_nodes));
            let union = task.threads.iter().fold(CpuSet::new(), |all, cpus| all.union(cpus));
            prop_assert_eq!(&union, &task.cpus);
            let single = request.binding == ThreadBinding::Pinned;
            let held = |cpus: &CpuSet| if single { cpus.len() == 1 } else { *cpus == task.cpus };
            prop_assert!(task.threads.iter().all(held));
        }
    }

    #[test]
    fn the_same_twice(machine in machines(), request in requests()) {
        prop_assert_eq!(place(&machine, &request), place(&machine, &request));
    }

    #[test]
    fn every_cpu_once_before_any_twice(machine in machines(), request in requests()) {
        let request = PlacementRequest { memory: MemoryRequest::Default, binding: ThreadBinding::Pinned, ..request };
        let placement = place(&machine, &request).unwrap();
        let uses = uses(&machine, &placement);
        let threads: usize = uses.values().sum();
        if request.strategy == Strategy::Semi {
            // Inside a node, at least: a task may not leave it.
            for node in machine.nodes_with_allowed_cpus() {
                let of_node = uses.iter().filter(|(cpu, _)| node.cpus.contains(**cpu)).map(|(_, n)| *n);
                prop_assert!(spread(of_node) <= 1, "{:?}", uses);
            }
        } else {
            prop_assert!(spread(uses.values().copied()) <= 1, "{:?}", uses);
            let oversubscribed = threads > machine.allowed_cpus.len();
            prop_assert_eq!(!placement.warnings.is_empty(), oversubscribed, "{:?}", placement.warnings);
        }
    }

    #[test]
    fn a_choice_is_kept_and_its_cpus_are_used_evenly(
        machine in with_kinds(), request in requests(), choice in choices()
    ) {
        let request = PlacementRequest { memory: MemoryRequest::Default, choice, ..request };
        let usable = usable(&machine, &request);
        let placement = match place(&machine, &request) {
            Ok(placement) => placement,
            Err(error) => {
                prop_assert!(matches!(error, PlacementError::AllSkipped { .. }), "{error}");
                prop_assert!(usable.is_empty());
                return Ok(());
            }
        };
        prop_assert!(placement.cpus().is_subset(&usable), "{} of {}", placement.cpus(), usable);
        if request.strategy == Strategy::None && request.binding == ThreadBinding::Free {
            prop_assert!(placement.tasks.iter().all(|task| task.cpus == usable));
        }
        if request.binding == ThreadBinding::Pinned && request.strategy != Strategy::Semi {
            let uses = uses(&machine, &placement);
            let of_usable = usable.iter().map(|cpu| uses[&cpu]).collect::<Vec<_>>();
            prop_assert!(spread(of_usable.iter().copied()) <= 1, "{:?}", uses);
        }
        // Efficient cores are left out with a word, or not at all.
        let efficient = placement.warnings.iter().any(|warning| {
            let of_plan = match warning {
                Notice::Plan(notice) => notice,
                _ => return false,
            };
            matches!(of_plan, PlanNotice::EfficientCoresLeftOut { .. } | PlanNotice::OnlyEfficientCores { .. })
        });
        let all = CpuChoice { efficient_cores: true, ..request.choice.clone() };
        let with_all = PlacementRequest { choice: all, ..request.clone() };
        prop_assert!(efficient || place(&machine, &with_all).unwrap().tasks == placement.tasks);
        prop_assert_eq!(place(&machine, &request), Ok(placement));
    }

    /// One task on one node: the k-th thread is where the definition says, reckoned thread by thread.
    #[test]
    fn the_order_and_the_step_are_those_of_their_definition(
        cores in 1usize..9, smt in 1usize..5, step in 1u32..12, compact in any::<bool>(), threads in 1usize..40
    ) {
        let own: Vec<Vec<u32>> =
            (0..cores).map(|core| (0..smt).map(|k| (k * cores + core) as u32).collect()).collect();
        let own: Vec<&[u32]> = own.iter().map(Vec::as_slice).collect();
        let machine = testing::machine(&[testing::dram(0, 0, &own)]);
        let order = if compact { Order::Compact } else { Order::Spread };
        let choice = CpuChoice { order, step: NonZeroU32::new(step).unwrap(), ..CpuChoice::default() };
        let request = PlacementRequest { choice, ..testing::request(Strategy::Local, Some(threads as u32)) };
        let mut position = 0;
        let mut offset = 0;
        for thread in &place(&machine, &request).unwrap().tasks[0].threads {
            let cpu = if compact { (position % smt) * cores + position / smt } else { position };
            prop_assert_eq!(thread, &CpuSet::single(CpuId(cpu as u32)));
            position += step as usize;
            if position >= cores * smt {
                offset = if offset + 1 < (step as usize).min(cores * smt) { offset + 1 } else { 0 };
                position = offset;
            }
        }
    }

    /// Orders over all CPUs use each once before any is used twice.
    #[test]
    fn orders_over_all_cpus_use_each_once(machine in with_kinds(), which in 0usize..3, number in 1u32..40) {
        let order = [Order::Compact, Order::Scatter, Order::Balanced][which].clone();
        let choice = CpuChoice { order, efficient_cores: true, ..CpuChoice::default() };
        let request = PlacementRequest { choice, ..testing::request(super::Strategy::None, Some(number)) };
        let Ok(placement) = place(&machine, &request) else {
            prop_assert!(machine.allowed_cpus.is_empty());
            return Ok(());
        };
        let used = placement.tasks[0].threads.iter().fold(CpuSet::new(), |used, cpus| used.union(cpus));
        prop_assert_eq!(used.len(), machine.allowed_cpus.len().min(number as usize));
        prop_assert!(used.is_subset(&machine.allowed_cpus));
    }

    /// A rank needs nothing but the request: it may read the machine's lists in any order, and have been told of fewer
    /// things that do not matter to it.
    #[test]
    fn ranks_agree(machine in with_kinds(), request in requests(), choice in choices(), rank in 0usize..7) {
        let request = PlacementRequest { choice, ..request };
        let mut as_read_elsewhere = machine.clone();
        as_read_elsewhere.packages.reverse();
        as_read_elsewhere.limits.clear();
        as_read_elsewhere.source = numawise_facts::Source::Live;
        for node in &mut as_read_elsewhere.nodes {
            node.free = Reading::Measured(Bytes(rank as u64));
        }
        let here = place(&machine, &request).map(|placement| placement.tasks);
        let there = place(&as_read_elsewhere, &request).map(|placement| placement.tasks);
        prop_assert_eq!(here, there);
    }

    /// With a step, tasks are cut one after the other from the sequence that one large task would get.
    #[test]
    fn a_task_of_local_is_cut_from_one_sequence(machine in machines(), step in 2u32..5, tasks in 1u32..6) {
        // More threads than CPUs go node by node, round after round: there the two are not comparable.
        let tasks = tasks.min(machine.allowed_cpus.len() as u32 / 2);
        if tasks == 0 {
            return Ok(());
        }
        let choice = CpuChoice { step: NonZeroU32::new(step).unwrap(), ..CpuChoice::default() };
        let request = PlacementRequest { tasks, choice, ..testing::request(Strategy::Local, Some(2)) };
        let many = place(&machine, &request).unwrap();
        let one = place(&machine, &PlacementRequest { tasks: 1, threads: Some(2 * tasks), ..request }).unwrap();
        let in_a_row: Vec<CpuSet> = many.tasks.into_iter().flat_map(|task| task.threads).collect();
        prop_assert_eq!(in_a_row, one.tasks[0].threads.clone());
    }

    #[test]
    fn a_task_of_semi_stays_in_a_node(machine in machines(), request in requests()) {
        let request = PlacementRequest { strategy: Strategy::Semi, memory: MemoryRequest::Default, ..request };
        for task in place(&machine, &request).unwrap().tasks {
            let mut nodes: Vec<Option<NodeId>> = task.cpus.iter().map(|cpu| machine.node_of(cpu)).collect();
            nodes.dedup();
            prop_assert_eq!(nodes.len(), 1);
        }
    }

    #[test]
    fn distributed_is_even_and_in_blocks(machine in machines(), request in requests()) {
        let request = PlacementRequest {
            strategy: Strategy::Distributed,
            binding: ThreadBinding::Pinned,
            memory: MemoryRequest::Default,
            tasks: 1,
            choice: testing::all_threads(),
            ..request
        };
        let placement = place(&machine, &request).unwrap();
        let threads: Vec<NodeId> = placement.tasks[0]
            .threads
            .iter()
            .map(|cpus| machine.node_of(cpus.first().unwrap()).unwrap())
            .collect();
        let mut blocks = threads.clone();
        blocks.dedup();
        let distinct: BTreeSet<_> = blocks.iter().collect();
        prop_assert_eq!(distinct.len(), blocks.len(), "a node comes in one block: {:?}", threads);
        // Nodes that are not full differ by at most one.
        let count = |node: NodeId| threads.iter().filter(|other| **other == node).count();
        let room = |node: &numawise_facts::Node| node.cpus.intersection(&machine.allowed_cpus).len();
        let open: Vec<usize> = machine
            .nodes_with_allowed_cpus()
            .filter(|node| count(node.id) < room(node))
            .map(|node| count(node.id))
            .collect();
        prop_assert!(spread(open.iter().copied()) <= 1, "{:?}", threads);
    }

    #[test]
    fn local_leaves_no_room_behind(machine in machines(), request in requests()) {
        let request = PlacementRequest {
            strategy: Strategy::Local,
            binding: ThreadBinding::Pinned,
            memory: MemoryRequest::Default,
            tasks: 1,
            choice: testing::all_threads(),
            ..request
        };
        let placement = place(&machine, &request).unwrap();
        let used = &placement.tasks[0].cpus;
        let partly = machine.nodes_with_allowed_cpus().filter(|node| {
            let own = node.cpus.intersection(&machine.allowed_cpus);
            used.intersects(&own) && !own.is_subset(used)
        });
        prop_assert!(partly.count() <= 1);
        // In a node that is partly used, no core has two threads while another has none.
        for node in machine.nodes_with_allowed_cpus() {
            let mut cores: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
            for cpu in node.cpus.intersection(&machine.allowed_cpus).iter() {
                let entry = cores.entry(machine.cpu(cpu).unwrap().core).or_default();
                entry.0 += usize::from(used.contains(cpu));
                entry.1 += 1;
            }
            let open = cores.values().filter(|(taken, all)| taken < all).map(|(taken, _)| *taken);
            let most = cores.values().map(|(taken, _)| *taken).max().unwrap_or(0);
            prop_assert!(open.min().is_none_or(|least| most <= least + 1));
        }
    }

    #[test]
    fn hbm_is_hbm_and_remote_is_elsewhere(machine in machines(), request in requests()) {
        let hbm = PlacementRequest { memory: MemoryRequest::Hbm, ..request.clone() };
        for task in place(&machine, &hbm).map(|placement| placement.tasks).unwrap_or_default() {
            prop_assert!(!task.memory.nodes.is_empty());
            prop_assert!(task.memory.nodes.iter().all(|id| machine.node(id).unwrap().kind == MemoryKind::Hbm));
        }
        let remote = PlacementRequest { memory: MemoryRequest::Remote, ..request };
        for task in place(&machine, &remote).map(|placement| placement.tasks).unwrap_or_default() {
            prop_assert_eq!(task.memory.nodes.len(), 1);
            let node = machine.node(task.memory.nodes.first().unwrap()).unwrap();
            prop_assert!(!node.cpus.intersects(&task.cpus));
            prop_assert_ne!(node.memory.measured(), Some(&Bytes(0)));
        }
    }

    #[test]
    fn a_thousand_ranks_are_no_matter(ranks in 1u32..1100) {
        let machine = testing::two_sockets();
        let request = PlacementRequest { tasks: ranks, ..testing::request(Strategy::Distributed, Some(1)) };
        let placement = place(&machine, &request).unwrap();
        prop_assert!(spread(uses(&machine, &placement).values().copied()) <= 1);
    }
}
