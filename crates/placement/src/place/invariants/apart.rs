//! Tasks do not meet on a core while there are cores for all of them.

use numawise_units::Arrange;

use super::*;

/// A task's CPUs by core, told from the plan alone.
fn on_cores(machine: &Machine, task: &TaskPlacement) -> BTreeMap<u32, usize> {
    let mut cores = BTreeMap::new();
    for cpu in task.cpus.iter() {
        *cores.entry(machine.cpu(cpu).unwrap().core).or_default() += 1;
    }
    cores
}

/// The cores that several tasks use.
fn met(machine: &Machine, placement: &Placement) -> BTreeSet<u32> {
    let mut users: BTreeMap<u32, usize> = BTreeMap::new();
    for core in placement.tasks.iter().flat_map(|task| on_cores(machine, task).into_keys()) {
        *users.entry(core).or_default() += 1;
    }
    users.into_iter().filter(|(_, users)| *users > 1).map(|(core, _)| core).collect()
}

/// By node with CPUs that may be used: its cores, each with how many of its CPUs.
fn cores_of(machine: &Machine) -> Vec<BTreeMap<u32, usize>> {
    let mut nodes: BTreeMap<Option<NodeId>, BTreeMap<u32, usize>> = BTreeMap::new();
    for cpu in machine.cpus.iter().filter(|cpu| machine.allowed_cpus.contains(cpu.id)) {
        *nodes.entry(cpu.node).or_default().entry(cpu.core).or_default() += 1;
    }
    nodes.into_values().collect()
}

/// With all CPUs allowed, so that all cores are alike.
fn whole() -> impl Generator<Value = Machine> {
    machines().prop_map(|machine| Machine { allowed_cpus: machine.online(), ..machine })
}

fn pinned(request: PlacementRequest, strategy: Strategy) -> PlacementRequest {
    let (memory, binding) = (MemoryRequest::Default, ThreadBinding::Pinned);
    PlacementRequest { strategy, memory, binding, ..request }
}

fn three() -> impl Generator<Value = Strategy> {
    prop_oneof![Just(Strategy::Local), Just(Strategy::Distributed), Just(Strategy::Semi)]
}

