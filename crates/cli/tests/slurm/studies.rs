//! Studies whose trials are jobs of a real Slurm: all of them, on which nodes, and what becomes of them when somebody ends the study, a
//! job or a node.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::NUMAWISE;
use crate::cluster::{Cluster, own_mounts, skipped};
use crate::signals;

/// Nothing takes so long; it guards against hanging.
const PATIENCE: Duration = Duration::from_secs(300);

/// What tells trials that were interrupted, in SQL.
const INTERRUPTED: &str =
    "(disturbances LIKE '%stopped%' OR disturbances LIKE '%suspended%' OR disturbances LIKE '%clock_set%')";

/// A folder with a study of `n` at two levels, whose program notes where each run begins.
pub struct Bench<'a> {
    pub cluster: &'a Cluster,
    pub folder: TempDir,
}

/// A row of the record: block, point, node and what came of it.
pub type Row = (u32, String, String, String);

impl Bench<'_> {
    pub fn new(cluster: &Cluster) -> Bench<'_> {
        Bench { cluster, folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `numawise study` with three repeats of two points, each taking so many seconds.
    pub fn study(&self, seconds: &str, options: &[&str]) -> Command {
        let line = format!("echo {{n}} $SLURMD_NODENAME >> log; sleep {seconds}");
        self.study_of(&["--param", "n=1,2", "--repeats", "3"], options, &["sh", "-c", &line])
    }

    /// The same, whose trials but the warm-up end when there is a file `go`.
    pub fn study_until_go(&self) -> Command {
        let line = "echo {n} $SLURMD_NODENAME >> log; \
                    test $(wc -l < log) = 1 || until test -e go; do sleep 0.1; done";
        self.study_of(&["--param", "n=1,2", "--repeats", "3"], &[], &["sh", "-c", line])
    }

    pub fn go(&self) {
        std::fs::write(self.path("go"), "").unwrap();
    }

    pub fn study_of(&self, factors: &[&str], options: &[&str], program: &[&str]) -> Command {
        let mut command = self.cluster.command(NUMAWISE);
        signals::as_usual(&mut command);
        command.current_dir(self.folder.path()).args(["study", "--output", "a.nw", "--engine", "slurm"]);
        command.args(factors).args(options).arg("--").args(program);
        command
    }

    pub fn started(&self) -> Child {
        started(&mut self.study_until_go())
    }

    /// Runs of the program that have begun.
    pub fn runs(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    pub fn wait_for(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < PATIENCE, "{what}; runs: {:?}", self.runs());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Trials but those that were interrupted, which are done again: a busy host may leave numawise without a CPU for half a second.
    pub fn rows(&self) -> Vec<Row> {
        self.trials(&format!("NOT {INTERRUPTED}"))
    }

    /// Begins of the program that `trials` trials take, where none is run twice but those that were interrupted.
    pub fn begins_of(&self, trials: usize) -> usize {
        trials + self.trials(INTERRUPTED).len()
    }

    fn trials(&self, which: &str) -> Vec<Row> {
        let ask = format!("SELECT block, point, host, status FROM trials WHERE {which} ORDER BY number");
        let said = Command::new("sqlite3").arg(self.path("a.nw")).arg(&ask).output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let text = String::from_utf8(said.stdout).unwrap();
        let row = |line: &str| {
            let fields: Vec<&str> = line.split('|').collect();
            (fields[0].parse().unwrap(), fields[1].to_owned(), fields[2].to_owned(), fields[3].to_owned())
        };
        text.lines().map(row).collect()
    }

    /// The warm-up, each point once in each of three blocks, and nothing left behind.
    pub fn is_whole(&self) -> Vec<Row> {
        let rows = self.rows();
        let places: BTreeSet<(u32, &str)> = rows.iter().map(|row| (row.0, row.1.as_str())).collect();
        assert_eq!((rows.len(), places.len()), (7, 7), "{rows:?}");
        assert!(rows.iter().all(|row| row.3 == "measured"), "{rows:?}");
        assert!(!self.path("a.nw.slurm").exists());
        rows
    }
}

pub fn started(study: &mut Command) -> Child {
    study.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn ended_well(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", err(output));
}

#[test]
fn a_study_runs_as_jobs_with_each_block_on_one_node() {
    let Some(cluster) = Cluster::start("task/none", 3, 2) else { return };
    let bench = Bench::new(&cluster);
    let output = bench.study("0.1", &["--json"]).output().unwrap();
    ended_well(&output);
    let study: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&study["schema"], &study["trials"]), (&"numawise/study/1".into(), &6.into()));
    let mut nodes: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for (block, _, node, _) in bench.is_whole() {
        nodes.entry(block).or_default().insert(node);
    }
    assert!(nodes.values().all(|of_block| of_block.len() == 1), "{nodes:?}");
    let used: BTreeSet<&String> =
        nodes.iter().filter(|(block, _)| **block > 0).flat_map(|(_, of)| of).collect();
    assert!(used.len() > 1, "nodes take turns: {nodes:?}");
    assert_eq!(bench.runs().len(), bench.begins_of(7));
    // The same command has nothing to do, and asks no node.
    ended_well(&bench.study("0.1", &[]).output().unwrap());
    assert_eq!(bench.runs().len(), bench.begins_of(7));
    // Templates, commands around trials and what is missing of a wider grid.
    std::fs::write(bench.path("in"), "{n}\n").unwrap();
    let words = ["--fresh", "--template", "in", "--prepare", "test -e {template}", "--jobs", "3"];
    let program = ["sh", "-c", "test $(cat \"{template}\") = {n}"];
    let factors = ["--param", "n=1,2", "--repeats", "3"];
    ended_well(&bench.study_of(&factors, &words, &program).output().unwrap());
    bench.is_whole();
}

