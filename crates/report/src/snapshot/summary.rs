//! A snapshot on one screen: what is judged, what to look at first, and what to type next.

use numawise_facts::finding::{EvidenceQuantity, WatchedQuantity};
use numawise_facts::{FindingId, Reading};
use numawise_tables::snapshot::{Grade, MpiSummary, RatedShare, SnapshotFinding};

use super::figures::Efficiency;
use super::{Shown, counters, files, next, objects, surroundings, trace, words, worlds};
use crate::amount::many;
use crate::document::{Block, Cell, Column, Document, Fact, Row, Table, Text, section};
use crate::findings;

/// Lines of the table of memory objects.
const OBJECT_LINES: usize = 8;
/// Lines of each table of a trace.
const TRACE_LINES: usize = 4;
/// Findings that are shown, the most expensive first.
const FINDINGS: usize = 3;
/// Calls that are no work of MPI.
const BEGIN_AND_END: [&str; 4] = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init"];

/// The first screen of [`super::document`].
pub fn summary(shown: &Shown) -> Document {
    let tables = shown.tables;
    let mut blocks = vec![Block::Facts(super::document::facts(shown))];
    if tables.processes.counted > 0 {
        match &tables.trace {
            Some(of) => blocks.extend(trace::sections(of, TRACE_LINES, None)),
            None => {
                blocks.push(section("judged", "", vec![Block::Table(judged(shown))]));
                blocks.extend(worlds::block(tables).map(|table| section("worlds", "", vec![table])));
                blocks.push(hot_spots(shown));
            }
        }
        blocks.extend(findings(shown));
    }
    blocks.extend(objects::table(shown, OBJECT_LINES));
    blocks.extend(super::document::notices_of(shown));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    let full = match shown.record {
        Some(_) => "Next commands (numawise report --full prints all tables)",
        None => "Next commands (--full prints all tables)",
    };
    blocks.push(section("next", full, vec![Block::Commands(next::lines(shown))]));
    Document { blocks, charts: None, width: 100, ..super::document::opened(shown) }
}

/// One line for each that is judged.
fn judged(shown: &Shown) -> Table {
    let tables = shown.tables;
    let mut rows = vec![row("useful", words::percent, &tables.useful)];
    let is_good = |share: &RatedShare| share.rating.is_some_and(|rating| rating.grade == Grade::Good);
    // What threads waited for CPUs is worth a line where it is any.
    let all_had_cpus = is_good(&tables.efficiency.with_cpu);
    let is_shown = |share: &RatedShare| !(all_had_cpus && std::ptr::eq(share, &tables.efficiency.with_cpu));
    let efficiencies = super::document::shown_efficiencies(tables).filter(|of| is_shown(of.share));
    rows.extend(efficiencies.map(|Efficiency { title, share, .. }| {
        let mut row = row(title, words::efficiency, share);
        let remark = words::remark(tables, share);
        row.cells.iter_mut().skip(3).zip(remark).for_each(|(cell, remark)| *cell = remark.into());
        row
    }));
    if let Some(mpi) = tables.mpi.measured() {
        rows.push(row("MPI, of elapsed time", words::percent, &mpi.share));
        rows.push(row("MPI, waiting for other ranks", words::percent, &mpi.waiting_share));
    }
    if let Some(openmp) = tables.openmp.measured() {
        rows.push(row("OpenMP serial, of elapsed time", words::percent, &openmp.serial));
        rows.push(row("OpenMP, potential gain", words::percent, &openmp.imbalance_share));
    }
    if files::is_judged(&tables.files) {
        rows.push(row("files, of CPU time", words::percent, &tables.files.share));
    }
    rows.extend(counters::judged(shown));
    let columns = vec![
        Column::text(""),
        Column::number("value"),
        Column::text("judgement"),
        Column::text("threshold, source"),
    ];
    Table { columns, rows, most: None }
}

fn row(name: &str, value: fn(numawise_units::Ratio) -> String, share: &RatedShare) -> Row {
    let grade = share.rating.map_or("", |rating| words::grade(rating.grade));
    let cells: [Cell; 4] = [
        name.into(),
        Text::of(&share.value, |share| value(*share)).into(),
        Cell { tone: words::tone(share), ..grade.into() },
        words::threshold(share).into(),
    ];
    Row { tone: words::tone(share), ..cells.into_iter().collect() }
}

/// Where the most time goes in the program, where its threads ran, and where its memory lies.
fn hot_spots(shown: &Shown) -> Block {
    let tables = shown.tables;
    let mut facts = Vec::new();
    facts.extend(tables.mpi.measured().and_then(hottest_call).map(|text| Fact {
        name: "Top MPI call",
        text,
        code: false,
    }));
    let region = tables.openmp.measured().and_then(|openmp| openmp.regions.first());
    facts.extend(region.map(|region| {
        let mut text = words::place(&region.place);
        let gain = region
            .potential_gain
            .measured()
            .map_or_else(String::new, |gain| format!(", potential gain {gain}"));
        text.0.extend(Text::from(format!(": {} in {}{gain}", region.time, many(region.calls, "call"))).0);
        Fact { name: "Top region", text, code: false }
    }));
    facts.extend(surroundings::in_short(tables));
    section("hot", "", vec![Block::Facts(facts)])
}

fn hottest_call(of: &MpiSummary) -> Option<Text> {
    let site = of.sites.iter().find(|site| !BEGIN_AND_END.contains(&site.call.as_str()))?;
    let mut text = Text::from(format!("{} in ", site.call));
    text.0.extend(words::place(&site.place).0);
    let calls = many(site.calls.count, "call");
    text.0.extend(Text::from(format!(": {} in {calls}, over all ranks", site.calls.time)).0);
    Some(text)
}

/// A line for what it is and costs, and for what was seen first; of waiting, also for whom, and of a death, for all of it.
fn findings(shown: &Shown) -> Option<Block> {
    let all = &shown.tables.findings;
    let line = |of: &SnapshotFinding| {
        let cost = match &of.potential {
            Reading::Measured(gain) => format!(" ({} of the run at most)", words::percent(gain.share)),
            Reading::Unavailable { .. } => String::new(),
        };
        let shown = match of.finding.id {
            FindingId::EndedEarly => usize::MAX,
            // How long, and for whom.
            FindingId::MpiImbalance | FindingId::OneRankComputesLonger => 2,
            _ => 1,
        };
        let of_world = of
            .finding
            .evidence
            .first()
            .is_some_and(|one| one.quantity == EvidenceQuantity::Watched(WatchedQuantity::RanksOfWorld));
        let shown = shown.saturating_add(usize::from(of_world));
        let seen: Vec<String> = findings::evidence_of_run(&of.finding).into_iter().take(shown).collect();
        let seen = if seen.is_empty() { String::new() } else { format!(": {}", seen.join("; ")) };
        Text::from(format!("{} {}{cost}{seen}", of.finding.id.code(), findings::title(of.finding.id)))
    };
    let mut lines: Vec<Text> = all.iter().take(FINDINGS).map(line).collect();
    if all.len() > FINDINGS {
        let rest: Vec<&str> = all[FINDINGS..].iter().map(|of| of.finding.id.code()).collect();
        lines.push(format!("and {}", rest.join(", ")).into());
    }
    let of_objects = objects::lines(shown);
    let further = of_objects.len().saturating_sub(FINDINGS);
    lines.extend(of_objects.into_iter().take(FINDINGS));
    if further > 0 {
        lines.push(format!("and {} of objects", many(further as u64, "more finding")).into());
    }
    (!lines.is_empty()).then(|| section("findings", "Findings", vec![Block::List(lines)]))
}
