//! Memory and CPUs: what is local, far, shared, pinned together.

use numawise_facts::notice::{NamedTask, RemotePlace, ResidencyNotice, ResidencyPart, UnsuppliedNode};
use numawise_facts::{Machine, MemorySnapshot, PageUse, Reading, TaskSnapshot, ThreadSnapshot};
use numawise_tables::Residency;
use numawise_units::{Bytes, NodeId, Pid, Ratio};

use crate::residency::residency;
use crate::residency::sample::{heap, machine, memory, pinned, rank, snapshot, task, thread, with_hbm};

fn see(tasks: Vec<TaskSnapshot>) -> Residency {
    residency(&snapshot(100.0, tasks), None, &machine())
}

/// `at_most` and `if_alike` of one process with these threads (CPU, seconds) and this memory.
fn local(threads: &[(u32, f64)], memory: MemorySnapshot, machine: &Machine) -> (f64, f64) {
    let threads = (10..).zip(threads).map(|(tid, (cpu, seconds))| thread(tid, *cpu, *seconds)).collect();
    let seen = residency(&snapshot(100.0, vec![task(10, threads, memory)]), None, machine);
    let local = *seen.tasks[0].local.measured().unwrap();
    assert_eq!(seen.job.local.measured(), Some(&local), "one task is the whole job");
    (local.at_most.0, local.if_alike.0)
}

/// The one notice of what stands out.
fn only_remark(seen: &Residency) -> &ResidencyNotice {
    let [remark] = seen.job.remarks.as_slice() else { panic!("{:?}", seen.job.remarks) };
    remark
}

fn app(pid: i32) -> NamedTask {
    NamedTask { pid: Pid(pid), name: "app".to_owned(), rank: None }
}

type Threads = &'static [(u32, f64)];
type Pages = &'static [(u32, u64)];

#[test]
fn local_shares_by_hand() {
    let (two, hbm) = (machine(), with_hbm());
    let cases: &[(Threads, Pages, &Machine, (f64, f64))] = &[
        (&[(0, 5.0), (1, 5.0)], &[(0, 64)], &two, (1.0, 1.0)),
        (&[(0, 5.0)], &[(0, 32), (1, 32)], &two, (0.5, 0.5)),
        // Everything is where some thread runs, and half of it is elsewhere for each.
        (&[(0, 5.0), (4, 5.0)], &[(0, 32), (1, 32)], &two, (1.0, 0.5)),
        // First touch by one thread: nothing lies where no thread runs, and yet half of the accesses are remote.
        (&[(0, 5.0), (4, 5.0)], &[(0, 64)], &two, (1.0, 0.5)),
        (&[(0, 7.5), (4, 2.5)], &[(0, 48), (1, 16)], &two, (1.0, 0.625)),
        (&[(0, 5.0)], &[(1, 64)], &two, (0.0, 0.0)),
        // A helper with a thousandth of the CPU time does not make a node near.
        (&[(0, 9.99), (4, 0.01)], &[(0, 32), (1, 32)], &two, (0.5, 0.5)),
        // HBM is local to the CPUs beside it.
        (&[(0, 5.0)], &[(0, 16), (2, 48)], &hbm, (1.0, 1.0)),
        (&[(0, 5.0)], &[(0, 16), (3, 48)], &hbm, (0.25, 0.25)),
    ];
    for (threads, pages, machine, expected) in cases {
        let (at_most, if_alike) = local(threads, heap(pages), machine);
        assert!((at_most - expected.0).abs() < 1e-12, "{threads:?} {pages:?}: {at_most}");
        assert!((if_alike - expected.1).abs() < 1e-12, "{threads:?} {pages:?}: {if_alike}");
    }
}

#[test]
fn a_task_that_slept_between_the_samples_is_weighed_by_all_its_time() {
    let tasks = || vec![task(10, vec![thread(10, 0, 5.0), thread(11, 4, 5.0)], heap(&[(0, 64)]))];
    let seen = residency(&snapshot(101.0, tasks()), Some(&snapshot(100.0, tasks())), &machine());
    let local = seen.tasks[0].local.measured().unwrap();
    assert_eq!((local.if_alike, local.weighed), (Ratio(0.5), numawise_tables::ShareSpan::SinceBegin));
    assert_eq!(seen.tasks[0].busy, Reading::Measured(Ratio(0.0)));
}

