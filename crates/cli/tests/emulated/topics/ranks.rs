//! Copies and ranks: each is where `--dry-run --ranks` says, whoever starts it.

use serde_json::Value;
use testbed::{CommandResult, EmulatedMachine, Guest, Mpi};

use crate::json;
use crate::probe::{Line, by_rank, list};
use crate::shared::Topic;

pub const RANKS: &str = "ranks";
pub const LAUNCHERS: &str = "launchers";

/// Ranks, options, and the MPI that starts them besides `--copies`: a launcher takes seconds in a guest.
pub type Request = (u64, &'static str, Mpi);

/// Whether the launchers are here.
pub fn are_here() -> bool {
    testbed::mpi_ready(Mpi::OpenMpi) && testbed::mpi_ready(Mpi::Mpich)
}

/// A guest with the launchers that there are.
pub fn launchers(guest: Guest<'_>) -> Guest<'_> {
    let here = |mpi: &Mpi| mpi.readiness().is_ok();
    [Mpi::OpenMpi, Mpi::Mpich].into_iter().filter(here).fold(guest, Guest::mpi)
}

fn launched(mpi: Mpi, ranks: u64, binding: &str, program: &str) -> String {
    format!("{} -np {ranks} {binding} {program}", mpi.launcher())
}

/// The commands for a request: the plan, and the ways to start it.
fn commands((ranks, options, mpi): Request) -> [String; 3] {
    let run = format!("numawise run {options} --no-preload");
    let probe = "place_probe self 4 0.05";
    let unbound = if mpi == Mpi::OpenMpi { "--bind-to none" } else { "" };
    [
        format!("{run} --dry-run --json --ranks {ranks} {probe}"),
        format!("{run} --copies {ranks} {probe}"),
        launched(mpi, ranks, unbound, &format!("{run} {probe}")),
    ]
}

pub fn asked(requests: &[Request]) -> Topic {
    Topic::new(RANKS, requests.iter().flat_map(|request| commands(*request)))
}

/// The nodes of the CPUs in a list.
fn nodes_of(machine: &EmulatedMachine, cpus: &str) -> Vec<u64> {
    let node = |cpu: &u64| {
        let nodes = &machine.description().node;
        nodes.iter().position(|node| node.cpus.iter().any(|c| u64::from(*c) == *cpu)).unwrap() as u64
    };
    let mut nodes: Vec<u64> = list(cpus).iter().map(node).collect();
    nodes.dedup();
    nodes
}

/// Masks, policies and pages of the ranks are those of the plan; together they use every CPU once.
fn check(machine: &EmulatedMachine, plan: &Value, started: &CommandResult, ranks: u64) {
    let told = by_rank(started, ranks);
    let mut used = Vec::new();
    for (rank, line) in told.iter().enumerate() {
        let task = &plan["tasks"][rank];
        let of = format!("{}, rank {rank}: {line:?} of {task}", started.command);
        assert_eq!(line.text("cpus"), task["cpus"], "{of}");
        let memory = &task["memory"];
        assert_eq!(
            (line.text("policy"), line.text("nodes")),
            (memory["policy"].as_str().unwrap(), memory["nodes"].as_str().unwrap()),
            "{of}"
        );
        let nodes = match line.text("policy") {
            "local" | "default" => nodes_of(machine, line.text("cpus")),
            _ => list(line.text("nodes")),
        };
        // What was touched before it could be moved, such as the program's own start, is not counted by the probe.
        assert_eq!(line.share(&nodes), 1.0, "{of}");
        one_cpu_is_not_left(line, &of);
        used.extend(list(line.text("cpus")));
    }
    used.sort_unstable();
    let all: Vec<u64> = (0..used.len() as u64).collect();
    assert_eq!(used, all, "{}: every CPU once", started.command);
}

fn one_cpu_is_not_left(line: &Line, of: &str) {
    if list(line.text("cpus")).len() == 1 {
        assert_eq!((line.text("migrations"), line.text("cpu")), ("0", line.text("cpus")), "{of}");
    }
}

pub fn are_where_the_plan_says((machine, run): (&EmulatedMachine, &[CommandResult]), requests: &[Request]) {
    for ((ranks, options, _), results) in requests.iter().zip(run.chunks(3)) {
        let plan = json(&results[0]);
        let cpus: usize = machine.description().node.iter().map(|node| node.cpus.len()).sum();
        let planned =
            plan["tasks"].as_array().unwrap().iter().map(|task| list(task["cpus"].as_str().unwrap()).len());
        assert_eq!(planned.sum::<usize>(), cpus, "{options}: the request is one for the whole machine");
        for started in &results[1..] {
            check(machine, &plan, started, *ranks);
        }
    }
}

/// Under launchers that bind, and by the lines that numawise prints for them.
pub fn under_launchers() -> Topic {
    let probe = "place_probe self 1";
    let under = format!("numawise run --place local --no-preload {probe}");
    let request = "--ranks 2 --place semi --threads 2 --memory bind --no-preload";
    let emitted = |tool: &str| {
        let line = format!("numawise run --emit {tool} {request} {probe}");
        let launcher = tool.strip_prefix("mpirun-").unwrap();
        // The line says `mpirun`; a guest has two of them.
        format!(
            "{line} | sed 's/mpi\\(run\\|exec\\)\\b/mpirun.{launcher}/' > line && cat line >&2 && . ./line"
        )
    };
    Topic::new(
        LAUNCHERS,
        [
            launched(Mpi::OpenMpi, 2, "--bind-to core", probe),
            launched(Mpi::OpenMpi, 2, "--bind-to core", &under),
            launched(Mpi::Mpich, 2, "-bind-to numa", probe),
            launched(Mpi::Mpich, 2, "-bind-to numa", &under),
            format!("numawise run --dry-run --json {request} {probe}"),
            emitted("mpirun-openmpi"),
            emitted("mpirun-mpich"),
        ],
    )
}

/// What a launcher bound stays bound, and the lines that numawise prints for the launchers do the same.
pub fn launchers_bind_as_they_are_told((machine, run): (&EmulatedMachine, &[CommandResult])) {
    let masks = |result: &CommandResult| -> Vec<String> {
        by_rank(result, 2).iter().map(|line| line.text("cpus").to_owned()).collect()
    };
    for pair in [&run[0..2], &run[2..4]] {
        assert_eq!(masks(&pair[0]), masks(&pair[1]), "{}", pair[1].command);
        assert_ne!(masks(&pair[0])[0], masks(&pair[0])[1], "{} bound nothing", pair[0].command);
    }
    let plan = json(&run[4]);
    for started in &run[5..] {
        check(machine, &plan, started, 2);
    }
}
