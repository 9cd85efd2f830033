//! The tables, and how to bring older files up to date.

use rusqlite::{Connection, Transaction};

/// Tells our files from other SQLite files: `NWIS` in ASCII, at byte 68 of the file.
pub const APPLICATION_ID: i64 = 0x4e57_4953;

/// Step `k` brings a file from version `k` to `k + 1`. A step that was released never changes: a change of the format is
/// a new step.
const STEPS: [&str; 1] = [include_str!("schema/1.sql")];

/// The version that we write, kept in `PRAGMA user_version`.
pub const VERSION: i64 = STEPS.len() as i64;

/// Whose file it is, and of which version.
pub fn identity(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// Brings a file from `version` to ours; 0 is a new file.
pub fn migrate(transaction: &Transaction<'_>, version: i64) -> rusqlite::Result<()> {
    for step in STEPS.iter().skip(version as usize) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)
}
