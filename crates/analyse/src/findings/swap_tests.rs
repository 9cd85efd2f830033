use numawise_facts::finding::{Amount, SystemQuantity};
use numawise_facts::{ContrastRole, Finding, FindingId, Outcome, Reading, Study};
use numawise_units::Bytes;

use crate::analyse;
use crate::sample::{observation, study, two_sockets};

fn found(study: &Study) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == FindingId::MemoryInSwap)
}

/// A check whose blocks up to `until` had so many MiB of the program in swap, and took so many times as long.
fn swapped(blocks: u32, until: u32, mib: u64, slower: f64) -> Study {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let mut study = study(two_sockets(), &[("os", 1.0), ("pinned", 1.0)], &pairs, blocks);
    for trial in &mut study.trials {
        let so = trial.block <= until;
        let mut seen = observation(&[(0, 100)], &[(0, 10), (1, 10)]);
        seen.memory_events.swapped = Reading::Measured(Bytes::mib(if so { mib } else { 0 }));
        seen.memory_events.swapped_in = Reading::Measured(Bytes::mib(if so { 2 * mib } else { 0 }));
        seen.memory_events.swapped_out = Reading::Measured(Bytes(0));
        trial.observation = Reading::Measured(seen);
        let Outcome::Measured { per_task } = &mut trial.outcome else { panic!() };
        per_task[0] *= if so { slower } else { 1.0 };
    }
    study
}

#[test]
fn memory_in_swap_is_told_and_costs_what_runs_without_it_gain() {
    let finding = found(&swapped(12, 8, 30, 1.5)).unwrap();
    let swap = &finding.evidence[0];
    assert_eq!(
        (&swap.value, swap.of),
        (&Reading::Measured(Amount::Bytes(Bytes::mib(30))), Some(Amount::Bytes(Bytes::mib(100))))
    );
    let quantities: Vec<_> = finding.evidence.iter().map(|one| one.quantity).collect();
    assert_eq!(quantities, [SystemQuantity::MemoryInSwap.into(), SystemQuantity::SwappedIn.into()]);
    assert!((finding.cost.measured().unwrap().ratio.0 - 1.5).abs() < 0.02, "{}", finding.cost);
}

#[test]
fn where_all_runs_had_it_there_is_no_cost() {
    let finding = found(&swapped(6, 6, 30, 1.5)).unwrap();
    assert!(finding.cost.to_string().contains("too few runs"), "{}", finding.cost);
}

#[test]
fn a_few_pages_or_a_few_runs_are_no_finding() {
    assert_eq!(found(&swapped(6, 6, 3, 1.0)), None);
    assert_eq!(found(&swapped(6, 2, 30, 1.5)), None);
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    assert_eq!(found(&study(two_sockets(), &[("os", 1.0), ("pinned", 1.0)], &pairs, 6)), None);
}
