//! Affected, not affected, undecided; and whether the program is placed well as it is.

use numawise_facts::notice::{PlacementGroup, StudyNotice};
use numawise_facts::{
    LeftProcesses, Notice, Point, PointId, PointRole, Reading, StopReason, Study, StudyHeader,
};
use numawise_stats::FamilyDecision;
use numawise_tables::{
    Contrast, ContrastCall, LineCall, LineEffects, MoreRepeats, PlacedWell, Verdict, VerdictKind,
};
use numawise_units::Arrange;

use crate::contrasts::Judged;
use crate::{course, held, inside, lines, obeyed, summary};

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;

/// The verdict on a study.
pub fn verdict(study: &Study, judged: &Judged) -> Verdict {
    let header = &study.header;
    let caveats = caveats(study);
    if judged.contrasts.is_empty() {
        return nothing_compared(header, judged, caveats);
    }
    let kind = match judged.decision() {
        FamilyDecision::Affected => VerdictKind::Affected,
        // What was left out might have shown it.
        FamilyDecision::NotAffected if judged.incomplete => VerdictKind::Undecided,
        FamilyDecision::NotAffected => VerdictKind::NotAffected,
        FamilyDecision::Undecided if judged.of_a_start => VerdictKind::TooShort,
        FamilyDecision::Undecided => VerdictKind::Undecided,
    };
    let basis = gain(header, judged).or_else(|| sensitivity(judged)).unwrap_or_else(|| widest(judged));
    Verdict {
        kind,
        effect: basis.effect.clone(),
        from: basis.from.clone(),
        to: basis.to.clone(),
        slight: basis
            .effect
            .measured()
            .is_some_and(|effect| effect.ratio.0.ln().abs() < header.margin.ln_1p()),
        placed_well: placed_well(header, judged),
        not_by_its_line: false,
        more_repeats: (kind == VerdictKind::Undecided && judged.decision() == FamilyDecision::Undecided)
            .then(|| more_repeats(study, basis, judged)),
        caveats,
    }
}

/// The verdict with what the lines for the better placement brought: where ours does not bring the gain, there is none to be had.
pub fn with_lines(study: &Study, verdict: Verdict, lines: Option<&LineEffects>) -> Verdict {
    let lost = lines.and_then(LineEffects::ours).is_some_and(|ours| ours.call == LineCall::BringsNothing);
    let Some(printed) = study.lines.as_ref().filter(|_| lost) else { return verdict };
    let verdict = Verdict { not_by_its_line: true, ..verdict };
    if !lines::is_short(&study.header, printed) {
        return verdict;
    }
    let placed_well = PlacedWell::NotDecided { points: vec![printed.point.clone()] };
    Verdict { kind: VerdictKind::TooShort, placed_well, ..verdict }
}

/// Without a contrast there is either one placement, and it cannot matter, or others that could not be tried, and nobody knows.
fn nothing_compared(header: &StudyHeader, judged: &Judged, caveats: Vec<Notice>) -> Verdict {
    let baseline = header.baseline().map_or_else(|| PointId(String::new()), |point| point.id.clone());
    let kept_from_us = header.not_tried.iter().any(|notice| {
        matches!(
            notice,
            Notice::Study(StudyNotice::NotTried { placements: PlacementGroup::Pinned, .. })
                | Notice::Study(StudyNotice::CannotBePlaced { .. })
        )
    });
    let (kind, why, placed_well) = if judged.incomplete {
        let why = "the plan was not obeyed at any other placement";
        (VerdictKind::Undecided, why, self::placed_well(header, judged))
    } else if kept_from_us {
        let why = "no other placement could be tried here, so there is nothing to compare";
        (VerdictKind::Undecided, why, PlacedWell::NotDecided { points: Vec::new() })
    } else {
        let why = "there is only one placement here, so there is nothing to compare it with";
        (VerdictKind::NotAffected, why, PlacedWell::Yes)
    };
    Verdict {
        kind,
        effect: Reading::unavailable(why),
        from: baseline.clone(),
        to: baseline,
        slight: false,
        placed_well,
        not_by_its_line: false,
        more_repeats: None,
        caveats,
    }
}

/// The best placement that one could use instead of the operating system's, if any is better.
pub fn gain<'a>(header: &StudyHeader, judged: &'a Judged) -> Option<&'a Contrast> {
    alternatives(header, judged)
        .map(|(contrast, _)| contrast)
        .filter(|c| c.call == ContrastCall::Better)
        .max_by(|a, b| log_ratio(a).total_cmp(&log_ratio(b)))
}

/// The contrasts of the baseline with placements that one could use, and whether a gain is ruled out.
fn alternatives<'a>(header: &StudyHeader, judged: &'a Judged) -> impl Iterator<Item = (&'a Contrast, bool)> {
    let role = |id: &PointId, role| header.point(id).is_some_and(|point| point.role == role);
    judged
        .counting()
        .filter(move |(c, _)| role(&c.from, PointRole::Baseline) && role(&c.to, PointRole::Candidate))
}

/// The strongest contrast that shows that placement matters though nothing is gained by changing it.
fn sensitivity(judged: &Judged) -> Option<&Contrast> {
    judged
        .both_ways()
        .filter(|c| matches!(c.call, ContrastCall::Better | ContrastCall::Worse))
        .max_by(|a, b| log_ratio(a).abs().total_cmp(&log_ratio(b).abs()))
}

