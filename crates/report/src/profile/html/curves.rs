//! Curves: the charts, and the figures that they are drawn from.

use maud::{Markup, html as page};
use numawise_facts::Reading;
use numawise_tables::{FigureUnit, LoadedCurve, WorkingSetCurve};
use numawise_units::{Bytes, Latency, Nanoseconds};

use super::{chart, data, figure};
use crate::profile::grid::Notes;
use crate::profile::{Measured, plain, plain_estimate, words};

/// More rows than this are folded.
const ROWS: usize = 24;
const NS: FigureUnit = FigureUnit::Nanoseconds;

pub fn working_sets(measured: &Measured, notes: &mut Notes) -> Markup {
    let curves = &measured.tables.working_sets;
    let mut sizes: Vec<Bytes> =
        curves.iter().flat_map(|c| c.points.iter().map(|(bytes, _)| *bytes)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let at = |curve: &WorkingSetCurve, size: Bytes| {
        let point = curve.points.iter().find(|(bytes, _)| *bytes == size);
        point.map(|(_, latency)| plain(latency))
    };
    page! {
        @if !curves.is_empty() {
            section #working-sets {
                h2 { "Latency by the size of the working set" }
                p.lead { "How long a load takes by how much memory the loads go over: the steps are the caches." }
                (chart("chart-working-sets", "Latency by the size of the working set"))
                @for curve in curves { (caches(curve, notes)) }
                details {
                    summary { (words::many(sizes.len() as u64, "size")) ", ns" }
                    div.wide { table {
                        thead { tr {
                            th scope="col" { "Working set" }
                            @for curve in curves { th.number scope="col" { "node " (curve.from) " -> " (curve.to) } }
                        } }
                        tbody { @for size in &sizes {
                            tr {
                                th scope="row" { (size) }
                                @for curve in curves { td.number { (figure(&at(curve, *size), NS, notes)) } }
                            }
                        } }
                    } }
                }
            }
        }
    }
}

fn caches(curve: &WorkingSetCurve, notes: &mut Notes) -> Markup {
    let mut shown = |latency: &Reading<Latency>| match latency {
        Reading::Measured(latency) => latency.to_string(),
        Reading::Unavailable { unavailable } => notes.mark(&unavailable.0),
    };
    page! {
        p.lead {
            "node " (curve.from) " -> " (curve.to) ": "
            @match &curve.caches {
                Reading::Unavailable { unavailable } => { "caches unavailable (" (unavailable) ")" }
                Reading::Measured(steps) => {
                    @for step in steps { "L" (step.level) " (" (step.size) ") " (shown(&step.latency)) ", " }
                    "memory " (shown(&curve.memory))
                }
            }
        }
    }
}

pub fn loaded(measured: &Measured, notes: &mut Notes) -> Markup {
    let curves = &measured.tables.loaded;
    let mut drawn = data::by_mix(curves);
    for curve in data::by_pair(curves) {
        if !drawn.iter().any(|known| std::ptr::eq(*known, curve)) {
            drawn.push(curve);
        }
    }
    let pair = data::by_mix(curves).first().map(|curve| words::pair_loaded(curve));
    page! {
        @if !curves.is_empty() {
            section #loaded {
                h2 { "Latency under load" }
                p.lead { (words::LOADED) }
                @if let Some(pair) = pair {
                    h3 { (pair) ", by mix of reads and writes" }
                    (chart("chart-by-mix", "Latency by bandwidth, for every mix"))
                }
                @if data::by_pair(curves).len() > 1 {
                    h3 { "Reads, by pair of nodes" }
                    (chart("chart-by-pair", "Latency by bandwidth, for pairs of nodes"))
                }
                @if curves.len() > ROWS {
                    details {
                        summary { (words::many(curves.len() as u64, "curve")) ", with the knee of each" }
                        (summary(curves, notes))
                    }
                } @else {
                    (summary(curves, notes))
                }
                @if !drawn.is_empty() {
                    details {
                        summary { "The points of the curves in the charts" }
                        @for curve in drawn { (points(curve)) }
                    }
                }
            }
        }
    }
}

fn summary(curves: &[LoadedCurve], notes: &mut Notes) -> Markup {
    page! {
        div.wide { table {
            thead { tr {
                th scope="col" { "Nodes" }
                th scope="col" { "Mix" }
                @for title in ["Idle", "Knee", "Of the peak", "Latency there", "Peak", "Latency there"] {
                    th.number scope="col" { (title) }
                }
                th scope="col" { "The knee is" }
            } }
            tbody { @for curve in curves {
                tr {
                    th scope="row" { (words::pair_loaded(curve)) }
                    td { (curve.mix) }
                    @match (&curve.unloaded, &curve.peak) {
                        (Reading::Measured(idle), Reading::Measured((peak, there))) => {
                            td.number { (idle) }
                            @match &curve.knee {
                                Reading::Measured(knee) => {
                                    td.number { (knee.bandwidth) }
                                    td.number { (format!("{:.0} %", knee.share.0 * 100.0)) }
                                    td.number { (knee.latency) }
                                }
                                Reading::Unavailable { unavailable } => {
                                    td.number title=(unavailable) { (notes.mark(&unavailable.0)) }
                                    td.number { "-" }
                                    td.number { "-" }
                                }
                            }
                            td.number { (peak) }
                            td.number { (there) }
                            td { (curve.knee.measured().map_or("-", |knee| words::knee(knee.why))) }
                        }
                        _ => td colspan="7" {
                            (curve.points.reason().map_or_else(String::new, |reason| notes.mark(&reason.0)))
                        }
                    }
                }
            } }
        } }
    }
}

fn points(curve: &LoadedCurve) -> Markup {
    let rate = FigureUnit::BytesPerSecond;
    page! {
        h3 { (words::pair_loaded(curve)) ", " (words::mix(curve.mix)) }
        div.wide { table {
            thead { tr { @for title in ["Delay", "Bandwidth, GB/s", "Latency, ns"] { th.number scope="col" { (title) } } } }
            tbody { @for point in curve.points.measured().into_iter().flatten() {
                tr {
                    td.number { (point.delay.measured().map_or_else(|| "-".to_owned(), Nanoseconds::to_string)) }
                    td.number { (figure(&Some(Reading::Measured(plain_estimate(&point.bandwidth))), rate, &mut Notes::default())) }
                    td.number { (figure(&Some(Reading::Measured(plain_estimate(&point.latency))), NS, &mut Notes::default())) }
                }
            } }
        } }
    }
}
