use numawise_facts::activity::ThreadRole;
use numawise_facts::{Activity, Reading};
use numawise_units::{CpuId, CpuSet};

use super::*;
use crate::snapshot::sample::{process, rank, seconds, simple_rank, snapshot, thread, threads, with_openmp};

/// A team of two that computes for a second and is bound to so many CPUs; each thread was on one for so long, and waited for the rest.
fn team(cpus: u32, had: f64) -> Activity {
    let mut all: Vec<_> = (0..2).map(|tid| thread(tid, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])).collect();
    for one in &mut all {
        one.role = Reading::Measured(ThreadRole::OpenMp);
        one.processor = Reading::Measured(seconds(had));
        one.run_delay = Reading::Measured(seconds(1.0 - had));
        one.mask = Reading::Measured((0..cpus).map(CpuId).collect());
    }
    rank(0, 1, with_openmp(process(7, 1.0, all)))
}

fn share(of: &RatedShare) -> f64 {
    of.value.measured().expect("a share").0
}

fn ids(run: &RunSnapshot) -> Vec<&'static str> {
    run.findings.iter().map(|of| of.finding.id.code()).collect()
}

#[test]
fn two_threads_on_one_core_are_useful_for_half_of_the_time_and_nothing_of_that_is_good() {
    let run = snapshot(&[team(1, 0.5)]);
    assert!((share(&run.useful) - 0.5).abs() < 1e-9, "{:?}", run.useful);
    let time = run.time.measured().unwrap();
    assert_eq!(time.without_cpu(), Reading::Measured(seconds(1.0).into()));
    assert_eq!((run.grade, ids(&run)), (Some(Grade::Bad), vec!["NW033"]));
    // POP's figure is what POP says, and is called nothing; ours has the rest.
    assert!((share(&run.efficiency.parallel) - 1.0).abs() < 1e-9);
    assert_eq!(run.efficiency.parallel.rating, None);
    assert!((share(&run.efficiency.with_cpu) - 0.5).abs() < 1e-9);
    // With a CPU each, all is well.
    let run = snapshot(&[team(2, 1.0)]);
    assert_eq!((run.grade, ids(&run)), (Some(Grade::Good), vec![]));
    assert_eq!(run.efficiency.parallel.rating.map(|rating| rating.grade), Some(Grade::Good));
}

