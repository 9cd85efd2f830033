//! SIGKILL of a study of a grid at any moment, with copies at once and with what is run around trials: the record is whole, at most one
//! trial is lost, nothing runs on, and the same command goes on to the end.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::support::{Place, RECORD, Random, send};

const KILLS: u64 = 5;
const MANY_KILLS: u64 = 200;
/// As many of them in one study, which is then carried out to its end.
const KILLS_EACH: u64 = 5;
const REPEATS: usize = 4;
/// Two numbers of copies by two levels of a parameter, and the warm-up.
const TRIALS: usize = 1 + 4 * REPEATS;
/// A study takes about as long; what comes later meets the report.
const LONGEST_MICROS: u64 = 1_200_000;
const EXPECTED: [&str; 3] = [RECORD, "a.nw-journal", "r.html"];

/// Runs of the program that have ended: by copies and parameter, for each copy.
type EndedRuns = BTreeMap<(usize, String), [usize; 2]>;

/// A program that notes where it begins and ends, and leaves a child that outlives it.
struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    fn new() -> Program {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let text = format!(
            "#!/bin/sh\nsleep 0.15 > /dev/null 2>&1 &\nsleep 0.02\necho \"ended $*\" >> '{}'\n",
            log.display()
        );
        let path = folder.path().join("program");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Program { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    fn ended(&self) -> EndedRuns {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let mut ended = EndedRuns::new();
        for line in log.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let ["ended", copies, level, task] = words[..] else { panic!("{line}") };
            let point = (copies.parse().unwrap(), level.to_owned());
            ended.entry(point).or_default()[task.parse::<usize>().unwrap()] += 1;
        }
        ended
    }
}

/// How many trials have ended between two moments in which none ran: all copies of each.
fn trials_between(before: &EndedRuns, after: &EndedRuns) -> usize {
    let of_point = |(point, runs): (&(usize, String), &[usize; 2])| {
        let earlier = before.get(point).copied().unwrap_or_default();
        (0..point.0).map(|copy| runs[copy] - earlier[copy]).min().unwrap_or(0)
    };
    after.iter().map(of_point).sum()
}

#[derive(Debug, Default)]
struct Tally {
    landed: u64,
    before_the_record: usize,
    lost: usize,
    journals: usize,
    finished: usize,
}

#[test]
fn a_study_killed_at_any_moment_loses_at_most_one_trial() {
    kill(KILLS);
}

#[test]
#[ignore = "timing: at which moments random kills land"]
fn a_study_killed_at_two_hundred_moments_loses_at_most_one_trial_each() {
    kill(MANY_KILLS);
}

fn kill(kills: u64) {
    let begun = Instant::now();
    let mut random = Random::new("kills of studies");
    let mut tally = Tally::default();
    while tally.landed < kills {
        let (place, program) = (Place::new(), Program::new());
        let path = program.path();
        let repeats = REPEATS.to_string();
        let around = ["--prepare", "sleep 0.005", "--verify", "true", "--html", "r.html"];
        let grid = ["--copies", "1,2", "--param", "n=a,b", "--repeats", &repeats, "-o", RECORD];
        let command = ["--", path.to_str().unwrap(), "{copies}", "{n}", "{task}"];
        let words = [&["study"], &around[..], &grid[..], &command[..]].concat();
        for _ in 0..KILLS_EACH {
            if tally.landed == kills || !kill_once(&place, &program, &words, &mut random, &mut tally) {
                break;
            }
        }
        finish(&place, &words);
        tally.finished += 1;
    }
    eprintln!("kills of studies: {tally:?}; no record damaged, no process left; {:.0?}", begun.elapsed());
}

/// The same command carries it to the end: each point has all its trials, and none twice.
fn finish(place: &Place, words: &[&str]) {
    let output = place.numawise(words).stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let study = place.told();
    for point in study["points"].as_array().unwrap() {
        assert_eq!((&point["n"], &point["failures"]), (&REPEATS.into(), &0.into()), "{point}");
    }
    // One that the machine interrupted is run again.
    assert!(place.trials() >= TRIALS && study["stopped"] == "decided", "{study}");
    assert_eq!((place.left_running(), place.left_lying(&[RECORD, "r.html"])), (vec![], [].into()));
}

/// False when the study had ended before it could be killed.
fn kill_once(
    place: &Place,
    program: &Program,
    words: &[&str],
    random: &mut Random,
    tally: &mut Tally,
) -> bool {
    let (trials_before, ended_before) = (place.trials(), program.ended());
    let mut child = place.numawise(words).spawn().unwrap();
    let delay = random.micros(LONGEST_MICROS);
    let of_group = random.below(3) == 0;
    let until = Instant::now() + delay;
    while Instant::now() < until && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200).min(until.saturating_duration_since(Instant::now())));
    }
    if child.try_wait().unwrap().is_some() {
        return false;
    }
    let pid = child.id() as i32;
    send(if of_group { -pid } else { pid }, libc::SIGKILL);
    child.wait().unwrap();
    assert_eq!(place.left_running(), Vec::<String>::new(), "after {delay:?}");
    tally.journals += usize::from(place.work().join("a.nw-journal").exists());
    tally.before_the_record += usize::from(!place.record().exists());
    // The record is looked at as a whole, and a report of it can be had.
    let trials = place.trials();
    if trials > 0 {
        assert_eq!(place.told()["schema"], "numawise/study/1");
    }
    let lost = (trials_before + trials_between(&ended_before, &program.ended())).saturating_sub(trials);
    assert!(lost <= 1, "after {delay:?}: {trials_before} trials, then {trials}, {lost} lost");
    tally.lost += lost;
    let lying = place.left_lying(&EXPECTED);
    assert!(
        lying.iter().all(|name| name.starts_with(".numawise-")) && lying.len() <= 1,
        "after {delay:?}: {lying:?}"
    );
    tally.landed += 1;
    true
}
