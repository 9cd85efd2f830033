use numawise_facts::Argument;

use super::*;

fn spec(line: &str) -> RunSpec {
    RunSpec { command: line.split(' ').map(Argument::from).collect(), directory: PathBuf::new() }
}

#[test]
fn launchers_are_known_by_their_names() {
    assert_eq!(launcher_of(&spec("mpirun -n 4 ./app")), Some("mpirun"));
    assert_eq!(launcher_of(&spec("/usr/bin/mpiexec.hydra -n 4 ./app")), Some("mpiexec.hydra"));
    assert_eq!(launcher_of(&spec("./app mpirun")), None);
}

#[test]
fn a_placement_is_what_differs_from_none() {
    let request = RunRequest::new(spec("./app"));
    assert!(!is_placed(&request));
    assert!(is_placed(&RunRequest { threads: Some(2), ..request }));
}

#[test]
fn a_rank_beyond_the_job_is_named() {
    let ranks: RankSet = "0,3-5".parse().unwrap();
    assert!(ranks_exist(&ranks, 6).is_ok());
    let text = ranks_exist(&ranks, 4).unwrap_err().to_string();
    assert!(text.contains("no rank 5 among the 4 of this job, which are 0 to 3"), "{text}");
}

#[test]
fn who_is_watched_already_is_told() {
    let request = SnapshotRequest {
        run: RunRequest::new(spec("true")),
        ranks: None,
        record: None,
        version: String::new(),
    };
    let now = |name: &str| (name == "NUMAWISE_SNAPSHOT").then(|| OsString::from("/dev/shm/other"));
    let text = prepare(request, &now).unwrap_err().to_string();
    assert!(text.contains("another numawise already") && text.contains("/dev/shm/other"), "{text}");
}
