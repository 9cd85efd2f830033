//! Trials that Slurm ends before they are done: at their time limit, for jobs that go before them, or not at all though their node is drained.

use std::collections::BTreeSet;
use std::process::Stdio;

use crate::cluster::Cluster;
use crate::studies::{Bench, ended_well, err};

/// Jobs of `urgent` take the nodes of others, which end as each partition has it.
const PREEMPTING: &str = "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n\
    PartitionName=requeued Nodes=ALL Default=YES State=UP PriorityTier=1\n\
    PartitionName=cancelled Nodes=ALL State=UP PriorityTier=1 PreemptMode=CANCEL\n\
    PartitionName=urgent Nodes=ALL State=UP PriorityTier=10 PreemptMode=OFF";

#[test]
fn a_trial_that_runs_into_its_time_limit_has_failed_and_says_so() {
    let Some(cluster) = Cluster::start("task/none", 1, 2) else { return };
    let bench = Bench::new(&cluster);
    let factors = ["--param", "n=1,2", "--repeats", "1"];
    let program = ["sh", "-c", "echo {n} >> log; test {n} = 1 || sleep 300"];
    let mut command = bench.study_of(&factors, &["--sbatch-option=--time=1"], &program);
    let study = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    bench.wait_for("the trial that sleeps", || bench.runs().iter().any(|run| run == "2"));
    // Slurm counts in minutes; nobody waits for one.
    let job = cluster.said(&["squeue", "--noheader", "--format=%i", "--states=RUNNING"]);
    let job = format!("JobId={}", job.lines().next().unwrap().trim());
    cluster.said(&["scontrol", "update", &job, "EndTime=now+1"]);
    let output = study.wait_with_output().unwrap();
    ended_well(&output);
    let said = err(&output);
    let expected = "the program failed at n=2 (killed by signal 15; Slurm ended its job on n0 at its time limit: TIMEOUT";
    assert!(said.contains(expected), "{said}");
    let failed: Vec<_> = bench.rows().into_iter().filter(|row| row.3 == "failed").collect();
    assert!(failed.len() == 1 && failed[0].1 == "n=2", "{failed:?}");
    // It was run, and the same command does not run it again.
    let (runs, rows) = (bench.runs(), bench.rows());
    ended_well(&bench.study_of(&factors, &[], &program).output().unwrap());
    assert_eq!((bench.runs(), bench.rows()), (runs, rows));
}

#[test]
fn trials_that_are_preempted_are_done_again_and_counted_once() {
    let Some(cluster) = Cluster::start_with(PREEMPTING, 1, 2) else { return };
    for partition in ["requeued", "cancelled"] {
        let bench = Bench::new(&cluster);
        // All but the warm-up wait until they may end.
        let line = "echo {n} >> log; test $(wc -l < log) = 1 || until test -e go; do sleep 0.1; done";
        let factors = ["--param", "n=1,2", "--repeats", "1"];
        let mut command = bench.study_of(&factors, &["--partition", partition], &["sh", "-c", line]);
        let study = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        bench.wait_for("a trial after the warm-up", || bench.runs().len() == 2);
        let urgent = ["--partition=urgent", "--exclusive", "--output=/dev/null", "--wait", "--wrap=true"];
        cluster.said(&[&["sbatch"][..], &urgent].concat());
        std::fs::write(bench.path("go"), "").unwrap();
        let output = study.wait_with_output().unwrap();
        ended_well(&output);
        assert!(err(&output).contains("ended with PREEMPTED"), "{partition}: {}", err(&output));
        let rows = bench.rows();
        let places: BTreeSet<(u32, &str)> = rows.iter().map(|row| (row.0, row.1.as_str())).collect();
        assert_eq!((rows.len(), places.len()), (3, 3), "{partition}: {rows:?}");
        assert!(rows.iter().all(|row| row.3 == "measured"), "{partition}: {rows:?}");
        assert_eq!(bench.runs().len(), bench.begins_of(4), "{partition}: one began twice");
    }
}

#[test]
fn a_node_that_is_drained_ends_what_it_runs_and_gets_no_more() {
    let Some(cluster) = Cluster::start("task/none", 2, 2) else { return };
    let bench = Bench::new(&cluster);
    let study = bench.started();
    let on_n1 = || bench.runs().into_iter().filter(|run| run.ends_with(" n1")).count();
    bench.wait_for("a trial of a block on n1", || bench.runs().len() > 1 && on_n1() > 0);
    cluster.said(&["scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=test"]);
    let begun_there = on_n1();
    bench.go();
    let output = study.wait_with_output().unwrap();
    ended_well(&output);
    let rows = bench.is_whole();
    assert_eq!(on_n1(), begun_there, "{:?}", bench.runs());
    assert_eq!(rows.iter().filter(|row| row.2 == "n1").count(), on_n1(), "what ran there counts: {rows:?}");
    assert_eq!(bench.runs().len(), bench.begins_of(7), "no trial ran twice");
}
