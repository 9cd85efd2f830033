//! Peer: ranks that a real Slurm starts here, where it is installed: its variables, what it binds, and the line that we write
//! for it. Every rank tells its mask, and the plan for as many ranks says what it must be.

mod cluster;
mod ended;
mod nodes;
#[path = "../support/signals.rs"]
mod signals;
mod studies;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use cluster::{Cluster, skipped};
use numawise_units::{CpuId, CpuSet};
use serde_json::Value;

const NUMAWISE: &str = env!("CARGO_BIN_EXE_numawise");
/// Number on the node and mask.
const LOOK: &str = "echo rank $SLURM_LOCALID $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)";

/// Masks by number on the node.
fn masks(said: &str) -> BTreeMap<u32, String> {
    let line = |line: &str| {
        let (rank, mask) = line.strip_prefix("rank ")?.split_once(' ')?;
        Some((rank.parse().ok()?, mask.to_owned()))
    };
    said.lines().filter_map(line).collect()
}

/// What the plan for so many ranks says of their masks.
fn planned(ranks: usize, options: &[&str]) -> BTreeMap<u32, String> {
    let mut command = Command::new(NUMAWISE);
    command.env_remove("OMP_NUM_THREADS");
    command.args(["run", "--dry-run", "--json", "--ranks", &ranks.to_string()]).args(options).arg("app");
    let plan: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let tasks = plan["tasks"].as_array().unwrap().iter();
    (0..).zip(tasks.map(|task| task["cpus"].as_str().unwrap().to_owned())).collect()
}

/// The CPUs that Slurm may bind to, which are the first ones of a computer.
fn two_cpus() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let own = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    let own: CpuSet = own.trim().parse().unwrap();
    let there = [0, 1].iter().all(|cpu| own.contains(CpuId(*cpu)));
    if !there {
        skipped("CPUs 0 and 1 are not ours, and Slurm would bind to them");
    }
    there
}

#[test]
fn ranks_that_nobody_bound_agree_without_talking() {
    let Some(cluster) = Cluster::start("task/none", 1, 4) else { return };
    for ranks in [1, 2, 4] {
        for options in
            [&["--place", "local"][..], &["--place", "semi"], &["--place", "distributed", "--no-pin"]]
        {
            let number = ranks.to_string();
            let start =
                [&["srun", "-n", &number, NUMAWISE, "run"], options, &["--", "sh", "-c", LOOK]].concat();
            let said = cluster.said(&start);
            assert_eq!(masks(&said), planned(ranks, options), "{ranks} {options:?}: {said}");
        }
    }
}

#[test]
fn what_slurm_bound_is_respected() {
    if !two_cpus() {
        return;
    }
    let Some(cluster) = Cluster::start("task/affinity", 1, 2) else { return };
    for bind in ["cores", "rank", "map_cpu:1,0", "mask_cpu:0x2,0x1", "mask_cpu:0x1,0x1"] {
        let bind = format!("--cpu-bind={bind}");
        let theirs = masks(&cluster.said(&["srun", "-n", "2", &bind, "sh", "-c", LOOK]));
        let inside = ["srun", "-n", "2", &bind, NUMAWISE, "run", "--place", "local", "--", "sh", "-c", LOOK];
        let said = cluster.said(&inside);
        assert_eq!(masks(&said), theirs, "{bind}: {said}");
        assert_eq!(theirs.len(), 2, "{bind}");
    }
    // Both may use both CPUs: that is not bound, and is shared out.
    let both = [
        "srun",
        "-n",
        "2",
        "--cpu-bind=mask_cpu:0x3,0x3",
        NUMAWISE,
        "run",
        "--place",
        "local",
        "--",
        "sh",
        "-c",
        LOOK,
    ];
    let ours = masks(&cluster.said(&both));
    assert!(ours.len() == 2 && ours[&0] != ours[&1], "{ours:?}");
}

#[test]
fn ranks_are_counted_on_each_node() {
    let Some(cluster) = Cluster::start("task/none", 3, 2) else { return };
    for how in ["block", "cyclic", "plane=2", "arbitrary"] {
        let nodes = if how == "arbitrary" { "n0,n0,n1,n1,n2" } else { "n0,n1,n2" };
        let script = "echo on $SLURMD_NODENAME: $(\"$0\" run --place local --verbose -- true 2>&1 | grep 'Slurm started')";
        let words = ["srun", "-N", "3", "-n", "5", "-m", how, "-w", nodes, "sh", "-c", script, NUMAWISE];
        let said = cluster.said(&words);
        for (node, size) in [("n0", 2), ("n1", 2), ("n2", 1)] {
            for number in 0..size {
                let (begin, end) =
                    (format!("on {node}: "), format!("number {number} of {size} on this computer."));
                let found =
                    said.lines().filter(|line| line.starts_with(&begin) && line.ends_with(&end)).count();
                assert_eq!(found, 1, "{how}: {node}, {number}: {said}");
            }
        }
    }
}

#[test]
fn a_batch_script_is_no_rank_and_its_steps_are() {
    let Some(cluster) = Cluster::start("task/none", 1, 2) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (script, out) = (folder.path().join("job"), folder.path().join("out"));
    let ask = format!("{NUMAWISE} run --place local --verbose -- true 2>&1 | grep -c 'Slurm started'");
    std::fs::write(&script, format!("#!/bin/sh\n{ask}\nsrun sh -c \"{ask}\"\n")).unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let (script, to) = (script.display().to_string(), format!("--output={}", out.display()));
    cluster.said(&["sbatch", "--wait", "-n", "2", &to, &script]);
    assert_eq!(std::fs::read_to_string(out).unwrap(), "0\n1\n1\n");
}

#[test]
fn the_line_for_srun_does_the_same_in_a_job_with_the_whole_computer() {
    if !two_cpus() {
        return;
    }
    let Some(cluster) = Cluster::start("task/affinity", 1, 2) else { return };
    for options in [
        &["--copies", "2", "--place", "local", "--cpus", "0-1"][..],
        &["--cpus", "1"],
        &["-C", "1"],
        &["--copies", "2", "--cpus", "0-1"],
        &["--cpus", "1", "--memory", "bind:0"],
    ] {
        let emit = [&[NUMAWISE, "run", "--emit", "srun"], options, &["--", "sh", "-c", LOOK]].concat();
        let line = cluster.said(&emit);
        let ours = planned_of(&cluster, options);
        let said = cluster.said(&["salloc", "--exclusive", "-n", "1", "sh", "-c", &line]);
        assert_eq!(masks(&said), ours, "{options:?}: {line}{said}");
    }
}

/// The masks of the plan, without ranks of our own.
fn planned_of(cluster: &Cluster, options: &[&str]) -> BTreeMap<u32, String> {
    let words = [&[NUMAWISE, "run", "--dry-run", "--json"], options, &["app"]].concat();
    let plan: Value = serde_json::from_slice(&cluster.output(&words).stdout).unwrap();
    let tasks = plan["tasks"].as_array().unwrap().iter();
    (0..).zip(tasks.map(|task| task["cpus"].as_str().unwrap().to_owned())).collect()
}
