//! Ranks by ranks: who waited for whom, how fast messages were, and what collective calls cost on each communicator.

use numawise_tables::snapshot::{RunTrace, WaitingPair};

use super::super::{figure, words};
use super::columns::{COLLECTIVES, MESSAGES};
use super::{of_world, share};
use crate::document::{Block, Cell, Column, Row, Table, section};

/// Messages and collective calls, each where there are any.
pub fn sections(of: &RunTrace, most: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !of.messages_by_pair.is_empty() {
        let legend = "a message's time: from when both ranks had come until the receive returned; known where the receiver was in that call already";
        let messages = figure::table(&[MESSAGES], &of.messages_by_pair, words::limits(most), |_| true);
        let blocks_of = vec![Block::Table(messages), Block::Legend(legend.into())];
        blocks.push(section("messages", "Messages: how fast", blocks_of));
    }
    if !of.collective_calls.is_empty() {
        let calls = figure::table(&[COLLECTIVES], &of.collective_calls, words::limits(most), |_| true);
        blocks.push(section("collectives", "Collective calls by communicator", vec![Block::Table(calls)]));
    }
    blocks
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