#[test]
fn remote_memory_has_its_distance_and_whether_threads_may_go_there() {
    let stay = task(10, vec![pinned(10, 0, "0-3", 5.0)], heap(&[(0, 32), (1, 32)]));
    let roam = task(20, vec![thread(20, 1, 5.0)], memory(&[(PageUse::Heap, 0, 1), (PageUse::File, 1, 9)]));
    let seen = see(vec![stay, roam]);
    let remote = |k: usize| seen.tasks[k].remote.measured().unwrap()[0].clone();
    assert_eq!((remote(0).node, remote(0).bytes, remote(0).may_run), (NodeId(1), Bytes::mib(32), false));
    assert_eq!((remote(0).nearest, remote(0).distance), (Some(NodeId(0)), Reading::Measured(Ratio(2.1))));
    assert_eq!((remote(1).bytes, remote(1).file, remote(1).may_run), (Bytes::mib(9), Bytes::mib(9), true));
    assert_eq!(
        *only_remark(&seen),
        ResidencyNotice::RemoteMemory {
            places: vec![RemotePlace {
                task: app(10),
                node: NodeId(1),
                bytes: Bytes::mib(32),
                total: Bytes::mib(64),
                may_run: false,
                nearest: Some((NodeId(0), Ratio(2.1))),
            }],
        },
        "pages of files do not count"
    );
}

/// A thread that waits, and worked before, is where its memory is.
#[test]
fn memory_of_threads_that_wait_is_not_far() {
    let tasks = |first: f64, second: f64| {
        let threads = vec![thread(10, 0, first), thread(11, 4, second)];
        vec![task(10, threads, heap(&[(0, 32), (1, 32)]))]
    };
    let seen = |first, second| {
        let before = snapshot(100.0, tasks(5.0, second));
        residency(&snapshot(101.0, tasks(first, second)), Some(&before), &machine())
    };
    let waits = seen(6.0, 2.0);
    assert_eq!(waits.tasks[0].remote.measured().unwrap(), &[]);
    assert_eq!(waits.tasks[0].local.measured().unwrap().at_most, Ratio(1.0));
    assert_eq!(waits.job.remarks, []);
    assert_eq!(waits.tasks[0].time_by_node, Reading::Measured(vec![Ratio(1.0), Ratio(0.0)]), "lately");
    let helper = seen(6.0, 0.01);
    assert_eq!(helper.tasks[0].remote.measured().unwrap()[0].node, NodeId(1), "it hardly ever worked");
}

#[test]
fn without_distances_memory_is_far_all_the_same() {
    let mut machine = machine();
    machine.nodes.iter_mut().for_each(|node| node.distances = Reading::unavailable("not told"));
    let now = snapshot(100.0, vec![task(10, vec![thread(10, 0, 5.0)], heap(&[(1, 64)]))]);
    let seen = residency(&now, None, &machine);
    let remote = &seen.tasks[0].remote.measured().unwrap()[0];
    assert_eq!((remote.nearest, remote.distance.reason().unwrap().0.as_ref()), (None, "not told"));
    let is_distance = |note: &ResidencyNotice| {
        matches!(note, ResidencyNotice::Unavailable { part: ResidencyPart::RemoteDistance, .. })
    };
    assert!(seen.notes.iter().any(is_distance));
}

#[test]
fn memory_on_a_node_that_the_machine_does_not_have_has_a_column() {
    let seen = see(vec![task(10, vec![thread(10, 0, 5.0)], heap(&[(0, 8), (99_999_999, 8)]))]);
    assert_eq!(seen.nodes.iter().map(|column| column.node.0).collect::<Vec<_>>(), [0, 1, 99_999_999]);
    let table = seen.tasks[0].memory.measured().unwrap();
    assert_eq!(table.by_node, [Bytes::mib(8), Bytes(0), Bytes::mib(8)]);
    assert_eq!(seen.tasks[0].remote.measured().unwrap()[0].node, NodeId(99_999_999));
}

#[test]
fn first_touch_by_one_thread_stands_out() {
    let seen = see(vec![task(10, vec![thread(10, 0, 5.0), thread(11, 4, 5.0)], heap(&[(0, 64)]))]);
    let place = UnsuppliedNode {
        task: app(10),
        node: NodeId(1),
        cpu_time: Ratio(0.5),
        local: Bytes(0),
        total: Bytes::mib(64),
    };
    assert_eq!(*only_remark(&seen), ResidencyNotice::ThreadsWithoutMemory { places: vec![place] });
    let even = see(vec![task(10, vec![thread(10, 0, 5.0), thread(11, 4, 5.0)], heap(&[(0, 32), (1, 32)]))]);
    assert_eq!(even.job.remarks, []);
}

