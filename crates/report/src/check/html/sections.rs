//! The sections of the page, in the order of the page.

use maud::{Markup, html as page};
use numawise_facts::{Finding, Reading, Trial};
use numawise_tables::ContrastCall;
use numawise_units::Nanoseconds;

use super::charts;
use crate::amount;
use crate::check::points::{self, Row};
use crate::check::{Check, findings as sentences, words};
use crate::levels;

pub fn summary(check: &Check) -> Markup {
    page! {
        dl.summary {
            @for (name, text) in words::summary(check) {
                div { dt { (name) } dd { @if name == "Program" { code { (text) } } @else { (text) } } }
            }
        }
    }
}

fn class(call: Option<ContrastCall>) -> &'static str {
    match call {
        Some(ContrastCall::Better) => "better",
        Some(ContrastCall::Worse) => "worse",
        Some(ContrastCall::Same) => "same",
        Some(ContrastCall::Open) => "open",
        None => "",
    }
}

pub fn placements(check: &Check) -> Markup {
    let rows = points::rows(check);
    let others = points::other_contrasts(check);
    let has_effects = rows.iter().any(|row| row.effect().is_some());
    page! {
        section #placements {
            h2 { "Placements" }
            @if has_effects {
                figure hidden {
                    div.chart #chart-ratios role="img"
                        aria-label="Ratio to the operating system's placement with 95 % intervals; the table below holds the same numbers" {}
                    figcaption {
                        "How many times as good as the operating system's placement, with the 95 % interval. The band around "
                        "1x is what counts as no difference."
                    }
                }
            }
            div.wide {
                table {
                    thead { tr {
                        th scope="col" { "Placement" }
                        th.number scope="col" { "Median" }
                        th scope="col" { "95 % interval" }
                        th scope="col" { "Vs the operating system's" }
                        th.number scope="col" { "n" }
                        th scope="col" { "Notes" }
                    } }
                    tbody { @for row in &rows { (placement(row)) } }
                }
            }
            @if !others.is_empty() {
                h3 { "Compared with each other" }
                div.wide {
                    table {
                        thead { tr {
                            th scope="col" { "Placement" }
                            th scope="col" { "Vs" }
                            th scope="col" { "Ratio" }
                            th scope="col" { "" }
                            th.number scope="col" { "n" }
                        } }
                        tbody { @for contrast in others {
                            tr {
                                td { code { (contrast.to) } }
                                td { code { (contrast.from) } }
                                @match &contrast.effect {
                                    Reading::Measured(effect) => {
                                        td class=(class(Some(contrast.call))) { (points::effect_text(*effect)) }
                                    }
                                    missing => td { (missing.as_ref().map(|_| "")) }
                                }
                                td { (words::call(contrast.call)) }
                                td.number { (contrast.repeats) }
                            }
                        } }
                    }
                }
            }
        }
    }
}

fn placement(row: &Row) -> Markup {
    page! {
        tr {
            th scope="row" { code { (row.point.id) } span.title { (levels::title(&row.point.levels)) } }
            td.number { (row.median) }
            td.span { (row.interval) }
            td class=(class(row.call())) {
                (row.effect_text())
                @if !row.call_text().is_empty() { span.title { (row.call_text()) } }
            }
            td.number { (row.point.samples.len()) }
            td { (row.notes.join("; ")) }
        }
    }
}

pub fn findings(check: &Check) -> Markup {
    page! {
        section #findings {
            h2 { "Findings" }
            @if check.analysis.findings.is_empty() { p { "none" } }
            @for finding in &check.analysis.findings { (one_finding(check, finding)) }
        }
    }
}

fn one_finding(check: &Check, finding: &Finding) -> Markup {
    let (id, title) = (finding.id.code(), sentences::title(finding.id));
    page! {
        article.finding #(id) {
            h3 { span.id { (id) } " " (title) }
            dl {
                dt { "Seen" }
                dd { ul { @for text in sentences::evidence(&check.study.header, finding) { li { (text) } } } }
                dt { "Cost" }
                dd { (sentences::cost(finding)) }
                dt { "To do" }
                dd { ul { @for text in sentences::advice(finding) { li { (text) } } } }
            }
        }
    }
}

pub fn from_now_on(check: &Check) -> Markup {
    let from_now_on = check.from_now_on;
    page! {
        section #use {
            h2 { "Use from now on" }
            pre.command { code { (from_now_on.line) } }
            @if !from_now_on.equivalents.is_empty() {
                h3 { "The same without numawise" }
                dl.equivalents { @for (tool, line) in &from_now_on.equivalents {
                    dt { (tool) }
                    dd { pre { code { (line) } } }
                } }
            }
            @if !from_now_on.comments.is_empty() {
                ul { @for comment in &from_now_on.comments { li { (comment) } } }
            }
        }
    }
}

