//! A run that was watched from inside: one document for the terminal and for HTML, and JSON.

mod compare;
mod counters;
mod csv;
mod document;
mod events;
mod figure;
mod figures;
mod files;
mod hybrid;
mod json;
mod mpi;
mod next;
mod objects;
mod openmp;
mod phases;
mod processes;
mod spreads;
mod summary;
mod surroundings;
pub(crate) mod trace;
pub mod view;
mod volume;
pub(crate) mod words;
mod worlds;

use numawise_facts::WatchedRun;
use numawise_tables::RunSnapshot;
use numawise_tables::objects::RankObjects;
use numawise_tables::snapshot::TraceEvents;

pub use compare::{Compared, compare_document, compare_json};
pub use csv::{CsvTable, ParseTableError, TABLES, csv, table as csv_table};
pub use document::document;
pub(crate) use events::{construct_in, phase_names};
pub use hybrid::{ShownDivisions, divisions_document, divisions_json};
pub use json::{SCHEMA, json};
pub use phases::name as phase_name;
pub use summary::summary;
pub use trace::{ForeignTrace, foreign_document, foreign_json};

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub run: &'a WatchedRun,
    pub tables: &'a RunSnapshot,
    /// Memory objects, where these were followed.
    pub objects: Option<&'a RankObjects>,
    /// Calls of a trace one by one, for a page that draws them.
    pub events: Option<&'a TraceEvents>,
    /// The file, as the reader would type it, where it is kept.
    pub record: Option<&'a str>,
}
