use numawise_facts::activity::{Construct, ConstructName, OpenMpRuntimes, StateTimes};
use numawise_facts::{Activity, ThreadActivity};

use super::*;
use crate::snapshot::sample::{
    construct, dynamic_loop, opened, process, seconds, snapshot, thread, with_openmp,
};

/// A program of one parallel region of so many seconds: threads work for some of them and wait for the rest.
fn region(elapsed: f64, wall: f64, work: &[f64]) -> Activity {
    let threads = work.iter().zip(1..).map(|(useful, tid)| {
        let states = [*useful, 0.0, wall - useful, 0.0, 0.0, 0.0];
        let row = construct(5, 1, ConstructName::Parallel, states);
        let outside = elapsed - wall;
        let (mut one, row) = match tid {
            1 => (
                thread(tid, [useful + outside, 0.0, wall - useful, 0.0, 0.0, 0.0]),
                opened(row, wall, work.len() as u32),
            ),
            _ => (thread(tid, [*useful, 0.0, wall - useful, 0.0, outside, 0.0]), row),
        };
        one.constructs = vec![row];
        one
    });
    with_openmp(process(1, elapsed, threads.collect()))
}

fn summary_of(activity: Activity) -> OpenMpSummary {
    snapshot(&[activity]).openmp.measured().expect("it uses OpenMP").clone()
}

#[test]
fn imbalance_that_is_known_on_paper() {
    // Threads work for 1, 2, 3 and 4 of 4 seconds, behind 1 second of serial work.
    let run = snapshot(&[region(5.0, 4.0, &[1.0, 2.0, 3.0, 4.0])]);
    let efficiency = &run.efficiency;
    let is = |share: &numawise_tables::snapshot::RatedShare, expected: f64| {
        assert!((share.value.measured().unwrap().0 - expected).abs() < 1e-6, "{share:?}");
    };
    is(&efficiency.parallel, 11.0 / 20.0);
    is(&efficiency.openmp_serialization, 11.0 / 14.0);
    is(&efficiency.openmp_load_balance, 14.0 / 20.0);
    is(&efficiency.openmp_scheduling, 1.0);
    let openmp = run.openmp.measured().unwrap();
    is(&openmp.serial, 0.2);
    is(&openmp.imbalance_share, 0.3);
    let [row] = openmp.regions.as_slice() else { panic!("{:?}", openmp.regions) };
    assert_eq!((row.calls, row.time, row.imbalance), (1, seconds(4.0), seconds(6.0)));
    assert_eq!(row.potential_gain.measured(), Some(&seconds(1.5)));
    assert_eq!(row.place.measured().unwrap().address, 5);
    assert!(row.within.is_empty() && row.loops.measured().unwrap().is_empty());
}

#[test]
fn nobody_waits_for_a_thread_that_is_alone() {
    // A barrier takes its time in a team of one too.
    let openmp = summary_of(region(5.0, 4.0, &[3.0]));
    let [row] = openmp.regions.as_slice() else { panic!("{:?}", openmp.regions) };
    assert_eq!((row.imbalance, row.potential_gain.measured()), (seconds(1.0), Some(&Nanoseconds(0))));
}

#[test]
fn forty_one_iterations_on_twelve_threads() {
    let row = |tid: i32| -> Vec<Construct> {
        let done = if tid <= 5 { 4 } else { 3 };
        let states = [done as f64, 0.0, 4.0 - done as f64, 0.0, 0.0, 0.0];
        let the_loop = dynamic_loop(construct(6, 5, ConstructName::Loop, states), 41, done, 1);
        let region = construct(5, 1, ConstructName::Parallel, [0.0; 6]);
        vec![if tid == 1 { opened(region, 4.0, 12) } else { region }, the_loop]
    };
    let threads = (1..=12).map(|tid| {
        let rows = row(tid);
        let useful = rows[1].times.useful.seconds();
        let mut one = thread(tid, [useful, 0.0, 4.0 - useful, 0.0, 0.0, 0.0]);
        one.constructs = rows;
        one
    });
    let openmp = summary_of(with_openmp(process(1, 4.0, threads.collect())));
    let [region] = openmp.regions.as_slice() else { panic!("{:?}", openmp.regions) };
    let [row] = region.loops.measured().unwrap().as_slice() else { panic!("{:?}", region.loops) };
    assert_eq!((row.iterations.measured().unwrap().0, row.threads), (41.0, 12));
    assert!((row.at_best.measured().unwrap().0 - 41.0 / 48.0).abs() < 1e-9);
    let per_thread = row.per_thread.measured().unwrap();
    assert_eq!((per_thread.least, per_thread.most), (3, 4));
    assert_eq!((row.calls.measured(), row.chunks.measured()), (Some(&1), Some(&41)));
    assert_eq!(region.potential_gain.measured(), Some(&Nanoseconds(seconds(7.0).0 / 12)));
}

