use numawise_facts::Depth;

use super::*;
use crate::fixture;
use crate::plan::MeasurementPlan;

/// A machine that takes for each step what it is allowed and so much more.
struct Slow(fn(&Experiment) -> f64);

struct Simulated {
    took: f64,
    done: Vec<PlannedStep>,
    left_out: Vec<PlannedStep>,
}

/// A whole measurement on such a machine, as the real one goes.
fn simulated(machine: &str, depth: Depth, slow: Slow) -> (Simulated, MeasurementPlan, Layout) {
    let (machine, request) = (fixture::machine(machine), fixture::request(depth));
    let layout = Layout::of(&machine, &request);
    let plan = MeasurementPlan::with(&layout, &request);
    let mut schedule = Schedule::new(plan.budget.seconds(), plan.budget.seconds());
    let mut all = Simulated { took: 0.0, done: Vec::new(), left_out: Vec::new() };
    let mut left = plan.steps.clone();
    while !left.is_empty() {
        all.left_out.extend(schedule.leave_out(all.took, &mut left, &layout));
        if left.is_empty() {
            break;
        }
        let allowed = schedule.allowance(all.took, &left);
        let step = left.remove(0);
        let took = allowed + slow.0(&step.experiment);
        schedule.learn(&step.experiment, allowed, took);
        all.took += took;
        all.done.push(step);
    }
    (all, plan, layout)
}

const MACHINES: [&str; 3] = ["two-socket-smt.xml", "hbm-by-figures.xml", "cxl.xml"];

#[test]
fn a_machine_that_keeps_its_allowances_leaves_nothing_out() {
    for (machine, depth) in MACHINES
        .into_iter()
        .flat_map(|machine| [Depth::Quick, Depth::Standard, Depth::Full].map(|depth| (machine, depth)))
    {
        let (all, plan, _) = simulated(machine, depth, Slow(|_| 0.0));
        assert_eq!((all.done.len(), all.left_out.len()), (plan.steps.len(), 0), "{machine} {depth}");
        assert!(all.took <= plan.budget.seconds(), "{machine} {depth}: {}", all.took);
    }
}

#[test]
fn a_slow_guest_keeps_to_the_time_and_to_local_memory() {
    // Each step beyond what it was allowed: 0.7 s, and 0.9 s more for each node whose memory is got.
    let slow = |experiment: &Experiment| match experiment {
        Experiment::Fill(nodes) => 0.9 * nodes.len() as f64,
        _ => 0.7,
    };
    for machine in MACHINES {
        let (all, plan, layout) = simulated(machine, Depth::Quick, Slow(slow));
        let budget = plan.budget.seconds();
        assert!(all.took <= budget, "{machine}: {:.1} of {budget} s", all.took);
        assert!(!all.left_out.is_empty(), "{machine}");
        assert!(all.took > 0.6 * budget, "no more is left out than must be: {:.1} of {budget} s", all.took);
        // Nothing that was left out is more important than what was made after it was known how slow it is.
        let least = all.done.iter().map(|step| importance(&step.experiment, &layout)).min().unwrap();
        let most = all.left_out.iter().map(|step| importance(&step.experiment, &layout)).max().unwrap();
        assert!(least <= 8 && most <= 8, "{machine}: {least} {most}");
        let local = |step: &PlannedStep| importance(&step.experiment, &layout) == 8;
        assert!(all.done.iter().filter(|step| local(step)).count() >= 2, "{machine}");
    }
}

#[test]
fn of_what_is_left_the_least_important_goes_first() {
    let (machine, request) = (fixture::machine("two-socket-smt.xml"), fixture::request(Depth::Standard));
    let layout = Layout::of(&machine, &request);
    let plan = MeasurementPlan::with(&layout, &request);
    let mut left = plan.steps.clone();
    let budget = plan.budget.seconds();
    let mut schedule = Schedule::new(budget, budget);
    assert!(schedule.leave_out(1e6, &mut left, &layout).is_empty(), "nothing is known yet");
    schedule.learn(&left[0].experiment, 1.0, 1.0);
    // Time for one step in two, or so.
    let least: f64 = left.iter().map(|step| schedule.least(step)).sum();
    let elapsed = budget * USABLE - least / 2.0;
    let out = schedule.leave_out(elapsed, &mut left, &layout);
    assert!(!out.is_empty() && out.len() < plan.steps.len());
    let of = |step: &PlannedStep| importance(&step.experiment, &layout);
    let kept = left.iter().map(of).filter(|of| *of != FOR_OTHERS).min().unwrap();
    assert!(out.iter().all(|step| of(step) <= kept), "{out:?}");
    assert!(matches!(out[0].experiment, Experiment::Transfer { .. }));
    assert!(schedule.fits(elapsed, &left));
}

#[test]
fn memory_that_nobody_uses_is_not_got() {
    let (machine, request) = (fixture::machine("two-socket-smt.xml"), fixture::request(Depth::Quick));
    let layout = Layout::of(&machine, &request);
    let mut steps = MeasurementPlan::with(&layout, &request).steps;
    let fills = |steps: &[PlannedStep]| {
        steps.iter().filter(|step| matches!(step.experiment, Experiment::Fill(_))).count()
    };
    assert_eq!(fills(&steps), 3, "each node, and both for the peak");
    steps.retain(|step| !matches!(step.experiment, Experiment::Bandwidth { workers: Workers::Machine, .. }));
    drop_unused_memory(&mut steps);
    assert_eq!(fills(&steps), 2);
}

#[test]
fn what_one_step_took_beyond_its_time_is_expected_of_those_like_it() {
    let (machine, request) = (fixture::machine("two-socket-smt.xml"), fixture::request(Depth::Quick));
    let plan = MeasurementPlan::with(&Layout::of(&machine, &request), &request);
    let mut schedule = Schedule::new(plan.budget.seconds(), plan.budget.seconds());
    let before = schedule.allowance(0.0, &plan.steps);
    let latency = plan.steps.iter().find(|step| matches!(step.experiment, Experiment::Latency { .. }));
    schedule.learn(&latency.unwrap().experiment, 0.5, 2.0);
    schedule.learn(&latency.unwrap().experiment, 0.5, 0.4);
    assert_eq!(schedule.beyond(&latency.unwrap().experiment), 1.5, "the most that was seen");
    assert_eq!(schedule.beyond(&plan.steps[0].experiment), 0.0);
    assert!(schedule.allowance(0.0, &plan.steps) < before, "four latencies take six seconds more");
}
