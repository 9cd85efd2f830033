//! The trace of another tool.

use numawise_tables::snapshot::{RunTrace, TraceEvents};
use serde_json::json as object;

use super::super::events;
use super::{WORDS, headline, json, parts, sections};
use crate::amount::many;
use crate::document::{Block, Document, Fact, Opening, Text, Tone, list};

/// The trace of another tool, of which nothing else is known.
#[derive(Debug, Clone, Copy)]
pub struct ForeignTrace<'a> {
    /// The file that it was read from.
    pub archive: &'a str,
    /// The tool that wrote it, by its own name.
    pub creator: &'a str,
    pub events: u64,
    /// What had to be assumed, each a sentence without its end.
    pub assumed: &'a [String],
    pub trace: &'a RunTrace,
    /// Its calls one by one, for a page that draws them.
    pub drawn: Option<&'a TraceEvents>,
}

/// As people read it.
pub fn foreign_document(of: &ForeignTrace<'_>) -> Document {
    let fact = |name, text: Text| Fact { name, text, code: false };
    let mut blocks = vec![Block::Facts(vec![
        Fact { name: "Archive", text: of.archive.into(), code: true },
        fact("Written by", if of.creator.is_empty() { "it does not say" } else { of.creator }.into()),
        fact(
            "Events",
            format!(
                "{}; {}",
                of.events,
                format_args!("{} with both ends", many(of.trace.messages, "message"))
            )
            .into(),
        ),
    ])];
    blocks.extend(sections(of.trace, FOREIGN_ROWS, events::block(of.drawn, Some(of.archive), &parts())));
    blocks.extend(list("assumed", "What was assumed", of.assumed));
    Document {
        tool: "numawise report",
        title: format!("Trace: {}", of.archive),
        opening: Opening {
            headline: headline(of.trace),
            tone: Tone::default(),
            effect: None,
            sentence: None,
        },
        blocks,
        charts: of.drawn.map(|drawn| events::charts(drawn, &WORDS)),
        width: 100,
    }
}

/// Rows of each table.
const FOREIGN_ROWS: usize = 16;

/// For scripts.
pub fn foreign_json(of: &ForeignTrace<'_>) -> String {
    let document = object!({
        "schema": "numawise/trace/1",
        "headline": headline(of.trace),
        "archive": of.archive,
        "creator": of.creator,
        "events": of.events,
        "assumed": of.assumed,
        "trace": json(Some(of.trace)),
    });
    format!("{document:#}\n")
}
