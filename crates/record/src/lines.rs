//! The lines that are printed to be used, and their runs: between nouns and rows.

use std::path::Path;

use numawise_facts::{
    Disturbance, LineTool, Outcome, PointId, PrintedLine, PrintedLines, Reading, StopReason, StudyHeader,
    Trial,
};
use numawise_units::Nanoseconds;
use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, params};

use crate::cell::{Cells, Parsed};
use crate::{RecordError, read, valid, write};

/// Writes which lines there are. Their runs go where another placement was meant, or another line.
pub fn put(transaction: &Transaction<'_>, lines: &PrintedLines) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM lines", [])?;
    if lines.trials.is_empty() {
        transaction.execute("DELETE FROM line_trials", [])?;
    }
    transaction.execute(
        "UPDATE study SET lines_point = ?1, lines_stopped = ?2",
        params![lines.point.0, stopped(lines)],
    )?;
    for (position, printed) in lines.lines.iter().enumerate() {
        transaction.execute(
            "INSERT INTO lines VALUES (?1, ?2, ?3, ?4)",
            params![
                printed.tool.name(),
                position as i64,
                printed.line,
                printed.not_run.as_ref().map(write::json).transpose()?,
            ],
        )?;
    }
    Ok(())
}

fn stopped(lines: &PrintedLines) -> Option<String> {
    lines.stopped.as_ref().and_then(write::word)
}

/// Writes one run.
pub fn insert(transaction: &Transaction<'_>, trial: &Trial) -> rusqlite::Result<()> {
    let value = match &trial.outcome {
        Outcome::Measured { per_task } => per_task.first().copied(),
        Outcome::Failed { .. } | Outcome::NoMetric { .. } => None,
    };
    let [status, code, signal, problem, output] = write::outcome_columns(&trial.outcome)?;
    let disturbances: Vec<&Disturbance> = trial.disturbances.iter().filter(|d| write::is_share(d)).collect();
    let row: [Value; 10] = [
        trial.block.into(),
        trial.point.0.clone().into(),
        write::integer(trial.started.0).into(),
        write::integer(trial.wall.0).into(),
        status,
        code,
        signal,
        problem,
        output,
        value.map_or(Value::Null, Value::Real),
    ];
    let left_behind = trial.left_behind.as_ref().map(write::json).transpose()?;
    let rest: [Value; 2] = [write::json(&disturbances)?.into(), left_behind.map_or(Value::Null, Value::Text)];
    let row = std::iter::once(Value::from(trial.number)).chain(row).chain(rest);
    transaction
        .prepare_cached("INSERT INTO line_trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
        .execute(rusqlite::params_from_iter(row))
        .map(drop)
}

/// The lines of a study; nothing where none was run.
pub fn lines(
    connection: &Connection,
    path: &Path,
    header: &StudyHeader,
) -> Result<Option<PrintedLines>, RecordError> {
    read_lines(connection, header).map_err(|error| read::damage(path, error))
}

fn read_lines(connection: &Connection, header: &StudyHeader) -> Parsed<Option<PrintedLines>> {
    // One transaction, so that a line that is being changed is there with its runs or not at all.
    let transaction = connection.unchecked_transaction()?;
    let Some((point, stopped)) = of_study(&transaction)? else { return Ok(None) };
    let mut query = transaction.prepare("SELECT * FROM lines ORDER BY position")?;
    let mut rows = query.query([])?;
    let mut printed = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = Cells::of("lines", row);
        printed.push(PrintedLine {
            tool: tool(cells)?,
            line: cells.text("line")?,
            not_run: cells.json_or_null("not_run")?,
        });
    }
    let mut query = transaction.prepare("SELECT * FROM line_trials ORDER BY number")?;
    let mut rows = query.query([])?;
    let mut trials = Vec::new();
    while let Some(row) = rows.next()? {
        trials.push(trial(Cells::of("line_trials", row))?);
    }
    let lines = PrintedLines { point, lines: printed, trials, stopped };
    valid::lines(header, &lines)?;
    Ok(Some(lines))
}

/// `lines_point` and `lines_stopped`.
fn of_study(connection: &Connection) -> Parsed<Option<(PointId, Option<StopReason>)>> {
    let mut query = connection.prepare("SELECT id, lines_point, lines_stopped FROM study")?;
    let mut rows = query.query([])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let cells = Cells::of("study", row);
    let Some(point) = cells.text_or_null("lines_point")? else { return Ok(None) };
    Ok(Some((PointId(point), read::stopped(cells, "lines_stopped")?)))
}

fn tool(cells: Cells<'_, '_>) -> Parsed<LineTool> {
    LineTool::from_name(&cells.text("tool")?).ok_or_else(|| {
        cells.flaw("tool", "program, numawise, or a tool whose commands numawise writes, such as numactl")
    })
}

fn trial(cells: Cells<'_, '_>) -> Parsed<Trial> {
    let value = cells.real_or_null("value")?;
    Ok(Trial {
        number: cells.int("number")?,
        block: cells.int("block")?,
        point: tool(cells)?.point(),
        started: Nanoseconds(cells.int("started_ns")?),
        wall: Nanoseconds(cells.int("wall_ns")?),
        outcome: read::outcome(cells, value.into_iter().collect())?,
        observation: Reading::unavailable(Trial::LINE_NOT_OBSERVED),
        disturbances: cells.json("disturbances")?,
        left_behind: read::left_behind(cells)?,
        other_values: vec![],
    })
}
