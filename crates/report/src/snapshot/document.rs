//! A snapshot as people read it: how much was useful first, then what took the rest and where.

use numawise_facts::Reading;
use numawise_facts::activity::CallTime;
use numawise_tables::snapshot::{
    MpiSummary, OverfullCpu, PlacementSummary, ProcessRow, RankSpread, RatedShare, SnapshotFinding,
    SnapshotLosses,
};
use numawise_units::{Nanoseconds, Ratio};

use super::{Shown, openmp, volume, words};
use crate::check::watched_findings;
use crate::document::{
    Block, Cell, Column, Command, Document, Entry, Face, Fact, Opening, Row, Table, Text, Tone, list, section,
};
use crate::notice;

/// The snapshot as a document.
pub fn document(shown: &Shown) -> Document {
    let (run, tables) = (shown.run, shown.tables);
    let mut blocks = vec![Block::Facts(facts(shown))];
    if tables.processes.counted > 0 {
        blocks.extend([time(shown), efficiencies(shown), findings(shown)]);
        blocks.extend(tables.mpi.measured().map(mpi));
        blocks.extend(tables.openmp.measured().map(openmp::section));
        blocks.push(processes(shown));
        blocks.extend(placement(&tables.placement));
    }
    blocks.extend(list("notices", "To be kept in mind", &notices(shown)));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    blocks.extend(next(shown));
    Document {
        tool: "numawise snapshot",
        title: format!("Snapshot: {}", run.header.command.shell_line()),
        opening: Opening {
            headline: words::headline(tables),
            tone: match words::tone(&tables.useful) {
                Tone::Plain => Tone::Doubt,
                tone => tone,
            },
            effect: None,
            sentence: Some(words::sentence(tables)),
        },
        blocks,
        charts: None,
        width: 120,
    }
}

fn facts(shown: &Shown) -> Vec<Fact> {
    let (header, tables) = (&shown.run.header, shown.tables);
    let fact = |name, text: Text| Fact { name, text, code: false };
    let mut facts = vec![
        Fact { name: "Program", text: header.command.shell_line().into(), code: true },
        fact("Elapsed", format!("{}; it {}", header.wall, words::exit(header.exit)).into()),
        fact("Watched", words::processes(&tables.processes).into()),
    ];
    if tables.processes.counted > 0 {
        facts.push(fact("Shares are of", words::span(tables).into()));
        for (name, missing) in [("MPI", tables.mpi.reason()), ("OpenMP", tables.openmp.reason())] {
            facts.extend(missing.map(|reason| fact(name, reason.to_string().into())));
        }
    }
    facts.extend(header.ranks.as_ref().map(|ranks| fact("Asked for", format!("ranks {ranks}").into())));
    facts.extend(shown.record.map(|record| Fact { name: "Kept in", text: record.into(), code: true }));
    facts
}

/// The time of all CPUs by what they did.
fn time(shown: &Shown) -> Block {
    let tables = shown.tables;
    let title = "Where the CPUs' time went";
    let Some(time) = tables.time.measured() else {
        let reason = tables.time.reason().map_or_else(String::new, ToString::to_string);
        return section("time", title, vec![Block::Paragraph(Text::unavailable(reason))]);
    };
    let imbalance = time.imbalance.saturating_sub(time.lock);
    let parts = [
        ("useful", time.useful),
        ("MPI", time.mpi),
        ("OpenMP: waiting at barriers", imbalance),
        ("OpenMP: locks, critical sections", time.lock),
        ("OpenMP: scheduling", time.scheduling),
        ("OpenMP: no parallel region", time.serial),
        ("waiting outside of MPI and OpenMP", time.waiting),
    ];
    let all: f64 = parts.iter().map(|(_, part)| part.0 as f64).sum();
    let rows =
        parts.into_iter().filter(|(name, part)| *name == "useful" || part.0 > 0).map(|(name, part)| {
            let share = Ratio(if all > 0.0 { part.0 as f64 / all } else { 0.0 });
            let judged = if name == "useful" { words::judged(&tables.useful) } else { "".into() };
            let cells: [Cell; 5] = [
                name.into(),
                words::percent(share).into(),
                part.to_string().into(),
                bar(share).into(),
                judged,
            ];
            cells.into_iter().collect()
        });
    let columns = vec![
        Column::text("what"),
        Column::number("share"),
        Column::number("CPU time"),
        Column { ascii: Some('#'), ..Column::picture("") }.expendable(1),
        Column::text("judgement"),
    ];
    section("time", title, vec![Block::Table(Table { columns, rows: rows.collect(), most: None })])
}

