//! The page of a viewer, and what its script fetches: names, and windows of the timeline.
//!
//! A window is whole numbers as those of [events](super::events): version of the names, thousandths that are read, 1 where more is known soon, begin,
//! length, first row, last row, columns, groups, the first row of each; then of each group and column so many bytes as there are states; then its
//! events.

use numawise_facts::RankSet;
use numawise_tables::snapshot::{TraceEvents, TraceWindow};
use numawise_units::packed::Packed;
use numawise_units::{Bytes, Nanoseconds};
use serde_json::{Value, json};

use super::{events, trace};
/// What the page may load, and from whom.
pub use crate::document::POLICY_OF_SERVED as POLICY;
use crate::document::{self, Block, Charts, Document, Events, Fact, Opening};

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;

/// How much of a trace is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Its streams are read.
    Streams,
    /// They are analysed.
    Analysed,
    /// The analysis would need more memory than there is.
    TooLarge { needs: Bytes, available: Bytes },
    /// All.
    Whole,
}

/// What the page is of.
#[derive(Debug, Clone, Copy)]
pub struct ShownView<'a> {
    /// The file, as the reader would type it.
    pub file: &'a str,
    pub command: Option<&'a str>,
    /// The part that is shown first.
    pub first: [Option<Nanoseconds>; 2],
    /// Of these ranks; none: of all.
    pub ranks: Option<&'a RankSet>,
}

/// The page, whose script fetches the rest.
pub fn page(of: &ShownView<'_>) -> String {
    let fact = |name, text: &str| Fact { name, text: text.into(), code: true };
    let mut facts = vec![fact("Trace", of.file)];
    facts.extend(of.command.map(|command| fact("Program", command)));
    let drawn = Events {
        label: "Ranks from top to bottom, time from left to right, by what each did".to_owned(),
        parts: trace::parts().to_vec(),
        packed: String::new(),
    };
    let first = of.first.map(|moment| moment.map(|moment| moment.0));
    document::served(&Document {
        tool: "numawise view",
        title: format!("Trace: {}", of.file),
        opening: Opening { headline: "Timeline".to_owned(), ..Opening::default() },
        blocks: vec![Block::Events(drawn), Block::Facts(facts)],
        charts: Some(Charts {
            data: json!({ "events": { "first": first, "ranks": of.ranks.map(ToString::to_string) } }),
            scripts: events::scripts_alone(),
        }),
        width: 100,
    })
}

/// What numbers stand for, until there is another version.
pub fn names(events: &TraceEvents, known: Known, version: u64) -> String {
    let mut names = events::data(Some(events), &trace::WORDS);
    if let Value::Object(names) = &mut names {
        names.insert("version".to_owned(), version.into());
        names.insert("note".to_owned(), note(known).into());
        names.insert("goes_on".to_owned(), matches!(known, Known::Streams | Known::Analysed).into());
    }
    names.to_string()
}

/// What of it is not known; empty where all is.
fn note(known: Known) -> String {
    const UNKNOWN: &str = "Messages, collective calls, what waits and states in OpenMP are not known";
    match known {
        Known::Streams => format!("{UNKNOWN} yet: the trace is read"),
        Known::Analysed => format!("{UNKNOWN} yet: the trace is analysed"),
        Known::TooLarge { needs, available } => format!(
            "{UNKNOWN}: the analysis would need some {needs} of memory, and {available} are free; a computer with more shows them"
        ),
        Known::Whole => String::new(),
    }
}

/// A window; `read`: how much of the trace was, in thousandths.
pub fn window(of: &TraceWindow<'_>, version: u64, read: u64) -> Vec<u8> {
    let mut out = Packed::default();
    let asked = &of.of;
    let columns = if of.groups.is_empty() { 0 } else { asked.columns };
    let head = [version, read, u64::from(of.is_rough), asked.from.0, asked.to.0.saturating_sub(asked.from.0)];
    head.into_iter().for_each(|number| out.number(number));
    let rest = [asked.top, asked.bottom, columns, of.groups.len() as u32];
    rest.iter().chain(&of.groups).for_each(|number| out.number((*number).into()));
    let mut bytes = out.into_bytes();
    bytes.extend(&of.shares);
    bytes.extend(events::packed(&of.events));
    bytes
}
