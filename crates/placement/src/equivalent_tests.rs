use super::*;
use crate::place;
use crate::testing::{cpus, memory, nodes, request, two_sockets, with_hbm};
use numawise_facts::{PlacementRequest, Strategy};

fn commands(machine: &Machine, request: &PlacementRequest, set_threads: bool) -> Vec<EquivalentCommands> {
    let placement = place(machine, request).unwrap();
    equivalent_commands(machine, &placement, set_threads, &|task| format!("./app -t {}", task.threads.len()))
}

fn tool<'a>(all: &'a [EquivalentCommands], name: &str) -> &'a EquivalentCommands {
    all.iter().find(|equivalent| equivalent.tool.name() == name).unwrap()
}

fn semi() -> PlacementRequest {
    PlacementRequest { tasks: 2, memory: memory("bind"), ..request(Strategy::Semi, Some(2)) }
}

#[test]
fn a_mask_and_a_policy_for_numactl() {
    let explicit = PlacementRequest {
        cpus: Some(cpus("0-1")),
        binding: ThreadBinding::Free,
        memory: memory("bind:0"),
        ..request(Strategy::Explicit, None)
    };
    let all = commands(&two_sockets(), &explicit, false);
    assert_eq!(tool(&all, "numactl").lines, ["numactl --physcpubind=0-1 --membind=0 ./app -t 2"]);
    assert!(tool(&all, "numactl").missing.is_empty());
    for (name, says) in [("numactl", true), ("taskset", false), ("openmp", false), ("srun", true)] {
        assert_eq!(tool(&all, name).has_the_memory_policy(), says, "{name}");
    }
    let near = PlacementRequest { memory: memory("local"), ..explicit.clone() };
    let near = commands(&two_sockets(), &near, false);
    assert!(tool(&near, "taskset").has_the_memory_policy(), "what the kernel does by itself needs no words");
    assert_eq!(tool(&all, "taskset").lines, ["taskset -c 0-1 ./app -t 2"]);
    assert_eq!(
        tool(&all, "taskset").missing,
        [PlanNotice::PolicyNotExpressible {
            memory: numawise_facts::MemoryPlan::new(MemoryMode::Bind, nodes("0")),
            tool: EquivalentTool::Taskset
        }
        .into()]
    );
    assert_eq!(tool(&all, "openmp").lines, ["OMP_NUM_THREADS=2 ./app -t 2"]);
    assert!(tool(&all, "openmp").missing.contains(&PlanNotice::MovingThreadsNotExpressible.into()));
}

#[test]
fn every_policy_has_its_option() {
    for (policy, option) in [
        ("local", "--localalloc"),
        ("bind:0-1", "--membind=0-1"),
        ("preferred:1", "--preferred=1"),
        ("preferred-many:0-1", "--preferred-many=0-1"),
        ("interleave", "--interleave=0-1"),
        ("weighted", "--weighted-interleave=0-1"),
    ] {
        let request = PlacementRequest { memory: memory(policy), ..PlacementRequest::as_the_os_does() };
        let all = commands(&two_sockets(), &request, false);
        assert_eq!(tool(&all, "numactl").lines, [format!("numactl {option} ./app -t 8")]);
        assert!(tool(&all, "taskset").lines.is_empty(), "nothing is left for taskset");
    }
}

#[test]
fn nothing_to_place_needs_no_tool() {
    let all = commands(&two_sockets(), &PlacementRequest::as_the_os_does(), false);
    assert_eq!(tool(&all, "numactl").lines, ["./app -t 8"]);
    assert_eq!(tool(&all, "srun").lines, ["srun -n 1 -c 8 --cpu-bind=none ./app -t 8"]);
}

#[test]
fn pinned_threads_need_openmp() {
    let all = commands(&two_sockets(), &request(Strategy::Distributed, Some(4)), true);
    let variables = "OMP_NUM_THREADS=4 OMP_PLACES='{0},{1},{2},{3}' OMP_PROC_BIND=close";
    assert_eq!(tool(&all, "openmp").lines, [format!("{variables} ./app -t 4")]);
    assert_eq!(tool(&all, "numactl").lines, [format!("{variables} numactl --physcpubind=0-3 ./app -t 4")]);
    assert_eq!(tool(&all, "numactl").missing, [PlanNotice::ThreadsNotPlaced.into()]);
}

