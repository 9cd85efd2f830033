use numawise_facts::Placement;

use super::super::testing::request;
use super::super::{RunPlan, for_display};
use super::*;

/// The plan of this line on two packages of four cores.
fn plan(line: &str) -> RunPlan {
    for_display(&request(line), Some("pack:2 [numa] core:4 pu:1"), &|_| None).unwrap()
}

fn words(plan: &RunPlan, line: &str, task: usize) -> Result<String, Error> {
    let placement: &Placement = &plan.placement;
    let filled = plan.command(&request(line).command, &placement.tasks[task])?;
    Ok(filled.command[1..].iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

#[test]
fn each_task_is_told_its_own() {
    let line = "place=semi copies=2 -c {cpus} -n {nodes} {rank}.{task} {{cpus}} {{host}} {{rank}}";
    let plan = plan(line);
    assert_eq!(words(&plan, line, 0).unwrap(), "-c 0-3 -n 0 0.{task} {cpus} {host} {rank}");
    assert_eq!(words(&plan, line, 1).unwrap(), "-c 4-7 -n 1 1.{task} {cpus} {host} {rank}");
}

#[test]
fn a_rank_counts_in_its_job_where_the_launcher_tells() {
    let mut plan = plan("place=semi {rank}");
    plan.rank_of_job = RankOfJob::Told(17);
    assert_eq!(words(&plan, "{rank}", 0).unwrap(), "17");
    plan.rank_of_job = RankOfJob::Untold;
    let error = words(&plan, "{rank}", 0).unwrap_err().to_string();
    assert!(error.starts_with("{rank} is not known: the launcher"), "{error}");
    assert_eq!(words(&plan, "{cpus}", 0).unwrap(), "0-3", "what is not asked for need not be known");
}

#[test]
fn a_node_that_nobody_knows_is_an_error() {
    let mut plan = plan("place=semi");
    plan.machine.cpus.clear();
    let error = words(&plan, "{nodes}", 0).unwrap_err().to_string();
    assert!(error.contains("{nodes}") && error.contains("of none of CPUs 0-3"), "{error}");
}
