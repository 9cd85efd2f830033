//! Mutations of an SQLite file at its rows and its schema: what a stranger, an editor or a bug would leave.

use std::io::Cursor;

use rusqlite::types::Value;
use rusqlite::{Connection, MAIN_DB};

use super::json;
use crate::Random;

/// A billion rows out of nothing.
const BOMB: &str = "WITH RECURSIVE n(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < 1000000000)";

/// What making an input may cost, in steps of SQLite.
const MOST_STEPS: u32 = 5_000_000;

/// The file with some changes; as it is where SQLite does not take it.
pub(super) fn mutated(whole: &[u8], random: &mut Random) -> Vec<u8> {
    changed(whole, random).unwrap_or_else(|_| whole.to_vec())
}

fn changed(whole: &[u8], random: &mut Random) -> rusqlite::Result<Vec<u8>> {
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact(MAIN_DB, Cursor::new(whole), whole.len(), false)?;
    connection.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA legacy_alter_table = ON",
    )?;
    // A change that counts the rows of a view without end is none.
    let mut steps = 0;
    let enough = move || {
        steps += 1;
        steps > MOST_STEPS / 10_000
    };
    connection.progress_handler(10_000, Some(enough))?;
    let tables = names(&connection, "SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let changes = 1 + if random.once_in(2) { random.below(4) } else { 0 };
    for _ in 0..changes {
        let table = &tables[random.below(tables.len())];
        // What SQLite refuses is no change.
        let _ = match random.below(24) {
            0..=9 => cell(&connection, table, random),
            10..=13 => stored_json(&connection, random),
            14..=18 => rows(&connection, table, random),
            19 => many(&connection, table, random),
            20 => column(&connection, table, random),
            _ => schema(&connection, table, random),
        };
    }
    Ok(connection.serialize(MAIN_DB)?.to_vec())
}

fn names(connection: &Connection, query: &str) -> rusqlite::Result<Vec<String>> {
    connection.prepare(query)?.query_map([], |row| row.get(0))?.collect()
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let columns = names(connection, &format!("SELECT name FROM pragma_table_info('{table}')"))?;
    // A table that an earlier change has taken away.
    if columns.is_empty() { Err(rusqlite::Error::QueryReturnedNoRows) } else { Ok(columns) }
}

/// The condition that names one row at random.
fn row(connection: &Connection, table: &str, random: &mut Random) -> rusqlite::Result<String> {
    let mut keys = names(
        connection,
        &format!("SELECT name FROM pragma_table_info('{table}') WHERE pk > 0 ORDER BY pk"),
    )?;
    if keys.is_empty() {
        keys.push("rowid".to_owned());
    }
    let count: u32 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    let quoted: Vec<String> = keys.iter().map(|key| format!("quote({key})")).collect();
    let query =
        format!("SELECT {} FROM {table} LIMIT 1 OFFSET {}", quoted.join(", "), random.below(count as usize));
    connection.query_row(&query, [], |row| {
        let same =
            keys.iter().enumerate().map(|(k, key)| Ok(format!("{key} = {}", row.get::<_, String>(k)?)));
        Ok(same.collect::<rusqlite::Result<Vec<_>>>()?.join(" AND "))
    })
}

fn value(random: &mut Random) -> Value {
    match random.below(8) {
        0 => Value::Null,
        1..=3 => Value::Integer(json::integer(random)),
        4 => Value::Real(json::real(random)),
        5 => Value::Blob(vec![random.byte(); 1 << random.below(18)]),
        _ => Value::Text(json::text(random)),
    }
}

fn cell(connection: &Connection, table: &str, random: &mut Random) -> rusqlite::Result<()> {
    let columns = columns(connection, table)?;
    let column = &columns[random.below(columns.len())];
    let row = if random.once_in(10) { "true".to_owned() } else { row(connection, table, random)? };
    let near = random.below(4);
    match near {
        0 => connection.execute(&format!("UPDATE {table} SET {column} = {column} + 1 WHERE {row}"), []),
        1 => connection.execute(&format!("UPDATE {table} SET {column} = -{column} WHERE {row}"), []),
        _ => connection.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE {row}"), [value(random)]),
    }
    .map(drop)
}

/// The columns that hold JSON.
const STORED: [(&str, &str); 20] = [
    ("study", "header"),
    ("series", "machine"),
    ("snapshot", "header"),
    ("processes", "activity"),
    ("threads", "activity"),
    ("merged", "value"),
    ("objects", "facts"),
    ("object_run", "header"),
    ("object_run", "watching"),
    ("object_run", "beyond"),
    ("residence", "on_nodes"),
    ("trials", "missing"),
    ("trials", "disturbances"),
    ("trials", "pages_memory"),
    ("trials", "frequency"),
    ("trials", "pages_shared"),
    ("trials", "problem"),
    ("lines", "not_run"),
    ("line_trials", "disturbances"),
    ("line_trials", "problem"),
];

