//! The record of a study: one SQLite file, written trial by trial; the series of samples of a running job, another; a run that was
//! watched from inside, a third; the memory objects of a run, a fourth; and what was measured of a machine, a JSON file.
//!
//! This crate turns a [`StudyHeader`](numawise_facts::StudyHeader) and its trials into tables and back, keeps two writers
//! apart, and refuses what it cannot read. It does not know how a trial is run or what its numbers mean: every number is
//! kept raw, and every reason why there is none is kept beside it.
//!
//! The formats are described in `docs/formats/`: `nw-file.md`, `nw-series.md`, `nw-snapshot.md`, `nw-objects.md`,
//! `profile-json.md`. A [`Record`] and a [`Series`] are `Send` and not `Sync`.

mod cell;
mod error;
mod file;
mod guard;
mod lines;
mod lock;
mod make;
mod object_rows;
mod objects;
mod read;

mod same;
mod schema;
mod series;
mod source;
mod stored;
mod study;
mod valid;
mod watched;
mod whole;
mod write;

pub use error::RecordError;
pub use file::kind;
pub use objects::{object_run_is_sound, object_run_may_be_saved, read_object_run, save_object_run};
pub use same::{Difference, Item};
pub use schema::RecordKind;
pub use series::Series;
pub use study::Record;
pub use watched::{
    OpenPart, PartBin, PartOverview, StreamPart, TraceStreams, add_seen_part, add_span_part, add_trace_part,
    read_watched_run, save_watched_run, seen_part, span_parts, trace_parts, watched_run_may_be_saved,
};
pub use whole::Existing;
