//! What people and scripts see: facts as text for the terminal, as JSON and as HTML.
//!
//! This crate is pure: values in, text out. It opens no record, computes no statistics and prints nothing; who calls it
//! says whether there are colours and how wide a line is.

pub mod amount;
pub mod check;
mod csv;
pub mod document;
mod findings;
mod frequency;
mod levels;
pub mod machine;
pub mod moved;
pub mod names;
pub mod notice;
pub mod numactl;
mod object;
pub mod objects;
mod page_text;
pub mod perfetto;
mod picture;
pub mod placed;
pub mod plan;
pub mod prediction;
pub mod profile;
mod program;
pub mod residency;
pub mod series;
mod settings;
pub mod snapshot;
pub mod study;
pub mod survey;
pub mod system_memory;
pub mod trial_table;

pub use levels::title as point_title;
