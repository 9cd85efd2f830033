//! Files of every version that was ever released can be read.

use std::path::{Path, PathBuf};

use numawise_facts::{PrintedLines, Snapshot, StopReason, Study, Trial};
use numawise_record::{
    Existing, Record, Series, read_object_run, read_watched_run, save_object_run, save_watched_run,
};
use rusqlite::Connection;

use crate::objects;
use crate::sample;
use crate::series::sample::snapshots;
use crate::watched;

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records").join(format!("{name}.nw"))
}

/// What is in the kept file.
fn study() -> Study {
    Study {
        header: sample::header(),
        trials: (0..8).map(sample::trial).collect::<Vec<Trial>>(),
        stopped: Some(StopReason::BudgetSpent),
        lines: Some(PrintedLines {
            trials: (0..9).map(sample::line_run).collect(),
            stopped: Some(StopReason::Interrupted),
            ..sample::lines()
        }),
        objects: None,
    }
}

#[test]
fn a_record_of_version_1_can_be_read() {
    // Read from a copy: nothing may touch the kept file, not even a journal beside it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("version-1"), &path).unwrap();
    let mut record = Record::open(&path).unwrap();
    assert_eq!(record.study().unwrap(), study());
    record.append(&sample::trial(8)).unwrap();
}

#[test]
fn a_record_of_version_2_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("version-2"), &path).unwrap();
    let with_objects = Study { objects: Some(objects::run()), ..study() };
    assert_eq!(Record::open_to_read(&path).unwrap().study().unwrap(), with_objects);
}

#[test]
fn a_record_of_version_1_is_shown_and_takes_objects_when_it_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("version-1"), &path).unwrap();
    assert_eq!(Record::open_to_read(&path).unwrap().study().unwrap(), study());
    let run = objects::run();
    Record::open(&path).unwrap().set_objects(&run).unwrap();
    let with_objects = Study { objects: Some(run), ..study() };
    assert_eq!(Record::open_to_read(&path).unwrap().study().unwrap(), with_objects);
}

#[test]
fn objects_of_a_study_are_replaced_as_a_whole_and_refused_where_they_make_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    let mut record = Record::create(&path, &sample::header()).unwrap();
    record.set_objects(&objects::run()).unwrap();
    let mut fewer = objects::run();
    fewer.objects.truncate(1);
    record.set_objects(&fewer).unwrap();
    assert_eq!(record.study().unwrap().objects, Some(fewer));
    drop(record);
    let broken = [
        ("DELETE FROM object_rows WHERE part = 'header'", "0 rows of part 'header'"),
        ("INSERT INTO object_rows SELECT part, 1, facts FROM object_rows WHERE part = 'watching'", "2 rows"),
        ("DELETE FROM object_rows WHERE part = 'thread' AND number = 0", "without a gap"),
        ("DELETE FROM object_rows WHERE part = 'place'", "place"),
        ("UPDATE object_rows SET facts = '{' WHERE part = 'object'", "facts"),
    ];
    for (sql, expected) in broken {
        let copy = folder.path().join("broken.nw");
        std::fs::copy(&path, &copy).unwrap();
        assert!(Connection::open(&copy).unwrap().execute(sql, []).unwrap() > 0, "{sql}");
        let error = Record::open_to_read(&copy).and_then(|record| record.study()).unwrap_err().to_string();
        assert!(error.contains(expected), "{sql}: {error}");
    }
}

/// Writes the kept file of the present version: `cargo test -p numawise-record -- --ignored makes_the_kept_file`.
#[test]
#[ignore = "makes a file for testdata/records, once per version of the format"]
fn makes_the_kept_file() {
    let path = kept("version-2");
    assert!(!path.exists(), "a kept file never changes");
    let mut record = Record::create(&path, &sample::header()).unwrap();
    for trial in &study().trials {
        record.append(trial).unwrap();
    }
    record.set_stopped(study().stopped).unwrap();
    let lines = study().lines.unwrap();
    record.set_lines(&sample::lines()).unwrap();
    for run in &lines.trials {
        record.append_line(run).unwrap();
    }
    record.set_lines(&lines).unwrap();
    record.set_objects(&objects::run()).unwrap();
}

