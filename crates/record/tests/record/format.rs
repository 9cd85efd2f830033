//! Files of every version that was ever released can be read.

use std::path::{Path, PathBuf};

use numawise_facts::{StopReason, Study, Trial};
use numawise_record::Record;
use rusqlite::Connection;

use crate::sample;

fn kept(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records").join(format!("version-{version}.nw"))
}

/// What is in the kept file.
fn study() -> Study {
    Study {
        header: sample::header(),
        trials: (0..8).map(sample::trial).collect::<Vec<Trial>>(),
        stopped: Some(StopReason::BudgetSpent),
    }
}

#[test]
fn a_record_of_version_1_can_be_read() {
    // Read from a copy: nothing may touch the kept file, not even a journal beside it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.nw");
    std::fs::copy(kept(1), &path).unwrap();
    let mut record = Record::open(&path).unwrap();
    assert_eq!(record.study().unwrap(), study());
    record.append(&sample::trial(8)).unwrap();
}

/// Writes the kept file of the present version: `cargo test -p numawise-record -- --ignored write_the_kept_file`.
#[test]
#[ignore = "makes a file for testdata/records, once per version of the format"]
fn write_the_kept_file() {
    let path = kept(1);
    assert!(!path.exists(), "a kept file never changes");
    let mut record = Record::create(&path, &sample::header()).unwrap();
    for trial in &study().trials {
        record.append(trial).unwrap();
    }
    record.set_stopped(study().stopped).unwrap();
}

/// The tables in the description are the tables in the file, in both directions.
#[test]
fn the_description_names_every_table_and_column() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/nw-file.md");
    let document = std::fs::read_to_string(document).unwrap();
    let sql = Connection::open(kept(1)).unwrap();
    let mut query = sql
        .prepare(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
             WHERE m.type IN ('table', 'view') ORDER BY 1, c.cid",
        )
        .unwrap();
    let columns: Vec<(String, String)> =
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    assert!(columns.len() > 80);
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
