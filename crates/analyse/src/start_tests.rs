use numawise_facts::{FindingId, Outcome, Reading, Study};
use numawise_tables::{ContrastCall, VerdictKind};
use numawise_units::Nanoseconds;

use crate::analyse;
use crate::sample::{self, observation, two_node_check};

const START: Reading<Nanoseconds> = Reading::Measured(Nanoseconds(1_000_000));

#[test]
fn a_program_that_does_nothing_is_never_affected() {
    // 1 ms, and 0.92 of it elsewhere: clear of all noise.
    let mut study = two_node_check(0.001, 0.00092, 0.0011, 0.001, 0.0012, 0.001);
    assert_eq!(analyse(&study).verdict.kind, VerdictKind::Affected, "where the cost of a start is not known");
    study.header.start_cost = START;
    let analysis = analyse(&study);
    assert_eq!((analysis.verdict.kind, analysis.verdict.more_repeats), (VerdictKind::TooShort, None));
    assert_eq!(analysis.recommended, None);
    let called = analysis.contrasts.iter().map(|contrast| contrast.call);
    assert!(called.into_iter().all(|call| call == ContrastCall::Open || call == ContrastCall::Same));
}

#[test]
fn an_effect_beyond_starts_is_seen_in_a_short_program_too() {
    let mut study = two_node_check(0.050, 0.049, 0.020, 0.050, 0.052, 0.050);
    study.header.start_cost = START;
    let analysis = analyse(&study);
    assert_eq!(
        (analysis.verdict.kind, analysis.recommended.unwrap().0.as_str()),
        (VerdictKind::Affected, "interleave")
    );
}

/// What a placement's start takes more or less than another's is part of a start, whatever the program does after it.
#[test]
fn a_longer_program_differs_by_more_than_a_start_or_by_nothing() {
    let mut study = two_node_check(0.2, 0.17, 0.2, 0.2, 0.21, 0.2);
    let of = |study: &mut Study, start| {
        study.header.start_cost = Reading::Measured(Nanoseconds(start));
        analyse(study).verdict.kind
    };
    assert_eq!(of(&mut study, 40_000_000), VerdictKind::TooShort);
    assert_eq!(of(&mut study, 20_000_000), VerdictKind::Affected);
    // Three of its starts are more than it takes: it is as short as one of milliseconds.
    let mut study = two_node_check(0.2, 0.08, 0.2, 0.2, 0.21, 0.2);
    assert_eq!(of(&mut study, 80_000_000), VerdictKind::TooShort);
    assert_eq!(of(&mut study, 30_000_000), VerdictKind::Affected);
}

#[test]
fn a_longer_program_that_is_noisy_is_not_too_short() {
    let mut study = two_node_check(2.0, 2.0, 2.0, 2.0, 2.0, 2.0);
    for (k, trial) in study.trials.iter_mut().enumerate() {
        if let Outcome::Measured { per_task } = &mut trial.outcome {
            per_task.iter_mut().for_each(|value| *value *= 1.0 + 0.3 * (k * k % 7) as f64);
        }
    }
    study.header.start_cost = Reading::Measured(Nanoseconds(400_000_000));
    assert_eq!(analyse(&study).verdict.kind, VerdictKind::Undecided);
}

#[test]
fn runs_on_two_nodes_that_differ_by_a_start_are_not_chosen_by_the_system() {
    let of = |seconds: f64, start| {
        let mut study = two_node_check(seconds, seconds, seconds, seconds, seconds, seconds);
        for trial in study.trials.iter_mut().filter(|trial| trial.point.0 == "os") {
            let node = trial.block % 2;
            let mut seen = observation(&[(node, 10)], &[(4 * node, 1)]);
            seen.noise.steal = Reading::unavailable("by hand");
            trial.observation = Reading::Measured(seen);
            if let Outcome::Measured { per_task } = &mut trial.outcome {
                per_task[0] *= if node == 1 { 1.4 } else { 1.0 };
            }
        }
        study.header.start_cost = Reading::Measured(start);
        analyse(&study).findings.iter().any(|finding| finding.id == FindingId::NodeChosenAnew)
    };
    assert!(!of(0.01, Nanoseconds(5_000_000)));
    assert!(of(0.01, Nanoseconds(500_000)));
    assert!(!of(0.3, Nanoseconds(130_000_000)));
    assert!(of(0.3, Nanoseconds(20_000_000)));
}

