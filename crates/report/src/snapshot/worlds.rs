//! Each `MPI_COMM_WORLD` of a run by itself, where there are several.

use numawise_tables::snapshot::{RatedShare, RunSnapshot, WorldRow};
use serde_json::{Value, json as object};

use super::figures::{self, share};
use super::words;
use crate::document::{Block, Cell, Column, Row, Table, Text};
use crate::object::reading;

pub fn block(tables: &RunSnapshot) -> Option<Block> {
    let efficiency = |share: &RatedShare| Text::of(&share.value, |share| words::efficiency(*share));
    let percent = |share: &RatedShare| Text::of(&share.value, |share| words::percent(*share));
    let row = |of: &WorldRow| {
        let size = of.size.filter(|size| u64::from(*size) != of.ranks);
        let cells: [Cell; 10] = [
            of.number.to_string().into(),
            words::last(&of.program).into(),
            size.map_or_else(|| of.ranks.to_string(), |size| format!("{} of {size}", of.ranks)).into(),
            of.began.to_string().into(),
            Text::of(&of.span, |span| span.time.to_string()).into(),
            percent(&of.useful).into(),
            Text::of(&of.mpi, percent).into(),
            efficiency(&of.efficiency.parallel).into(),
            efficiency(&of.efficiency.mpi_communication).into(),
            efficiency(&of.efficiency.mpi_load_balance).into(),
        ];
        cells.into_iter().collect::<Row>()
    };
    let columns = vec![
        Column::number("world"),
        Column::text("program").expendable(1),
        Column::number("ranks"),
        Column::number("began at"),
        Column::number("lasted"),
        Column::number("useful"),
        Column::number("MPI"),
        Column::number("parallel eff."),
        Column::number("MPI comm. eff."),
        Column::number("MPI balance"),
    ];
    let rows = tables.worlds.iter().map(row).collect();
    (!tables.worlds.is_empty()).then(|| Block::Table(Table { columns, rows, most: words::limits(8) }))
}

pub fn json(of: &WorldRow) -> Value {
    object!({
        "number": of.number,
        "program": of.program,
        "ranks": of.ranks,
        "size": of.size,
        "began_seconds": of.began.seconds(),
        "seconds": reading(&of.span, |span| object!(span.time.seconds())),
        "useful": share(&of.useful),
        "mpi": reading(&of.mpi, share),
        "efficiency": figures::efficiency(&of.efficiency),
    })
}
