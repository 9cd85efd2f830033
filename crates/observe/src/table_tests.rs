use super::*;
use crate::fixture::{PID, THREAD, Thread as Files, Tree};
use numawise_facts::ThreadObservation;
use numawise_facts::activity::SeenKind;
use numawise_units::CpuId;

const PLENTY: Nanoseconds = Nanoseconds(1_000_000_000);
static GO: AtomicBool = AtomicBool::new(false);

fn table(tree: &Tree) -> Table {
    Table::new(tree.roots(), &[PID], 1)
}

fn look(table: &mut Table) {
    table.discover(PLENTY, &GO);
    table.read(PLENTY, &GO);
}

fn seen(table: &Table) -> Vec<ThreadObservation> {
    let mut all: Vec<_> = table.seen().map(Thread::observation).collect();
    all.sort_by_key(|thread| (thread.pid, thread.tid, std::cmp::Reverse(thread.cpu_time)));
    all
}

fn ms(ms: u64) -> Nanoseconds {
    Nanoseconds(ms * 1_000_000)
}

#[test]
fn time_goes_to_the_cpu_where_the_thread_is_at_the_end_of_a_span() {
    let tree = Tree::new();
    tree.thread(100, 100, &THREAD);
    let mut table = table(&tree);
    look(&mut table);
    for (cpu, time, delay) in [(1, 25, 2_000), (3, 40, 3_000), (3, 60, 3_000), (1, 70, 9_000)] {
        let thread = Files { cpu, time: time * 1_000_000, delay, faults: time, name: "a b) (c", ..THREAD };
        tree.thread(100, 100, &thread);
        look(&mut table);
    }
    let all = seen(&table);
    let thread = &all[0];
    assert_eq!(all.len(), 1);
    assert_eq!((thread.pid, thread.tid, thread.name.as_str()), (PID, PID, "a b) (c"));
    assert_eq!(thread.cpu_time_on, [(CpuId(1), ms(25 + 10)), (CpuId(3), ms(15 + 20))]);
    assert_eq!((thread.cpu_time, thread.migrations, thread.minor_faults), (ms(70), 2, 70));
    assert_eq!(thread.mask, numawise_facts::Reading::Measured("0-3".parse().unwrap()));
    assert_eq!(table.migrations(), Some(2));
    assert_eq!(table.run_delay(), Some(Nanoseconds(9_000)));
}

#[test]
fn what_changes_of_a_thread_stands_with_the_looks_before_and_behind() {
    let tree = Tree::new();
    tree.thread(100, 100, &THREAD);
    let mut table = table(&tree);
    look(&mut table);
    // What it was, and how much of it there was: another CPU; many page faults; long without a CPU.
    let delay = 5_000_000_000;
    let mut thread = THREAD;
    for (k, (cpu, faults, delay)) in
        [(1, 10, 1_000), (1, 9000, 1_000), (1, 9100, delay), (3, 9100, delay)].into_iter().enumerate()
    {
        thread = Files { cpu, faults, delay, time: (k as u64 + 2) * 1_000_000, ..thread };
        tree.thread(100, 100, &thread);
        look(&mut table);
    }
    let all: Vec<_> = table.seen().flat_map(|thread| thread.seen.changes.clone()).collect();
    assert!(all.iter().all(|change| change.before < change.at), "{all:?}");
    assert!(all.windows(2).all(|pair| pair[0].at <= pair[1].before || pair[0].at == pair[1].at));
    let kinds: Vec<_> = all.iter().map(|change| change.what).collect();
    let moved = |from, to| SeenKind::Moved { from: CpuId(from), to: CpuId(to) };
    let expected = [SeenKind::Faults(8990), SeenKind::NoCpu(Nanoseconds(delay - 1_000)), moved(1, 3)];
    // It may have been on another CPU at first.
    assert_eq!(kinds[kinds.len() - 3..], expected, "{kinds:?}");
}

#[test]
fn seen_once_says_nothing_of_migrations() {
    let tree = Tree::new();
    tree.thread(100, 100, &THREAD);
    let mut table = table(&tree);
    assert_eq!((table.migrations(), table.run_delay(), seen(&table).len()), (None, None, 0));
    look(&mut table);
    assert_eq!((table.migrations(), table.run_delay()), (None, Some(Nanoseconds(1_000))));
    look(&mut table);
    assert_eq!(table.migrations(), Some(0));
}

