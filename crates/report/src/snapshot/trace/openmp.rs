//! OpenMP in a trace, and phases.

use numawise_tables::snapshot::{RunTrace, TraceTimes, TracedConstruct, TracedPhase, TracedWorker};
use numawise_units::{Arrange, Nanoseconds};

use super::super::{phases, words};
use super::{STATES, State, columns_of, shares, teams};
use crate::document::{Block, Cell, Column, Row, Table, Text, section};

pub fn sections(of: &RunTrace, most: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !of.openmp.is_empty() {
        let mut openmp = vec![Block::Table(constructs(of, most))];
        if of.ranks.iter().any(|rank| !rank.workers.is_empty()) {
            openmp.push(Block::Table(workers(of)));
        }
        openmp.push(Block::Legend(
            "waiting of threads at the end of a region, at barriers, for tasks and locks, from 1 us on"
                .into(),
        ));
        blocks.push(section("trace-openmp", "Waiting in OpenMP: where", openmp));
    }
    blocks.extend(teams::sections(of, most));
    if !of.phases.is_empty() {
        let legend = "shares of the threads that call MPI; --phase NAME shows a phase alone";
        let table = vec![Block::Table(table(of, most)), Block::Legend(legend.into())];
        blocks.push(section("trace-phases", "Phases: when, and what ranks did", table));
    }
    blocks
}

/// A rank's thread: `rank 0, thread 2`.
fn thread_name(of: &RunTrace, rank: u32, number: u32) -> String {
    let lane = if of.are_ranks { "rank" } else { "process" };
    match number {
        0 => format!("{lane} {rank}"),
        number => format!("{lane} {rank}, thread {number}"),
    }
}

/// "barrier in f (a.c:3)".
fn place(of: &TracedConstruct) -> Text {
    let mut text = Text::from(format!("{} in ", words::construct(of.construct)));
    text.0.extend(words::place(&of.place).0);
    text
}

fn constructs(of: &RunTrace, most: usize) -> Table {
    let row = |row: &TracedConstruct| -> Row {
        let region = |text: String| if row.regions > 0 { text } else { String::new() };
        let longest = row.longest.map(|wait| {
            format!("{} at {}, {}", wait.time, wait.begin, thread_name(of, wait.rank, wait.number))
        });
        let cells: [Cell; 6] = [
            place(row).into(),
            row.waiting.to_string().into(),
            row.waits.to_string().into(),
            longest.unwrap_or_default().into(),
            region(row.regions.to_string()).into(),
            region(row.time.to_string()).into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::text("construct"),
        Column::number("waiting, all threads"),
        Column::number("waits"),
        Column::text("longest").expendable(1),
        Column::number("regions"),
        Column::number("time in them, all ranks"),
    ];
    Table { columns, rows: of.openmp.iter().map(row).collect(), most: words::limits(most) }
}

/// Those that waited most first.
fn workers(of: &RunTrace) -> Table {
    let mut all: Vec<(u32, &TracedWorker)> =
        of.ranks.iter().flat_map(|rank| rank.workers.iter().map(|worker| (rank.rank, worker))).collect();
    all.arrange_by_key(|(_, worker)| std::cmp::Reverse(worker.times.openmp_waiting));
    let states = states_of(all.iter().map(|(_, worker)| worker.times).sum());
    let row = |(rank, worker): &(u32, &TracedWorker)| -> Row {
        let mut cells: Vec<Cell> = vec![thread_name(of, *rank, worker.number).into()];
        cells.extend(shares(&worker.times, &states));
        cells.into_iter().collect()
    };
    let columns = std::iter::once(Column::text("thread")).chain(columns_of(&states)).collect();
    Table { columns, rows: all.iter().map(row).collect(), most: words::limits(8) }
}

fn states_of(times: TraceTimes) -> Vec<State> {
    STATES.into_iter().filter(|(_, _, time)| time(&times) > Nanoseconds(0)).collect()
}

fn table(of: &RunTrace, most: usize) -> Table {
    let states = states_of(of.phases.iter().map(|phase| phase.spent).sum());
    let row = |row: &TracedPhase| -> Row {
        let mut cells: Vec<Cell> = vec![
            phases::name(&row.name).into(),
            row.times.to_string().into(),
            row.spent.total().to_string().into(),
            format!("{} to {}", row.begin, row.end).into(),
        ];
        cells.extend(shares(&row.spent, &states));
        cells.into_iter().collect()
    };
    let mut columns = vec![
        Column::text("phase"),
        Column::number("times"),
        Column::number("time, all ranks"),
        Column::text("from, to").expendable(1),
    ];
    columns.extend(columns_of(&states));
    Table { columns, rows: of.phases.iter().map(row).collect(), most: words::limits(most) }
}