#[test]
fn equal_placements_of_a_short_program_are_still_not_affected() {
    let mut study = two_node_check(0.02, 0.02, 0.02, 0.02, 0.02, 0.02);
    study.header.start_cost = START;
    assert_eq!(analyse(&study).verdict.kind, VerdictKind::NotAffected);
}

/// Numbers as if drawn, the same for a seed.
struct Drawn(u64);

impl Drawn {
    /// Above 0 and at most 1 (splitmix64).
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 + f64::EPSILON
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A start that takes `typical`: heavy tails, one in ten is three times as long.
    fn start(&mut self, typical: f64) -> f64 {
        let chi: f64 = (0..4).map(|_| self.normal().powi(2)).sum();
        let heavy = self.normal() / (chi / 4.0).sqrt();
        let late = if self.uniform() < 0.1 { 3.0 } else { 1.0 };
        typical * (0.15 * heavy).exp() * late
    }
}

/// A check as in emulated machines: each point's starts take up to 1.4 times as long as another's, all that check through, and the start
/// that was measured is that of the baseline's, of nine. The program works for `work` seconds, divided by `gain` when interleaved.
fn started(work: f64, start: f64, gain: f64, drawn: &mut Drawn) -> Study {
    let points = ["os", "all-nodes", "interleave", "one-node", "remote"].map(|id| (id, work));
    let mut study = sample::study(sample::two_sockets(), &points, &sample::PAIRS[..4], 20);
    let points: Vec<String> = study.header.points.iter().map(|point| point.id.0.clone()).collect();
    let typical: Vec<f64> = points.iter().map(|_| start * 1.4_f64.powf(drawn.uniform())).collect();
    for trial in &mut study.trials {
        let point = points.iter().position(|id| *id == trial.point.0).unwrap();
        let work = work / if trial.point.0 == "interleave" { gain } else { 1.0 };
        let run = work * (1.0 + 0.01 * drawn.normal()) + drawn.start(typical[point]);
        let Outcome::Measured { per_task } = &mut trial.outcome else { unreachable!("all ended") };
        per_task[0] = run;
        trial.wall = Nanoseconds::from_seconds(run);
    }
    let mut measured: Vec<f64> = (0..9).map(|_| drawn.start(typical[0])).collect();
    measured.sort_by(f64::total_cmp);
    study.header.start_cost = Reading::Measured(Nanoseconds::from_seconds(measured[4]));
    study
}

/// The share of checks that are affected, of `checks`; with the cost of a start or without it.
fn affected(work: f64, start: f64, gain: f64, known: bool, checks: u64) -> f64 {
    let is_affected = |seed: &u64| {
        let mut study = started(work, start, gain, &mut Drawn(*seed));
        if !known {
            study.header.start_cost = Reading::unavailable("by hand");
        }
        analyse(&study).verdict.kind == VerdictKind::Affected
    };
    (0..checks).filter(is_affected).count() as f64 / checks as f64
}

#[test]
fn starts_that_differ_raise_no_false_alarm_at_any_length() {
    for work in [0.0001, 0.003, 0.03, 0.1, 0.3, 1.0] {
        for start in [0.0005, 0.015, 0.06, 0.25] {
            let share = affected(work, start, 1.0, true, 20);
            assert!(share <= 0.05, "a program of {work} s whose start takes {start} s: {share}");
        }
    }
    for (work, start) in [(0.0001, 0.015), (0.1, 0.06)] {
        let without = affected(work, start, 1.0, false, 20);
        assert!(without >= 0.15, "such starts would do no harm: {without}");
    }
}

#[test]
fn gains_of_programs_that_take_longer_are_still_found() {
    for (work, start, gain) in [(0.1, 0.001, 1.1), (0.12, 0.003, 1.3), (0.5, 0.015, 1.2), (0.5, 0.06, 1.5)] {
        let share = affected(work, start, gain, true, 20);
        assert!(share >= 0.9, "{gain} for a program of {work} s whose start takes {start} s: {share}");
    }
}
