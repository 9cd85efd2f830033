//! A record is a stranger's file: what SQLite is told not to believe, and what is looked at before the first row is read.
//!
//! Nothing in the schema of the file is followed but our own tables as we make them: no view, no trigger, no virtual table, no
//! generated column, no function that a schema calls. Every page is looked at once before rows are read, so that no row is met
//! twice and what is read is not more than the file holds; and what a query may do is counted.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use numawise_units::harmless::quoted;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OptionalExtension};

use crate::error::RecordError;
use crate::schema::{Format, OBJECT_RUN, RecordKind, SERIES, STUDY, WATCHED_RUN};

/// The longest text or blob: a study of 8192 CPUs on 1024 nodes has a header of 8 MiB, a grid of 100,000 points one of 90 MiB.
pub const LONGEST_CELL: u32 = 128 << 20;

/// SQLite counts what it does in steps of its virtual machine, and asks us once in so many.
const STEPS_BETWEEN_LOOKS: i32 = 20_000;
/// What a small file may cost. A second is about 50 million steps.
const STEPS_OF_ANY_FILE: u64 = 20_000_000;
/// A row of the smallest kind has 6 bytes in the file and costs about 25 steps, checked and read.
const STEPS_OF_A_BYTE: u64 = 20;

/// Settings of a connection that trusts nothing in the file. They must be made before the schema is read.
pub fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST_CELL as i32),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
        (Limit::SQLITE_LIMIT_COLUMN, 100),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 50),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 8),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Ends a query that does more than a file of this size has work for.
pub fn bound(connection: &mut Connection, path: &Path) -> Result<(), RecordError> {
    let size = path.metadata().map_err(|e| RecordError::io(path, "look at it", e))?.len();
    let most = STEPS_OF_ANY_FILE.saturating_add(size.saturating_mul(STEPS_OF_A_BYTE));
    let done = Arc::new(AtomicU64::new(0));
    let count = move || {
        let steps = STEPS_BETWEEN_LOOKS as u64;
        done.fetch_add(steps, Ordering::Relaxed).saturating_add(steps) > most
    };
    connection
        .progress_handler(STEPS_BETWEEN_LOOKS, Some(count))
        .map_err(|e| RecordError::sqlite(path, "open it", e))
}

/// Takes the bound away, from a file that was looked at and is written to for as long as a study takes.
pub fn unbound(connection: &mut Connection, path: &Path) -> Result<(), RecordError> {
    connection.progress_handler(0, None::<fn() -> bool>).map_err(|e| RecordError::sqlite(path, "open it", e))
}

/// The tables of a format by their names, each with its columns, as SQLite itself tells of a new file.
type Tables = BTreeMap<String, Vec<Column>>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    name: String,
    of: String,
    not_null: bool,
    /// The place in the primary key, 0 where it is not in it.
    key: i64,
    /// Not 0 for columns that are computed or hidden.
    hidden: i64,
}

static STUDY_TABLES: LazyLock<rusqlite::Result<Tables>> = LazyLock::new(|| made(&STUDY));
static SERIES_TABLES: LazyLock<rusqlite::Result<Tables>> = LazyLock::new(|| made(&SERIES));
static WATCHED_RUN_TABLES: LazyLock<rusqlite::Result<Tables>> = LazyLock::new(|| made(&WATCHED_RUN));
static OBJECT_RUN_TABLES: LazyLock<rusqlite::Result<Tables>> = LazyLock::new(|| made(&OBJECT_RUN));

/// The tables of a new file.
fn made(format: &Format) -> rusqlite::Result<Tables> {
    let mut connection = Connection::open_in_memory()?;
    let transaction = connection.transaction()?;
    format.migrate(&transaction, 0)?;
    transaction.commit()?;
    let mut names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let names = names.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    names.into_iter().map(|name| Ok((name.clone(), columns(&connection, &name)?))).collect()
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    let mut query =
        connection.prepare("SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?1)")?;
    let found = query.query_map([table], |row| {
        Ok(Column {
            name: row.get(0)?,
            of: row.get(1)?,
            not_null: row.get(2)?,
            key: row.get(3)?,
            hidden: row.get(4)?,
        })
    })?;
    found.collect()
}

