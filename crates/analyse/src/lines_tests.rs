use numawise_facts::{EquivalentTool, Exit, NotRun, PrintedLine, Reading, StopReason, Trial};
use numawise_tables::{VerdictCase, VerdictKind};
use numawise_units::Nanoseconds;

use super::*;
use crate::analyse;
use crate::sample::two_node_check;

const NUMACTL: LineTool = LineTool::Other(EquivalentTool::Numactl);
const TASKSET: LineTool = LineTool::Other(EquivalentTool::Taskset);
const SRUN: LineTool = LineTool::Other(EquivalentTool::Srun);

/// A check that interleaving doubles, with lines that take so many seconds; `repeats` runs of each.
fn check(lines: &[(LineTool, f64)], repeats: u32) -> Study {
    let mut study = two_node_check(2.0, 2.0, 1.0, 2.0, 2.5, 2.0);
    let line =
        |(tool, _): &(LineTool, f64)| PrintedLine { tool: *tool, line: format!("{tool} app"), not_run: None };
    let mut printed = PrintedLines {
        point: "interleave".into(),
        lines: lines.iter().map(line).collect(),
        trials: Vec::new(),
        stopped: Some(StopReason::Decided),
    };
    for block in 1..=repeats {
        for (column, (tool, seconds)) in lines.iter().enumerate() {
            let value = seconds * (1.0 + 0.002 * f64::from((block * 7 + column as u32 * 5) % 11));
            printed.trials.push(Trial {
                number: printed.trials.len() as u32,
                block,
                point: tool.point(),
                wall: Nanoseconds::from_seconds(value),
                outcome: Outcome::Measured { per_task: vec![value] },
                observation: Reading::unavailable(Trial::LINE_NOT_OBSERVED),
                ..study.trials[0].clone()
            });
        }
    }
    study.lines = Some(printed);
    study
}

fn calls(study: &Study) -> Vec<(LineTool, LineCall)> {
    analyse(study).lines.unwrap().lines.iter().map(|line| (line.tool, line.call)).collect()
}

#[test]
fn each_line_has_its_own_effect_and_the_part_of_the_gain_that_it_keeps() {
    let lines =
        [(LineTool::Program, 2.0), (LineTool::Numawise, 1.0), (NUMACTL, 1.05), (TASKSET, 2.0), (SRUN, 1.7)];
    let study = check(&lines, 7);
    let found = [
        (LineTool::Numawise, LineCall::Brings),
        (NUMACTL, LineCall::Brings),
        (TASKSET, LineCall::BringsNothing),
        (SRUN, LineCall::BringsPart),
    ];
    assert_eq!(calls(&study), found);
    let analysis = analyse(&study);
    assert_eq!(analysis.recommended, Some("interleave".into()));
    assert_eq!(analysis.verdict.case(), VerdictCase::Gains);
    let lines = analysis.lines.unwrap();
    assert_eq!(lines.against, "program app");
    let ours = lines.ours().unwrap();
    let effect = ours.effect.as_ref().unwrap();
    assert!(
        effect.low.0 < 2.0 && 2.0 < effect.high.0 && ours.repeats == 7 && ours.kept.is_none(),
        "{ours:?}"
    );
    let kept = lines.of("numactl").unwrap().kept.unwrap().0;
    assert!((0.87..0.94).contains(&kept), "0.905 of the gain in truth: {kept}");
}

#[test]
fn a_line_without_the_gain_recommends_nothing_and_the_verdict_says_so() {
    let study = check(&[(LineTool::Program, 2.0), (LineTool::Numawise, 2.1), (NUMACTL, 1.0)], 6);
    let analysis = analyse(&study);
    assert_eq!(analysis.recommended, None);
    assert_eq!(
        (analysis.verdict.kind, analysis.verdict.case()),
        (VerdictKind::Affected, VerdictCase::GainNotKept)
    );
    let lines = analysis.lines.unwrap();
    assert_eq!(lines.ours().unwrap().call, LineCall::BringsNothing);
    let numactl = lines.of("numactl").unwrap();
    assert_eq!((numactl.call, numactl.kept), (LineCall::Brings, None), "{numactl:?}");
    // A program of some milliseconds is too short, whatever its trials showed.
    let short = check(&[(LineTool::Program, 0.02), (LineTool::Numawise, 0.021)], 6);
    let analysis = analyse(&short);
    assert_eq!((analysis.verdict.case(), analysis.recommended), (VerdictCase::TooShort, None));
}

#[test]
fn a_line_that_is_better_by_a_trace_of_the_gain_brings_nothing() {
    let study = check(&[(LineTool::Program, 2.0), (LineTool::Numawise, 1.9), (NUMACTL, 1.0)], 6);
    let analysis = analyse(&study);
    let lines = analysis.lines.as_ref().unwrap();
    let ours = lines.ours().unwrap();
    assert!(ours.effect.as_ref().unwrap().low.0 > 1.0, "decidedly better: {ours:?}");
    assert_eq!(ours.call, LineCall::BringsNothing);
    assert_eq!((analysis.verdict.case(), analysis.recommended), (VerdictCase::GainNotKept, None));
}

#[test]
fn an_interval_that_holds_both_is_open() {
    let mut study = check(&[(LineTool::Program, 2.0), (LineTool::Numawise, 1.6)], 6);
    for trial in study.lines.as_mut().unwrap().trials.iter_mut().filter(|t| t.point.0 == "numawise") {
        let value = if trial.block % 2 == 0 { 1.0 } else { 2.4 };
        trial.outcome = Outcome::Measured { per_task: vec![value] };
    }
    assert_eq!(calls(&study), [(LineTool::Numawise, LineCall::Open)]);
    assert_eq!(analyse(&study).recommended, Some("interleave".into()), "the trials still say so");
}

#[test]
fn a_line_that_was_not_measured_says_why() {
    let lines = [(LineTool::Program, 2.0), (LineTool::Numawise, 1.0), (NUMACTL, 1.0)];
    let why = |study: &Study, tool: &str| {
        let lines = analyse(study).lines.unwrap();
        let line = lines.of(tool).unwrap();
        assert_eq!(line.call, LineCall::NotMeasured);
        line.effect.clone().unwrap_err()
    };
    let few = check(&lines, 4);
    let stopped = Some(StopReason::Decided);
    assert_eq!(why(&few, "numawise"), LineNotMeasured::TooFew { stopped });
    assert_eq!(analyse(&few).recommended, Some("interleave".into()));
    let mut failed = check(&lines, 6);
    let printed = failed.lines.as_mut().unwrap();
    for trial in printed.trials.iter_mut().filter(|t| t.point.0 == "numactl") {
        trial.outcome = Outcome::Failed { failure: Exit::Code(1).into(), output_tail: String::new() };
    }
    assert_eq!(why(&failed, "numactl"), LineNotMeasured::Failed(Exit::Code(1)));
    let mut missing = check(&lines[..2], 6);
    let not_run = NotRun::NotInstalled { program: "numactl".to_owned() };
    let line = PrintedLine { tool: NUMACTL, line: "numactl app".to_owned(), not_run: Some(not_run.clone()) };
    missing.lines.as_mut().unwrap().lines.push(line);
    assert_eq!(why(&missing, "numactl"), LineNotMeasured::NotRun(not_run));
}

#[test]
fn lines_for_another_placement_say_nothing() {
    let mut study = check(&[(LineTool::Program, 2.0), (LineTool::Numawise, 2.0)], 6);
    study.lines.as_mut().unwrap().point = "all-nodes".into();
    let analysis = analyse(&study);
    assert_eq!((analysis.lines, analysis.recommended), (None, Some("interleave".into())));
}
