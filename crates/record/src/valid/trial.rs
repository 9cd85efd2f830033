//! Trials, and what was seen of them.

use std::collections::HashSet;

use numawise_facts::{
    CpuFrequency, Disturbance, EndedBy, Exit, MemoryEvents, Metric, MetricFileProblem, MetricProblem,
    Observation, OtherValue, Outcome, PointId, Reading, ResidencySample, Study, StudyHeader,
    ThreadObservation, Trial,
};
use numawise_units::{Bytes, Hertz, Nanoseconds};

use super::look::memory;
use super::{
    LONGEST, MOST_METRICS, MOST_METRICS_IN_WORDS, Sound, bytes, count, ensure, figure, first_again, moment,
    name, share, span, text,
};

/// Trials times points of a check: whoever analyses it looks at every trial for every point.
const MOST_TRIALS_BY_POINTS: usize = 20_000_000;
/// Blocks times points: a table of them is made.
const MOST_BLOCKS_BY_POINTS: usize = 20_000_000;

const TRIALS: &str = "trials";
const LINE_TRIALS: &str = "line_trials";

/// The trials of a study, in their order.
pub fn study(study: &Study) -> Sound {
    let (trials, points) = (study.trials.len(), study.header.points.len());
    in_order(TRIALS, &study.trials)?;
    let blocks = study.trials.iter().map(|trial| trial.block as usize).max().unwrap_or(0);
    ensure(
        blocks.saturating_mul(points) <= MOST_BLOCKS_BY_POINTS,
        || "trials".to_owned(),
        format_args!("{blocks} blocks of {points} points"),
        "at most 20000000 blocks times points",
    )?;
    ensure(
        study.header.grid.is_some() || trials.saturating_mul(points) <= MOST_TRIALS_BY_POINTS,
        || "trials".to_owned(),
        format_args!("{trials} trials of {points} points"),
        "at most 20000000 trials times points",
    )?;
    let points: HashSet<&PointId> = study.header.points.iter().map(|point| &point.id).collect();
    for trial in &study.trials {
        ensure(
            points.contains(&trial.point),
            || format!("trials: row {}, point", trial.number),
            format_args!("'{}'", trial.point),
            "a point of the study",
        )?;
        self::trial(&study.header, trial)?;
        shares(TRIALS, trial)?;
    }
    Ok(())
}

/// The runs of printed lines, in their order.
pub fn line_trials(header: &StudyHeader, trials: &[Trial]) -> Sound {
    in_order(LINE_TRIALS, trials)?;
    trials.iter().try_for_each(|trial| {
        line_trial(header, trial)?;
        shares(LINE_TRIALS, trial)
    })
}

/// Numbers that ascend, and blocks that follow one another.
fn in_order(table: &'static str, trials: &[Trial]) -> Sound {
    let mut before: Option<&Trial> = None;
    for (k, trial) in trials.iter().enumerate() {
        let place = |column: &'static str| move || format!("{table}: row {}, {column}", trial.number);
        ensure(
            before.is_none_or(|before| before.number < trial.number),
            place("number"),
            trial.number,
            "numbers in ascending order",
        )?;
        // A block has a trial at least, so that there are not more of them than trials; one trial may have been lost.
        let follows = trial.block as usize <= k + 2;
        ensure(follows, place("block"), trial.block, "blocks that follow one another")?;
        before = Some(trial);
    }
    Ok(())
}

/// A metric that is a run time, in seconds, is bounded as every span is.
fn run_time(table: &'static str, header: &StudyHeader, trial: &Trial) -> Sound {
    let (Metric::WallTime, Outcome::Measured { per_task }) = (&header.metric, &trial.outcome) else {
        return Ok(());
    };
    let longest = per_task.iter().copied().fold(0.0, f64::max);
    ensure(
        longest <= LONGEST.seconds(),
        || place_of_value(table, trial.number),
        format_args!("{longest} s"),
        "a run time of at most ten years",
    )
}