/// Whether the tables that we read and write are ours: ordinary tables with our columns, and nothing that acts on them. Views
/// and tables of the user's own may stand beside them: they are not looked into.
pub fn known_schema(connection: &Connection, path: &Path, format: &Format) -> Result<(), RecordError> {
    let failed = |e| RecordError::sqlite(path, "read it", e);
    let expected = match format.holds {
        RecordKind::Study => &STUDY_TABLES,
        RecordKind::Series => &SERIES_TABLES,
        RecordKind::WatchedRun => &WATCHED_RUN_TABLES,
        RecordKind::ObjectRun => &OBJECT_RUN_TABLES,
    };
    let expected =
        expected.as_ref().map_err(|_| RecordError::damaged(path, "our own tables cannot be made"))?;
    for (table, columns_of) in expected {
        let declared: Option<(String, i64)> = connection
            .query_row("SELECT type, rootpage FROM sqlite_schema WHERE name = ?1", [table], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(failed)?;
        match declared.as_ref().map(|(of, page)| (of.as_str(), *page)) {
            None => return Err(RecordError::damaged(path, format!("there is no table '{table}'"))),
            Some(("table", 1..)) => {}
            Some((of, _)) => {
                // A virtual table has no page of its own.
                let found = if of == "table" { "virtual table".to_owned() } else { quoted(of) };
                let problem = format!("'{table}': found a {found}, expected an ordinary table");
                return Err(RecordError::damaged(path, problem));
            }
        }
        let found = columns(connection, table).map_err(failed)?;
        if let Some(problem) = other_columns(&found, columns_of) {
            return Err(RecordError::damaged(path, format!("table '{table}': {problem}")));
        }
    }
    acts_on(connection, expected).map_err(failed)?.map_or(Ok(()), |(of, name, table)| {
        let problem = format!(
            "table '{table}': found the {} '{}', expected nothing that acts on what numawise keeps",
            quoted(&of),
            quoted(&name)
        );
        Err(RecordError::damaged(path, problem))
    })
}

fn other_columns(found: &[Column], expected: &[Column]) -> Option<String> {
    if found == expected {
        return None;
    }
    let differs = expected.iter().find(|column| !found.contains(column));
    Some(match differs.map(|column| (column, found.iter().find(|other| other.name == column.name))) {
        None => format!("found {} columns, expected {}", found.len(), expected.len()),
        Some((column, None)) => format!("there is no column '{}'", column.name),
        Some((column, Some(other))) => {
            format!("column '{}': found {}, expected {}", column.name, quoted(&words(other)), words(column))
        }
    })
}

fn words(column: &Column) -> String {
    let computed = if column.hidden == 0 { "" } else { " computed" };
    let not_null = if column.not_null { " NOT NULL" } else { "" };
    let key = if column.key == 0 { String::new() } else { format!(" (part {} of the key)", column.key) };
    format!("{}{computed}{not_null}{key}", column.of)
}

/// A trigger anywhere, or an index on one of our tables that is not ours.
fn acts_on(connection: &Connection, ours: &Tables) -> rusqlite::Result<Option<(String, String, String)>> {
    let mut query = connection.prepare(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('trigger', 'index') AND sql IS NOT NULL",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (of, name, table): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let plain = of == "index" && {
            let sql: String = row.get(3)?;
            !ours.contains_key(&table) || OUR_INDICES.contains(&(name.as_str(), sql.as_str()))
        };
        if !plain {
            return Ok(Some((of, name, table)));
        }
    }
    Ok(None)
}

/// The indices of our own, as the schema makes them.
const OUR_INDICES: [(&str, &str); 2] = [
    ("policy_looks_by_look", "CREATE INDEX policy_looks_by_look ON policy_looks (look)"),
    ("unavailable_by_look", "CREATE INDEX unavailable_by_look ON unavailable (look)"),
];
