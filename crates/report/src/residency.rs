//! Where a job's threads and pages are: as a document, as JSON and as CSV.

mod csv;
mod document;
mod groups;
mod json;

pub use csv::{HEADER, csv, rows};
pub use document::{ResidencyDetail, document};
pub use json::{SCHEMA, json};

#[cfg(test)]
mod sample;
#[cfg(test)]
#[path = "residency_tests.rs"]
mod tests;
