use numawise_facts::Reading;
use numawise_facts::notice::NotPreloadableReason;
use numawise_units::Nanoseconds;

use super::*;

#[test]
fn what_is_not_watched_says_why_and_what_is() {
    let obstacle = PreloadObstacle::Program {
        program: "/bin/app".to_owned(),
        reason: NotPreloadableReason::StaticallyLinked,
    };
    let said = text(&SnapshotNotice::NotWatched { obstacle });
    assert!(said.contains("/bin/app: it is linked statically") && said.contains("only what it starts"));
}

#[test]
fn jobs_that_are_not_shown_are_named() {
    let job = |program: &str, ranks, seconds| WatchedJob {
        programs: vec![program.to_owned()],
        ranks,
        elapsed: Reading::Measured(Nanoseconds::from_seconds(seconds)),
    };
    let others = vec![job("prepare", 1, 0.5), job("check", 4, 0.1)];
    let said = text(&SnapshotNotice::OtherJobs { count: 4, shown: job("solve", 2, 2.0), others });
    let solve = job("solve", 2, 2.0).elapsed.measured().unwrap().to_string();
    assert!(said.contains(&format!("most time: solve (2 ranks, {solve})")), "{said}");
    assert!(said.contains("prepare (1 rank, ") && said.contains("check (4 ranks, "), "{said}");
    assert!(said.contains(" and 1 more;"), "{said}");
}

#[test]
fn one_process_is_not_several() {
    let said = |count| text(&SnapshotNotice::ProcessesStillRun { count });
    assert!(said(1).starts_with("1 process still ran") && said(1).contains("was watched"));
    assert!(said(2).starts_with("2 processes still ran") && said(2).contains("were watched"));
}

#[test]
fn ranks_without_an_end_are_said_as_far_as_they_told() {
    let said = |first| text(&SnapshotNotice::NotFinalised { ranks: "0-2".to_owned(), first });
    let told = |end| Some(RankThatTold { rank: 1, end, after: Nanoseconds::from_seconds(0.5) });
    assert!(said(None).starts_with("rank 0-2 ended without MPI_Finalize (killed, or by a crash)"));
    assert!(said(told(ProcessEnd::Exit)).contains("(rank 1 by exit after 500.0 ms)"));
    assert!(said(told(ProcessEnd::MpiAbort)).contains("(rank 1 by MPI_Abort after 500.0 ms)"));
}
