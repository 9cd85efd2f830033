//! From rows to nouns.

use std::collections::HashMap;
use std::path::Path;

use numawise_facts::{
    Exit, HostNoise, LeftProcesses, Observation, Outcome, PointId, Reading, ResidencySample, ResourceUsage,
    SamplerCost, StopReason, Study, StudyHeader, ThreadObservation, Trial, TrialFailure,
};
use numawise_units::{Bytes, CpuId, HostId, Microjoules, Nanoseconds, NodeId, Pid, Rank, Ratio};
use rusqlite::{Connection, OptionalExtension};

use crate::cell::{Cells, ColumnPlaces, Parsed, RowError};
use crate::{RecordError, valid};

/// The study as it stands, without its lines.
pub fn study(connection: &Connection, path: &Path, header: &StudyHeader) -> Result<Study, RecordError> {
    read_study(connection, header).map_err(|error| damage(path, error))
}

fn read_study(connection: &Connection, header: &StudyHeader) -> Parsed<Study> {
    // One transaction, so that a trial that is being written is there as a whole or not at all.
    let transaction = connection.unchecked_transaction()?;
    let mut query = transaction.prepare("SELECT id, stopped FROM study")?;
    let mut rows = query.query([])?;
    let stopped = match rows.next()? {
        Some(row) => {
            let cells = Cells::of("study", row);
            self::stopped(cells, "stopped")?
        }
        None => None,
    };
    let trials = Tables::read(&transaction)?.trials(&transaction)?;
    let study = Study { header: header.clone(), trials, stopped, lines: None, objects: None };
    valid::study(&study)?;
    Ok(study)
}

/// Why measuring ended.
pub fn stopped(cells: Cells<'_, '_>, column: &str) -> Parsed<Option<StopReason>> {
    let known = |word: String| {
        serde_json::from_value(word.into())
            .map_err(|_| cells.flaw(column, "decided, budget_spent, interrupted or too_many_failures"))
    };
    cells.text_or_null(column)?.map(known).transpose()
}

/// The study before its first trial.
pub fn header(connection: &Connection, path: &Path) -> Result<StudyHeader, RecordError> {
    let read = || {
        let mut query = connection.prepare("SELECT id, header FROM study")?;
        let mut rows = query.query([])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let header: StudyHeader = Cells::of("study", row).json("header")?;
        valid::header(&header)?;
        Ok(Some(header))
    };
    match read() {
        Ok(Some(header)) => Ok(header),
        Ok(None) => Err(RecordError::damaged(path, "the table 'study' is empty")),
        Err(error) => Err(damage(path, error)),
    }
}

/// What rows that make no sense are of a file.
pub fn damage(path: &Path, error: RowError) -> RecordError {
    match error {
        RowError::Sqlite(error) => RecordError::sqlite(path, "read it", error),
        other => RecordError::damaged(path, other.to_string()),
    }
}

/// The other tables than `trials`, by the number of the trial.
#[derive(Default)]
struct Tables {
    values: HashMap<u32, Vec<f64>>,
    threads: HashMap<u32, Vec<ThreadObservation>>,
    pages: HashMap<u32, Vec<(NodeId, Bytes)>>,
}

