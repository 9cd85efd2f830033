use numawise_facts::Activity;
use numawise_facts::activity::{ConstructName, ProcessEnd, ThreadRole};
use numawise_tables::snapshot::{Grade, RatedShare, SpanScope};
use numawise_units::{Nanoseconds, Pid};

use super::sample::{
    call, construct, opened, process, rank, seconds, simple_rank, snapshot, thread, times, with_openmp,
};
use super::*;

#[track_caller]
fn is(share: &RatedShare, expected: f64) {
    let found = share.value.measured().unwrap_or_else(|| panic!("{share:?}")).0;
    assert!((found - expected).abs() < 5e-5, "{found}, expected {expected}");
}

#[track_caller]
fn is_not_known(share: &RatedShare, why: &str) {
    let reason = share.value.reason().unwrap_or_else(|| panic!("{share:?}"));
    assert!(reason.0.contains(why), "{reason}");
    assert_eq!(share.rating, None);
}

#[test]
fn two_ranks_that_compute_1_and_one_and_a_half_of_2_seconds() {
    let run = snapshot(&[simple_rank(0, 2, 1.0, 1.0), simple_rank(1, 2, 1.5, 0.5)]);
    let efficiency = &run.efficiency;
    is(&efficiency.parallel, 0.625);
    is(&efficiency.mpi_parallel, 0.625);
    is(&efficiency.mpi_communication, 0.75);
    is(&efficiency.mpi_load_balance, 0.8333);
    // On one host all of the imbalance is in it.
    is(&efficiency.mpi_load_balance_in, 0.8333);
    is(&efficiency.mpi_load_balance_out, 1.0);
    is_not_known(&efficiency.openmp_parallel, "no OpenMP runtime");
    is(&run.useful, 0.625);
    assert_eq!((run.cpus.measured().unwrap().count, run.processes.ranks, run.processes.hosts), (2, 2, 1));
    let grades = [&efficiency.parallel, &efficiency.mpi_communication, &efficiency.mpi_load_balance];
    let grades = grades.map(|share| share.rating.unwrap().grade);
    assert_eq!(grades, [Grade::LookHere, Grade::LookHere, Grade::Good]);
    let mpi = run.mpi.measured().unwrap();
    is(&mpi.share, 0.375);
    assert_eq!(mpi.imbalance.measured(), Some(&seconds(0.25)));
    assert_eq!(mpi.share_by_rank.measured().unwrap().least, (1, Ratio(0.25)));
    assert_eq!(
        (mpi.calls[0].call.as_str(), mpi.calls[0].calls.count, mpi.calls[0].ranks),
        ("MPI_Allreduce", 20, 2)
    );
    let waiting: Vec<_> = run.rows.iter().map(|row| *row.mpi_waiting.measured().unwrap()).collect();
    assert_eq!(waiting, [seconds(0.5), Nanoseconds(0)]);
}

#[test]
fn load_balance_is_split_by_hosts() {
    let on = |host: &str, rank: u32, useful: f64| {
        let mut activity = simple_rank(rank, 4, useful, 2.0 - useful);
        activity.host = host.to_owned();
        activity
    };
    let run = snapshot(&[on("a", 0, 1.8), on("a", 1, 1.4), on("b", 2, 1.0), on("b", 3, 1.0)]);
    let efficiency = &run.efficiency;
    // Mean of MPI 0.7, the least 0.2, the least of a host 0.4.
    is(&efficiency.mpi_communication, 0.9);
    is(&efficiency.mpi_load_balance, 1.3 / 1.8);
    is(&efficiency.mpi_load_balance_in, 1.6 / 1.8);
    is(&efficiency.mpi_load_balance_out, 1.3 / 1.6);
    assert_eq!(run.processes.hosts, 2);
}

