//! SIGKILL at any moment: of numawise, of its process group, of the program; while the record is made, while it is resumed, between and
//! within trials, while the report is written.

use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::support::{PATIENCE, Place, RECORD, Random, number_of, send};

/// As many kills in each run of the tests.
const FEW_KILLS: u64 = 12;
/// As many where it is asked at which moments they land, unless the environment says otherwise.
const KILLS: u64 = 200;
/// As many of them in one study, which is then carried out to its end.
const KILLS_EACH: u64 = 6;
/// The least number of kills that must land while the record is made, and while it is resumed.
const LEAST: usize = 30;
/// A run and what it leaves take less.
const A_RUN: Duration = Duration::from_millis(300);
const EXPECTED: [&str; 3] = [RECORD, "a.nw-journal", "r.html"];

/// Who is killed.
#[derive(Debug, Clone, Copy)]
enum Victim {
    Numawise,
    Group,
    Program,
}

/// What is waited for before the random delay begins.
#[derive(Debug, Clone, Copy)]
enum Cue {
    Start,
    /// The first run of this command has ended: the record is made now, or gets its next trial.
    RunEnded,
    /// SQLite writes.
    Journal,
    /// A file that has no name yet is being written: the record, or the report.
    Draft,
}

/// Where a kill has landed, by what the program and the record show afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    BeforeFirstRun,
    FirstRun,
    Making,
    Resuming,
    InTrial,
    BetweenTrials,
    Reporting,
    /// It had ended already: no kill.
    TooLate,
}

#[derive(Default)]
struct Tally {
    phases: BTreeMap<Phase, usize>,
    victims: BTreeMap<&'static str, usize>,
    kept: usize,
    lost: usize,
    most_lost: usize,
    journals: usize,
    drafts: usize,
    writing: usize,
    finished: usize,
}

#[test]
fn killed_at_any_moment_it_loses_at_most_one_trial() {
    kill(FEW_KILLS);
}

#[test]
#[ignore = "timing: at which moments random kills land"]
fn two_hundred_kills_land_at_all_moments_and_lose_at_most_one_trial_each() {
    let kills = number_of("NUMAWISE_FAULTS_KILLS").unwrap_or(KILLS);
    let tally = kill(kills);
    let count = |phase| tally.phases.get(&phase).copied().unwrap_or(0);
    if kills >= KILLS {
        assert!(count(Phase::Making) + count(Phase::Resuming) >= LEAST && count(Phase::Making) >= LEAST / 3);
        assert!(tally.journals > 0, "nothing was killed inside a transaction");
        assert!(tally.writing > 0, "nothing was killed while a file was written");
    }
}

