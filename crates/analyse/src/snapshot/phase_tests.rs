use numawise_facts::Activity;
use numawise_facts::activity::StateTimes;

use super::super::job::JobRanks;
use super::super::sample::{
    efficiencies, process, rank, seconds, simple_rank, snapshot, snapshot_of_merged, thread, times,
    with_openmp,
};
use super::*;

fn phase(name: PhaseName, elapsed: f64, of: StateTimes, threads: u32) -> PhaseActivity {
    PhaseActivity {
        name,
        calls: 2,
        elapsed: seconds(elapsed),
        longest: seconds(elapsed / 2.0),
        times: of,
        mpi_outside: of.mpi,
        threads,
        is_open: false,
    }
}

fn solve() -> PhaseName {
    PhaseName::Region("solve".to_owned())
}

fn with(mut activity: Activity, rows: Vec<PhaseActivity>) -> Activity {
    activity.phases = Reading::Measured(ActivityPhases { rows, lost: 1, unbalanced: 2 });
    activity
}

fn rows(activities: &[Activity]) -> Vec<PhaseRow> {
    snapshot(activities).phases.measured().unwrap().rows.clone()
}

#[track_caller]
fn is(share: &RatedShare, expected: f64) {
    let found = share.value.measured().unwrap_or_else(|| panic!("{share:?}")).0;
    assert!((found - expected).abs() < 5e-5, "{found}, expected {expected}");
}

#[test]
fn a_phase_of_two_ranks_has_the_efficiencies_of_a_run_that_was_nothing_else() {
    // The whole run is balanced; in the phase the ranks compute for 1 s and 1.5 s of 2 s.
    let one = |number, useful: f64| {
        let of = times([useful, 2.0 - useful, 0.0, 0.0, 0.0, 0.0]);
        with(simple_rank(number, 2, 8.0, 2.0), vec![phase(solve(), 2.0, of, 1)])
    };
    let run = snapshot(&[one(0, 1.0), one(1, 1.5)]);
    is(&run.efficiency.mpi_load_balance, 1.0);
    let phases = run.phases.measured().unwrap();
    assert_eq!((phases.rows.len(), phases.lost, phases.unbalanced), (1, 2, 4));
    let row = &phases.rows[0];
    assert_eq!((row.processes, row.calls, row.cpus), (2, 4, 2));
    is(&row.efficiency.parallel, 0.625);
    is(&row.efficiency.mpi_parallel, 0.625);
    is(&row.efficiency.mpi_communication, 0.75);
    is(&row.efficiency.mpi_load_balance, 0.8333);
    is(&row.useful, 0.625);
    assert_eq!((row.share.measured(), row.mpi.measured()), (Some(&Ratio(0.2)), Some(&Ratio(0.375))));
}

/// Three phases of 40 ranks, of which a part had one.
fn many() -> Vec<Activity> {
    let one = |number: u32| {
        let uneven = f64::from(number * 7 % 40) / 40.0;
        let of = times([1.0 + uneven, 2.0 - uneven, 0.0, 0.0, 0.0, 0.0]);
        let level = PhaseName::Control(2);
        let sweep = PhaseName::ThreadRegion("sweep".to_owned());
        let mut all = vec![phase(solve(), 3.0 + uneven, of, 1), phase(sweep, 0.5, of, 1)];
        all.extend((number < 30).then(|| phase(level, 1.0 + uneven, of, 1)));
        with(simple_rank(number, 40, 8.0, 2.0), all)
    };
    (0..40).map(one).collect()
}

#[test]
fn phases_of_merged_ranks_are_those_of_all_in_full() {
    let (full, mut job) = (snapshot(&many()), JobRanks::with_most(0));
    many().into_iter().for_each(|one| drop(job.add(one)));
    let (kept, merged) = job.finish();
    let merged = snapshot_of_merged(&kept, merged.as_ref());
    let (full, merged) = (full.phases.measured().unwrap(), merged.phases.measured().unwrap());
    assert_eq!((full.lost, full.unbalanced), (merged.lost, merged.unbalanced));
    assert_eq!((full.rows.len(), merged.rows.len()), (3, 3));
    for (one, two) in full.rows.iter().zip(&merged.rows) {
        assert_eq!(
            (&one.name, one.processes, one.calls, one.cpus),
            (&two.name, two.processes, two.calls, two.cpus)
        );
        assert_eq!((&one.elapsed, one.longest, &one.time), (&two.elapsed, two.longest, &two.time));
        assert_eq!((&one.useful, &one.mpi, &one.share), (&two.useful, &two.mpi, &two.share));
        let mut unknown = 0;
        for (one, two) in efficiencies(&one.efficiency).into_iter().zip(efficiencies(&two.efficiency)) {
            match (one.value.measured(), two.value.measured()) {
                (Some(one), Some(two)) => assert!((one.0 - two.0).abs() < 1e-8, "{one:?} {two:?}"),
                (_, None) => unknown += 1,
                (None, Some(two)) => panic!("{two:?} of {:?}", one.value),
            }
        }
        let is_of_all = one.name == solve();
        assert_eq!(two.efficiency.mpi_communication.value.measured().is_some(), is_of_all, "{two:?}");
        assert!(unknown < 10 - usize::from(is_of_all) * 2, "{two:?}");
    }
    let balance = merged.rows[0].efficiency.mpi_load_balance_in.value.reason().unwrap();
    assert!(balance.0.contains("without their computers"), "{balance}");
}