#[test]
fn begin_and_end_of_mpi_are_left_out_as_talp_does() {
    let with_begin = |number: u32, useful: f64, mpi: f64| {
        let mut activity = simple_rank(number, 2, useful, mpi);
        let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
        // 0.1 s of its own and 0.3 s of MPI_Init before, 0.2 s of MPI_Finalize and 0.4 s of its own after it.
        threads[0].times = Reading::Measured(times([useful + 0.5, mpi + 0.5, 0.0, 0.0, 0.0, 0.0]));
        threads[0].calls.push(call("MPI_Init_thread", 0x20, 1, 0.3));
        threads[0].calls.push(call("MPI_Finalize", 0x30, 1, 0.2));
        activity.elapsed = Reading::Measured(seconds(3.0));
        let Reading::Measured(mpi) = &mut activity.mpi else { unreachable!() };
        mpi.initialised = Reading::Measured([seconds(0.1), seconds(0.4)]);
        mpi.finalised = Reading::Measured([seconds(2.4), seconds(2.6)]);
        activity
    };
    let run = snapshot(&[with_begin(0, 1.0, 1.0), with_begin(1, 1.5, 0.5)]);
    let span = *run.span.measured().unwrap();
    assert_eq!((span.time, span.scope), (seconds(2.0), SpanScope::BetweenInitAndFinalize));
    assert_eq!(run.elapsed.measured(), Some(&seconds(3.0)));
    is(&run.efficiency.parallel, 0.625);
    is(&run.efficiency.mpi_communication, 0.75);
    is(&run.efficiency.mpi_load_balance, 0.8333);
}

#[test]
fn ranks_that_are_missing_or_died_make_no_balance() {
    let missing = snapshot(&[simple_rank(0, 4, 1.0, 1.0), simple_rank(1, 4, 1.5, 0.5)]);
    is(&missing.efficiency.parallel, 0.625);
    is_not_known(&missing.efficiency.mpi_load_balance, "of 4 ranks 2 were watched");
    let mut died = simple_rank(1, 2, 0.5, 0.1);
    died.end = ProcessEnd::NotTold;
    let died = snapshot(&[simple_rank(0, 2, 1.0, 1.0), died]);
    is_not_known(&died.efficiency.mpi_communication, "rank 1 ended after 600.0 ms, before the others");
    assert!(died.rows[0].mpi_waiting.measured().is_none());
    // Once MPI_Finalize has returned a rank may become another program: it did not die.
    let mut left = simple_rank(1, 2, 0.5, 0.1);
    left.end = ProcessEnd::NotTold;
    let Reading::Measured(mpi) = &mut left.mpi else { unreachable!() };
    mpi.finalised = Reading::Measured([seconds(0.6), seconds(0.6)]);
    is(&snapshot(&[simple_rank(0, 2, 1.0, 1.0), left]).efficiency.mpi_communication, 0.95);
    let twice = snapshot(&[simple_rank(0, 1, 1.0, 1.0), simple_rank(0, 1, 1.0, 1.0)]);
    is_not_known(&twice.efficiency.mpi_load_balance, "several MPI_COMM_WORLDs");
}

#[test]
fn figures_of_ranks_that_were_asked_for_are_of_these_alone() {
    let asked = |ranks: &str, activities: &[Activity]| {
        let ranks = ranks.parse().unwrap();
        let (places, machines) = Default::default();
        let parts = RunParts {
            trace_part: None,
            activities,
            merged: None,
            places: &places,
            asked: Some(&ranks),
            exit: None,
            unwatched: Nanoseconds(0),
            machines: &machines,
        };
        run_snapshot(&parts)
    };
    let two = [simple_rank(0, 4, 1.0, 1.0), simple_rank(3, 4, 1.5, 0.5)];
    for ranks in ["0,3", "0,3,9"] {
        let run = asked(ranks, &two);
        is(&run.efficiency.mpi_communication, 0.75);
        is(&run.efficiency.mpi_load_balance, 0.8333);
    }
    let run = asked("0-1,3", &two);
    is_not_known(&run.efficiency.mpi_load_balance, "of the ranks 0-1,3 that were asked for 2 were watched");
}