/// A bar of at most twenty characters.
fn bar(share: Ratio) -> String {
    "█".repeat((share.0.clamp(0.0, 1.0) * 20.0).round() as usize)
}

fn efficiencies(shown: &Shown) -> Block {
    let of = &shown.tables.efficiency;
    let rows: [(&str, &RatedShare); 10] = [
        ("parallel efficiency", &of.parallel),
        ("MPI parallel efficiency", &of.mpi_parallel),
        ("  MPI communication efficiency", &of.mpi_communication),
        ("  MPI load balance", &of.mpi_load_balance),
        ("    inside computers", &of.mpi_load_balance_in),
        ("    between computers", &of.mpi_load_balance_out),
        ("OpenMP parallel efficiency", &of.openmp_parallel),
        ("  OpenMP serialization", &of.openmp_serialization),
        ("  OpenMP load balance", &of.openmp_load_balance),
        ("  OpenMP scheduling", &of.openmp_scheduling),
    ];
    let tables = shown.tables;
    // What there is nothing of is said above.
    let is_shown = |name: &str| {
        let is_missing = |what: &str, is_there: bool| name.trim_start().starts_with(what) && !is_there;
        let is_between = name.ends_with("computers") && tables.processes.hosts < 2;
        let mpi = is_missing("MPI", tables.mpi.measured().is_some());
        !(is_between || mpi || is_missing("OpenMP", tables.openmp.measured().is_some()))
    };
    let rows = rows.into_iter().filter(|(name, _)| is_shown(name)).map(|(name, share)| {
        let value = words::reading(&share.value, |share| words::efficiency(*share));
        let cells: [Cell; 3] = [name.into(), value.into(), words::judged(share)];
        cells.into_iter().collect()
    });
    let columns =
        vec![Column::text("as POP and TALP define them"), Column::number("value"), Column::text("judgement")];
    section(
        "efficiency",
        "Efficiencies",
        vec![Block::Table(Table { columns, rows: rows.collect(), most: None })],
    )
}

fn findings(shown: &Shown) -> Block {
    let entry = |of: &SnapshotFinding| {
        let potential = match &of.potential {
            Reading::Measured(gain) => {
                format!("{} of the run at most ({})", gain.time, words::percent(gain.share))
            }
            Reading::Unavailable { unavailable } => format!("unavailable: {unavailable}"),
        };
        Entry {
            code: of.finding.id.code(),
            title: watched_findings::name(of.finding.id),
            parts: vec![
                ("seen", watched_findings::evidence(&of.finding)),
                ("cost", vec![potential]),
                ("to do", watched_findings::advice(&of.finding)),
            ],
        }
    };
    let entries: Vec<Entry> = shown.tables.findings.iter().map(entry).collect();
    let block = if entries.is_empty() { Block::Paragraph("none".into()) } else { Block::Entries(entries) };
    section("findings", "Findings", vec![block])
}

