//! What a check says, whoever shows it.

use numawise_facts::{Disturbance, Finding, Outcome, Reading, StopReason, Study, Trial};
use numawise_tables::{ContrastCall, VerdictKind};
use numawise_units::Ratio;

use super::{Check, amount};

/// The verdict in a word or two.
pub fn verdict(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Affected => "Affected",
        VerdictKind::NotAffected => "Not affected",
        VerdictKind::Undecided => "Undecided",
    }
}

/// The number behind the verdict: `1.87x (95 % interval 1.82x to 1.93x): interleave beside os`.
pub fn effect(check: &Check) -> Option<String> {
    let verdict = &check.analysis.verdict;
    let effect = verdict.effect.measured()?;
    Some(format!("{effect}: {} beside {}", verdict.to, verdict.from))
}

/// Whether the program is placed well as it is.
pub fn placed_well(check: &Check) -> String {
    match &check.analysis.verdict.placed_well {
        Reading::Measured(true) => {
            "yes: nothing that was tried is better than what the operating system does".to_owned()
        }
        Reading::Measured(false) => "no: another placement is better".to_owned(),
        Reading::Unavailable { unavailable } => format!("unavailable ({unavailable})"),
    }
}

/// What was checked, where and how: pairs of a name and a text.
pub fn summary(check: &Check) -> Vec<(&'static str, String)> {
    let header = &check.study.header;
    let better = if check.analysis.higher_is_better { "higher" } else { "lower" };
    let watching = check.analysis.sampling_cost.as_ref().map(|share| amount::small_share(*share));
    let watching = match watching {
        Reading::Measured(share) => format!("took at most {share} of one CPU in any trial"),
        Reading::Unavailable { unavailable } => format!("cost unavailable ({unavailable})"),
    };
    let mut lines = vec![
        ("Program", header.command.shell_line()),
        ("Machine", machine(check.study)),
        ("Compared", format!("{}; {better} is better", check.analysis.metric)),
        ("Measured", measured(check)),
        ("Placed well", placed_well(check)),
        ("Watching", watching),
    ];
    lines.extend(far_memory(check).map(|text| ("Far memory", text)));
    lines
}

/// What memory elsewhere costs by what was measured of the machine; nothing where there is no memory elsewhere.
fn far_memory(check: &Check) -> Option<String> {
    let elsewhere = check.study.header.machine.allowed_nodes.len() > 1;
    elsewhere.then(|| match &check.analysis.expected {
        Reading::Measured(expected) => expected.text.clone(),
        Reading::Unavailable { unavailable } => unavailable.to_string(),
    })
}

/// The machine in a line.
pub fn machine(study: &Study) -> String {
    let (machine, host) = (&study.header.machine, &study.header.host);
    let many = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let mut text = format!(
        "{}, {}, {}",
        many(machine.packages.len(), "package"),
        many(machine.nodes.len(), "NUMA node"),
        many(machine.cpus.len(), "CPU"),
    );
    if machine.allowed_cpus.len() < machine.cpus.len() {
        text += &format!(" of which {} may be used", machine.allowed_cpus.len());
    }
    for reading in [&host.cpu_model, &host.hostname] {
        if let Some(known) = reading.measured() {
            text += &format!("; {known}");
        }
    }
    if let Some(kernel) = host.kernel.measured() {
        text += &format!("; Linux {kernel}");
    }
    text
}

/// How much was measured, when, and why that was the end.
fn measured(check: &Check) -> String {
    let (study, analysis) = (check.study, check.analysis);
    let failed = study.trials.iter().filter(|t| !matches!(t.outcome, Outcome::Measured { .. })).count();
    let disturbed = study.trials.iter().filter(|t| !t.disturbances.is_empty()).count();
    let mut text = format!(
        "{} trials of {} placements, begun {}",
        study.trials.len(),
        study.header.points.len(),
        amount::moment(study.header.begun)
    );
    if failed > 0 {
        text += &format!("; {failed} failed");
    }
    if disturbed > 0 {
        text += &format!("; {disturbed} disturbed");
    }
    text + "; " + stopped(analysis.stopped)
}

fn stopped(reason: Option<StopReason>) -> &'static str {
    match reason {
        Some(StopReason::Decided) => "ended because the intervals decided",
        Some(StopReason::BudgetSpent) => "ended because the time given was spent",
        Some(StopReason::Interrupted) => "ended because it was interrupted",
        Some(StopReason::TooManyFailures) => "ended because the program failed too often",
        None => "not ended: the same command goes on with it",
    }
}

pub fn call(call: ContrastCall) -> &'static str {
    match call {
        ContrastCall::Better => "better",
        ContrastCall::Worse => "worse",
        ContrastCall::Same => "no difference",
        ContrastCall::Open => "not decided",
    }
}

/// What a finding costs, in words.
pub fn cost(finding: &Finding) -> String {
    finding.cost.to_string()
}

/// What limits us on this machine, one sentence each.
pub fn limits(check: &Check) -> Vec<String> {
    let limits = check.study.header.machine.limits.iter();
    limits.map(crate::notice::machine::sentence).collect()
}

pub fn status(trial: &Trial) -> String {
    match &trial.outcome {
        Outcome::Measured { .. } => "measured".to_owned(),
        Outcome::Failed { exit, .. } => format!("failed: {exit}"),
        Outcome::NoMetric { problem, .. } => format!("no metric: {problem}"),
    }
}

pub fn disturbance(disturbance: &Disturbance) -> String {
    let (what, share) = match disturbance {
        Disturbance::Steal(share) => ("time stolen by the hypervisor", share),
        Disturbance::OtherLoad(share) => ("other load", share),
    };
    format!("{what}: {} of the machine", Ratio(*share).percent())
}

/// The end of what the program said where it first failed, with the trial: what a person needs to see first.
pub fn first_failure(study: &Study) -> Option<(String, String)> {
    study.trials.iter().find_map(|trial| match &trial.outcome {
        Outcome::Measured { .. } => None,
        Outcome::Failed { output_tail, .. } | Outcome::NoMetric { output_tail, .. } => Some((
            format!("trial {} at {}: {}", trial.number, trial.point, status(trial)),
            output_tail.clone(),
        )),
    })
}
