use numawise_facts::ThreadObservation;
use numawise_facts::activity::{
    ActivityLosses, CallTime, CountedProcess, CpuStays, FileActivity, KernelIo, MemoryByNode, MemoryMoment,
    ProcessCounters, ProcessIo,
};
use numawise_units::{Bytes, CpuId, NodeId};

use super::*;

pub fn thread(tid: i32) -> ThreadActivity {
    let missing = || "it was made by hand";
    ThreadActivity {
        tid: Pid(tid),
        is_first: true,
        lives: 1,
        start: Reading::unavailable(missing()),
        role: Reading::unavailable(missing()),
        begin: Nanoseconds(0),
        end: Reading::unavailable(missing()),
        times: Reading::unavailable(missing()),
        processor: Reading::unavailable(missing()),
        switches: Reading::unavailable(missing()),
        cpus: Reading::Measured(CpuStays { cpus: Vec::new(), others: 0, migrations: 0 }),
        mask: Reading::Measured("0-3".parse().unwrap()),
        run_delay: Reading::unavailable(missing()),
        cpu_time_on: Reading::unavailable(missing()),
        calls: Vec::new(),
        last_call: None,
        lost_calls: CallTime::default(),
        peers: Vec::new(),
        lost_messages: [0, 0],
        messages: Vec::new(),
        constructs: Vec::new(),
        lost_constructs: 0,
        files: FileActivity::none(missing()),
        trace: None,
    }
}

pub fn process(began: u64, end: ProcessEnd) -> Activity {
    Activity {
        pid: Pid(7),
        parent: Pid(1),
        host: "here".to_owned(),
        program: "/bin/app".to_owned(),
        began: Nanoseconds(began),
        elapsed: Reading::Measured(Nanoseconds(1)),
        end,
        is_forked: false,
        is_sandboxed: false,
        mpi: Reading::unavailable("none"),
        openmp: Reading::unavailable("none"),
        files: Vec::new(),
        communicators: Vec::new(),
        threads: Reading::Measured(vec![thread(7)]),
        phases: Reading::unavailable("none"),
        samples: Reading::Measured(Vec::new()),
        surroundings: ProcessSurroundings::unavailable("it was made by hand"),
        io: ProcessIo::unavailable("it was made by hand"),
        clock: None,
        lost: ActivityLosses::default(),
    }
}

fn seen() -> ObservedProcess {
    let observation = ThreadObservation {
        pid: Pid(7),
        tid: Pid(7),
        name: "app".to_owned(),
        cpu_time: Nanoseconds(900),
        minor_faults: 0,
        cpu_time_on: vec![(CpuId(1), Nanoseconds(900)), (CpuId(2), Nanoseconds(0))],
        migrations: 0,
        ready_with_others: 0,
        mask: Reading::Measured("1".parse().unwrap()),
    };
    let now = clock::monotonic();
    ObservedProcess {
        pid: Pid(7),
        alive: now,
        threads: vec![ObservedThread {
            observation,
            run_delay: Reading::Measured(Nanoseconds(50)),
            seen: Default::default(),
        }],
        surroundings: ProcessSurroundings {
            peak_memory: Reading::Measured(Bytes(4096)),
            swapped: Reading::Measured(Bytes(8)),
            memory: Reading::Measured(MemoryByNode {
                last: MemoryMoment { at: now, by_node: vec![(NodeId(0), Bytes(10))] },
                most: MemoryMoment { at: now, by_node: vec![(NodeId(1), Bytes(20))] },
            }),
            ..ProcessSurroundings::unavailable("it was seen from outside")
        },
        io: Reading::Measured(KernelIo::from_numbers([10, 20, 30, 40, 50])),
    }
}

#[test]
fn what_was_seen_stands_where_a_process_could_not_tell() {
    let begun = clock::unix_time().0 - 3_000_000_000;
    let mut all = [process(begun, ProcessEnd::NotTold)];
    complete(&mut all.iter_mut().collect::<Vec<_>>(), &[seen()]);
    let of = &all[0].surroundings;
    assert_eq!(of.peak_memory.measured(), Some(&Bytes(4096)));
    assert_eq!(of.swapped.measured(), Some(&Bytes(8)));
    let memory = of.memory.measured().unwrap();
    assert_eq!(memory.most.by_node, [(NodeId(1), Bytes(20))]);
    assert!((2_900_000_000..60_000_000_000).contains(&memory.last.at.0), "{:?}", memory.last.at);
    assert!(of.switches.measured().is_none());
    let thread = &all[0].threads.measured().unwrap()[0];
    assert_eq!(thread.mask.measured(), Some(&"1".parse().unwrap()));
    assert_eq!(thread.run_delay.measured(), Some(&Nanoseconds(50)));
    assert_eq!(thread.processor.measured(), Some(&Nanoseconds(900)));
    assert_eq!(thread.cpu_time_on.measured().unwrap(), &[(CpuId(1), Nanoseconds(900))]);
}

