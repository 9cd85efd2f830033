//! Affected, not affected, undecided; and whether the program is placed well as it is.

use numawise_facts::{
    Counts, Effect, Point, PointRole, Reading, Study, StudyHeader, ThreadBinding, ThreadObservation,
};
use numawise_tables::{Contrast, ContrastCall, Verdict, VerdictKind};
use numawise_units::Ratio;

use crate::contrasts::Judged;
use crate::{called, samples, summary};

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;

/// The verdict on a study.
pub fn verdict(study: &Study, judged: &Judged) -> Verdict {
    let header = &study.header;
    let caveats = caveats(study);
    let baseline = header.points[0].id.clone();
    if header.pairs.is_empty() {
        return Verdict {
            kind: VerdictKind::NotAffected,
            effect: Reading::unavailable(
                "there is only one placement here, so there is nothing to compare it with",
            ),
            from: baseline.clone(),
            to: baseline,
            placed_well: Reading::Measured(true),
            text: format!("Placement cannot matter here: {}.", header.not_tried.join("; ")),
            caveats,
        };
    }
    let contrasts = &judged.contrasts;
    let (kind, basis) = match (gain(header, contrasts), sensitivity(header, contrasts)) {
        (Some(gain), _) => (VerdictKind::Affected, gain),
        (None, Some(loss)) => (VerdictKind::Affected, loss),
        (None, None) if all_same(header, contrasts) => (VerdictKind::NotAffected, widest(header, contrasts)),
        _ => (VerdictKind::Undecided, widest(header, contrasts)),
    };
    let placed_well = placed_well(header, contrasts);
    let text = match kind {
        VerdictKind::Affected => affected(header, basis, &placed_well),
        VerdictKind::NotAffected => not_affected(header, basis),
        VerdictKind::Undecided => undecided(header, basis, judged),
    };
    let (from, to) = (basis.from.clone(), basis.to.clone());
    Verdict { kind, effect: basis.effect.clone(), from, to, placed_well, text, caveats }
}

/// True when every contrast that counts is settled; one that can only count as a gain, also when a gain is ruled out.
pub fn settled(study: &Study, judged: &Judged) -> bool {
    let header = &study.header;
    let lost = |contrast: &Contrast| study.given_up(&contrast.from) || study.given_up(&contrast.to);
    judged.contrasts.iter().enumerate().all(|(k, contrast)| match counts(header, contrast) {
        _ if lost(contrast) => true, // no more will be known of it
        Counts::BothWays => judged.settled(k),
        Counts::GainOnly => judged.settled(k) || not_a_gain(contrast, header.margin),
        Counts::No => true,
    })
}

/// The best placement that one could use instead of the operating system's, if any is better.
pub fn gain<'a>(header: &StudyHeader, contrasts: &'a [Contrast]) -> Option<&'a Contrast> {
    contrasts
        .iter()
        .filter(|c| from_baseline(header, c) && counts(header, c) != Counts::No && is_candidate(header, c))
        .filter(|c| c.call == ContrastCall::Better)
        .max_by(|a, b| log_ratio(a).total_cmp(&log_ratio(b)))
}

/// The strongest contrast that shows that placement matters though nothing is gained by changing it.
fn sensitivity<'a>(header: &StudyHeader, contrasts: &'a [Contrast]) -> Option<&'a Contrast> {
    contrasts
        .iter()
        .filter(|c| counts(header, c) == Counts::BothWays)
        .filter(|c| matches!(c.call, ContrastCall::Better | ContrastCall::Worse))
        .max_by(|a, b| log_ratio(a).abs().total_cmp(&log_ratio(b).abs()))
}

fn all_same(header: &StudyHeader, contrasts: &[Contrast]) -> bool {
    contrasts.iter().all(|c| match counts(header, c) {
        Counts::BothWays => c.call == ContrastCall::Same,
        Counts::GainOnly => not_a_gain(c, header.margin),
        Counts::No => true,
    })
}

/// True when the interval rules out a gain beyond the margin.
fn not_a_gain(contrast: &Contrast, margin: f64) -> bool {
    match contrast.call {
        ContrastCall::Better => false,
        ContrastCall::Same | ContrastCall::Worse => true,
        ContrastCall::Open => contrast.effect.measured().is_some_and(|e| e.high.0 < 1.0 + margin),
    }
}

fn placed_well(header: &StudyHeader, contrasts: &[Contrast]) -> Reading<bool> {
    let alternatives: Vec<&Contrast> = contrasts
        .iter()
        .filter(|c| from_baseline(header, c) && counts(header, c) != Counts::No && is_candidate(header, c))
        .collect();
    if alternatives.iter().any(|c| c.call == ContrastCall::Better) {
        return Reading::Measured(false);
    }
    let open: Vec<&str> =
        alternatives.iter().filter(|c| !not_a_gain(c, header.margin)).map(|c| c.to.0.as_str()).collect();
    if open.is_empty() {
        Reading::Measured(true)
    } else {
        Reading::unavailable(format!("not decided yet for {}", open.join(", ")))
    }
}

/// The contrast that counts and has the largest ratio either way; the first where none has an interval.
fn widest<'a>(header: &StudyHeader, contrasts: &'a [Contrast]) -> &'a Contrast {
    let both = contrasts.iter().filter(|c| counts(header, c) == Counts::BothWays);
    let strongest = both.max_by(|a, b| log_ratio(a).abs().total_cmp(&log_ratio(b).abs()));
    strongest.unwrap_or(&contrasts[0])
}

