use numawise_facts::Argument;

use super::*;

fn spec(line: &str) -> RunSpec {
    RunSpec { command: line.split(' ').map(Argument::from).collect(), directory: PathBuf::new() }
}

#[test]
fn a_placement_is_what_differs_from_none() {
    let request = RunRequest::new(spec("./app"));
    assert!(!is_placed(&request));
    assert!(is_placed(&RunRequest { threads: Some(2), ..request }));
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
