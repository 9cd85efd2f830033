//! Every strategy and policy on every recorded machine: the plan is the one that was looked at and kept.
//!
//! The expectations are in `testdata/golden/placement/`. After a change that is meant, write them anew with
//! `NUMAWISE_UPDATE_GOLDEN=1 cargo test -p numawise --test placing golden_placement` and read the difference.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use numawise_facts::{
    CpuChoice, Machine, MemoryRequest, Order, Placement, PlacementRequest, Smt, Strategy, TaskPlacement,
    ThreadBinding,
};
use numawise_units::CpuSet;

/// Machines of our own, as hwloc's synthetic descriptions.
const SYNTHETIC: [(&str, &str); 6] = [
    ("synthetic-one-node", "pack:1 [numa] core:4 pu:1"),
    ("synthetic-two-sockets", "pack:2 [numa] core:4 pu:2"),
    // Written out: hwloc 2.9 reads `indexes=core:pu` now one way, now another.
    (
        "synthetic-two-sockets-interleaved-numbers",
        "pack:2 [numa] core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)",
    ),
    ("synthetic-four-threads-a-core", "pack:2 [numa] core:3 pu:4"),
    ("synthetic-sub-numa", "pack:2 die:2 [numa] core:3 pu:2"),
    ("synthetic-eight-nodes", "pack:8 [numa] core:2 pu:1"),
];

fn request(strategy: Strategy, tasks: u32, threads: Option<u32>, memory: &str) -> PlacementRequest {
    PlacementRequest {
        strategy,
        binding: ThreadBinding::Pinned,
        tasks,
        threads,
        memory: memory.parse::<MemoryRequest>().unwrap(),
        ..PlacementRequest::as_the_os_does()
    }
}

/// CPUs thread by thread, runs of neighbours as `a-b`.
fn in_order(threads: &[CpuSet]) -> String {
    let cpus: Vec<u32> = threads.iter().map(|cpus| cpus.first().unwrap().0).collect();
    let mut text = String::new();
    let mut k = 0;
    while k < cpus.len() {
        let mut end = k;
        while end + 1 < cpus.len() && cpus[end + 1] == cpus[end] + 1 {
            end += 1;
        }
        let separator = if k == 0 { "" } else { " " };
        match end - k {
            0 => write!(text, "{separator}{}", cpus[k]),
            _ => write!(text, "{separator}{}-{}", cpus[k], cpus[end]),
        }
        .unwrap();
        k = end + 1;
    }
    text
}

fn shown(placement: &Placement) -> String {
    let task = |task: &TaskPlacement| match task.memory.to_string().as_str() {
        "default" => format!("    {}\n", in_order(&task.threads)),
        memory => format!("    {}; {memory}\n", in_order(&task.threads)),
    };
    let tasks: String = placement.tasks.iter().map(task).collect();
    let warnings: String = placement
        .warnings
        .iter()
        .map(numawise_report::notice::text)
        .map(|text| format!("    warning: {text}\n"))
        .collect();
    tasks + &warnings
}

fn plans(machine: &Machine) -> String {
    let mut text = String::new();
    let mut line = |request: PlacementRequest, choice: &str| {
        let threads = request.threads.map_or("as fit".to_owned(), |threads| threads.to_string());
        let plan = match numawise_placement::place(machine, &request) {
            Ok(placement) => shown(&placement),
            Err(error) => format!("    error: {error}\n"),
        };
        let PlacementRequest { strategy, tasks, memory, .. } = &request;
        write!(text, "{strategy}, {tasks} x {threads}, {memory}{choice}\n{plan}").unwrap();
    };
    let nodes = machine.nodes_with_allowed_cpus().count() as u32;
    let shapes = [(1, None), (1, Some(1)), (1, Some(6)), (2, None), (3, Some(2)), (nodes, None)];
    for strategy in [Strategy::Local, Strategy::Distributed, Strategy::Semi, Strategy::None] {
        for (tasks, threads) in shapes {
            let plain = request(strategy, tasks, threads, "default");
            if threads.is_none() {
                let choice = CpuChoice { smt: Smt::All, ..CpuChoice::default() };
                line(PlacementRequest { choice, ..plain.clone() }, "; smt all");
            }
            line(plain, "");
        }
    }
    for memory in ["local", "bind", "preferred", "interleave", "weighted", "hbm", "remote"] {
        line(request(Strategy::Local, 1, Some(2), memory), "");
        line(request(Strategy::Semi, nodes.min(4), Some(1), memory), "");
    }
    for strategy in [Strategy::Local, Strategy::Distributed, Strategy::Semi, Strategy::None] {
        for (name, choice) in choices(machine) {
            for (tasks, threads) in [(1, Some(6)), (2, Some(3))] {
                let plain = request(strategy, tasks, threads, "default");
                line(PlacementRequest { choice: choice.clone(), ..plain }, &format!("; {name}"));
            }
        }
    }
    for order in [Order::Scatter, Order::Balanced] {
        for threads in [None, Some(6)] {
            let choice = CpuChoice { order: order.clone(), ..CpuChoice::default() };
            line(
                PlacementRequest { choice, ..request(Strategy::None, 1, threads, "default") },
                &format!("; {order}"),
            );
        }
    }
    text
}

