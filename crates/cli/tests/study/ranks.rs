//! Ranks that a launcher starts at the points of a study: each has CPUs of its own, whatever the launcher does by default.

use std::process::Command;

use serde_json::Value;

use super::Bench;

/// The rank, its mask, and the number of threads that it was told.
const LOOK: &str = "#!/bin/sh\necho $NUMBER: ${OMPI_COMM_WORLD_LOCAL_RANK-$MPI_LOCALRANKID} of $1 \
                    $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status) $OMP_NUM_THREADS >> seen\n";

struct Ranks {
    bench: Bench,
    launcher: &'static str,
}

impl Ranks {
    /// With each launcher that is there.
    fn all() -> impl Iterator<Item = Ranks> {
        ["mpirun.openmpi", "mpirun.mpich"].into_iter().filter_map(|launcher| {
            if Command::new(launcher).arg("--version").output().is_err() {
                eprintln!("SKIPPED: {launcher} is not installed");
                return None;
            }
            let bench = Bench::new();
            std::fs::write(bench.path("look"), LOOK).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(bench.path("look"), mode).unwrap();
            Some(Ranks { bench, launcher })
        })
    }

    /// The masks of all ranks at the points with so many, and the JSON; words before the program are the launcher's.
    fn study(&self, factors: &[&str], words: &[&str], ranks: u32) -> (Vec<String>, Value) {
        let _ = std::fs::remove_file(self.bench.path("seen"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.args(["study", "--fresh", "--repeats", "1", "--json"]).args(factors).arg("--");
        command.arg(self.launcher).args(["-n", "{ranks}"]).args(words).args(["./look", "{ranks}"]);
        command.current_dir(self.bench.path("")).env_remove("OMP_NUM_THREADS");
        // Containers run tests as root, on fewer CPUs than there are ranks.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
        let output = command.output().unwrap();
        let json = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let seen = std::fs::read_to_string(self.bench.path("seen")).unwrap();
        let of = format!(" of {ranks} ");
        let masks = seen.lines().filter_map(|line| line.split_once(&of).map(|(_, mask)| mask.to_owned()));
        let mut masks: Vec<String> = masks.collect();
        masks.sort_unstable();
        masks.dedup();
        (masks, json)
    }
}

/// What `numawise run` plans for so many ranks, with the number of threads.
fn planned(options: &[&str], ranks: u32, threads: u32) -> Vec<String> {
    let (number, of_each) = (ranks.to_string(), threads.to_string());
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.args(["run", "--dry-run", "--json", "--ranks", &number, "--threads", &of_each]);
    let output = command.args(options).arg("app").output().unwrap();
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tasks = plan["tasks"].as_array().unwrap().iter();
    let mut masks: Vec<String> =
        tasks.map(|task| format!("{} {threads}", task["cpus"].as_str().unwrap())).collect();
    masks.sort_unstable();
    masks.dedup();
    masks
}

#[test]
fn divisions_that_nobody_placed_share_the_cpus() {
    for ranks in Ranks::all() {
        let factors = ["--ranks-x-threads", "2x1,1x2"];
        for (number, threads) in [(2, 1), (1, 2)] {
            let (masks, json) = ranks.study(&factors, &[], number);
            assert_eq!(masks, planned(&["--cpus", "all"], number, threads), "{}", ranks.launcher);
            let binding = &json["ranks"][0]["binding"]["planned"];
            assert_eq!(binding["is_default"], true, "{json}");
        }
    }
}

#[test]
fn a_strategy_places_each_rank_and_not_the_launcher() {
    for ranks in Ranks::all() {
        let factors = ["--ranks-x-threads", "2x1,1x2", "--place", "local", "--pin", "off"];
        let (masks, json) = ranks.study(&factors, &[], 2);
        assert_eq!(masks, planned(&["--place", "local", "--no-pin"], 2, 1), "{}", ranks.launcher);
        assert_eq!(json["ranks"][0]["binding"]["planned"]["is_default"], false, "{json}");
    }
}

#[test]
fn what_the_launcher_was_asked_for_is_kept_and_named() {
    for ranks in Ranks::all() {
        let factors = ["--ranks-x-threads", "1x2"];
        let (masks, json) = ranks.study(&factors, &["--bind-to", "none"], 1);
        assert_eq!(masks, planned(&["--place", "none"], 1, 2), "{}", ranks.launcher);
        let binding = &json["ranks"][0]["binding"]["asked_for"];
        assert_eq!(binding["by"], "--bind-to none", "{json}");
    }
}

#[test]
fn a_study_of_ranks_alone_leaves_their_number_of_threads_to_them() {
    for ranks in Ranks::all() {
        let (masks, json) = ranks.study(&["--ranks", "1,2"], &["--bind-to", "none"], 2);
        assert!(masks.iter().all(|mask| !mask.contains(' ')), "{masks:?}");
        assert_eq!(json["ranks"], serde_json::json!([]));
    }
}

#[test]
fn the_number_of_threads_that_the_environment_has_is_kept() {
    let bench = Bench::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.args(["study", "--fresh", "--repeats", "1", "--param", "name=a,b", "--", "sh", "-c"]);
    command.arg("echo {name} $OMP_NUM_THREADS >> seen").env("OMP_NUM_THREADS", "3");
    assert!(command.current_dir(bench.path("")).output().unwrap().status.success());
    let seen = std::fs::read_to_string(bench.path("seen")).unwrap();
    assert!(seen.lines().all(|line| line.ends_with(" 3")), "{seen}");
}

#[test]
fn a_script_whose_ranks_are_to_be_placed_is_refused_with_a_line_that_does() {
    let bench = Bench::new();
    let script = "mpirun -n {ranks} ./app";
    let answer =
        bench.study(&["--ranks-x-threads", "2x1", "--place", "local", "--command", &format!("a={script}")]);
    assert_eq!(answer.status, Some(125), "{}", answer.err);
    let cure = "mpirun -n {ranks} numawise run --place {place} --threads {threads} -- ./app";
    assert!(answer.err.contains(cure), "{}", answer.err);
}
