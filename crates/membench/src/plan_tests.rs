use numawise_facts::Depth;

use super::*;
use crate::fixture;

const DEPTHS: [Depth; 3] = [Depth::Quick, Depth::Standard, Depth::Full];

fn plan(machine: &Machine, depth: Depth) -> Plan {
    Plan::of(machine, &fixture::request(depth))
}

fn count(plan: &Plan, part: &str) -> usize {
    plan.steps.iter().filter(|step| step.what.contains(part)).count()
}

#[test]
fn plans_keep_to_what_is_promised() {
    let machines =
        ["two-socket-smt.xml", "hbm-by-figures.xml", "cxl.xml", "holes.xml", "efficient-cores.xml"];
    let synthetic = [
        "pack:8 numa:3 l3:1(size=32MiB) core:8 pu:2",
        "numa:1 core:1 pu:1",
        "numa:2 l3:1(size=480MiB) core:60 pu:1",
    ];
    let machines = machines.map(fixture::machine).into_iter().chain(synthetic.map(fixture::synthetic));
    for machine in machines {
        let pairs = Layout::of(&machine, &fixture::request(Depth::Quick)).pairs() as f64;
        for (depth, whole, pair) in
            [(Depth::Quick, 5.0, 1.0), (Depth::Standard, 20.0, 2.0), (Depth::Full, 60.0, 5.0)]
        {
            let plan = plan(&machine, depth);
            let most = whole + pair * pairs;
            assert!(!plan.steps.is_empty());
            assert_eq!(plan.budget, Nanoseconds::from_seconds(most));
            let expected = plan.expected().seconds();
            let transfers = count(&plan, "transfer");
            assert!(expected <= most, "{depth}: {expected} of {most} s, {transfers} transfers");
            assert!(plan.steps.iter().all(|step| step.expected > Nanoseconds(0)));
        }
    }
}

#[test]
fn each_pair_has_its_steps() {
    let machine = fixture::machine("two-socket-smt.xml");
    let quick = plan(&machine, Depth::Quick);
    assert_eq!((count(&quick, "idle latency"), count(&quick, "bandwidth, read")), (4, 5));
    assert_eq!(count(&quick, "one core") + count(&quick, "TLB") + count(&quick, "transfer"), 0);
    let standard = plan(&machine, Depth::Standard);
    assert_eq!(count(&standard, "bandwidth"), 6 * (4 * 2 + 1));
    assert_eq!((count(&standard, "TLB"), count(&standard, "working set")), (4, 2));
    assert_eq!((count(&standard, "under load"), count(&standard, "transfer")), (4, 4));
    let full = plan(&machine, Depth::Full);
    assert_eq!((count(&full, "under load"), count(&full, "working set")), (6 * 4, 4));
    let cores = machine.cpus.iter().filter(|cpu| cpu.smt == 0).count();
    assert_eq!(count(&full, "transfer"), cores * (cores - 1));
}

#[test]
fn memory_is_had_before_it_is_measured() {
    for depth in DEPTHS {
        let mut held: Vec<NodeId> = Vec::new();
        for step in plan(&fixture::machine("hbm-by-figures.xml"), depth).steps {
            match step.experiment {
                Experiment::Fill(nodes) => held = nodes,
                Experiment::FillBase(node) => held = vec![node],
                Experiment::Bandwidth { target: Target::Node(to), .. }
                | Experiment::Latency { to, .. }
                | Experiment::Loaded { to, .. }
                | Experiment::WorkingSets { to, .. }
                | Experiment::TlbMisses { to, .. } => assert_eq!(held, [to], "{}", step.what),
                Experiment::Bandwidth { .. } => assert_eq!(held.len(), 2, "those with CPUs: {held:?}"),
                Experiment::Transfer { .. } => {}
            }
        }
    }
}

#[test]
fn reads_come_before_anything_is_written() {
    let steps = plan(&fixture::machine("two-socket-smt.xml"), Depth::Full).steps;
    let mut written = false;
    for step in steps {
        match step.experiment {
            Experiment::Fill(_) => written = false,
            Experiment::Bandwidth { mix: Mix::Read, .. } => assert!(!written, "{}", step.what),
            Experiment::Bandwidth { .. } => written = true,
            _ => {}
        }
    }
}

#[test]
fn many_cores_are_sampled_and_that_is_told() {
    let machine = fixture::synthetic("numa:4 core:32 pu:1");
    let full = plan(&machine, Depth::Full);
    assert_eq!(count(&full, "transfer"), 64 * 63);
    assert!(full.remarks.iter().any(|remark| remark.contains("64 of 128 cores")), "{:?}", full.remarks);
    assert!(plan(&machine, Depth::Standard).remarks.is_empty());
}

#[test]
fn only_the_mixes_asked_for_are_planned() {
    let machine = fixture::machine("two-socket-smt.xml");
    let mut request = fixture::request(Depth::Quick);
    request.mixes = vec![Mix::Triad];
    let quick = Plan::of(&machine, &request);
    assert_eq!((count(&quick, "triad"), count(&quick, "read")), (5, 0));
    request.depth = Depth::Standard;
    assert_eq!(count(&Plan::of(&machine, &request), "under load, triad"), 2);
}

#[test]
fn a_machine_of_which_nothing_may_be_used_has_no_steps() {
    let mut machine = fixture::machine("two-socket-smt.xml");
    machine.allowed_cpus = numawise_units::CpuSet::new();
    assert!(DEPTHS.iter().all(|&depth| plan(&machine, depth).steps.is_empty()));
    let mut machine = fixture::machine("two-socket-smt.xml");
    machine.allowed_nodes = numawise_units::NodeSet::new();
    assert!(DEPTHS.iter().all(|&depth| plan(&machine, depth).steps.is_empty()));
}