/// Whether there are cores for every task in the nodes that semi may choose among.
fn enough(machine: &Machine, request: &PlacementRequest) -> bool {
    let nodes: Vec<usize> = cores_of(machine).iter().map(BTreeMap::len).collect();
    let smt = *cores_of(machine)[0].values().next().unwrap();
    let tasks = request.tasks as usize;
    match request.threads {
        // With more than two CPUs a core, tasks also meet so that no core has many threads while others have few.
        Some(threads) => {
            let each = (threads as usize).div_ceil(smt);
            smt <= 2 && nodes.iter().map(|cores| cores / each).sum::<usize>() >= tasks
        }
        None => tasks <= nodes.iter().sum(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tasks_of_semi_do_not_meet_while_there_are_cores_for_all(machine in whole(), request in requests()) {
        let request = pinned(request, Strategy::Semi);
        let placement = place(&machine, &request).unwrap();
        if enough(&machine, &request) {
            prop_assert_eq!(met(&machine, &placement), BTreeSet::new(), "{:?}", placement.tasks);
        }
    }

    /// Whatever the mask left of the cores: nobody meets in a node that has an unused core, or cores enough for what is there.
    #[test]
    fn nobody_meets_beside_a_free_core(
        machine in prop_oneof![machines(), whole()], request in requests(), strategy in three()
    ) {
        let placement = place(&machine, &pinned(request, strategy)).unwrap();
        let met = met(&machine, &placement);
        let cpus = placement.cpus();
        let used: BTreeSet<u32> = cpus.iter().map(|cpu| machine.cpu(cpu).unwrap().core).collect();
        for node in cores_of(&machine).iter().filter(|node| node.keys().any(|core| met.contains(core))) {
            prop_assert!(node.keys().all(|core| used.contains(core)), "{:?}", placement.tasks);
            let here = |one: &&CpuSet| node.contains_key(&machine.cpu(one.first().unwrap()).unwrap().core);
            let threads: Vec<usize> =
                placement.tasks.iter().map(|task| task.threads.iter().filter(here).count()).collect();
            let smt = *node.values().next().unwrap();
            if node.values().all(|cpus| *cpus == smt) {
                let on_a_core = threads.iter().sum::<usize>().div_ceil(node.len()).min(smt);
                let needed: usize = threads.iter().map(|threads| threads.div_ceil(on_a_core)).sum();
                prop_assert!(needed > node.len(), "{:?}", placement.tasks);
            }
        }
    }

    #[test]
    fn equal_tasks_of_a_node_have_as_many_cores_within_one(machine in whole(), request in requests()) {
        let placement = place(&machine, &pinned(request, Strategy::Semi)).unwrap();
        if met(&machine, &placement).is_empty() {
            for node in cores_of(&machine) {
                let of_node = placement.tasks.iter().map(|task| on_cores(&machine, task)).filter(|task| {
                    task.keys().next().is_some_and(|core| node.contains_key(core))
                });
                let numbers: Vec<usize> = of_node.map(|task| task.len()).collect();
                prop_assert!(spread(numbers.iter().copied()) <= 1, "{:?}", placement.tasks);
            }
        }
    }

    /// Local takes the first nodes that have room for all, or cores for all where tasks would meet. A node that is too small for any of
    /// several tasks may be passed over.
    #[test]
    fn local_takes_no_more_nodes_than_it_needs(
        machine in prop_oneof![machines(), whole()], request in requests()
    ) {
        let request = PlacementRequest { choice: testing::all_threads(), ..pinned(request, Strategy::Local) };
        let placement = place(&machine, &request).unwrap();
        let threads: usize = placement.tasks.iter().map(|task| task.threads.len()).sum();
        let mut nodes: Vec<_> = machine.nodes_with_allowed_cpus().collect();
        nodes.arrange_by_key(|node| (machine.cpu(node.cpus.intersection(&machine.allowed_cpus).first().unwrap()).unwrap().package, node.id));
        let mut room = 0;
        let mut cores = BTreeSet::new();
        for node in nodes {
            let own = node.cpus.intersection(&machine.allowed_cpus);
            if room >= threads && threads > cores.len() && placement.tasks.len() > 1 {
                break;
            }
            let is_too_small = placement.tasks.iter().all(|task| task.threads.len() > own.len());
            if placement.tasks.len() > 1 && is_too_small && !placement.cpus().intersects(&own) {
                continue;
            }
            cores.extend(own.iter().map(|cpu| machine.cpu(cpu).unwrap().core));
            prop_assert_eq!(placement.cpus().intersects(&own), room < threads, "node {}: {:?}", node.id, placement.tasks);
            room += own.len();
        }
    }

    /// No core gets more threads than some core has to have, but to keep tasks apart.
    #[test]
    fn cores_are_used_evenly(machine in prop_oneof![machines(), whole()], request in requests(), strategy in three()) {
        let placement = place(&machine, &pinned(request, strategy)).unwrap();
        let uses = uses(&machine, &placement);
        for node in cores_of(&machine) {
            let on = |core: &u32| {
                let own = uses.iter().filter(|(cpu, _)| machine.cpu(**cpu).unwrap().core == *core);
                own.map(|(_, uses)| *uses).sum::<usize>()
            };
            let threads: usize = node.keys().map(on).sum();
            let room = |level: usize| node.values().map(|cpus| level.min(*cpus)).sum::<usize>();
            if threads <= room(usize::MAX) {
                let unavoidable = (0..).find(|level| room(*level) >= threads).unwrap();
                let own = |core: &u32| !met(&machine, &placement).contains(core);
                let several = placement.tasks.len() > 1 && node.keys().all(own);
                prop_assert!(several || node.keys().all(|core| on(core) <= unavoidable), "{:?}", placement.tasks);
            }
        }
    }

    /// Without a number of threads all CPUs are used, each by one task, and no task has more than another by more than a core.
    #[test]
    fn the_whole_machine_is_dealt_evenly(machine in machines(), request in requests(), strategy in three()) {
        let request = PlacementRequest { threads: None, choice: testing::all_threads(), ..pinned(request, strategy) };
        let placement = place(&machine, &request).unwrap();
        let sizes: Vec<usize> = placement.tasks.iter().map(|task| task.threads.len()).collect();
        if sizes.len() <= machine.allowed_cpus.len() && strategy != Strategy::Semi {
            prop_assert!(uses(&machine, &placement).values().all(|uses| *uses == 1), "{:?}", sizes);
            let largest = cores_of(&machine).into_iter().flat_map(BTreeMap::into_values).max().unwrap();
            prop_assert!(spread(sizes.iter().copied()) <= largest, "{:?}", sizes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Where nobody said how many threads a task has, nor how many of a core: one for each of its cores, and every core is used.
    #[test]
    fn one_thread_a_core_is_the_default(machine in machines(), request in requests(), strategy in three()) {
        let request =
            PlacementRequest { threads: None, choice: CpuChoice::default(), ..pinned(request, strategy) };
        let placement = place(&machine, &request).unwrap();
        let cores: usize = cores_of(&machine).iter().map(BTreeMap::len).sum();
        let sizes: Vec<usize> = placement.tasks.iter().map(|task| task.threads.len()).collect();
        if sizes.len() > cores {
            prop_assert!(sizes.iter().all(|threads| *threads == 1), "{:?}", sizes);
            return Ok(());
        }
        let uses = uses(&machine, &placement);
        for node in cores_of(&machine) {
            let used = node.keys().map(|core| {
                uses.iter().filter(|(cpu, _)| machine.cpu(**cpu).unwrap().core == *core).map(|(_, n)| n).sum::<usize>()
            });
            // A node that semi needs for no task stays empty; one that is too small for its share of them has several on a core.
            let evenly = if strategy == Strategy::Semi { spread(used.clone()) <= 1 } else { used.clone().all(|n| n == 1) };
            prop_assert!(evenly, "{:?}", placement.tasks);
        }
    }
}