fn kill(kills: u64) -> Tally {
    let begun = Instant::now();
    let mut random = Random::new("kills");
    let mut tally = Tally::default();
    let landed = |tally: &Tally| -> usize {
        tally.phases.iter().filter(|(phase, _)| **phase != Phase::TooLate).map(|(_, count)| count).sum()
    };
    while (landed(&tally) as u64) < kills {
        let place = Place::new();
        let program = place.program("0.15");
        let words = [
            "check",
            "--budget",
            "300ms",
            "--repeats",
            "10",
            "-o",
            RECORD,
            "--html",
            "r.html",
            "--",
            program.to_str().unwrap(),
        ];
        for _ in 0..KILLS_EACH {
            if !kill_once(&place, &words, &mut random, &mut tally) {
                break;
            }
        }
        let before = place.trials();
        let output = place.numawise(&words).stderr(std::process::Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(place.trials() >= before.max(21) && place.stopped().is_some());
        assert_eq!((place.left_running(), place.left_lying(&[RECORD, "r.html"])), (vec![], [].into()));
        tally.finished += 1;
    }
    eprintln!(
        "kills: {} landed {:?} of {:?}; {} runs of the program ended before a kill, {} of their trials were kept, {} lost, at most \
         {} by one kill; {} kills in a moment in which a file was written that had no name yet; {} journals rolled back, \
         {} drafts left and removed by the next command; {} studies finished, no record damaged, no process and no file left; {:.0?}",
        landed(&tally),
        tally.phases,
        tally.victims,
        tally.kept + tally.lost,
        tally.kept,
        tally.lost,
        tally.most_lost,
        tally.writing,
        tally.journals,
        tally.drafts,
        tally.finished,
        begun.elapsed()
    );
    assert!(tally.most_lost <= 1);
    tally
}

/// False when the study had ended before it could be killed.
fn kill_once(place: &Place, words: &[&str], random: &mut Random, tally: &mut Tally) -> bool {
    let victim =
        [Victim::Numawise, Victim::Numawise, Victim::Group, Victim::Program][random.below(4) as usize];
    let recorded = place.record().exists();
    let (trials_before, runs_before) = (place.trials(), place.runs());
    // Mostly over the time that a study takes; the rest where something happens to the files.
    let (cue, most) = match (random.below(10), recorded) {
        (0..=3, false) => (Cue::Draft, 3_000),
        (4 | 5, false) => (Cue::RunEnded, 150_000),
        (6 | 7, false) => (Cue::Start, 80_000),
        (0..=2, true) => (Cue::Start, 60_000),
        (3 | 4, true) => (Cue::Journal, 1_500),
        (5, true) => (Cue::Draft, 6_000),
        (6, true) => (Cue::RunEnded, 150_000),
        _ => (Cue::Start, 900_000),
    };
    let mut child = place.numawise(words).spawn().unwrap();
    wait_for(cue, place, &mut child, runs_before.1);
    let until = Instant::now() + random.micros(most);
    while Instant::now() < until && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200).min(until.saturating_duration_since(Instant::now())));
    }
    let late = child.try_wait().unwrap().is_some();
    let runs = place.runs();
    tally.writing += usize::from(!late && runs.1 > runs_before.1 && place.has_a_draft(child.id()));
    let victim = if late { "nobody" } else { strike(victim, place, &child) };
    if victim == "program" {
        // It goes on, with a failed trial; ended here, so that the next kill finds work to do.
        std::thread::sleep(random.micros(100_000));
    }
    let _ = child.kill();
    child.wait().unwrap();

    let journal = place.work().join("a.nw-journal").exists();
    // What ended in the moment of the kill is counted where that is on the safe side.
    let trials = place.trials();
    let (begun, ended) = (runs.0 - runs_before.0, runs.1 - runs_before.1);
    let phase = match (late, recorded) {
        (true, _) => Phase::TooLate,
        _ if place.stopped().is_some() => Phase::Reporting,
        (_, false) if begun == 0 => Phase::BeforeFirstRun,
        (_, false) if begun == 1 && ended == 0 => Phase::FirstRun,
        (_, false) if begun == 1 => Phase::Making,
        (_, true) if begun == 0 => Phase::Resuming,
        _ if begun > ended => Phase::InTrial,
        _ => Phase::BetweenTrials,
    };
    *tally.phases.entry(phase).or_default() += 1;
    *tally.victims.entry(victim).or_default() += 1;
    let lost = (trials_before + ended).saturating_sub(trials);
    assert!(
        lost <= 1,
        "{phase:?}, {victim}: {trials_before} trials, {ended} runs more, and then {trials} trials"
    );
    tally.lost += lost;
    tally.most_lost = tally.most_lost.max(lost);
    tally.kept += ended - lost;
    tally.journals += usize::from(journal);

    assert_eq!(place.left_running(), Vec::<String>::new(), "{phase:?}, {victim}");
    let lying = place.left_lying(&EXPECTED);
    // Only in the moment in which a report takes the place of another has it a name; the next one removes it.
    assert!(
        lying.iter().all(|name| name.starts_with(".numawise-")) && lying.len() <= 1,
        "{phase:?}: {lying:?}"
    );
    tally.drafts += lying.len();
    phase != Phase::TooLate
}

/// Waits for the cue, or the end of the command.
fn wait_for(cue: Cue, place: &Place, child: &mut Child, ended: usize) {
    let journal = place.work().join("a.nw-journal");
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        let seen = match cue {
            Cue::Start => true,
            Cue::RunEnded => place.runs().1 > ended,
            Cue::Journal => journal.exists(),
            // One that is opened before the first run only tries whether there is room.
            Cue::Draft => place.runs().1 > ended && place.has_a_draft(child.id()),
        };
        if seen {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "no {cue:?} in a minute");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Who was killed in the end.
fn strike(victim: Victim, place: &Place, child: &Child) -> &'static str {
    let pid = child.id() as i32;
    match victim {
        Victim::Program => {
            // Most of the time none runs.
            let begun = Instant::now();
            let mut programs = place.program_processes();
            while programs.is_empty() && begun.elapsed() < A_RUN {
                programs = place.program_processes();
            }
            if let Some(program) = programs.first() {
                send(*program, libc::SIGKILL);
                return "program";
            }
            send(pid, libc::SIGKILL);
            "numawise"
        }
        Victim::Numawise => {
            send(pid, libc::SIGKILL);
            "numawise"
        }
        Victim::Group => {
            send(-pid, libc::SIGKILL);
            "group"
        }
    }
}