#[test]
fn launchers_get_one_line_for_all_ranks() {
    let all = commands(&two_sockets(), &semi(), true);
    assert_eq!(tool(&all, "numactl").lines.len(), 2, "numactl needs one line for each task");
    let openmpi = &tool(&all, "mpirun-openmpi").lines;
    assert_eq!(openmpi.len(), 1);
    assert_eq!(
        openmpi[0],
        "mpirun --bind-to none -n 1 -x OMP_NUM_THREADS='2' -x OMP_PLACES='{0},{1}' -x OMP_PROC_BIND='close' \
         numactl --physcpubind=0-1 --membind=0 ./app -t 2 : \
         -n 1 -x OMP_NUM_THREADS='2' -x OMP_PLACES='{2},{3}' -x OMP_PROC_BIND='close' \
         numactl --physcpubind=2-3 --membind=1 ./app -t 2"
    );
    assert!(
        tool(&all, "mpirun-mpich").lines[0]
            .starts_with("mpiexec -bind-to none -n 1 -env OMP_NUM_THREADS '2'")
    );
    assert_eq!(
        tool(&all, "srun").lines,
        ["OMP_NUM_THREADS=2 OMP_PLACES=threads OMP_PROC_BIND=close srun -n 2 \
          --cpu-bind=mask_cpu:0x3,0xc --mem-bind=mask_mem:0x1,0x2 ./app -t 2"]
    );
}

#[test]
fn launchers_that_count_cores_or_cpus_are_told_where_there_are_more_ranks() {
    let line = |machine: &Machine, ranks: u32, name: &str| {
        let one = request(Strategy::Local, Some(1));
        let request = PlacementRequest { tasks: ranks, binding: ThreadBinding::Pinned, ..one };
        tool(&commands(machine, &request, false), name).lines[0].clone()
    };
    let begins = |machine: &Machine, ranks, name, begin: &str| {
        let line = line(machine, ranks, name);
        assert!(line.contains(begin), "{ranks}: {line}");
    };
    // Four cores of two hardware threads.
    let all = two_sockets();
    begins(&all, 4, "mpirun-openmpi", "mpirun --bind-to none -n 1");
    begins(&all, 5, "mpirun-openmpi", "mpirun --bind-to none --use-hwthread-cpus -n 1");
    begins(&all, 9, "mpirun-openmpi", "mpirun --bind-to none --oversubscribe -n 1");
    begins(&all, 8, "srun", "srun -n 8 --cpu-bind");
    begins(&all, 9, "srun", "srun -n 9 -O --cpu-bind");
    let free = PlacementRequest { tasks: 6, threads: Some(2), ..PlacementRequest::as_the_os_does() };
    let srun = tool(&commands(&all, &free, true), "srun").lines[0].clone();
    assert!(srun.contains("srun -n 6 -c 1 --cpu-bind=none"), "no more CPUs than there are: {srun}");
}

#[test]
fn srun_takes_policies_by_its_own_options_or_through_numactl() {
    let line = |policy: &str| {
        let request = PlacementRequest { memory: memory(policy), ..semi() };
        tool(&commands(&two_sockets(), &request, false), "srun").lines[0].clone()
    };
    assert!(line("local").contains("--mem-bind=local ./app"));
    assert!(line("preferred").contains("--mem-bind=prefer,mask_mem:0x1,0x2"));
    assert!(line("interleave").contains("numactl --interleave=0-1 ./app"));
}

#[test]
fn differences_between_tasks_that_srun_cannot_say_are_named() {
    let machine = with_hbm();
    let mut placement = place(&machine, &semi()).unwrap();
    placement.tasks[0].memory.mode = MemoryMode::Local;
    placement.tasks[1].threads.pop();
    let all = equivalent_commands(&machine, &placement, true, &|_| "./app".to_owned());
    let missing = &tool(&all, "srun").missing;
    for expected in [PlanNotice::PoliciesDiffer, PlanNotice::ThreadCountsDiffer] {
        assert!(missing.contains(&expected.into()), "{missing:?}");
    }
}

#[test]
fn masks_are_hexadecimal_of_any_length() {
    assert_eq!(
        masks([cpus("0-3,64"), cpus(""), cpus("127")].iter()),
        "0x1000000000000000f,0x0,0x80000000000000000000000000000000"
    );
    assert_eq!(masks([nodes("0,2")].iter()), "0x5");
}

fn with_bandwidths() -> Machine {
    let mut machine = two_sockets();
    let attribute = |node: u32, value| {
        let kind = numawise_facts::AttributeKind::Bandwidth;
        numawise_facts::Attribute::declared(kind, cpus("0-7"), numawise_units::NodeId(node), value)
    };
    machine.attributes = vec![attribute(0, 300), attribute(1, 100)];
    machine
}

#[test]
fn every_tool_is_listed_and_nothing_else() {
    let request = PlacementRequest { memory: memory("weighted"), ..semi() };
    let all = commands(&with_bandwidths(), &request, true);
    let of_one_runtime = [EquivalentTool::KmpAffinity, EquivalentTool::GompCpuAffinity];
    let listed: Vec<EquivalentTool> =
        EquivalentTool::ALL.into_iter().filter(|tool| !of_one_runtime.contains(tool)).collect();
    assert_eq!(all.iter().map(|commands| commands.tool).collect::<Vec<_>>(), listed);
    let all = commands(&two_sockets(), &request, true);
    assert_eq!(
        all.iter().map(|commands| commands.tool).collect::<Vec<_>>(),
        listed[..6],
        "no weights, no lines for them"
    );
}