#[test]
fn of_what_threads_do_useful_time_has_its_part_of_the_waiting_for_cpus() {
    // Half of its life it spins in MPI, without a CPU as often as outside: half of the waiting is of useful time.
    let mut spins = simple_rank(0, 1, 1.0, 1.0);
    threads(&mut spins)[0].processor = Reading::Measured(seconds(1.0));
    threads(&mut spins)[0].run_delay = Reading::Measured(seconds(1.0));
    assert_eq!(snapshot(&[spins]).time.measured().unwrap().delayed, seconds(0.5).into());
    // It sleeps there: all of it is.
    let mut sleeps = simple_rank(0, 1, 1.0, 1.0);
    threads(&mut sleeps)[0].processor = Reading::Measured(seconds(0.6));
    threads(&mut sleeps)[0].run_delay = Reading::Measured(seconds(0.4));
    assert_eq!(snapshot(&[sleeps]).time.measured().unwrap().delayed, seconds(0.4).into());
    // Of a plain thread it is part of what it waits.
    let mut plain = thread(7, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    plain.processor = Reading::Measured(seconds(1.0));
    plain.run_delay = Reading::Measured(seconds(0.3));
    let run = snapshot(&[process(7, 2.0, vec![plain])]);
    let time = run.time.measured().unwrap();
    assert_eq!((time.delayed_waiting, time.waiting_elsewhere()), (seconds(0.3).into(), seconds(0.7).into()));
}

#[test]
fn what_threads_waited_for_a_cpu_is_unavailable_where_the_kernel_does_not_say_and_nothing_is_good_then() {
    let mut one = team(2, 1.0);
    threads(&mut one)[1].run_delay = Reading::unavailable("this kernel does not count it");
    let run = snapshot(&[one]);
    assert!(run.time.measured().unwrap().without_cpu().reason().is_some());
    assert!(run.efficiency.with_cpu.value.reason().is_some());
    assert_eq!((run.grade, run.useful.rating, run.efficiency.parallel.rating), (None, None, None));
    // Of a thread with hardly any useful time it does not matter.
    let mut one = team(2, 1.0);
    let idler = &mut threads(&mut one)[1];
    idler.times = Reading::Measured(crate::snapshot::sample::times([0.001, 0.0, 0.999, 0.0, 0.0, 0.0]));
    idler.run_delay = Reading::unavailable("it computed for less than 1 ms");
    assert!(snapshot(&[one]).time.measured().unwrap().without_cpu().measured().is_some());
}

#[test]
fn what_is_too_short_has_times_and_neither_grades_nor_findings() {
    let short = |seconds: f64| {
        snapshot(&[
            simple_rank(0, 2, 0.2 * seconds, 0.8 * seconds),
            simple_rank(1, 2, 0.9 * seconds, 0.1 * seconds),
        ])
    };
    let run = short(0.001);
    assert!(matches!(run.doubt, Some(RunDoubt::TooShort { .. })), "{:?}", run.doubt);
    assert_eq!((run.grade, run.useful.rating, ids(&run)), (None, None, vec![]));
    assert!(run.mpi.measured().unwrap().share.rating.is_none());
    assert!(run.useful.value.measured().is_some() && run.time.measured().is_some());
    let run = short(1.0);
    assert_eq!((run.doubt, run.grade), (None, Some(Grade::Bad)));
    assert!(ids(&run).contains(&"NW010"));
}

#[test]
fn on_a_busy_machine_nothing_is_graded_and_what_is_less_than_its_noise_is_left_out() {
    // A CPU each, of which rank 1 had a third; rank 0 was in MPI for a tenth of the time.
    let ranks = |had: f64| -> Vec<Activity> {
        let each = [(0, 2.0), (1, had)].into_iter();
        each.map(|(number, had)| {
            let mpi = if number == 0 { 0.3 } else { 0.0 };
            let mut activity = simple_rank(number, 2, 2.0 - mpi, mpi);
            let one = &mut threads(&mut activity)[0];
            one.processor = Reading::Measured(seconds(had));
            one.run_delay = Reading::Measured(seconds(2.0 - had));
            one.mask = Reading::Measured(CpuSet::single(CpuId(number)));
            activity
        })
        .collect()
    };
    let run = snapshot(&ranks(0.64));
    let Some(RunDoubt::Disturbed { lost }) = run.doubt else { panic!("{:?}", run.doubt) };
    assert!((lost.share.0 - 0.68).abs() < 1e-6, "{lost:?}");
    assert_eq!((run.grade, ids(&run)), (None, vec!["NW055"]));
    let quiet = snapshot(&ranks(2.0));
    assert_eq!((quiet.doubt, ids(&quiet)), (None, vec!["NW010"]));
}

#[test]
fn the_first_line_is_not_good_where_a_finding_could_bring_more() {
    // 85 % useful on average, and the rest would be spared if both computed as long.
    let run = snapshot(&[simple_rank(0, 2, 1.4, 0.6), simple_rank(1, 2, 2.0, 0.0)]);
    assert_eq!(run.useful.rating.map(|rating| rating.grade), Some(Grade::Good));
    assert_eq!((run.grade, ids(&run)), (Some(Grade::LookHere), vec!["NW010", "NW012"]));
}

#[test]
fn thresholds_of_our_own_are_said_to_be_ours() {
    let run = snapshot(&[team(2, 1.0)]);
    let source = run.efficiency.with_cpu.rating.unwrap().source;
    assert_eq!(source, numawise_tables::snapshot::ThresholdSource::Numawise);
}
