//! A study before its first trial.

use std::collections::HashSet;

use numawise_facts::{
    AroundTrials, FactorLevels, GridStudy, Point, PointId, PointRole, StudyHeader, notice::StudyNotice,
};

use super::{
    MOST_METRICS, MOST_METRICS_IN_WORDS, Sound, ensure, first_again, machine, moment, name, notices, span,
    text,
};

/// More tasks, or threads of a task, than this nobody plans; and their product fits into 32 bits.
const MOST: usize = 65_535;
const MOST_IN_WORDS: &str = "1 to 65535";
/// Tables and charts have a row for each point; the findings of a check look at every trial for every point.
const MOST_POINTS: usize = 1000;
const MOST_POINTS_OF_A_GRID: usize = 100_000;

pub fn header(header: &StudyHeader) -> Sound {
    let place = |part: &'static str| move || format!("study.header: {part}");
    name(&header.tool_version, place("tool_version"))?;
    moment(header.begun, place("begun"))?;
    span(header.budget, place("budget"))?;
    if let Some(start) = header.start_cost.measured() {
        span(*start, place("start_cost"))?;
    }
    ensure(!header.command.command.is_empty(), place("command.command"), "nothing", "a program")?;
    ensure(
        header.margin > 0.0 && header.margin < 1.0,
        place("margin"),
        header.margin,
        "a share above 0 and below 1",
    )?;
    ensure(
        (1..=1_000_000).contains(&header.min_repeats),
        place("min_repeats"),
        header.min_repeats,
        "1 to 1000000",
    )?;
    if let Some(regex) = header.metric.regex() {
        text(regex, place("metric"))?;
    }
    if let Some(file) = header.metric.file() {
        name(&file.0.to_string_lossy(), place("metric"))?;
    }
    machine(&header.machine, "study.header: machine")?;
    points(header)?;
    pairs(header)?;
    notices(&header.not_tried, place("not_tried"))?;
    header.grid.as_ref().map_or(Ok(()), |of| grid(of, header))?;
    header.not_tried.iter().try_for_each(|notice| match notice {
        numawise_facts::Notice::Study(StudyNotice::CannotBePlaced { point, .. }) => {
            name(&point.0, place("not_tried"))
        }
        _ => Ok(()),
    })
}

/// Each point has its run, and each run a level of each factor.
fn grid(grid: &GridStudy, header: &StudyHeader) -> Sound {
    let place = |part: &'static str| move || format!("study.header: grid.{part}");
    ensure(grid.factors.len() <= 64, place("factors"), grid.factors.len(), "at most 64 factors")?;
    for factor in &grid.factors {
        name(&factor.name, place("factors"))?;
        factor.levels.iter().try_for_each(|level| name(level, place("factors")))?;
    }
    let is_of_points = grid.runs.len() == header.points.len()
        && grid.runs.iter().zip(&header.points).all(|(run, point)| run.point == point.id);
    ensure(
        is_of_points,
        place("runs"),
        format_args!("{} runs", grid.runs.len()),
        "one for each point, in their order",
    )?;
    for template in &grid.templates {
        name(&template.file, place("templates"))?;
        text(&template.text, place("templates"))?;
    }
    ensure(
        grid.other_metrics.len() <= MOST_METRICS,
        place("other_metrics"),
        grid.other_metrics.len(),
        MOST_METRICS_IN_WORDS,
    )?;
    for other in &grid.other_metrics {
        name(&other.name, place("other_metrics"))?;
        text(other.metric.regex().unwrap_or_default(), place("other_metrics"))?;
    }
    name(grid.metric_name.as_deref().unwrap_or_default(), place("metric_name"))?;
    if let Some(until) = grid.until {
        let half = until.half_width;
        ensure(half > 0.0 && half < 1.0, place("until"), half, "a share above 0 and below 1")?;
    }
    if let Some(cores) = grid.saturating_cores {
        ensure(cores > 0.0 && cores < 1e6, place("saturating_cores"), cores, "a number of cores")?;
    }
    for line in around_texts(&grid.around) {
        text(line, place("around"))?;
    }
    if let Some(gap) = grid.around.gap {
        span(gap, place("around.gap"))?;
    }
    for run in &grid.runs {
        let has_level = |(level, factor): (&u32, &FactorLevels)| (*level as usize) < factor.levels.len();
        let levels = &run.levels;
        let is_sound = levels.len() == grid.factors.len() && levels.iter().zip(&grid.factors).all(has_level);
        ensure(is_sound, place("runs.levels"), format_args!("{levels:?}"), "a level of each factor")?;
        ensure(!run.command.command.is_empty(), place("runs.command"), "nothing", "a program")?;
        for (variable, value) in &run.environment {
            name(variable, place("runs.environment"))?;
            text(value, place("runs.environment"))?;
        }
    }
    grid.constraints.iter().try_for_each(|condition| text(condition, place("constraints")))
}