fn mpi(of: &MpiSummary) -> Block {
    let spread = |spread: &RankSpread| {
        let (least, most) = (spread.least, spread.most);
        format!(
            "{} on average, from {} (rank {}) to {} (rank {})",
            words::percent(spread.mean),
            words::percent(least.1),
            least.0,
            words::percent(most.1),
            most.0
        )
    };
    let second = if of.has_several { "; a second MPI was loaded beside it" } else { "" };
    let library = format!("{}{second}", words::library(of.library));
    let share = &of.imbalance_share;
    let imbalance = match (&of.imbalance, &share.value) {
        (Reading::Measured(time), Reading::Measured(part)) => {
            format!("{time} of the run ({}): {}", words::percent(*part), words::judgement(share)).into()
        }
        (imbalance, _) => words::time(imbalance),
    };
    let fact = |name, text: Text| Fact { name, text, code: false };
    let facts = vec![
        fact("Library", library.into()),
        fact("Share by rank", words::reading(&of.share_by_rank, spread)),
        fact("Imbalance", imbalance),
        fact("Waiting in calls", words::time(&of.waiting_in_calls)),
    ];
    let mut blocks = vec![Block::Facts(facts), Block::Table(calls(of)), Block::Table(sites(of))];
    if of.further_sites != CallTime::default() {
        let further = of.further_sites;
        blocks.push(Block::Legend(
            format!("and {} calls at further places, {}", further.count, further.time).into(),
        ));
    }
    blocks.extend(
        [sizes(of), communicators(of)].map(|table| Block::Only(Face::Html, Box::new(Block::Table(table)))),
    );
    blocks.extend(volume::blocks(&of.volume));
    section("mpi", "MPI", blocks)
}

fn calls(of: &MpiSummary) -> Table {
    let rows = of.calls.iter().map(|row| {
        let cells: [Cell; 7] = [
            row.call.as_str().into(),
            row.calls.count.to_string().into(),
            row.calls.time.to_string().into(),
            words::reading(&row.share, |share| words::percent(*share)).into(),
            row.longest.to_string().into(),
            words::bytes(&row.sent).into(),
            words::bytes(&row.received).into(),
        ];
        cells.into_iter().collect::<Row>()
    });
    let columns = vec![
        Column::code("call"),
        Column::number("calls"),
        Column::number("time"),
        Column::number("of MPI"),
        Column::number("longest"),
        Column::number("sent").expendable(2),
        Column::number("received").expendable(1),
    ];
    Table { columns, rows: rows.collect(), most: words::limits(4) }
}

fn sites(of: &MpiSummary) -> Table {
    let rows = of.sites.iter().map(|row| {
        let extreme = |of: &Reading<(u32, Nanoseconds)>| {
            words::reading(of, |(rank, time)| format!("{time} (rank {rank})"))
        };
        let cells: [Cell; 8] = [
            words::place(&row.place).into(),
            row.call.as_str().into(),
            row.calls.count.to_string().into(),
            row.calls.time.to_string().into(),
            words::reading(&row.share, |share| words::percent(*share)).into(),
            words::reading(&row.communicator, Clone::clone).into(),
            extreme(&row.least).into(),
            extreme(&row.most).into(),
        ];
        cells.into_iter().collect::<Row>()
    });
    let page = |column: Column| Column { only: Some(Face::Html), ..column };
    let columns = vec![
        Column::code("where"),
        Column::code("call"),
        Column::number("calls").expendable(1),
        Column::number("time"),
        Column::number("of MPI"),
        page(Column::text("communicator")),
        page(Column::number("least")),
        page(Column::number("most")),
    ];
    Table { columns, rows: rows.collect(), most: words::limits(5) }
}

fn sizes(of: &MpiSummary) -> Table {
    let rows = of.messages.iter().map(|row| {
        let cells: [Cell; 3] =
            [words::family(row.family).into(), words::size(row.bits).into(), row.messages.to_string().into()];
        cells.into_iter().collect::<Row>()
    });
    let columns = vec![Column::text("messages"), Column::number("size"), Column::number("number")];
    Table { columns, rows: rows.collect(), most: None }
}

fn communicators(of: &MpiSummary) -> Table {
    let rows = of.communicators.iter().map(|row| {
        let size = match row.sizes {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least} to {most}"),
        };
        let cells: [Cell; 5] = [
            row.name.as_str().into(),
            size.into(),
            row.groups.to_string().into(),
            row.calls.count.to_string().into(),
            row.calls.time.to_string().into(),
        ];
        cells.into_iter().collect::<Row>()
    });
    let columns = vec![
        Column::code("communicator"),
        Column::number("ranks"),
        Column::number("groups"),
        Column::number("calls"),
        Column::number("time"),
    ];
    Table { columns, rows: rows.collect(), most: words::limits(5) }
}

