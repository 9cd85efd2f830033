use numawise_facts::PageUse;
use numawise_units::{CpuId, NodeId};

use super::*;
use crate::fixture::{PID, PROCESS, Process, THREAD, Thread, Tree};

const MAPS: &str = "\
55f7 default file=/usr/bin/app mapped=2 N0=2 kernelpagesize_kB=4
55f8 default heap anon=4 dirty=4 N0=1 N1=3 kernelpagesize_kB=4
7f00 interleave:0-1 anon=6 dirty=6 N0=3 N1=3 kernelpagesize_kB=4
7ffd default stack anon=5 dirty=5 N1=5 kernelpagesize_kB=4
";

/// What `sched` says on kernels that have it.
const SCHED: &str =
    "app (100, #threads: 1)\n---\nse.sum_exec_runtime  :    12.000345\nse.nr_migrations     :       9\n";

fn options(tree: &Tree) -> SnapshotOptions {
    SnapshotOptions { roots: tree.roots(), ..SnapshotOptions::default() }
}

fn context(tree: &Tree) -> Snapshot {
    snapshot(&[PID], &options(tree))
}

/// The only process, which must be there.
fn only(seen: &Snapshot) -> &TaskSnapshot {
    assert_eq!(seen.tasks.len(), 1, "{seen:#?}");
    &seen.tasks[0]
}

fn reason<T: std::fmt::Debug>(reading: &Reading<T>) -> String {
    reading.reason().unwrap_or_else(|| panic!("not unavailable: {reading:?}")).to_string()
}

#[test]
fn a_process_is_told_whole() {
    let tree = Tree::new();
    tree.process(&Process { command: "./app\0-n\x004\0", environment: "A=b\0PMI_RANK=3\0", ..PROCESS });
    tree.write("proc/100/numa_maps", MAPS);
    tree.write("proc/100/task/100/sched", SCHED);
    let seen = context(&tree);
    let task = only(&seen);
    assert_eq!((task.pid, task.parent, task.name.as_str(), task.user), (PID, Pid(1), "app", 1000));
    assert_eq!(task.command.measured().map(String::as_str), Some("./app -n 4"));
    assert_eq!(task.rank.measured(), Some(&3));
    let tick = clock::tick().0;
    assert_eq!(task.started, Nanoseconds(77 * tick));
    let threads = task.threads.measured().unwrap();
    let expected = ThreadSnapshot {
        tid: PID,
        name: "app".to_owned(),
        state: 'S',
        cpu: CpuId(1),
        mask: Reading::Measured("0-3".parse().unwrap()),
        cpu_time: Nanoseconds(12_000_345),
        started: Nanoseconds(77 * tick),
        migrations: Reading::Measured(9),
        minor_faults: 21,
        major_faults: 3,
    };
    assert_eq!(*threads, [expected]);
    let page = pages::page_size().0;
    let memory = task.memory.measured().unwrap();
    let uses: Vec<_> = memory.by_use.iter().map(|(of, node, bytes)| (*of, node.0, bytes.0 / page)).collect();
    assert_eq!(
        uses,
        [
            (PageUse::Heap, 0, 1),
            (PageUse::Heap, 1, 3),
            (PageUse::Stack, 1, 5),
            (PageUse::Private, 0, 3),
            (PageUse::Private, 1, 3),
            (PageUse::File, 0, 2),
        ]
    );
    assert_eq!(memory.by_policy[0].policy, "default");
    assert_eq!(
        memory.largest.iter().map(|of| of.address).collect::<Vec<_>>(),
        [0x7f00, 0x7ffd, 0x55f8, 0x55f7]
    );
    assert!(seen.at > Nanoseconds(0) && seen.unix_time > Nanoseconds(1_700_000_000_000_000_000));
}

#[test]
fn only_what_is_asked_for_is_read() {
    let tree = Tree::new();
    tree.process(&PROCESS);
    tree.write("proc/100/numa_maps", "broken");
    let without = SnapshotOptions { memory: false, threads: false, ..options(&tree) };
    let seen = snapshot(&[PID], &without);
    assert!(reason(&only(&seen).memory).contains("not asked for"));
    assert!(reason(&only(&seen).threads).contains("not asked for"));
}

#[test]
fn many_processes_come_in_order_once_each_and_without_those_that_are_not_there() {
    let tree = Tree::new();
    for pid in (100..140).rev() {
        tree.process(&Process { pid, ..PROCESS });
        tree.write(&format!("proc/{pid}/numa_maps"), MAPS);
    }
    let pids: Vec<Pid> = (90..150).chain(95..120).rev().map(Pid).collect();
    let seen = snapshot(&pids, &options(&tree));
    let found: Vec<i32> = seen.tasks.iter().map(|task| task.pid.0).collect();
    assert_eq!(found, (100..140).collect::<Vec<_>>());
    for task in &seen.tasks {
        assert_eq!(task.memory.measured().unwrap().mappings, 4);
        assert_eq!(task.threads.measured().unwrap().len(), 1);
    }
    assert_eq!(snapshot(&[], &options(&tree)).tasks, []);
}

