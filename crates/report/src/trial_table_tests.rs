use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::*;

fn table() -> TrialTable {
    let column = |name: &str, values| TrialColumn { name: name.to_owned(), values };
    TrialTable {
        columns: vec![
            column("trial", TrialValues::Integers(vec![Some(0), Some(1)])),
            column("wall_time_seconds", TrialValues::Numbers(vec![Some(0.25), None])),
            column("place", TrialValues::Texts(vec![Some("a,b".to_owned()), None])),
        ],
    }
}

#[test]
fn what_is_missing_is_an_empty_cell_or_null() {
    assert_eq!(csv(&table()), "trial,wall_time_seconds,place\n0,0.25,\"a,b\"\n1,,\n");
    let read: Value = serde_json::from_str(&json(&table())).unwrap();
    let first = object!({ "trial": 0, "wall_time_seconds": 0.25, "place": "a,b" });
    let second = object!({ "trial": 1, "wall_time_seconds": null, "place": null });
    assert_eq!(read, object!({ "schema": SCHEMA, "trials": [first, second] }));
}

#[test]
fn a_reader_of_parquet_finds_the_same() {
    let file = SerializedFileReader::new(Bytes::from(parquet(&table()).unwrap())).unwrap();
    assert_eq!(file.metadata().file_metadata().num_rows(), 2);
    let rows: Vec<_> = file.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows[0].get_long(0).unwrap(), 0);
    assert_eq!(rows[0].get_double(1).unwrap(), 0.25);
    assert_eq!(rows[0].get_string(2).unwrap(), "a,b");
    assert!(rows[1].get_double(1).is_err() && rows[1].get_string(2).is_err(), "{:?}", rows[1]);
}

#[test]
fn a_study_without_trials_is_a_file_without_rows() {
    let empty = TrialTable {
        columns: vec![TrialColumn { name: "trial".to_owned(), values: TrialValues::Integers(vec![]) }],
    };
    let file = SerializedFileReader::new(Bytes::from(parquet(&empty).unwrap())).unwrap();
    assert_eq!(file.metadata().file_metadata().num_rows(), 0);
    assert_eq!(csv(&empty), "trial\n");
}