/// The noise of a trial. What is no share is written as missing.
fn shares(table: &'static str, trial: &Trial) -> Sound {
    let place = |column: &'static str| move || format!("{table}: row {}, {column}", trial.number);
    for disturbance in &trial.disturbances {
        match disturbance {
            Disturbance::Steal(of) | Disturbance::OtherLoad(of) | Disturbance::Watching(of) => {
                share(*of, place("disturbances"))?
            }
            Disturbance::Stopped(time) | Disturbance::WatcherStopped(time) | Disturbance::Suspended(time) => {
                span(*time, place("disturbances"))?;
            }
            Disturbance::ClockSet(by) => moment(*by, place("disturbances"))?,
        }
    }
    let Some(noise) = trial.observation.measured().map(|observation| &observation.noise) else {
        return Ok(());
    };
    for (column, of) in [("steal", &noise.steal), ("other_load", &noise.other_load)] {
        share(of.measured().map_or(0.0, |of| of.0), place(column))?;
    }
    Ok(())
}

/// Where the metric of a trial stands.
fn place_of_value(table: &'static str, row: u32) -> String {
    if table == TRIALS {
        format!("trial_values: trial {row}, value")
    } else {
        format!("{table}: row {row}, value")
    }
}

/// One trial by itself.
pub fn trial(header: &StudyHeader, trial: &Trial) -> Sound {
    in_table(TRIALS, header, trial)
}

/// One run of a printed line by itself: a trial of one task.
pub fn line_trial(header: &StudyHeader, trial: &Trial) -> Sound {
    if let Outcome::Measured { per_task } = &trial.outcome {
        let place = || place_of_value(LINE_TRIALS, trial.number);
        ensure(per_task.len() == 1, place, format_args!("{} values", per_task.len()), "one value")?;
    }
    in_table(LINE_TRIALS, header, trial)
}

fn in_table(table: &'static str, header: &StudyHeader, trial: &Trial) -> Sound {
    let row = trial.number;
    let place = |column: &'static str| move || format!("{table}: row {row}, {column}");
    ensure(row < u32::MAX, place("number"), row, "fewer trials")?;
    name(&trial.point.0, place("point"))?;
    moment(trial.started, place("started_ns"))?;
    span(trial.wall, place("wall_ns"))?;
    outcome(table, &trial.outcome, row)?;
    run_time(table, header, trial)?;
    if let Some(left) = &trial.left_behind {
        count(left.processes, place("left_behind"))?;
        ensure(left.names.len() <= 64, place("left_behind"), left.names.len(), "at most 64 names")?;
        left.names.iter().try_for_each(|left| name(left, place("left_behind")))?;
    }
    let others = &trial.other_values;
    ensure(others.len() <= MOST_METRICS, place("other_values"), others.len(), MOST_METRICS_IN_WORDS)?;
    for value in others {
        let values = match value {
            OtherValue::PerTask(values) => values.as_slice(),
            OtherValue::Missing(_) => &[],
        };
        let wrong = values.iter().find(|value| !Metric::VALUES.contains(value));
        ensure(
            wrong.is_none(),
            place("other_values"),
            wrong.copied().unwrap_or_default(),
            "a number above 0, from 1e-30 to 1e30",
        )?;
    }
    match &trial.observation {
        Reading::Unavailable { unavailable } => text(&unavailable.0, place("missing")),
        Reading::Measured(observation) => self::observation(observation, trial.wall, row),
    }
}