#[test]
fn two_busy_threads_on_a_cpu_share_it_and_sleepers_do_not() {
    let asleep = ThreadSnapshot { state: 'S', ..thread(12, 0, 1.0) };
    let one = |threads| see(vec![task(10, threads, heap(&[(0, 1)]))]);
    assert_eq!(one(vec![thread(10, 0, 1.0), asleep.clone()]).job.shared_cpus, []);
    let seen = one(vec![thread(10, 0, 60.0), thread(11, 0, 40.0), asleep]);
    let [shared] = seen.job.shared_cpus.as_slice() else { panic!("{:?}", seen.job.shared_cpus) };
    assert_eq!(shared.threads.iter().map(|thread| thread.tid).collect::<Vec<_>>(), [Pid(10), Pid(11)]);
    assert_eq!((shared.cpu.0, shared.node), (0, Some(NodeId(0))));
    assert!((shared.load.measured().unwrap().0 - 1.0).abs() < 1e-12);
    let ResidencyNotice::SharedCpus { cpus } = only_remark(&seen) else { panic!("{:?}", seen.job.remarks) };
    let [shared] = cpus.as_slice() else { panic!("{cpus:?}") };
    let threads: Vec<_> = shared.threads.iter().map(|thread| (thread.tid, thread.pinned)).collect();
    assert_eq!((shared.cpu.0, threads), (0, vec![(Pid(10), false), (Pid(11), false)]));
}

#[test]
fn threads_that_leave_a_cpu_idle_are_not_remarked_on() {
    let at = |at: f64, cpu: f64, state: char| {
        let threads = [10, 11].map(|tid| ThreadSnapshot { state, ..thread(tid, 0, cpu) });
        snapshot(at, vec![task(10, threads.to_vec(), heap(&[(0, 1)]))])
    };
    let seen = |cpu, state| residency(&at(101.0, cpu, state), Some(&at(100.0, 5.0, state)), &machine()).job;
    let shared = |job: &numawise_tables::JobResidency| (job.shared_cpus[0].contended, job.remarks.len());
    assert_eq!(shared(&seen(5.2, 'S')), (false, 0), "a fifth each, and neither wants more");
    assert_eq!(shared(&seen(5.2, 'R')), (true, 1), "a fifth each, and both wait: others use the CPU too");
    assert_eq!(shared(&seen(5.5, 'S')), (true, 1), "half each");
}

/// The job's overlaps as `CPUs: pids, oversubscribed`.
fn overlaps(tasks: Vec<TaskSnapshot>) -> Vec<String> {
    let show = |overlap: &numawise_tables::MaskOverlap| {
        let tasks: Vec<String> = overlap.tasks.iter().map(Pid::to_string).collect();
        format!(
            "{}: {}{}",
            overlap.cpus,
            tasks.join(" "),
            if overlap.oversubscribed { " oversubscribed" } else { "" }
        )
    };
    see(tasks).job.overlaps.iter().map(show).collect()
}

#[test]
fn ranks_that_are_pinned_on_the_same_cpus_are_found_though_they_sleep() {
    let one = |number: u32, mask: &str, threads: i32| {
        let pid = 10 * (number as i32 + 1);
        let asleep = |k| ThreadSnapshot { state: 'S', ..pinned(pid + k, number, mask, 0.0) };
        rank(number, task(pid, (0..threads).map(asleep).collect(), heap(&[(0, 1)])))
    };
    assert_eq!(overlaps(vec![one(0, "0", 1), one(1, "0", 1)]), ["0: 10 20 oversubscribed"]);
    assert_eq!(overlaps(vec![one(0, "0-1", 2), one(1, "0-1", 2)]), ["0-1: 10 20 oversubscribed"]);
    assert_eq!(overlaps(vec![one(0, "0-1", 2), one(1, "1-2", 2)]), ["1: 10 20 oversubscribed"]);
    assert_eq!(overlaps(vec![one(0, "0-1", 1), one(1, "0-1", 1)]), ["0-1: 10 20"], "one CPU for each");
    assert_eq!(overlaps(vec![one(0, "0-1", 2), one(1, "2-3", 2)]), [""; 0]);
    assert_eq!(overlaps(vec![one(0, "0-7", 8), one(1, "0-7", 8)]), [""; 0], "nobody is pinned");
    assert_eq!(
        overlaps(vec![one(0, "0", 1), one(1, "0", 1), one(2, "0-3", 1)]),
        ["0: 10 20 30 oversubscribed"],
        "room for the third does not help the first two"
    );
    let seen = see(vec![one(0, "0", 1), one(1, "0", 1)]);
    let Some(ResidencyNotice::PinnedTogether { groups }) = seen.job.remarks.first() else {
        panic!("{:?}", seen.job.remarks)
    };
    let [group] = groups.as_slice() else { panic!("{groups:?}") };
    let ranks: Vec<_> = group.tasks.iter().map(|task| task.rank).collect();
    assert_eq!((group.cpus.to_string().as_str(), ranks), ("0", vec![Some(0), Some(1)]));
}

