//! What a line that is printed to be used brought when it was run as it is printed: in words.

use numawise_facts::{Effect, LineTool, NotRun, PrintedLines, StopReason};
use numawise_tables::{LineCall, LineEffect, LineEffects, LineNotMeasured};

use super::Check;
use crate::amount::many;

/// What stands beside the line of a tool; nothing where nothing is recommended, and the program's own line stands there.
pub fn beside(check: &Check, tool: &str) -> Option<String> {
    check.analysis.recommended.as_ref()?;
    let lines = check.analysis.lines.as_ref();
    Some(match lines.and_then(|lines| lines.of(tool)) {
        Some(line) => text(line),
        None if lines.is_some() => "not run: it was not among the lines of this check".to_owned(),
        None => {
            "not measured yet: the check ended before; start the same check again to measure it".to_owned()
        }
    })
}

/// What the lines that were measured are compared with; nothing where none was.
pub fn against(lines: &LineEffects) -> Option<String> {
    let ran = lines.lines.iter().filter(|line| line.effect.is_ok()).count();
    let which = if ran == lines.lines.len() { "each line" } else { "each line with a ratio beside it" };
    (ran > 0).then(|| format!("{which} was run as printed, in random order with: {}", lines.against))
}

/// What a line brought: `1.84x (95 % interval 1.80x to 1.88x) against the program as it was, 7 repeats`.
pub fn text(line: &LineEffect) -> String {
    let measured = |effect: &Effect| {
        format!("{effect} against the program as it was, {}", many(u64::from(line.repeats), "repeat"))
    };
    match (&line.effect, line.call) {
        (Err(why), _) => not_measured(why, line.repeats),
        (Ok(effect), LineCall::Open) => {
            format!("{}: whether it keeps the gain is not decided", measured(effect))
        }
        (Ok(effect), LineCall::BringsNothing) => {
            format!("{}: {}", measured(effect), keeps_nothing(line.tool))
        }
        (Ok(effect), _) => match line.kept {
            Some(kept) if kept.0 >= ALL => format!("{}: keeps all of the gain", measured(effect)),
            Some(kept) => format!("{}: keeps {:.0} % of the gain", measured(effect), 100.0 * kept.0),
            None if line.call == LineCall::BringsPart => {
                format!("{}: less than half of what the trials of the placement showed", measured(effect))
            }
            None => measured(effect),
        },
    }
}

/// From this share of the gain on it is as good as all of it, in whole percents.
const ALL: f64 = 0.995;

fn keeps_nothing(tool: LineTool) -> &'static str {
    match tool {
        LineTool::Numawise => "it does not bring what the trials of the placement showed",
        LineTool::Program | LineTool::Other(_) => "keeps nothing of the gain",
    }
}

fn not_measured(why: &LineNotMeasured, repeats: u32) -> String {
    let repeats = many(u64::from(repeats), "repeat");
    let least = PrintedLines::LEAST_REPEATS;
    match why {
        LineNotMeasured::NotRun(why) => format!("not run: {}", not_run(why)),
        LineNotMeasured::Failed(exit) => format!("not measured: it failed ({exit})"),
        LineNotMeasured::NoMetric => "not measured: its output held no metric".to_owned(),
        LineNotMeasured::TooFew { stopped } => {
            let ended = match stopped {
                Some(StopReason::BudgetSpent) => "the time given (--budget) was spent",
                Some(StopReason::Interrupted) => "the check was interrupted",
                Some(StopReason::TooManyFailures) => "too many runs failed",
                Some(StopReason::Decided) => "too many runs were disturbed",
                None => "the check has not ended",
            };
            format!("not measured: {repeats}, and {least} are the least; {ended}")
        }
        LineNotMeasured::NoInterval(why) => format!("not measured: {why}"),
    }
}

fn not_run(why: &NotRun) -> String {
    match why {
        NotRun::NotInstalled { program } => format!("{program} is not installed here"),
        NotRun::StartsRanks => "it starts the ranks of a job, which a check does not".to_owned(),
        NotRun::SeveralLines => "it is several lines, which belong together".to_owned(),
        NotRun::ChangesTheMachine => "it changes the whole machine, for all programs".to_owned(),
        NotRun::OtherName { found } => format!("this numawise is called '{found}' here"),
        NotRun::NotText => "a word of it is not UTF-8, and no line can hold it".to_owned(),
        NotRun::NoTime { needs, left } => format!(
            "{} repeats, with those of the lines above, take about {needs}; {left} of the budget were left (--budget)",
            PrintedLines::LEAST_REPEATS
        ),
    }
}
