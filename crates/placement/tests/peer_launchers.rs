//! The lines that a plan becomes in other tools' words, run by those tools: every process gets the mask, the policy and the
//! variables of its plan. A tool that is not here, or too few CPUs, is a visible SKIPPED.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::Command;

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{
    Balancing, Cpu, Machine, MemoryKind, MemoryRequest, Node, Package, PageSize, Placement, PlacementRequest,
    Reading, Source, Strategy, ThreadBinding,
};
use numawise_placement::{equivalent_commands, place};
use numawise_units::{Bytes, CpuId, CpuSet, NodeId, NodeSet};

/// Says on one line where the process is: its mask, the policy as `numactl --show` names it, and the variables that matter.
const PROBE: &str = r#"#!/bin/sh
show=$(numactl --show 2> /dev/null)
policy=$(echo "$show" | sed -n 's/^policy: //p')
members=$(echo "$show" | sed -n 's/^membind: //p')
cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
echo "cpus=$cpus policy=$policy membind=${members% } threads=$OMP_NUM_THREADS places=$OMP_PLACES tunables=$GLIBC_TUNABLES"
"#;

fn skip(test: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {why}");
}

fn list(field: &str) -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim_start_matches(':').trim().to_owned()
}

/// The CPUs and the nodes that we may use, as one node of single-threaded cores: enough for masks, which are all that other
/// tools see.
fn here() -> Machine {
    let cpus: CpuSet = list("Cpus_allowed_list").parse().unwrap();
    let nodes: NodeSet = list("Mems_allowed_list").parse().unwrap();
    let node = nodes.first().unwrap();
    let cpu = |id: CpuId| Cpu {
        id,
        node: Some(node),
        package: Some(0),
        core: id.0,
        smt: 0,
        efficiency: Reading::unavailable("not read"),
    };
    let home = |id: NodeId| Node {
        id,
        cpus: if id == node { cpus.clone() } else { CpuSet::new() },
        near: cpus.clone(),
        memory: Reading::Measured(Bytes::mib(1024)),
        free: Reading::unavailable("not read"),
        kind: MemoryKind::Dram,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable("not read"),
    };
    Machine {
        source: Source::Live,
        packages: vec![Package { index: 0, cpus: cpus.clone() }],
        nodes: nodes.iter().map(home).collect(),
        cpus: cpus.iter().map(cpu).collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: cpus,
        allowed_nodes: nodes,
        limits: vec![],
    }
}

struct Probe {
    folder: tempfile::TempDir,
}

impl Probe {
    fn new() -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("probe");
        fs::write(&path, PROBE).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Probe { folder }
    }

    /// What each process says, sorted, after the lines of `tool` were run one after the other.
    fn run(
        &self,
        machine: &Machine,
        placement: &Placement,
        tool: &str,
        launcher: Option<(&str, &str)>,
    ) -> Vec<String> {
        let program = self.folder.path().join("probe").display().to_string();
        let all = equivalent_commands(machine, placement, true, &|_| program.clone());
        let words = all.iter().find(|commands| commands.tool.name() == tool).unwrap();
        let mut said = Vec::new();
        for line in &words.lines {
            let line = match launcher {
                Some((word, command)) => line.replacen(word, command, 1),
                None => line.clone(),
            };
            let output = Command::new("sh")
                .args(["-c", &line])
                // What root and small machines need; the lines leave it to people.
                .envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")])
                .envs([("OMPI_MCA_rmaps_base_oversubscribe", "1")])
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}\n{errors}");
            let text = String::from_utf8_lossy(&output.stdout);
            said.extend(text.lines().filter(|line| line.starts_with("cpus=")).map(str::to_owned));
        }
        said.sort();
        said
    }
}

fn has(command: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {command}")]).output().unwrap().status.success()
}

/// The command of an implementation of MPI: by its own name where a system has several, or by the general one.
fn launcher(own: &'static str, general: &'static str, mark: &str) -> Option<&'static str> {
    let is_it = |command: &str| {
        let Ok(output) = Command::new(command).arg("--version").output() else { return false };
        String::from_utf8_lossy(&output.stdout).contains(mark)
    };
    [own, general].into_iter().find(|command| is_it(command))
}