#[test]
fn a_shell_that_waits_for_its_program_is_not_pinned_together_with_it() {
    let shell = rank(0, task(10, vec![pinned(10, 0, "0", 0.001)], heap(&[(0, 1)])));
    let mut app = rank(0, task(20, vec![pinned(20, 0, "0", 50.0)], heap(&[(0, 1)])));
    app.parent = Pid(10);
    assert_eq!(overlaps(vec![shell, app]), [""; 0]);
}

#[test]
fn a_helper_that_may_run_anywhere_does_not_unpin_its_task() {
    let one = |pid: i32| task(pid, vec![pinned(pid, 0, "0", 50.0), thread(pid + 1, 5, 0.1)], heap(&[(0, 1)]));
    assert_eq!(overlaps(vec![one(10), one(20)]), ["0: 10 20 oversubscribed"]);
}

#[test]
fn inside_a_container_its_own_cpus_are_no_pinning() {
    let mut machine = machine();
    machine.allowed_cpus = "0-1".parse().unwrap();
    let one =
        |pid: i32| task(pid, vec![pinned(pid, 0, "0-1", 50.0), pinned(pid + 1, 1, "0-1", 50.0)], heap(&[]));
    let seen = residency(&snapshot(100.0, vec![one(10), one(20)]), None, &machine);
    assert_eq!(seen.job.overlaps, []);
}

#[test]
fn many_moves_of_busy_threads_stand_out() {
    let at = |at: f64, cpu: f64, moves: u64| {
        let moved = ThreadSnapshot { migrations: Reading::Measured(moves), ..thread(10, 0, cpu) };
        snapshot(at, vec![task(10, vec![moved], heap(&[(0, 1)]))])
    };
    let seen = |moves| residency(&at(101.0, 6.0, moves), Some(&at(100.0, 5.0, 0)), &machine());
    assert_eq!(seen(3).job.remarks, []);
    let moved = seen(50);
    let ResidencyNotice::ManyMigrations { tasks, span } = only_remark(&moved) else { panic!("{moved:?}") };
    assert_eq!((tasks.len(), tasks[0].moves, span.seconds()), (1, 50, 1.0));
}

#[test]
fn what_can_not_be_read_stays_missing() {
    let mut blind = task(10, vec![], heap(&[]));
    blind.threads = Reading::unavailable("not permitted");
    blind.memory = Reading::unavailable("numa_maps is missing");
    let fine = task(20, vec![thread(20, 0, 5.0)], heap(&[(0, 8)]));
    let seen = see(vec![blind.clone(), fine]);
    let task = &seen.tasks[0];
    for reason in [task.busy.reason(), task.mask.reason(), task.runs_on.reason()] {
        assert_eq!(reason.unwrap().0, "not permitted");
    }
    assert!(
        task.working.reason().is_some() && task.remote.reason().is_some() && task.local.reason().is_some()
    );
    assert_eq!(seen.job.total, Reading::Measured(Bytes::mib(8)), "of the one that could be read");
    let note = |part, reason: &'static str| ResidencyNotice::Unavailable {
        part,
        tasks: vec![Pid(10)],
        reason: numawise_facts::Reason(reason.into()),
    };
    let expected =
        [note(ResidencyPart::Threads, "not permitted"), note(ResidencyPart::Memory, "numa_maps is missing")];
    assert_eq!(seen.notes, expected);

    let seen = see(vec![blind]);
    assert!(seen.notes.iter().all(|note| note.tasks().is_empty()), "it holds for all");
    assert!(seen.job.total.reason().is_some() && seen.job.busy.reason().is_some());
    for node in &seen.job.by_node {
        assert!(node.busy.reason().is_some() && node.memory.reason().is_some(), "missing is not zero");
    }
}

#[test]
fn nothing_to_sample_is_no_zero_either() {
    let seen = see(vec![]);
    assert_eq!(seen.job.busy.reason().unwrap().0, "there are no processes to sample");
    assert_eq!(seen.job.total.reason(), seen.job.busy.reason());
    assert_eq!(seen.job.local.reason(), seen.job.busy.reason());
    assert_eq!((seen.job.threads, seen.notes.len(), seen.job.remarks.len()), (0, 0, 0));
}

#[test]
fn a_process_without_pages_has_no_local_share() {
    let seen = see(vec![task(10, vec![thread(10, 0, 5.0)], heap(&[]))]);
    assert_eq!(seen.tasks[0].local.reason().unwrap().0, "it has no pages of its own");
    assert_eq!(seen.tasks[0].memory.measured().unwrap().rows.len(), PageUse::ALL.len());
}

#[test]
fn cpus_that_the_machine_does_not_have_have_no_node() {
    let seen = see(vec![task(10, vec![thread(10, 77_777, 5.0)], heap(&[(0, 8)]))]);
    assert_eq!(seen.tasks[0].threads.measured().unwrap()[0].node, None);
    assert!(seen.tasks[0].local.reason().unwrap().0.contains("does not say to which nodes"));
}