fn processes(shown: &Shown) -> Block {
    let tables = shown.tables;
    let (several, has_mpi) = (tables.processes.hosts > 1, tables.mpi.measured().is_some());
    let has_openmp = tables.openmp.measured().is_some();
    let row = |row: &ProcessRow| {
        let cpu = |part: fn(&numawise_tables::snapshot::CpuTime) -> Nanoseconds| {
            words::reading(&row.time, |time| part(time).to_string())
        };
        let cells: [Cell; 10] = [
            words::reading(&row.rank, u32::to_string).into(),
            row.host.as_str().into(),
            row.pid.to_string().into(),
            words::last(&row.program).into(),
            words::time(&row.elapsed).into(),
            words::reading(&row.cpus, u64::to_string).into(),
            words::reading(&row.useful.value, |share| words::percent(*share)).into(),
            words::time(&row.mpi).into(),
            cpu(|time| time.imbalance).into(),
            words::end(row.end).into(),
        ];
        cells.into_iter().collect::<Row>()
    };
    let only_page = |is_shown: bool, column: Column| {
        if is_shown { column } else { Column { only: Some(Face::Html), ..column } }
    };
    let no_end = tables.rows.iter().all(|row| words::end(row.end).is_empty());
    let columns = vec![
        only_page(has_mpi, Column::number("rank")),
        only_page(several, Column::text("computer")),
        Column::number("process"),
        Column::text("program").expendable(2),
        Column::number("elapsed"),
        Column::number("CPUs"),
        Column::number("useful"),
        only_page(has_mpi, Column::number("MPI")),
        only_page(has_openmp, Column::number("OpenMP waits")).expendable(1),
        only_page(!no_end, Column::text("end")),
    ];
    let table = Table { columns, rows: tables.rows.iter().map(row).collect(), most: words::limits(8) };
    section("processes", "Processes", vec![Block::Table(table)])
}

/// Nothing where threads are alone on their CPUs.
fn placement(of: &PlacementSummary) -> Option<Block> {
    let mut lines: Vec<Text> = Vec::new();
    if of.moved > 0 {
        let times = of.migrations.measured().map_or_else(String::new, |times| {
            format!(", {times} move{} in all", if *times == 1 { "" } else { "s" })
        });
        lines.push(
            format!("{} of {} threads were seen on more than one CPU{times}", of.moved, of.threads).into(),
        );
    }
    let shared = |cpu: &OverfullCpu| {
        let ranks = match cpu.ranks.len() {
            0 | 1 => String::new(),
            _ => format!(" (ranks {})", cpu.ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
        };
        Text::from(format!(
            "CPU {} of {} is shared by {} threads{ranks}",
            cpu.cpu,
            cpu.host,
            cpu.threads.len()
        ))
    };
    lines.extend(of.shared.iter().take(8).map(shared));
    if of.shared.len() > 8 {
        lines.push(format!("and {} more CPUs are shared", of.shared.len() - 8).into());
    }
    (!lines.is_empty()).then(|| section("placement", "Placement", vec![Block::List(lines)]))
}

fn notices(shown: &Shown) -> Vec<String> {
    let mut texts = notice::texts(&shown.run.header.notices);
    texts.extend(losses(&shown.tables.lost));
    texts
}

/// What the collector had no room for.
fn losses(of: &SnapshotLosses) -> Option<String> {
    let all = [
        (of.threads, "threads"),
        (of.files, "files"),
        (of.communicators, "communicators"),
        (of.requests, "requests"),
        (of.mpi_calls, "calls of MPI"),
        (of.messages, "messages"),
        (of.constructs, "constructs of OpenMP"),
    ];
    let lost: Vec<String> =
        all.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!lost.is_empty()).then(|| {
        format!("the collector's tables had no room for {}: figures of them are too small", lost.join(", "))
    })
}

/// What to type next.
fn next(shown: &Shown) -> Option<Block> {
    let line = match shown.record {
        Some(record) => format!("numawise report {record} --html report.html"),
        None => format!("numawise snapshot --output run.nw -- {}", shown.run.header.command.shell_line()),
    };
    let commands = vec![Command { tool: None, line, note: None }];
    Some(section("next", "More of it", vec![Block::Commands(commands)]))
}