#[test]
fn threads_that_are_ready_at_once_are_counted() {
    let tree = Tree::new();
    tree.thread(100, 100, &THREAD);
    let mut table = table(&tree);
    // The main thread works alone, then waits for two others, one of which has not run since the sample before.
    for (k, states, times) in
        [(0, "RSS", [1, 1, 1]), (1, "SRR", [2, 2, 2]), (2, "SRR", [2, 3, 2]), (3, "RSS", [3, 4, 3])]
    {
        for ((tid, state), time) in (100..).zip(states.chars()).zip(times) {
            tree.thread(100, tid, &Files { state, time: time * 1_000_000, threads: 3, ..THREAD });
        }
        look(&mut table);
        assert_eq!(table.several_ready, k.min(2), "{states}");
    }
    let ready: Vec<_> = seen(&table).iter().map(|thread| thread.ready_with_others).collect();
    assert_eq!(ready, [0, 2, 2]);
}

#[test]
fn without_schedstat_time_comes_in_ticks_and_there_is_no_run_delay() {
    for broken in [None, Some("0 0 0\n"), Some("x"), Some("")] {
        let tree = Tree::new();
        let thread = Files { time: 70_000_000, ..THREAD };
        tree.thread(100, 100, &thread);
        match broken {
            Some(text) => tree.write("proc/100/task/100/schedstat", text),
            None => tree.remove("proc/100/task/100/schedstat"),
        }
        let mut table = table(&tree);
        look(&mut table);
        look(&mut table);
        assert_eq!(seen(&table)[0].cpu_time, ms(70), "{broken:?}");
        assert_eq!(table.run_delay(), None);
    }
}

#[test]
fn threads_come_and_go() {
    let tree = Tree::new();
    let thread = |threads, time| Files { threads, time, ..THREAD };
    tree.thread(100, 100, &thread(2, 1_000_000));
    tree.thread(100, 101, &thread(2, 2_000_000));
    let mut table = table(&tree);
    look(&mut table);
    assert_eq!(seen(&table).len(), 2);
    tree.remove("proc/100/task/101");
    tree.thread(100, 102, &thread(2, 3_000_000));
    tree.thread(100, 100, &thread(2, 4_000_000));
    look(&mut table);
    look(&mut table);
    let times: Vec<_> = seen(&table).iter().map(|thread| (thread.tid.0, thread.cpu_time)).collect();
    assert_eq!(times, [(100, ms(4)), (101, ms(2)), (102, ms(3))]);
    tree.remove("proc/100");
    look(&mut table);
    look(&mut table);
    assert!(table.processes.is_empty());
    assert_eq!(seen(&table).len(), 3, "what was seen is kept");
    assert_eq!(table.problem, None, "ending is no problem");
}

#[test]
fn a_reused_identifier_is_another_thread() {
    let tree = Tree::new();
    tree.thread(100, 100, &Files { threads: 2, ..THREAD });
    tree.thread(100, 101, &Files { time: 9_000_000, threads: 2, ..THREAD });
    let mut table = table(&tree);
    look(&mut table);
    tree.thread(100, 101, &Files { time: 2_000_000, start: 999, threads: 2, ..THREAD });
    for _ in 0..3 {
        look(&mut table);
    }
    let times: Vec<_> = seen(&table).iter().map(|thread| (thread.tid.0, thread.cpu_time)).collect();
    assert_eq!(times, [(100, ms(5)), (101, ms(9)), (101, ms(2))]);
}

#[test]
fn a_zombie_is_read_until_it_is_waited_for() {
    let tree = Tree::new();
    tree.thread(100, 100, &THREAD);
    let mut table = table(&tree);
    look(&mut table);
    tree.thread(100, 100, &Files { state: 'Z', time: 8_000_000, ..THREAD });
    look(&mut table);
    assert_eq!(seen(&table)[0].cpu_time, ms(8));
    look(&mut table);
    assert_eq!(seen(&table).len(), 1, "not taken in again");
    tree.remove("proc/100");
    look(&mut table);
    look(&mut table);
    assert!(table.processes.is_empty());
}

