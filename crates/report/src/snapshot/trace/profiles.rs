//! Ranks by ranks: who waited for whom, how fast messages were, and what collective calls cost on each communicator.

use numawise_tables::snapshot::{CollectiveProfile, MessageProfile, RunTrace, WaitingPair};
use numawise_units::BytesPerSecond;

use super::super::words;
use super::{of_world, share};
use crate::document::{Block, Cell, Column, Row, Table, section};

/// Of the messages whose time is known; none where none is, or where they hold nothing.
pub fn rate(of: &MessageProfile) -> Option<BytesPerSecond> {
    let is_known = of.time.0 > 0 && of.timed_bytes.0 > 0;
    is_known.then(|| BytesPerSecond(of.timed_bytes.0 as f64 / of.time.seconds()))
}

/// Messages and collective calls, each where there are any.
pub fn sections(of: &RunTrace, most: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !of.messages_by_pair.is_empty() {
        let legend = "a message's time: from when both ranks had come until the receive returned; known where the receiver was in that call already";
        let blocks_of = vec![Block::Table(messages(of, most)), Block::Legend(legend.into())];
        blocks.push(section("messages", "Messages: how fast", blocks_of));
    }
    if !of.collective_calls.is_empty() {
        let calls = vec![Block::Table(collectives(of, most))];
        blocks.push(section("collectives", "Collective calls by communicator", calls));
    }
    blocks
}

fn messages(of: &RunTrace, most: usize) -> Table {
    let row = |row: &MessageProfile| -> Row {
        let longest = row
            .longest
            .map_or_else(|| "-".to_owned(), |of| format!("{} for {} at {}", of.time, of.bytes, of.begin));
        let cells: [Cell; 7] = [
            of_world(row.from, row.world),
            of_world(row.to, row.world),
            row.bytes.to_string().into(),
            row.messages.to_string().into(),
            row.timed.to_string().into(),
            rate(row).map_or_else(|| "-".to_owned(), |rate| rate.to_string()).into(),
            longest.into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::number("from rank"),
        Column::number("to rank"),
        Column::number("bytes"),
        Column::number("messages"),
        Column::number("time known of").expendable(1),
        Column::number("mean rate"),
        Column::number("longest").expendable(2),
    ];
    Table { columns, rows: of.messages_by_pair.iter().map(row).collect(), most: words::limits(most) }
}

fn collectives(of: &RunTrace, most: usize) -> Table {
    let row = |row: &CollectiveProfile| -> Row {
        let name = match row.communicator.measured() {
            Some(name) if !name.is_empty() => name,
            Some(_) => "without a name",
            None => "not known",
        };
        let cells: [Cell; 7] = [
            row.call.as_str().into(),
            name.into(),
            row.ranks.to_string().into(),
            row.calls.to_string().into(),
            row.time.to_string().into(),
            words::percent(share(row.waiting, row.time)).into(),
            row.bytes.to_string().into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::text("call"),
        Column::text("communicator"),
        Column::number("ranks"),
        Column::number("calls"),
        Column::number("time, all ranks"),
        Column::number("waiting"),
        Column::number("bytes").expendable(1),
    ];
    Table { columns, rows: of.collective_calls.iter().map(row).collect(), most: words::limits(most) }
}

/// Who waited for whom.
pub fn pairs(of: &RunTrace, most: usize) -> Table {
    let row = |pair: &WaitingPair| -> Row {
        let cells: [Cell; 5] = [
            of_world(pair.waits, pair.world),
            of_world(pair.late, pair.world),
            pair.waiting.to_string().into(),
            words::percent(share(pair.waiting, of.times.waiting)).into(),
            pair.times.to_string().into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::number("rank"),
        Column::number("waited for rank"),
        Column::number("time"),
        Column::number("of all waiting"),
        Column::number("times"),
    ];
    Table { columns, rows: of.pairs.iter().map(row).collect(), most: words::limits(most) }
}
