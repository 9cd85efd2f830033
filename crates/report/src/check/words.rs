//! What a check says, whoever shows it.

use numawise_facts::notice::StudyNotice;
use numawise_facts::point::Factor;
use numawise_facts::redaction::LeftOut;
use numawise_facts::{
    DeviceName, Effect, MemoryRequest, Metric, Notice, Outcome, Point, PointId, PointRole, Reading,
    StopReason, Study, StudyHeader,
};
use numawise_tables::{
    ContrastCall, Expected, MemoryMove, MoreRepeats, NotExpected, PlacedWell, PointSummary, Verdict,
    VerdictCase, VerdictKind,
};
use numawise_units::Ratio;

use super::Check;
use crate::amount::{self, many};
use crate::findings::{bounds, memory_of_another_node};
use crate::{levels, notice, settings};

/// The user's case in a word or two: what stands first.
pub fn headline(verdict: &Verdict) -> &'static str {
    match verdict.case() {
        VerdictCase::Gains => "Gains",
        VerdictCase::GainNotKept => "Gain not kept",
        VerdictCase::PlacedWellSensitive | VerdictCase::PlacedWell => "Placed well",
        VerdictCase::Sensitive => "Sensitive",
        VerdictCase::NotAffected => "Not affected",
        VerdictCase::TooShort => "Too short to tell",
        VerdictCase::CannotTell
            if matches!(verdict.more_repeats, Some(MoreRepeats::About(_) | MoreRepeats::AFew)) =>
        {
            "Cannot tell yet"
        }
        VerdictCase::CannotTell => "Cannot tell",
    }
}

/// The number behind it: `1.87x (95 % interval 1.82x to 1.93x) by interleave vs os`, or
/// `sensitive: would take 2.44x (95 % interval 2.40x to 2.49x) as long on remote memory`.
pub fn effect(check: &Check) -> Option<String> {
    let verdict = &check.analysis.verdict;
    if too_few_repeats(check).is_some() {
        return None;
    }
    let effect = verdict.effect.measured()?;
    if let Some(line) = by_our_line(check).filter(|_| verdict.not_by_its_line) {
        let (to, from) = (&verdict.to, &verdict.from);
        return Some(format!("{to} vs {from} {effect} in the trials, {line} by its command line"));
    }
    Some(match verdict.case() {
        VerdictCase::Gains => format!("{effect} by {} vs {}", verdict.to, verdict.from),
        VerdictCase::PlacedWellSensitive => {
            let sensitive = if verdict.slight { "a little sensitive" } else { "sensitive" };
            format!("{sensitive}: {}", would_lose(&check.study.header, verdict, *effect))
        }
        VerdictCase::Sensitive => would_lose(&check.study.header, verdict, *effect),
        VerdictCase::PlacedWell
        | VerdictCase::GainNotKept
        | VerdictCase::NotAffected
        | VerdictCase::TooShort
        | VerdictCase::CannotTell => {
            format!("{effect}: {} vs {}", verdict.to, verdict.from)
        }
    })
}

/// The effect of our line, where it was measured.
fn by_our_line(check: &Check) -> Option<Effect> {
    check.analysis.lines.as_ref()?.ours()?.effect.clone().ok()
}

/// Both in one line: `Placed well; sensitive: would take ...`.
pub fn first_line(check: &Check) -> String {
    let headline = headline(&check.analysis.verdict);
    effect(check).map_or_else(|| headline.to_owned(), |effect| format!("{headline}; {effect}"))
}

/// What the program would lose at the worse of the two placements: `would take 2.44x (...) as long on remote memory`.
fn would_lose(header: &StudyHeader, verdict: &Verdict, effect: Effect) -> String {
    let (slow, effect) =
        if effect.ratio.0 < 1.0 { (&verdict.to, effect) } else { (&verdict.from, effect.inverse()) };
    let remote = header.point(slow).is_some_and(|point| point.levels.memory == MemoryRequest::Remote);
    let far =
        near_point(header).filter(|(near, _)| far_point(header, near).is_some_and(|far| far.id == *slow));
    let place = match far {
        _ if remote => "on remote memory".to_owned(),
        Some((_, device)) => format!("far from {device}"),
        None => format!("at {slow}"),
    };
    match header.metric {
        Metric::WallTime => format!("would take {} as long {place}", effect.inverse()),
        Metric::Output { .. } | Metric::File { .. } => format!("would be {effect} as fast {place}"),
    }
}