/// The tables in the descriptions are the tables in the files, in both directions.
#[test]
fn the_descriptions_name_every_table_and_column() {
    described("nw-file.md", &kept("version-2"), 80);
    described("nw-series.md", &kept("series-version-1"), 70);
    described("nw-snapshot.md", &kept("snapshot-version-6"), 40);
    described("nw-objects.md", &kept("objects-version-1"), 60);
}

fn described(document: &str, file: &Path, at_least: usize) {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats").join(document);
    let document = std::fs::read_to_string(document).unwrap();
    let sql = Connection::open(file).unwrap();
    let mut query = sql
        .prepare(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
             WHERE m.type IN ('table', 'view') ORDER BY 1, c.cid",
        )
        .unwrap();
    let columns: Vec<(String, String)> =
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    assert!(columns.len() > at_least, "{} columns", columns.len());
    let section = |table: &str| {
        let rest = document.split(&format!("\n### `{table}`")).nth(1);
        let rest = rest.unwrap_or_else(|| panic!("no section for the table {table}"));
        rest.split("\n#").next().unwrap_or_default()
    };
    for (table, column) in &columns {
        assert!(section(table).contains(&format!("`{column}`")), "{table}.{column} is not described");
    }
    for heading in document.lines().filter_map(|line| line.strip_prefix("### `")) {
        let table = heading.trim_end_matches(|c| c != '`').trim_end_matches('`');
        assert!(columns.iter().any(|(name, _)| name == table), "{table} is described and not there");
    }
}

/// Two sessions of a job; `numawise report` is tested with it, too.
fn looks() -> Vec<Snapshot> {
    snapshots(24)
}

#[test]
fn a_series_of_version_1_can_be_read_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("series-version-1"), &path).unwrap();
    assert_eq!(Series::read(&path).unwrap(), (sample::machine(), looks()));
    crate::series::sample::open(&path).append(&looks()[0]).unwrap();
    assert_eq!(Series::read(&path).unwrap().1.len(), 25);
}

#[test]
#[ignore = "makes a file for testdata/records, once per version of the format"]
fn makes_the_kept_series() {
    let path = kept("series-version-1");
    assert!(!path.exists(), "a kept file never changes");
    for session in looks().chunks(12) {
        let mut series = crate::series::sample::open(&path);
        for look in session {
            series.append(look).unwrap();
        }
    }
}

#[test]
fn a_snapshot_of_version_1_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("snapshot-version-1"), &path).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), watched::run());
}

#[test]
fn a_snapshot_of_merged_ranks_of_version_1_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("snapshot-merged-version-1"), &path).unwrap();
    let mut read = read_watched_run(&path).unwrap();
    let mut expected = watched::merged_run();
    // How long threads had no CPU was not asked then.
    let [time, expected_time] = [&mut read, &mut expected].map(|run| &mut run.merged.as_mut().unwrap().time);
    assert!(time.without_cpu().measured().is_none());
    time.delay_unknown = expected_time.delay_unknown;
    assert_eq!(read, expected);
}

#[test]
fn a_snapshot_of_version_2_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("snapshot-version-2"), &path).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), watched::with_objects());
}

#[test]
fn a_snapshot_of_version_3_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("snapshot-version-3"), &path).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), watched::traced_run(99));
}

#[test]
fn a_snapshot_of_version_4_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("snapshot-version-4"), &path).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), watched::spanned_run(99, 99));
}

#[test]
fn a_snapshot_of_version_5_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("snapshot-version-5"), &path).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), watched::seen_run(99));
}

#[test]
fn a_snapshot_of_version_6_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("snapshot-version-6"), &path).unwrap();
    assert_eq!(read_watched_run(&path).unwrap(), watched::seen_run(99));
}

#[test]
#[ignore = "makes a file for testdata/records, once per version of the format"]
fn makes_the_kept_snapshot() {
    let path = kept("snapshot-version-6");
    assert!(!path.exists(), "a kept file never changes");
    save_watched_run(&path, &watched::seen_run(99), Existing::Stays).unwrap();
}

#[test]
fn objects_of_version_1_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept("objects-version-1"), &path).unwrap();
    assert_eq!(read_object_run(&path).unwrap(), objects::run());
}

#[test]
#[ignore = "makes a file for testdata/records, once per version of the format"]
fn makes_the_kept_objects() {
    let path = kept("objects-version-1");
    assert!(!path.exists(), "a kept file never changes");
    save_object_run(&path, &objects::run(), Existing::Stays).unwrap();
}
