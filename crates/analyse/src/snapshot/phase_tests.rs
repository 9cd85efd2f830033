use numawise_facts::Activity;
use numawise_facts::activity::StateTimes;

use super::super::sample::{process, rank, seconds, simple_rank, snapshot, thread, times, with_openmp};
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