fn affected(header: &StudyHeader, basis: &Contrast, placed_well: &Reading<bool>) -> String {
    let Some(effect) = basis.effect.measured() else { return "Placement matters here.".to_owned() };
    // A loss is told from its better end: how much faster the other is.
    let (slow, fast, effect) = match basis.call {
        ContrastCall::Worse => (&basis.to, &basis.from, effect.inverse()),
        _ => (&basis.from, &basis.to, *effect),
    };
    let little = if effect.ratio.0 < 1.0 + header.margin { " a little" } else { "" };
    let (slow, fast) = (called(header, slow), called(header, fast));
    let matters = format!("Placement matters{little} here: {fast} is {} as fast as {slow}.", span(effect));
    match placed_well {
        Reading::Measured(false) => matters,
        Reading::Measured(true) => format!(
            "{matters} But the program is placed well as it is: nothing that was tried is faster than what the operating \
             system does."
        ),
        Reading::Unavailable { unavailable } => {
            format!(
                "{matters} Whether something is faster than what the operating system does is {unavailable}."
            )
        }
    }
}

fn not_affected(header: &StudyHeader, basis: &Contrast) -> String {
    let margin = Ratio(header.margin).percent();
    let first =
        format!("Placement does not matter here: no placement that was tried differs by more than {margin}.");
    match basis.effect.measured() {
        Some(effect) => {
            format!("{first} The largest difference is {}: {}.", called(header, &basis.to), span(*effect))
        }
        None => first,
    }
}

fn undecided(header: &StudyHeader, basis: &Contrast, judged: &Judged) -> String {
    let Some(effect) = basis.effect.measured() else {
        let why = basis.effect.reason().map(ToString::to_string).unwrap_or_default();
        return format!("It cannot be told whether placement matters: {why}.");
    };
    let more =
        judged.family.as_ref().and_then(|family| numawise_stats::blocks_needed(&judged.design, family));
    let more = match more {
        Some(blocks) if blocks as u32 > basis.repeats => {
            format!("about {} more repeats would decide", blocks as u32 - basis.repeats)
        }
        Some(_) => "a few more repeats may decide".to_owned(),
        None => "with this noise more repeats of this length will not decide".to_owned(),
    };
    format!(
        "It cannot be told yet whether placement matters: {} is {} as fast as {}; {more}.",
        called(header, &basis.to),
        span(*effect),
        called(header, &basis.from)
    )
}

fn span(effect: Effect) -> String {
    format!("{} (95 % interval {} to {})", effect.ratio, effect.low, effect.high)
}

/// What the verdict does not cover.
fn caveats(study: &Study) -> Vec<String> {
    let mut caveats = Vec::new();
    let disturbed = study.trials.iter().filter(|t| !t.is_warm_up() && !t.disturbances.is_empty()).count();
    match (disturbed, samples::left_out(study)) {
        (0, _) => {}
        (n, true) => caveats.push(format!("{n} trials were disturbed by other load and are left out")),
        (n, false) => caveats.push(format!(
            "{n} trials were disturbed by other load; they count all the same, since too few are undisturbed"
        )),
    }
    for point in &study.header.points {
        caveats.extend(disobedience(study, point));
        caveats.extend(not_pinned(study, point));
    }
    caveats
}

/// Threads with less than this share of the busiest one's CPU time are helpers, not workers.
const WORKER: f64 = 0.1;

/// The threads that did the work in the last trial of a point that was watched.
fn workers<'a>(study: &'a Study, point: &'a Point) -> Option<Vec<&'a ThreadObservation>> {
    let threads = summary::watched(study, point).filter_map(|o| o.threads.measured()).last()?;
    let busiest = threads.iter().map(|t| t.cpu_time).max()?.seconds();
    Some(threads.iter().filter(|t| t.cpu_time.seconds() > WORKER * busiest).collect())
}

/// A program that runs another number of threads than it was told compares apples with pears.
fn disobedience(study: &Study, point: &Point) -> Option<String> {
    let planned = point.threads() as usize * point.copies() as usize;
    let workers = workers(study, point)?.len();
    (workers > planned).then(|| {
        format!(
            "{}: the program ran {workers} threads where {planned} were asked for (OMP_NUM_THREADS); if it takes their \
             number as an argument, write {{threads}} there",
            point.id
        )
    })
}

/// Threads of some programs follow neither OMP_PLACES nor the library that pins the others: where no thread is held on one
/// CPU, "pinned" is not what happened.
fn not_pinned(study: &Study, point: &Point) -> Option<String> {
    let workers = workers(study, point)?;
    let loose = |thread: &&ThreadObservation| thread.mask.measured().is_some_and(|mask| mask.len() > 1);
    let should = point.placement.binding == ThreadBinding::Pinned && point.threads() > 1;
    (should && !workers.is_empty() && workers.iter().all(loose)).then(|| {
        format!(
            "{}: no thread was seen pinned; they were free inside the CPUs of the plan (a statically linked program \
             cannot be reached, and one that places its threads itself wins)",
            point.id
        )
    })
}

fn counts(header: &StudyHeader, contrast: &Contrast) -> Counts {
    let pair = header.pairs.iter().find(|p| p.from == contrast.from && p.to == contrast.to);
    pair.map_or(Counts::No, |pair| pair.counts)
}

fn from_baseline(header: &StudyHeader, contrast: &Contrast) -> bool {
    header.point(&contrast.from).is_some_and(|point| point.role == PointRole::Baseline)
}

fn is_candidate(header: &StudyHeader, contrast: &Contrast) -> bool {
    header.point(&contrast.to).is_some_and(|point| point.role == PointRole::Candidate)
}

fn log_ratio(contrast: &Contrast) -> f64 {
    contrast.effect.measured().map_or(0.0, |e| e.ratio.0.ln())
}
