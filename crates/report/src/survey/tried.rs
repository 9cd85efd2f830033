//! Options of compilers that findings advise: which are tried, and what they brought.

use numawise_facts::objects::{BuildFlags, OutputChange, TriedFlags};
use numawise_facts::{FindingId, Reading};
use numawise_tables::survey::{CompiledLoop, LoopRow};
use numawise_units::Ratio;
use serde_json::{Value, json as object};

use super::{Shown, why};
use crate::document::{self, Block, Column, Row, Table, Text};
use crate::object::reading;
use crate::objects::words::percent;
use crate::program::is_installed;

#[cfg(test)]
#[path = "tried_tests.rs"]
mod tests;

/// What a compiler was not given of what all vectors of the CPU need.
pub fn missing(compiled: Option<&CompiledLoop>) -> Vec<BuildFlags> {
    let lacks = |flags: &[&str]| compiled.is_none_or(|of| !why::has(of, flags));
    let missing = [
        (BuildFlags::Level, lacks(&[BuildFlags::Level.words(), "-Ofast"])),
        (BuildFlags::Native, lacks(&[BuildFlags::Native.words()])),
    ];
    missing.into_iter().filter(|(_, is_missing)| *is_missing).map(|(flags, _)| flags).collect()
}

/// Whether a compiler that may use all vectors uses half of their bits.
pub fn is_half(shown: &Shown, row: &LoopRow) -> bool {
    let compiled = row.compiled.as_ref().and_then(Reading::measured);
    let is_wide = compiled.is_some_and(|of| why::has(of, &[BuildFlags::Width.words()]));
    row.work.vector_bits == 256 && shown.tables.offered.measured() == Some(&512) && !is_wide
}

/// What findings advise, in the order in which it is added: what may change results comes last. Of few samples there are no findings.
pub fn to_try(shown: &Shown) -> Reading<Vec<BuildFlags>> {
    shown.tables.by_use.as_ref().map(|_| advised(shown))
}

fn advised(shown: &Shown) -> Vec<BuildFlags> {
    let mut all = Vec::new();
    for finding in &shown.tables.findings {
        let Some(row) = shown.tables.rows.get(finding.row) else { continue };
        let Some(Reading::Measured(compiled)) = &row.compiled else { continue };
        if is_installed(&row.place.file) {
            continue;
        }
        match finding.id {
            FindingId::LoopScalar => {
                all.extend(compiled.obstacles.iter().filter_map(|obstacle| why::flags(obstacle, compiled)));
                if why::may_need_instructions(compiled) {
                    all.extend(missing(Some(compiled)));
                }
            }
            FindingId::LoopNarrow => {
                all.extend(missing(Some(compiled)));
                all.extend(is_half(shown, row).then_some(BuildFlags::Width));
            }
            _ => {}
        }
    }
    all.sort();
    all.dedup();
    if all.contains(&BuildFlags::FastMath) {
        all.retain(|flags| !matches!(flags, BuildFlags::AnyOrder | BuildFlags::FiniteValues));
    }
    all
}

pub fn section(shown: &Shown) -> Option<Block> {
    let tried = all(shown);
    if tried.is_empty() {
        return None;
    }
    let row = |of: &TriedFlags| {
        let effect =
            Text::of(&of.effect, |effect| format!("{} ({} to {})", effect.ratio, effect.low, effect.high));
        let output = Text::of(&of.output, said);
        [effect, Text::from(BuildFlags::line(&of.flags)), output].into_iter().collect::<Row>()
    };
    let columns = vec![
        Column::text("times as fast"),
        Column::code("built with, besides its own options"),
        Column::text("output"),
    ];
    let rows = tried.iter().map(row).collect();
    Some(document::section("tried", "Options tried", vec![Block::Table(Table { columns, rows, most: None })]))
}

/// The best of those that are faster for sure.
pub fn best(shown: &Shown) -> Option<String> {
    let faster = |of: &&TriedFlags| of.effect.measured().is_some_and(|effect| effect.low.0 > 1.0);
    let ratio = |of: &TriedFlags| of.effect.measured().map_or(0.0, |effect| effect.ratio.0);
    let best = all(shown).iter().filter(faster).max_by(|one, other| ratio(one).total_cmp(&ratio(other)))?;
    let effect = best.effect.measured()?;
    let output = match &best.output {
        Reading::Measured(OutputChange::Same { .. }) => "and prints the same",
        Reading::Measured(OutputChange::Numbers { .. }) => "and prints slightly other numbers: see below",
        Reading::Measured(OutputChange::Text { .. }) => "but prints something else: see below",
        Reading::Unavailable { .. } => "what it prints was not compared",
    };
    let (low, high) = (effect.low, effect.high);
    Some(format!(
        "Built with {} it is {} ({low} to {high}) as fast, {output}.",
        BuildFlags::line(&best.flags),
        effect.ratio
    ))
}

fn all<'a>(shown: &Shown<'a>) -> &'a [TriedFlags] {
    shown.run.code.measured().map_or(&[], |code| &code.tried)
}

fn said(change: &OutputChange) -> String {
    match change {
        OutputChange::Same { lines, of } if lines == of => "the same".to_owned(),
        OutputChange::Same { lines, of } => {
            format!("the same in {lines} of {of} lines; the others differ from run to run")
        }
        OutputChange::Numbers { largest, before, after } => {
            format!(
                "numbers differ by up to {} of their size: \"{before}\" became \"{after}\"",
                fine(*largest)
            )
        }
        OutputChange::Text { before, after } => match (before.as_str(), after.as_str()) {
            ("", after) => format!("CHANGED: \"{after}\" was not there"),
            (before, "") => format!("CHANGED: \"{before}\" is not there any more"),
            _ => format!("CHANGED: \"{before}\" became \"{after}\""),
        },
    }
}

/// The last digits of a result are far below a percent.
fn fine(of: Ratio) -> String {
    if of.0 < 0.001 { format!("{:.0e}", of.0) } else { percent(of) }
}

pub fn json(shown: &Shown) -> Value {
    let one = |of: &TriedFlags| {
        object!({
            "flags": BuildFlags::line(&of.flags),
            "build_seconds": of.build.seconds(),
            "times_as_fast": of.effect,
            "output": reading(&of.output, |change| match change {
                OutputChange::Same { lines, of } => object!({ "change": "none", "lines": lines, "of": of }),
                OutputChange::Numbers { largest, before, after } => object!({
                    "change": "numbers",
                    "largest_percent": 100.0 * largest.0,
                    "before": before,
                    "after": after,
                }),
                OutputChange::Text { before, after } => {
                    object!({ "change": "text", "before": before, "after": after })
                }
            }),
        })
    };
    all(shown).iter().map(one).collect()
}
