//! Killed at any moment, the file is whole and at most the trial in flight is lost.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use numawise_record::{Record, RecordError};
use rusqlite::Connection;

use crate::sample;

const PATH: &str = "NUMAWISE_TEST_RECORD_TO_WRITE";
const ROUNDS: u32 = 60;

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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut kept = 0;
    let (mut in_flight, mut hot) = (0, 0);
    for round in 0..ROUNDS {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::the_writer_that_is_killed", "--nocapture"])
            .env(PATH, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // xorshift: any spread of moments will do, the same every time.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(random % 60_000));
        writer.kill().unwrap();
        let said = BufReader::new(writer.stdout.take().unwrap());
        let last = said
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| line.split_once("kept ")?.1.parse::<usize>().ok())
            .last();
        writer.wait().unwrap();
        let said = last.map_or(kept, |number| number + 1);

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
        let check: String = Connection::open(&path)
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
    }
    eprintln!(
        "{ROUNDS} kills: {kept} trials kept, {hot} journals rolled back, {in_flight} kept and not yet said"
    );
    assert!(kept > 0, "no writer lived long enough to keep a trial");
    assert!(hot > 0, "no writer was killed inside a transaction");
}
