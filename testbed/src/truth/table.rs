//! `docs/truth.md`: all cases, the truth, what was said, and whether it is right.

use std::fmt::Write as _;

use super::attempt::Kept;
use super::cases::Case;
use super::hand::{self, Gain};
use super::judge::{self, Answer, Judgement};
use super::told::Told;

/// A check of a case, judged.
pub(super) struct Row<'a> {
    pub case: &'a Case,
    pub kept: &'a Kept,
    pub seed: u64,
    pub told: Option<Told>,
    pub judgement: Judgement,
}

/// The rows of a case, one for each check.
pub(super) fn rows<'a>(case: &'a Case, kept: &'a Kept) -> Vec<Row<'a>> {
    let row = |check: &super::attempt::Check| {
        let told = Told::of(&check.told);
        let silent = || Answer::Wrong("no answer".to_owned());
        let nothing =
            || Judgement { verdict: silent(), finding: silent(), cure: silent(), lines: Vec::new() };
        let judged = |told| judge::judge(case, check.seed, told, &kept.hand);
        let judgement = told.as_ref().map_or_else(nothing, judged);
        Row { case, kept, seed: check.seed, told, judgement }
    };
    kept.checks.iter().map(row).collect()
}

/// What is judged, in the order of `Judgement::answers`.
const JUDGED: [&str; 4] = ["verdict", "finding", "cure", "line"];

const HEAD: &str = "# What is true, and what was said

Programs that nobody tuned for, most with a trap: each was placed by hand (numactl, and workers that pin themselves), and then
checked, in the same emulated machine. [cases.toml](../native/workloads/cases/cases.toml) has the command and machine of each, and what follows from
how it is made. Made by `make truth`. After *gains*, what is said to be used is the placement behind *by*.

A *verdict* is right if the first line fits the program, and the interval of its effect holds what was measured by hand, or misses it by
5 % at most; \"nothing to gain\" if nothing by hand brings more than 5 %. *Findings* are right if those of the program are there, and no
others. A *cure* is right if it is the best placement by hand, or within 3 % of it. A *line* is right if it was run as printed, and had the
effect printed beside it, or misses its interval by 5 % at most; each printed line is judged. *not run*: printed with why its effect was not
measured. `?`: the runs by hand differ too much. Effects are how many times as fast, with 95 % intervals.
";

