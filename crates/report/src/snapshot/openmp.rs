//! OpenMP in a snapshot.

use numawise_facts::Reading;
use numawise_facts::activity::OpenMpRuntimes;
use numawise_tables::snapshot::{LoopRow, OpenMpSummary, RegionRow};
use numawise_units::{Nanoseconds, Ratio};

use super::{processes, words};
use crate::document::{self, Bar, BarPart, Bars, Block, Cell, Column, Face, Fact, Row, Table, Text};

pub fn section(of: &OpenMpSummary) -> Block {
    let fact = |name, text: Text| Fact { name, text, code: false };
    let serial = |share: &Ratio| {
        let judged = of.serial.rating.as_ref().map(|_| format!(": {}", words::judgement(&of.serial)));
        format!("{} of the time{}", words::percent(*share), judged.unwrap_or_default())
    };
    let gain =
        |time: &Nanoseconds| format!("{time} of the run, if no thread waited at a barrier of a region");
    let facts = vec![
        fact("Runtime", runtimes(&of.runtimes).into()),
        fact("Serial", Text::of(&of.serial.value, serial)),
        fact("Potential gain", Text::of(&of.potential_gain, gain)),
    ];
    let mut blocks = vec![Block::Facts(facts)];
    blocks.extend(bars(of));
    blocks.push(Block::Table(regions(of)));
    match &of.further_regions {
        Reading::Measured(0) => {}
        Reading::Measured(more) => blocks.push(Block::Legend(format!("and {more} more regions").into())),
        Reading::Unavailable { unavailable } => {
            blocks.push(Block::Legend(format!("and more regions: {unavailable}").into()));
        }
    }
    if let Some(why) = of.regions.first().and_then(|region| region.loops.reason()) {
        let text = Text::unavailable(why.to_string());
        blocks.push(Block::Facts(vec![fact("Loops", text)]));
    }
    let mut loops: Vec<Row> = Vec::new();
    for region in &of.regions {
        loops.extend(region.loops.measured().into_iter().flatten().map(|one| loop_row(region, one)));
    }
    if !loops.is_empty() {
        let table = Table { columns: loop_columns(), rows: loops, most: words::limits(4) };
        blocks.extend([Block::Heading("loops"), Block::Table(table)]);
    }
    document::section("openmp", "OpenMP", blocks)
}

type TimeOf = fn(&RegionRow) -> Nanoseconds;

/// The CPU time of the first regions by what their threads did.
fn bars(of: &OpenMpSummary) -> Option<Block> {
    const MOST: usize = 12;
    let [useful, _, mpi, barriers, locks, scheduling, ..] = processes::PARTS.map(|(part, _)| part);
    let time: [(BarPart, TimeOf); 5] = [
        (useful, |of| of.useful),
        (mpi, |of| of.mpi),
        (barriers, |of| of.imbalance.saturating_sub(of.lock)),
        (locks, |of| of.lock),
        (scheduling, |of| of.scheduling),
    ];
    let total = |of: &RegionRow| time.iter().fold(Nanoseconds(0), |sum, (_, time)| sum + time(of));
    let shown = of.regions.get(..of.regions.len().min(MOST))?;
    let longest = shown.iter().map(total).max().filter(|longest| longest.0 > 0)?;
    let is_there = |(_, time): &&(BarPart, TimeOf)| shown.iter().any(|of| time(of).0 > 0);
    let parts: Vec<_> = time.iter().filter(is_there).collect();
    let bar = |of: &RegionRow| Bar {
        name: format!(
            "{}{}: {}",
            of.place.measured().map_or_else(|| "a region of no known place".into(), words::place_in_short),
            of.within
                .first()
                .and_then(Reading::measured)
                .map_or_else(String::new, |within| format!(", opened in {}", words::place_in_short(within))),
            total(of)
        ),
        shares: parts.iter().map(|(_, time)| time(of).seconds() / longest.seconds()).collect(),
    };
    Some(Block::Bars(Bars {
        chart: None,
        label: "OpenMP regions by what their threads did; the table holds the figures".to_owned(),
        parts: parts.iter().map(|(part, _)| *part).collect(),
        bars: shown.iter().map(bar).collect(),
        caption: "CPU time of each region, of all its threads; the most potential gain first".to_owned(),
    }))
}

fn runtimes(of: &OpenMpRuntimes) -> String {
    let told = match (of.libgomp, of.ompt) {
        (true, true) => "GCC's and one with OMPT",
        (true, false) => "GCC's",
        (false, true) => "LLVM's, Intel's or another with OMPT",
        (false, false) => "none with OMPT",
    };
    let other = "; another tool of OMPT came first, and was told what we were not";
    format!("{told}{}", if of.has_other_tool { other } else { "" })
}

fn regions(of: &OpenMpSummary) -> Table {
    let row = |region: &RegionRow| {
        let team = |team: &numawise_facts::activity::ConstructTeam| match (team.least, team.most) {
            (least, most) if least == most => most.to_string(),
            (least, most) => format!("{least} to {most}"),
        };
        let within: Vec<String> =
            region.within.iter().filter_map(Reading::measured).map(words::place_in_short).collect();
        let cells: [Cell; 10] = [
            words::place(&region.place).into(),
            words::construct(region.name).into(),
            region.calls.to_string().into(),
            Text::of(&region.team, team).into(),
            region.time.to_string().into(),
            Text::of(&region.share, |share| words::percent(*share)).into(),
            words::time(&region.potential_gain).into(),
            region.lock.to_string().into(),
            region.scheduling.to_string().into(),
            within.join(", in ").into(),
        ];
        cells.into_iter().collect::<Row>()
    };
    // In a terminal there is room for it where it says something.
    let within = of.regions.iter().all(|region| region.within.is_empty()).then_some(Face::Html);
    let columns = vec![
        Column::code("region"),
        Column { only: Some(Face::Html), ..Column::text("construct") },
        Column::number("calls"),
        Column::number("team"),
        Column::number("time"),
        Column::number("of all"),
        Column::number("potential gain"),
        Column::number("locks").expendable(1),
        Column::number("scheduling").expendable(2),
        Column { only: within, ..Column::code("within").expendable(3) },
    ];
    Table { columns, rows: of.regions.iter().map(row).collect(), most: words::limits(6) }
}

fn loop_columns() -> Vec<Column> {
    vec![
        Column::code("loop"),
        Column { only: Some(Face::Html), ..Column::code("region") },
        Column::text("schedule"),
        Column::number("chunk").expendable(2),
        Column::number("iterations"),
        Column::number("threads"),
        Column::number("at best"),
        Column::number("waits").expendable(1),
    ]
}

fn loop_row(region: &RegionRow, of: &LoopRow) -> Row {
    let cells: [Cell; 8] = [
        words::place(&of.place).into(),
        words::place(&region.place).into(),
        Text::of(&of.schedule, |schedule| words::schedule(*schedule).to_owned()).into(),
        Text::of(&of.chunk, u64::to_string).into(),
        Text::of(&of.iterations, |iterations| format!("{:.0}", iterations.0)).into(),
        of.threads.to_string().into(),
        Text::of(&of.at_best, |share| words::efficiency(*share)).into(),
        words::time(&of.imbalance).into(),
    ];
    cells.into_iter().collect()
}
