use numawise_facts::Depth;
use numawise_facts::notice::MembenchNotice;

use super::*;
use crate::fixture;

const DEPTHS: [Depth; 3] = [Depth::Quick, Depth::Standard, Depth::Full];

fn plan(machine: &Machine, depth: Depth) -> MeasurementPlan {
    MeasurementPlan::of(machine, &fixture::request(depth))
}

fn count(plan: &MeasurementPlan, part: &str) -> usize {
    plan.steps.iter().filter(|step| format!("{:?}", step.step).contains(part)).count()
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
            let transfers = count(&plan, "Transfer");
            assert!(expected <= most, "{depth}: {expected} of {most} s, {transfers} transfers");
            assert!(plan.steps.iter().all(|step| step.expected > Nanoseconds(0)));
        }
    }
}

#[test]
fn each_pair_has_its_steps() {
    let machine = fixture::machine("two-socket-smt.xml");
    let quick = plan(&machine, Depth::Quick);
    assert_eq!((count(&quick, "IdleLatency"), count(&quick, "mix: Read")), (4, 5));
    assert_eq!(count(&quick, "Core(") + count(&quick, "TlbMisses") + count(&quick, "Transfer"), 0);
    let standard = plan(&machine, Depth::Standard);
    assert_eq!(count(&standard, "Bandwidth"), 6 * (4 * 2 + 1));
    assert_eq!((count(&standard, "TlbMisses"), count(&standard, "WorkingSets")), (4, 2));
    assert_eq!((count(&standard, "LoadedLatency"), count(&standard, "Transfer")), (4, 4));
    let full = plan(&machine, Depth::Full);
    assert_eq!((count(&full, "LoadedLatency"), count(&full, "WorkingSets")), (6 * 4, 4));
    let cores = machine.cpus.iter().filter(|cpu| cpu.smt == 0).count();
    assert_eq!(count(&full, "Transfer"), cores * (cores - 1));
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
                | Experiment::TlbMisses { to, .. } => assert_eq!(held, [to], "{:?}", step.step),
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
            Experiment::Bandwidth { mix: Mix::Read, .. } => assert!(!written, "{:?}", step.step),
            Experiment::Bandwidth { .. } => written = true,
            _ => {}
        }
    }
}

#[test]
fn many_cores_are_sampled_with_a_notice() {
    let machine = fixture::synthetic("numa:4 core:32 pu:1");
    let full = plan(&machine, Depth::Full);
    assert_eq!(count(&full, "Transfer"), 64 * 63);
    let notice = MembenchNotice::TransfersBetweenSomeCores { measured: 64, cores: 128 };
    assert_eq!(full.notices, [notice.into()]);
    assert!(plan(&machine, Depth::Standard).notices.is_empty());
}

#[test]
fn only_the_mixes_asked_for_are_planned() {
    let machine = fixture::machine("two-socket-smt.xml");
    let mut request = fixture::request(Depth::Quick);
    request.mixes = vec![Mix::Triad];
    let quick = MeasurementPlan::of(&machine, &request);
    assert_eq!((count(&quick, "mix: Triad"), count(&quick, "mix: Read")), (5, 0));
    request.depth = Depth::Standard;
    let of_triad =
        |step: &&PlannedStep| matches!(step.step, MeasurementStep::LoadedLatency { mix: Mix::Triad, .. });
    assert_eq!(MeasurementPlan::of(&machine, &request).steps.iter().filter(of_triad).count(), 2);
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
