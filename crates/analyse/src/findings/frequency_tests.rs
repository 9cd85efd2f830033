use numawise_facts::finding::{ClockAdvice, ClockQuantity};
use numawise_facts::notice::StudyNotice;
use numawise_facts::{
    ContrastRole, CpuFrequency, FrequencyFacts, FrequencyPolicy, FrequencySource, Outcome, Study,
    TrialFrequency,
};
use numawise_units::CpuId;

use super::*;
use crate::analyse;
use crate::sample::{observation, study, two_sockets};

/// Random numbers for simulated studies (SplitMix64).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64
    }

    /// About normal, with standard deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// What a simulated run does: its seconds and its clock in GHz.
type Run = (f64, f64);

fn found(study: &Study) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == FindingId::ClockDiffers)
}

/// A check of the operating system's placement and a pinned one, with the time and the clock of every run.
fn check(blocks: u32, mut os: impl FnMut(u32) -> Run, mut pinned: impl FnMut(u32) -> Run) -> Study {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let mut study = study(two_sockets(), &[("os", 1.0), ("pinned", 1.0)], &pairs, blocks);
    for trial in &mut study.trials {
        let (seconds, ghz) = if trial.point.0 == "os" { os(trial.block) } else { pinned(trial.block) };
        clocked(trial, seconds, ghz, 20);
    }
    study
}

fn clocked(trial: &mut Trial, seconds: f64, ghz: f64, samples: u64) {
    let hertz = Hertz((ghz * 1e9) as u64);
    let of = |cpu| CpuFrequency { cpu: CpuId(cpu), samples, mean: hertz, least: hertz, most: hertz };
    let mut seen = observation(&[(0, 100)], &[(0, 10), (1, 10)]);
    seen.frequency = Reading::Measured(TrialFrequency(vec![of(0), of(4)]));
    trial.observation = Reading::Measured(seen);
    let Outcome::Measured { per_task } = &mut trial.outcome else { panic!() };
    per_task[0] = seconds;
}

fn governed(study: &mut Study, driver: &str, governor: &str, most: u64) {
    let known = |text: &str| Reading::Measured(text.to_owned());
    study.header.host.frequency = Reading::Measured(FrequencyFacts {
        policies: vec![FrequencyPolicy {
            cpus: "0-7".parse().unwrap(),
            driver: known(driver),
            governor: known(governor),
            preference: Reading::unavailable("by hand"),
            least: Reading::Measured(Hertz(1_200_000_000)),
            most: Reading::Measured(Hertz(most * 1_000_000)),
            hardware_most: Reading::Measured(Hertz(2_800_000_000)),
            base: Reading::unavailable("by hand"),
        }],
        boost: Reading::Measured(true),
        source: Reading::Measured(FrequencySource::Counted),
    });
}

/// Every other run at 2 instead of 3 GHz, and half as long again.
fn two_clocks(block: u32) -> Run {
    let wobble = 1.0 + 0.002 * f64::from(block % 5);
    if block.is_multiple_of(2) { (1.5 * wobble, 2.0) } else { (wobble, 3.0) }
}

#[test]
fn runs_that_differ_as_their_clock_does_are_told_with_what_it_costs() {
    let mut study = check(12, two_clocks, two_clocks);
    governed(&mut study, "acpi-cpufreq", "ondemand", 2800);
    let finding = found(&study).unwrap();
    let [runs, clock, effect, share] = finding.evidence.as_slice() else { panic!("{finding:#?}") };
    assert_eq!((&runs.value, runs.of), (&Reading::Measured(Amount::Count(6)), Some(Amount::Count(12))));
    let ghz = |ghz: u64| Amount::Frequency(Hertz(ghz * 1_000_000_000));
    assert_eq!((&clock.value, clock.of), (&Reading::Measured(ghz(2)), Some(ghz(3))));
    let Reading::Measured(Amount::Ratio(ratio)) = effect.value else { panic!("{effect:?}") };
    assert!((ratio.0 - 1.5).abs() < 0.01, "{ratio}");
    let Reading::Measured(Amount::Share(share)) = share.value else { panic!("{share:?}") };
    assert!(share.0 > 0.98, "{share:?}");
    assert!(finding.cost.measured().unwrap().low.0 > 1.4);
    assert!(finding.cure.is_none());
    assert_eq!(
        finding.advice,
        [
            Advice::Clock(ClockAdvice::UsePerformanceGovernor).into(),
            Advice::Clock(ClockAdvice::SteadyClock).into()
        ]
    );
    governed(&mut study, "intel_pstate", "performance", 2800);
    assert_eq!(
        found(&study).unwrap().advice,
        [Advice::Clock(ClockAdvice::SteadyClock).into()],
        "the governor is not why"
    );
}

#[test]
fn a_placement_with_a_faster_clock_is_not_sold_as_memory() {
    let wobble = |block: u32| 1.0 + 0.002 * f64::from(block % 5);
    let study = check(8, |b| (1.21 * wobble(b), 3.0 * wobble(b)), |b| (wobble(b), 3.3 * wobble(b)));
    let finding = found(&study).unwrap();
    let [from, to, ratio, share] = finding.evidence.as_slice() else { panic!("{finding:#?}") };
    assert_eq!(from.subject, EvidenceSubject::Point { point: "os".into() });
    assert_eq!(
        (from.quantity, to.quantity),
        (ClockQuantity::Frequency.into(), ClockQuantity::Frequency.into())
    );
    let Reading::Measured(Amount::Ratio(ratio)) = ratio.value else { panic!("{ratio:?}") };
    assert!((ratio.0 - 1.1).abs() < 0.005, "{ratio}");
    let Reading::Measured(Amount::Share(share)) = share.value else { panic!("{share:?}") };
    assert!((share.0 - 0.5).abs() < 0.02, "a tenth of a gain of 1.21: half of it in logs; {share:?}");
    assert!(finding.cost.reason().is_some(), "the same clock was not tried");
    let slower = check(8, |b| (1.21 * wobble(b), 3.3 * wobble(b)), |b| (wobble(b), 3.0 * wobble(b)));
    assert_eq!(found(&slower), None, "it is better in spite of its clock");
}