/// Ranks on different CPUs.
fn ranks(machine: &Machine, tasks: u32, threads: u32, memory: MemoryRequest) -> Placement {
    let request = PlacementRequest {
        strategy: Strategy::Local,
        binding: ThreadBinding::Pinned,
        tasks,
        threads: Some(threads),
        memory,
        pages: PageSize::Thp,
        ..PlacementRequest::as_the_os_does()
    };
    place(machine, &request).unwrap()
}

/// What the probe says of each task when all goes by the plan.
fn expected(placement: &Placement) -> Vec<String> {
    let task = |task: &numawise_facts::TaskPlacement| {
        let places: Vec<String> = task.threads.iter().map(|cpus| format!("{{{cpus}}}")).collect();
        format!(
            "cpus={} policy=bind membind={} threads={} places={} tunables=glibc.malloc.hugetlb=1",
            task.cpus,
            task.memory.nodes,
            task.threads.len(),
            places.join(",")
        )
    };
    let mut all: Vec<String> = placement.tasks.iter().map(task).collect();
    all.sort();
    all
}

fn check(test: &str, tool: &str, launcher: Option<(&str, &str)>) {
    let machine = here();
    if machine.allowed_cpus.len() < 2 {
        return skip(test, "there is one CPU that we may use");
    }
    if !has("numactl") {
        return skip(test, "there is no numactl");
    }
    for (tasks, threads) in [(2, 1), (1, 2)] {
        let placement = ranks(&machine, tasks, threads, MemoryRequest::Bind(None));
        assert_eq!(Probe::new().run(&machine, &placement, tool, launcher), expected(&placement));
    }
}

#[test]
fn numactl_gives_each_task_its_place() {
    check("numactl_gives_each_task_its_place", "numactl", None);
}

#[test]
fn open_mpi_gives_each_rank_its_place() {
    let test = "open_mpi_gives_each_rank_its_place";
    match launcher("mpirun.openmpi", "mpirun", "Open MPI") {
        Some(command) => check(test, "mpirun-openmpi", Some(("mpirun", command))),
        None => skip(test, "there is no Open MPI"),
    }
}

#[test]
fn mpich_gives_each_rank_its_place() {
    let test = "mpich_gives_each_rank_its_place";
    match launcher("mpiexec.mpich", "mpiexec", "HYDRA") {
        Some(command) => check(test, "mpirun-mpich", Some(("mpiexec", command))),
        None => skip(test, "there is no MPICH"),
    }
}

#[test]
fn taskset_gives_each_task_its_mask() {
    let test = "taskset_gives_each_task_its_mask";
    let machine = here();
    if machine.allowed_cpus.len() < 2 || !has("taskset") || !has("numactl") {
        return skip(test, "there is one CPU, no taskset or no numactl");
    }
    let placement = ranks(&machine, 2, 1, MemoryRequest::Default);
    let said = Probe::new().run(&machine, &placement, "taskset", None);
    let masks: BTreeMap<String, usize> =
        placement.tasks.iter().map(|task| (format!("cpus={} ", task.cpus), 1)).collect();
    assert_eq!(said.len(), 2);
    for (mask, line) in masks.keys().zip(&said) {
        assert!(line.starts_with(mask.as_str()) && line.contains("policy=default"), "{line}");
    }
}

#[test]
fn numactl_takes_balancing_where_the_line_has_it() {
    let test = "numactl_takes_balancing_where_the_line_has_it";
    let machine = here();
    let help = Command::new("numactl").output().map(|output| output.stderr).unwrap_or_default();
    if !String::from_utf8_lossy(&help).contains("--balancing") {
        return skip(test, "there is no numactl, or one without --balancing");
    }
    let request = PlacementRequest {
        balancing: Balancing::On,
        memory: MemoryRequest::Bind(None),
        ..PlacementRequest::as_the_os_does()
    };
    let placement = place(&machine, &request).unwrap();
    let all = equivalent_commands(&machine, &placement, false, &|_| "numactl --show".to_owned());
    let line = &all[0].lines[0];
    assert!(line.starts_with("numactl --balancing --membind="), "{line}");
    let output = Command::new("sh").args(["-c", line]).output().unwrap();
    // Where the policy is refused, numactl says so and fails.
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    // MPOL_BIND | MPOL_F_NUMA_BALANCING is 2 | 1 << 13, for which numactl 2.0.16 has no word.
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.starts_with("policy: bind") || shown.starts_with("policy: [8194]"), "{shown}");
}