#[test]
fn a_region_that_is_one_with_its_loop_is_counted_where_it_is_opened() {
    let threads = (1..=2).map(|tid| {
        let mut row = construct(5, 1, ConstructName::Parallel, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        row = dynamic_loop(row, 0, 50, 1);
        if tid == 1 {
            row = opened(row, 1.0, 2);
            row.chunks.trips = 100;
        }
        let mut one = thread(tid, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        one.constructs = vec![row];
        one
    });
    let openmp = summary_of(with_openmp(process(1, 1.0, threads.collect())));
    let row = &openmp.regions[0].loops.measured().unwrap()[0];
    assert_eq!((row.iterations.measured().unwrap().0, row.at_best.measured().unwrap().0), (100.0, 1.0));
}

#[test]
fn nested_regions_are_told_apart_and_their_teams_counted() {
    // Two threads, each of which opens a region of two: four in all.
    let threads = (1..=4).map(|tid| {
        let mut rows = vec![construct(7, 5, ConstructName::Parallel, [1.0, 0.0, 1.0, 0.0, 0.0, 0.0])];
        if tid <= 2 {
            rows[0] = opened(rows[0].clone(), 2.0, 2);
            let outer = construct(5, 1, ConstructName::Parallel, [0.0; 6]);
            rows.push(if tid == 1 { opened(outer, 2.0, 2) } else { outer });
        }
        let mut one: ThreadActivity = thread(tid, [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        one.constructs = rows;
        one
    });
    let openmp = summary_of(with_openmp(process(1, 2.0, threads.collect())));
    let [inner, outer] = openmp.regions.as_slice() else { panic!("{:?}", openmp.regions) };
    assert_eq!((inner.within.len(), outer.within.len()), (1, 0));
    assert_eq!((inner.calls, outer.calls), (2, 1));
    // 4 s of waiting by 2 teams of 2; the outer region's own threads wait nowhere else.
    assert_eq!(inner.potential_gain.measured(), Some(&seconds(1.0)));
    assert_eq!((inner.imbalance, outer.imbalance), (seconds(4.0), seconds(0.0)));
    assert_eq!((inner.time, outer.time), (seconds(2.0), seconds(2.0)));
    assert!(openmp.serial.value.measured().unwrap().0 < 1e-9);
}

#[test]
fn the_same_region_in_two_processes_is_one_row() {
    let mut second = region(5.0, 4.0, &[2.0, 4.0]);
    second.pid = numawise_units::Pid(2);
    let first = region(5.0, 4.0, &[4.0, 4.0]);
    let run = snapshot(&[first, second]);
    let openmp = run.openmp.measured().unwrap();
    let [row] = openmp.regions.as_slice() else { panic!("{:?}", openmp.regions) };
    assert_eq!((row.processes, row.calls, row.time), (2, 2, seconds(4.0)));
    assert_eq!(row.potential_gain.measured(), Some(&seconds(0.5)));
    assert_eq!(row.most_potential_gain.measured(), Some(&seconds(1.0)));
}

#[test]
fn waits_in_a_region_stand_with_it_and_rows_that_run_in_a_circle_nowhere() {
    let mut activity = region(5.0, 4.0, &[4.0, 4.0]);
    let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
    threads[0].constructs.push(construct(9, 5, ConstructName::Critical, [0.5, 0.0, 0.0, 0.0, 0.0, 0.25]));
    // Broken on purpose.
    threads[0].constructs.push(construct(10, 11, ConstructName::Loop, [0.0; 6]));
    threads[0].constructs.push(construct(11, 10, ConstructName::Loop, [0.0; 6]));
    threads[0].constructs.push(construct(12, 12, ConstructName::Barrier, [0.0; 6]));
    let openmp = summary_of(activity);
    let row = &openmp.regions[0];
    assert_eq!(row.lock, seconds(0.25));
    let [wait] = row.waits.measured().unwrap().as_slice() else { panic!("{:?}", row.waits) };
    assert_eq!((wait.name, wait.waits, wait.time), (ConstructName::Critical, 1, seconds(0.25)));
    // Serial: 5 s less 4 s in the region less 0.5 s in the critical section there.
    assert!((openmp.serial.value.measured().unwrap().0 - 0.1).abs() < 1e-9);
}

#[test]
fn time_of_constructs_that_found_no_row_makes_no_serial_share() {
    let mut activity = region(5.0, 4.0, &[4.0, 4.0]);
    let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
    threads[0].constructs.push(construct(2, 0, ConstructName::Others, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]));
    let openmp = summary_of(activity);
    assert!(openmp.serial.value.reason().unwrap().0.contains("found no row"));
    assert_eq!(openmp.serial.rating, None);
}

/// A thread of 4 s that opens a region of two and in it regions of two, whose threads are made anew: two of them outlive the begin of the next two.
fn nested(opens_outer: i32) -> Activity {
    let lives = [(0.0, 4.0), (0.0, 4.0), (0.0, 2.1), (0.0, 2.1), (2.0, 4.0), (2.0, 4.0)];
    let threads = lives.iter().zip(1..).map(|((begin, end), tid)| {
        let mut one = thread(tid, [end - begin, 0.0, 0.0, 0.0, 0.0, 0.0]);
        (one.begin, one.end) = (seconds(*begin), numawise_facts::Reading::Measured(seconds(*end)));
        one.role = numawise_facts::Reading::Measured(numawise_facts::activity::ThreadRole::OpenMp);
        let row = |key, parent| construct(key, parent, ConstructName::Parallel, [0.0; 6]);
        one.constructs = match tid {
            1 | 2 if tid == opens_outer => vec![opened(row(5, 1), 4.0, 2), opened(row(6, 5), 2.0, 2)],
            1 | 2 => vec![row(5, 1), opened(row(6, 5), 2.0, 2)],
            _ => vec![row(6, 5)],
        };
        // Each thread has a row for what finds none, which is empty here.
        one.constructs.push(Construct { calls: 0, ..construct(2, 0, ConstructName::Others, [0.0; 6]) });
        one
    });
    with_openmp(process(1, 4.0, threads.collect()))
}

#[test]
fn threads_that_are_made_for_each_inner_region_are_counted_once() {
    let cpus = |activity| snapshot(&[activity]).cpus.measured().unwrap().count;
    assert_eq!(cpus(nested(1)), 4);
    // Another thread's regions may stand beside those of the first one.
    assert_eq!(cpus(nested(2)), 6);
    let mut lost = nested(1);
    if let numawise_facts::Reading::Measured(threads) = &mut lost.threads {
        threads[1].lost_constructs = 1;
    }
    assert_eq!(cpus(lost), 6);
}

#[test]
fn what_waits_behind_a_loop_of_ompt_is_not_nothing() {
    let wait = |ompt: bool| {
        let mut region =
            opened(construct(5, 1, ConstructName::Parallel, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 1.0, 1);
        region.times = StateTimes::default();
        let the_loop =
            dynamic_loop(construct(6, 5, ConstructName::Loop, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 10, 10, 1);
        let mut one = thread(1, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        one.constructs = vec![region, the_loop];
        let mut activity = with_openmp(process(1, 1.0, vec![one]));
        activity.openmp = Reading::Measured(OpenMpRuntimes { libgomp: !ompt, ompt, has_other_tool: false });
        summary_of(activity).regions[0].loops.measured().unwrap()[0].imbalance.clone()
    };
    assert_eq!(wait(false), Reading::Measured(Nanoseconds(0)));
    assert!(wait(true).reason().unwrap().0.contains("a barrier, which has a row of its own"));
}
