//! NW006: too noisy or too short to tell.

use numawise_facts::{Finding, FindingId, Metric, Reading};
use numawise_tables::VerdictKind;
use numawise_units::{Nanoseconds, Ratio};

use super::Case;
use crate::{middle, samples};

/// Runs shorter than this are ruled by process start and the first page faults rather than by the program's work: both
/// take some milliseconds, and 100 ms keeps them at a few percent.
const SHORT: Nanoseconds = Nanoseconds(100_000_000);

/// The verdict is open and the intervals are wider than the margin; or other work disturbed the runs throughout; or the
/// runs are so short that they measure something else.
pub fn too_noisy_or_short(case: &Case) -> Option<Finding> {
    let all = [noisy(case), busy(case), short(case)];
    let (evidence, advice): (Vec<String>, Vec<String>) = all.into_iter().flatten().unzip();
    let cost = Reading::unavailable("noise has no cost, it hides costs");
    (!evidence.is_empty()).then_some(Finding { id: FindingId::TooNoisyOrShort, evidence, cost, advice })
}

fn noisy(case: &Case) -> Option<(String, String)> {
    if case.verdict.kind != VerdictKind::Undecided {
        return None;
    }
    let family = case.judged.family.as_ref()?;
    let noise = numawise_stats::noise(&case.judged.design, family)?;
    let margin = Ratio(case.study.header.margin).percent();
    let repeats = case.judged.contrasts.iter().map(|c| c.repeats).max().unwrap_or(0);
    let evidence = format!(
        "after {repeats} repeats the widest interval is still plus or minus {}, and differences of {margin} count; one run \
         differs from the next by {} (standard deviation)",
        Ratio(noise.half_width).percent(),
        Ratio(noise.spread).percent()
    );
    let advice = "measure longer (--budget), keep other load off the machine, or let larger differences count (--margin)";
    Some((evidence, advice.to_owned()))
}

/// Others used the machine so much that their part could not be left out.
fn busy(case: &Case) -> Option<(String, String)> {
    let counted = case.study.trials.iter().filter(|trial| !trial.is_warm_up());
    let disturbed = counted.clone().filter(|trial| !trial.disturbances.is_empty()).count();
    if disturbed == 0 || samples::left_out(case.study) {
        return None;
    }
    let evidence = format!("{disturbed} of {} runs shared the machine with other work", counted.count());
    let advice = "what was measured holds for a machine as busy as this one; for the program alone, repeat it when it is quiet";
    Some((evidence, advice.to_owned()))
}

fn short(case: &Case) -> Option<(String, String)> {
    let point = &case.os().id;
    let walls = samples::trials(case.study, point).map(|trial| trial.wall).collect();
    let typical =
        middle(walls).filter(|wall| *wall < SHORT && case.study.header.metric == Metric::WallTime)?;
    let evidence = format!(
        "a run takes {typical}, of which starting the program and touching its memory are a large part"
    );
    let advice = "give the program more to do, or let it time its main loop and print that (--metric)";
    Some((evidence, advice.to_owned()))
}