/// The verdict in a sentence or two.
pub fn sentence(check: &Check) -> String {
    let (header, verdict) = (&check.study.header, &check.analysis.verdict);
    if header.pairs.is_empty() {
        let why = notice::texts(&header.not_tried).join("; ");
        return match verdict.kind {
            VerdictKind::Undecided => {
                format!("Whether placement matters cannot be told here: nothing else could be tried; {why}.")
            }
            _ => format!("Placement cannot matter here: {why}."),
        };
    }
    match verdict.kind {
        VerdictKind::Affected => match by_our_line(check).filter(|_| verdict.not_by_its_line) {
            Some(line) => format!("{} {}", affected(header, verdict), not_kept(verdict, line)),
            None => affected(header, verdict),
        },
        VerdictKind::NotAffected => not_affected(header, verdict),
        VerdictKind::Undecided => match too_few_repeats(check) {
            Some(repeats) if verdict.more_repeats.is_some() => begun(check, repeats),
            _ => undecided(header, verdict),
        },
        VerdictKind::TooShort => too_short(check),
    }
}

fn affected(header: &StudyHeader, verdict: &Verdict) -> String {
    let Some(effect) = verdict.effect.measured() else { return "Placement matters here.".to_owned() };
    // A loss is said from its better end: how much faster the other is.
    let (slow, fast, effect) = if effect.ratio.0 < 1.0 {
        (&verdict.to, &verdict.from, effect.inverse())
    } else {
        (&verdict.from, &verdict.to, *effect)
    };
    let little = if verdict.slight { " a little" } else { "" };
    let (slow, fast) = (called(header, slow), called(header, fast));
    let matters = format!("Placement matters{little} here: {fast} is {effect} as fast as {slow}.");
    match &verdict.placed_well {
        PlacedWell::No => matters,
        PlacedWell::Yes => format!(
            "The program is placed well as it is: nothing that was tried is faster than what the operating system does. {matters}"
        ),
        PlacedWell::NotDecided { points } => format!(
            "{matters} Whether something is faster than what the operating system does is {}.",
            not_decided(points)
        ),
    }
}

/// The trials showed a gain, and the line for it does not bring it.
fn not_kept(verdict: &Verdict, line: Effect) -> String {
    format!(
        "But the line that gives {} was run as it would be printed, and is {line} as fast as the program as it was: it does not bring \
         that, so nothing is recommended.",
        verdict.to
    )
}

fn not_affected(header: &StudyHeader, verdict: &Verdict) -> String {
    let margin = Ratio(header.margin).percent();
    let first =
        format!("Placement does not matter here: no placement that was tried differs by more than {margin}.");
    match verdict.effect.measured() {
        Some(effect) => {
            format!("{first} The largest difference is {}: {effect}.", called(header, &verdict.to))
        }
        None => first,
    }
}

/// The repeats of what an open verdict rests on, where there are fewer than decide anything: their interval says nothing of the program.
fn too_few_repeats(check: &Check) -> Option<u32> {
    let (header, verdict) = (&check.study.header, &check.analysis.verdict);
    let open = matches!(verdict.kind, VerdictKind::Undecided | VerdictKind::TooShort);
    let mut contrasts = check.analysis.contrasts.iter().filter(|_| open);
    let basis = contrasts.find(|contrast| contrast.from == verdict.from && contrast.to == verdict.to)?;
    let failed = |point: &&PointSummary| [&basis.from, &basis.to].contains(&&point.id) && point.failed > 0;
    let missing =
        basis.repeats < header.min_repeats && !check.analysis.points.iter().any(|point| failed(&point));
    missing.then_some(basis.repeats)
}