/// The whole document.
pub(super) fn document(rows: &[Row<'_>], missing: &[&str]) -> String {
    let mut text = HEAD.to_owned();
    let mut hosts: Vec<&str> = rows.iter().map(|row| row.kept.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let _ = writeln!(text, "\nGuests ran on {}.\n", hosts.join("; and on "));
    text += &totals(rows);
    if !missing.is_empty() {
        let _ = writeln!(text, "\nNot measured: {}.", missing.join(", "));
    }
    text += "\n## The cases\n\n| case | truth by hand | said | verdict | finding | cure | line |\n|---|---|---|---|---|---|---|\n";
    for row in rows {
        let cells = row.judgement.answers().map(|answers| cell(&answers)).join(" | ");
        let _ = writeln!(text, "| {} | {} | {} | {cells} |", name(row), truth(row), said(row));
    }
    text += &wrong(rows);
    text
}

/// A row in a line, for progress.
pub(super) fn line(row: &Row<'_>) -> String {
    let cells = row.judgement.answers().map(|answers| cell(&answers)).join(" ");
    format!("{}: {} | {} | {cells}", name(row), truth(row), said(row))
}

fn totals(rows: &[Row<'_>]) -> String {
    let mut text = "| | right | wrong | ? | not run |\n|---|---|---|---|---|\n".to_owned();
    for (k, name) in JUDGED.into_iter().enumerate() {
        let answers: Vec<&Answer> = rows.iter().flat_map(|row| row.judgement.answers()[k].clone()).collect();
        let count = |wanted: fn(&Answer) -> bool| answers.iter().filter(|answer| wanted(answer)).count();
        let right = count(|answer| matches!(answer, Answer::Right));
        let wrong = count(|answer| matches!(answer, Answer::Wrong(_)));
        let open = count(|answer| matches!(answer, Answer::Open(_)));
        let not_run = count(|answer| matches!(answer, Answer::NotRun(_)));
        let all = answers.len();
        let _ = writeln!(text, "| {name} | {right} of {all} | {wrong} | {open} | {not_run} |");
    }
    let mut spoiled: Vec<&str> =
        rows.iter().filter(|row| row.kept.spoiled.is_some()).map(|row| row.case.name.as_str()).collect();
    spoiled.dedup();
    if !spoiled.is_empty() {
        let _ = writeln!(text, "\nThe host was busy with other work meanwhile: {}.", spoiled.join(", "));
    }
    text
}

/// Why each answer that is not right is not.
fn wrong(rows: &[Row<'_>]) -> String {
    let mut text = String::new();
    for row in rows {
        let Judgement { verdict, finding, cure, lines } = &row.judgement;
        let fixed = [("verdict", verdict), ("finding", finding), ("cure", cure)];
        let fixed = fixed.map(|(what, answer)| (what.to_owned(), answer));
        let lines = lines.iter().map(|(tool, answer)| (format!("line of {tool}"), answer));
        for (what, answer) in fixed.into_iter().chain(lines) {
            let _ = match answer {
                Answer::Wrong(why) => writeln!(text, "- {}, {what}: {why}", name(row)),
                Answer::Open(why) => writeln!(text, "- {}, {what}: unclear: {why}", name(row)),
                Answer::NotRun(why) => writeln!(text, "- {}, {what}: {why}", name(row)),
                Answer::Right => Ok(()),
            };
        }
    }
    if text.is_empty() { text } else { format!("\n### What is not right\n\n{text}") }
}

fn name(row: &Row<'_>) -> String {
    if row.case.seeds.len() == 1 {
        row.case.name.clone()
    } else {
        format!("{}, seed {}", row.case.name, row.seed)
    }
}

/// One mark where all answers are alike, else how many there are of each.
fn cell(answers: &[&Answer]) -> String {
    let marks: Vec<&str> = answers.iter().map(|answer| mark(answer)).collect();
    let of_each = MARKS.map(|mark| (mark, marks.iter().filter(|one| **one == mark).count()));
    let there: Vec<(&str, usize)> = of_each.into_iter().filter(|(_, count)| *count > 0).collect();
    match there[..] {
        [(mark, _)] => mark.to_owned(),
        _ => there.iter().map(|(mark, count)| format!("{count} {mark}")).collect::<Vec<_>>().join(", "),
    }
}

const MARKS: [&str; 4] = ["yes", "**no**", "?", "not run"];

fn mark(answer: &Answer) -> &'static str {
    let place = match answer {
        Answer::Right => 0,
        Answer::Wrong(_) => 1,
        Answer::Open(_) => 2,
        Answer::NotRun(_) => 3,
    };
    MARKS[place]
}

/// What the best placement brings, and what remote memory costs.
fn truth(row: &Row<'_>) -> String {
    let runs = &row.kept.hand;
    let (label, gain) = judge::best(runs);
    let as_is = hand::median(runs, hand::AS_IS).map_or_else(String::new, |s| format!("{:.0} ms; ", 1e3 * s));
    let best = if label == hand::AS_IS {
        "nothing is better".to_owned()
    } else {
        format!("{label} {}", judge::shown(gain))
    };
    let remote = judge::remote(runs)
        .map_or_else(String::new, |Gain { ratio, .. }| format!("; remote {:.2}x", 1.0 / ratio));
    format!("{as_is}{best}{remote}")
}

fn said(row: &Row<'_>) -> String {
    let Some(told) = &row.told else { return "no answer".to_owned() };
    let effect = told
        .effect
        .as_ref()
        .map_or_else(String::new, |effect| format!(" {} by {}", judge::shown(effect.gain), effect.to));
    let findings = if told.findings.is_empty() { "no finding".to_owned() } else { told.findings.join(", ") };
    let by = told.effect.as_ref().map(|effect| &effect.to);
    let other = told.recommended.as_ref().filter(|recommended| Some(*recommended) != by);
    let other = other.map_or_else(String::new, |other| format!("; use {other}"));
    format!("{}{effect}; {findings}{other}", told.case)
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
