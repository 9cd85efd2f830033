use super::*;
use crate::snapshot::files::FILES;
use crate::snapshot::mpi::{CALLS, COMMUNICATORS, SITES, SIZES};
use crate::snapshot::openmp::{LOOPS, REGIONS};
use crate::snapshot::phases::PHASES;
use crate::snapshot::processes::{TIMES, WHO};
use crate::snapshot::surroundings::{MEMORY, PLACED};
use crate::snapshot::worlds::WORLDS;

struct Sample {
    time: Reading<Nanoseconds>,
    bytes: Reading<Bytes>,
}

declare! {
    SAMPLE: Sample {
        both "seconds" Time |of| of.time.clone() => number: "time", last_in_json: true, compared: 2;
        both "sent_bytes" Bytes |of| of.bytes.clone() => number: "sent", at: 1, compared: 1;
        json "share" Share |_of| Reading::Measured(Ratio(0.25));
        shown "share" Efficiency |_of| Reading::Measured(Ratio(0.25)) => when: When::WithMpi;
    }
}

fn sample() -> Sample {
    Sample { time: Reading::unavailable("no clock"), bytes: Reading::Measured(Bytes(2048)) }
}

#[test]
fn one_declaration_has_all_faces() {
    let json = object(SAMPLE, &sample()).to_string();
    assert_eq!(json, r#"{"sent_bytes":2048,"share":0.25,"seconds":{"unavailable":"no clock"}}"#);
    let cells: Vec<_> = csv(SAMPLE, &sample()).into_iter().map(|of| (of.name, of.unit, of.value)).collect();
    let bytes = Reading::Measured("2048".to_owned());
    assert_eq!(cells, [("seconds", "s", Reading::unavailable("no clock")), ("sent_bytes", "bytes", bytes)]);
    let table = table(&[SAMPLE], &[sample()], None, |when| when != When::WithMpi);
    let columns: Vec<_> = table.columns.iter().map(|of| (of.title.as_str(), of.only)).collect();
    assert_eq!(columns, [("sent", None), ("time", None), ("share", Some(Face::Html))]);
    let cells: Vec<_> = table.rows[0].cells.iter().map(|cell| cell.text.clone()).collect();
    assert_eq!(cells, ["2 KiB".into(), Text::unavailable("no clock"), "0.25".into()]);
}

#[test]
fn two_runs_stand_side_by_side_also_where_one_has_no_such_row() {
    let of = sample();
    assert_eq!(
        [compared_json(&[SAMPLE], Some(&of)).to_string(), compared_json(&[SAMPLE], None).to_string()],
        [r#"{"sent_bytes":2048,"seconds":{"unavailable":"no clock"}}"#, "null"]
    );
    let table = compared(&[SAMPLE], vec![("rank 0".to_owned(), [Some(&of), None])]);
    assert_eq!(table.rows[0].cells[1].text.0.len(), 3, "{:?}", table.rows[0]);
    assert_eq!(table.columns.iter().map(|of| of.title.as_str()).collect::<Vec<_>>()[1..], ["sent", "time"]);
}

type NameOf<R> = fn(&Figure<R>) -> &'static str;

/// Of lists that make one object, or one row, or one table.
fn once<R>(figures: &[&[Figure<R>]], name: NameOf<R>) {
    let mut names: Vec<_> = figures.iter().copied().flatten().map(name).filter(|of| !of.is_empty()).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|one, other| one < other), "twice the same of {names:?}");
}

fn says_unit<R>(figure: &Figure<R>) {
    for name in [figure.json, figure.csv].into_iter().filter(|name| !name.is_empty()) {
        let ends = [("seconds", "s"), ("bytes", "bytes")].into_iter().find(|(end, _)| name.ends_with(end));
        let unit = Some(figure.unit.name()).filter(|unit| ["s", "bytes"].contains(unit));
        assert!(
            ends.map(|(_, unit)| unit) == unit || figure.csv.is_empty(),
            "{name}: {}",
            figure.unit.name()
        );
    }
}

#[test]
fn names_stand_once_and_say_their_unit() {
    fn all<R>(figures: &[Figure<R>]) {
        once(&[figures], |one| one.json);
        once(&[figures], |one| one.csv);
        once(&[figures], |one| one.title);
        figures.iter().for_each(says_unit);
    }
    [WHO, TIMES, PLACED, MEMORY, FILES].into_iter().for_each(all);
    all(CALLS);
    all(SITES);
    all(SIZES);
    all(COMMUNICATORS);
    all(REGIONS);
    all(LOOPS);
    all(WORLDS);
    all(PHASES);
    once(&[WHO, TIMES], |one| one.json);
    once(&[WHO, TIMES, PLACED, MEMORY], |one| one.csv);
    once(&[WHO, FILES], |one| one.csv);
    once(&[WHO, PLACED, MEMORY], |one| one.title);
}
