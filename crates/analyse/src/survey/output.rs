//! What a program prints after a change, beside what it printed before.

use numawise_facts::Reading;
use numawise_facts::objects::OutputChange;
use numawise_units::Ratio;

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;

/// What is shown of a line.
const LONGEST: usize = 120;

/// Compares the outputs of runs before and after a change; `None` is one that was not kept as a whole. Lines that differ from run to run of the same
/// program, such as times, say nothing and are left out.
pub fn output_change(before: &[Option<String>], after: &[Option<String>]) -> Reading<OutputChange> {
    let (Some(before), Some(after)) = (lines_of(before), lines_of(after)) else {
        return Reading::unavailable("it prints more than is kept");
    };
    if before.len() < 2 || after.is_empty() {
        return Reading::unavailable("it ran too few times to know what changes from run to run");
    }
    let (Some(count), Some(new_count)) = (same_length(&before), same_length(&after)) else {
        return Reading::unavailable("it prints another number of lines in each run");
    };
    if count == 0 && new_count == 0 {
        return Reading::unavailable("it prints nothing");
    }
    let (mut same, mut largest): (u32, Option<(f64, &str, &str)>) = (0, None);
    for at in 0..count.max(new_count) {
        let is_missing = at >= count || at >= new_count;
        let (old, new) = (stable(&before, at), stable(&after, at));
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) => (old, new),
            (old, new) if is_missing && (old.is_some() || new.is_some()) => {
                (old.unwrap_or_default(), new.unwrap_or_default())
            }
            _ => continue,
        };
        if old == new {
            same += 1;
            continue;
        }
        match difference(old, new) {
            Some(by) if !is_missing => {
                if largest.as_ref().is_none_or(|(most, ..)| by > *most) {
                    largest = Some((by, old, new));
                }
            }
            _ => return Reading::Measured(OutputChange::Text { before: cut(old), after: cut(new) }),
        }
    }
    Reading::Measured(match largest {
        Some((by, old, new)) => {
            OutputChange::Numbers { largest: Ratio(by), before: cut(old), after: cut(new) }
        }
        None if same == 0 => return Reading::unavailable("each line of its output differs from run to run"),
        None => OutputChange::Same { lines: same, of: count as u32 },
    })
}

/// The lines of each output; none where one was not kept.
fn lines_of(outputs: &[Option<String>]) -> Option<Vec<Vec<&str>>> {
    outputs.iter().map(|output| Some(output.as_deref()?.lines().collect())).collect()
}

/// A line that is the same in all runs.
fn stable<'a>(of: &[Vec<&'a str>], at: usize) -> Option<&'a str> {
    of[0].get(at).copied().filter(|line| of.iter().all(|run| run.get(at) == Some(line)))
}

fn same_length(of: &[Vec<&str>]) -> Option<usize> {
    let first = of[0].len();
    of.iter().all(|run| run.len() == first).then_some(first)
}

fn cut(line: &str) -> String {
    line.trim().chars().take(LONGEST).collect()
}

/// The largest difference of two numbers of lines with the same words, of the larger one; none where their words differ.
fn difference(old: &str, new: &str) -> Option<f64> {
    let (old, new) = (words(old), words(new));
    if old.len() != new.len() {
        return None;
    }
    old.iter()
        .zip(&new)
        .map(|(old, new)| of_words(old, new))
        .try_fold(0.0_f64, |most, by| Some(most.max(by?)))
}

/// Split where no number goes on.
fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| c.is_whitespace() || "=,;:()[]<>|\"'".contains(c))
        .filter(|word| !word.is_empty())
        .collect()
}

fn of_words(old: &str, new: &str) -> Option<f64> {
    if old == new {
        return Some(0.0);
    }
    let (old, new) = (number(old)?, number(new)?);
    let by = (old - new).abs() / old.abs().max(new.abs());
    // What is no number any more has no difference.
    if old == new { Some(0.0) } else { by.is_finite().then_some(by) }
}

/// As C and Fortran print it.
fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| word.replace(['D', 'd'], "e").parse().ok())
}