#[test]
fn many_threads_come_in_order_and_those_that_ended_do_not() {
    let tree = Tree::new();
    tree.process(&Process { threads: 300, ..PROCESS });
    for tid in 101..400 {
        tree.thread(PID.0, tid, &Thread { time: 40_000_000, ..THREAD });
    }
    // Ended between the listing and the reading: its files are gone.
    tree.remove("proc/100/task/150/stat");
    let seen = context(&tree);
    let threads = only(&seen).threads.measured().unwrap();
    assert_eq!(threads.len(), 299);
    assert!(threads.windows(2).all(|pair| pair[0].tid < pair[1].tid));
    assert!(threads.iter().all(|thread| thread.tid != Pid(150)));
    let one = threads.iter().find(|thread| thread.tid == Pid(101)).unwrap();
    assert_eq!((one.name.as_str(), one.state, one.cpu_time), ("worker", 'R', Nanoseconds(40_000_000)));
    assert!(reason(&one.migrations).contains("CONFIG_SCHED_DEBUG"));
}

#[test]
fn of_very_many_threads_those_that_hardly_ran_are_not_asked_for_migrations() {
    for (count, asked) in [(200, true), (300, false)] {
        let tree = Tree::new();
        tree.process(&Process { threads: count, ..PROCESS });
        tree.write("proc/100/task/100/sched", SCHED);
        for tid in 101..100 + count as i32 {
            tree.thread(PID.0, tid, &Thread { time: 0, ..THREAD });
            tree.write(&format!("proc/100/task/{tid}/sched"), SCHED);
        }
        let seen = context(&tree);
        let threads = only(&seen).threads.measured().unwrap();
        assert_eq!(threads[0].migrations.measured(), Some(&9), "the main thread has run");
        for idle in &threads[1..] {
            if asked {
                assert_eq!(idle.migrations.measured(), Some(&9))
            } else {
                assert!(reason(&idle.migrations).contains("not asked for"))
            }
        }
    }
}

#[test]
fn without_sched_migrations_are_unavailable_and_not_zero() {
    let tree = Tree::new();
    tree.process(&PROCESS);
    let seen = context(&tree);
    let thread = &only(&seen).threads.measured().unwrap()[0];
    assert!(reason(&thread.migrations).contains("CONFIG_SCHED_DEBUG"));
    // The CPU time comes from schedstat then, and in ticks where that does not count either.
    assert_eq!(thread.cpu_time, Nanoseconds(70_000_000));
    tree.write("proc/100/task/100/schedstat", "0 0 0\n");
    let seen = context(&tree);
    assert_eq!(only(&seen).threads.measured().unwrap()[0].cpu_time, Nanoseconds(7 * clock::tick().0));
    // A kernel with other lines in it.
    tree.write("proc/100/task/100/sched", "app (100)\nsomething : 1\n");
    let seen = context(&tree);
    assert!(only(&seen).threads.measured().unwrap()[0].migrations.measured().is_none());
}

#[test]
fn threads_of_the_kernel_and_zombies_have_no_memory_and_no_command() {
    let tree = Tree::new();
    tree.process(&Process { flags: 0x0420_8060, name: "kswapd0", command: "", ..PROCESS });
    tree.write("proc/100/numa_maps", "");
    let seen = context(&tree);
    let kernel = only(&seen);
    for text in [reason(&kernel.memory), reason(&kernel.command), reason(&kernel.rank)] {
        assert!(text.contains("thread of the kernel"), "{text}");
    }
    assert_eq!(kernel.threads.measured().unwrap().len(), 1);
    tree.process(&Process { state: 'Z', command: "", ..PROCESS });
    let seen = context(&tree);
    let zombie = only(&seen);
    for text in [reason(&zombie.memory), reason(&zombie.command), reason(&zombie.rank)] {
        assert!(text.contains("zombie"), "{text}");
    }
}