#[test]
fn who_presses_ctrl_c_leaves_no_job_and_the_same_command_goes_on() {
    let Some(cluster) = Cluster::start("task/none", 2, 2) else { return };
    let bench = Bench::new(&cluster);
    let study = bench.started();
    bench.wait_for("trials run after the warm-up", || bench.runs().len() > 2);
    assert!(Command::new("kill").args(["-INT", &study.id().to_string()]).status().unwrap().success());
    let output = study.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    assert_eq!(cluster.said(&["squeue", "--noheader", "--states=PENDING,RUNNING"]), "");
    assert!(!bench.path("a.nw.slurm").exists());
    bench.go();
    ended_well(&bench.study_until_go().output().unwrap());
    bench.is_whole();
}

#[test]
fn who_is_killed_loses_nothing_that_is_under_way() {
    let Some(cluster) = Cluster::start("task/none", 2, 2) else { return };
    let bench = Bench::new(&cluster);
    let mut study = bench.started();
    bench.wait_for("trials run after the warm-up", || bench.runs().len() > 2);
    study.kill().unwrap();
    study.wait().unwrap();
    assert!(bench.path("a.nw.slurm").exists());
    // Somebody else ends a job meanwhile.
    let waiting = cluster.said(&["squeue", "--noheader", "--format=%i", "--sort=-i"]);
    let last = waiting.lines().next().unwrap().trim().to_owned();
    cluster.said(&["scancel", &last]);
    bench.go();
    let output = bench.study_until_go().output().unwrap();
    ended_well(&output);
    let said = err(&output);
    assert!(said.contains(&format!("is done again: job {last} on")) && said.contains("CANCELLED"), "{said}");
    bench.is_whole();
    // Each trial ran once: none of those under way was begun anew, and the one that was cancelled had hardly begun.
    let begins = bench.begins_of(7);
    assert!((begins..=begins + 1).contains(&bench.runs().len()), "{:?}", bench.runs());
}

