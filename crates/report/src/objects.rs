//! Memory objects of a run: one document for the terminal and for HTML, and JSON.

mod cures;
mod data;
mod described;
mod document;
mod json;
mod views;
mod words;

use numawise_facts::ObjectRun;
use numawise_tables::ObjectTables;

pub use document::document;
pub use json::{SCHEMA, json};

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub run: &'a ObjectRun,
    pub tables: &'a ObjectTables,
    /// Where the run is kept, if anywhere.
    pub record: Option<&'a str>,
}
