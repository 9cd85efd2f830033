//! The memory of a computer by node: a document, JSON and CSV.

use std::fmt::Write;

use numawise_facts::{MeminfoAmount, NodeAccount, Reading, SystemMemory};
use serde_json::{Map, Value, json};

use crate::csv::quoted;
use crate::document::{Block, Column, Document, Opening, Row, Table, section};

#[cfg(test)]
#[path = "system_memory_tests.rs"]
mod tests;

/// Name and version of the JSON; `docs/formats/where-json.md` says what it holds.
pub const SCHEMA: &str = "numawise/system-memory/1";
/// The first line of the CSV.
const HEADER: &str = "node,quantity,value,unit,missing";

/// As JSON.
pub fn json(of: &SystemMemory) -> Value {
    let node = |account: &NodeAccount| {
        let allocations = account.allocations.as_ref().map(|rows| {
            rows.iter().map(|(name, pages)| (name.clone(), (*pages).into())).collect::<Map<String, Value>>()
        });
        let memory = account.memory.as_ref().map(|rows| {
            rows.iter().map(|(name, amount)| (name.clone(), json!(amount))).collect::<Map<String, Value>>()
        });
        json!({ "node": account.node, "kind": account.kind, "allocations": allocations, "memory": memory })
    };
    json!({
        "schema": SCHEMA,
        "span_ns": of.span,
        "nodes": of.nodes.iter().map(node).collect::<Vec<_>>(),
    })
}

/// As CSV: one value a row.
pub fn csv(of: &SystemMemory) -> String {
    let mut text = format!("{HEADER}\n");
    for account in &of.nodes {
        let mut row = |quantity: &str, value: &str, unit: &str, missing: &str| {
            let _ =
                writeln!(text, "{},{},{value},{unit},{}", account.node, quoted(quantity), quoted(missing));
        };
        match &account.allocations {
            Reading::Measured(rows) => {
                rows.iter().for_each(|(name, pages)| row(name, &pages.to_string(), "pages", ""));
            }
            Reading::Unavailable { unavailable } => row("allocations", "", "pages", &unavailable.0),
        }
        match &account.memory {
            Reading::Measured(rows) => rows.iter().for_each(|(name, amount)| match amount {
                MeminfoAmount::Bytes(bytes) => row(name, &bytes.0.to_string(), "bytes", ""),
                MeminfoAmount::Pages(pages) => row(name, &pages.to_string(), "pages", ""),
            }),
            Reading::Unavailable { unavailable } => row("memory", "", "bytes", &unavailable.0),
        }
    }
    text
}

/// As a document.
pub fn document(of: &SystemMemory) -> Document {
    let since = match of.span {
        Some(span) => format!("Pages that were taken from each node within {span}"),
        None => "Pages that were taken from each node since the start of the system".to_owned(),
    };
    let taken = rows(
        of,
        |account| account.allocations.as_ref(),
        // That no page was taken from the wrong node is worth a row.
        |pages| Amount { shown: pages.to_string(), says_nothing: false },
    );
    let memory = rows(
        of,
        |account| account.memory.as_ref(),
        |amount| match amount {
            MeminfoAmount::Bytes(bytes) => Amount { shown: bytes.to_string(), says_nothing: bytes.0 == 0 },
            MeminfoAmount::Pages(pages) => {
                Amount { shown: format!("{pages} pages"), says_nothing: *pages == 0 }
            }
        },
    );
    let headline = match of.nodes.len() {
        1 => "Memory of 1 node".to_owned(),
        several => format!("Memory of {several} nodes"),
    };
    let blocks = vec![
        section("allocations", since, blocks(of, taken)),
        section("memory", "Memory now", blocks(of, memory)),
    ];
    Document {
        tool: "numawise where --system",
        title: headline.clone(),
        opening: Opening { headline, ..Opening::default() },
        blocks,
        charts: None,
        width: 160,
    }
}

/// A figure of a row, and whether its row may be left out where all are like it.
struct Amount {
    shown: String,
    says_nothing: bool,
}

/// The rows of all nodes, what is missing of some, and how many rows that are 0 on every node are left out.
struct Rows {
    rows: Vec<Row>,
    missing: Vec<String>,
    zero: usize,
}

fn rows<'a, T: 'a>(
    of: &'a SystemMemory,
    part: impl Fn(&'a NodeAccount) -> Reading<&'a Vec<(String, T)>>,
    amount: impl Fn(&T) -> Amount,
) -> Rows {
    let parts: Vec<_> = of.nodes.iter().map(|account| (account, part(account))).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in parts.iter().filter_map(|(_, rows)| rows.measured()).flat_map(|rows| rows.iter()) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut found = Rows { rows: Vec::new(), missing: Vec::new(), zero: 0 };
    for name in names {
        let on = |rows: &Reading<&Vec<(String, T)>>| {
            rows.measured()?.iter().find(|(of, _)| of == name).map(|(_, value)| amount(value))
        };
        let amounts: Vec<Option<Amount>> = parts.iter().map(|(_, rows)| on(rows)).collect();
        if amounts.iter().flatten().all(|amount| amount.says_nothing) {
            found.zero += 1;
            continue;
        }
        let cells =
            amounts.into_iter().map(|amount| amount.map_or_else(|| "-".to_owned(), |amount| amount.shown));
        found.rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
    }
    let missing = parts.iter().filter_map(|(account, rows)| {
        rows.reason().map(|reason| format!("node {}: unavailable ({reason})", account.node))
    });
    found.missing.extend(missing);
    found
}

fn blocks(of: &SystemMemory, rows: Rows) -> Vec<Block> {
    let node = |account: &NodeAccount| Column::number(format!("node {} ({})", account.node, account.kind));
    let columns = std::iter::once(Column::text("")).chain(of.nodes.iter().map(node)).collect();
    let zero = match rows.zero {
        0 => None,
        1 => Some("1 row that is 0 on every node is left out".to_owned()),
        more => Some(format!("{more} rows that are 0 on every node are left out")),
    };
    let lines = rows.missing.into_iter().chain(zero).map(|line| Block::Paragraph(line.into()));
    std::iter::once(Block::Table(Table { columns, rows: rows.rows, most: None })).chain(lines).collect()
}
