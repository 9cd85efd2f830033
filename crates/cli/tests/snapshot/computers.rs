//! Ranks of several computers, which are imitated: names of hosts and memory of their own, on one kernel.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{Answer, Bench, MPIS, number, text};

/// Runs numawise on four ranks, two on each of two computers; `None`, having said so, where they cannot be imitated.
fn on_two_computers(bench: &Bench, launcher: &str, script: &str, words: &[&str]) -> Option<Answer> {
    let can = Command::new("unshare").args(["-m", "-u", "true"]).output();
    if !can.is_ok_and(|answer| answer.status.success()) {
        eprintln!("SKIPPED: namespaces cannot be made here");
        return None;
    }
    for host in ["host0", "host1"] {
        std::fs::create_dir_all(bench.path(host).join("shared")).unwrap();
    }
    let path = bench.path("on-host");
    std::fs::write(&path, script.replace("FOLDER", bench.path(".").to_str().unwrap())).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = bench.command(launcher);
    command.args(["-n", "4", path.to_str().unwrap(), bench.numawise.to_str().unwrap()]).args(words);
    // Memory that ranks share is that of one computer.
    command.env("OMPI_MCA_btl", "self,tcp").env("OMPI_MCA_pml", "ob1").env("MPIR_CVAR_NOLOCAL", "1");
    Some(command.output().unwrap().into())
}

const SCRIPT: &str = r#"#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
export HOST=$((rank / 2))
if [ -n "$OMPI_COMM_WORLD_RANK" ]; then
    export OMPI_COMM_WORLD_LOCAL_RANK=$((rank % 2)) OMPI_COMM_WORLD_LOCAL_SIZE=2
else
    export MPI_LOCALRANKID=$((rank % 2)) MPI_LOCALNRANKS=2
fi
exec unshare -m -u sh -c 'mount --bind FOLDER/host$HOST /dev/shm && hostname host$HOST && exec "$@"' sh "$@"
"#;

#[test]
fn ranks_of_two_computers_come_together_in_one_file() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let words =
            ["snapshot", "--output", "run.nw", "--fresh", "--json=run.json", "--", program.to_str().unwrap()];
        let Some(answer) = on_two_computers(&bench, launcher, SCRIPT, &words) else { return };
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "sum 6 of 4 ranks\n"), "{}", answer.err);
        let json = bench.json("run.json");
        assert_eq!(
            (number(&json, "/processes/ranks"), number(&json, "/processes/hosts")),
            (4.0, 2.0),
            "{json}"
        );
        assert_eq!(
            [0, 1, 2, 3].map(|rank| text(&json, &format!("/ranks/{rank}/host"))),
            ["host0", "host0", "host1", "host1"]
        );
        assert_eq!(json["notices"].as_array().unwrap().len(), 0, "{json}");
        assert!(json["efficiency"]["mpi_load_balance_out"].is_number(), "{json}");
        assert_eq!(answer.err.matches("Next commands").count(), 1, "{}", answer.err);
        let names = std::fs::read_dir(bench.path(".")).unwrap().flatten().map(|entry| entry.file_name());
        let left: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with(".numawise")).collect();
        assert!(left.is_empty(), "{left:?}");
        for host in ["host0", "host1"] {
            let left: Vec<_> = std::fs::read_dir(bench.path(host))
                .unwrap()
                .flatten()
                .map(|entry| entry.file_name())
                .collect();
            assert!(!left.iter().any(|name| name.to_string_lossy().contains("numawise")), "{left:?}");
        }
    }
}

#[test]
fn a_rank_that_dies_on_another_computer_leaves_what_was_measured_there() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "ranks.c", &[]) else { continue };
        let words = ["snapshot", "--output", "run.nw", "--fresh", "--", program.to_str().unwrap(), "killed"];
        let Some(answer) = on_two_computers(&bench, launcher, SCRIPT, &words) else { return };
        assert!(answer.status != Some(0), "{}", answer.err);
        let report = bench.run(&[bench.numawise.to_str().unwrap(), "report", "run.2.nw", "--json"]);
        let json: serde_json::Value =
            serde_json::from_str(&report.out).unwrap_or_else(|_| panic!("{report:?} {answer:?}"));
        assert_eq!((number(&json, "/processes/ranks"), number(&json, "/ranks/1/rank")), (2.0, 3.0), "{json}");
        assert!(json["notices"].to_string().contains("ranks of one computer alone"), "{json}");
    }
}

#[test]
fn traces_of_two_computers_come_together_too() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "patterns.c", &["-g"]) else { continue };
        let program = program.to_str().unwrap();
        let words = [
            "trace",
            "--output",
            "run.trace",
            "--fresh",
            "--json=run.json",
            "--",
            program,
            "0.002",
            "messages",
        ];
        let Some(answer) = on_two_computers(&bench, launcher, SCRIPT, &words) else { return };
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        let json = bench.json("run.json");
        let trace = &json["trace"];
        let counts = ["/messages", "/unmatched", "/lost"].map(|of| number(trace, of));
        assert_eq!(counts, [13.0, 0.0, 0.0], "{launcher}: {trace:#}");
        assert!(trace["ranks"].as_array().unwrap().len() == 4 && trace["clock_error_seconds"].is_number());
    }
}