/// A check that ended before there was anything to judge by.
fn begun(check: &Check, repeats: u32) -> String {
    let (header, verdict) = (&check.study.header, &check.analysis.verdict);
    let ran = match repeats {
        0 => "no repeat of".to_owned(),
        1 => "one repeat of".to_owned(),
        several => format!("{several} repeats of"),
    };
    let (ran, least) =
        (format!("{ran} {} and {} could be compared", verdict.from, verdict.to), header.min_repeats);
    let more = match check.analysis.stopped {
        Some(StopReason::BudgetSpent) => {
            "give it more time (--budget), and the same command goes on from here"
        }
        _ => "the same command goes on from here",
    };
    format!(
        "It is not decided yet whether placement matters: {ran}, and fewer than {least} decide nothing; {more}."
    )
}

fn undecided(header: &StudyHeader, verdict: &Verdict) -> String {
    let mut disobeyed: Vec<&str> = verdict.caveats.iter().filter_map(not_obeyed).collect();
    disobeyed.dedup();
    if verdict.more_repeats.is_none() && !disobeyed.is_empty() {
        return format!(
            "Whether placement matters cannot be told: the placement was not applied at {}.",
            disobeyed.join(", ")
        );
    }
    let effect: &Effect = match &verdict.effect {
        Reading::Measured(effect) => effect,
        Reading::Unavailable { unavailable } => {
            return format!("It cannot be decided whether placement matters: {unavailable}.");
        }
    };
    let more = match verdict.more_repeats {
        Some(MoreRepeats::About(repeats)) => format!("about {repeats} more repeats would decide"),
        Some(MoreRepeats::AFew) => "a few more repeats may decide".to_owned(),
        Some(MoreRepeats::OutOfReach) | None => {
            "with this noise more repeats of this length will not decide".to_owned()
        }
    };
    if verdict.placed_well == PlacedWell::Yes {
        return format!(
            "The program is placed well as it is: nothing that was tried is faster than what the operating system does. \
             Whether other placements would slow it down is not decided yet: {} is {effect} as fast as {}; {more}.",
            called(header, &verdict.to),
            called(header, &verdict.from)
        );
    }
    format!(
        "It is not decided yet whether placement matters: {} is {effect} as fast as {}; {more}.",
        called(header, &verdict.to),
        called(header, &verdict.from)
    )
}

/// Nothing is said of placements: what they differ by is not theirs.
fn too_short(check: &Check) -> String {
    let (header, analysis) = (&check.study.header, check.analysis);
    let baseline = analysis.points.iter().find(|point| point.role == PointRole::Baseline);
    let median = baseline.and_then(|point| point.median.measured());
    if let Some(line) = by_our_line(check).filter(|_| analysis.verdict.not_by_its_line) {
        let takes = median
            .map_or_else(String::new, |median| format!(" ({})", amount::value(&header.metric, *median)));
        return format!(
            "The program is too short{takes} for a placement to bring anything. {} Give it a larger input, or have one run do its \
             work many times, so that it takes a second or more.",
            not_kept(&analysis.verdict, line)
        );
    }
    let runs = median.map_or_else(String::new, |median| {
        format!("runs for {}, and ", amount::value(&header.metric, *median))
    });
    format!(
        "The program is too short to tell whether placement matters: it {runs}differs between placements by no more than starting \
         it takes here ({} without any of its work). Give it a larger input, or have one run do its work many times, so \
         that it takes a second or more.",
        header.start_cost
    )
}

fn not_obeyed(caveat: &Notice) -> Option<&str> {
    match caveat {
        Notice::Study(StudyNotice::NotObeyed { point, .. } | StudyNotice::MemoryNotObeyed { point, .. }) => {
            Some(&point.0)
        }
        _ => None,
    }
}

/// How a point is called in a sentence: `interleave (threads pinned over all nodes, memory interleaved)`.
fn called(header: &StudyHeader, id: &PointId) -> String {
    header
        .point(id)
        .map_or_else(|| id.to_string(), |point| format!("{id} ({})", levels::title(&point.levels)))
}