fn stored_json(connection: &Connection, random: &mut Random) -> rusqlite::Result<()> {
    // The header is most of what there is.
    let of = if random.once_in(3) { random.below(STORED.len()) } else { random.below(10) };
    let (table, column) = STORED[of];
    let row = row(connection, table, random)?;
    let old: String =
        connection.query_row(&format!("SELECT {column} FROM {table} WHERE {row}"), [], |row| row.get(0))?;
    let new = String::from_utf8_lossy(&json::mutated(old.as_bytes(), random)).into_owned();
    connection.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE {row}"), [new]).map(drop)
}

fn rows(connection: &Connection, table: &str, random: &mut Random) -> rusqlite::Result<()> {
    let columns = columns(connection, table)?;
    let row = row(connection, table, random)?;
    let sql = match random.below(4) {
        0 => format!("DELETE FROM {table} WHERE {row}"),
        1 => format!("DELETE FROM {table}"),
        2 => {
            // Again, with another key.
            let others = columns[1..].join(", ");
            format!(
                "INSERT INTO {table} SELECT {} {} {others} FROM {table} WHERE {row}",
                json::integer(random),
                if others.is_empty() { "" } else { "," }
            )
        }
        _ => {
            let column = &columns[random.below(columns.len())];
            let other = self::row(connection, table, random)?;
            format!("UPDATE {table} SET {column} = (SELECT {column} FROM {table} WHERE {other}) WHERE {row}")
        }
    };
    connection.execute(&sql, []).map(drop)
}

/// Thousands of rows like one.
fn many(connection: &Connection, table: &str, random: &mut Random) -> rusqlite::Result<()> {
    let columns = columns(connection, table)?;
    let changed = random.below(columns.len().min(3));
    let values: Vec<String> = columns
        .iter()
        .enumerate()
        .map(
            |(k, column)| {
                if k == changed { format!("k + {}", 100 + random.below(2)) } else { column.clone() }
            },
        )
        .collect();
    let row = row(connection, table, random)?;
    let count = 1 << (6 + random.below(9));
    connection
        .execute(
            &format!(
                "INSERT OR IGNORE INTO {table} WITH RECURSIVE n(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < {count})
                 SELECT {} FROM {table}, n WHERE {row}",
                values.join(", ")
            ),
            [],
        )
        .map(drop)
}

fn column(connection: &Connection, table: &str, random: &mut Random) -> rusqlite::Result<()> {
    let columns = columns(connection, table)?;
    let column = &columns[random.below(columns.len())];
    connection.execute_batch(&match random.below(4) {
        0 => format!("ALTER TABLE {table} RENAME COLUMN {column} TO other"),
        1 => format!("ALTER TABLE {table} ADD COLUMN more TEXT DEFAULT 'x'"),
        2 => format!("ALTER TABLE {table} ADD COLUMN more AS (hex(zeroblob(1000000)))"),
        _ => format!("ALTER TABLE {table} DROP COLUMN {column}"),
    })
}

fn schema(connection: &Connection, table: &str, random: &mut Random) -> rusqlite::Result<()> {
    let columns = columns(connection, table)?;
    let views = names(connection, "SELECT name FROM sqlite_schema WHERE type = 'view'")?;
    let drop: String = views.iter().map(|view| format!("DROP VIEW {view};")).collect();
    connection.execute_batch(&match random.below(10) {
        0 => format!("{drop} DROP TABLE {table}"),
        1 => {
            let values: Vec<String> = columns.iter().map(|column| format!("k AS {column}")).collect();
            format!("{drop} DROP TABLE {table}; CREATE VIEW {table} AS {BOMB} SELECT {} FROM n", values.join(", "))
        }
        2 => format!("{drop} ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS SELECT * FROM old"),
        3 => format!("CREATE TRIGGER more AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END"),
        4 => format!("CREATE INDEX more ON {table} (hex(zeroblob(100)))"),
        5 => {
            let (one, other) = (random.below(30), random.below(30));
            format!(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = {one} WHERE name = '{table}';
                 UPDATE sqlite_schema SET rootpage = {other} WHERE rowid = {one}"
            )
        }
        6 => format!(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = '{table}'"
        ),
        7 => format!(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE {table} (a)' WHERE name = '{table}'"
        ),
        8 => format!("PRAGMA user_version = {}", json::integer(random) as i32),
        _ => format!("CREATE TABLE mine (a); CREATE VIEW ours AS {BOMB} SELECT * FROM n; ANALYZE; PRAGMA application_id = {}",
            if random.once_in(2) { 0x4e57_4953 } else { 0x4e57_5453 }),
    })
}
