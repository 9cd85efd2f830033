//! What the three tables have in common: tasks, the threads of one, the mappings of one.

use std::cmp::Ordering;

use numawise_units::Arrange;

use crate::columns::{Column, Field};
use crate::style::{Palette, Tone};

/// What a row is, across samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowId(pub u64, pub u64);

/// What stands in a column of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub tone: Tone,
}

impl Cell {
    pub fn plain(text: impl Into<String>) -> Self {
        Cell { text: text.into(), tone: Tone::Plain }
    }

    /// What could not be had.
    pub fn missing() -> Self {
        Cell { text: "?".to_owned(), tone: Tone::Dim }
    }
}

/// A table. Rows are numbered as the sample has them; order and filter are the view's.
pub trait Table {
    /// What its rows are: one, several.
    fn noun(&self) -> (&'static str, &'static str);
    fn columns(&self, width: u16) -> Vec<Column>;
    fn rows(&self) -> usize;
    fn id(&self, row: usize) -> RowId;
    /// `needle` is in small letters.
    fn matches(&self, row: usize, needle: &str) -> bool;
    /// The smaller first; what could not be had comes before everything.
    fn compare(&self, a: usize, b: usize, by: Field) -> Ordering;
    fn cell(&self, row: usize, by: Field, width: u16, palette: Palette) -> Cell;
    /// The row is of something that has ended.
    fn ended(&self, _: usize) -> bool {
        false
    }
    /// What stands in place of rows, when there are none.
    fn nothing(&self) -> String;
}

/// Orders figures that may be missing.
pub fn order(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.is_some().cmp(&b.is_some()),
    }
}

/// The rows that pass the filter, in order.
pub fn arrange(table: &dyn Table, filter: &str, by: Field, reverse: bool) -> Vec<usize> {
    let needle = filter.to_lowercase();
    let passes = |row: &usize| needle.is_empty() || table.matches(*row, &needle);
    let mut rows: Vec<usize> = (0..table.rows()).filter(passes).collect();
    let down = by.largest_first() != reverse;
    // Stable, and equal rows keep the order of their numbers in both directions.
    rows.arrange_by(|&a, &b| if down { table.compare(b, a, by) } else { table.compare(a, b, by) });
    rows
}
