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
        placing: Vec::new(),
        record: None,
        version: String::new(),
    };
    let now = |name: &str| (name == "NUMAWISE_SNAPSHOT").then(|| OsString::from("/dev/shm/other"));
    let text = prepare(request, &now).unwrap_err().to_string();
    assert!(text.contains("another numawise already") && text.contains("/dev/shm/other"), "{text}");
}

fn around(line: &str, change: impl Fn(&mut RunRequest)) -> Result<SnapshotRequest, Error> {
    let mut run = RunRequest::new(spec(line));
    change(&mut run);
    let placing = ["numawise", "run", "--"].map(Argument::from).to_vec();
    with_ranks_placed(SnapshotRequest { run, ranks: None, placing, record: None, version: String::new() })
}

#[test]
fn ranks_are_placed_and_their_launcher_is_not() {
    let placed = around("mpirun -n 4 ./app {threads}", |run| {
        run.threads = Some(6);
        run.rebind = true;
    });
    let run = placed.unwrap().run;
    assert_eq!(run.command.shell_line(), "mpirun -n 4 numawise run -- ./app {threads}");
    assert_eq!((run.threads, run.rebind), (Some(6), false));
    let alone = around("mpirun -n 4 ./app", |_| {}).unwrap();
    assert_eq!(alone.run.command.shell_line(), "mpirun -n 4 ./app");
    let program = around("./app mpirun", |run| run.threads = Some(6)).unwrap();
    assert_eq!(program.run.command.shell_line(), "./app mpirun");
}

#[test]
fn what_cannot_be_placed_in_a_launcher_is_refused() {
    let unknown = around("jsrun -n 4 ./app", |run| run.rebind = true).unwrap_err();
    assert!(matches!(&unknown, Error::LauncherPlaced { launcher } if launcher == "jsrun"), "{unknown}");
    let threads = around("mpirun -n 4 ./app {threads}", |run| run.rebind = true).unwrap_err();
    assert!(matches!(threads, Error::ThreadsOfRanksUnknown { .. }), "{threads}");
}
