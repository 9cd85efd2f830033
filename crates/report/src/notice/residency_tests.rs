use numawise_facts::Reason;
use numawise_facts::notice::{MovedTask, PinnedGroup};
use numawise_units::{CpuId, Nanoseconds, NodeId};

use super::*;

fn app(pid: i32, rank: Option<u32>) -> NamedTask {
    NamedTask { pid: Pid(pid), name: "app".to_owned(), rank }
}

#[test]
fn tasks_that_are_pinned_together() {
    let group = |ranks: &[Option<u32>]| PinnedGroup {
        cpus: "0".parse().unwrap(),
        tasks: ranks.iter().zip(10..).map(|(rank, pid)| app(pid, *rank)).collect(),
    };
    let said = |groups| text(&ResidencyNotice::PinnedTogether { groups });
    let ranks = said(vec![group(&[Some(1), Some(0)])]);
    assert!(ranks.starts_with("Ranks 0 and 1 are pinned on the same CPU 0, "), "{ranks}");
    let processes = said(vec![group(&[Some(1), None]), group(&[None])]);
    assert!(processes.starts_with("Processes rank 1 (app, 10) and app (11) are pinned"), "{processes}");
    assert!(processes.contains("The same holds for one more such group."), "{processes}");
    let many = said(vec![group(&[Some(0), Some(1), Some(2), Some(3), Some(4)])]);
    assert!(many.starts_with("Ranks 0, 1, 2 and 2 more are"), "{many}");
}

#[test]
fn a_cpu_that_is_shared() {
    let thread = |tid: i32, pinned| NamedThread {
        pid: Pid(10),
        tid: Pid(tid),
        name: "app".to_owned(),
        rank: None,
        pinned,
    };
    let cpus =
        |pinned| vec![ContendedCpu { cpu: CpuId(0), threads: vec![thread(10, pinned), thread(11, pinned)] }];
    let shared = "1 CPU is shared by two or more busy threads, which get a part of it each (CPU 0: app (10) and app (11))";
    assert_eq!(text(&ResidencyNotice::SharedCpus { cpus: cpus(false) }), shared);
    let pinned = text(&ResidencyNotice::SharedCpus { cpus: cpus(true) });
    assert_eq!(pinned, format!("{shared}. Some of these threads are pinned there and cannot move away"));
}

#[test]
fn memory_that_is_remote() {
    let place = RemotePlace {
        task: app(10, None),
        node: NodeId(1),
        bytes: Bytes::mib(32),
        total: Bytes::mib(64),
        may_run: false,
        nearest: Some((NodeId(0), Ratio(2.1))),
    };
    let expected = "Memory is remote, on a node where none of its threads runs or may run: app (10) has 32 MiB (50.0 %) on \
                    node 1, 2.1 times as far from node 0 as local memory";
    assert_eq!(text(&ResidencyNotice::RemoteMemory { places: vec![place.clone()] }), expected);
    let roams = RemotePlace { may_run: true, nearest: None, ..place };
    let said = text(&ResidencyNotice::RemoteMemory { places: vec![roams; 5] });
    assert!(
        said.contains("where none of its threads runs: app (10) has 32 MiB (50.0 %) on node 1;"),
        "{said}"
    );
    assert!(said.ends_with("; and 64 MiB more in 2 more places"), "{said}");
}

#[test]
fn threads_without_memory_and_threads_that_move() {
    let place = UnsuppliedNode {
        task: app(10, None),
        node: NodeId(1),
        cpu_time: Ratio(0.5),
        local: Bytes(0),
        total: Bytes::mib(64),
    };
    assert_eq!(
        text(&ResidencyNotice::ThreadsWithoutMemory { places: vec![place] }),
        "Threads have hardly any local memory: app (10) uses 50.0 % of its CPU time on node 1, where 0.0 % of its memory \
         lies"
    );
    let moved = MovedTask { task: app(10, Some(3)), moves: 50 };
    let span = Nanoseconds::from_seconds(1.0);
    let said = text(&ResidencyNotice::ManyMigrations { tasks: vec![moved.clone(), moved], span });
    assert!(said.starts_with(
        "Busy threads of rank 3 (app, 10) moved to another CPU 50 times in 1.000 s, and so do "
    ));
}

#[test]
fn what_could_not_be_seen() {
    let reason = Reason("not permitted".into());
    let said = |tasks: &[i32]| {
        let tasks = tasks.iter().map(|pid| Pid(*pid)).collect();
        text(&ResidencyNotice::Unavailable { part: ResidencyPart::Memory, tasks, reason: reason.clone() })
    };
    assert_eq!(said(&[]), "memory: not permitted");
    assert_eq!(said(&[7]), "memory of process 7: not permitted");
    assert_eq!(said(&[7, 8, 9]), "memory of 3 processes (the first is 7): not permitted");
    let over_time = |tasks: i32, missing| {
        text(&ResidencyNotice::UnavailableInSamples {
            part: ResidencyPart::ThreadMigrations,
            tasks: (0..tasks).map(Pid).collect(),
            reason: reason.clone(),
            missing,
            samples: 3,
        })
    };
    assert_eq!(over_time(1, 3), "migrations of threads of 0: not permitted");
    assert_eq!(over_time(2, 1), "migrations of threads of 0, 1: not permitted (in 1 of 3 samples)");
    assert!(over_time(10, 3).contains(" 7 and 2 more: "));
}
