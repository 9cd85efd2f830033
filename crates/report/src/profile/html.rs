//! A profile as one HTML file: no network, tables for everybody, charts where scripts run.

mod curves;
mod data;
mod heat;

use maud::{Markup, html as page};
use numawise_facts::{Mix, Reading};
use numawise_tables::{Cell, Crew, FigureUnit, MatrixMeasure};

use super::grid::Notes;
use super::{Measured, words};
use crate::document::for_script;

const CHARTS: &str = include_str!("html/charts.js");
/// Up to so many cores their matrix is a table too.
const CORES: usize = 64;

/// One profile as a page.
pub fn html(measured: &Measured) -> String {
    let title = words::heading(measured.profile);
    let mut notes = Notes::default();
    let body = page! {
        header.verdict {
            p.tool { "numawise machine measure" }
            h1 { (title) }
            @if let Some(first) = measured.tables.meaning.first() { p.sentence { (first) } }
        }
        dl.summary {
            @for (name, text) in words::summary(measured.profile) { div { dt { (name) } dd { (text) } } }
            @if let Some(file) = measured.saved { div { dt { "Kept in" } dd { code { (file) } } } }
        }
        (list("meaning", "What it means", &measured.tables.meaning))
        (list("remarks", "To be kept in mind", &measured.tables.remarks))
        (latency(measured, &mut notes))
        (bandwidth(measured, &mut notes))
        (curves::working_sets(measured, &mut notes))
        (curves::loaded(measured, &mut notes))
        (transfers(measured, &mut notes))
        (nodes(measured))
        (reasons(&notes))
    };
    crate::document::frame(&title, &body, &for_script(&data::data(measured)), CHARTS)
}

pub(super) fn list(id: &str, title: &str, entries: &[String]) -> Markup {
    page! {
        @if !entries.is_empty() {
            section id=(id) { h2 { (title) } ul { @for entry in entries { li { (entry) } } } }
        }
    }
}

/// A chart that shows itself where scripts run.
fn chart(id: &str, label: &str) -> Markup {
    page! {
        figure hidden {
            div.chart id=(id) role="img" aria-label={ (label) "; the tables below hold the same figures" } {}
        }
    }
}

fn nodes(measured: &Measured) -> Markup {
    page! {
        section #nodes {
            h2 { "Nodes" }
            div.wide { table {
                thead { tr { @for title in words::NODE_TITLES { th scope="col" { (title) } } } }
                tbody { @for [id, kind, memory, cpus] in words::node_rows(measured.profile) {
                    tr { th scope="row" { (id) } td { (kind) } td { (memory) } td { (cpus) } }
                } }
            } }
        }
    }
}

fn latency(measured: &Measured, notes: &mut Notes) -> Markup {
    let of = |measure| measured.tables.matrix(measure);
    let beside = of(MatrixMeasure::LatencyBesideOwn);
    page! {
        @if let Some(idle) = of(MatrixMeasure::IdleLatency) {
            section #latency {
                h2 { "Idle latency" }
                p.lead {
                    "How long a load takes that has to wait for the one before, with nothing else going on. Rows are the nodes "
                    "whose CPUs wait, columns the nodes whose memory answers."
                }
                div.heats {
                    (heat::matrix(measured, idle, beside, notes))
                    @if let Some(misses) = of(MatrixMeasure::LatencyWithTlbMisses) {
                        (heat::matrix(measured, misses, None, notes))
                    }
                    @if let Some(beside) = beside.filter(|matrix| matrix.columns.len() > 4) {
                        (heat::matrix(measured, beside, None, notes))
                    }
                }
            }
        }
    }
}

fn bandwidth(measured: &Measured, notes: &mut Notes) -> Markup {
    let tables = measured.tables;
    let of = |crew| {
        let matrix = move |mix| tables.matrix(MatrixMeasure::Bandwidth { crew, mix });
        Mix::ALL.into_iter().filter_map(matrix).collect::<Vec<_>>()
    };
    let (by_node, by_core) = (of(Crew::Node), of(Crew::Core));
    let beside = |matrix: &numawise_tables::NodeMatrix| {
        let read = MatrixMeasure::Bandwidth { crew: Crew::Node, mix: Mix::Read };
        (matrix.measure == read).then(|| tables.matrix(MatrixMeasure::ReadBesideOwn)).flatten()
    };
    page! {
        @if !tables.peaks.is_empty() || !by_node.is_empty() {
            section #bandwidth {
                h2 { "Bandwidth" }
                p.lead { "Bytes that the program loads and stores, all threads running from the first byte counted to the last." }
                (peaks(measured, notes))
                @if !by_node.is_empty() { h3 { "From node to node, all cores of a node, GB/s" } }
                div.heats { @for matrix in by_node { (heat::matrix(measured, matrix, beside(matrix), notes)) } }
                @if !by_core.is_empty() {
                    details {
                        summary { "From node to node, one core, GB/s" }
                        div.heats { @for matrix in by_core { (heat::matrix(measured, matrix, None, notes)) } }
                    }
                }
                (declared(measured, notes))
            }
        }
    }
}

/// A figure in a plain table: with its interval, or the mark of its reason.
fn figure(cell: &Cell, unit: FigureUnit, notes: &mut Notes) -> String {
    match cell {
        None => "-".to_owned(),
        Some(Reading::Unavailable { unavailable }) => notes.mark(&unavailable.0),
        Some(Reading::Measured(estimate)) => {
            let half = words::half(unit, estimate).map_or_else(String::new, |half| format!(" ±{half}"));
            words::number(unit, estimate.median) + &half
        }
    }
}

