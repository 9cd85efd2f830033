use numawise_facts::{Exit, ResourceUsage};
use numawise_units::Nanoseconds;

use super::*;
use crate::plan::testing::rank;

pub fn end(rank: u32, exit: Exit, wall: u64) -> RankEnd {
    let usage = ResourceUsage::unavailable("not asked");
    RankEnd { rank: Some(rank), exit, wall: Nanoseconds(wall), usage }
}

fn nothing(_: &str) -> Option<std::ffi::OsString> {
    None
}

/// A job that no other test has.
fn key(number: u64) -> JobKey {
    JobKey { hash: u64::from(std::process::id()) << 32 | number, is_global: true }
}

fn join(rank: LocalRank, key: JobKey) -> Job {
    Job::join(rank, key, &nothing).unwrap().0
}

#[test]
fn the_last_that_ends_reports_and_removes_the_folder() {
    let [first, second] = [0, 1].map(|local| join(rank(local, 2), key(1)));
    assert_eq!(first.folder().path(), second.folder().path());
    assert!(second.ended(&end(1, Exit::Code(0), 1), false).unwrap().is_none());
    let turn = first.ended(&end(0, Exit::Code(0), 1), false).unwrap().unwrap();
    assert!(!turn.is_again && turn.is_last);
    assert_eq!(first.ends().iter().map(|end| end.rank).collect::<Vec<_>>(), [Some(0), Some(1)]);
    let path = first.folder().path().to_owned();
    drop(turn);
    assert!(!path.exists());
}

#[test]
fn who_died_in_mpi_reports_at_once_and_once() {
    let [first, second, third] = [0, 1, 2].map(|local| join(rank(local, 3), key(2)));
    let turn = second.ended(&end(1, Exit::Code(0), 1), true).unwrap().unwrap();
    assert!(!turn.is_last && first.folder().path().exists());
    drop(turn);
    // The launcher kills the others: one says so, the last replaces the report.
    assert!(third.ended(&end(2, Exit::Code(0), 1), true).unwrap().is_none());
    let turn = first.ended(&end(0, Exit::Code(0), 1), true).unwrap().unwrap();
    assert!(turn.is_again && turn.is_last);
}

#[test]
fn a_numawise_that_was_killed_is_not_waited_for() {
    let [first, second] = [0, 1].map(|local| join(rank(local, 2), key(3)));
    // Its lock goes with it.
    drop(second);
    assert!(first.ended(&end(0, Exit::Code(0), 1), false).unwrap().is_some_and(|turn| turn.is_last));
}

#[test]
fn a_rank_that_is_left_out_counts_as_ended() {
    let [first, second] = [0, 1].map(|local| join(rank(local, 2), key(4)));
    second.leave().unwrap();
    assert!(first.ended(&end(0, Exit::Code(0), 1), false).unwrap().is_some_and(|turn| turn.is_last));
}

#[test]
fn a_second_run_of_the_same_rank_has_a_folder_of_its_own() {
    let first = join(rank(0, 2), key(5));
    let again = join(rank(0, 2), key(5));
    assert_ne!(first.folder().path(), again.folder().path());
    // The other rank of the second run joins that one, once its own first run is known.
    let other = [join(rank(1, 2), key(5)), join(rank(1, 2), key(5))];
    assert_eq!(
        other.map(|job| job.folder().path().to_owned()),
        [first, again].map(|job| {
            let path = job.folder().path().to_owned();
            super::super::folder::remove(&path);
            path
        })
    );
}

#[test]
fn runs_into_other_files_are_other_runs() {
    let set = |name: &str| (name == "PMIX_NAMESPACE").then(|| "1".into());
    let of = |record| JobKey::of(&rank(0, 2), Some(Path::new(record)), &set);
    assert_eq!(of("a.nw"), of("./a.nw"));
    assert_ne!(of("a.nw"), of("b.nw"));
    assert!(of("a.nw").is_global);
}

#[test]
fn who_stands_by_leaves_the_report_to_a_rank_that_has_noted_its_end() {
    let [first, second] = [0, 1].map(|local| join(rank(local, 2), key(10)));
    first.leave().unwrap();
    drop(second);
    assert!(first.turn(Reporter::StandBy).unwrap().is_none());
    assert!(first.turn(Reporter::Rank { has_died: false }).unwrap().is_some_and(|turn| turn.is_last));
}

#[test]
fn one_stands_by_and_reports_when_all_were_killed_and_nobody_has() {
    let [first, second] = [0, 1].map(|local| join(rank(local, 2), key(9)));
    assert!(second.is_first() && !first.is_first());
    let path = first.folder().path().to_owned();
    let stands_by = std::thread::spawn({
        let folder = CollectorFolder::join(&key(9).text(), "2.rank", &nothing).unwrap().0;
        let watching = Job { folder, rank: rank(1, 2), _mark: None };
        move || watching.when_all_are_gone().map(|turn| (turn.is_again, turn.is_last))
    });
    drop(first);
    std::thread::sleep(Duration::from_millis(50));
    assert!(!stands_by.is_finished(), "one of them lives");
    drop(second);
    assert_eq!(stands_by.join().unwrap(), Some((false, true)));
    assert!(!path.exists());
}
