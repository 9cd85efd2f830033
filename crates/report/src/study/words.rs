//! The sentences of a study.

use numawise_facts::{
    Effect, Metric, PointId, RankBinding, RanksLeft, Reading, StopReason, StudyHeader, UntilKnown,
};
use numawise_tables::{
    GridRow, GridTables, LevelEffects, OtherUnit, ScalingKnee, ScalingModel, ScalingSeries, SpreadChange,
    UsedUp,
};
use numawise_units::{Bytes, Microjoules, Ratio};

use super::ShownStudy;
use crate::amount::{self, many};

/// `36.4 %`
pub fn share(of: Ratio) -> String {
    format!("{:.1} %", of.0 * 100.0)
}

/// Who gives the ranks that the command starts their CPUs; several where points differ.
pub fn ranks(header: &StudyHeader) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    for text in header.points.iter().filter_map(|point| point.ranks.as_ref()).map(rank_binding) {
        if !said.contains(&text) {
            said.push(text);
        }
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// The same of one point, or division.
pub fn rank_binding(binding: &RankBinding) -> String {
    match binding {
        RankBinding::Planned { is_default: true, .. } => {
            "each has an equal share of the CPUs, which numawise gives it, since nobody asked the launcher for a binding".to_owned()
        }
        RankBinding::Planned { is_default: false, .. } => "numawise places each as the point says".to_owned(),
        RankBinding::AskedFor { launcher, by } => {
            format!("{launcher} binds them as it was asked to ({by}); numawise places none")
        }
        RankBinding::LeftToLauncher { launcher, why: RanksLeft::ProgramsUnknown } => format!(
            "the launcher inside of {launcher} may bind them by its default, so that threads of a rank share a core: expected mpirun, mpiexec or \
             srun as the first word of the command, where numawise gives each rank CPUs of its own"
        ),
        RankBinding::LeftToLauncher { launcher, why: RanksLeft::AsTyped } => {
            format!("{launcher} gives them their CPUs by its default")
        }
        RankBinding::LeftToLauncher { launcher, why: RanksLeft::OtherComputers } => format!(
            "{launcher} may bind them by its default, so that threads of a rank share a core: they may run on other computers, where \
             numawise may not be. Where it is, under the same path, --place gives each rank CPUs of its own"
        ),
    }
}

pub fn metric(metric: &Metric) -> String {
    let direction = if metric.higher_is_better() { "higher is better" } else { "lower is better" };
    match metric {
        Metric::WallTime => "wall time, divided by the number of copies".to_owned(),
        Metric::Output { regex, .. } => format!("what {regex} finds in the output; {direction}"),
        Metric::File { file, regex: Some(regex), .. } => format!("what {regex} finds in {file}; {direction}"),
        Metric::File { file, regex: None, .. } => format!("the number in {file}; {direction}"),
    }
}

/// `place=local pin=on`: the levels of a point, without those of factors that have one only, and of those in `but`.
pub fn levels_but(tables: &GridTables, row: &GridRow, but: &[usize]) -> String {
    let named = tables.factors.iter().zip(&row.levels).enumerate();
    let named = named.filter(|(k, (factor, _))| !but.contains(k) && factor.levels.len() > 1);
    let names: Vec<String> = named.map(|(_, (factor, level))| format!("{}={level}", factor.name)).collect();
    names.join(" ")
}

/// A value of a figure that is not the metric.
pub fn other(unit: OtherUnit, value: f64) -> String {
    match unit {
        OtherUnit::Seconds => amount::value(&Metric::WallTime, value),
        OtherUnit::Bytes => Bytes(value.round() as u64).to_string(),
        OtherUnit::Joules => Microjoules((value * 1e6).round() as u64).to_string(),
        OtherUnit::OfProgram => amount::number(value),
    }
}

pub fn trials(shown: &ShownStudy<'_>) -> String {
    let tables = shown.tables;
    let ended = match tables.stopped {
        None => "; it can go on",
        Some(StopReason::Decided) => "",
        Some(StopReason::BudgetSpent) => "; the budget is spent",
        Some(StopReason::Interrupted) => "; interrupted, the same command goes on",
        Some(StopReason::TooManyFailures) => "; too many failed",
    };
    let failures: u32 = tables.rows.iter().map(|row| row.failures).sum();
    let failed = if failures == 0 { String::new() } else { format!(", {failures} of them failed") };
    format!(
        "{} at {}{failed}{ended}",
        many(u64::from(tables.trials), "trial"),
        many(tables.rows.len() as u64, "point")
    )
}

/// How often each point is run.
pub fn repeats(header: &StudyHeader) -> String {
    let least = many(u64::from(header.min_repeats), "repeat");
    match header.grid.as_ref().and_then(|grid| grid.until) {
        Some(UntilKnown { half_width, most_repeats }) => format!(
            "{least}, and up to {most_repeats} until half the 95 % interval of the median is within {}",
            Ratio(half_width).percent()
        ),
        None => least,
    }
}

/// What it comes to, in a line.
pub fn headline(shown: &ShownStudy<'_>) -> String {
    match &shown.tables.best {
        Reading::Measured(best) if best.is_sure => "best point".to_owned(),
        Reading::Measured(_) => "best point so far".to_owned(),
        Reading::Unavailable { .. } => "no result".to_owned(),
    }
}

/// The name of the best point, or why there is none.
pub fn best(shown: &ShownStudy<'_>) -> String {
    match &shown.tables.best {
        Reading::Measured(best) => best.point.to_string(),
        Reading::Unavailable { unavailable } => unavailable.0.to_string(),
    }
}

/// How good the best is, who comes near, and what does nearly as well for less.
pub fn sentence(shown: &ShownStudy<'_>) -> Option<String> {
    let tables = shown.tables;
    let best = tables.best.measured()?;
    let row = |point: &PointId| tables.rows.iter().find(|row| row.point == *point);
    let of = row(&best.point)?;
    let mut parts = vec![figure(shown, of)];
    parts.push(match best.rivals.as_slice() {
        [] if best.is_sure => "no other point comes near".to_owned(),
        [] => "there is nothing to compare it with".to_owned(),
        [one] => format!("not significantly different from {one}"),
        [one, more @ ..] => {
            format!("not significantly different from {one} and {}", many(more.len() as u64, "other point"))
        }
    });
    if let Some(cheapest) = &best.cheapest {
        parts.push(format!(
            "{} has {} of that with {} instead of {} threads",
            cheapest.point,
            share(cheapest.share),
            cheapest.workers,
            cheapest.of
        ));
    }
    Some(format!("{}.", crate::document::capital(&parts.join("; "))))
}

fn figure(shown: &ShownStudy<'_>, row: &GridRow) -> String {
    let median = amount::reading(&shown.study.header.metric, &row.median);
    let against = match row.speedup.measured() {
        Some(_) if row.point == shown.tables.baseline => "the baseline".to_owned(),
        Some(effect) => {
            format!("{} of {} ({} to {})", effect.ratio, shown.tables.baseline, effect.low, effect.high)
        }
        None => format!("speedup over {} not known", shown.tables.baseline),
    };
    format!("median {median}, {against}")
}

/// Whether a level is better or worse depends on the others.
pub fn depends(of: &LevelEffects) -> String {
    match of.depends {
        Some((low, high)) => format!("depends on the other factors: {low} to {high}"),
        None => String::new(),
    }
}

/// `0.12x (0.08x to 0.17x)`
pub fn spread(of: &SpreadChange) -> String {
    let Effect { ratio, low, high } = of.ratio;
    if ratio == low && ratio == high { ratio.to_string() } else { format!("{ratio} ({low} to {high})") }
}

/// Where more workers begin to bring less.
fn knee(of: &ScalingKnee) -> String {
    let reasons: Vec<String> = of.reasons.iter().map(used_up).collect();
    let why = match reasons.as_slice() {
        [] => "what of the machine is used up there is not known".to_owned(),
        all => all.join("; "),
    };
    format!(
        "up to {} threads twice as many are {} as fast, from there on {}: {why}",
        of.workers, of.before, of.after
    )
}

fn used_up(of: &UsedUp) -> String {
    match of {
        UsedUp::CoresOfNode(cores) => format!("the {cores} cores of a node have a thread each"),
        UsedUp::Cores(cores) => {
            format!("the {cores} cores have a thread each, and more threads share cores (SMT)")
        }
        UsedUp::Cpus(cpus) => format!("the {cpus} CPUs have a thread each, and more threads share CPUs"),
        UsedUp::MemoryBandwidth(cores) => format!(
            "about {} cores of a node read as much as all of its memory gives (numawise machine measure)",
            amount::number((cores * 10.0).round() / 10.0)
        ),
    }
}

/// What the laws say of a curve: whether they fit, and then what follows; and where it bends.
pub fn scaling(series: &ScalingSeries) -> Vec<String> {
    let at: Vec<String> = series.at.iter().map(|(name, level)| format!("{name}={level}")).collect();
    let at = if at.is_empty() { String::new() } else { format!("{}: ", at.join(" ")) };
    let amdahl = law(&series.amdahl, "Amdahl's law", |model| {
        let limit = model.limit.map_or_else(
            || "nothing limits the speedup".to_owned(),
            |limit| format!("at most {} as fast with any number of threads", Ratio(limit)),
        );
        format!("{} is serial, {limit}", share(model.contention))
    });
    let universal = law(&series.universal, "the universal scalability law", |model| {
        let peak = model.peak.map_or_else(
            || "no number of threads makes it slower".to_owned(),
            |peak| format!("slower again beyond {} threads", amount::number(peak.round())),
        );
        format!(
            "contention {}, coherency {}, {peak}",
            share(model.contention),
            amount::number(model.coherency.0)
        )
    });
    let knee = series.knee.as_ref().map(knee);
    knee.into_iter().chain([amdahl, universal]).map(|text| format!("{at}{text}")).collect()
}

fn law(of: &Reading<ScalingModel>, name: &str, says: impl FnOnce(&ScalingModel) -> String) -> String {
    match of {
        Reading::Measured(model) if model.fits => format!("{name} fits: {}", says(model)),
        Reading::Measured(model) => format!(
            "{name} does not describe it: off by {} at worst, more than repeats differ",
            share(Ratio(model.worst.0 - 1.0))
        ),
        Reading::Unavailable { unavailable } => format!("{name} is not known: {}", unavailable.0),
    }
}
