//! From nouns to rows.

use std::collections::BTreeMap;

use numawise_facts::{
    Disturbance, Exit, Machine, Metric, Observation, Outcome, Point, Reading, Reason, StudyHeader,
    ThreadBinding, Trial,
};
use numawise_units::{Nanoseconds, Ratio};
use rusqlite::types::Value;
use rusqlite::{Transaction, params, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{RecordError, stored};

/// Refuses what we could not read again: a path that is not UTF-8, a margin that is not a number.
pub fn storable<T: Serialize + DeserializeOwned + PartialEq>(header: &T) -> Result<(), RecordError> {
    let unstorable = |problem: String| Err(RecordError::Unstorable(problem));
    let text = match serde_json::to_string(header) {
        Ok(text) => text,
        Err(error) => return unstorable(error.to_string()),
    };
    // With the bounds of reading: what would not be read again is not written.
    match stored::json::<T>(&text) {
        Ok(again) if again == *header => Ok(()),
        Ok(_) => unstorable("some value changes when it is written and read again".to_owned()),
        Err(error) => unstorable(error.to_string()),
    }
}

/// The same of a study, which may have too many points.
pub fn storable_study(header: &StudyHeader) -> Result<(), RecordError> {
    /// What is refused of fewer is not their number.
    const MANY: usize = 1000;
    storable(header).map_err(|error| match error {
        RecordError::Unstorable(problem) if header.points.len() > MANY => {
            RecordError::TooManyPoints { points: header.points.len(), problem }
        }
        other => other,
    })
}

/// The rows that repeat the header, and the header.
pub fn header(transaction: &Transaction<'_>, header: &StudyHeader) -> rusqlite::Result<()> {
    let metric = match &header.metric {
        Metric::WallTime => "wall_time".to_owned(),
        Metric::Output { regex, .. } => regex.clone(),
        Metric::File { file, regex, .. } => format!("{} in {file}", regex.as_deref().unwrap_or("the number")),
    };
    transaction.execute(
        "INSERT INTO study VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, NULL, NULL, NULL, ?14)",
        params![
            header.tool_version,
            integer(header.begun.0),
            header.command.shell_line(),
            header.command.directory.to_string_lossy(),
            header.host.hostname.measured(),
            header.host.kernel.measured(),
            header.host.cpu_model.measured(),
            metric,
            header.metric.higher_is_better(),
            header.seed.to_string(),
            header.min_repeats,
            header.margin,
            integer(header.budget.0),
            json(header)?,
        ],
    )?;
    machine(transaction, &header.machine)?;
    for (position, point) in header.points.iter().enumerate() {
        insert_point(transaction, position, point)?;
    }
    Ok(())
}

/// The same of a study with more points than it had.
pub fn widened(transaction: &Transaction<'_>, header: &StudyHeader) -> rusqlite::Result<()> {
    transaction.execute(
        "UPDATE study SET min_repeats = ?1, header = ?2",
        params![header.min_repeats, json(header)?],
    )?;
    for (position, point) in header.points.iter().enumerate() {
        let known = transaction.execute(
            "UPDATE points SET position = ?2, role = ?3 WHERE point = ?1",
            params![point.id.0, position as i64, word(&point.role)],
        )?;
        if known == 0 {
            insert_point(transaction, position, point)?;
        }
    }
    Ok(())
}

/// What people ask for of a machine that is kept as JSON.
pub fn machine(transaction: &Transaction<'_>, machine: &Machine) -> rusqlite::Result<()> {
    for node in &machine.nodes {
        let memory = node.memory.measured().map(|bytes| integer(bytes.0));
        transaction.execute(
            "INSERT OR IGNORE INTO nodes VALUES (?1, ?2, ?3, ?4)",
            params![node.id.0, node.kind.to_string(), memory, node.cpus.to_string()],
        )?;
    }
    for cpu in &machine.cpus {
        transaction.execute(
            "INSERT OR IGNORE INTO cpus VALUES (?1, ?2, ?3, ?4, ?5)",
            params![cpu.id.0, cpu.node.map(|node| node.0), cpu.package, cpu.core, cpu.smt],
        )?;
    }
    Ok(())
}

fn insert_point(transaction: &Transaction<'_>, position: usize, point: &Point) -> rusqlite::Result<()> {
    transaction
        .execute(
            "INSERT INTO points VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                point.id.0,
                position as i64,
                word(&point.role),
                point.levels.tasks,
                point.levels.threads,
                point.levels.placement.strategy.to_string(),
                point.levels.placement.nodes.as_ref().map(ToString::to_string),
                point.levels.pin == ThreadBinding::Pinned,
                point.levels.memory.to_string(),
                json(&point.levels.parameters)?,
                point.placement.cpus().to_string(),
            ],
        )
        .map(drop)
}

