//! A job over time: as text for the terminal, as JSON and as one HTML file.

mod html;
mod json;
pub(crate) mod spark;
mod terminal;
mod words;

use numawise_tables::Timeline;

pub use html::html;
pub use json::{SCHEMA, json};
pub use terminal::terminal;

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Series<'a> {
    pub timeline: &'a Timeline,
    /// The file, as the reader would type it.
    pub record: &'a str,
}