/// Rows of the table of trials at most, so that the page stays small however many there are; the record has all.
const ROWS: usize = 1000;

pub fn trials(check: &Check) -> Markup {
    let all = check.study.trials.len();
    let rows = &check.study.trials[..all.min(ROWS)];
    page! {
        section #trials {
            h2 { "Trials" }
            figure hidden {
                div.chart #chart-trials role="img"
                    aria-label="The metric of each trial in the order in which they ran; the table below holds the same numbers" {}
                figcaption {
                    "The runs in the order in which they ran. Hollow: disturbed. Small: warm-up."
                    @if all > charts::TRIALS { " The first " (charts::TRIALS) " of " (all) "." }
                }
            }
            details {
                @if all > ROWS {
                    summary { "The first " (ROWS) " of " (all) " trials as a table; the record holds all" }
                } @else {
                    summary { "All " (all) " trials as a table" }
                }
                div.wide {
                    table {
                        thead { tr {
                            th.number scope="col" { "Trial" }
                            th.number scope="col" { "Block" }
                            th scope="col" { "Placement" }
                            th.number scope="col" { "Value" }
                            th.number scope="col" { "Wall time" }
                            th scope="col" { "Status" }
                            th scope="col" { "Disturbances" }
                        } }
                        tbody { @for trial in rows { (one_trial(check, trial)) } }
                    }
                }
            }
        }
    }
}

fn one_trial(check: &Check, trial: &Trial) -> Markup {
    let value = check.study.header.value(trial);
    let value = value.map_or("none".to_owned(), |value| amount::value(&check.study.header.metric, value));
    page! {
        tr {
            td.number { (trial.number) }
            td.number { @if trial.is_warm_up() { "warm-up" } @else { (trial.block) } }
            td { code { (trial.point) } }
            td.number { (value) }
            td.number { (trial.wall) }
            td { (words::status(&check.study.header.metric, trial)) }
            td { (trial.disturbances.iter().map(words::disturbance).collect::<Vec<_>>().join("; ")) }
        }
    }
}

pub fn list(heading: &str, entries: &[String]) -> Markup {
    page! {
        @if !entries.is_empty() {
            section {
                h2 { (heading) }
                ul { @for entry in entries { li { (entry) } } }
            }
        }
    }
}

pub fn failure(check: &Check) -> Markup {
    page! {
        @if let Some((what, output)) = words::first_failure(check.study) {
            section #failure {
                h2 { "The first failure" }
                p { (what) }
                @if !output.trim().is_empty() {
                    p { "The end of what it said:" }
                    pre { (output.trim_end()) }
                }
            }
        }
    }
}

/// What one needs to do it again.
pub fn study(check: &Check) -> Markup {
    let header = &check.study.header;
    let host = &header.host;
    let facts: Vec<(&str, String)> = vec![
        ("numawise", header.tool_version.clone()),
        ("Directory", header.command.directory.display().to_string()),
        ("Seed of the order", header.seed.to_string()),
        ("Repeats at least", header.min_repeats.to_string()),
        ("Counts as no difference", format!("within {}", numawise_units::Ratio(header.margin).percent())),
        ("Time given", Nanoseconds::to_string(&header.budget)),
        ("CPUs we may use", header.machine.allowed_cpus.to_string()),
        ("Nodes we may use", header.machine.allowed_nodes.to_string()),
        ("NUMA balancing", host.numa_balancing.to_string()),
        ("Transparent huge pages", host.transparent_huge_pages.to_string()),
        ("Frequency governor", host.governor.to_string()),
        ("Record", check.record.to_owned()),
    ];
    page! {
        section #study {
            h2 { "The study" }
            details {
                summary { "Settings, machine and environment" }
                dl.summary { @for (name, text) in facts { div { dt { (name) } dd { (text) } } } }
                div.wide {
                    table {
                        thead { tr {
                            th.number scope="col" { "Node" }
                            th scope="col" { "Kind" }
                            th.number scope="col" { "Memory" }
                            th scope="col" { "CPUs" }
                            th scope="col" { "Distances" }
                        } }
                        tbody { @for node in &header.machine.nodes {
                            tr {
                                td.number { (node.id) }
                                td { (node.kind) }
                                td.number { (node.memory) }
                                td { (node.cpus) @if node.cpus.is_empty() { "none" } }
                                td { (distances(&node.distances)) }
                            }
                        } }
                    }
                }
                @if !host.environment.is_empty() {
                    pre { @for (name, value) in &host.environment { (name) "=" (value) "\n" } }
                }
            }
        }
    }
}

fn distances(distances: &Reading<Vec<u32>>) -> String {
    match distances {
        Reading::Measured(list) => list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Reading::Unavailable { unavailable } => format!("unavailable ({unavailable})"),
    }
}