#[test]
fn what_is_not_known_is_no_efficiency_of_1() {
    let mut unknown = simple_rank(1, 2, 1.5, 0.5);
    unknown.threads = Reading::unavailable("nobody knows how long a tick is");
    let run = snapshot(&[simple_rank(0, 2, 1.0, 1.0), unknown]);
    for share in [&run.efficiency.parallel, &run.efficiency.mpi_parallel, &run.efficiency.mpi_load_balance] {
        is_not_known(share, "rank 1: nobody knows how long a tick is");
    }
    is_not_known(&run.useful, "how long a tick");
    assert!(run.cpus.measured().is_none());
    // An OpenMP runtime that tells nothing: its threads all look useful.
    let mut worker = thread(2, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    worker.role = Reading::Measured(ThreadRole::OpenMp);
    let silent = snapshot(&[process(1, 2.0, vec![thread(1, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]), worker])]);
    is_not_known(&silent.efficiency.parallel, "did not tell what its threads did");
    is_not_known(&silent.efficiency.mpi_parallel, "no call of MPI was seen");
    assert_eq!(silent.mpi.reason().unwrap().0, "no call of MPI was seen");
    let nothing = snapshot(&[]);
    is_not_known(&nothing.efficiency.parallel, "no time was measured");
    assert!(nothing.elapsed.measured().is_none() && nothing.findings.is_empty());
}

