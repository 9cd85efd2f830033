use numawise_facts::finding::{Amount, EvidenceSubject, NoiseQuantity};
use numawise_facts::{ContrastRole, Disturbance, Finding, FindingId, Outcome, Reading, Study};
use numawise_units::{CpuId, Nanoseconds, NodeId, NodeSet, Ratio};

use crate::analyse;
use crate::sample::{observation, study, two_sockets};

const SECOND: Nanoseconds = Nanoseconds(1_000_000_000);

fn found(study: &Study) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == FindingId::MachineShared)
}

/// A check of two points whose blocks from `from` on shared the machine: two CPUs of node 1, four in all of eight were busy.
fn shared(blocks: u32, from: u32, slower: f64) -> Study {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let mut study = study(two_sockets(), &[("os", 1.0), ("pinned", 1.0)], &pairs, blocks);
    for trial in study.trials.iter_mut().filter(|trial| trial.block >= from) {
        let mut seen = observation(&[(0, 100)], &[(0, 10), (1, 10)]);
        seen.usage.user = Reading::Measured(Nanoseconds(2 * SECOND.0));
        seen.noise.other_load = Reading::Measured(Ratio(0.25));
        seen.noise.busy_cpus = Reading::Measured([0, 1, 4, 5].map(|cpu| (CpuId(cpu), SECOND)).to_vec());
        trial.observation = Reading::Measured(seen);
        trial.wall = SECOND;
        trial.disturbances = vec![Disturbance::OtherLoad(0.25)];
        let Outcome::Measured { per_task } = &mut trial.outcome else { panic!() };
        per_task[0] *= slower;
    }
    study
}

#[test]
fn other_work_is_told_with_how_much_and_where() {
    let finding = found(&shared(6, 1, 1.0)).unwrap();
    let runs = &finding.evidence[0];
    assert_eq!(
        (runs.quantity, &runs.value),
        (NoiseQuantity::DisturbedRuns.into(), &Reading::Measured(Amount::Count(12)))
    );
    let load = &finding.evidence[1];
    assert_eq!(
        (&load.value, load.of),
        (&Reading::Measured(Amount::Share(Ratio(0.25))), Some(Amount::Count(8)))
    );
    let there = &finding.evidence[2];
    let nodes = NodeSet::single(NodeId(1));
    assert_eq!(there.subject, EvidenceSubject::Nodes { point: "os".into(), nodes });
    assert_eq!(
        (&there.value, there.of),
        (&Reading::Measured(Amount::Share(Ratio(0.5))), Some(Amount::Count(4)))
    );
    assert_eq!(finding.evidence.len(), 3, "node 0 was the program's alone");
    assert!(finding.cost.to_string().contains("too few runs"), "{}", finding.cost);
}

#[test]
fn what_it_costs_is_told_by_the_runs_without_it() {
    let finding = found(&shared(12, 7, 1.3)).unwrap();
    let cost = finding.cost.measured().unwrap();
    assert!((cost.ratio.0 - 1.3).abs() < 0.02 && cost.low.0 > 1.2, "{cost}");
}

#[test]
fn other_work_that_is_left_out_and_costs_nothing_is_no_finding() {
    assert_eq!(found(&shared(12, 7, 1.0)), None);
    assert_eq!(found(&shared(6, 7, 1.0)), None, "a quiet machine");
}

#[test]
fn where_too_little_of_the_program_was_seen_nobody_says_on_which_node_the_others_were() {
    let mut study = shared(6, 1, 1.0);
    for trial in &mut study.trials {
        let Reading::Measured(seen) = &mut trial.observation else { panic!() };
        seen.usage.user = Reading::Measured(Nanoseconds(4 * SECOND.0));
    }
    assert_eq!(found(&study).unwrap().evidence.len(), 2);
}