#[test]
fn weights_are_lines_for_root() {
    let request = PlacementRequest { memory: memory("weighted"), ..semi() };
    let all = commands(&with_bandwidths(), &request, true);
    let weights = tool(&all, "kernel-weights");
    assert_eq!(
        weights.lines,
        [
            "echo 3 > /sys/kernel/mm/mempolicy/weighted_interleave/node0",
            "echo 1 > /sys/kernel/mm/mempolicy/weighted_interleave/node1"
        ]
    );
    assert_eq!(weights.missing, [PlanNotice::WeightsOfTheMachine.into()]);
}

#[test]
fn lines_for_weights_say_when_they_go_by_a_measurement() {
    let mut machine = with_bandwidths();
    let request = PlacementRequest { memory: memory("weighted"), ..semi() };
    assert_eq!(tool(&commands(&machine, &request, true), "kernel-weights").missing.len(), 1);
    for attribute in &mut machine.attributes {
        attribute.origin = numawise_facts::AttributeOrigin::Measured;
        attribute.access = numawise_facts::MemoryAccess::Read;
    }
    let all = commands(&machine, &request, true);
    let weights = tool(&all, "kernel-weights");
    assert_eq!(weights.lines.len(), 2);
    assert_eq!(weights.missing[1], PlanNotice::WeightsOfThisMachine.into());
}

#[test]
fn pages_are_a_variable_in_front_of_every_line() {
    for (pages, value) in [(PageSize::Thp, 1), (PageSize::Huge, 2)] {
        let request = PlacementRequest { pages, ..semi() };
        let all = commands(&two_sockets(), &request, false);
        let assignment = format!("GLIBC_TUNABLES=glibc.malloc.hugetlb={value}");
        for name in ["numactl", "taskset", "openmp", "srun"] {
            let lines = &tool(&all, name).lines;
            assert!(lines.iter().all(|line| line.starts_with(&assignment)), "{name}: {lines:?}");
        }
        let per_rank = |name: &str, words: String| tool(&all, name).lines[0].matches(&words).count();
        assert_eq!(
            per_rank("mpirun-openmpi", format!("-x GLIBC_TUNABLES='glibc.malloc.hugetlb={value}'")),
            2
        );
        assert_eq!(
            per_rank("mpirun-mpich", format!("-env GLIBC_TUNABLES 'glibc.malloc.hugetlb={value}'")),
            2
        );
    }
}

#[test]
fn pages_alone_need_neither_numactl_nor_openmps_variables() {
    let request = PlacementRequest { pages: PageSize::Thp, ..PlacementRequest::as_the_os_does() };
    let all = commands(&two_sockets(), &request, false);
    assert_eq!(tool(&all, "numactl").lines, ["GLIBC_TUNABLES=glibc.malloc.hugetlb=1 ./app -t 8"]);
    assert_eq!(
        tool(&all, "mpirun-openmpi").lines,
        ["mpirun --bind-to none -n 1 -x GLIBC_TUNABLES='glibc.malloc.hugetlb=1' ./app -t 8"]
    );
}

#[test]
fn small_pages_have_no_command() {
    let request = PlacementRequest { pages: PageSize::Small, ..semi() };
    for commands in commands(&two_sockets(), &request, true) {
        assert!(commands.missing.contains(&PlanNotice::SmallPagesNotExpressible.into()), "{commands:?}");
        assert!(commands.lines.iter().all(|line| !line.contains("GLIBC_TUNABLES")), "{commands:?}");
    }
}

#[test]
fn balancing_comes_before_the_policy_and_inside_of_srun() {
    let on = |policy: &str| PlacementRequest {
        memory: memory(policy),
        balancing: numawise_facts::Balancing::On,
        ..semi()
    };
    let all = commands(&two_sockets(), &on("bind:0-1"), false);
    assert!(tool(&all, "numactl").lines[0].contains("numactl --physcpubind=0-1 --balancing --membind=0-1"));
    assert!(tool(&all, "mpirun-mpich").lines[0].contains("--balancing --membind=0-1"));
    assert!(tool(&all, "srun").lines[0].contains(" numactl --balancing --membind=0-1 ./app"));
    let missing = &tool(&all, "taskset").missing[0];
    let Notice::Plan(PlanNotice::PolicyNotExpressible { memory, tool: EquivalentTool::Taskset }) = missing
    else {
        panic!("{missing:?}")
    };
    assert_eq!((memory.to_string().as_str(), memory.balancing), ("bind:0-1", true));
    let all = commands(&two_sockets(), &on("bind"), false);
    let srun = tool(&all, "srun");
    assert!(srun.lines[0].contains("--mem-bind=mask_mem:0x1,0x2"), "{srun:?}");
    assert!(srun.missing.contains(&PlanNotice::BalancedPoliciesDiffer.into()), "{srun:?}");
}