#[test]
fn formulas_of_openmp() {
    // 4 threads for 10 s: U 20, L 8 of which locks are 2, S 4, Z 8.
    let run = snapshot(&[with_openmp(process(
        1,
        10.0,
        vec![
            thread(1, [8.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
            thread(2, [4.0, 0.0, 2.0, 1.0, 3.0, 0.0]),
            thread(3, [4.0, 0.0, 2.0, 1.0, 3.0, 0.0]),
            thread(4, [4.0, 0.0, 1.0, 1.0, 2.0, 2.0]),
        ],
    ))]);
    let efficiency = &run.efficiency;
    is(&efficiency.parallel, 0.5);
    is(&efficiency.openmp_parallel, 0.5);
    is(&efficiency.openmp_serialization, 20.0 / 28.0);
    is(&efficiency.openmp_load_balance, 28.0 / 36.0);
    is(&efficiency.openmp_scheduling, 0.9);
    let time = *run.time.measured().unwrap();
    assert_eq!([time.imbalance, time.lock, time.serial], [8.0, 2.0, 8.0].map(|sum| seconds(sum).into()));
}

#[test]
fn threads_that_are_made_late_are_serial_before() {
    let mut late = thread(2, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    late.role = Reading::Measured(ThreadRole::OpenMp);
    late.begin = seconds(3.0);
    let first = thread(1, [4.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let run = snapshot(&[with_openmp(process(1, 4.0, vec![first, late]))]);
    is(&run.efficiency.openmp_serialization, 5.0 / 8.0);
    is(&run.efficiency.parallel, 5.0 / 8.0);
}

#[test]
fn a_team_that_idles_while_its_first_thread_is_in_mpi_is_in_mpi_too() {
    // For 4 s: 1 s in a region of two, 1 s of computing alone, 2 s in MPI of which half a second is in the region.
    let first = |tid: i32| {
        let mut one = thread(tid, [2.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        let region = construct(5, 1, ConstructName::Parallel, [1.0, 0.5, 0.0, 0.0, 0.0, 0.0]);
        one.constructs = vec![opened(region, 1.5, 2)];
        one.calls = vec![call("MPI_Send", 1, 1, 2.0)];
        one
    };
    let second = |tid: i32| {
        let mut one = thread(tid, [1.0, 0.0, 0.5, 0.0, 2.5, 0.0]);
        one.role = Reading::Measured(ThreadRole::OpenMp);
        one
    };
    let team = |number: u32| {
        let pid = 10 * (number.cast_signed() + 1);
        rank(number, 2, with_openmp(process(pid, 4.0, vec![first(pid), second(pid + 1)])))
    };
    let run = snapshot(&[team(0), team(1)]);
    // Of 8 s of a rank's CPUs 2 are in MPI, and 1.5 of a thread that has nothing to do meanwhile.
    is(&run.efficiency.mpi_parallel, 4.5 / 8.0);
    is(&run.efficiency.mpi_communication, 4.5 / 8.0);
    is(&run.efficiency.parallel, 3.0 / 8.0);
    is(&run.efficiency.openmp_serialization, 5.0 / 7.5);
    let time = *run.time.measured().unwrap();
    assert_eq!([time.serial, time.serial_in_mpi], [5.0, 3.0].map(|sum| seconds(sum).into()));
    assert_eq!(run.rows[0].mpi.measured(), Some(&seconds(1.75)));
}

#[test]
fn teams_that_idle_after_mpi_finalize_are_left_out() {
    let mut first = thread(1, [3.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    first.calls = vec![call("MPI_Send", 1, 1, 1.0)];
    let mut second = thread(2, [1.0, 0.0, 0.0, 0.0, 3.0, 0.0]);
    second.role = Reading::Measured(ThreadRole::OpenMp);
    let mut activity = rank(0, 1, with_openmp(process(1, 4.0, vec![first, second])));
    let Reading::Measured(mpi) = &mut activity.mpi else { unreachable!() };
    mpi.finalised = Reading::Measured([seconds(2.0), seconds(2.0)]);
    let run = snapshot(&[activity]);
    // 2 s of two CPUs: the first one 1 s useful and 1 s in MPI, the second one 1 s useful and 1 s idle.
    is(&run.efficiency.parallel, 0.5);
    is(&run.useful, 0.5);
    is(&run.efficiency.openmp_serialization, 0.75);
}

#[test]
fn helpers_of_mpi_are_no_threads_of_the_program() {
    let mut activity = simple_rank(0, 1, 1.0, 1.0);
    let mut helper = thread(77, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    helper.role = Reading::Measured(ThreadRole::Helper);
    // One that nobody knows and that hardly computes.
    let mut idle = thread(78, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    idle.processor = Reading::Measured(seconds(0.01));
    let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
    threads.extend([helper, idle]);
    let run = snapshot(&[activity]);
    is(&run.efficiency.parallel, 0.5);
    assert_eq!(run.cpus.measured().unwrap().count, 1);
    assert_eq!(run.rows[0].threads.measured().unwrap().len(), 3);
}

#[test]
fn plain_threads_are_useful_while_they_are_on_a_cpu() {
    let waits = |tid: i32, on_cpu: f64| {
        let mut one = thread(tid, [4.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        one.processor = Reading::Measured(seconds(on_cpu));
        one
    };
    // The first one waits for the others.
    let run = snapshot(&[process(1, 4.0, vec![waits(1, 0.01), waits(2, 4.0), waits(3, 2.0)])]);
    is(&run.efficiency.parallel, 0.75);
    assert_eq!(run.time.measured().unwrap().waiting, seconds(2.0).into());
    assert_eq!(run.cpus.measured().unwrap().count, 2);
    assert!(run.mpi.measured().is_none() && run.openmp.measured().is_none());
    let mut killed = waits(1, 1.0);
    killed.processor = Reading::unavailable("the process was killed");
    let killed = snapshot(&[process(1, 4.0, vec![killed])]);
    is_not_known(&killed.efficiency.parallel, "the process was killed");
}

#[test]
fn launchers_shells_and_errands_do_not_count() {
    let mut shell = process(1, 10.0, vec![thread(1, [10.0, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    if let Reading::Measured(threads) = &mut shell.threads {
        threads[0].processor = Reading::Measured(seconds(0.02));
    }
    let child = |pid: i32, elapsed: f64| {
        let mut child = process(pid, elapsed, vec![thread(pid, [elapsed, 0.0, 0.0, 0.0, 0.0, 0.0])]);
        child.parent = Pid(1);
        child
    };
    let mut short = child(3, 0.0);
    short.elapsed = Reading::unavailable("the process ended within 10 ms");
    short.threads = Reading::unavailable("the process ended within 10 ms");
    let run = snapshot(&[shell.clone(), child(2, 9.0), short, child(4, 0.05)]);
    assert_eq!((run.processes.counted, run.processes.others), (1, 3));
    is(&run.efficiency.parallel, 1.0);
    assert_eq!(run.elapsed.measured(), Some(&seconds(9.0)));
    // Ranks and what starts them.
    let run = snapshot(&[shell, simple_rank(0, 2, 1.0, 1.0), simple_rank(1, 2, 1.5, 0.5)]);
    assert_eq!((run.processes.counted, run.processes.others), (2, 1));
    is(&run.efficiency.parallel, 0.625);
}

#[test]
fn errands_that_are_most_of_the_run_count() {
    let mut shell = process(1, 20.0, vec![thread(1, [20.0, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    if let Reading::Measured(threads) = &mut shell.threads {
        threads[0].processor = Reading::Measured(seconds(0.02));
    }
    let one = |pid: i32, after: f64, elapsed: f64| {
        let mut one = process(pid, elapsed, vec![thread(pid, [elapsed, 0.0, 0.0, 0.0, 0.0, 0.0])]);
        one.parent = Pid(1);
        one.began = shell.began + seconds(after);
        one
    };
    let with_errands = |count: i32| {
        let errands = (0..count).map(|number| one(10 + number, f64::from(number) * 0.1, 0.1));
        let mut all: Vec<Activity> = errands.collect();
        let mut before_exec = one(2, 17.5, 0.5);
        before_exec.end = ProcessEnd::NotTold;
        if let Reading::Measured(threads) = &mut before_exec.threads {
            threads[0].processor = Reading::unavailable("the process was killed, or runs");
        }
        all.extend([shell.clone(), one(2, 18.0, 2.0), before_exec]);
        snapshot(&all)
    };
    let few = with_errands(1);
    assert_eq!((few.processes.counted, few.elapsed.measured()), (1, Some(&seconds(2.0))));
    let many = with_errands(180);
    assert_eq!((many.processes.counted, many.processes.others), (181, 2));
    assert_eq!(many.elapsed.measured(), Some(&seconds(20.0)));
    is(&many.useful, 1.0);
}

#[test]
fn programs_one_after_the_other_have_the_same_cpus() {
    let first = process(1, 2.0, vec![thread(1, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    let mut second = process(2, 2.0, vec![thread(2, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    second.began = first.began + seconds(2.0);
    let run = snapshot(&[first, second]);
    assert_eq!(run.elapsed.measured(), Some(&seconds(4.0)));
    assert_eq!(run.cpus.measured().unwrap().count, 1);
    is(&run.useful, 1.0);
}

#[test]
fn a_child_of_fork_is_no_second_rank() {
    let mut child = rank(0, 1, process(8, 1.0, vec![thread(8, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])]));
    child.is_forked = true;
    let run = snapshot(&[simple_rank(0, 1, 1.0, 1.0), child]);
    assert_eq!((run.processes.counted, run.processes.others), (1, 1));
    is(&run.efficiency.mpi_load_balance, 1.0);
}

#[test]
fn ranks_that_do_nothing_but_mpi_have_no_balance() {
    let run = snapshot(&[simple_rank(0, 2, 0.0, 2.0), simple_rank(1, 2, 0.0, 2.0)]);
    is(&run.efficiency.parallel, 0.0);
    is(&run.efficiency.mpi_communication, 0.0);
    is_not_known(&run.efficiency.mpi_load_balance, "nothing to compare with");
}

#[test]
fn sites_name_the_ranks_that_were_there_least_and_most() {
    let ranks = [0.3, 0.1, 0.2].into_iter().zip(0..);
    let mut ranks: Vec<_> = ranks.map(|(mpi, number)| simple_rank(number, 3, 1.0, mpi)).collect();
    let Reading::Measured(threads) = &mut ranks[1].threads else { unreachable!() };
    // On another communicator, and so another site.
    let mut other = call("MPI_Allreduce", 0x10, 1, 0.0);
    other.communicator = None;
    threads[0].calls.push(other);
    let run = snapshot(&ranks);
    let sites = &run.mpi.measured().unwrap().sites;
    assert_eq!(sites.len(), 2);
    assert_eq!(sites[0].least.measured(), Some(&(1, seconds(0.1))));
    assert_eq!(sites[0].most.measured(), Some(&(0, seconds(0.3))));
    assert_eq!((sites[0].ranks, sites[1].ranks), (3, 1));
    assert_eq!(sites[0].communicator.measured().map(String::as_str), Some("MPI_COMM_WORLD"));
    assert!(sites[1].communicator.measured().is_none());
}

#[test]
fn counts_that_are_too_large_are_no_panic() {
    let huge = |number: u32| {
        let mut activity = simple_rank(number, 2, 1.0, 1.0);
        let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
        let one = &mut threads[0];
        one.calls = vec![call("MPI_Send", 1, 1, 1.0); 3];
        for site in &mut one.calls {
            (site.calls.count, site.calls.time) = (u64::MAX, Nanoseconds(u64::MAX));
            site.sent = Reading::Measured(numawise_units::Bytes(u64::MAX));
        }
        one.lost_constructs = u64::MAX;
        one.lost_messages = [u64::MAX; 2];
        let mut row = opened(construct(5, 1, ConstructName::Parallel, [1.0; 6]), 1.0, u32::MAX);
        (row.calls, row.opened, row.wall) = (u64::MAX, u64::MAX, Nanoseconds(u64::MAX));
        row.times.barrier = Nanoseconds(u64::MAX);
        (row.chunks.count, row.chunks.trips, row.chunks.size) = (u64::MAX, u64::MAX, u64::MAX);
        one.constructs = vec![row.clone(), numawise_facts::activity::Construct { key: 9, ..row }];
        one.times = Reading::Measured(numawise_facts::activity::StateTimes {
            useful: Nanoseconds(u64::MAX),
            mpi: Nanoseconds(u64::MAX),
            ..Default::default()
        });
        with_openmp(activity)
    };
    let run = snapshot(&[huge(0), huge(1)]);
    assert_eq!(run.lost.constructs, u64::MAX);
    let parallel = run.efficiency.parallel.value.measured();
    assert!(parallel.is_some_and(|share| (0.0..=1.0).contains(&share.0)));
}

#[test]
fn a_shell_that_waits_for_what_was_not_watched_is_not_the_program() {
    let said = |activities: &[Activity], unwatched: f64| {
        let (places, machines) = Default::default();
        let unwatched = Nanoseconds((unwatched * 1e9) as u64);
        run_snapshot(&RunParts {
            trace_part: None,
            activities,
            merged: None,
            places: &places,
            asked: None,
            exit: None,
            unwatched,
            machines: &machines,
        })
    };
    let mut waits = thread(9, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    waits.processor = Reading::Measured(seconds(0.1));
    let shell = process(9, 2.0, vec![waits]);
    let alone = said(std::slice::from_ref(&shell), 0.0);
    is(&alone.useful, 0.05);
    let of_little = said(std::slice::from_ref(&shell), 0.05);
    is(&of_little.useful, 0.05);
    let of_most = said(&[shell], 1.9);
    is_not_known(&of_most.useful, "processes that were not watched computed for 1.900 s");
    is_not_known(&of_most.efficiency.parallel, "not watched");
    // Ranks that are missing are said as such.
    let ranks = said(&[simple_rank(0, 1, 1.0, 1.0)], 9.0);
    is(&ranks.efficiency.parallel, 0.5);
}

#[test]
fn what_a_process_was_before_it_became_the_program_does_not_count() {
    let works = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let mut before = process(7, 0.04, vec![thread(7, [0.04, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    before.end = numawise_facts::activity::ProcessEnd::NotTold;
    let mut program = process(7, 1.0, vec![thread(7, works)]);
    program.began = before.began + seconds(0.04);
    let counted = |before: &Activity| snapshot(&[before.clone(), program.clone()]).processes.counted;
    assert_eq!(counted(&before), 1);
    // It worked for as long itself, or is another process that came to its end.
    let mut long = before.clone();
    long.elapsed = Reading::Measured(seconds(0.5));
    let mut other = before.clone();
    (other.pid, other.end) = (numawise_units::Pid(8), numawise_facts::activity::ProcessEnd::Exit);
    assert_eq!([counted(&long), counted(&other)], [2, 2]);
}

#[test]
fn sums_beyond_584_years_are_right_or_refused() {
    // Ten years each, the longest that a record may have.
    const TEN_YEARS: f64 = 3.15e8;
    let all: Vec<Activity> =
        (0..100).map(|number| simple_rank(number, 100, 0.5 * TEN_YEARS, 0.5 * TEN_YEARS)).collect();
    let run = snapshot(&all);
    is(&run.useful, 0.5);
    is(&run.efficiency.parallel, 0.5);
    assert_eq!(run.time.measured().unwrap().total().seconds().round(), 100.0 * TEN_YEARS);
    assert_eq!(run.without_thread().measured().unwrap().0, 0);
    // The time in MPI is 499 years; of twice the ranks it is more than the tables of calls hold.
    assert!(run.mpi.measured().is_some());
    let all: Vec<Activity> =
        (0..200).map(|number| simple_rank(number, 200, 0.5 * TEN_YEARS, 0.5 * TEN_YEARS)).collect();
    let run = snapshot(&all);
    is(&run.efficiency.mpi_parallel, 0.5);
    assert!(run.mpi.reason().unwrap().0.contains("584 years"), "{:?}", run.mpi.reason());
}
