//! Where a job's threads and pages are: as text, as JSON and as CSV.

mod csv;
mod groups;
mod json;
mod text;

pub use csv::{HEADER, csv, rows};
pub use json::{SCHEMA, json};
pub use text::text;

#[cfg(test)]
mod sample;
#[cfg(test)]
#[path = "residency_tests.rs"]
mod tests;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal; lines are kept to it where their words allow.
    pub width: usize,
    /// ANSI colours.
    pub colour: bool,
    /// A line for each thread; without it, many threads that are alike share one.
    pub every_thread: bool,
}

impl Style {
    /// For pipes and files.
    pub fn plain() -> Self {
        Style { width: 80, colour: false, every_thread: false }
    }
}
