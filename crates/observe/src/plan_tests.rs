use super::*;

const RATE: f64 = 0.004;

fn ms(ms: u64) -> Nanoseconds {
    Nanoseconds(ms * 1_000_000)
}

fn us(us: u64) -> Nanoseconds {
    Nanoseconds(us * 1_000)
}

/// Runs a plan for `end` with samples of threads and of residency of the given costs; gives when threads were sampled and what all cost.
fn simulate(
    end: Nanoseconds,
    thread_cost: Nanoseconds,
    residency_cost: Nanoseconds,
    share: f64,
) -> (Vec<Nanoseconds>, u32, Nanoseconds) {
    let mut plan = SamplingPlan::new(RATE, Nanoseconds(0), share);
    let (mut thread_samples, mut residency_samples, mut cost) = (Vec::new(), 0, Nanoseconds(0));
    let mut now = Nanoseconds(0);
    loop {
        let (kind, due) = plan.next();
        now = now.max(due);
        if now >= end {
            return (thread_samples, residency_samples, cost);
        }
        match kind {
            StepKind::Threads => {
                plan.sampled_threads(now, thread_cost, thread_cost);
                thread_samples.push(now);
                cost = cost + thread_cost;
            }
            StepKind::Residency => {
                plan.sampled_residency(now, residency_cost, residency_cost);
                residency_samples += 1;
                cost = cost + residency_cost;
            }
        }
    }
}

#[test]
fn cheap_samples_come_as_on_the_ramp() {
    let (thread_samples, residency_samples, _) = simulate(ms(50), us(20), us(20), 0.15);
    assert_eq!(thread_samples, [ms(2), ms(5), ms(10), ms(20), ms(40)]);
    assert!(residency_samples >= 1);
}

#[test]
fn the_budget_holds_whatever_the_costs() {
    for end in [ms(200), ms(500), ms(2_000), ms(60_000)] {
        for thread_cost in [us(10), us(70), us(300), ms(1)] {
            for residency_cost in [us(20), us(100), us(800), ms(8), ms(50)] {
                for share in [0.15, 0.5] {
                    let (thread_samples, residency_samples, cost) =
                        simulate(end, thread_cost, residency_cost, share);
                    // What comes before the first residency sample is complete is not known beforehand; all else must be paid for.
                    let allowed = Nanoseconds((end.0 as f64 * RATE) as u64)
                        .max(thread_cost + thread_cost + residency_cost);
                    assert!(
                        cost <= allowed,
                        "{end} {thread_cost} {residency_cost} {share}: {cost} > {allowed}, {residency_samples} residency samples"
                    );
                    assert!(!thread_samples.is_empty());
                }
            }
        }
    }
}

#[test]
fn the_budget_is_used_when_there_is_use_for_it() {
    let (_, _, cost) = simulate(ms(10_000), us(200), us(100), 0.5);
    assert!(cost.seconds() > 0.9 * RATE * 10.0, "{cost}");
}

#[test]
fn expensive_residency_samples_do_not_starve_those_of_threads_nor_they_them() {
    let (thread_samples, residency_samples, _) = simulate(ms(60_000), us(100), ms(50), 0.5);
    assert!(thread_samples.len() > 500, "{}", thread_samples.len());
    assert!(residency_samples >= 2, "{residency_samples}");
}

#[test]
fn what_the_start_cost_is_paid_back() {
    let mut plan = SamplingPlan::new(RATE, ms(4), 0.5);
    assert_eq!(plan.next(), (StepKind::Threads, ms(2)), "the first sample comes all the same");
    plan.sampled_threads(ms(2), us(100), us(100));
    assert_eq!(plan.next(), (StepKind::Residency, ms(5)), "and the first residency sample");
    plan.sampled_residency(ms(5), us(100), us(100));
    assert!(plan.next().1 >= ms(1075), "{:?}", plan.next());
}

#[test]
fn a_third_of_a_life_lies_behind_the_last_residency_sample_at_most() {
    for now in [ms(40), ms(100), ms(1_000)] {
        assert_eq!(next_residency_sample(now), Nanoseconds(now.0 / 2 * 3));
    }
    assert_eq!(next_residency_sample(ms(5)), ms(15));
    assert_eq!(next_residency_sample(ms(60_000)), ms(61_000));
}

/// Of trials that are compared: no step before it is paid for, and never more than the rate, however short the trial and however slow the machine.
#[test]
fn a_strict_plan_is_never_over_its_rate() {
    for (cost, expected) in [(us(40), us(40)), (ms(4), ms(5))] {
        let mut plan = SamplingPlan::strict(RATE, us(20), expected, 0.15);
        let mut spent = us(20);
        for _ in 0..200 {
            let (kind, due) = plan.next();
            let allowed = RATE * due.seconds();
            assert!(spent.seconds() + expected.min(cost).seconds() <= allowed * 1.01, "{spent:?} at {due:?}");
            spent = spent + cost;
            match kind {
                StepKind::Threads => plan.sampled_threads(due, cost, cost),
                StepKind::Residency => plan.sampled_residency(due, cost, cost),
            }
        }
    }
}