/// Whether the program is placed well as it is.
pub fn placed_well(check: &Check) -> String {
    match &check.analysis.verdict.placed_well {
        PlacedWell::Yes => {
            "yes: nothing that was tried is better than what the operating system does".to_owned()
        }
        PlacedWell::No if check.analysis.verdict.not_by_its_line => {
            "no: another placement is better, but the line that gives it does not bring that".to_owned()
        }
        PlacedWell::No => "no: another placement is better".to_owned(),
        PlacedWell::NotDecided { points } => not_decided(points),
    }
}

/// `not decided yet for interleave, pinned`
pub fn not_decided(points: &[PointId]) -> String {
    if points.is_empty() {
        return "no other placement could be tried".to_owned();
    }
    let names: Vec<&str> = points.iter().map(|id| id.0.as_str()).collect();
    format!("not decided yet for {}", names.join(", "))
}

/// The metric's name and unit: `wall time, s`.
pub fn metric(metric: &Metric) -> String {
    match metric {
        Metric::WallTime => "wall time, s".to_owned(),
        Metric::Output { regex, .. } => format!("'{regex}' in the output"),
        Metric::File { file, regex: Some(regex), .. } => format!("'{regex}' in {file}"),
        Metric::File { file, regex: None, .. } => format!("the number in {file}"),
    }
}

/// What was checked, where and how: pairs of a name and a text.
pub fn summary(check: &Check) -> Vec<(&'static str, String)> {
    let header = &check.study.header;
    let better = if header.metric.higher_is_better() { "higher" } else { "lower" };
    let watching = check.analysis.sampling_cost.as_ref().map(|share| amount::small_share(*share));
    let watching = match watching {
        Reading::Measured(share) => format!("at most {share} of one CPU in any trial"),
        Reading::Unavailable { unavailable } => format!("unavailable ({unavailable})"),
    };
    let mut lines = vec![
        ("Program", header.command.shell_line()),
        ("Machine", settings::machine(&check.study.header)),
        ("Compared", format!("{}; {better} is better", metric(&header.metric))),
        ("Measured", measured(check)),
        ("Placed well", placed_well(check)),
        ("Overhead", watching),
    ];
    lines.extend(remote_memory(check).map(|text| ("Remote memory", text)));
    lines.extend(nearness(check).map(|text| ("Near a device", text)));
    lines.extend(left_out(&LeftOut::of(check.study)).map(|text| ("Left out", text)));
    lines
}

/// What was left out because it looks like a credential.
fn left_out(left_out: &LeftOut) -> Option<String> {
    let LeftOut { arguments, variables, outputs } = left_out;
    let parts = [
        (*arguments > 0).then(|| format!("in {}", many(*arguments as u64, "argument"))),
        (!variables.is_empty()).then(|| format!("in the environment ({})", variables.join(", "))),
        (*outputs > 0).then(|| format!("in the output of {}", many(*outputs as u64, "trial"))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("what looks like a credential: {}", parts.join(", ")))
}

/// The point near to the device that was asked for, with the device.
fn near_point(header: &StudyHeader) -> Option<(&Point, &DeviceName)> {
    header.points.iter().find_map(|point| Some((point, point.levels.placement.near.as_ref()?)))
}

/// The same far from the device.
fn far_point<'a>(header: &'a StudyHeader, near: &Point) -> Option<&'a Point> {
    let compared =
        |point: &Point| header.pairs.iter().any(|pair| pair.from == near.id && pair.to == point.id);
    header.points.iter().find(|point| {
        point.role == PointRole::Diagnosis
            && near.levels.differing(&point.levels) == [Factor::Placement]
            && compared(point)
    })
}

/// What being near to a device is worth: `near gpu:0 (node 1) is 1.31x (...) as fast as far from it (node 3)`.
fn nearness(check: &Check) -> Option<String> {
    let header = &check.study.header;
    let place = |point: &Point| match &point.levels.placement.nodes {
        Some(nodes) => levels::counted(nodes),
        None => format!("CPUs {}", point.placement.cpus()),
    };
    let (near, device) = near_point(header)?;
    let Some(far) = far_point(header, near) else {
        return Some(format!("near {device} ({}), not compared with a node far from it", place(near)));
    };
    let contrast = check.analysis.contrasts.iter().find(|of| of.from == near.id && of.to == far.id);
    let worth = match contrast.map(|contrast| &contrast.effect) {
        Some(Reading::Measured(effect)) => format!("is {} as fast as", effect.inverse()),
        Some(Reading::Unavailable { unavailable }) => format!("is not known ({unavailable}) to differ from"),
        None => "could not be compared with".to_owned(),
    };
    Some(format!("near {device} ({}) {worth} far from it ({})", place(near), place(far)))
}

