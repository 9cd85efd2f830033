//! The program's own phases in a snapshot.

use numawise_facts::Reading::Measured;
use numawise_facts::activity::PhaseName;
use numawise_tables::snapshot::{PhaseRow, PhaseTables};
use serde_json::{Value, json};

use super::figure::{self, When, declare};
use super::{figures, words};
use crate::amount::times;
use crate::document::{self, Block};
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
        blocks.push(Block::Table(figure::table(&[PHASES], &of.rows, words::limits(8), |_| true)));
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

declare! {
    /// A phase, by the names that figures of the run have.
    pub PHASES: PhaseRow {
        json "name" Json |of| Measured(match &of.name {
            PhaseName::Region(name) | PhaseName::ThreadRegion(name) => json!(name),
            PhaseName::Control(_) => json!(name(&of.name)),
        });
        shown "" Name |of| Measured(name(&of.name)) => text: "phase";
        json "kind" Name |of| Measured(kind(&of.name).to_owned());
        json "level" Json |of| Measured(json!(match of.name {
            PhaseName::Control(level) => Some(level),
            _ => None,
        }));
        json "processes" Count |of| Measured(of.processes);
        json "calls" Count |of| Measured(of.calls) => number: "calls", expendable: 1;
        json "elapsed_seconds" Time |of| of.elapsed.clone() => number: "elapsed";
        json "longest_seconds" Time |of| Measured(of.longest);
        json "share" Share |of| of.share.clone() => number: "of the run", expendable: 2;
        json "cpus" Count |of| Measured(of.cpus);
        json "time" Json |of| Measured(reading(&of.time, figures::cpu_time));
        json "useful" Share |of| of.useful.value.clone() => number: "useful";
        json "mpi" Share |of| of.mpi.clone() => number: "MPI";
        json "efficiency" Json |of| Measured(figures::efficiency(&of.efficiency));
        shown "MPI efficiency" Efficiency |of| of.efficiency.mpi_parallel.value.clone();
        shown "MPI communication" Efficiency |of| of.efficiency.mpi_communication.value.clone() => when: When::InPage;
        shown "MPI load balance" Efficiency |of| of.efficiency.mpi_load_balance.value.clone() => when: When::InPage;
        shown "OpenMP efficiency" Efficiency |of| of.efficiency.openmp_parallel.value.clone();
        shown "OpenMP serialization" Efficiency |of| of.efficiency.openmp_serialization.value.clone() => when: When::InPage;
        shown "OpenMP load balance" Efficiency |of| of.efficiency.openmp_load_balance.value.clone() => when: When::InPage;
        shown "" Judgement |of| Measured(of.useful.clone()) => text: "judgement", expendable: 3;
        json "open" Count |of| Measured(of.open);
    }
}

fn kind(of: &PhaseName) -> &'static str {
    match of {
        PhaseName::Region(_) => "region",
        PhaseName::ThreadRegion(_) => "thread_region",
        PhaseName::Control(_) => "pcontrol",
    }
}

/// The same as JSON.
pub fn json(of: &PhaseTables) -> Value {
    let rows = each(&of.rows, |row| figure::object(PHASES, row));
    json!({ "rows": rows, "lost": of.lost, "unbalanced": of.unbalanced })
}
