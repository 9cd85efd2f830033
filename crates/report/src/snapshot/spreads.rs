//! How the ranks of a job differ that are too many to have a row each.

use numawise_tables::snapshot::{MergedRankTables, RankTimeSpread, SpreadQuantity};
use numawise_units::Nanoseconds;
use serde_json::{Value, json as object};

use crate::document::{Block, Cell, Column, Row, Table};
use crate::object::each;

/// The spreads, and which ranks have a row in the table behind them.
pub fn blocks(of: &MergedRankTables) -> Vec<Block> {
    vec![
        Block::Table(spreads(of)),
        Block::Legend(
            format!(
                "{}: those with the least and the most of each, those that died first, and rank 0. All other \
                 figures are of all {} ranks. Useful time and time in MPI are of each CPU of a rank; quantiles are off by a \
                 32nd at most.",
                rows(of),
                of.ranks
            )
            .into(),
        ),
    ]
}

/// `112 of 262144 ranks have a row`.
pub fn rows(of: &MergedRankTables) -> String {
    format!("{} of {} ranks have a row", of.in_full, of.ranks)
}

fn spreads(of: &MergedRankTables) -> Table {
    let row = |spread: &RankTimeSpread| {
        let end = |(rank, time): (u32, Nanoseconds)| Cell::from(format!("{time} (rank {rank})"));
        let mut cells: Vec<Cell> = vec![name(spread.quantity).into(), spread.mean.to_string().into()];
        cells.push(end(spread.least));
        cells.extend(spread.quantiles.iter().map(|(_, time)| time.to_string().into()));
        cells.push(end(spread.most));
        cells.into_iter().collect::<Row>()
    };
    let mut columns = vec![Column::text("all ranks"), Column::number("mean"), Column::number("least")];
    let shares = of.spreads.first().map_or(&[][..], |spread| &spread.quantiles);
    columns.extend(shares.iter().map(|(share, _)| {
        let name = if share.0 == 0.5 { "median".to_owned() } else { format!("{:.0} %", share.0 * 100.0) };
        let column = Column::number(name);
        if share.0 == 0.5 { column } else { column.expendable(1) }
    }));
    columns.push(Column::number("most"));
    Table { columns, rows: of.spreads.iter().map(row).collect(), most: None }
}

fn name(of: SpreadQuantity) -> &'static str {
    match of {
        SpreadQuantity::Useful => "useful",
        SpreadQuantity::Mpi => "MPI",
        SpreadQuantity::Elapsed => "elapsed",
    }
}

/// A list; empty where each rank has a row.
pub fn json(of: Option<&MergedRankTables>) -> Value {
    each(of.map_or(&[][..], |of| &of.spreads), spread)
}

fn spread(of: &RankTimeSpread) -> Value {
    let end = |(rank, time): (u32, Nanoseconds)| object!({ "rank": rank, "seconds": time.seconds() });
    let quantile = |(share, time): &(numawise_units::Ratio, Nanoseconds)| object!({ "share": share.0, "seconds": time.seconds() });
    object!({
        "quantity": match of.quantity {
            SpreadQuantity::Useful => "useful",
            SpreadQuantity::Mpi => "mpi",
            SpreadQuantity::Elapsed => "elapsed",
        },
        "mean_seconds": of.mean.seconds(),
        "least": end(of.least),
        "most": end(of.most),
        "quantiles": each(&of.quantiles, quantile),
    })
}
