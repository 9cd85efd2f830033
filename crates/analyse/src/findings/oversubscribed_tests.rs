use numawise_facts::finding::{Advice, Amount, EvidenceQuantity, SystemAdvice, SystemQuantity};
use numawise_facts::{ContrastRole, Finding, FindingId, Observation, Reading, Study};
use numawise_units::Nanoseconds;

use crate::analyse;
use crate::sample::{observation, ready_together, see, study, two_sockets};

fn found(study: &Study) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == FindingId::Oversubscribed)
}

/// `threads` that work alike for a second on eight CPUs, and wait so long for them.
fn crowd(threads: u32, waited: f64) -> Observation {
    let all: Vec<(u32, u64)> = (0..threads).map(|k| (k % 8, 10)).collect();
    let mut seen = observation(&[(0, 100)], &all);
    seen.usage.user = Reading::Measured(Nanoseconds::from_seconds(8.0));
    seen.run_delay = Reading::Measured(Nanoseconds::from_seconds(waited));
    seen
}

/// The operating system, and the same with eight threads.
fn two(os: f64, fewer: f64) -> Study {
    let pairs = [("os", "fewer-threads", ContrastRole::Unjudged)];
    let mut study = study(two_sockets(), &[("os", os), ("fewer-threads", fewer)], &pairs, 6);
    for (point, threads) in study.header.points.iter_mut().zip([16, 8]) {
        point.request.threads = Some(threads);
        point.levels.threads = threads;
    }
    study
}

#[test]
fn more_threads_than_cpus_cost_what_fewer_bring() {
    let mut study = two(2.0, 1.5);
    see(&mut study, "os", &crowd(16, 8.0));
    see(&mut study, "fewer-threads", &crowd(8, 0.1));
    let finding = found(&study).unwrap();
    let one = |quantity| finding.evidence.iter().find(|one| one.quantity == quantity).unwrap();
    let working = one(SystemQuantity::WorkingThreads.into());
    assert_eq!((&working.value, working.of), (&Reading::Measured(Amount::Count(16)), Some(Amount::Count(8))));
    assert_eq!(one(SystemQuantity::ReadyThreads.into()).value, Reading::Measured(Amount::Count(16)));
    assert!(one(SystemQuantity::EffectOfFewerThreads.into()).interval.is_some());
    assert!((finding.cost.measured().unwrap().ratio.0 - 1.33).abs() < 0.02);
    assert_eq!(finding.cure.unwrap().threads, Some(8));
    assert_eq!(finding.advice[0].advice, Advice::System(SystemAdvice::RunFewerThreads { threads: 8 }));
    assert_eq!(finding.advice[0].brought, finding.cost);
}

#[test]
fn fewer_threads_that_bring_nothing_are_no_finding() {
    for fewer in [2.0, 3.0] {
        let mut study = two(2.0, fewer);
        see(&mut study, "os", &crowd(16, 8.0));
        see(&mut study, "fewer-threads", &crowd(8, 0.1));
        assert_eq!(found(&study), None, "{fewer}");
    }
}

#[test]
fn a_program_that_decides_the_number_itself_could_not_be_tried_with_fewer() {
    let mut own = two(2.0, 2.0);
    see(&mut own, "os", &crowd(16, 8.0));
    see(&mut own, "fewer-threads", &crowd(16, 8.0));
    let finding = found(&own).unwrap();
    assert!(finding.cost.to_string().contains("as many threads as before"), "{}", finding.cost);
    assert_eq!(
        (finding.cure, &finding.advice[0].advice),
        (None, &Advice::System(SystemAdvice::HandOverThreads))
    );
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let mut no_point = study(two_sockets(), &[("os", 2.0), ("pinned", 2.0)], &pairs, 6);
    see(&mut no_point, "os", &crowd(16, 8.0));
    let finding = found(&no_point).unwrap();
    assert!(finding.cost.to_string().contains("not numawise's to set"), "{}", finding.cost);
}

