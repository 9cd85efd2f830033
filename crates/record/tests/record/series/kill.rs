//! Killed at any moment, the file is whole and at most the look in flight is lost.

use std::io::Write;
use std::path::Path;

use numawise_record::{RecordError, Series};

use super::sample;
use crate::killer::{Killer, assert_whole};

const PATH: &str = "NUMAWISE_TEST_SERIES_TO_WRITE";
const ROUNDS: u32 = 8;
/// As many kills where it is asked at which moments they land.
const MANY_ROUNDS: u32 = 40;

/// Not a test by itself: the process that is killed. Says each number when its look is kept.
#[test]
fn the_recorder_that_is_killed() {
    let Some(path) = std::env::var_os(PATH) else {
        return;
    };
    let path = Path::new(&path);
    let mut series = sample::open(path);
    let first = Series::read(path).unwrap().1.len() as u64;
    let mut out = std::io::stdout();
    for look in first..first + 2000 {
        series.append(&sample::snapshot(look)).unwrap();
        writeln!(out, "kept {look}").unwrap();
    }
}

#[test]
fn a_killed_recorder_loses_at_most_the_look_in_flight() {
    assert!(kill(ROUNDS).0 > 0, "no recorder kept anything");
}

#[test]
#[ignore = "timing: at which moments random kills land"]
fn many_kills_of_a_recorder_land_inside_of_transactions_too() {
    assert!(kill(MANY_ROUNDS).1 > 0, "no recorder was killed inside a transaction");
}

/// Kills so many; how much was kept in the end, and how many journals were left.
fn kill(rounds: u32) -> (usize, u32) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.nw");
    let mut killer = Killer::new("series::kill::the_recorder_that_is_killed", PATH);
    let (mut kept, mut hot) = (0, 0);
    for round in 0..rounds {
        let said = killer.kill_one(&path, round).map_or(kept, |number| number + 1);

        hot += u32::from(folder.path().join("job.nw-journal").exists());
        let looks = match Series::read(&path) {
            Ok((_, looks)) => looks,
            Err(RecordError::Missing(_) | RecordError::Empty(_)) if said == 0 => continue,
            Err(error) => panic!("round {round}: {error}"),
        };
        // One more than was said: killed between keeping and saying.
        assert!((said..=said + 1).contains(&looks.len()), "round {round}: {} of {said}", looks.len());
        assert_eq!(looks, sample::snapshots(looks.len() as u64), "round {round}");
        kept = looks.len();
        assert_whole(&path);
    }
    eprintln!("{rounds} kills: {kept} looks kept, {hot} journals rolled back");
    (kept, hot)
}