fn placed_well(header: &StudyHeader, judged: &Judged) -> PlacedWell {
    if gain(header, judged).is_some() {
        return PlacedWell::No;
    }
    let open = alternatives(header, judged).filter(|(_, ruled_out)| !ruled_out);
    let mut points: Vec<PointId> = open.map(|(contrast, _)| contrast.to.clone()).collect();
    points.extend(left_out(header, judged).cloned());
    if points.is_empty() { PlacedWell::Yes } else { PlacedWell::NotDecided { points } }
}

/// The placements that one could use and that were left out of the contrasts.
fn left_out<'a>(header: &'a StudyHeader, judged: &'a Judged) -> impl Iterator<Item = &'a PointId> {
    let candidate = |id: &PointId| header.point(id).is_some_and(|point| point.role == PointRole::Candidate);
    let baseline = header.baseline().map(|point| &point.id);
    let pairs = header.pairs.iter().filter(move |pair| Some(&pair.from) == baseline && candidate(&pair.to));
    pairs.filter(|pair| judged.contrast(&pair.from, &pair.to).is_none()).map(|pair| &pair.to)
}

/// The contrast that counts and has the largest ratio either way; the first where none has an interval.
fn widest(judged: &Judged) -> &Contrast {
    let strongest = judged.both_ways().max_by(|a, b| log_ratio(a).abs().total_cmp(&log_ratio(b).abs()));
    strongest.unwrap_or(&judged.contrasts[0])
}

/// An estimate of how many repeats are missing to a decision.
fn more_repeats(study: &Study, basis: &Contrast, judged: &Judged) -> MoreRepeats {
    if basis.repeats < study.header.min_repeats && study.stopped != Some(StopReason::TooManyFailures) {
        // Nothing is foreseen from a few.
        return MoreRepeats::AFew;
    }
    let all = judged.family.as_ref().and_then(|family| numawise_stats::blocks_needed(&judged.design, family));
    match all {
        Some(blocks) if blocks as u32 > basis.repeats => MoreRepeats::About(blocks as u32 - basis.repeats),
        Some(_) => MoreRepeats::AFew,
        None => MoreRepeats::OutOfReach,
    }
}

/// What the verdict does not cover.
fn caveats(study: &Study) -> Vec<Notice> {
    let mut caveats: Vec<Notice> = Vec::new();
    let trials = study.trials.iter().filter(|t| !t.is_warm_up() && summary::is_uncertain(t)).count() as u32;
    if trials > 0 {
        caveats.push(if summary::left_out(study) {
            StudyNotice::DisturbedLeftOut { trials }.into()
        } else {
            StudyNotice::DisturbedCounted { trials }.into()
        });
    }
    caveats.extend(course::drifted(study).map(Notice::from));
    caveats.extend(course::dropped(study).map(Notice::from));
    caveats.extend(held::held_down(study).map(Notice::from));
    caveats.extend(obeyed::threads::bound_by_others(study).map(Notice::from));
    let interrupted = study.trials.iter().filter(|t| t.is_interrupted()).count() as u32;
    if interrupted > 0 {
        caveats.push(StudyNotice::InterruptedLeftOut { trials: interrupted }.into());
    }
    caveats.extend(processes_left(study).map(Notice::from));
    for point in &study.header.points {
        for warning in &point.placement.warnings {
            let (point, warning) = (point.id.clone(), Box::new(warning.clone()));
            caveats.push(StudyNotice::OfPlacement { point, warning }.into());
        }
        let mismatch = thread_count_mismatch(study, point);
        caveats.extend(
            mismatch.filter(|one| !caveats.iter().any(|other| is_said(other, one))).map(Notice::from),
        );
        let threads =
            obeyed::threads::not_obeyed(study, point).or_else(|| obeyed::pinned::not_pinned(study, point));
        caveats.extend(threads.map(Notice::from));
        caveats.extend(obeyed::memory::not_obeyed(study, point).map(|found| found.notice(point).into()));
    }
    caveats
}

/// What the program left running, over all trials.
fn processes_left(study: &Study) -> Option<StudyNotice> {
    let all: Vec<&LeftProcesses> =
        study.trials.iter().filter_map(|trial| trial.left_behind.as_ref()).collect();
    let processes = all.iter().map(|left| left.processes).max()?;
    let mut names: Vec<String> = all.iter().flat_map(|left| left.names.iter().cloned()).collect();
    names.arrange();
    names.dedup();
    Some(StudyNotice::ProcessesLeft { trials: all.len() as u32, processes, names })
}

/// A program that runs more threads than its placement has compares apples with pears.
fn thread_count_mismatch(study: &Study, point: &Point) -> Option<StudyNotice> {
    let planned = point.threads() * point.copies().max(point.request.tasks);
    let ran = inside::working_threads(study, point)?;
    let in_command = study.header.command.takes_threads();
    (ran > planned).then(|| StudyNotice::ThreadCountMismatch {
        point: point.id.clone(),
        ran,
        planned,
        in_command,
    })
}

/// True where the same numbers of threads were said of another placement: it is one program.
fn is_said(other: &Notice, one: &StudyNotice) -> bool {
    let numbers = |notice: &StudyNotice| match notice {
        StudyNotice::ThreadCountMismatch { ran, planned, .. } => Some((*ran, *planned)),
        _ => None,
    };
    matches!(other, Notice::Study(other) if numbers(other).is_some() && numbers(other) == numbers(one))
}

fn log_ratio(contrast: &Contrast) -> f64 {
    contrast.effect.measured().map_or(0.0, |e| e.ratio.0.ln())
}
