//! What was said against what is true: verdict, finding, cure and printed line, each by itself.

use super::cases::Case;
use super::hand::{self, AS_IS, Gain, HandRun};
use super::told::{PrintedLine, Told};

/// An interval that misses the truth by less than this factor counts: the truth is measured too.
const NEAR: f64 = 1.05;
/// A cure that brings this much less than the best by hand is as good.
const AS_GOOD: f64 = 1.03;
/// One process for each node is better: what copies bring is not measured by hand.
const NOT_JUDGED: &str = "NW004";
/// The case of a better placement whose line does not bring what it does.
const NOT_KEPT: &str = "gain_not_kept";
/// What a shell says of a program that is not there.
const NOT_FOUND: i32 = 127;

/// Whether one thing that was said is right.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Right,
    Wrong(String),
    /// The truth is not known well enough by hand to tell.
    Open(String),
    /// A line that is printed with why its effect was not measured.
    NotRun(String),
}

/// What is judged of each check.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judgement {
    pub verdict: Answer,
    pub finding: Answer,
    pub cure: Answer,
    /// Of each line that was printed to be used, the tool that it is of.
    pub lines: Vec<(String, Answer)>,
}

impl Judgement {
    /// Of verdict, finding and cure, and of all lines.
    pub fn answers(&self) -> [Vec<&Answer>; 4] {
        let lines = self.lines.iter().map(|(_, answer)| answer).collect();
        [vec![&self.verdict], vec![&self.finding], vec![&self.cure], lines]
    }
}

/// The best placement by hand and what it brings.
pub(super) fn best(runs: &[HandRun]) -> (String, Gain) {
    let as_is = (AS_IS.to_owned(), Gain { ratio: 1.0, low: 1.0, high: 1.0 });
    let tried = hand::labels(runs).into_iter().filter(|label| *label != AS_IS);
    let gains = tried.filter_map(|label| Some((label.to_owned(), hand::gain(runs, AS_IS, label)?)));
    gains.fold(as_is, |best, one| if one.1.ratio > best.1.ratio { one } else { best })
}

/// How many times as long remote memory takes as local memory, for the same threads on the same CPUs.
pub(super) fn remote(runs: &[HandRun]) -> Option<Gain> {
    hand::gain(runs, "remote", "node0")
}

/// Judges the check with this seed against the runs by hand.
pub(super) fn judge(case: &Case, seed: u64, told: &Told, runs: &[HandRun]) -> Judgement {
    Judgement {
        verdict: verdict(case, told, runs),
        finding: finding(case, told),
        cure: cure(case, told, runs),
        lines: lines(seed, told, runs),
    }
}

fn verdict(case: &Case, told: &Told, runs: &[HandRun]) -> Answer {
    // The placement is better, its line is not: true of short programs where a start takes long, as it does in guests.
    let case_of_gain = told.case == NOT_KEPT && case.cases.iter().any(|one| one == "gains");
    if !case_of_gain && !case.cases.contains(&told.case) {
        return Answer::Wrong(format!("expected {}", case.cases.join(" or ")));
    }
    let (label, gain) = best(runs);
    match told.case.as_str() {
        "too_short" | "cannot_tell" => Answer::Right,
        "gains" | NOT_KEPT => effect(told, runs),
        _ if gain.ratio > case.margin() => {
            let what = format!("{label} brings {}", shown(gain));
            if gain.low > case.margin() { Answer::Wrong(what) } else { Answer::Open(what) }
        }
        "not_affected" => match remote(runs) {
            Some(cost) if cost.low > case.margin() => {
                Answer::Wrong(format!("remote memory costs {}", shown(cost)))
            }
            _ => Answer::Right,
        },
        "placed_well_sensitive" | "sensitive" => effect(told, runs),
        _ => Answer::Right,
    }
}

/// The effect that the first line states, against the same two placements by hand.
fn effect(told: &Told, runs: &[HandRun]) -> Answer {
    let Some(effect) = &told.effect else { return Answer::Wrong("no effect was said".to_owned()) };
    match hand::gain(runs, &tried(&effect.from, runs), &tried(&effect.to, runs)) {
        Some(truth) => contains(effect.gain, truth),
        None => Answer::Open(format!("{} and {} were not run by hand", effect.from, effect.to)),
    }
}

/// Whether an interval holds the truth, or nearly.
fn contains(said: Gain, truth: Gain) -> Answer {
    let (low, high) = (said.low / NEAR, said.high * NEAR);
    if low <= truth.ratio && truth.ratio <= high {
        return Answer::Right;
    }
    let what = format!("said {}, true {}", shown(said), shown(truth));
    if low <= truth.high && truth.low <= high { Answer::Open(what) } else { Answer::Wrong(what) }
}

