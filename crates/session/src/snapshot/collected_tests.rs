use numawise_facts::activity::{ActivityLosses, MpiActivity, ProcessIo, ProcessSurroundings, WorldRank};
use numawise_facts::{Reading, activity::MpiLibrary};
use numawise_units::Nanoseconds;

use super::*;

fn process(pid: i32) -> Activity {
    let missing = || "it was made by hand";
    Activity {
        // Of no process that there is.
        pid: Pid(i32::MAX - pid),
        parent: Pid(1),
        host: "here".to_owned(),
        program: "/bin/app".to_owned(),
        began: Nanoseconds(1),
        elapsed: Reading::Measured(Nanoseconds(pid.unsigned_abs().into())),
        end: ProcessEnd::Exit,
        is_forked: false,
        is_sandboxed: false,
        mpi: Reading::unavailable(missing()),
        openmp: Reading::unavailable(missing()),
        files: Vec::new(),
        communicators: Vec::new(),
        threads: Reading::Measured(Vec::new()),
        phases: Reading::unavailable(missing()),
        samples: Reading::Measured(Vec::new()),
        io: ProcessIo::unavailable(missing()),
        surroundings: ProcessSurroundings::unavailable(missing()),
        clock: None,
        lost: ActivityLosses::default(),
    }
}

pub fn rank(rank: u32, size: u32) -> Activity {
    let mpi = MpiActivity {
        library: MpiLibrary::Mpich,
        has_several: rank == 3,
        rank: Reading::Measured(WorldRank { rank, size }),
        world: None,
        initialised: Reading::Measured([Nanoseconds(0); 2]),
        finalised: Reading::Measured([Nanoseconds(0); 2]),
        first_thread: None,
    };
    Activity { mpi: Reading::Measured(mpi), ..process(rank.cast_signed() + 10) }
}

fn collected(asked: Option<&str>) -> Collected {
    Collected::new(asked.map(|ranks| ranks.parse().unwrap()), "/opt/numawise".into(), "here".to_owned())
}

fn numbers(of: &[Activity]) -> Vec<Option<u32>> {
    of.iter().map(ranks::of).collect()
}

#[test]
fn few_ranks_are_kept_in_full_and_ourselves_are_not() {
    let mut all = collected(None);
    let own = Activity { program: "/usr/bin/numawise".to_owned(), ..process(1) };
    for one in [process(2), rank(1, 2), own, rank(0, 2)] {
        all.add(Ok::<_, String>(one));
    }
    all.add(Err("a file is damaged"));
    let kept = all.finish();
    assert_eq!(numbers(&kept.processes), [Some(0), Some(1), None]);
    assert_eq!((kept.merged, kept.seen.to_string()), (None, "0-1".to_owned()));
    assert!(matches!(kept.notices.as_slice(), [Notice::Snapshot(SnapshotNotice::UnreadablePart { .. })]));
}

#[test]
fn very_many_ranks_are_merged_as_they_come() {
    const RANKS: u32 = 3000;
    let mut all = collected(None);
    for number in 0..RANKS {
        all.add_process(rank(number, RANKS));
        assert!(all.ranks.in_full().len() <= 1024 + 1);
        all.add_process(process(number.cast_signed() + 10_000));
        assert!(all.others.len() <= 3000);
    }
    let kept = all.finish();
    let merged = kept.merged.unwrap();
    assert_eq!((merged.ranks, merged.has_several_mpis), (RANKS.into(), true));
    assert_eq!(kept.seen.to_string(), "0-2999");
    let in_full = numbers(&kept.processes).into_iter().flatten().count();
    assert!((16..=113).contains(&in_full), "{in_full}");
    assert_eq!(kept.processes.len() - in_full, OTHERS);
    let left_out = kept.notices.iter().find_map(|notice| match notice {
        Notice::Snapshot(SnapshotNotice::ProcessesLeftOut { count, .. }) => Some(*count),
        _ => None,
    });
    assert_eq!(left_out, Some(u64::from(RANKS) - OTHERS as u64));
}

#[test]
fn ranks_that_were_not_asked_for_are_in_no_sum() {
    let mut all = collected(Some("1"));
    (0..3).for_each(|number| all.add_process(rank(number, 3)));
    assert_eq!((all.ranks.ranks().ranks, all.seen.to_string()), (1, "0-2".to_owned()));
    // They tell which ranks there are.
    assert_eq!(numbers(&all.finish().processes), [Some(0), Some(1), Some(2)]);
}

/// Both have a rank 0: together they would be one job of a rank too many.
#[test]
fn ranks_of_another_job_are_not_merged_with_those_of_the_one_that_is_shown() {
    let later = |of: Activity| Activity { began: Nanoseconds(10), program: "/bin/later".to_owned(), ..of };
    let first = (0..1100).map(|number| rank(number, 1100));
    let all: Vec<_> = first.chain([later(rank(0, 2)), later(rank(1, 2))]).map(Ok::<_, String>).collect();
    let mut collected = collected(None);
    collected.add_all(all, || None);
    let kept = collected.finish();
    assert_eq!(kept.merged.unwrap().ranks, 1100);
    assert!(kept.processes.iter().all(|one| one.program == "/bin/app"), "they stand beside no merged ranks");
    let said = kept.notices.iter().find_map(|notice| match notice {
        Notice::Snapshot(SnapshotNotice::OtherJobs { count, others, .. }) => Some((*count, others[0].ranks)),
        _ => None,
    });
    assert_eq!(said, Some((2, 2)));
}

#[test]
fn ranks_of_another_job_are_kept_beside_those_of_a_small_one() {
    let later = Activity { began: Nanoseconds(10), ..rank(0, 1) };
    let mut collected = collected(None);
    collected.add_all(vec![Ok::<_, String>(rank(0, 2)), Ok(rank(1, 2)), Ok(later)], || None);
    let kept = collected.finish();
    assert!(kept.merged.is_none());
    assert_eq!(numbers(&kept.processes), [Some(0), Some(0), Some(1)]);
}
