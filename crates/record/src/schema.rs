//! The tables of the kinds of file, and how to bring older files up to date.

use std::fmt;

use rusqlite::{Connection, Transaction};

/// What a file of ours holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// A [`Record`](crate::Record) of trials.
    Study,
    /// A [`Series`](crate::Series) of samples of a running job.
    Series,
    /// A run that was watched from inside: [`read_watched_run`](crate::read_watched_run).
    WatchedRun,
    /// The memory objects of a run: [`read_object_run`](crate::read_object_run).
    ObjectRun,
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            RecordKind::Study => "a study",
            RecordKind::Series => "a time series of a running job",
            RecordKind::WatchedRun => "a snapshot of a run",
            RecordKind::ObjectRun => "the memory objects of a run",
        })
    }
}

/// The tables of one kind of file.
#[derive(Debug)]
pub struct Format {
    /// Tells our files from other SQLite files, at byte 68 of the file.
    pub application_id: i64,
    pub holds: RecordKind,
    /// Step `k` brings a file from version `k` to `k + 1`. A step that was released never changes: a change of the format
    /// is a new step.
    steps: &'static [&'static str],
}

/// `NWIS` in ASCII.
pub static STUDY: Format = Format {
    application_id: 0x4e57_4953,
    holds: RecordKind::Study,
    steps: &[include_str!("schema/study-1.sql"), include_str!("schema/study-2.sql")],
};

/// `NWTS` in ASCII.
pub static SERIES: Format = Format {
    application_id: 0x4e57_5453,
    holds: RecordKind::Series,
    steps: &[include_str!("schema/series-1.sql")],
};

/// `NWRS` in ASCII.
pub static WATCHED_RUN: Format = Format {
    application_id: 0x4e57_5253,
    holds: RecordKind::WatchedRun,
    steps: &[
        include_str!("schema/snapshot-1.sql"),
        include_str!("schema/snapshot-2.sql"),
        include_str!("schema/snapshot-3.sql"),
        include_str!("schema/snapshot-4.sql"),
        include_str!("schema/snapshot-5.sql"),
        include_str!("schema/snapshot-6.sql"),
    ],
};

/// `NWOB` in ASCII.
pub static OBJECT_RUN: Format = Format {
    application_id: 0x4e57_4f42,
    holds: RecordKind::ObjectRun,
    steps: &[include_str!("schema/objects-1.sql")],
};

/// All kinds.
pub static FORMATS: [&Format; 4] = [&STUDY, &SERIES, &WATCHED_RUN, &OBJECT_RUN];

impl Format {
    /// The version that we write, kept in `PRAGMA user_version`.
    pub const fn version(&self) -> i64 {
        self.steps.len() as i64
    }

    /// Brings a file from `version` to ours; 0 is a new file.
    pub fn migrate(&self, transaction: &Transaction<'_>, version: i64) -> rusqlite::Result<()> {
        for step in self.steps.iter().skip(version as usize) {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "application_id", self.application_id)?;
        transaction.pragma_update(None, "user_version", self.version())
    }
}

/// Whose file it is, and of which version.
pub fn identity(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}