#[test]
fn where_the_main_thread_has_ended_another_tells() {
    let tree = Tree::new();
    tree.process(&Process { state: 'Z', threads: 2, command: "", ..PROCESS });
    tree.thread(PID.0, 101, &THREAD);
    tree.write("proc/100/task/101/cmdline", "./app\0");
    tree.write("proc/100/task/101/environ", "PMI_RANK=1\0");
    tree.write("proc/100/task/101/numa_maps", MAPS);
    let seen = context(&tree);
    let task = only(&seen);
    assert_eq!(task.command.measured().map(String::as_str), Some("./app"));
    assert_eq!(task.rank.measured(), Some(&1));
    assert_eq!(task.memory.measured().unwrap().mappings, 4);
}

#[test]
fn what_is_broken_is_unavailable_with_the_place() {
    let tree = Tree::new();
    for (maps, expected) in [
        ("55f7 default anon=x N0=1\n", "reads '55f7 default anon=x N0=1'"),
        ("zz\n", "numa_maps reads 'zz'"),
        ("7f default anon=1 N0=18446744073709551615\n", "16 EiB"),
        ("", "ended while it was sampled"),
        ("\n\n\n", "ended while it was sampled"),
    ] {
        tree.process(&PROCESS);
        tree.write("proc/100/numa_maps", maps);
        let seen = context(&tree);
        let text = reason(&only(&seen).memory);
        assert!(text.contains(expected), "{maps:?}: {text}");
    }
    // Good lines before a broken one are not taken for the whole.
    tree.write("proc/100/numa_maps", &format!("{MAPS}garbage\n"));
    let seen = context(&tree);
    assert!(reason(&only(&seen).memory).contains("garbage"));
    for stat in ["", "100", "100 (app) S 1\n"] {
        tree.write("proc/100/stat", stat);
        assert_eq!(context(&tree).tasks, [], "{stat:?}");
    }
}

#[test]
fn a_broken_mask_or_environment_spoils_nothing_else() {
    let tree = Tree::new();
    tree.process(&Process { environment: "OMPI_COMM_WORLD_RANK=many\0", ..PROCESS });
    tree.write("proc/100/task/100/status", "Cpus_allowed_list:\t3-1\n");
    tree.write("proc/100/numa_maps", MAPS);
    let seen = context(&tree);
    let task = only(&seen);
    assert!(reason(&task.rank).contains("names no rank"));
    assert!(reason(&task.threads.measured().unwrap()[0].mask).contains("3-1"));
    assert!(task.memory.measured().is_some());
    tree.write("proc/100/task/100/status", "Name:\tapp\n");
    let seen = context(&tree);
    assert!(reason(&only(&seen).threads.measured().unwrap()[0].mask).contains("no Cpus_allowed_list"));
}

#[test]
fn a_kernel_without_numa_is_told_by_smaps() {
    let tree = Tree::new();
    tree.process(&PROCESS);
    let page = pages::page_size().0 / 1024;
    let resident = |first: u64, name: &str, all: u64, own: u64| {
        let (all, own) = (all * page, own * page);
        format!("{first:x}000-{first:x}fff rw-p 0 00:00 0 {name}\nRss: {all} kB\nAnonymous: {own} kB\n")
    };
    let text = [
        resident(1, "/usr/bin/app", 5, 2),
        resident(2, "[heap]", 4, 4),
        resident(3, "", 7, 7),
        resident(4, "[stack]", 3, 3),
        resident(5, "/dev/shm/a", 6, 0),
        "6000-7000 rw-p 0 00:00 0 /anon_hugepage (deleted)\nKernelPageSize: 2048 kB\nRss: 0 kB\nPrivate_Hugetlb: 4096 kB\n"
            .to_owned(),
        resident(8, "", 0, 0),
    ];
    tree.write("proc/100/smaps", &text.concat());
    // Two nodes and no numa_maps: nobody can tell.
    tree.write("sys/devices/system/node/has_memory", "0-1\n");
    let seen = context(&tree);
    assert!(only(&seen).memory.measured().is_none());
    tree.write("sys/devices/system/node/has_memory", "0\n");
    let seen = context(&tree);
    let memory = only(&seen).memory.measured().unwrap();
    let uses: Vec<_> = memory.by_use.iter().map(|(of, node, bytes)| (*of, *node, bytes.0 / 1024)).collect();
    let expected = [
        (PageUse::Huge, 4096),
        (PageUse::Heap, 4 * page),
        (PageUse::Stack, 3 * page),
        (PageUse::Private, 9 * page),
        (PageUse::File, 3 * page),
        (PageUse::Shared, 6 * page),
    ];
    assert_eq!(uses, expected.map(|(of, kib)| (of, NodeId(0), kib)));
    assert_eq!((memory.mappings, memory.by_policy[0].policy.as_str()), (7, "default"));
    tree.write("proc/100/smaps", "Rss: 4 kB\n");
    let seen = context(&tree);
    assert!(reason(&only(&seen).memory).contains("smaps reads"));
}