fn outcome(table: &'static str, outcome: &Outcome, row: u32) -> Sound {
    let place = |column: &'static str| move || format!("{table}: row {row}, {column}");
    match outcome {
        Outcome::Measured { per_task } => {
            let values = || place_of_value(table, row);
            ensure(!per_task.is_empty(), values, "none", "a value for each task")?;
            let wrong = per_task.iter().find(|value| !Metric::VALUES.contains(value));
            ensure(
                wrong.is_none(),
                values,
                wrong.copied().unwrap_or_default(),
                "a number above 0, from 1e-30 to 1e30",
            )
        }
        Outcome::Failed { failure, output_tail } => {
            text(output_tail, place("output_tail"))?;
            if let Some(EndedBy::Slurm { node, state, reason }) = &failure.ended_by {
                [node, state, reason].into_iter().try_for_each(|said| text(said, place("problem")))?;
            }
            match failure.exit {
                Exit::Code(code) => {
                    ensure(code != 0, place("exit_code"), code, "another status than that of success")
                }
                Exit::Signal(signal) => {
                    ensure((1..=127).contains(&signal), place("exit_signal"), signal, "1 to 127")
                }
            }
        }
        Outcome::NoMetric { problem, output_tail } => {
            use MetricFileProblem::Unreadable;
            if let MetricProblem::NotANumber { text: said }
            | MetricProblem::File(Unreadable { problem: said }) = problem
            {
                text(said, place("problem"))?;
            }
            text(output_tail, place("output_tail"))
        }
    }
}

fn observation(of: &Observation, wall: Nanoseconds, row: u32) -> Sound {
    let place = |column: &'static str| move || format!("trials: row {row}, {column}");
    let libraries = of.mpi_libraries.measured().map(Vec::as_slice).unwrap_or_default();
    ensure(libraries.len() <= 64, place("mpi_libraries"), libraries.len(), "at most 64 names")?;
    libraries.iter().try_for_each(|library| name(library, place("mpi_libraries")))?;
    let usage = &of.usage;
    usage.numbers().iter().try_for_each(|one| figure(one, place(one.column)))?;
    let most = Nanoseconds((wall + Nanoseconds(60_000_000_000)).0.saturating_mul(8192));
    for (column, time) in [("user_ns", &usage.user), ("system_ns", &usage.system)] {
        let time = time.measured().copied().unwrap_or_default();
        ensure(
            time <= most,
            place(column),
            format_args!("{} ns", time.0),
            "no more than 8192 CPUs give in the time of the trial",
        )?;
    }
    for (column, number) in [("migrations", &of.migrations), ("several_ready", &of.several_ready)] {
        count(number.measured().copied().unwrap_or_default(), place(column))?;
    }
    moment(of.run_delay.measured().copied().unwrap_or_default(), place("run_delay_ns"))?;
    let busy = of.noise.busy_cpus.measured().into_iter().flatten();
    busy.clone().try_for_each(|(_, time)| span(*time, place("busy_cpus")))?;
    let again =
        first_again(busy.map(|(cpu, _)| cpu)).map_or_else(String::new, |cpu| format!("CPU {cpu} twice"));
    ensure(again.is_empty(), place("busy_cpus"), again, "each CPU once")?;
    memory_events(&of.memory_events, row)?;
    count(of.energy.measured().map_or(0, |energy| energy.0), place("energy_uj"))?;
    frequency(of.frequency.measured().map_or(&[], |seen| &seen.0), row)?;
    count(of.sampler.samples, place("sampler_samples"))?;
    span(of.sampler.span, place("sampler_span_ns"))?;
    // The time of a thread is counted in ticks, or by another clock than the span.
    let own = of.sampler.span + Nanoseconds(of.sampler.span.0 / 10 + 20_000_000);
    let watching = format_args!("{} ns in {} ns", of.sampler.cpu_time.0, of.sampler.span.0).to_string();
    ensure(
        of.sampler.cpu_time <= own,
        place("sampler_cpu_ns"),
        watching,
        "no more than the time that watching lasted",
    )?;
    for (k, thread) in of.threads.measured().into_iter().flatten().enumerate() {
        self::thread(thread, row, k)?;
    }
    of.pages.measured().map_or(Ok(()), |pages| self::pages(pages, row))
}