#[test]
fn children_and_their_children_are_found_by_both_ways() {
    for by_file in [true, false] {
        let tree = Tree::new();
        for pid in [100, 200, 300, 400] {
            tree.thread(pid, pid, &THREAD);
        }
        if by_file {
            tree.write("proc/100/task/100/children", "200 ");
            tree.write("proc/200/task/200/children", "300 ");
        } else {
            for pid in [100, 200, 300, 400] {
                tree.remove(&format!("proc/{pid}/task/{pid}/children"));
                let parent = if pid == 400 { 1 } else { pid - 100 };
                let stat = std::fs::read_to_string(tree.path().join(format!("proc/{pid}/stat"))).unwrap();
                tree.write(
                    &format!("proc/{pid}/stat"),
                    &stat.replacen(") R 1 ", &format!(") R {parent} "), 1),
                );
            }
        }
        let mut table = table(&tree);
        look(&mut table);
        let pids: Vec<i32> = seen(&table).iter().map(|thread| thread.pid.0).collect();
        assert_eq!(pids, [100, 200, 300], "by file: {by_file}");
    }
}

#[test]
fn broken_files_are_a_problem_and_not_a_zero() {
    for text in ["", "100 (cut", "garbage\n", "100 (a) R 1 2 3\n"] {
        let tree = Tree::new();
        tree.thread(100, 100, &THREAD);
        tree.write("proc/100/task/100/stat", text);
        let mut table = table(&tree);
        look(&mut table);
        look(&mut table);
        assert_eq!(seen(&table).len(), 0, "{text:?}");
        let problem = table.problem.clone().expect("a problem");
        assert!(problem.contains("task/100/stat") && problem.contains("39 fields"), "{problem}");
    }
}

#[test]
fn a_process_that_never_was_is_not_watched() {
    let tree = Tree::new();
    let mut table = table(&tree);
    look(&mut table);
    assert!(table.processes.is_empty() && table.problem.is_none());
}

#[test]
fn with_little_room_some_threads_are_read_at_a_time_and_in_the_end_all() {
    let tree = Tree::new();
    for tid in 100..140 {
        tree.thread(100, tid, &Files { threads: 40, ..THREAD });
    }
    let mut table = table(&tree);
    let mut counts = Vec::new();
    for _ in 0..14 {
        table.discover(PLENTY, &GO);
        table.read(Nanoseconds(1), &GO);
        counts.push(seen(&table).len());
    }
    assert!(counts[0] < 10, "{counts:?}");
    assert_eq!(*counts.last().unwrap(), 40, "{counts:?}");
}

#[test]
fn with_room_for_one_process_at_a_time_each_has_its_turn() {
    let tree = Tree::new();
    for pid in 100..106 {
        tree.thread(pid, pid, &THREAD);
    }
    tree.write("proc/100/task/100/children", "101 102 103 104 105 ");
    let mut table = table(&tree);
    let mut counts = Vec::new();
    for _ in 0..7 {
        table.discover(Nanoseconds(1), &GO);
        table.read(PLENTY, &GO);
        counts.push(seen(&table).len());
    }
    assert_eq!(
        counts,
        [1, 2, 3, 4, 5, 6, 6],
        "children are found in the first round, and listed one after the other"
    );
    // Those that are gone make room.
    (101..106).for_each(|pid| tree.remove(&format!("proc/{pid}")));
    (0..14).for_each(|_| table.discover(Nanoseconds(1), &GO));
    assert_eq!(table.processes.len(), 1);
}

#[test]
fn of_very_many_ended_threads_the_busiest_are_kept_and_the_sums_hold() {
    let tree = Tree::new();
    let mut table = table(&tree);
    for k in 0..3 * ENDED_KEPT as u64 {
        let mut thread = Thread::new(PID, Pid(k as i32));
        thread.samples = 2;
        thread.migrations = 1;
        thread.cpu_time = Nanoseconds(k);
        table.live.push(thread);
        table.end(0);
    }
    assert!(table.ended.len() < 2 * ENDED_KEPT);
    let busiest = table.seen().map(|thread| thread.cpu_time).max();
    assert_eq!(busiest, Some(Nanoseconds(3 * ENDED_KEPT as u64 - 1)));
    assert_eq!(table.migrations(), Some(3 * ENDED_KEPT as u64));
}

#[test]
fn told_to_stop_it_reads_no_more() {
    let tree = Tree::new();
    tree.thread(100, 100, &THREAD);
    let mut table = table(&tree);
    table.discover(PLENTY, &GO);
    table.read(PLENTY, &AtomicBool::new(true));
    assert_eq!(seen(&table).len(), 0);
}
