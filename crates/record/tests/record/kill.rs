//! Killed at any moment, the file is whole and at most the trial in flight is lost.

use std::io::Write;
use std::path::Path;

use numawise_record::{Record, RecordError};

use crate::killer::{Killer, assert_whole};
use crate::sample;

const PATH: &str = "NUMAWISE_TEST_RECORD_TO_WRITE";
const ROUNDS: u32 = 10;
/// As many kills where it is asked at which moments they land.
const MANY_ROUNDS: u32 = 60;

/// Not a test by itself: the process that is killed. Says each number when its trial is kept.
#[test]
fn the_writer_that_is_killed() {
    let Some(path) = std::env::var_os(PATH) else {
        return;
    };
    let path = Path::new(&path);
    let mut record = match Record::open(path) {
        Ok(record) => record,
        Err(RecordError::Missing(_) | RecordError::Empty(_)) => {
            Record::create(path, &sample::header()).unwrap()
        }
        Err(error) => panic!("{error}"),
    };
    let first = record.study().unwrap().trials.len() as u32;
    let mut out = std::io::stdout();
    for number in first..first + 2000 {
        record.append(&sample::trial(number)).unwrap();
        writeln!(out, "kept {number}").unwrap();
    }
}

#[test]
fn a_killed_writer_loses_at_most_the_trial_in_flight() {
    assert!(kill(ROUNDS).0 > 0, "no writer kept anything");
}

#[test]
#[ignore = "timing: at which moments random kills land"]
fn many_kills_of_a_writer_land_inside_of_transactions_too() {
    assert!(kill(MANY_ROUNDS).1 > 0, "no writer was killed inside a transaction");
}

/// Kills so many; how much was kept in the end, and how many journals were left.
fn kill(rounds: u32) -> (usize, u32) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    let mut killer = Killer::new("kill::the_writer_that_is_killed", PATH);
    let mut kept = 0;
    let (mut in_flight, mut hot) = (0, 0);
    for round in 0..rounds {
        let said = killer.kill_one(&path, round).map_or(kept, |number| number + 1);

        if path.with_extension("nw-journal").exists() {
            hot += 1;
        }
        let record = match Record::open(&path) {
            Ok(record) => record,
            Err(RecordError::Missing(_) | RecordError::Empty(_)) if said == 0 => continue,
            Err(error) => panic!("round {round}: {error}"),
        };
        let trials = record.study().unwrap().trials;
        drop(record);
        // One more than was said: killed between keeping and saying.
        assert!((said..=said + 1).contains(&trials.len()), "round {round}: {} of {said}", trials.len());
        in_flight += trials.len() - said;
        for (number, trial) in trials.iter().enumerate().skip(kept) {
            assert_eq!(*trial, sample::trial(number as u32));
        }
        kept = trials.len();
        assert_whole(&path);
    }
    eprintln!(
        "{rounds} kills: {kept} trials kept, {hot} journals rolled back, {in_flight} kept and not yet said"
    );
    (kept, hot)
}
