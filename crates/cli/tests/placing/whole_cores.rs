//! On every recorded machine, for every strategy and number of tasks and threads: tasks do not meet on a core without need.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use numawise_facts::{
    CpuChoice, Machine, MemoryRequest, Placement, PlacementRequest, Smt, Strategy, ThreadBinding,
};
use numawise_placement::place;
use numawise_units::NodeId;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The machines of a folder as hwloc XML, by name.
fn machines_of(folder: &Path) -> Vec<(String, Machine)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "xml"));
    files.sort();
    let read = |file: &PathBuf| {
        let machine = numawise_machine::from_xml_file(file).unwrap();
        (file.file_stem().unwrap().to_string_lossy().into_owned(), machine)
    };
    files.iter().map(read).collect()
}

fn cores_of(machine: &Machine) -> BTreeMap<u32, usize> {
    let mut cores = BTreeMap::new();
    for cpu in machine.cpus.iter().filter(|cpu| machine.allowed_cpus.contains(cpu.id)) {
        *cores.entry(cpu.core).or_default() += 1;
    }
    cores
}

/// The tasks on each core.
fn users(machine: &Machine, placement: &Placement) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut users: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for task in &placement.tasks {
        for cpu in task.cpus.iter() {
            users.entry(machine.cpu(cpu).unwrap().core).or_default().insert(task.task.0);
        }
    }
    users
}

/// The numbers of tasks and of threads of each that are tried: all of both would be millions of plans.
fn sizes(machine: &Machine) -> Vec<(u32, Option<u32>, Smt)> {
    let cpus = machine.allowed_cpus.len() as u32;
    let cores = cores_of(machine).len() as u32;
    let tasks: BTreeSet<u32> =
        (2..=9).chain([12, 16, cores / 2, cores - 1, cores, cores + 1]).filter(|tasks| *tasks > 1).collect();
    let threads = |tasks: u32| -> BTreeSet<u32> {
        let (own, all) = (cores / tasks, cpus / tasks);
        [1, 2, 3, 4, 5, 8, 12, own, own + 1, all.saturating_sub(1), all].into()
    };
    let given = |tasks: u32| threads(tasks).into_iter().map(Some).chain([None]);
    let all = tasks.into_iter().flat_map(|tasks| given(tasks).map(move |threads| (tasks, threads)));
    let fit = |(tasks, threads): &(u32, Option<u32>)| {
        *threads != Some(0) && (2..=cpus).contains(&(tasks * threads.unwrap_or(1)))
    };
    let with = |threads: Option<u32>| {
        if threads.is_none() { vec![Smt::AsNeeded, Smt::All] } else { vec![Smt::AsNeeded] }
    };
    all.filter(fit)
        .flat_map(|(tasks, threads)| with(threads).into_iter().map(move |smt| (tasks, threads, smt)))
        .collect()
}

/// Plans in which tasks meet on a core although one idles, or although each would have cores of its own. What the strategy is asked for
/// comes first: a task of semi does not leave its node, one of distributed is even over all.
fn needless(machine: &Machine, request: &PlacementRequest) -> Option<&'static str> {
    let placement = place(machine, request).unwrap();
    let cores = cores_of(machine);
    let left_out: BTreeSet<u32> = placement
        .warnings
        .iter()
        .filter(|warning| warning.code() == "NW108")
        .flat_map(|_| machine.cpus.iter().filter(|cpu| cpu.efficiency.measured() == Some(&0)))
        .map(|cpu| cpu.core)
        .collect();
    let users = users(machine, &placement);
    let is_one_a_core = request.threads.is_none() && request.choice.smt == Smt::AsNeeded;
    if is_one_a_core && request.tasks as usize <= cores.len() - left_out.len() {
        let threads: usize = placement.tasks.iter().map(|task| task.threads.len()).sum();
        if threads != users.len() {
            return Some("two threads on a core");
        }
    }
    if users.values().all(|tasks| tasks.len() < 2) {
        return None;
    }
    let used: BTreeSet<u32> = cores.into_keys().filter(|core| !left_out.contains(core)).collect();
    let idle = used.iter().any(|core| !users.contains_key(core));
    // With more nodes, whole cores may part more tasks.
    let dealt = request.threads.is_none()
        && request.choice.smt == Smt::All
        && request.tasks as usize <= used.len()
        && machine.nodes.len() <= 2;
    if left_out.is_empty() && own_cores_would_do(machine, request) {
        return Some("cores of their own would do");
    }
    match request.strategy {
        Strategy::Local if idle => Some("a core idles"),
        Strategy::Distributed if idle && request.threads == Some(1) => Some("a core idles"),
        Strategy::Local if dealt => Some("whole cores would do"),
        _ => None,
    }
}

