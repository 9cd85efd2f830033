use super::*;
use crate::{EquivalentTool, Exit, NotRun, Reading, Source};

fn header(metric: Metric) -> StudyHeader {
    StudyHeader {
        tool_version: "0.0.0".to_owned(),
        begun: Nanoseconds(0),
        command: RunSpec { command: vec!["app".into()], directory: "/".into() },
        machine: Machine {
            source: Source::Live,
            packages: vec![],
            nodes: vec![],
            cpus: vec![],
            caches: vec![],
            attributes: vec![],
            devices: Reading::unavailable("not looked for"),
            allowed_cpus: Default::default(),
            allowed_nodes: Default::default(),
            limits: vec![],
        },
        host: HostFacts {
            hostname: Reading::unavailable("test"),
            kernel: Reading::unavailable("test"),
            cpu_model: Reading::unavailable("test"),
            environment: vec![],
            numa_balancing: Reading::unavailable("test"),
            transparent_huge_pages: Reading::unavailable("test"),
            frequency: Reading::unavailable("test"),
            pid: numawise_units::Pid(1),
        },
        metric,
        points: vec![],
        pairs: vec![],
        not_tried: vec![],
        seed: 1,
        min_repeats: 5,
        margin: 0.03,
        budget: Nanoseconds(0),
        start_cost: Reading::unavailable("by hand"),
        grid: None,
    }
}

fn trial(outcome: Outcome) -> Trial {
    Trial {
        number: 0,
        block: 1,
        point: "copies".into(),
        started: Nanoseconds(0),
        wall: Nanoseconds(1),
        outcome,
        observation: Reading::unavailable("test"),
        disturbances: vec![],
        left_behind: None,
        other_values: vec![],
    }
}

#[test]
fn copies_count_by_the_work_they_do() {
    let two = trial(Outcome::Measured { per_task: vec![3.0, 4.0] });
    assert_eq!(header(Metric::WallTime).value(&two), Some(2.0));
    let rate = Metric::Output { regex: "(.)".to_owned(), higher_is_better: true };
    assert_eq!(header(rate).value(&two), Some(7.0));
}

#[test]
fn a_failure_is_not_a_time() {
    let failed = trial(Outcome::Failed { failure: Exit::Signal(11).into(), output_tail: String::new() });
    assert_eq!(header(Metric::WallTime).value(&failed), None);
    assert_eq!(header(Metric::WallTime).value(&trial(Outcome::Measured { per_task: vec![] })), None);
    assert_eq!(Exit::Signal(11).shell_status(), 139);
}

#[test]
fn three_failures_in_a_row_give_a_point_up() {
    let good = || trial(Outcome::Measured { per_task: vec![1.0] });
    let bad = || trial(Outcome::Failed { failure: Exit::Code(1).into(), output_tail: String::new() });
    let given_up = |trials| {
        Study { header: header(Metric::WallTime), trials, stopped: None, lines: None, objects: None }
            .given_up(&"copies".into())
    };
    assert!(!given_up(vec![]) && !given_up(vec![bad(), bad()]));
    assert!(given_up(vec![bad(), bad(), bad()]) && given_up(vec![good(), good(), bad(), bad(), bad()]));
    assert!(!given_up(vec![bad(), bad(), good(), bad(), bad()]));
}

#[test]
fn a_line_that_is_not_run_is_no_point() {
    let line = |tool, not_run| PrintedLine { tool, line: tool.to_string(), not_run };
    let lines = PrintedLines {
        point: "pinned".into(),
        lines: vec![
            line(LineTool::Program, None),
            line(LineTool::Numawise, None),
            line(LineTool::Other(EquivalentTool::Srun), Some(NotRun::StartsRanks)),
        ],
        trials: Vec::new(),
        stopped: None,
    };
    let run: Vec<LineTool> = lines.run().map(|line| line.tool).collect();
    assert_eq!(run, [LineTool::Program, LineTool::Numawise]);
    let point = line_point(LineTool::Program.point(), PointRole::Baseline);
    assert_eq!((point.id, point.role), (LineTool::Program.point(), PointRole::Baseline));
    assert!(point.placement.tasks[0].cpus.is_empty(), "nothing is placed");
}
