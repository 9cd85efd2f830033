//! Files that are no time series, or not one for us, or no longer whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use numawise_facts::Machine;
use numawise_record::{Record, RecordError, RecordKind, Series, kind};
use rusqlite::Connection;

use super::sample;
use crate::sample::{cpus, header, machine, trial};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("job.nw")
    }

    fn holding(bytes: impl AsRef<[u8]>) -> Self {
        let folder = Folder::new();
        fs::write(folder.path(), bytes).unwrap();
        folder
    }

    fn with_looks(looks: u64) -> Self {
        let folder = Folder::new();
        let mut series = Series::open(&folder.path(), &machine()).unwrap();
        for look in 0..looks {
            series.append(&sample::snapshot(look)).unwrap();
        }
        folder
    }

    fn sql(&self, statement: &str) {
        Connection::open(self.path()).unwrap().execute_batch(statement).unwrap();
    }
}

/// What opening to write gives, once no process that another test is starting holds our lock any more.
fn refused(path: &Path, machine: &Machine) -> RecordError {
    loop {
        match Series::open(path, machine).expect_err("it should be refused") {
            RecordError::InUse(_) => std::thread::sleep(Duration::from_millis(5)),
            error => return error,
        }
    }
}

/// The one text that opening gives, to write and to read; the file stays as it is.
fn refusal(path: &Path) -> String {
    let before = fs::read(path).unwrap_or_default();
    let write = refused(path, &machine()).to_string();
    let read = Series::read(path).expect_err("it should be refused").to_string();
    assert_eq!(write, read);
    assert!(write.starts_with(&path.display().to_string()), "{write}");
    assert_eq!(fs::read(path).unwrap_or_default(), before);
    write
}

#[test]
fn a_text_file_is_refused() {
    let folder = Folder::holding("time,node,bytes\n".repeat(200));
    assert!(refusal(&folder.path()).contains("it is not an SQLite file"));
    assert!(matches!(kind(&folder.path()), Err(RecordError::NotARecord { .. })));
}

#[test]
fn a_database_of_another_program_is_refused() {
    let folder = Folder::new();
    folder.sql("CREATE TABLE looks (look); INSERT INTO looks VALUES (1);");
    assert!(refusal(&folder.path()).contains("an SQLite database of another program"));
    folder.sql("PRAGMA application_id = 42");
    assert!(refusal(&folder.path()).contains("application id 42"));
}

#[test]
fn a_study_is_not_a_series_and_a_series_is_not_a_study() {
    let study = Folder::new();
    Record::create(&study.path(), &header()).unwrap().append(&trial(0)).unwrap();
    let said = refusal(&study.path());
    assert!(said.contains("it holds a study"), "{said}");
    assert!(said.contains("expected a time series of a running job"), "{said}");
    assert_eq!(kind(&study.path()).unwrap(), RecordKind::Study);

    let series = Folder::with_looks(2);
    for refused in [Record::open(&series.path()), Record::open_to_read(&series.path())] {
        let said = refused.unwrap_err().to_string();
        assert!(said.contains("it holds a time series of a running job"), "{said}");
        assert!(said.contains("expected a study"), "{said}");
    }
    let said = Record::create(&series.path(), &header()).unwrap_err();
    assert!(matches!(said, RecordError::Exists(_)), "{said}");
    let said = Record::replace(&series.path(), &header()).unwrap_err();
    assert!(matches!(said, RecordError::NotARecord { .. }), "{said}");
    assert_eq!(Series::read(&series.path()).unwrap().1, sample::snapshots(2));
}

#[test]
fn a_newer_format_is_not_guessed_at() {
    let folder = Folder::with_looks(1);
    folder.sql("PRAGMA user_version = 7");
    let said = refusal(&folder.path());
    assert!(said.contains("format version 7") && said.contains("up to 1"), "{said}");
    folder.sql("PRAGMA user_version = 0");
    assert!(refusal(&folder.path()).contains("format version 0 was never written"));
}

#[test]
fn another_machine_is_refused_with_both_named() {
    let folder = Folder::with_looks(3);
    let mut other = machine();
    other.nodes[1].cpus = cpus("2-7");
    let said = refused(&folder.path(), &other).to_string();
    assert!(said.contains("node 1 with CPUs 2-3"), "{said}");
    assert!(said.contains("node 1 with CPUs 2-7"), "{said}");
    other.nodes.pop();
    assert!(matches!(refused(&folder.path(), &other), RecordError::OtherMachine { .. }));
    assert_eq!(Series::read(&folder.path()).unwrap().1.len(), 3);
}