fn frequency(of: &[CpuFrequency], row: u32) -> Sound {
    let place = || format!("trials: row {row}, frequency");
    for one in of {
        count(one.samples, place)?;
        let CpuFrequency { cpu, samples, mean, least, most } = one;
        ensure(
            *samples > 0 && Hertz(0) < *least && least <= mean && mean <= most,
            place,
            format_args!("CPU {cpu}: {samples} samples, {} Hz in {} to {} Hz", mean.0, least.0, most.0),
            "one sample at least, and a mean between the least and the most",
        )?;
        let found = format_args!("{} Hz", most.0).to_string();
        ensure(*most <= Hertz::FASTEST, place, found, "at most 100 GHz")?;
    }
    let disorder = of.windows(2).find(|pair| pair[0].cpu >= pair[1].cpu);
    let disorder =
        disorder.map_or_else(String::new, |pair| format!("CPU {} before CPU {}", pair[0].cpu, pair[1].cpu));
    ensure(disorder.is_empty(), place, disorder, "each CPU once, in ascending order")
}

fn memory_events(of: &MemoryEvents, row: u32) -> Sound {
    let place = || format!("trials: row {row}, memory_events");
    let flows = [&of.moved, &of.huge_pages, &of.swapped_in, &of.swapped_out];
    let flows = flows.into_iter().filter_map(|bytes| Some(bytes.measured()?.0));
    let counts =
        [&of.hint_faults, &of.node_reclaims].into_iter().filter_map(|count| count.measured().copied());
    let turned_away = of.turned_away.measured().into_iter().flatten();
    let all = flows.chain(counts).chain(turned_away.clone().map(|(_, bytes)| bytes.0));
    all.into_iter().try_for_each(|number| count(number, place))?;
    let again = first_again(turned_away.map(|(node, _)| node))
        .map_or_else(String::new, |node| format!("node {node} twice"));
    ensure(again.is_empty(), place, again, "each node once")?;
    bytes(of.swapped.measured().copied().unwrap_or_default(), place)
}

fn thread(thread: &ThreadObservation, row: u32, k: usize) -> Sound {
    let place = |column: &'static str| move || format!("threads: trial {row}, thread {k}, {column}");
    name(&thread.name, place("name"))?;
    ensure(thread.pid.0 >= 0, place("pid"), thread.pid, "a number from 0")?;
    ensure(thread.tid.0 >= 0, place("tid"), thread.tid, "a number from 0")?;
    span(thread.cpu_time, place("cpu_ns"))?;
    count(thread.minor_faults, place("minor_faults"))?;
    count(thread.migrations, place("migrations"))?;
    count(thread.ready_with_others, place("ready_with_others"))?;
    thread
        .cpu_time_on
        .iter()
        .try_for_each(|(_, time)| span(*time, || format!("thread_cpus: trial {row}, thread {k}, cpu_ns")))
}

fn pages(pages: &ResidencySample, row: u32) -> Sound {
    let place = |column: &'static str| move || format!("trials: row {row}, {column}");
    name(&pages.method, place("pages_method"))?;
    count(pages.pages_seen, place("pages_seen"))?;
    span(pages.at, place("pages_at_ns"))?;
    let all: Bytes = pages.by_node.iter().map(|(_, bytes)| *bytes).sum();
    bytes(all, || format!("pages: trial {row}, bytes of all nodes"))?;
    let shared = pages.shared.measured().into_iter().flatten();
    bytes(shared.clone().map(|(_, bytes)| *bytes).sum(), place("pages_shared"))?;
    let again = first_again(shared.map(|(node, _)| node));
    let again = again.map_or_else(String::new, |node| format!("node {node} twice"));
    ensure(again.is_empty(), place("pages_shared"), again, "each node once")?;
    pages.memory.measured().map_or(Ok(()), |of| memory(of, place("pages_memory")))
}
