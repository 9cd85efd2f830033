//! Memory of running processes that was moved: a document for the terminal, and JSON.

use std::collections::BTreeSet;

use numawise_facts::{MovedMemory, Reading, ResidentMemory};
use numawise_units::{Bytes, NodeId};
use serde_json::{Value, json};

use crate::document::{Block, Column, Document, Opening, Row, Table};

#[cfg(test)]
#[path = "moved_tests.rs"]
mod tests;

/// Name and version of the JSON; `docs/formats/move-json.md` says what it holds.
pub const SCHEMA: &str = "numawise/move/1";

/// As JSON.
pub fn json(all: &[MovedMemory]) -> Value {
    let process = |one: &MovedMemory| {
        json!({
            "pid": one.pid,
            "name": one.name,
            "from": one.from,
            "to": one.to,
            "moved_bytes": one.moved(),
            "before": memory(&one.before),
            "after": memory(&one.after),
            "stays": one.stays().map(|stays| -> Vec<Value> {
                stays.iter().map(|(used_for, bytes)| json!({ "use": used_for, "bytes": bytes })).collect()
            }),
            "unmoved_pages": one.unmoved_pages,
            "seconds": one.took.as_ref().map(|took| took.seconds()),
            "bytes_per_second": one.rate(),
            "takes_shared": one.takes_shared,
        })
    };
    json!({ "schema": SCHEMA, "processes": all.iter().map(process).collect::<Vec<_>>() })
}

fn memory(of: &Reading<ResidentMemory>) -> Value {
    let rows = of.as_ref().map(|all| -> Vec<Value> {
        let row = |(used_for, node, bytes): &_| json!({ "use": used_for, "node": node, "bytes": bytes });
        all.iter().map(row).collect()
    });
    json!(rows)
}

/// As a document.
pub fn document(all: &[MovedMemory]) -> Document {
    let (from, to) = all.first().map(|one| (one.from.to_string(), one.to.to_string())).unwrap_or_default();
    let moved = Reading::all(all.iter().map(MovedMemory::moved));
    let of = match all {
        [one] => format!("{} ({})", one.name, one.pid),
        several => format!("{} processes", several.len()),
    };
    let way = format!("of {of} from node {from} to node {to}");
    let headline = match moved {
        Reading::Measured(moved) => {
            let rate = match all {
                [one] => in_time(one),
                _ => String::new(),
            };
            format!("Moved {} {way}{rate}", Bytes(moved.iter().map(|bytes| bytes.0).sum()))
        }
        Reading::Unavailable { unavailable } => {
            format!("Moved memory {way}; how much is unavailable ({unavailable})")
        }
    };
    let mut blocks: Vec<Block> = all.iter().map(|one| Block::Table(table(one, all.len() > 1))).collect();
    blocks.extend(
        all.iter().flat_map(|one| stays(one, all.len() > 1)).map(|line| Block::Paragraph(line.into())),
    );
    blocks.push(Block::Paragraph(
        "What the program takes from now on lies where its memory policy puts it; its threads stay where they are.".into(),
    ));
    Document {
        tool: "numawise move",
        title: headline.clone(),
        opening: Opening { headline, ..Opening::default() },
        blocks,
        charts: None,
        width: 120,
    }
}

/// ` in 12.00 ms (3.4 GB/s)`; nothing where that is not known, which is said elsewhere.
fn in_time(one: &MovedMemory) -> String {
    match (&one.took, one.rate()) {
        (Reading::Measured(took), Reading::Measured(rate)) => format!(" in {took} ({rate})"),
        _ => String::new(),
    }
}

/// Nodes with what is on them before and after.
fn table(one: &MovedMemory, named: bool) -> Table {
    let known = [&one.before, &one.after].into_iter().filter_map(Reading::measured);
    let nodes: BTreeSet<NodeId> = known.flatten().map(|(_, node, _)| *node).collect();
    let title = if named { format!("{} ({})", one.name, one.pid) } else { "node".to_owned() };
    let cell = |of: &Reading<ResidentMemory>, node: NodeId| match of {
        Reading::Measured(all) => {
            Bytes(all.iter().filter(|row| row.1 == node).map(|(.., bytes)| bytes.0).sum()).to_string()
        }
        // The headline says why.
        Reading::Unavailable { .. } => "unavailable".to_owned(),
    };
    let row = |node: NodeId| -> Row {
        [node.to_string(), cell(&one.before, node), cell(&one.after, node)].into_iter().collect()
    };
    let columns = vec![Column::text(&title), Column::number("before"), Column::number("after")];
    Table { columns, rows: nodes.into_iter().map(row).collect(), most: None }
}

/// What is where it was, and why.
fn stays(one: &MovedMemory, named: bool) -> Vec<String> {
    let whose = if named { format!("{} ({}): ", one.name, one.pid) } else { String::new() };
    let mut lines = Vec::new();
    if let (true, Reading::Measured(moved)) = (named, one.moved()) {
        let rate = in_time(one);
        lines.extend((!rate.is_empty()).then(|| format!("{whose}{moved} were moved{rate}.")));
    }
    match (&one.unmoved_pages, one.stays()) {
        (Reading::Unavailable { unavailable }, _) => {
            lines.push(format!("{whose}nothing was moved: {unavailable}."));
        }
        (Reading::Measured(pages), Reading::Measured(stays)) if !stays.is_empty() => {
            let uses: Vec<String> =
                stays.iter().map(|(used_for, bytes)| format!("{bytes} {used_for}")).collect();
            let shared = match one.takes_shared.measured() {
                Some(false) => "; pages that other processes map too are moved for root only",
                Some(true) | None => "",
            };
            let unmoved = match pages {
                0 => String::new(),
                1 => "; the kernel could not move 1 page (in use, or no room)".to_owned(),
                more => format!("; the kernel could not move {more} pages (in use, or no room)"),
            };
            lines.push(format!("{whose}on node {} stay {}{unmoved}{shared}.", one.from, uses.join(", ")));
        }
        (Reading::Measured(_), _) => {}
    }
    lines
}