#[test]
fn phases_of_one_rank_that_are_not_known_are_no_zeros_of_all() {
    let mut all = many();
    all[7].phases = Reading::unavailable("the rate of its clock is not known");
    let mut job = JobRanks::with_most(0);
    all.into_iter().for_each(|one| drop(job.add(one)));
    let (kept, merged) = job.finish();
    let phases = snapshot_of_merged(&kept, merged.as_ref()).phases;
    assert!(phases.reason().unwrap().0.contains("of 1 ranks are not known"), "{phases:?}");
    // A record that was made before.
    let merged = merged.map(|all| numawise_facts::MergedRanks { phases: None, ..all });
    let phases = snapshot_of_merged(&kept, merged.as_ref()).phases;
    assert!(phases.reason().unwrap().0.contains("did not merge phases"), "{phases:?}");
}

/// What is left out is counted, whatever came first.
#[test]
fn more_phases_than_there_is_room_for_are_counted_in_any_order() {
    let one = |number: u32| {
        let of = times([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        let named = |k: u32| phase(PhaseName::Region(format!("{}", number * 50 + k)), 1.0, of, 1);
        let all = with(simple_rank(number, 8, 8.0, 2.0), (0..60).map(named).collect());
        of_rank(&Process::new(&all))
    };
    let all: Vec<MergedPhases> = (0..8).map(one).collect();
    let merged = |of: &[MergedPhases]| {
        let mut all = MergedPhases::default();
        of.iter().for_each(|one| merge(&mut all, one));
        all
    };
    let expected = merged(&all);
    assert_eq!((expected.rows.len(), expected.unbalanced), (MOST_MERGED_PHASES, 16));
    let kept: u64 = expected.rows.values().map(|phase| phase.calls).sum();
    assert_eq!(kept + expected.lost, 8 * 60 * 2 + 8);
    let (left, right) = all.split_at(3);
    assert_eq!(merged(&[merged(right), merged(left)]), expected);
}

#[test]
fn a_phase_that_some_ranks_have_is_compared_with_no_others() {
    let of = times([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let first = with(simple_rank(0, 2, 2.0, 2.0), vec![phase(solve(), 2.0, of, 1)]);
    let found = rows(&[first, simple_rank(1, 2, 2.0, 2.0)]);
    is(&found[0].efficiency.mpi_parallel, 0.5);
    let balance = &found[0].efficiency.mpi_load_balance.value;
    assert!(balance.reason().unwrap().0.contains("1 of 2 ranks had this phase"), "{balance:?}");
}

#[test]
fn a_team_that_idles_while_its_first_thread_is_in_mpi_is_in_mpi_too() {
    // One second on 2 CPUs: 0.2 s in MPI, when the other thread idles, 0.1 s of serial, 0.1 s of waiting at a barrier; the other thread
    // was not there for 0.1 s.
    let of = times([1.3, 0.2, 0.1, 0.0, 0.3, 0.0]);
    let threads =
        || vec![thread(1, [3.0, 1.0, 0.0, 0.0, 0.0, 0.0]), thread(2, [3.0, 0.0, 0.0, 0.0, 1.0, 0.0])];
    let one = |number: u32| {
        let activity = rank(number, 2, with_openmp(process(10 + number.cast_signed(), 4.0, threads())));
        with(activity, vec![phase(solve(), 1.0, of, 2)])
    };
    let row = &rows(&[one(0), one(1)])[0];
    is(&row.efficiency.parallel, 1.3 / 2.0);
    is(&row.efficiency.mpi_parallel, 0.8);
    is(&row.efficiency.openmp_serialization, 1.5 / 1.9);
    is(&row.efficiency.openmp_load_balance, 1.9 / 2.0);
    // Over both ranks.
    assert_eq!(row.time.measured().unwrap().serial, seconds(0.8).into());
}

#[test]
fn regions_of_threads_are_summed_and_balanced_with_nobody() {
    let of = times([0.5, 0.0, 0.1, 0.0, 0.0, 0.0]);
    let name = PhaseName::ThreadRegion("sweep".to_owned());
    let activity = with(process(1, 1.0, vec![thread(1, [1.0; 6])]), vec![phase(name, 0.6, of, 1)]);
    let row = &rows(&[activity])[0];
    is(&row.efficiency.parallel, 5.0 / 6.0);
    assert!(row.efficiency.mpi_parallel.value.reason().unwrap().0.contains("single threads"));
    assert!(row.share.measured().is_none());
}
