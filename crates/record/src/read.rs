//! From rows to nouns.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use numawise_facts::{
    Exit, HostNoise, Observation, Outcome, PointId, Reading, ResidencySample, ResourceUsage, SamplerCost,
    StopReason, Study, StudyHeader, ThreadObservation, Trial,
};
use numawise_units::{Bytes, CpuId, CpuSet, HostId, Nanoseconds, NodeId, Pid, Rank, Ratio};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::de::DeserializeOwned;

use crate::RecordError;

/// The study as it stands.
pub fn study(connection: &Connection, path: &Path, header: &StudyHeader) -> Result<Study, RecordError> {
    // One transaction, so that a trial that is being written is there as a whole or not at all.
    let transaction =
        connection.unchecked_transaction().map_err(|e| RecordError::sqlite(path, "read it", e))?;
    let stopped: Option<String> = transaction
        .query_row("SELECT stopped FROM study", [], |row| row.get(0))
        .map_err(|e| RecordError::sqlite(path, "read it", e))?;
    Ok(Study {
        header: header.clone(),
        trials: Reader::new(&transaction, path)?.trials(&transaction)?,
        stopped: stopped
            .map(|word| stop_reason(&word))
            .transpose()
            .map_err(|problem| RecordError::damaged(path, problem.to_string()))?,
    })
}

/// The study before its first trial.
pub fn header(connection: &Connection, path: &Path) -> Result<StudyHeader, RecordError> {
    let text: Option<String> = connection
        .query_row("SELECT header FROM study", [], |row| row.get(0))
        .optional()
        .map_err(|e| RecordError::sqlite(path, "read it", e))?;
    let text = text.ok_or_else(|| RecordError::damaged(path, "the table 'study' is empty"))?;
    serde_json::from_str(&text).map_err(|e| RecordError::damaged(path, format!("study.header: {e}")))
}

fn stop_reason(word: &str) -> Parsed<StopReason> {
    serde_json::from_value(word.into()).map_err(|e| RowProblem::column("study.stopped", e))
}

/// The other tables than `trials`, by the number of the trial.
struct Reader<'a> {
    path: &'a Path,
    values: HashMap<u32, Vec<f64>>,
    threads: HashMap<u32, Vec<ThreadObservation>>,
    pages: HashMap<u32, Vec<(NodeId, Bytes)>>,
}

/// What keeps a row from being a trial.
#[derive(Debug, thiserror::Error)]
enum RowProblem {
    #[error("{column}: {problem}")]
    Column { column: String, problem: String },
    #[error("it failed, and not with one of exit_code and exit_signal")]
    NoExit,
    #[error("status '{0}' is not known")]
    Status(String),
}

impl RowProblem {
    fn column(column: &str, problem: impl fmt::Display) -> Self {
        RowProblem::Column { column: column.to_owned(), problem: problem.to_string() }
    }
}

type Parsed<T> = Result<T, RowProblem>;

impl<'a> Reader<'a> {
    fn new(connection: &Connection, path: &'a Path) -> Result<Self, RecordError> {
        let read = || {
            let mut reader =
                Reader { path, values: HashMap::new(), threads: HashMap::new(), pages: HashMap::new() };
            let mut rows =
                connection.prepare("SELECT trial, value FROM trial_values ORDER BY trial, task")?;
            let mut rows = rows.query([])?;
            while let Some(row) = rows.next()? {
                // NULL is how SQLite keeps a value that is not a number.
                let value = row.get::<_, Option<f64>>(1)?.unwrap_or(f64::NAN);
                reader.values.entry(row.get(0)?).or_default().push(value);
            }
            let mut rows =
                connection.prepare("SELECT trial, node, bytes FROM pages ORDER BY trial, position")?;
            let mut rows = rows.query([])?;
            while let Some(row) = rows.next()? {
                let entry = (NodeId(row.get(1)?), Bytes(unsigned(row, "bytes")?));
                reader.pages.entry(row.get(0)?).or_default().push(entry);
            }
            reader.read_threads(connection)?;
            Ok(reader)
        };
        read().map_err(|e| RecordError::sqlite(path, "read it", e))
    }

