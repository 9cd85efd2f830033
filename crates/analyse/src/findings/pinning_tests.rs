use numawise_facts::finding::PinningQuantity;
use numawise_facts::{ContrastRole, Node, Study};

use super::*;
use crate::analyse;
use crate::sample::{first_touch_by_one, observation, see, study, two_node_check, two_sockets, with_hbm};

/// Two CPUs on one node: nothing differs but that threads are pinned.
fn one_node_check(os: f64, pinned: f64) -> Study {
    let mut machine = two_sockets();
    machine.nodes.truncate(1);
    let cpus = || "0-1".parse().unwrap();
    machine.nodes =
        machine.nodes.into_iter().map(|node| Node { cpus: cpus(), near: cpus(), ..node }).collect();
    machine.cpus.truncate(2);
    (machine.allowed_cpus, machine.allowed_nodes) = (cpus(), "0".parse().unwrap());
    study(machine, &[("os", os), ("pinned", pinned)], &[("os", "pinned", ContrastRole::BothWays)], 8)
}

fn codes(study: &Study) -> Vec<&'static str> {
    analyse(study).findings.iter().map(|finding| finding.id.code()).collect()
}

/// Two threads that were mostly on these CPUs, and no migration that anybody saw.
fn on(cpus: [u32; 2], waited: u64) -> Observation {
    let mut seen = observation(&[(0, 50)], &cpus.map(|cpu| (cpu, 1)));
    seen.migrations = Reading::Measured(0);
    seen.run_delay = Reading::Measured(numawise_units::Nanoseconds(waited));
    seen.usage.user = Reading::Measured(numawise_units::Nanoseconds(1_000_000_000));
    ready_together(seen, 40)
}

/// Both threads were ready in `several` of 50 samples.
fn ready_together(mut seen: Observation, several: u64) -> Observation {
    seen.sampler.samples = 50;
    seen.several_ready = Reading::Measured(several);
    let Reading::Measured(all) = &mut seen.threads else { unreachable!("threads were put there") };
    all.iter_mut().for_each(|thread| thread.ready_with_others = several);
    seen
}

#[test]
fn threads_that_follow_one_another_may_have_the_same_cpu() {
    let mut study = one_node_check(1.33, 1.0);
    see(&mut study, "os", &ready_together(on([1, 1], 250_000_000), 0));
    see(&mut study, "pinned", &on([0, 1], 0));
    let findings = analyse(&study).findings;
    assert_eq!(findings[0].id.code(), "NW051");
    assert!(findings[0].evidence.iter().all(|one| one.quantity != PinningQuantity::RunsWithSharedCpu.into()));
}

#[test]
fn a_gain_by_pinning_alone_is_a_finding_with_what_was_seen() {
    let mut study = one_node_check(1.33, 1.0);
    see(&mut study, "os", &on([1, 1], 250_000_000));
    see(&mut study, "pinned", &on([0, 1], 0));
    let analysis = analyse(&study);
    let [finding] = analysis.findings.as_slice() else { panic!("{:#?}", analysis.findings) };
    assert_eq!(finding.id.code(), "NW051");
    assert_eq!(finding.cure.as_ref(), Some(&study.header.points[1].request));
    assert!((finding.cost.measured().unwrap().ratio.0 - 1.33).abs() < 0.01);
    let value = |quantity| {
        finding.evidence.iter().find(|one| one.quantity == quantity).map(|one| (&one.value, one.of))
    };
    let count = |n| Reading::Measured(Amount::Count(n));
    assert_eq!(value(PinningQuantity::RunsWithSharedCpu.into()), Some((&count(8), Some(Amount::Count(8)))));
    assert_eq!(
        value(PinningQuantity::WaitForCpu.into()).unwrap().0,
        &Reading::Measured(Amount::Share(Ratio(0.2)))
    );
    assert_eq!(value(PinningQuantity::Migrations.into()), Some((&count(0), None)));
    assert!(value(PinningQuantity::RunVariation.into()).is_some());
}