#[test]
fn what_changed_of_a_thread_stands_with_its_trace() {
    let mut all = [process(5, ProcessEnd::Exit), process(5, ProcessEnd::Exit)];
    let Reading::Measured(threads) = &mut all[1].threads else { unreachable!() };
    threads[0].trace = Some(Arc::default());
    let mut one = seen();
    one.threads[0].seen.looks = 17;
    for activity in &mut all {
        complete(&mut [activity], std::slice::from_ref(&one));
    }
    let of = |activity: &Activity| activity.threads.measured().unwrap()[0].trace.clone();
    assert!(of(&all[0]).is_none());
    assert_eq!(of(&all[1]).unwrap().seen, Some(one.threads[0].seen.clone()));
}

#[test]
fn what_a_process_noted_at_its_end_stays() {
    let mut one = process(5, ProcessEnd::Exit);
    one.surroundings.peak_memory = Reading::Measured(Bytes(8192));
    one.surroundings.swapped = Reading::Measured(Bytes(0));
    let Reading::Measured(threads) = &mut one.threads else { unreachable!() };
    threads[0].processor = Reading::Measured(Nanoseconds(1000));
    let mut all = [one];
    complete(&mut all.iter_mut().collect::<Vec<_>>(), &[seen()]);
    assert_eq!(all[0].surroundings.peak_memory.measured(), Some(&Bytes(8192)));
    // It was in swap once.
    assert_eq!(all[0].surroundings.swapped.measured(), Some(&Bytes(8)));
    let thread = &all[0].threads.measured().unwrap()[0];
    assert_eq!(thread.mask.measured(), Some(&"0-3".parse().unwrap()));
    assert_eq!(thread.processor.measured(), Some(&Nanoseconds(1000)));
}

/// It lived on after it was seen last, and nobody asked at its end.
#[test]
fn what_was_seen_of_a_sandboxed_thread_is_not_all_that_it_computed() {
    let mut one = Activity { is_sandboxed: true, ..process(5, ProcessEnd::Exit) };
    complete(&mut [&mut one], &[seen()]);
    let thread = &one.threads.measured().unwrap()[0];
    assert_eq!(thread.mask.measured(), Some(&"1".parse().unwrap()), "the mask is the last that was seen");
    assert!(thread.processor.measured().is_none());
}

#[test]
fn what_a_killed_process_read_and_wrote_is_what_was_seen_less_what_was_before() {
    let mut one = process(5, ProcessEnd::NotTold);
    one.io.at_begin = Reading::Measured(KernelIo::from_numbers([1, 2, 3, 4, 60]));
    let mut told = process(9, ProcessEnd::Exit);
    told.io.kernel = Reading::Measured(KernelIo::default());
    told.pid = Pid(8);
    let mut all = [one, told, process(3, ProcessEnd::NotTold)];
    all[2].pid = Pid(6);
    let also = |pid| ObservedProcess { pid: Pid(pid), ..seen() };
    complete(&mut all.iter_mut().collect::<Vec<_>>(), &[seen(), also(8), also(6)]);
    assert_eq!(all[0].io.kernel.measured(), Some(&KernelIo::from_numbers([9, 18, 27, 36, 0])));
    assert_eq!(all[1].io.kernel.measured(), Some(&KernelIo::default()));
    // What it had at its begin is not known.
    assert!(all[2].io.kernel.measured().is_none());
}

#[test]
fn what_became_another_program_is_that_one() {
    let mut all = [process(5, ProcessEnd::NotTold), process(9, ProcessEnd::NotTold)];
    complete(&mut all.iter_mut().collect::<Vec<_>>(), &[seen()]);
    assert!(all[0].surroundings.memory.measured().is_none());
    assert!(all[1].surroundings.memory.measured().is_some());
}

#[test]
fn of_several_threads_in_one_place_none_was_seen() {
    let mut one = process(5, ProcessEnd::NotTold);
    let Reading::Measured(threads) = &mut one.threads else { unreachable!() };
    threads[0].lives = 2;
    let mut all = [one];
    complete(&mut all.iter_mut().collect::<Vec<_>>(), &[seen()]);
    assert!(all[0].threads.measured().unwrap()[0].processor.measured().is_none());
}

#[test]
fn what_one_leaves_is_there_for_another() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), Pid(7), vec![seen()]);
    keep(folder.path(), Pid(9), Vec::new());
    std::fs::write(folder.path().join(format!("11{END}")), "[").unwrap();
    let mut all = kept(folder.path());
    all.sort_by_key(|one| one.pid);
    assert_eq!(all.iter().map(|one| one.pid).collect::<Vec<_>>(), [Pid(7), Pid(9)]);
    assert_eq!(all[0].threads, seen().threads);
    assert!(
        all[1].alive >= all[0].alive
            && all[1].surroundings.memory.reason().unwrap().0.contains("nobody looked at it")
    );
}

