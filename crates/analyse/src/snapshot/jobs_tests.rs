use super::super::sample::{seconds, simple_rank, snapshot};
use super::*;

/// A rank of a job that begins so many seconds after the first one.
fn rank(number: u32, size: u32, begins: f64, [useful, mpi]: [f64; 2]) -> Activity {
    let rank = simple_rank(number, size, useful, mpi);
    Activity { began: rank.began + seconds(begins), ..rank }
}

fn on(host: &str, rank: Activity) -> Activity {
    Activity { host: host.to_owned(), ..rank }
}

#[test]
fn jobs_one_after_the_other_are_told_apart_and_the_one_with_most_time_is_the_run() {
    let all = [
        rank(0, 2, 0.0, [1.0, 0.0]),
        rank(0, 2, 3.0, [1.0, 1.0]),
        rank(1, 2, 0.1, [0.5, 0.5]),
        rank(1, 2, 3.1, [1.9, 0.0]),
        rank(0, 2, 9.0, [0.5, 0.5]),
        rank(1, 2, 9.0, [0.5, 0.5]),
    ];
    assert_eq!(mpi_jobs(&all), [vec![1, 3], vec![0, 2], vec![4, 5]]);
    let run = snapshot(&all);
    assert_eq!((run.processes.ranks, run.processes.others), (2, 4));
    // 2.9 of 2 x 2 s, on two CPUs and not on six.
    assert_eq!(run.cpus.measured().unwrap().count, 2);
    assert_eq!(run.span.measured().unwrap().time, seconds(2.0));
    assert!((run.useful.value.measured().unwrap().0 - 2.9 / 4.0).abs() < 1e-9);
    assert!((run.efficiency.mpi_load_balance.value.measured().unwrap().0 - 0.75).abs() < 1e-9);
}

#[test]
fn jobs_of_other_sizes_are_others_too() {
    let all = [rank(0, 1, 0.0, [1.0, 0.0]), rank(1, 2, 5.0, [1.0, 0.0]), rank(0, 2, 5.0, [1.0, 0.0])];
    assert_eq!(mpi_jobs(&all), [vec![1, 2], vec![0]]);
}

#[test]
fn one_job_stays_one_whatever_the_clocks_say() {
    let skewed = [on("a", rank(0, 2, 0.0, [1.0, 0.0])), on("b", rank(1, 2, 600.0, [1.0, 0.0]))];
    assert_eq!(mpi_jobs(&skewed), [vec![0, 1]]);
    // The same twice, where the clock of the one host is ahead by more than the runs take.
    let twice = [
        on("a", rank(0, 2, 0.0, [1.0, 0.0])),
        on("b", rank(1, 2, 600.0, [1.0, 0.0])),
        on("a", rank(0, 2, 2.0, [1.0, 1.0])),
        on("b", rank(1, 2, 602.0, [1.0, 1.0])),
    ];
    assert_eq!(mpi_jobs(&twice), [vec![2, 3], vec![0, 1]]);
}

#[test]
fn worlds_at_the_same_time_are_one_job() {
    let spawned = [rank(0, 1, 0.0, [1.0, 5.0]), rank(0, 2, 1.0, [2.0, 0.0]), rank(1, 2, 1.0, [2.0, 0.0])];
    assert_eq!(mpi_jobs(&spawned), [vec![0, 1, 2]]);
}

#[test]
fn a_rank_whose_times_are_not_known_is_of_the_run() {
    let mut lost = rank(1, 2, 0.0, [1.0, 0.0]);
    lost.mpi = lost.mpi.map(|mpi| numawise_facts::activity::MpiActivity {
        initialised: numawise_facts::Reading::unavailable("its clock is not known"),
        ..mpi
    });
    let all = [rank(0, 2, 0.0, [1.0, 0.0]), lost, rank(0, 2, 5.0, [3.0, 0.0])];
    assert_eq!(mpi_jobs(&all), [vec![2, 1], vec![0]]);
    assert_eq!(mpi_jobs(&[]), Vec::<Vec<usize>>::new());
}
