//! What a stranger may have put into the schema of a file: nothing of it is followed, and no reading takes long.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numawise_record::{Record, RecordError, Series};
use rusqlite::Connection;

use crate::sample;
use crate::series::sample as looks;

/// What hangs takes longer, however busy the machine is.
const LONG: Duration = Duration::from_secs(300);

struct Foreign {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Foreign {
    fn study(sql: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.nw");
        let mut record = Record::create(&path, &sample::header()).unwrap();
        for number in 0..5 {
            record.append(&sample::trial(number)).unwrap();
        }
        drop(record);
        Foreign { _folder: folder, path }.with(sql)
    }

    fn series(sql: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.nw");
        let mut series = looks::open(&path);
        for look in 0..5 {
            series.append(&looks::snapshot(look)).unwrap();
        }
        drop(series);
        Foreign { _folder: folder, path }.with(sql)
    }

    fn with(self, sql: &str) -> Self {
        let connection = Connection::open(&self.path).unwrap();
        connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
        self
    }
}

/// What is said of a study, in bounded time, and the file as it was.
fn said(path: &Path) -> String {
    let before = std::fs::read(path).unwrap();
    let begun = Instant::now();
    let read = Record::open_to_read(path).and_then(|record| record.study()).map(drop);
    let opened = Record::open(path).map(drop);
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
    assert_eq!(std::fs::read(path).unwrap(), before);
    let (read, opened) = (read.unwrap_err(), opened.unwrap_err());
    assert!(matches!(read, RecordError::Damaged { .. }), "{read}");
    assert_eq!(read.to_string(), opened.to_string());
    read.to_string()
}

/// A billion rows out of nothing.
const BOMB: &str = "WITH RECURSIVE n(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < 1000000000)";

#[test]
fn a_view_in_place_of_a_table_is_not_followed() {
    let foreign = Foreign::study(&format!(
        "DROP VIEW samples; DROP VIEW memory_by_node; DROP VIEW cpu_time_by_node; DROP TABLE pages;
         CREATE VIEW pages AS {BOMB} SELECT k AS trial, 0 AS position, 0 AS node, 1 AS bytes FROM n"
    ));
    assert!(said(&foreign.path).contains("'pages': found a view, expected an ordinary table"));
    let foreign = Foreign::series(&format!(
        "DROP VIEW thread_timeline; DROP VIEW memory_timeline; DROP VIEW memory_by_node; DROP TABLE unavailable;
         CREATE VIEW unavailable AS {BOMB} SELECT 0 AS look, k AS task, NULL AS thread, '' AS what, '' AS reason FROM n"
    ));
    let begun = Instant::now();
    let error = Series::read(&foreign.path).unwrap_err();
    assert!(begun.elapsed() < LONG);
    assert!(error.to_string().contains("'unavailable': found a view"), "{error}");
}

#[test]
fn a_virtual_table_in_place_of_a_table_is_not_followed() {
    let foreign = Foreign::study(
        "DROP VIEW samples; DROP VIEW memory_by_node; DROP VIEW cpu_time_by_node; DROP TABLE pages;
         PRAGMA writable_schema = ON;
         INSERT INTO sqlite_schema VALUES ('table', 'pages', 'pages', 0, 'CREATE VIRTUAL TABLE pages USING fts5(trial, position, node, bytes)')",
    );
    let said = said(&foreign.path);
    assert!(said.contains("'pages': found a virtual table") || said.contains("no such module"), "{said}");
}

#[test]
fn computed_columns_and_other_columns_are_refused() {
    for (table, expected) in [
        (
            "CREATE TABLE pages (trial INTEGER, position INTEGER, node INTEGER, bytes INTEGER AS (length(hex(zeroblob(1000000000)))))",
            "table 'pages': column 'trial'",
        ),
        (
            "CREATE TABLE pages (trial INTEGER NOT NULL, position INTEGER NOT NULL, node INTEGER NOT NULL,
             bytes INTEGER NOT NULL AS (node * 4096), PRIMARY KEY (trial, position)) WITHOUT ROWID",
            "column 'bytes': found INTEGER computed NOT NULL, expected INTEGER NOT NULL",
        ),
        ("CREATE TABLE pages (a)", "there is no column 'trial'"),
        (
            "CREATE TABLE pages (trial INTEGER NOT NULL, position INTEGER NOT NULL, node INTEGER NOT NULL,
             bytes INTEGER NOT NULL, more TEXT, PRIMARY KEY (trial, position)) WITHOUT ROWID",
            "found 5 columns, expected 4",
        ),
    ] {
        let foreign = Foreign::study(&format!("DROP VIEW memory_by_node; DROP TABLE pages; {table}"));
        let said = said(&foreign.path);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn what_acts_on_our_tables_is_refused() {
    let foreign = Foreign::study("CREATE TRIGGER more AFTER INSERT ON trials BEGIN DELETE FROM trials; END");
    assert!(said(&foreign.path).contains("table 'trials': found the trigger 'more'"));
    let foreign = Foreign::study("CREATE INDEX slow ON trials (abs(number))");
    assert!(said(&foreign.path).contains("found the index 'slow'"));
}

/// What people add for themselves stays as it is, and is not looked into.
#[test]
fn views_and_tables_of_the_users_own_do_no_harm() {
    let foreign = Foreign::study(&format!(
        "CREATE TABLE notes (a); CREATE INDEX notes_a ON notes (a); INSERT INTO notes VALUES (1);
         CREATE VIEW mine AS {BOMB} SELECT * FROM n; ANALYZE"
    ));
    let begun = Instant::now();
    assert_eq!(Record::open_to_read(&foreign.path).unwrap().study().unwrap().trials.len(), 5);
    let mut record = Record::open(&foreign.path).unwrap();
    record.append(&sample::trial(5)).unwrap();
    assert!(begun.elapsed() < LONG);
}

/// Two tables over the same pages: a megabyte would hold more rows than memory.
#[test]
fn a_page_is_read_once() {
    let foreign = Foreign::study(
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'pages') WHERE name = 'thread_cpus'",
    );
    let said = said(&foreign.path);
    assert!(said.contains("the record is damaged"), "{said}");
}