/// Fewer threads could not be tried, but as many on each CPU were, and that helped.
#[test]
fn where_pinning_helps_the_finding_names_it_and_what_it_brought() {
    let pairs =
        [("os", "all-nodes", ContrastRole::BothWays), ("os", "fewer-threads", ContrastRole::Unjudged)];
    let points = [("os", 2.0), ("all-nodes", 1.5), ("fewer-threads", 2.0)];
    let mut own = study(two_sockets(), &points, &pairs, 6);
    for (point, threads) in own.header.points.iter_mut().zip([16, 16, 8]) {
        point.request.threads = Some(threads);
        point.levels.threads = threads;
    }
    for point in ["os", "all-nodes", "fewer-threads"] {
        see(&mut own, point, &crowd(16, 8.0));
    }
    let finding = found(&own).unwrap();
    let advice: Vec<&Advice> = finding.advice.iter().map(|step| &step.advice).collect();
    assert_eq!(advice, [&Advice::PinThreads, &Advice::System(SystemAdvice::HandOverThreads)]);
    assert!((finding.cost.measured().unwrap().ratio.0 - 1.33).abs() < 0.02, "{}", finding.cost);
    assert_eq!(
        (&finding.advice[0].brought, finding.cure),
        (&finding.cost, Some(own.header.points[1].request.clone()))
    );
    assert!(finding.evidence.iter().any(|one| one.quantity == EvidenceQuantity::EffectOfPinning));
    let others = analyse(&own).findings;
    assert!(!others.iter().any(|one| one.id == FindingId::PinningHelps), "the same is not said twice");
    // The same where there is no point with fewer.
    own.header.pairs.truncate(1);
    assert_eq!(found(&own).unwrap().advice.len(), 2);
}

#[test]
fn threads_that_do_not_wait_for_cpus_are_no_crowd() {
    let mut study = two(2.0, 1.5);
    // As many as CPUs, although others keep them waiting.
    see(&mut study, "os", &crowd(8, 8.0));
    assert_eq!(found(&study), None);
    // A pool of which eight work at a time, or processes one after another.
    see(&mut study, "os", &crowd(40, 0.2));
    assert_eq!(found(&study), None);
    // Helpers.
    let mut helped = crowd(10, 1.5);
    let Reading::Measured(threads) = &mut helped.threads else { panic!() };
    for helper in &mut threads[8..] {
        helper.cpu_time = Nanoseconds(150_000_000);
    }
    see(&mut study, "os", &helped);
    assert_eq!(found(&study), None);
}

#[test]
fn threads_that_are_bound_to_few_cpus_crowd_those() {
    let mut study = two(2.0, 1.5);
    let mut bound = crowd(8, 4.0);
    bound.usage.user = Reading::Measured(Nanoseconds::from_seconds(4.0));
    let Reading::Measured(threads) = &mut bound.threads else { panic!() };
    threads.iter_mut().for_each(|thread| thread.mask = Reading::Measured("0-3".parse().unwrap()));
    see(&mut study, "os", &bound);
    let finding = found(&study).unwrap();
    assert_eq!(finding.evidence[0].of, Some(Amount::Count(4)));
}

#[test]
fn where_waiting_is_not_counted_all_cpus_must_be_busy() {
    let mut study = two(2.0, 1.5);
    let mut seen = crowd(16, 0.0);
    seen.run_delay = Reading::unavailable("by hand");
    see(&mut study, "os", &seen);
    let finding = found(&study).unwrap();
    assert!(!finding.evidence.iter().any(|one| one.quantity == SystemQuantity::ReadyThreads.into()));
    seen.usage.user = Reading::Measured(Nanoseconds::from_seconds(5.0));
    see(&mut study, "os", &seen);
    assert_eq!(found(&study), None);
}

#[test]
fn where_waiting_is_not_counted_threads_that_were_ready_together_show_it_too() {
    let mut study = two(2.0, 1.5);
    // Others have most of the CPUs, so that these are not busy with the program.
    see(&mut study, "os", &ready_together(40, 38, &[36; 16]));
    let finding = found(&study).unwrap();
    assert_eq!(finding.evidence[0].value, Reading::Measured(Amount::Count(16)));
    see(&mut study, "os", &ready_together(40, 38, &[36; 8]));
    assert_eq!(found(&study), None);
    // What a thread waited after its last sample is in no sum.
    let mut seen = ready_together(40, 38, &[36; 16]);
    seen.run_delay = Reading::Measured(Nanoseconds(0));
    see(&mut study, "os", &seen);
    assert!(found(&study).is_some());
}