/// Each way to choose CPUs by itself, and some together.
fn choices(machine: &Machine) -> [(&'static str, CpuChoice); 8] {
    let plain = CpuChoice::default;
    let number = |n| NonZeroU32::new(n).unwrap();
    let one = Smt::PerCore(number(1));
    [
        ("compact", CpuChoice { order: Order::Compact, ..plain() }),
        ("step 2", CpuChoice { step: number(2), ..plain() }),
        ("step 3, smt 1", CpuChoice { step: number(3), smt: one, ..plain() }),
        ("compact, step 2", CpuChoice { order: Order::Compact, step: number(2), ..plain() }),
        ("smt 1", CpuChoice { smt: one, ..plain() }),
        (
            "smt 2, skip the first CPU",
            CpuChoice {
                smt: Smt::PerCore(number(2)),
                skip: machine.allowed_cpus.first().into_iter().collect(),
                ..plain()
            },
        ),
        ("skip the system's core", CpuChoice { skip_os_core: true, ..plain() }),
        ("efficient cores too", CpuChoice { efficient_cores: true, ..plain() }),
    ]
}

fn compare(name: &str, machine: &Machine, differences: &mut Vec<String>) {
    let file = folder().join(format!("{name}.txt"));
    let plans = plans(machine);
    if std::env::var_os("NUMAWISE_UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(folder()).unwrap();
        fs::write(&file, &plans).unwrap();
        return;
    }
    let kept = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if let Some((number, (new, old))) =
        plans.lines().zip(kept.lines()).enumerate().find(|(_, (new, old))| new != old)
    {
        differences.push(format!("{name}.txt:{}\n  kept: {old}\n  now:  {new}", number + 1));
    } else if plans.lines().count() != kept.lines().count() {
        differences.push(format!(
            "{name}.txt: {} lines kept, {} now",
            kept.lines().count(),
            plans.lines().count()
        ));
    }
}

fn folder() -> PathBuf {
    root().join("testdata/golden/placement")
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn check(differences: &[String]) {
    assert!(differences.is_empty(), "plans differ from those kept:\n{}", differences.join("\n"));
}

#[test]
fn plans_on_machines_of_our_own() {
    let mut differences = Vec::new();
    for (name, description) in SYNTHETIC {
        let machine = numawise_machine::from_synthetic(description).unwrap();
        compare(name, &machine, &mut differences);
    }
    check(&differences);
}

/// The machines of a folder as hwloc XML, by name.
fn compare_all(files: fs::ReadDir, prefix: &str, differences: &mut Vec<String>) -> usize {
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "xml"));
    files.sort();
    for file in &files {
        let machine = numawise_machine::from_xml_file(file).unwrap();
        let name = format!("{prefix}{}", file.file_stem().unwrap().to_str().unwrap());
        compare(&name, &machine, differences);
    }
    files.len()
}

#[test]
fn plans_on_machines_from_files_of_our_own() {
    let mut differences = Vec::new();
    let files = fs::read_dir(root().join("testdata/machines")).unwrap();
    assert!(compare_all(files, "our-", &mut differences) > 0);
    check(&differences);
}

#[test]
fn plans_on_recorded_machines() {
    let machines = root().join("../shared/machines");
    let Ok(files) = fs::read_dir(&machines) else {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: plans_on_recorded_machines: there is no folder {}",
            machines.display()
        );
        return;
    };
    let mut differences = Vec::new();
    assert!(compare_all(files, "", &mut differences) > 0, "no machine in {}", machines.display());
    check(&differences);
}