fn finding(case: &Case, told: &Told) -> Answer {
    let missing: Vec<&str> =
        case.findings.iter().filter(|id| !told.findings.contains(id)).map(String::as_str).collect();
    let known = |id: &&String| {
        *id == NOT_JUDGED || [&case.findings, &case.either, &case.may].iter().any(|list| list.contains(id))
    };
    let wrong: Vec<&str> = told.findings.iter().filter(|id| !known(id)).map(String::as_str).collect();
    let mut reasons = Vec::new();
    if !missing.is_empty() {
        reasons.push(format!("{} is missing", missing.join(", ")));
    }
    if !case.either.is_empty() && !case.either.iter().any(|id| told.findings.contains(id)) {
        reasons.push(format!("{} is missing", case.either.join(" or ")));
    }
    if !wrong.is_empty() {
        reasons.push(format!("{} is not so", wrong.join(", ")));
    }
    if reasons.is_empty() { Answer::Right } else { Answer::Wrong(reasons.join("; ")) }
}

fn cure(case: &Case, told: &Told, runs: &[HandRun]) -> Answer {
    if let (NOT_KEPT, Some(effect)) = (told.case.as_str(), &told.effect) {
        return Answer::Open(format!("its line was said not to keep what {} brings", effect.to));
    }
    let name = match told.recommended.as_deref() {
        None => "none",
        Some(node) if node.starts_with("node") => "one-node",
        Some(other) => other,
    };
    if !case.cures.is_empty() && !case.cures.iter().any(|cure| cure == name) {
        return Answer::Wrong(format!("{name} instead of {}", case.cures.join(" or ")));
    }
    let chosen = told.recommended.as_deref().map_or_else(|| AS_IS.to_owned(), |label| tried(label, runs));
    let (label, _) = best(runs);
    if label == chosen || case.cases.iter().all(|one| one == "too_short") {
        return Answer::Right;
    }
    match hand::gain(runs, &chosen, &label) {
        None => Answer::Open(format!("{chosen} was not run by hand")),
        Some(lost) if lost.ratio <= AS_GOOD || (chosen == AS_IS && lost.ratio <= case.margin()) => {
            Answer::Right
        }
        Some(lost) => {
            let what = format!("{label} is {} better", shown(lost));
            if lost.low > AS_GOOD { Answer::Wrong(what) } else { Answer::Open(what) }
        }
    }
}

/// The printed lines as they were run, each by itself.
fn lines(seed: u64, told: &Told, runs: &[HandRun]) -> Vec<(String, Answer)> {
    let printed = told.lines.iter().enumerate().filter(|_| told.recommended.is_some());
    printed.map(|(k, of)| (of.tool.clone(), line(told, &hand::of_line(seed, k), of, runs))).collect()
}

/// A printed line against the effect that stands beside it; without one, against that of the placement which it is meant to be.
fn line(told: &Told, label: &str, of: &PrintedLine, runs: &[HandRun]) -> Answer {
    let truth = hand::gain(runs, AS_IS, label);
    if let Some(why) = &of.not_measured {
        let truth = truth.map_or_else(String::new, |truth| format!("; true {}", shown(truth)));
        return Answer::NotRun(format!("{why}{truth}"));
    }
    let Some(truth) = truth else {
        let absent = runs.iter().any(|run| run.placement == label && run.status == NOT_FOUND);
        return if absent {
            Answer::Open("it is not in the guest".to_owned())
        } else {
            Answer::Wrong("the line did not run".to_owned())
        };
    };
    let placement = || hand::gain(runs, AS_IS, &tried(told.recommended.as_deref()?, runs));
    let unknown = || Answer::Open("its placement was not run by hand".to_owned());
    of.effect.or_else(placement).map_or_else(unknown, |said| contains(said, truth))
}

/// A placement by hand, or one that is like it: the nodes are alike, and the second was run only where it may not be.
fn tried(label: &str, runs: &[HandRun]) -> String {
    let there = |label: &str| runs.iter().any(|run| run.placement == label);
    if label == "node1" && !there(label) { "node0".to_owned() } else { label.to_owned() }
}

/// `1.50x (1.45 to 1.55)`
pub(super) fn shown(gain: Gain) -> String {
    format!("{:.2}x ({:.2} to {:.2})", gain.ratio, gain.low, gain.high)
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