#[test]
fn what_numactl_ignores_is_named() {
    let request = PlacementRequest {
        memory: memory("preferred-many:0-1"),
        balancing: numawise_facts::Balancing::On,
        ..semi()
    };
    let all = commands(&two_sockets(), &request, false);
    for name in ["numactl", "mpirun-openmpi", "mpirun-mpich", "srun"] {
        let missing = &tool(&all, name).missing;
        assert!(missing.contains(&PlanNotice::BalancingIgnoredByNumactl.into()), "{name}: {missing:?}");
    }
}

#[test]
fn gpus_of_tasks_go_with_each_line_and_with_one_for_all_only_where_they_are_the_same() {
    let machine = two_sockets();
    let mut placement =
        crate::place(&machine, &PlacementRequest { tasks: 2, ..request(Strategy::Semi, Some(1)) }).unwrap();
    let gpu =
        |number| numawise_facts::TaskGpu { gpu: number, runtime: numawise_facts::GpuRuntime::Rocr, number };
    for (task, number) in placement.tasks.iter_mut().zip(0..) {
        task.gpus = vec![gpu(number), gpu(number + 2)];
    }
    let of = |placement: &Placement, tool| {
        let all = equivalent_commands(&machine, placement, true, &|_| "./app".to_owned());
        let found = all.into_iter().find(|commands| commands.tool == tool).unwrap();
        (found.lines.join("\n"), found.missing)
    };
    for tool in [EquivalentTool::Numactl, EquivalentTool::Taskset, EquivalentTool::OpenMp] {
        let (lines, _) = of(&placement, tool);
        assert!(
            lines.contains("ROCR_VISIBLE_DEVICES='0,2'") && lines.contains("ROCR_VISIBLE_DEVICES='1,3'"),
            "{lines}"
        );
    }
    let (lines, _) = of(&placement, EquivalentTool::OpenMpi);
    assert!(lines.contains("-x ROCR_VISIBLE_DEVICES='1,3'"), "{lines}");
    let (lines, missing) = of(&placement, EquivalentTool::Srun);
    assert!(
        !lines.contains("ROCR") && missing.contains(&PlanNotice::GpusDiffer.into()),
        "{lines} {missing:?}"
    );
    placement.tasks[1].gpus = placement.tasks[0].gpus.clone();
    let (lines, missing) = of(&placement, EquivalentTool::Srun);
    assert!(lines.starts_with("ROCR_VISIBLE_DEVICES='0,2' "), "{lines}");
    assert!(!missing.contains(&PlanNotice::GpusDiffer.into()));
}

#[test]
fn a_list_of_cpus_for_a_runtime_of_openmp() {
    let machine = two_sockets();
    let line = |request: &PlacementRequest, tool| {
        let placement = place(&machine, request).unwrap();
        commands_of(tool, &machine, &placement, false, &|_| "./app".to_owned()).unwrap()
    };
    for (tool, expected) in [
        (EquivalentTool::KmpAffinity, "KMP_AFFINITY='granularity=fine,proclist=[0,1,4],explicit'"),
        (EquivalentTool::GompCpuAffinity, "GOMP_CPU_AFFINITY='0,1,4'"),
    ] {
        let commands = line(&request(Strategy::Local, Some(3)), tool);
        assert_eq!(commands.lines, [format!("OMP_NUM_THREADS=3 {expected} ./app")]);
        assert_eq!(commands.missing, []);
        assert_eq!(line(&semi(), tool).lines.len(), 2);
        assert!(!line(&semi(), tool).has_the_memory_policy());
        let free = PlacementRequest { binding: ThreadBinding::Free, ..request(Strategy::Local, Some(3)) };
        assert_eq!(line(&free, tool).lines, [] as [&str; 0]);
        assert_eq!(line(&free, tool).missing, [PlanNotice::MovingThreadsNotExpressible.into()]);
        let nothing = PlacementRequest::as_the_os_does();
        assert_eq!(line(&nothing, tool).missing, [PlanNotice::NoMask.into()]);
    }
    let placement = place(&machine, &request(Strategy::Local, Some(3))).unwrap();
    let same = |tool| commands_of(tool, &machine, &placement, false, &|_| "./app".to_owned());
    let all = equivalent_commands(&machine, &placement, false, &|_| "./app".to_owned());
    assert_eq!(same(EquivalentTool::OpenMp).as_ref(), Some(tool(&all, "openmp")));
    assert_eq!(same(EquivalentTool::KernelWeights), None);
}
