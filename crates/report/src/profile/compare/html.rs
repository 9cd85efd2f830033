//! Two profiles as a page: tables, which say all; there is nothing to draw.

use maud::{Markup, html as page};
use numawise_tables::{CellCall, CellKey, ComparedCell};
use serde_json::json as object;

use super::{Compared, TITLES, figures, furthest, name, reason, sides};
use crate::document::for_script;
use crate::profile::html::list;
use crate::profile::words;

const CHARTS: &str = "const CHARTS = [];";
/// Rows of a table at most, so that the page can be sent by mail; the JSON has all.
const ROWS: usize = 1500;

/// Two profiles as a page.
pub fn compare_html(compared: &Compared) -> String {
    let comparison = compared.comparison;
    let [first, second] = compared.names;
    let title = format!("{second} beside {first}");
    let body = page! {
        header.verdict {
            p.tool { "numawise machine compare" }
            h1 { (title) }
            @if let Some(sentence) = comparison.meaning.get(1) { p.sentence { (sentence) } }
        }
        dl.summary { @for (title, text) in sides(compared) { div { dt { (title) } dd { (text) } } } }
        (list("meaning", "What it comes to", &comparison.meaning))
        (differences(compared))
        (cells("different", "Clearly different", &furthest(compared, &[CellCall::Better, CellCall::Worse]), false))
        (cells("open", "Not decided", &furthest(compared, &[CellCall::Open]), false))
        (cells("same", "No difference", &furthest(compared, &[CellCall::Same]), true))
        (unknown(&furthest(compared, &[CellCall::Unknown])))
        (lonely("only-a", "Only in the first", &comparison.only_a))
        (lonely("only-b", "Only in the second", &comparison.only_b))
        (list("method", "How it was compared", &comparison.method))
    };
    crate::document::frame(&title, &body, &for_script(&object!({})), CHARTS)
}

fn differences(compared: &Compared) -> Markup {
    page! {
        @if !compared.comparison.differences.is_empty() {
            section #differences {
                h2 { "Not the same" }
                div.wide { table {
                    thead { tr { th scope="col" { "" } th scope="col" { "First" } th scope="col" { "Second" } } }
                    tbody { @for difference in &compared.comparison.differences {
                        tr { th scope="row" { (difference.what) } td { (difference.a) } td { (difference.b) } }
                    } }
                } }
            }
        }
    }
}

fn cells(id: &str, title: &str, cells: &[&ComparedCell], folded: bool) -> Markup {
    page! {
        @if !cells.is_empty() {
            section id=(id) {
                h2 { (title) }
                @if folded {
                    details { summary { (words::many(cells.len() as u64, "figure")) } (table(cells)) }
                } @else {
                    (table(cells))
                }
            }
        }
    }
}

fn table(cells: &[&ComparedCell]) -> Markup {
    let class = |call| match call {
        CellCall::Better => "better",
        CellCall::Worse => "worse",
        CellCall::Open => "open",
        CellCall::Same | CellCall::Unknown => "same",
    };
    page! {
        div.wide { table {
            thead { tr {
                @for (k, title) in TITLES.iter().enumerate() { th.number[k > 0] scope="col" { (title) } }
                th scope="col" { "The second is" }
            } }
            tbody { @for cell in cells.iter().take(ROWS) {
                @let [what, a, b, ratio, between] = figures(cell);
                tr {
                    th scope="row" title=(cell.cell) { (what) }
                    @for figure in [a, b, ratio, between] { td.number { (figure) } }
                    td class=(class(cell.call)) { (words::call(cell.call)) }
                }
            } }
        } }
        @if cells.len() > ROWS { p.lead { "... and " (cells.len() - ROWS) " more, in the JSON" } }
    }
}

fn unknown(cells: &[&ComparedCell]) -> Markup {
    page! {
        @if !cells.is_empty() {
            section #unavailable {
                h2 { "Could not be compared" }
                div.wide { table {
                    thead { tr { th scope="col" { "" } th scope="col" { "Why" } } }
                    tbody { @for cell in cells.iter().take(ROWS) {
                        tr { th scope="row" { (name(&cell.cell)) } td { (reason(cell)) } }
                    } }
                } }
            }
        }
    }
}

fn lonely(id: &str, title: &str, keys: &[CellKey]) -> Markup {
    page! {
        @if !keys.is_empty() {
            section id=(id) {
                h2 { (title) }
                details {
                    summary { (words::many(keys.len() as u64, "figure")) }
                    ul { @for key in keys.iter().take(ROWS) { li { (key) } } }
                }
            }
        }
    }
}