#[test]
fn trials_of_a_node_that_fails_are_done_again_elsewhere() {
    let Some(cluster) = Cluster::start("task/none", 2, 2) else { return };
    let bench = Bench::new(&cluster);
    let mut study = bench.started();
    bench.wait_for("both nodes run trials", || {
        bench.runs().iter().skip(1).map(|run| run[2..].to_owned()).collect::<BTreeSet<_>>().len() == 2
    });
    cluster.said(&["scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=test"]);
    let of_n1 = cluster.said(&["squeue", "--noheader", "--format=%i", "--nodelist=n1", "--states=RUNNING"]);
    assert_eq!(of_n1.lines().count(), 1, "{of_n1}");
    cluster.said(&["scontrol", "update", "NodeName=n1", "State=DOWN", "Reason=test"]);
    // Trials end when the study has heard of it: the one on n1 would else come to its end first.
    let mut lines = BufReader::new(study.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut said: Vec<String> = Vec::new();
    while !said.concat().contains("NODE_FAIL") {
        said.push(lines.next().unwrap_or_else(|| panic!("no word of a node that failed: {said:?}")));
    }
    bench.go();
    said.extend(lines);
    assert_eq!(study.wait().unwrap().code(), Some(0), "{said:?}");
    assert!(said.concat().contains("on n1 ended with NODE_FAIL"), "{said:?}");
    let rows = bench.is_whole();
    assert_eq!(rows.last().unwrap().2, "n0", "{rows:?}");
}

#[test]
fn a_trial_whose_job_is_killed_has_failed_after_the_time_that_its_job_ran() {
    let Some(cluster) = Cluster::start("task/none", 1, 2) else { return };
    let bench = Bench::new(&cluster);
    // The process of the job is behind the one that supervises the program.
    let line = "test {n} = 1 || { sleep 2; kill -9 $(cut -d' ' -f4 /proc/$PPID/stat); }; echo v {n}";
    let factors = ["--param", "n=1,2", "--repeats", "1", "--metric", "v ([0-9]+)"];
    let begun = Instant::now();
    ended_well(&bench.study_of(&factors, &[], &["sh", "-c", line]).output().unwrap());
    let most = begun.elapsed().as_secs() + 1;
    let ask = "SELECT status, wall_ns / 1000000000 FROM trials WHERE point = 'n=2'";
    let said = Command::new("sqlite3").arg(bench.path("a.nw")).arg(ask).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let (status, seconds) = said.trim().split_once('|').unwrap();
    assert!(status == "failed" && (1..=most).contains(&seconds.parse().unwrap()), "{said}, of {most} s");
}

#[test]
fn what_slurm_cannot_do_is_said_and_nothing_is_left() {
    let Some(cluster) = Cluster::start("task/none", 1, 2) else { return };
    let bench = Bench::new(&cluster);
    let refused = |command: &mut Command, status: i32, expected: &str| {
        let output = command.output().unwrap();
        let said = err(&output);
        assert!(output.status.code() == Some(status) && said.contains(expected), "{expected}: {said}");
        assert!(!bench.path("a.nw.slurm").exists(), "{expected}");
        said
    };
    refused(&mut bench.study("0", &["--partition", "gpu"]), 125, "Slurm has no partition 'gpu'; it has: all");
    refused(&mut bench.study("0", &["--sbatch-option=--nonsense"]), 125, "sbatch failed: ");
    refused(bench.study("0", &[]).env("PATH", "/nonexistent"), 125, "sinfo of Slurm cannot be started");
    let none: [&str; 0] = [];
    assert_eq!(bench.runs(), none);
    let mut missing = bench.study_of(&["--param", "n=1,2"], &[], &["./missing", "{n}"]);
    refused(&mut missing, 127, "the trial on n0 could not be carried out: ./missing: not found");
    let mut one_file = bench.study_of(&["--param", "n=1,2"], &["--metric-file", "out"], &["true", "{n}"]);
    refused(&mut one_file, 125, "--jobs 1");
    let mut local = Command::new(NUMAWISE);
    local.current_dir(bench.folder.path()).args(["study", "--partition", "all", "--", "true"]);
    refused(&mut local, 125, "--partition is for trials that Slurm runs");
}

#[test]
fn a_folder_that_is_not_shared_is_found_by_the_first_job() {
    let hides = |folder: &std::path::Path| format!("mount -t tmpfs none '{}'", folder.display());
    let folder = tempfile::tempdir().unwrap();
    let tried = Command::new("unshare").args([own_mounts(), "sh", "-c", &hides(folder.path())]).output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        skipped("no folder can be hidden from a node here: unshare and mount are refused");
        return;
    }
    let Some(cluster) = Cluster::start_behind(Some(&hides(folder.path())), "task/none", 1, 2) else { return };
    let bench = Bench { cluster: &cluster, folder };
    let output = bench.study("0", &[]).output().unwrap();
    let said = err(&output);
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(said.contains("a.nw.slurm is not there, or not the same") && said.contains("on n0"), "{said}");
    assert!(!bench.path("a.nw").exists() && !bench.path("a.nw.slurm").exists());
}

#[test]
#[ignore = "by hand: it takes minutes"]
fn a_study_killed_twenty_times_loses_at_most_a_trial_each() {
    let Some(cluster) = Cluster::start("task/none", 2, 2) else { return };
    let mut random = 1_u64;
    let (mut landed, mut kept_before) = (0, 0);
    while landed < 20 {
        let bench = Bench::new(&cluster);
        let mut kills = 0;
        loop {
            let mut study = started(&mut bench.study("0.3", &[]));
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(Duration::from_millis(300 + (random >> 33) % 4000));
            if study.try_wait().unwrap().is_some() {
                break;
            }
            study.kill().unwrap();
            study.wait().unwrap();
            kills += 1;
            let kept = if bench.path("a.nw").exists() { bench.rows().len() } else { 0 };
            assert!(kept >= kept_before || kills == 1, "{kept} of {kept_before} are kept");
            kept_before = kept;
        }
        ended_well(&bench.study("0.3", &[]).output().unwrap());
        bench.is_whole();
        let runs = bench.runs().len();
        assert!(runs <= 7 + kills, "{kills} kills, {runs} runs");
        landed += kills;
        let _ = writeln!(std::io::stderr(), "{kills} kills, {} runs beyond the 7 that are needed", runs - 7);
    }
}
