//! A check as text for the terminal, as JSON, and as one HTML file: the same findings in the same words.
//!
//! [`words`](self) holds what all three say; each of them only lays it out. Nothing is computed here that a person might
//! want to argue with: that is in the [`Analysis`].

pub(crate) mod amount;
mod html;
mod json;
mod points;
mod terminal;
pub(crate) mod words;

use numawise_facts::{Point, Study};
use numawise_tables::Analysis;

use crate::notice;

pub use amount::moment;
pub use html::html;
pub use json::{SCHEMA, json};
pub use terminal::terminal;

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    pub study: &'a Study,
    pub analysis: &'a Analysis,
    pub from_now_on: &'a UseFromNowOn,
    /// The file of the record, as the reader would type it.
    pub record: &'a str,
}

impl Check<'_> {
    /// What the verdict does not cover, and what the plans of the points give warning of.
    fn caveats(&self) -> Vec<String> {
        let of_point = |point: &Point| -> Vec<String> {
            let text = |warning| format!("{}: {}", point.id, notice::text(warning));
            point.placement.warnings.iter().map(text).collect()
        };
        let of_plans = self.study.header.points.iter().flat_map(of_point);
        self.analysis.verdict.caveats.iter().cloned().chain(of_plans).collect()
    }
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