#[test]
fn texts_that_ask_for_much_memory_are_refused() {
    let mask = "\"8191\",".repeat(600_000);
    let header = serde_json::to_string(&sample::header()).unwrap();
    let header = header.replacen("\"threads\":[", &format!("\"threads\":[{mask}"), 1);
    assert!(header.len() > 4_000_000);
    let foreign = Foreign::study(&format!("UPDATE study SET header = '{}'", header.replace('\'', "''")));
    let said = said(&foreign.path);
    assert!(said.contains("header: found JSON of 600"), "{said}");
    let foreign = Foreign::study("UPDATE study SET header = CAST(zeroblob(140000000) AS TEXT)");
    let said = self::said(&foreign.path);
    assert!(said.contains("too big") || said.contains("expected at most"), "{said}");
}

#[test]
fn what_a_record_quotes_does_not_steer_the_terminal() {
    for sql in [
        "UPDATE trials SET user_ns = char(27) || '[2J' || char(8238)",
        "UPDATE trials SET missing = '{\"' || char(27) || char(155)",
        "UPDATE study SET stopped = char(27) || ']0;owned' || char(7)",
        "DROP VIEW memory_by_node; DROP TABLE pages; CREATE VIEW pages AS SELECT 1 AS \"\u{1b}[31m\"",
        "CREATE TRIGGER \"\u{1b}[31m\u{202e}\" AFTER INSERT ON trials BEGIN SELECT 1; END",
    ] {
        let foreign = Foreign::study(sql);
        let read = Record::open_to_read(&foreign.path).and_then(|record| record.study());
        let said = read.unwrap_err().to_string();
        assert!(!said.chars().any(numawise_units::harmless::is_harmful), "{sql}: {said:?}");
    }
}