impl Tables {
    fn read(connection: &Connection) -> Parsed<Self> {
        let mut tables = Tables::default();
        let mut query = connection.prepare("SELECT trial, value FROM trial_values ORDER BY trial, task")?;
        let places = ColumnPlaces::of(&query);
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::with(&places, "trial_values", row);
            let value =
                cells.real_or_null("value")?.ok_or_else(|| cells.flaw("value", "a number above 0"))?;
            tables.values.entry(cells.int("trial")?).or_default().push(value);
        }
        let mut query =
            connection.prepare("SELECT trial, node, bytes FROM pages ORDER BY trial, position")?;
        let places = ColumnPlaces::of(&query);
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::with(&places, "pages", row);
            let entry = (cells.node("node")?, Bytes(cells.int("bytes")?));
            tables.pages.entry(cells.int("trial")?).or_default().push(entry);
        }
        tables.read_threads(connection)?;
        Ok(tables)
    }

    fn read_threads(&mut self, connection: &Connection) -> Parsed<()> {
        let mut times: HashMap<(u32, u32), Vec<(CpuId, Nanoseconds)>> = HashMap::new();
        let mut query = connection
            .prepare("SELECT trial, thread, cpu, cpu_ns FROM thread_cpus ORDER BY trial, thread, position")?;
        let places = ColumnPlaces::of(&query);
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::with(&places, "thread_cpus", row);
            let entry = (cells.cpu("cpu")?, Nanoseconds(cells.int("cpu_ns")?));
            times.entry((cells.int("trial")?, cells.int("thread")?)).or_default().push(entry);
        }
        let mut query = connection.prepare("SELECT * FROM threads ORDER BY trial, thread")?;
        let places = ColumnPlaces::of(&query);
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::with(&places, "threads", row);
            let (trial, thread) = (cells.int("trial")?, cells.int("thread")?);
            let thread = ThreadObservation {
                pid: Pid(cells.int("pid")?),
                tid: Pid(cells.int("tid")?),
                name: cells.text("name")?,
                cpu_time: Nanoseconds(cells.int("cpu_ns")?),
                minor_faults: cells.int("minor_faults")?,
                cpu_time_on: times.remove(&(trial, thread)).unwrap_or_default(),
                migrations: cells.int("migrations")?,
                ready_with_others: cells.int("ready_with_others")?,
                mask: match cells.cpus_or_null("mask")? {
                    Some(mask) => Reading::Measured(mask),
                    None => Reading::unavailable(
                        cells.text_or_null("mask_missing")?.unwrap_or_else(|| "not recorded".to_owned()),
                    ),
                },
            };
            self.threads.entry(trial).or_default().push(thread);
        }
        Ok(())
    }

    fn trials(mut self, connection: &Connection) -> Parsed<Vec<Trial>> {
        let mut query = connection.prepare("SELECT * FROM trials ORDER BY number")?;
        let places = ColumnPlaces::of(&query);
        let mut rows = query.query([])?;
        let mut trials = Vec::new();
        while let Some(row) = rows.next()? {
            let cells = Cells::with(&places, "trials", row);
            let number = cells.int("number")?;
            let (values, threads, pages) = (
                self.values.remove(&number).unwrap_or_default(),
                self.threads.remove(&number).unwrap_or_default(),
                self.pages.remove(&number).unwrap_or_default(),
            );
            trials.push(trial(cells, number, values, threads, pages)?);
        }
        Ok(trials)
    }
}

fn trial(
    cells: Cells<'_, '_>,
    number: u32,
    values: Vec<f64>,
    threads: Vec<ThreadObservation>,
    pages: Vec<(NodeId, Bytes)>,
) -> Parsed<Trial> {
    let columns = Columns { cells, missing: cells.json("missing")? };
    Ok(Trial {
        number,
        block: cells.int("block")?,
        point: PointId(cells.text("point")?),
        started: Nanoseconds(cells.int("started_ns")?),
        wall: Nanoseconds(cells.int("wall_ns")?),
        outcome: outcome(cells, values)?,
        observation: observation(&columns, threads, pages)?,
        disturbances: cells.json("disturbances")?,
        left_behind: left_behind(cells)?,
        other_values: cells.json("other_values")?,
    })
}

pub fn left_behind(cells: Cells<'_, '_>) -> Parsed<Option<LeftProcesses>> {
    cells.json_or_null("left_behind")
}

