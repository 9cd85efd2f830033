//! Each `MPI_COMM_WORLD` of a run by itself, where there are several.

use numawise_facts::Reading::Measured;
use numawise_tables::snapshot::{RunSnapshot, WorldRow};
use serde_json::{Value, json};

use super::figure::{self, declare};
use super::{figures, words};
use crate::document::Block;

declare! {
    /// One of them.
    pub WORLDS: WorldRow {
        json "number" Number |of| Measured(of.number.into()) => number: "world";
        json "program" Name |of| Measured(of.program.clone());
        shown "" Name |of| Measured(words::last(&of.program).to_owned()) => text: "program", expendable: 1;
        json "ranks" Count |of| Measured(of.ranks);
        shown "ranks" Name |of| Measured(match of.size.filter(|size| u64::from(*size) != of.ranks) {
            Some(size) => format!("{} of {size}", of.ranks),
            None => of.ranks.to_string(),
        });
        json "size" Json |of| Measured(json!(of.size));
        json "began_seconds" Time |of| Measured(of.began) => number: "began at";
        json "seconds" Time |of| of.span.as_ref().map(|span| span.time) => number: "lasted";
        json "useful" Share |of| of.useful.value.clone() => number: "useful";
        json "mpi" Share |of| of.mpi.as_ref().and_then(|mpi| mpi.value.clone()) => number: "MPI";
        json "efficiency" Json |of| Measured(figures::efficiency(&of.efficiency));
        shown "parallel eff." Efficiency |of| of.efficiency.parallel.value.clone();
        shown "MPI comm. eff." Efficiency |of| of.efficiency.mpi_communication.value.clone();
        shown "MPI balance" Efficiency |of| of.efficiency.mpi_load_balance.value.clone();
    }
}

pub fn block(tables: &RunSnapshot) -> Option<Block> {
    let table = figure::table(&[WORLDS], &tables.worlds, words::limits(8), |_| true);
    (!tables.worlds.is_empty()).then_some(Block::Table(table))
}

pub fn json(of: &WorldRow) -> Value {
    figure::object(WORLDS, of)
}