    fn read_threads(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut times: HashMap<(u32, u32), Vec<(CpuId, Nanoseconds)>> = HashMap::new();
        let mut rows = connection
            .prepare("SELECT trial, thread, cpu, cpu_ns FROM thread_cpus ORDER BY trial, thread, position")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let entry = (CpuId(row.get(2)?), Nanoseconds(unsigned(row, "cpu_ns")?));
            times.entry((row.get(0)?, row.get(1)?)).or_default().push(entry);
        }
        let mut rows = connection.prepare("SELECT * FROM threads ORDER BY trial, thread")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let (trial, thread) = (row.get("trial")?, row.get("thread")?);
            let thread = ThreadObservation {
                pid: Pid(row.get("pid")?),
                tid: Pid(row.get("tid")?),
                name: row.get("name")?,
                cpu_time: Nanoseconds(unsigned(row, "cpu_ns")?),
                minor_faults: unsigned(row, "minor_faults")?,
                cpu_time_on: times.remove(&(trial, thread)).unwrap_or_default(),
                migrations: unsigned(row, "migrations")?,
                mask: mask(row)?,
            };
            self.threads.entry(trial).or_default().push(thread);
        }
        Ok(())
    }

    fn trials(mut self, connection: &Connection) -> Result<Vec<Trial>, RecordError> {
        let failed = |e| RecordError::sqlite(self.path, "read it", e);
        let mut statement = connection.prepare("SELECT * FROM trials ORDER BY number").map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut trials = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let number: u32 = row.get("number").map_err(failed)?;
            let (values, threads, pages) = (
                self.values.remove(&number).unwrap_or_default(),
                self.threads.remove(&number).unwrap_or_default(),
                self.pages.remove(&number).unwrap_or_default(),
            );
            let trial = trial(row, number, values, threads, pages);
            trials.push(
                trial.map_err(|problem| {
                    RecordError::damaged(self.path, format!("trial {number}: {problem}"))
                })?,
            );
        }
        Ok(trials)
    }
}

fn trial(
    row: &Row<'_>,
    number: u32,
    values: Vec<f64>,
    threads: Vec<ThreadObservation>,
    pages: Vec<(NodeId, Bytes)>,
) -> Parsed<Trial> {
    let columns = Columns { row, missing: json(row, "missing")? };
    Ok(Trial {
        number,
        block: columns.get("block")?,
        point: PointId(columns.get("point")?),
        started: Nanoseconds(columns.count("started_ns")?),
        wall: Nanoseconds(columns.count("wall_ns")?),
        outcome: outcome(&columns, values)?,
        observation: observation(&columns, threads, pages)?,
        disturbances: json(row, "disturbances")?,
    })
}

fn outcome(columns: &Columns<'_, '_>, per_task: Vec<f64>) -> Parsed<Outcome> {
    let output_tail =
        || Ok::<_, RowProblem>(columns.get::<Option<String>>("output_tail")?.unwrap_or_default());
    match columns.get::<String>("status")?.as_str() {
        "measured" => Ok(Outcome::Measured { per_task }),
        "failed" => {
            let exit = match (columns.get("exit_code")?, columns.get("exit_signal")?) {
                (Some(code), None) => Exit::Code(code),
                (None, Some(signal)) => Exit::Signal(signal),
                _ => return Err(RowProblem::NoExit),
            };
            Ok(Outcome::Failed { exit, output_tail: output_tail()? })
        }
        "no_metric" => {
            Ok(Outcome::NoMetric { problem: json(columns.row, "problem")?, output_tail: output_tail()? })
        }
        other => Err(RowProblem::Status(other.to_owned())),
    }
}

