//! What the lines that are printed to be used brought: a family of contrasts of its own, judged as that of the placements.

use numawise_facts::{Effect, LineTool, Metric, Outcome, PointId, PrintedLines, Study, StudyHeader};
use numawise_stats::FIRST_INTERIM;
use numawise_tables::{LineCall, LineEffect, LineEffects, LineNotMeasured};
use numawise_units::Ratio;

use crate::contrasts::{self, Judged};
use crate::summary;

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;

/// A line has lost the gain where its interval does not reach this part of it.
const PART: f64 = 0.5;
/// What is decidedly less than this part of it is nothing, even where it is decidedly something: equal lines differ by chance now and then.
const NOTHING: f64 = 0.1;

/// The lines of a study for the placement that brought `gain`; nothing where none was begun for it.
pub fn effects(study: &Study, point: &PointId, gain: Option<Effect>) -> Option<LineEffects> {
    let printed = study.lines.as_ref().filter(|lines| lines.point == *point)?;
    let runs = printed.study(&study.header);
    let judged = contrasts::judge(&runs);
    let mut lines: Vec<LineEffect> = Vec::new();
    for line in printed.lines.iter().filter(|line| line.tool != LineTool::Program) {
        let (effect, repeats) = match &line.not_run {
            Some(why) => (Err(LineNotMeasured::NotRun(why.clone())), 0),
            None => effect(&runs, &judged, line.tool),
        };
        let ours = lines.iter().find(|line| line.tool == LineTool::Numawise);
        let ours = ours.filter(|ours| ours.call == LineCall::Brings || ours.call == LineCall::BringsPart);
        let whole = ours.and_then(|ours| ours.effect.clone().ok()).or(gain);
        let call = match (&effect, whole) {
            (Ok(effect), Some(whole)) => call(*effect, whole),
            (Ok(_), None) => LineCall::Open,
            (Err(_), _) => LineCall::NotMeasured,
        };
        let kept = ours.and_then(|_| Some(kept(effect.as_ref().ok()?.ratio, whole?)));
        lines.push(LineEffect { tool: line.tool, line: line.line.clone(), repeats, effect, call, kept });
    }
    let against = printed.line(LineTool::Program).map(|line| line.line.clone()).unwrap_or_default();
    Some(LineEffects { point: point.clone(), against, lines })
}

fn effect(runs: &Study, judged: &Judged, tool: LineTool) -> (Result<Effect, LineNotMeasured>, u32) {
    let point = tool.point();
    let contrast = judged.contrast(&LineTool::Program.point(), &point);
    let repeats = contrast.map_or(0, |contrast| contrast.repeats);
    // A program that fails by itself has no line that could be compared with it.
    let lost = [&point, &LineTool::Program.point()].into_iter().find(|id| runs.given_up(id)).cloned();
    let last = runs.trials.iter().rev().find(|trial| Some(&trial.point) == lost.as_ref());
    let why = match last.map(|trial| &trial.outcome) {
        Some(Outcome::Failed { failure, .. }) => Some(LineNotMeasured::Failed(failure.exit)),
        Some(Outcome::NoMetric { .. }) => Some(LineNotMeasured::NoMetric),
        Some(Outcome::Measured { .. }) | None => None,
    };
    if let Some(why) = why {
        return (Err(why), repeats);
    }
    if (repeats as usize) < FIRST_INTERIM {
        return (Err(LineNotMeasured::TooFew { stopped: runs.stopped }), repeats);
    }
    let effect = contrast.map(|contrast| contrast.effect.clone());
    let effect = effect.unwrap_or_else(|| numawise_facts::Reading::unavailable("it is not compared"));
    let effect = match effect {
        numawise_facts::Reading::Measured(effect) => Ok(effect),
        numawise_facts::Reading::Unavailable { unavailable } => {
            Err(LineNotMeasured::NoInterval(unavailable.to_string()))
        }
    };
    (effect, repeats)
}

/// The part of a gain that a ratio has.
fn kept(ratio: Ratio, whole: Effect) -> Ratio {
    Ratio((ratio.0 - 1.0) / (whole.ratio.0 - 1.0))
}

fn call(effect: Effect, whole: Effect) -> LineCall {
    let most = kept(effect.high, whole).0;
    match (effect.low.0 > 1.0 && most >= NOTHING, most < PART) {
        (true, false) => LineCall::Brings,
        (true, true) => LineCall::BringsPart,
        (false, true) => LineCall::BringsNothing,
        (false, false) => LineCall::Open,
    }
}

/// True for a program so short that what starts it may take away what a placement brings.
pub fn is_short(header: &StudyHeader, printed: &PrintedLines) -> bool {
    let program = LineTool::Program.point();
    let runs = printed.study(header);
    let times: Vec<f64> = summary::trials(&runs, &program).filter_map(|trial| header.value(trial)).collect();
    header.metric == Metric::WallTime
        && numawise_stats::median(&times).is_ok_and(|median| median < StudyHeader::SHORT.seconds())
}
