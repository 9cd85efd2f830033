//! What ranks do again and again.

use numawise_tables::snapshot::{OddRepetition, TracePeriod};

use super::super::words;
use super::call;
use crate::amount::many;
use crate::document::{Block, Cell, Column, Row, Table, section};

/// What repeats, and what differs.
pub fn section_of(of: &TracePeriod) -> Block {
    let [short, long] = of.nine_of_ten;
    let text = format!(
        "{}, from one call of {} to the next: median {}, nine of ten take {short} to {long}; the first one begins at {}",
        many(of.repetitions, "repetition"),
        call(&of.from),
        of.median,
        of.begin
    );
    let mut blocks = vec![Block::Paragraph(text.into())];
    if !of.oddest.is_empty() {
        let row = |odd: &OddRepetition| -> Row {
            let differs = odd.length.0 as f64 / of.median.0.max(1) as f64;
            let cells: [Cell; 4] = [
                odd.number.to_string().into(),
                odd.begin.to_string().into(),
                odd.length.to_string().into(),
                format!("{differs:.2}").into(),
            ];
            cells.into_iter().collect()
        };
        let columns = vec![
            Column::number("outlier"),
            Column::number("begins at"),
            Column::number("takes"),
            Column::number("times the median"),
        ];
        let rows = of.oddest.iter().map(row).collect();
        blocks.push(Block::Table(Table { columns, rows, most: words::limits(8) }));
        blocks.push(Block::Legend(
            format!("{} in all; --from and --to show one", many(of.odd, "outlier")).into(),
        ));
    }
    section("period", "What repeats", blocks)
}