fn observation(
    columns: &Columns<'_, '_>,
    threads: Vec<ThreadObservation>,
    pages: Vec<(NodeId, Bytes)>,
) -> Parsed<Reading<Observation>> {
    if let Some(reason) = columns.missing.get("observation") {
        return Ok(Reading::unavailable(reason.clone()));
    }
    let c = columns;
    let sample = |method: String| {
        Ok::<_, RowProblem>(ResidencySample {
            by_node: pages,
            memory: c.reading("pages_memory", || json(c.row, "pages_memory"))?,
            method,
            pages_seen: c.count("pages_seen")?,
            at: Nanoseconds(c.count("pages_at_ns")?),
        })
    };
    Ok(Reading::Measured(Observation {
        host: c.reading("host", || {
            HostId::new(c.get::<String>("host")?).ok_or_else(|| RowProblem::column("host", "it is empty"))
        })?,
        rank: c.reading("rank", || Ok(Rank(c.get("rank")?)))?,
        usage: ResourceUsage {
            user: Nanoseconds(c.count("user_ns")?),
            system: Nanoseconds(c.count("system_ns")?),
            peak_memory: c.reading("peak_memory_bytes", || Ok(Bytes(c.count("peak_memory_bytes")?)))?,
            minor_faults: c.reading("minor_faults", || c.count("minor_faults"))?,
            major_faults: c.reading("major_faults", || c.count("major_faults"))?,
            voluntary_switches: c.reading("voluntary_switches", || c.count("voluntary_switches"))?,
            involuntary_switches: c.reading("involuntary_switches", || c.count("involuntary_switches"))?,
        },
        migrations: c.reading("migrations", || c.count("migrations"))?,
        run_delay: c.reading("run_delay_ns", || Ok(Nanoseconds(c.count("run_delay_ns")?)))?,
        threads: c.reading("threads", || Ok(threads))?,
        pages: c.reading("pages", || sample(c.get("pages_method")?))?,
        noise: HostNoise {
            steal: c.reading("steal", || Ok(Ratio(c.get("steal")?)))?,
            other_load: c.reading("other_load", || Ok(Ratio(c.get("other_load")?)))?,
        },
        sampler: SamplerCost {
            samples: c.count("sampler_samples")?,
            cpu_time: Nanoseconds(c.count("sampler_cpu_ns")?),
            span: Nanoseconds(c.count("sampler_span_ns")?),
        },
    }))
}

/// A row with the reasons for its NULLs.
struct Columns<'r, 's> {
    row: &'r Row<'s>,
    missing: HashMap<String, String>,
}

impl Columns<'_, '_> {
    fn get<T: rusqlite::types::FromSql>(&self, column: &str) -> Parsed<T> {
        self.row.get(column).map_err(|e| RowProblem::column(column, e))
    }

    fn count(&self, column: &str) -> Parsed<u64> {
        unsigned(self.row, column).map_err(|e| RowProblem::column(column, e))
    }

    /// The reason why it is missing, or the value.
    fn reading<T>(&self, column: &str, value: impl FnOnce() -> Parsed<T>) -> Parsed<Reading<T>> {
        match self.missing.get(column) {
            Some(reason) => Ok(Reading::unavailable(reason.clone())),
            None => value().map(Reading::Measured),
        }
    }
}

/// The counterpart of the signed integers that are written.
fn unsigned(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Parsed<T> {
    let text: String = row.get(column).map_err(|e| RowProblem::column(column, e))?;
    serde_json::from_str(&text).map_err(|e| RowProblem::column(column, e))
}

fn mask(row: &Row<'_>) -> rusqlite::Result<Reading<CpuSet>> {
    let Some(list) = row.get::<_, Option<String>>("mask")? else {
        let reason: Option<String> = row.get("mask_missing")?;
        return Ok(Reading::unavailable(reason.unwrap_or_else(|| "not recorded".to_owned())));
    };
    // A mask that cannot be read is as bad as a number that cannot.
    CpuSet::from_str(&list)
        .map(Reading::Measured)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(e)))
}
