//! A check: one document for the terminal and for HTML, and JSON, with the same findings in the same words.
//!
//! [`words`](self) holds what both say; each of them only lays it out. Nothing is computed here that a person might
//! want to argue with: that is in the [`Analysis`].

mod data;
mod details;
mod document;
mod json;
pub mod lines;
mod nodes;
mod points;
pub(crate) mod words;

use numawise_facts::Study;
use numawise_tables::Analysis;

pub use crate::amount::moment;
pub use document::document;
pub use json::{SCHEMA, json};

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    pub study: &'a Study,
    pub analysis: &'a Analysis,
    pub from_now_on: &'a UseFromNowOn,
    /// The file of the record, as the reader would type it.
    pub record: &'a str,
    /// The program's memory objects, with the cures that were tried; nothing where they were not followed.
    pub objects: Option<crate::objects::Shown<'a>>,
}

/// The command to use from now on, ready to be typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UseFromNowOn {
    pub line: String,
    /// The equivalent commands of other tools: the tool and its line.
    pub equivalents: Vec<(String, String)>,
    /// What to know before using it, one sentence each.
    pub comments: Vec<String>,
}
