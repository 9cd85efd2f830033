//! MPI in a snapshot: calls, places in the program, messages, who sends to whom.

use numawise_facts::Reading;
use numawise_facts::activity::CallTime;
use numawise_tables::snapshot::{MpiSummary, RankSpread, WaitingInCalls};
use numawise_units::{Nanoseconds, Ratio};

use super::{volume, words};
use crate::amount::many;
use crate::document::{self, Block, Cell, Column, Face, Fact, Row, Table, Text};

pub fn section(of: &MpiSummary) -> Block {
    let spread = |spread: &RankSpread| {
        let (least, most) = (spread.least, spread.most);
        if least.0 == most.0 {
            return format!("{} (rank {})", words::percent(spread.mean), least.0);
        }
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
    let imbalance = match (&of.imbalance, &of.imbalance_share) {
        (Reading::Measured(time), Reading::Measured(part)) => {
            format!("{time} of the run ({}) beyond the rank that is in MPI least", words::percent(*part))
                .into()
        }
        (imbalance, _) => words::time(imbalance),
    };
    let fact = |name, text: Text| Fact { name, text, code: false };
    let facts = vec![
        fact("Library", library.into()),
        fact("Share by rank", Text::of(&of.share_by_rank, spread)),
        fact("Imbalance", imbalance),
        fact("Waiting in calls", Text::of(&of.waiting_in_calls, waiting_in_calls)),
    ];
    let mut blocks = vec![Block::Facts(facts), Block::Table(calls(of)), Block::Table(sites(of))];
    if of.further_sites != CallTime::default() {
        let further = of.further_sites;
        blocks.push(Block::Legend(
            format!("and {} at further places, {}", many(further.count, "call"), further.time).into(),
        ));
    }
    blocks.extend(
        [sizes(of), communicators(of)].map(|table| Block::Only(Face::Html, Box::new(Block::Table(table)))),
    );
    blocks.extend(volume::blocks(&of.volume));
    document::section("mpi", "MPI", blocks)
}

/// What ranks waited for others, of the calls of which it is known.
fn waiting_in_calls(of: &WaitingInCalls) -> String {
    let share = |part: Nanoseconds, all: Nanoseconds| match all.0 {
        0 => Ratio(0.0),
        all => Ratio(part.0 as f64 / all as f64),
    };
    let requests = match of.in_requests.0 {
        0 => String::new(),
        _ => format!(
            "; of MPI_Waitall, MPI_Test and their kin ({}) it is not known",
            words::percent(share(of.in_requests, of.all))
        ),
    };
    format!(
        "{} ({} of collective calls, receives, sends and waits for one of them), the rest of these moves data; known of {} of the time in calls{requests}",
        of.waiting,
        words::percent(share(of.waiting, of.known)),
        words::percent(share(of.known, of.all)),
    )
}

fn calls(of: &MpiSummary) -> Table {
    let rows = of.calls.iter().map(|row| {
        let cells: [Cell; 7] = [
            row.call.as_str().into(),
            row.calls.count.to_string().into(),
            row.calls.time.to_string().into(),
            Text::of(&row.share, |share| words::percent(*share)).into(),
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
        let extreme =
            |of: &Reading<(u32, Nanoseconds)>| Text::of(of, |(rank, time)| format!("{time} (rank {rank})"));
        let cells: [Cell; 9] = [
            words::place(&row.place).into(),
            row.call.as_str().into(),
            row.calls.count.to_string().into(),
            row.calls.time.to_string().into(),
            Text::of(&row.share, |share| words::percent(*share)).into(),
            words::time(&row.waiting).into(),
            Text::of(&row.communicator, Clone::clone).into(),
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
        Column::number("waiting").expendable(2),
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
            Text::of(&row.groups, u64::to_string).into(),
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
