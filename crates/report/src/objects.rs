//! Memory objects of a run: one document for the terminal and for HTML, and JSON.

mod code;
mod cures;
mod data;
mod described;
mod document;
mod json;
mod views;
pub(crate) mod words;

use numawise_facts::ObjectRun;
use numawise_facts::objects::AccessMethod;
use numawise_tables::ObjectTables;

pub(crate) use cures::text as cure;
pub use cures::{CureOptions, to_try};
pub(crate) use described::described;
pub(crate) use document::blocks;
pub use document::document;
pub use json::{LIVE_SCHEMA, SCHEMA, json, live_json};
pub(crate) use json::{part, share, value};

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub run: &'a ObjectRun,
    pub tables: &'a ObjectTables,
    /// Where the run is kept, if anywhere.
    pub record: Option<&'a str>,
}

impl Shown<'_> {
    /// How it was found out which memory a sample is of.
    fn method(&self) -> AccessMethod {
        self.run.watching.time.measured().map_or(AccessMethod::Waited, |time| time.method)
    }
}