fn around_texts(around: &AroundTrials) -> impl Iterator<Item = &str> {
    let lines = [&around.setup, &around.prepare, &around.verify, &around.verify_output, &around.cleanup];
    lines.into_iter().flatten().map(String::as_str)
}

fn points(header: &StudyHeader) -> Sound {
    let points = &header.points;
    let place = || "study.header: points".to_owned();
    ensure(!points.is_empty(), place, "none", "at least the baseline")?;
    let (most, expected) = match header.grid {
        None => (MOST_POINTS, "at most 1000 points"),
        Some(_) => (MOST_POINTS_OF_A_GRID, "at most 100000 points"),
    };
    ensure(points.len() <= most, place, format_args!("{} points", points.len()), expected)?;
    if let Some(again) = first_again(points.iter().map(|point| &point.id)) {
        ensure(false, place, format_args!("'{again}' twice"), "each once")?;
    }
    let baselines = points.iter().filter(|point| point.role == PointRole::Baseline).count();
    ensure(baselines == 1, place, format_args!("{baselines} baselines"), "one")?;
    points.iter().enumerate().try_for_each(|(k, of)| point(of, k))
}

fn point(point: &Point, k: usize) -> Sound {
    let place = |part: &'static str| move || format!("study.header: points[{k}].{part}");
    name(&point.id.0, place("id"))?;
    ensure(!point.id.0.is_empty(), place("id"), "nothing", "a name")?;
    let levels = &point.levels;
    for (what, number) in [("levels.threads", levels.threads), ("levels.tasks", levels.tasks)] {
        ensure((1..=MOST).contains(&(number as usize)), place(what), number, MOST_IN_WORDS)?;
    }
    let tasks = &point.placement.tasks;
    ensure((1..=MOST).contains(&tasks.len()), place("placement.tasks"), tasks.len(), MOST_IN_WORDS)?;
    for task in tasks {
        ensure(
            task.threads.len() <= MOST,
            place("placement.tasks.threads"),
            task.threads.len(),
            MOST_IN_WORDS,
        )?;
    }
    for parameter in &levels.parameters {
        name(&parameter.name, place("levels.parameters"))?;
        name(&parameter.value, place("levels.parameters"))?;
    }
    notices(&point.placement.warnings, place("placement.warnings"))
}

fn pairs(header: &StudyHeader) -> Sound {
    let place = |k: usize, part: &'static str| move || format!("study.header: pairs[{k}].{part}");
    let points: HashSet<&PointId> = header.points.iter().map(|point| &point.id).collect();
    for (k, pair) in header.pairs.iter().enumerate() {
        for (part, point) in [("from", &pair.from), ("to", &pair.to)] {
            ensure(
                points.contains(point),
                place(k, part),
                format_args!("'{point}'"),
                "a point of the study",
            )?;
        }
        ensure(
            pair.from != pair.to,
            place(k, "to"),
            format_args!("'{}'", pair.to),
            "another point than from",
        )?;
    }
    let again = first_again(header.pairs.iter().map(|pair| (&pair.from, &pair.to)));
    match again {
        None => Ok(()),
        Some((from, to)) => ensure(
            false,
            || "study.header: pairs".to_owned(),
            format_args!("'{from}' and '{to}' twice"),
            "each pair once",
        ),
    }
}