/// Whether each task finds cores of its own inside a node, or on every node as many as distributed gives it there. Told only where all
/// cores have as many CPUs.
fn own_cores_would_do(machine: &Machine, request: &PlacementRequest) -> bool {
    let Some(threads) = request.threads else { return false };
    let mut nodes: BTreeMap<Option<NodeId>, BTreeMap<u32, u32>> = BTreeMap::new();
    for cpu in machine.cpus.iter().filter(|cpu| machine.allowed_cpus.contains(cpu.id)) {
        *nodes.entry(cpu.node).or_default().entry(cpu.core).or_default() += 1;
    }
    let of_core: BTreeSet<u32> = nodes.values().flat_map(BTreeMap::values).copied().collect();
    let (Some(smt), 1) = (of_core.first(), of_core.len()) else { return false };
    let cores: Vec<u32> = nodes.values().map(|node| node.len() as u32).collect();
    let each = threads.div_ceil(*smt);
    let of_each = threads.div_ceil(cores.len() as u32).div_ceil(*smt);
    match request.strategy {
        Strategy::Distributed => cores.iter().all(|cores| request.tasks * of_each <= *cores),
        _ => request.tasks <= cores.iter().map(|cores| cores / each).sum(),
    }
}

fn all_of(machines: &[(String, Machine)]) -> usize {
    let mut found = String::new();
    let mut plans = 0;
    for (name, machine) in machines {
        for strategy in [Strategy::Local, Strategy::Distributed, Strategy::Semi] {
            for (tasks, threads, smt) in sizes(machine) {
                let request = PlacementRequest {
                    strategy,
                    binding: ThreadBinding::Pinned,
                    tasks,
                    threads,
                    memory: MemoryRequest::Default,
                    choice: CpuChoice { smt, ..CpuChoice::default() },
                    ..PlacementRequest::as_the_os_does()
                };
                plans += 1;
                if let Some(why) = needless(machine, &request) {
                    writeln!(
                        found,
                        "{name}: {strategy}, {tasks} tasks, threads {threads:?}, {smt} of a core: {why}"
                    )
                    .unwrap();
                }
            }
        }
    }
    assert!(found.is_empty(), "tasks meet on a core:\n{found}");
    plans
}

#[test]
fn tasks_do_not_meet_without_need_on_machines_of_our_own() {
    let mut machines = machines_of(&root().join("testdata/machines"));
    for description in
        ["pack:2 [numa] core:18 pu:2", "pack:2 [numa] core:24 pu:2", "pack:2 die:2 [numa] core:3 pu:2"]
    {
        machines.push((description.to_owned(), numawise_machine::from_synthetic(description).unwrap()));
    }
    assert!(all_of(&machines) > 1000);
}

#[test]
fn tasks_do_not_meet_without_need_on_recorded_machines() {
    let folder = root().join("../shared/machines");
    if !folder.is_dir() {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: tasks_do_not_meet_without_need_on_recorded_machines: there is no folder {}",
            folder.display()
        );
        return;
    }
    assert!(all_of(&machines_of(&folder)) > 1000);
}