/// What the process 7 is seen as, when it computed for so many milliseconds under this name.
fn named(name: &str, milliseconds: u64) -> ObservedProcess {
    let mut seen = seen();
    seen.threads[0].observation.name = name.to_owned();
    seen.threads[0].observation.cpu_time = Nanoseconds(milliseconds * 1_000_000);
    seen
}

#[test]
fn a_program_that_takes_the_place_of_a_watched_one_is_known_by_its_name() {
    let mut one = process(5, ProcessEnd::NotTold);
    let took = |one: &Activity, name: &str| unwatched::took_the_place(&[one], &named(name, 100));
    assert!(took(&one, "other") && !took(&one, "app"));
    one.program = "./a-program-of-a-long-name".to_owned();
    assert!(took(&one, "app") && !took(&one, "a-program-of-a-"), "the kernel keeps 15 bytes");
    one.openmp = Reading::Measured(numawise_facts::activity::OpenMpRuntimes {
        libgomp: true,
        ompt: false,
        has_other_tool: false,
    });
    assert!(!took(&one, "other"), "it gave itself another name");
    let told = process(9, ProcessEnd::Exit);
    assert!(!unwatched::took_the_place(&[&process(5, ProcessEnd::NotTold), &told], &named("other", 100)));
}

#[test]
fn what_computed_and_was_not_watched_is_said() {
    let mut shell = process(5, ProcessEnd::Exit);
    shell.pid = Pid(3);
    let Reading::Measured(threads) = &mut shell.threads else { unreachable!() };
    threads[0].processor = Reading::Measured(Nanoseconds(100_000_000));
    let said = |milliseconds| unwatched::notice(&[&shell], &[named("solver", milliseconds)]);
    let expected = numawise_facts::notice::SnapshotNotice::ProcessesNotWatched {
        count: 1,
        computed: Nanoseconds(900_000_000),
        names: vec!["solver".to_owned()],
    };
    assert_eq!(said(900), Some(expected.into()));
    assert_eq!(said(4), None, "it is no twentieth");
    assert_eq!(unwatched::notice(&[], &[named("solver", 900)]), None, "that nothing was watched says it all");
    let of_it = process(5, ProcessEnd::Exit);
    assert_eq!(unwatched::notice(&[&of_it], &[named("solver", 900)]), None, "it has a file");
}

#[test]
fn counters_are_of_the_program_that_handed_them_over() {
    let folder = tempfile::tempdir().unwrap();
    let counted = |pid, began| CountedProcess {
        pid: Pid(pid),
        began: Nanoseconds(began),
        counters: Reading::Measured(ProcessCounters { with_children: false, counts: vec![] }),
    };
    let text = serde_json::to_vec(&[counted(7, 5), counted(8, 9)]).unwrap();
    std::fs::write(folder.path().join("1.counted"), text).unwrap();
    std::fs::write(folder.path().join("2.counted"), "[").unwrap();
    let mut all = [process(5, ProcessEnd::NotTold), process(9, ProcessEnd::NotTold)];
    counters::complete(folder.path(), &mut all.iter_mut().collect::<Vec<_>>());
    assert!(all[0].surroundings.counters.measured().is_some());
    assert!(all[1].surroundings.counters.measured().is_none());
}

#[test]
fn what_was_started_lived_until_its_numawise_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    for started in [7, 8] {
        begin(folder.path(), Pid(started));
    }
    keep(folder.path(), Pid(8), Vec::new());
    let ended = kept(folder.path())[0].alive;
    all_are_killed(folder.path());
    let mut kept = kept(folder.path());
    kept.sort_by_key(|one| one.pid);
    assert_eq!(kept.iter().map(|one| one.pid).collect::<Vec<_>>(), [Pid(7), Pid(8)]);
    assert!(kept[0].alive > ended && kept[1].alive == ended);
}

/// A shell that becomes the program at its last command, as its file and that of the program say.
fn became(processor: Option<u64>) -> [Activity; 2] {
    let mut program = process(5, ProcessEnd::NotTold);
    let Reading::Measured(threads) = &mut program.threads else { unreachable!() };
    threads[0].processor = match processor {
        Some(time) => Reading::Measured(Nanoseconds(time)),
        None => Reading::unavailable("it was killed"),
    };
    [process(1, ProcessEnd::NotTold), program]
}

#[test]
fn what_a_shell_computed_before_it_became_the_program_is_not_the_programs() {
    let mut seen = seen();
    seen.threads[0].observation.cpu_time = Nanoseconds(500_000_000);
    for (processor, is_mixed) in [(None, true), (Some(100_000_000), true), (Some(499_000_000), false)] {
        let mut all = became(processor);
        complete(&mut all.iter_mut().collect::<Vec<_>>(), &[seen.clone()]);
        let thread = &all[1].threads.measured().unwrap()[0];
        assert_eq!(thread.processor.measured().map(|time| time.0), processor);
        assert_eq!(thread.run_delay.measured().is_none(), is_mixed);
        assert_eq!(thread.cpu_time_on.measured().is_none(), is_mixed);
    }
}
