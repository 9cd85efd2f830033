use numawise_facts::Argument;

use super::*;

fn spec(line: &str) -> RunSpec {
    RunSpec { command: line.split(' ').map(Argument::from).collect(), directory: PathBuf::new() }
}

fn request(run: RunRequest) -> SnapshotRequest {
    let words = ["numawise", "snapshot", "to"].map(Argument::from).to_vec();
    SnapshotRequest {
        run,
        ranks: None,
        placing: Vec::new(),
        handing_over: HandingOverWords { before: words, after: vec!["--".into()] },
        hand_over_to: None,
        record: None,
        objects: None,
        trace: None,
        version: String::new(),
    }
}

#[test]
fn a_placement_is_what_differs_from_none() {
    let request = RunRequest::new(spec("./app"));
    assert!(!request.is_placed());
    assert!(RunRequest { threads: Some(2), ..request }.is_placed());
}

#[test]
fn who_is_watched_already_is_told() {
    let request = request(RunRequest::new(spec("true")));
    let now = |name: &str| (name == "NUMAWISE_SNAPSHOT").then(|| OsString::from("/dev/shm/other"));
    let text = prepare(request, &now).unwrap_err().to_string();
    assert!(text.contains("another numawise already") && text.contains("/dev/shm/other"), "{text}");
}

fn around(line: &str, change: impl Fn(&mut RunRequest)) -> Result<SnapshotRequest, Error> {
    let mut run = RunRequest::new(spec(line));
    change(&mut run);
    let placing = ["numawise", "run", "--"].map(Argument::from).to_vec();
    with_ranks_placed(SnapshotRequest { placing, ..request(run) })
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

#[test]
fn a_launcher_of_several_computers_starts_a_numawise_for_each_rank_or_what_to_type_is_said() {
    let started = |line: &str, set: &[(&str, &str)]| {
        let mut notices = Vec::new();
        let now = |name: &str| set.iter().find(|one| one.0 == name).map(|one| OsString::from(one.1));
        let around = super::around(&request(RunRequest::new(spec(line))), &now, &mut notices);
        (around.map(|around| around.command(Path::new("/f")).shell_line()), notices)
    };
    let (line, notices) = started("mpirun -H a,b -n 2 ./app", &[]);
    assert_eq!(line.as_deref(), Some("mpirun -H a,b -n 2 numawise snapshot to /f -- ./app"));
    assert!(notices.is_empty());
    assert_eq!(started("mpirun -n 2 ./app", &[]), (None, vec![]));
    assert_eq!(started("./app -H a,b", &[]), (None, vec![]));
    let launcher = "jsrun".to_owned();
    let said = vec![Notice::from(SnapshotNotice::RanksElsewhere { launcher })];
    assert_eq!(started("jsrun -n 2 ./app", &[("SLURM_NNODES", "2")]), (None, said));
}
