use numawise_facts::objects::{ObjectRunHeader, ProcessRank};
use numawise_facts::{Exit, Reading, ResourceUsage, RunSpec};
use numawise_units::{Bytes, Nanoseconds, Pid, Rank};

use super::*;
use crate::follow;
use crate::here;

/// What a numawise leaves that watched this rank; of none a launcher, or a program without ranks.
fn run(rank: Option<u32>) -> ObjectRun {
    let header = ObjectRunHeader {
        tool_version: "0".to_owned(),
        begun: Nanoseconds(1),
        command: RunSpec { command: vec!["./app".into()], directory: "/".into() },
        host: numawise_observe::host::facts(&numawise_observe::Roots::live()),
        machine: here::full().unwrap().machine,
        placement: None,
        exit: Some(Exit::Code(0)),
        wall: Nanoseconds(1),
        usage: ResourceUsage::unavailable("by hand"),
        notices: Vec::new(),
    };
    let run = follow::nothing_of(header, Bytes::kib(16), "by hand");
    let ranks = rank.map(|rank| ProcessRank { process: Pid(7), rank: Rank(rank) });
    ObjectRun { ranks: ranks.into_iter().collect(), ..run }
}

fn ranks(of: &[ObjectRun]) -> Vec<Option<u32>> {
    of.iter().map(|run| run.ranks.first().map(|of| of.rank.0)).collect()
}

#[test]
fn what_is_left_is_read_in_the_order_of_ranks_and_what_is_damaged_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, run: &ObjectRun| {
        std::fs::write(folder.path().join(name), serde_json::to_vec(run).unwrap()).unwrap();
    };
    put("11.objects", &run(None));
    put("12.objects", &run(Some(3)));
    let first = run(Some(0));
    put("13.objects", &first);
    std::fs::write(folder.path().join("14.objects"), "{").unwrap();
    std::fs::write(folder.path().join("15.outside"), "none of ours").unwrap();
    let (runs, problems) = read(folder.path());
    assert_eq!(ranks(&runs), [Some(0), Some(3), None]);
    assert_eq!(runs[0], first, "nothing of it is lost on the way");
    assert!(
        matches!(problems.as_slice(), [Notice::Objects(ObjectsNotice::NoObjectsOfRun { .. })]),
        "{problems:?}"
    );
    assert_eq!(read(Path::new("/nowhere")), (Vec::new(), Vec::new()));
    let kept = keep(Path::new("/nowhere"), &runs[0]).unwrap_err();
    assert_eq!(kept.kind(), io::ErrorKind::NotFound);
}

#[test]
fn of_too_many_the_first_ranks_are_kept_and_that_is_said() {
    let runs = |count: u32| (0..count).rev().map(|rank| run(Some(rank))).collect::<Vec<_>>();
    let (all, notice) = kept(runs(MOST_RUNS as u32));
    assert_eq!((all.len(), notice), (MOST_RUNS, None));
    let (some, notice) = kept(runs(MOST_RUNS as u32 + 3));
    assert_eq!(ranks(&some), (0..MOST_RUNS as u32).map(Some).collect::<Vec<_>>());
    assert_eq!(notice, Some(ObjectsNotice::ObjectsLeftOut { runs: 131, kept: 128 }.into()));
    assert_eq!(some[0].watching.time, Reading::unavailable("by hand"));
}