pub fn insert(transaction: &Transaction<'_>, trial: &Trial) -> rusqlite::Result<()> {
    let mut missing = Missing::default();
    let mut row: Vec<Value> = vec![
        trial.number.into(),
        trial.block.into(),
        trial.point.0.clone().into(),
        integer(trial.started.0).into(),
        integer(trial.wall.0).into(),
    ];
    row.extend(outcome_columns(&trial.outcome)?);
    row.extend(observation_columns(&trial.observation, &mut missing)?);
    let disturbances: Vec<&Disturbance> = trial.disturbances.iter().filter(|d| is_share(d)).collect();
    row.push(json(&disturbances)?.into());
    row.push(json(&missing.0)?.into());
    row.push(trial.left_behind.as_ref().map(json).transpose()?.into());
    row.push(json(&trial.other_values)?.into());

    let marks = vec!["?"; row.len()].join(", ");
    transaction
        .prepare_cached(&format!("INSERT INTO trials VALUES ({marks})"))?
        .execute(params_from_iter(row))?;
    if let Outcome::Measured { per_task } = &trial.outcome {
        let mut insert = transaction.prepare_cached("INSERT INTO trial_values VALUES (?1, ?2, ?3)")?;
        for (task, value) in per_task.iter().enumerate() {
            insert.execute(params![trial.number, task as i64, value])?;
        }
    }
    if let Some(observation) = trial.observation.measured() {
        insert_threads(transaction, trial.number, observation)?;
        insert_pages(transaction, trial.number, observation)?;
    }
    Ok(())
}

/// A disturbance that is not a share says nothing.
pub fn is_share(disturbance: &Disturbance) -> bool {
    match disturbance {
        Disturbance::Steal(share) | Disturbance::OtherLoad(share) | Disturbance::Watching(share) => {
            (0.0..=1.0).contains(share)
        }
        Disturbance::Stopped(_)
        | Disturbance::WatcherStopped(_)
        | Disturbance::Suspended(_)
        | Disturbance::ClockSet(_) => true,
    }
}

/// `status` to `output_tail`.
pub fn outcome_columns(outcome: &Outcome) -> rusqlite::Result<[Value; 5]> {
    let text = |text: &str| Value::Text(text.to_owned());
    let status = text(outcome.word());
    Ok(match outcome {
        Outcome::Measured { .. } => [status, Value::Null, Value::Null, Value::Null, Value::Null],
        Outcome::Failed { failure, output_tail } => {
            let (code, signal) = match failure.exit {
                Exit::Code(code) => (code.into(), Value::Null),
                Exit::Signal(signal) => (Value::Null, signal.into()),
            };
            let ended_by = failure.ended_by.as_ref().map(json).transpose()?;
            [status, code, signal, ended_by.map_or(Value::Null, Value::from), text(output_tail)]
        }
        Outcome::NoMetric { problem, output_tail } => {
            [status, Value::Null, Value::Null, json(problem)?.into(), text(output_tail)]
        }
    })
}

/// `host` to `sampler_span_ns`.
fn observation_columns(
    observation: &Reading<Observation>,
    missing: &mut Missing,
) -> rusqlite::Result<Vec<Value>> {
    let o = match observation {
        Reading::Measured(observation) => observation,
        Reading::Unavailable { unavailable } => {
            missing.note("observation", unavailable);
            return Ok(vec![Value::Null; 27]);
        }
    };
    let ns = |span: Nanoseconds| Value::Integer(integer(span.0));
    if let Some(reason) = o.threads.reason() {
        missing.note("threads", reason);
    }
    let pages = match &o.pages {
        Reading::Measured(residency) => {
            let memory = missing.json("pages_memory", &residency.memory)?;
            let shared = missing.json("pages_shared", &residency.shared)?;
            let (seen, at) = (integer(residency.pages_seen).into(), ns(residency.at));
            [residency.method.clone().into(), seen, at, shared, memory]
        }
        Reading::Unavailable { unavailable } => {
            missing.note("pages", unavailable);
            [const { Value::Null }; 5]
        }
    };
    let mut columns = vec![
        missing.or_value("host", &o.host, |host| host.as_str().to_owned().into()),
        missing.or_value("rank", &o.rank, |rank| rank.0.into()),
        missing.json("mpi_libraries", &o.mpi_libraries)?,
    ];
    columns.extend(o.usage.numbers().iter().map(|one| missing.count(one.column, &one.value)));
    columns.extend([
        missing.count("migrations", &o.migrations),
        missing.or_value("run_delay_ns", &o.run_delay, |span| ns(*span)),
        missing.count("several_ready", &o.several_ready),
        missing.share("steal", &o.noise.steal),
        missing.share("other_load", &o.noise.other_load),
    ]);
    columns.push(missing.json("busy_cpus", &o.noise.busy_cpus)?);
    columns.push(json(&o.memory_events)?.into());
    columns.push(missing.json("frequency", &o.frequency)?);
    columns.push(missing.or_value("energy_uj", &o.energy, |energy| integer(energy.0).into()));
    columns.extend(pages);
    columns.extend([integer(o.sampler.samples).into(), ns(o.sampler.cpu_time), ns(o.sampler.span)]);
    Ok(columns)
}