#[test]
fn migrations_that_were_seen_are_said_by_nw002_alone() {
    let mut study = one_node_check(1.33, 1.0);
    see(&mut study, "os", &observation(&[(0, 50)], &[(0, 1), (1, 1)]));
    assert_eq!(codes(&study), ["NW002"]);
}

#[test]
fn what_could_not_be_seen_is_no_reason_to_say_nothing() {
    let mut study = one_node_check(1.33, 1.0);
    for trial in &mut study.trials {
        trial.observation = Reading::unavailable("this kernel shows nothing");
    }
    assert_eq!(codes(&study), ["NW051"]);
    assert_eq!(codes(&one_node_check(1.0, 1.0)), [""; 0]);
    assert_eq!(codes(&one_node_check(1.0, 1.33)), [""; 0], "pinning costs, and what is used now is better");
}

#[test]
fn a_placement_that_pinned_no_thread_is_not_said_to_help_by_pinning() {
    let mut study = one_node_check(1.33, 1.0);
    let mut forked = crate::sample::ready_together(100, 90, &[90, 90]);
    let Reading::Measured(threads) = &mut forked.threads else { panic!() };
    for thread in threads {
        thread.pid = thread.tid;
        thread.mask = Reading::Measured("0-1".parse().unwrap());
    }
    study.header.points[1].placement.binding = numawise_facts::ThreadBinding::Pinned;
    see(&mut study, "pinned", &forked);
    let codes = codes(&study);
    assert_eq!(codes, ["NW052"]);
}

#[test]
fn a_gain_of_one_node_without_a_reason_has_a_finding() {
    // Interleaving is nearly as good, and nothing was seen of memory.
    let mut study = two_node_check(2.0, 2.0, 1.101, 1.1, 1.1, 1.95);
    see(&mut study, "os", &observation(&[(0, 50), (1, 50)], &[(0, 1), (4, 1)]));
    let analysis = analyse(&study);
    assert_eq!(analysis.recommended.as_ref().map(|point| point.0.as_str()), Some("one-node"));
    assert_eq!(codes(&study), ["NW052"]);
}

/// Studies of two machines with effects and observations of all kinds.
fn simulated() -> impl Iterator<Item = Study> {
    let seen = [
        first_touch_by_one(),
        on([0, 4], 0),
        on([1, 1], 9),
        observation(&[(0, 50), (1, 50)], &[(0, 1), (4, 1)]),
    ];
    // A fixed sequence of numbers that look random.
    let mut state = 1_u64;
    let mut next = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..300).map(move |k| {
        let mut time = || [1.0, 1.02, 1.1, 1.4, 2.0, 3.0][next(6) as usize];
        let mut study = if k % 3 == 0 {
            let points = [("os", time()), ("all-nodes", time()), ("hbm", time()), ("pinned", time())];
            let pairs = ["all-nodes", "hbm", "pinned"].map(|to| ("os", to, ContrastRole::BothWays));
            study(with_hbm(), &points, &pairs, 8)
        } else if k % 3 == 1 {
            one_node_check(time(), time())
        } else {
            two_node_check(time(), time(), time(), time(), time(), time())
        };
        see(&mut study, "os", &seen[next(4) as usize]);
        study
    })
}

#[test]
fn whatever_is_recommended_is_the_cure_of_a_finding() {
    let mut recommended = 0;
    for study in simulated() {
        let analysis = analyse(&study);
        let Some(point) = &analysis.recommended else { continue };
        recommended += 1;
        let request = &study.header.point(point).unwrap().request;
        let cures = analysis.findings.iter().filter(|finding| finding.cure.as_ref() == Some(request)).count();
        assert!(cures > 0, "{point}: {:#?}", analysis.findings);
    }
    assert!(recommended > 100, "{recommended}");
}
