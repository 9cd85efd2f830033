//! A job over time as one HTML file.

use maud::{Markup, html as page};
use numawise_facts::Reading;
use numawise_tables::{Moment, TaskTimeline};
use numawise_units::Bytes;
use serde_json::{Value, json as object};

use super::{Series, words};
use crate::check::amount;
use crate::page::for_script;

const CHARTS: &str = include_str!("html/charts.js");
/// Rows of the table over time, about: what is between them is in the file.
const ROWS: usize = 120;

/// The series as a page.
pub fn html(series: &Series) -> String {
    let title = words::heading(series);
    let body = page! {
        header.verdict {
            p.tool { "numawise where --record" }
            h1 { "Where the job was" }
            p.sentence { (title) }
        }
        @if series.timeline.looks > 0 {
            dl.summary {
                @for (name, text) in words::summary(series) { div { dt { (name) } dd { (text) } } }
                div { dt { "Record" } dd { code { (series.record) } } }
            }
            (memory(series))
            (cpus(series))
            (tasks(series))
            (over_time(series))
        }
        @if !series.timeline.unavailable.is_empty() {
            section {
                h2 { "Could not be seen" }
                ul { @for entry in &series.timeline.unavailable { li { (entry) } } }
            }
        }
    };
    crate::page::page(&format!("Where the job was: {title}"), &body, &for_script(&data(series)), CHARTS)
}

/// A column as people call it: `node 0 (dram)`.
fn columns(series: &Series) -> Vec<String> {
    series.timeline.nodes.iter().map(|column| format!("node {} ({})", column.node, column.kind)).collect()
}

fn memory(series: &Series) -> Markup {
    let rows = columns(series).into_iter().zip(&series.timeline.by_node);
    page! {
        section #memory {
            h2 { "Memory by node" }
            p.lead { "What is resident of all processes together. A page that several of them map counts for each." }
            figure hidden {
                div.chart #chart-memory role="img" aria-label="Memory by node over time; the tables below hold the same numbers" {}
            }
            div.wide {
                table {
                    thead { tr {
                        th scope="col" { "Node" }
                        @for title in ["First", "Last", "Peak", "At"] { th.number scope="col" { (title) } }
                    } }
                    tbody {
                        @for (name, node) in rows { (memory_row(series, &name, &node.memory)) }
                        (memory_row(series, "all", &series.timeline.total))
                    }
                }
            }
        }
    }
}

fn memory_row(series: &Series, name: &str, memory: &numawise_tables::MemoryChange) -> Markup {
    page! {
        tr {
            th scope="row" { (name) }
            td.number { (words::size(&memory.first)) }
            td.number { (words::size(&memory.last)) }
            td.number { (words::size(&memory.peak)) }
            td.number { (words::peak_at(series, memory)) }
        }
    }
}

fn cpus(series: &Series) -> Markup {
    page! {
        section #cpus {
            h2 { "CPUs busy by node" }
            p.lead {
                "CPUs that the threads kept busy on each node, between looks. A thread counts where it was last. Below: the share of "
                "the pages that lay on nodes where threads of their process ran."
            }
            figure hidden {
                div.chart #chart-cpus role="img" aria-label="Busy CPUs by node over time; the tables below hold the same numbers" {}
            }
            figure hidden {
                div.chart #chart-local role="img" aria-label="Share of local pages over time; the tables below hold the same numbers" {}
            }
            div.wide {
                table {
                    thead { tr { th scope="col" { "Node" } th.number scope="col" { "CPUs busy on average" } } }
                    tbody {
                        @for (name, node) in columns(series).into_iter().zip(&series.timeline.by_node) {
                            tr { th scope="row" { (name) } td.number { (words::cpus(&node.busy)) } }
                        }
                        tr { th scope="row" { "all" } td.number { (words::cpus(&series.timeline.busy)) } }
                    }
                }
            }
        }
    }
}