fn insert_threads(
    transaction: &Transaction<'_>,
    trial: u32,
    observation: &Observation,
) -> rusqlite::Result<()> {
    let Some(threads) = observation.threads.measured() else {
        return Ok(());
    };
    let mut thread_row = transaction
        .prepare_cached("INSERT INTO threads VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")?;
    let mut cpu_row = transaction.prepare_cached("INSERT INTO thread_cpus VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (k, thread) in threads.iter().enumerate() {
        thread_row.execute(params![
            trial,
            k as i64,
            thread.pid.0,
            thread.tid.0,
            thread.name,
            integer(thread.cpu_time.0),
            integer(thread.minor_faults),
            integer(thread.migrations),
            integer(thread.ready_with_others),
            thread.mask.measured().map(ToString::to_string),
            thread.mask.reason().map(ToString::to_string),
        ])?;
        for (position, (cpu, time)) in thread.cpu_time_on.iter().enumerate() {
            cpu_row.execute(params![trial, k as i64, position as i64, cpu.0, integer(time.0)])?;
        }
    }
    Ok(())
}

fn insert_pages(
    transaction: &Transaction<'_>,
    trial: u32,
    observation: &Observation,
) -> rusqlite::Result<()> {
    let Some(residency) = observation.pages.measured() else {
        return Ok(());
    };
    let mut row = transaction.prepare_cached("INSERT INTO pages VALUES (?1, ?2, ?3, ?4)")?;
    for (position, (node, bytes)) in residency.by_node.iter().enumerate() {
        row.execute(params![trial, position as i64, node.0, integer(bytes.0)])?;
    }
    Ok(())
}

/// Why columns are NULL, by the name of the column.
#[derive(Default)]
struct Missing(BTreeMap<&'static str, Reason>);

impl Missing {
    fn note(&mut self, column: &'static str, reason: &Reason) {
        self.0.insert(column, reason.clone());
    }

    fn or_value<T>(
        &mut self,
        column: &'static str,
        reading: &Reading<T>,
        value: impl Fn(&T) -> Value,
    ) -> Value {
        match reading {
            Reading::Measured(measured) => value(measured),
            Reading::Unavailable { unavailable } => {
                self.note(column, unavailable);
                Value::Null
            }
        }
    }

    fn json<T: Serialize>(&mut self, column: &'static str, reading: &Reading<T>) -> rusqlite::Result<Value> {
        match reading {
            Reading::Measured(value) => Ok(json(value)?.into()),
            Reading::Unavailable { unavailable } => {
                self.note(column, unavailable);
                Ok(Value::Null)
            }
        }
    }

    fn count(&mut self, column: &'static str, reading: &Reading<u64>) -> Value {
        self.or_value(column, reading, |count| integer(*count).into())
    }

    fn share(&mut self, column: &'static str, reading: &Reading<Ratio>) -> Value {
        match reading {
            Reading::Measured(share) if !(0.0..=1.0).contains(&share.0) => {
                let reason = format!("found {}, expected a share from 0 to 1", share.0);
                self.note(column, &Reason(reason.into()));
                Value::Null
            }
            _ => self.or_value(column, reading, |share| share.0.into()),
        }
    }
}

/// SQLite's integers are signed: above 2^63 (292 years in nanoseconds, 8 EiB) they show as negative, and come back whole.
pub fn integer(value: u64) -> i64 {
    value.cast_signed()
}

/// The name of a variant as serde writes it.
pub fn word<T: Serialize>(value: &T) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}

pub fn json<T: Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}