/// What memory elsewhere costs by what was measured of the machine; nothing where there is no memory elsewhere.
fn remote_memory(check: &Check) -> Option<String> {
    let elsewhere = check.study.header.machine.allowed_nodes.len() > 1;
    elsewhere.then(|| match &check.analysis.expected {
        Ok(expected) => self::expected(expected),
        Err(why) => not_expected(*why),
    })
}

/// What memory elsewhere costs, in a sentence without its full stop: `measured on this machine: to CPUs of node 0 ...`.
pub fn expected(expected: &Expected) -> String {
    let Expected { from, to, latency, bandwidth, .. } = expected;
    let mut text =
        memory_of_another_node(*from, *to, latency.measured().copied(), bandwidth.measured().copied());
    let times = |ratio: &Reading<Ratio>| ratio.measured().map(|ratio| ratio.inverse());
    if let Some(remote) = expected.effect(MemoryMove::ToRemote)
        && let Some(bounds) = bounds(times(&remote.latency_bound), times(&remote.bandwidth_bound), "as long")
    {
        let seen = match &remote.seen {
            Reading::Measured(effect) => effect.inverse().ratio.to_string(),
            Reading::Unavailable { unavailable } => format!("unavailable ({unavailable})"),
        };
        text += &format!("; with all its memory there a program could take {bounds}; seen: {seen}");
    }
    text
}

/// Why nothing is expected, as a clause.
pub fn not_expected(why: NotExpected) -> String {
    match why {
        NotExpected::OneMemoryNode => "there is only one NUMA node to use".to_owned(),
        NotExpected::NotMeasured => "not measured yet: numawise machine measure measures it".to_owned(),
        NotExpected::NoRemoteMemory => {
            "there are no CPUs with memory of their own and other memory to use".to_owned()
        }
        NotExpected::NoFigures { from, to } => format!(
            "the profile of this machine has neither latency nor bandwidth from node {from} to node {from} and to node {to}"
        ),
    }
}

/// How much was measured, when, and why that was the end.
fn measured(check: &Check) -> String {
    let (study, analysis) = (check.study, check.analysis);
    // The first run is in no comparison, and no other count has it.
    let trials = || study.trials.iter().filter(|trial| !trial.is_warm_up());
    let failed = trials().filter(|t| !matches!(t.outcome, Outcome::Measured { .. })).count();
    let disturbed = trials().filter(|t| !t.disturbances.is_empty()).count();
    let mut text = format!(
        "{} of {}, begun {}",
        many(trials().count() as u64, "trial"),
        many(study.header.points.len() as u64, "placement"),
        amount::moment(study.header.begun)
    );
    if failed > 0 {
        text += &format!("; {failed} failed");
    }
    if disturbed > 0 {
        text += &format!("; {disturbed} disturbed");
    }
    text + "; " + stopped(analysis.stopped, analysis.contrasts.is_empty())
}

fn stopped(reason: Option<StopReason>, nothing_compared: bool) -> &'static str {
    match reason {
        Some(StopReason::Decided) if nothing_compared => "ended because there is nothing to compare",
        Some(StopReason::Decided) => "ended because the intervals are narrow enough",
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

/// The end of what the program said where it first failed, with the trial: what a person needs to see first.
pub fn first_failure(study: &Study) -> Option<(String, String)> {
    study.trials.iter().find_map(|trial| match &trial.outcome {
        Outcome::Measured { .. } => None,
        Outcome::Failed { output_tail, .. } | Outcome::NoMetric { output_tail, .. } => Some((
            format!(
                "trial {} at {}: {}",
                trial.number,
                trial.point,
                notice::trial_status(&study.header.metric, trial)
            ),
            output_tail.clone(),
        )),
    })
}
