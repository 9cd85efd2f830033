use super::*;
use crate::place;
use crate::testing::{cpus, memory, nodes, request, two_sockets, with_hbm};
use numawise_facts::{PlacementRequest, Strategy};

fn words(machine: &Machine, request: &PlacementRequest, set_threads: bool) -> Vec<Equivalent> {
    let placement = place(machine, request).unwrap();
    equivalents(machine, &placement, set_threads, &|threads| format!("./app -t {threads}"))
}

fn tool<'a>(all: &'a [Equivalent], name: &str) -> &'a Equivalent {
    all.iter().find(|equivalent| equivalent.tool == name).unwrap()
}

fn semi() -> PlacementRequest {
    PlacementRequest { tasks: 2, memory: memory("bind"), ..request(Strategy::Semi, Some(2)) }
}

#[test]
fn a_mask_and_a_policy_in_the_words_of_numactl() {
    let explicit = PlacementRequest {
        cpus: Some(cpus("0-1")),
        binding: ThreadBinding::Free,
        memory: memory("bind:0"),
        ..request(Strategy::Explicit, None)
    };
    let all = words(&two_sockets(), &explicit, false);
    assert_eq!(tool(&all, "numactl").lines, ["numactl --physcpubind=0-1 --membind=0 ./app -t 2"]);
    assert!(tool(&all, "numactl").missing.is_empty());
    assert_eq!(tool(&all, "taskset").lines, ["taskset -c 0-1 ./app -t 2"]);
    assert_eq!(tool(&all, "taskset").missing, ["memory policy bind:0: taskset has no words for it"]);
    assert_eq!(tool(&all, "openmp").lines, ["OMP_NUM_THREADS=2 ./app -t 2"]);
    assert!(tool(&all, "openmp").missing.iter().any(|missing| missing.contains("threads that may move")));
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
        let all = words(&two_sockets(), &request, false);
        assert_eq!(tool(&all, "numactl").lines, [format!("numactl {option} ./app -t 8")]);
        assert!(tool(&all, "taskset").lines.is_empty(), "nothing is left for taskset");
    }
}

#[test]
fn nothing_to_place_needs_no_tool() {
    let all = words(&two_sockets(), &PlacementRequest::as_the_os_does(), false);
    assert_eq!(tool(&all, "numactl").lines, ["./app -t 8"]);
    assert_eq!(tool(&all, "srun").lines, ["srun -n 1 -c 8 --cpu-bind=none ./app -t 8"]);
}

#[test]
fn pinned_threads_need_openmp() {
    let all = words(&two_sockets(), &request(Strategy::Distributed, Some(4)), true);
    let variables = "OMP_NUM_THREADS=4 OMP_PLACES='{0},{1},{2},{3}' OMP_PROC_BIND=close";
    assert_eq!(tool(&all, "openmp").lines, [format!("{variables} ./app -t 4")]);
    assert_eq!(tool(&all, "numactl").lines, [format!("{variables} numactl --physcpubind=0-3 ./app -t 4")]);
    assert!(tool(&all, "numactl").missing[0].contains("places the process only"));
}

#[test]
fn launchers_get_one_line_for_all_ranks() {
    let all = words(&two_sockets(), &semi(), true);
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
        ["OMP_NUM_THREADS=2 OMP_PLACES=threads OMP_PROC_BIND=close srun -n 2 -c 2 \
          --cpu-bind=mask_cpu:0x3,0xc --mem-bind=mask_mem:0x1,0x2 ./app -t 2"]
    );
}

#[test]
fn srun_says_policies_in_its_own_words_or_through_numactl() {
    let line = |policy: &str| {
        let request = PlacementRequest { memory: memory(policy), ..semi() };
        tool(&words(&two_sockets(), &request, false), "srun").lines[0].clone()
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
    let all = equivalents(&machine, &placement, true, &|_| "./app".to_owned());
    let missing = tool(&all, "srun").missing.join("; ");
    assert!(
        missing.contains("policies that differ") && missing.contains("numbers of threads that differ"),
        "{missing}"
    );
}

#[test]
fn masks_are_hexadecimal_of_any_length() {
    assert_eq!(
        masks([cpus("0-3,64"), cpus(""), cpus("127")].iter()),
        "0x1000000000000000f,0x0,0x80000000000000000000000000000000"
    );
    assert_eq!(masks([nodes("0,2")].iter()), "0x5");
}