#[test]
fn a_clock_that_explains_little_or_was_hardly_seen_is_no_finding() {
    // Twice as long, and 5 % less clock: something else makes both.
    let little = |block: u32| if block.is_multiple_of(2) { (2.0, 2.85) } else { (1.0, 3.0) };
    assert_eq!(found(&check(12, little, little)), None);
    let close = |block: u32| if block.is_multiple_of(2) { (1.5, 2.96) } else { (1.0, 3.0) };
    assert_eq!(found(&check(12, close, close)), None, "what any machine varies by");
    assert_eq!(found(&check(5, two_clocks, two_clocks)), None, "too few runs on either side");
    let mut hardly = check(12, two_clocks, two_clocks);
    for trial in &mut hardly.trials {
        let (seconds, ghz) = two_clocks(trial.block);
        clocked(trial, seconds, ghz, 1);
    }
    assert_eq!(found(&hardly), None, "two samples in a run");
    for trial in &mut hardly.trials {
        trial.observation = Reading::Measured(observation(&[], &[]));
    }
    assert_eq!(found(&hardly), None, "no cpufreq");
}

#[test]
fn simulated_checks_find_it_where_it_is_and_not_where_it_is_not() {
    let mut random = Random(7);
    let mut count = |with: &mut dyn FnMut(&mut Random) -> Study| {
        (0..100).filter(|_| found(&with(&mut random)).is_some()).count()
    };
    // The clock wanders by a tenth and more from run to run, as under a power limit, and the time goes with it.
    let mut driven = |random: &mut Random| {
        let mut runs: Vec<Run> = Vec::new();
        for _ in 0..30 {
            let ghz = 3.0 * (0.1 * random.normal()).clamp(-0.3, 0.2).exp();
            runs.push((3.0 / ghz * (0.01 * random.normal()).exp(), ghz));
        }
        check(15, |b| runs[b as usize - 1], |b| runs[b as usize + 14])
    };
    let seen = count(&mut driven);
    assert!(seen >= 95, "{seen} of 100 where the clock is the cause");
    // The clock wanders as much, and the time varies by something else.
    let mut other = |random: &mut Random| {
        let mut runs: Vec<Run> = Vec::new();
        for _ in 0..30 {
            let ghz = 3.0 * (0.1 * random.normal()).clamp(-0.3, 0.2).exp();
            runs.push(((0.1 * random.normal()).exp(), ghz));
        }
        check(15, |b| runs[b as usize - 1], |b| runs[b as usize + 14])
    };
    let seen = count(&mut other);
    assert!(seen <= 5, "{seen} of 100 where it is not");
    // A placement that gains a third by its memory, at a clock that wanders.
    let mut memory = |random: &mut Random| {
        let mut run = |seconds: f64| -> Run {
            (seconds * (0.02 * random.normal()).exp(), 3.0 * (0.03 * random.normal()).exp())
        };
        let runs: Vec<(Run, Run)> = (0..10).map(|_| (run(1.33), run(1.0))).collect();
        check(10, |b| runs[b as usize - 1].0, |b| runs[b as usize - 1].1)
    };
    let seen = count(&mut memory);
    assert!(seen <= 5, "{seen} of 100 where memory is the cause");
    // The same gain at a clock that is a tenth faster.
    let mut faster = |random: &mut Random| {
        let mut run = |seconds: f64, ghz: f64| -> Run {
            (seconds * (0.02 * random.normal()).exp(), ghz * (0.02 * random.normal()).exp())
        };
        let runs: Vec<(Run, Run)> = (0..10).map(|_| (run(1.33, 3.0), run(1.0, 3.3))).collect();
        check(10, |b| runs[b as usize - 1].0, |b| runs[b as usize - 1].1)
    };
    let seen = count(&mut faster);
    assert!(seen >= 95, "{seen} of 100 where the better placement has the faster clock");
}

#[test]
fn cpus_that_are_held_down_are_a_caveat() {
    let caveat = |driver: &str, governor: &str, most: u64| {
        let mut study = check(6, two_clocks, two_clocks);
        governed(&mut study, driver, governor, most);
        let caveats = analyse(&study).verdict.caveats;
        caveats.into_iter().find_map(|caveat| match caveat {
            numawise_facts::Notice::Study(StudyNotice::FrequencyHeldDown { held, .. }) => Some(held),
            _ => None,
        })
    };
    let ghz = |ghz: f64| Hertz((ghz * 1e9) as u64);
    assert_eq!(caveat("acpi-cpufreq", "powersave", 2800), Some(ghz(1.2)), "always the least");
    assert_eq!(caveat("intel_cpufreq", "powersave", 2800), Some(ghz(1.2)), "intel_pstate, passive");
    assert_eq!(caveat("intel_pstate", "powersave", 2800), None, "it chooses by itself");
    assert_eq!(caveat("amd-pstate-epp", "powersave", 2800), None);
    assert_eq!(caveat("acpi-cpufreq", "performance", 2000), Some(ghz(2.0)), "somebody lowered the limit");
    assert_eq!(caveat("acpi-cpufreq", "performance", 2799), None);
    assert_eq!(caveat("acpi-cpufreq", "schedutil", 2800), None);
}
