//! The lines that are printed to be used, and their runs.

use std::collections::HashSet;

use numawise_facts::{LineTool, NotRun, PointId, PointRole, PrintedLine, PrintedLines, StudyHeader};

use super::trial::line_trials;
use super::{Sound, ensure, first_again, name, span, text};

/// The lines with their runs.
pub fn lines(header: &StudyHeader, of: &PrintedLines) -> Sound {
    let point = header.point(&of.point).filter(|point| point.role != PointRole::Baseline);
    ensure(
        point.is_some(),
        || "study: lines_point".to_owned(),
        format_args!("'{}'", of.point),
        "a point of the study that is not its baseline",
    )?;
    ensure(
        of.lines.first().is_some_and(|first| first.tool == LineTool::Program && first.not_run.is_none())
            || of.run().next().is_none(),
        || "lines: first row".to_owned(),
        of.lines.first().map_or("none", |first| first.tool.name()),
        "the program's own line, which is run where any is",
    )?;
    if let Some(again) = first_again(of.lines.iter().map(|printed| printed.tool)) {
        ensure(false, || "lines: tool".to_owned(), format_args!("'{again}' twice"), "each once")?;
    }
    of.lines.iter().try_for_each(line)?;
    let run: HashSet<PointId> = of.run().map(|printed| printed.tool.point()).collect();
    for trial in &of.trials {
        let place = |column: &'static str| move || format!("line_trials: row {}, {column}", trial.number);
        let known = run.contains(&trial.point);
        ensure(known, place("tool"), format_args!("'{}'", trial.point), "a line that is run")?;
        ensure(trial.block >= 1, place("block"), trial.block, "a block from 1: there is no warm-up")?;
    }
    line_trials(header, &of.trials)
}

fn line(printed: &PrintedLine) -> Sound {
    let place = |column: &'static str| move || format!("lines: row {}, {column}", printed.tool);
    text(&printed.line, place("line"))?;
    match &printed.not_run {
        Some(NotRun::NotInstalled { program }) => name(program, place("not_run")),
        Some(NotRun::OtherName { found }) => name(found, place("not_run")),
        Some(NotRun::NoTime { needs, left }) => {
            span(*needs, place("not_run"))?;
            span(*left, place("not_run"))
        }
        Some(NotRun::StartsRanks | NotRun::SeveralLines | NotRun::ChangesTheMachine | NotRun::NotText)
        | None => Ok(()),
    }
}
