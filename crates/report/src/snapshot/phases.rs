//! The program's own phases in a snapshot.

use numawise_facts::Reading;
use numawise_facts::activity::PhaseName;
use numawise_tables::snapshot::{PhaseRow, PhaseTables, RatedShare};
use numawise_units::Ratio;
use serde_json::{Value, json as object};

use super::{figures, words};
use crate::amount::times;
use crate::document::{self, Block, Cell, Column, Face, Row, Table, Text};
use crate::object::{each, reading};

/// As the program has it.
pub fn name(of: &PhaseName) -> String {
    match of {
        PhaseName::Region(name) => name.clone(),
        PhaseName::ThreadRegion(name) => format!("{name} (single threads)"),
        PhaseName::Control(0) => "MPI_Pcontrol(0): off".to_owned(),
        PhaseName::Control(level) => format!("MPI_Pcontrol({level})"),
    }
}

/// Nothing where the program named none.
pub fn section(of: &PhaseTables) -> Option<Block> {
    let mut blocks = Vec::new();
    if !of.rows.is_empty() {
        blocks.push(Block::Table(table(of)));
    }
    if of.rows.iter().any(|row| row.open > 0) {
        let open: Vec<String> =
            of.rows.iter().filter(|row| row.open > 0).map(|row| name(&row.name)).collect();
        blocks.push(Block::Legend(
            format!("not ended when the process was last seen, and counted up to then: {}", open.join(", "))
                .into(),
        ));
    }
    if of.unbalanced > 0 {
        let text = format!(
            "{} the end of a region had no begin, or a region within it was not ended: these were ended with it",
            times(of.unbalanced)
        );
        blocks.push(Block::Legend(text.into()));
    }
    if of.lost > 0 {
        let text = format!("{} a phase was begun for which the collector had no place", times(of.lost));
        blocks.push(Block::Legend(text.into()));
    }
    (!blocks.is_empty()).then(|| document::section("phases", "The program's own phases", blocks))
}

fn table(of: &PhaseTables) -> Table {
    let share = |of: &Reading<Ratio>| Text::of(of, |share| words::percent(*share));
    let value = |of: &RatedShare| Text::of(&of.value, |share| words::efficiency(*share));
    let rows = of.rows.iter().map(|row| {
        let of = &row.efficiency;
        let cells: [Cell; 13] = [
            name(&row.name).into(),
            row.calls.to_string().into(),
            words::time(&row.elapsed).into(),
            share(&row.share).into(),
            share(&row.useful.value).into(),
            share(&row.mpi).into(),
            value(&of.mpi_parallel).into(),
            value(&of.mpi_communication).into(),
            value(&of.mpi_load_balance).into(),
            value(&of.openmp_parallel).into(),
            value(&of.openmp_serialization).into(),
            value(&of.openmp_load_balance).into(),
            words::judged(&row.useful),
        ];
        cells.into_iter().collect::<Row>()
    });
    let page = |column: Column| Column { only: Some(Face::Html), ..column };
    let columns = vec![
        Column::text("phase"),
        Column::number("calls").expendable(1),
        Column::number("elapsed"),
        Column::number("of the run").expendable(2),
        Column::number("useful"),
        Column::number("MPI"),
        Column::number("MPI efficiency"),
        page(Column::number("MPI communication")),
        page(Column::number("MPI load balance")),
        Column::number("OpenMP efficiency"),
        page(Column::number("OpenMP serialization")),
        page(Column::number("OpenMP load balance")),
        Column::text("judgement").expendable(3),
    ];
    Table { columns, rows: rows.collect(), most: words::limits(8) }
}

/// The same as JSON: what a row is of, and its figures by the names that those of the run have.
pub fn json(of: &PhaseTables) -> Value {
    object!({
        "rows": each(&of.rows, row),
        "lost": of.lost,
        "unbalanced": of.unbalanced,
    })
}

fn row(of: &PhaseRow) -> Value {
    let (kind, level) = match &of.name {
        PhaseName::Region(_) => ("region", None),
        PhaseName::ThreadRegion(_) => ("thread_region", None),
        PhaseName::Control(level) => ("pcontrol", Some(level)),
    };
    let text = match &of.name {
        PhaseName::Region(name) | PhaseName::ThreadRegion(name) => name.clone(),
        PhaseName::Control(_) => name(&of.name),
    };
    object!({
        "name": text,
        "kind": kind,
        "level": level,
        "processes": of.processes,
        "calls": of.calls,
        "elapsed_seconds": reading(&of.elapsed, |time| object!(time.seconds())),
        "longest_seconds": of.longest.seconds(),
        "share": reading(&of.share, |share| object!(share.0)),
        "cpus": of.cpus,
        "time": reading(&of.time, figures::cpu_time),
        "useful": reading(&of.useful.value, |share| object!(share.0)),
        "mpi": reading(&of.mpi, |share| object!(share.0)),
        "efficiency": figures::efficiency(&of.efficiency),
        "open": of.open,
    })
}