fn tasks(series: &Series) -> Markup {
    let ranks = words::has_ranks(series);
    page! {
        section #tasks {
            h2 { "Processes" }
            p.lead { (words::LEGEND) }
            div.wide {
                table {
                    thead { tr {
                        th.number scope="col" { "PID" }
                        @if ranks { th.number scope="col" { "Rank" } }
                        th scope="col" { "Program" }
                        @for title in ["Threads", "Memory", "Peak", "At", "CPUs", "Local", "Moved", "Seen"] {
                            th.number scope="col" { (title) }
                        }
                    } }
                    tbody { @for task in &series.timeline.tasks { (task_row(series, task, ranks)) } }
                }
            }
        }
    }
}

fn task_row(series: &Series, task: &TaskTimeline, ranks: bool) -> Markup {
    let command = task.command.measured();
    page! {
        tr {
            th.number scope="row" { (task.pid) }
            @if ranks { td.number { (words::rank(task)) } }
            td { (task.name) @if let Some(command) = command { span.title { code { (command) } } } }
            td.number { (words::count(&task.threads)) }
            td.number { (words::size(&task.memory.last)) }
            td.number { (words::size(&task.memory.peak)) }
            td.number { (words::peak_at(series, &task.memory)) }
            td.number { (words::cpus(&task.busy)) }
            td.number { (words::local_last(&task.local)) }
            td.number { (words::count(&task.migrations)) }
            td.number {
                (words::after(series, task.first_seen)) " to " (words::after(series, task.last_seen))
            }
        }
    }
}

/// The charts as a table.
fn over_time(series: &Series) -> Markup {
    let moments = &series.timeline.moments;
    let step = moments.len().div_ceil(ROWS).max(1);
    let shown: Vec<&Moment> = moments.iter().step_by(step).collect();
    page! {
        section #over-time {
            h2 { "Over time" }
            details {
                summary {
                    (words::many(shown.len() as u64, "row"))
                    " of " (words::many(series.timeline.looks, "look")) ", memory and busy CPUs by node"
                }
                div.wide {
                    table {
                        thead { tr {
                            th scope="col" { "Time" }
                            th.number scope="col" { "Processes" }
                            th.number scope="col" { "Threads" }
                            @for name in columns(series) { th.number scope="col" { (name) } }
                            @for column in &series.timeline.nodes { th.number scope="col" { "CPUs on " (column.node) } }
                            th.number scope="col" { "Local" }
                        } }
                        tbody { @for moment in shown { (moment_row(series, moment)) } }
                    }
                }
            }
        }
    }
}

fn moment_row(series: &Series, moment: &Moment) -> Markup {
    let nodes = series.timeline.nodes.len();
    let memory = each(&moment.memory, nodes, Bytes::to_string);
    let busy = each(&moment.busy, nodes, |busy| format!("{:.2}", busy.0));
    let local = moment.local.measured().map_or_else(|| words::UNKNOWN.to_owned(), |share| share.percent());
    page! {
        tr {
            th scope="row" title=(amount::moment(moment.at)) { (words::after(series, moment.at)) }
            td.number { (moment.tasks) }
            td.number { (moment.threads) }
            @for cell in memory.iter().chain(&busy) { td.number { (cell) } }
            td.number { (local) }
        }
    }
}

fn each<T>(reading: &Reading<Vec<T>>, nodes: usize, text: impl Fn(&T) -> String) -> Vec<String> {
    match reading {
        Reading::Measured(values) => values.iter().map(text).collect(),
        Reading::Unavailable { .. } => vec![words::UNKNOWN.to_owned(); nodes],
    }
}

/// What the charts draw: times in milliseconds, memory in MiB; null where nothing is known.
fn data(series: &Series) -> Value {
    let begun = series.timeline.sessions.first().map_or(0, |session| session.first.0);
    let moments = series.timeline.moments.iter().map(|moment| {
        let memory: Option<Vec<f64>> = moment
            .memory
            .measured()
            .map(|nodes| nodes.iter().map(|bytes| short(bytes.0 as f64 / f64::from(1 << 20))).collect());
        let busy: Option<Vec<f64>> =
            moment.busy.measured().map(|nodes| nodes.iter().map(|busy| short(busy.0)).collect());
        let local = moment.local.measured().map(|share| short(share.0));
        object!([moment.at.0.saturating_sub(begun) / 1_000_000, moment.session, memory, busy, local])
    });
    object!({ "nodes": columns(series), "begun": begun / 1_000_000, "moments": moments.collect::<Vec<_>>() })
}

/// Six digits are finer than any screen.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