pub fn outcome(cells: Cells<'_, '_>, per_task: Vec<f64>) -> Parsed<Outcome> {
    let output_tail = || Ok::<_, RowError>(cells.text_or_null("output_tail")?.unwrap_or_default());
    match cells.text("status")?.as_str() {
        Outcome::MEASURED => Ok(Outcome::Measured { per_task }),
        Outcome::FAILED => {
            let exit = match (cells.int_or_null("exit_code")?, cells.int_or_null("exit_signal")?) {
                (Some(code), None) => Exit::Code(code),
                (None, Some(signal)) => Exit::Signal(signal),
                _ => {
                    return Err(cells.flaw("exit_signal", "one of exit_code and exit_signal, the other NULL"));
                }
            };
            let ended_by = cells.json_or_null("problem")?;
            Ok(Outcome::Failed { failure: TrialFailure { exit, ended_by }, output_tail: output_tail()? })
        }
        Outcome::NO_METRIC => {
            Ok(Outcome::NoMetric { problem: cells.json("problem")?, output_tail: output_tail()? })
        }
        _ => Err(cells.flaw("status", "measured, failed or no_metric")),
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
        Ok::<_, RowError>(ResidencySample {
            by_node: pages,
            shared: c.reading("pages_shared", || c.cells.json("pages_shared"))?,
            memory: c.reading("pages_memory", || c.cells.json("pages_memory"))?,
            method,
            pages_seen: c.count("pages_seen")?,
            at: Nanoseconds(c.count("pages_at_ns")?),
        })
    };
    Ok(Reading::Measured(Observation {
        host: c.reading("host", || {
            HostId::new(c.cells.text("host")?).ok_or_else(|| c.cells.flaw("host", "the name of a host"))
        })?,
        rank: c.reading("rank", || Ok(Rank(c.cells.int("rank")?)))?,
        mpi_libraries: c.reading("mpi_libraries", || c.cells.json("mpi_libraries"))?,
        usage: ResourceUsage::from_columns(|column| c.reading(column, || c.count(column)))?,
        migrations: c.reading("migrations", || c.count("migrations"))?,
        run_delay: c.reading("run_delay_ns", || Ok(Nanoseconds(c.count("run_delay_ns")?)))?,
        several_ready: c.reading("several_ready", || c.count("several_ready"))?,
        threads: c.reading("threads", || Ok(threads))?,
        pages: c.reading("pages", || sample(c.cells.text("pages_method")?))?,
        noise: HostNoise {
            steal: c.reading("steal", || c.share("steal"))?,
            other_load: c.reading("other_load", || c.share("other_load"))?,
            busy_cpus: c.reading("busy_cpus", || c.cells.json("busy_cpus"))?,
        },
        memory_events: c.cells.json("memory_events")?,
        frequency: c.reading("frequency", || c.cells.json("frequency"))?,
        energy: c.reading("energy_uj", || Ok(Microjoules(c.count("energy_uj")?)))?,
        sampler: SamplerCost {
            samples: c.count("sampler_samples")?,
            cpu_time: Nanoseconds(c.count("sampler_cpu_ns")?),
            span: Nanoseconds(c.count("sampler_span_ns")?),
        },
    }))
}

/// A row with the reasons for its NULLs.
struct Columns<'r, 's> {
    cells: Cells<'r, 's>,
    missing: HashMap<String, String>,
}

impl Columns<'_, '_> {
    fn count(&self, column: &str) -> Parsed<u64> {
        self.cells.int(column)
    }

    fn share(&self, column: &str) -> Parsed<Ratio> {
        let share = self.cells.real_or_null(column)?;
        share.map(Ratio).ok_or_else(|| self.cells.flaw(column, "a share from 0 to 1, or why there is none"))
    }

    /// The reason why it is missing, or the value.
    fn reading<T>(&self, column: &str, value: impl FnOnce() -> Parsed<T>) -> Parsed<Reading<T>> {
        match self.missing.get(column) {
            Some(reason) => Ok(Reading::unavailable(reason.clone())),
            None => value().map(Reading::Measured),
        }
    }
}

/// A file of a version from before there was such a table, that is read only, has none.
pub fn has_table(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    let there = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    Ok(connection.query_row(there, [table], |_| Ok(())).optional()?.is_some())
}
