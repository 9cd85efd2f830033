//! What the three tables have in common: tasks, the threads of one, the mappings of one.

use std::cmp::Ordering;

use super::Palette;
use super::grid::Column;

/// What a column shows, and what a table can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    Pid,
    Rank,
    Name,
    Threads,
    Busy,
    History,
    Mask,
    Nodes,
    Memory,
    Local,
    /// The memory on a node, by its place in the columns of the residency.
    Node(usize),
    /// The memory on all nodes, a character for each.
    Blocks,
    State,
    Cpu,
    Moves,
    Faults,
    Time,
    Address,
    UsedFor,
    Policy,
    Page,
}

impl By {
    /// What the line above the table calls it.
    pub fn words(self) -> &'static str {
        match self {
            By::Pid => "number",
            By::Rank => "rank",
            By::Name => "name",
            By::Threads => "number of threads",
            By::Busy | By::History => "CPU",
            By::Mask => "allowed CPUs",
            By::Nodes => "node",
            By::Memory | By::Blocks => "memory",
            By::Local => "local share",
            By::Node(_) => "memory on a node",
            By::State => "state",
            By::Cpu => "CPU number",
            By::Moves => "migrations",
            By::Faults => "page faults",
            By::Time => "CPU time",
            By::Address => "address",
            By::UsedFor => "use",
            By::Policy => "policy",
            By::Page => "page size",
        }
    }

    /// Amounts begin with the largest, names with the first.
    pub fn largest_first(self) -> bool {
        matches!(
            self,
            By::Busy | By::Memory | By::Node(_) | By::Moves | By::Faults | By::Time | By::Threads | By::Page
        )
    }

    /// A table can be sorted by it.
    pub fn sortable(self) -> bool {
        !matches!(self, By::History | By::Blocks)
    }
}

/// What a row is, across looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowId(pub u64, pub u64);

/// How something is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// Of less interest, or gone.
    Dim,
    Good,
    /// Worth a look.
    Warn,
    Bad,
    Accent,
}

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

/// A table. Rows are numbered as the look has them; order and filter are the view's.
pub trait Table {
    /// What its rows are: one, several.
    fn noun(&self) -> (&'static str, &'static str);
    fn columns(&self, width: u16) -> Vec<Column>;
    fn rows(&self) -> usize;
    fn id(&self, row: usize) -> RowId;
    /// `needle` is in small letters.
    fn matches(&self, row: usize, needle: &str) -> bool;
    /// The smaller first; what could not be had comes before everything.
    fn compare(&self, a: usize, b: usize, by: By) -> Ordering;
    fn cell(&self, row: usize, by: By, width: u16, palette: Palette) -> Cell;
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
pub fn arrange(table: &dyn Table, filter: &str, by: By, reverse: bool) -> Vec<usize> {
    let needle = filter.to_lowercase();
    let passes = |row: &usize| needle.is_empty() || table.matches(*row, &needle);
    let mut rows: Vec<usize> = (0..table.rows()).filter(passes).collect();
    let down = by.largest_first() != reverse;
    // Stable, and equal rows keep the order of their numbers in both directions.
    rows.sort_by(|&a, &b| if down { table.compare(b, a, by) } else { table.compare(a, b, by) });
    rows
}