#[test]
fn an_empty_file_is_begun_and_not_read() {
    let folder = Folder::holding("");
    assert!(matches!(Series::read(&folder.path()), Err(RecordError::Empty(_))));
    assert!(matches!(kind(&folder.path()), Err(RecordError::Empty(_))));
    sample::open(&folder.path()).append(&sample::snapshot(0)).unwrap();
    assert_eq!(Series::read(&folder.path()).unwrap().1, sample::snapshots(1));
}

#[test]
fn places_where_no_file_can_be_are_named() {
    let folder = Folder::new();
    assert!(matches!(Series::read(&folder.path()), Err(RecordError::Missing(_))));
    assert!(!folder.path().exists(), "reading makes no file");
    let here = folder.0.path();
    assert!(matches!(Series::open(here, &machine()), Err(RecordError::Directory(_))));
    let nowhere = here.join("no/such/folder/job.nw");
    let said = Series::open(&nowhere, &machine()).unwrap_err().to_string();
    assert!(said.contains("cannot create it"), "{said}");
    let said = Series::open(Path::new("/dev/null"), &machine()).unwrap_err().to_string();
    assert!(said.contains("it is not an ordinary file"), "{said}");
}

#[test]
fn two_do_not_record_into_one_file() {
    let folder = Folder::with_looks(1);
    let first = Series::open(&folder.path(), &machine()).unwrap();
    assert!(matches!(Series::open(&folder.path(), &machine()), Err(RecordError::InUse(_))));
    drop(first);
    drop(sample::open(&folder.path()));
}

#[test]
fn a_file_that_was_cut_off_is_damaged() {
    let folder = Folder::with_looks(60);
    let whole = fs::read(folder.path()).unwrap();
    for share in [0.3, 0.6, 0.99] {
        fs::write(folder.path(), &whole[..(whole.len() as f64 * share) as usize]).unwrap();
        assert!(refusal(&folder.path()).contains("the record is damaged"));
    }
}

#[test]
fn rows_that_make_no_sense_are_damage() {
    let cases = [
        ("UPDATE series SET machine = '{'", "series: row 1, machine: "),
        ("UPDATE memory_looks SET bytes = -4096 WHERE look = 0", "bytes: found -4096"),
        ("UPDATE memory_looks SET bytes = 1 << 60 WHERE look = 0", "at most 4 PiB"),
        ("UPDATE memory_looks SET node = 65536 WHERE look = 0", "node: found 65536"),
        ("UPDATE thread_looks SET cpu = 4294967294 WHERE look = 1", "cpu: found 4294967294"),
        (
            "UPDATE thread_looks SET cpu_ns = 9e16 WHERE look = 2 AND thread = 0",
            "no more CPU time than there was time",
        ),
        ("UPDATE looks SET boot_ns = 5 WHERE look = 3", "moments in ascending order"),
        ("UPDATE looks SET session = 9 WHERE look = 1", "sessions in ascending order"),
        ("UPDATE tasks SET pid = -7", "pid: found -7"),
        ("DELETE FROM series", "the table 'series' is empty"),
        ("UPDATE masks SET cpus = 'all' WHERE mask = 0", "masks: row 0, cpus: found 'all'"),
        ("UPDATE thread_looks SET state = '' WHERE look = 1", "state: found '', expected a letter"),
        ("UPDATE thread_looks SET cpu = 'three' WHERE look = 1", "cpu: found 'three'"),
        (
            "UPDATE memory_looks SET used_for = 'fun' WHERE look = 0 AND used_for = 'heap'",
            "used_for: found 'fun'",
        ),
        (
            "PRAGMA foreign_keys = OFF; DELETE FROM tasks WHERE task = 0",
            "task: found 0, expected a row of the table tasks",
        ),
        (
            "PRAGMA foreign_keys = OFF; DELETE FROM threads WHERE thread = 0",
            "thread: found 0, expected a row of the table threads",
        ),
        (
            "PRAGMA foreign_keys = OFF; DELETE FROM masks WHERE mask = 0",
            "mask: found 0, expected a row of the table masks",
        ),
        (
            "DROP VIEW memory_by_node; DROP VIEW memory_timeline; DROP TABLE memory_looks",
            "there is no table 'memory_looks'",
        ),
    ];
    for (statement, expected) in cases {
        let folder = Folder::with_looks(4);
        folder.sql(statement);
        let said = Series::read(&folder.path()).unwrap_err().to_string_with_cause();
        assert!(said.contains(expected), "{statement}: {said}");
    }
}

/// Errors of SQLite are told by their cause.
trait WithCause {
    fn to_string_with_cause(&self) -> String;
}

impl WithCause for RecordError {
    fn to_string_with_cause(&self) -> String {
        let cause = std::error::Error::source(self).map(ToString::to_string);
        format!("{self}: {}", cause.unwrap_or_default())
    }
}
