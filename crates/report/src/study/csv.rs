//! The points of a study as CSV: one row each, with a column for each factor.

use numawise_facts::Reading;

use super::{ShownStudy, figures};
use crate::csv::quoted;

/// With a row of names; an empty cell is a figure that is unavailable, whose reason JSON has.
pub fn csv(shown: &ShownStudy<'_>) -> String {
    const COUNTS: [&str; 4] = ["workers", "n", "failures", "disturbed"];
    const COMPARED: [&str; 4] = ["speedup", "speedup_low", "speedup_high", "efficiency"];
    let tables = shown.tables;
    let others = tables.rows.first().map_or(&[][..], |row| row.others.as_slice());
    let factors = tables.factors.iter().map(|factor| factor.name.as_str());
    let names = factors.chain(COUNTS).chain(figures::NAMES).chain(COMPARED).map(str::to_owned);
    let of_others = others.iter().flat_map(|of| figures::NAMES.map(|figure| format!("{}_{figure}", of.name)));
    let mut text = line(names.chain(of_others).chain(["command".to_owned()]));
    // The rows are in the order of the runs of the grid.
    let runs = shown.study.header.grid.iter().flat_map(|grid| &grid.runs);
    for (run, row) in runs.zip(&tables.rows) {
        let number = |of: &Reading<f64>| of.measured().map_or_else(String::new, ToString::to_string);
        let speedup = row.speedup.measured();
        let ratio = |of: Option<f64>| of.map_or_else(String::new, |ratio| ratio.to_string());
        let counts = [
            row.workers.map_or_else(String::new, |workers| workers.to_string()),
            row.repeats.to_string(),
            row.failures.to_string(),
            row.disturbed.to_string(),
        ];
        let compared = [
            ratio(speedup.map(|effect| effect.ratio.0)),
            ratio(speedup.map(|effect| effect.low.0)),
            ratio(speedup.map(|effect| effect.high.0)),
            ratio(row.efficiency.measured().map(|effect| effect.ratio.0)),
        ];
        let own = figures::of_row(row).map(number);
        let others = row.others.iter().flat_map(|of| figures::of_other(of).map(number));
        let figures = counts.into_iter().chain(own).chain(compared).chain(others);
        text += &line(row.levels.iter().cloned().chain(figures).chain([run.command.shell_line()]));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| quoted(&cell)).collect();
    format!("{}\n", cells.join(","))
}