fn peaks(measured: &Measured, notes: &mut Notes) -> Markup {
    let peaks = &measured.tables.peaks;
    let shown: Vec<Mix> = Mix::ALL
        .into_iter()
        .filter(|mix| peaks.iter().any(|peak| peak.by_mix.iter().any(|(of, _)| of == mix)))
        .collect();
    let of = |peak: &numawise_tables::Peak, mix: Mix| -> Cell {
        peak.by_mix.iter().find(|(known, _)| *known == mix).map(|(_, rate)| super::plain(rate))
    };
    page! {
        @if !peaks.is_empty() {
            h3 { "By mix of reads and writes, GB/s" }
            div.wide { table {
                thead { tr {
                    th scope="col" { "Threads and memory" }
                    th.number scope="col" { "Threads" }
                    @for mix in &shown { th.number scope="col" title=(words::mix(*mix)) { (mix) } }
                } }
                tbody { @for peak in peaks {
                    tr {
                        th scope="row" { (peak.workers) ", " (peak.target) }
                        td.number { (peak.threads.measured().map_or_else(|| "?".to_owned(), u32::to_string)) }
                        @for mix in &shown {
                            td.number.better[peak.best == Some(*mix) && shown.len() > 1] {
                                (figure(&of(peak, *mix), FigureUnit::BytesPerSecond, notes))
                            }
                        }
                    }
                } }
            } }
        }
    }
}

fn declared(measured: &Measured, notes: &mut Notes) -> Markup {
    let mut missing = |reason: Option<&numawise_facts::Reason>| {
        reason.map_or_else(String::new, |reason| notes.mark(&reason.0))
    };
    page! {
        h3 { "Share of what the firmware declares" }
        @match &measured.tables.declared {
            Reading::Unavailable { unavailable } => p.lead { "unavailable (" (unavailable) ")" },
            Reading::Measured(shares) => div.wide { table {
                thead { tr {
                    th scope="col" { "Threads and memory" }
                    th scope="col" { "Mix" }
                    @for title in ["Measured", "Declared", "Share"] { th.number scope="col" { (title) } }
                } }
                tbody { @for cell in shares {
                    tr {
                        th scope="row" { (cell.workers) ", " (cell.target) }
                        td { (cell.mix) }
                        td.number { (cell.measured.measured().map_or_else(|| missing(cell.measured.reason()), |e| e.median.to_string())) }
                        td.number { (cell.declared) }
                        td.number { (cell.share.measured().map_or_else(|| missing(cell.share.reason()), |share| share.percent())) }
                    }
                } }
            } }
        }
    }
}

fn transfers(measured: &Measured, notes: &mut Notes) -> Markup {
    let tables = measured.tables;
    let by_node: Vec<_> =
        tables.matrices.iter().filter(|m| matches!(m.measure, MatrixMeasure::Transfers(_))).collect();
    let known: Vec<_> = tables.cores.iter().filter(|cores| cores.range.is_some()).collect();
    page! {
        @if !tables.transfers.is_empty() {
            section #cores {
                h2 { "From core to core" }
                p.lead { (words::TRANSFERS) }
                @for (k, cores) in known.iter().enumerate() {
                    div.heat.hot {
                        (chart(&format!("chart-cores-{k}"), "Latency from core to core"))
                        (heat::scale(cores.range, FigureUnit::Nanoseconds))
                    }
                    @if cores.cpus.len() > CORES {
                        p.lead {
                            @if cores.cpus.len() > data::CORES { "The picture leaves cores out, evenly. " }
                            "All " (cores.cpus.len()) " cores to each other are in the JSON."
                        }
                    }
                }
                (groups(measured, notes))
                div.heats { @for matrix in by_node { (heat::matrix(measured, matrix, None, notes)) } }
                @for cores in known.iter().filter(|cores| cores.cpus.len() <= CORES) {
                    details {
                        summary { "Every core to every other, ns; rows changed the line; " (words::line_home(cores.home)) }
                        div.wide { (heat::cores(cores, notes)) }
                    }
                }
            }
        }
    }
}

fn groups(measured: &Measured, notes: &mut Notes) -> Markup {
    page! {
        div.wide { table {
            thead { tr {
                th scope="col" { "Cores" }
                th scope="col" { "Memory of the line" }
                @for title in ["Pairs", "Missing", "Median", "Least", "Most"] { th.number scope="col" { (title) } }
            } }
            tbody { @for group in &measured.tables.transfers {
                tr {
                    th scope="row" { (words::cores(group.same_node)) }
                    td { (words::home(group)) }
                    td.number { (group.pairs) }
                    td.number { (group.unavailable) }
                    @match &group.spread {
                        Reading::Measured(spread) => {
                            @for latency in [spread.median, spread.least, spread.most] { td.number { (latency) } }
                        }
                        Reading::Unavailable { unavailable } => td colspan="3" { (notes.mark(&unavailable.0)) },
                    }
                }
            } }
        } }
    }
}

fn reasons(notes: &Notes) -> Markup {
    page! {
        @if !notes.all().is_empty() {
            section #unavailable {
                h2 { "Could not be measured" }
                dl.reasons {
                    @for (k, reason) in notes.all().iter().enumerate() { dt { "[" (k + 1) "]" } dd { (reason) } }
                }
            }
        }
    }
}
