//! Terminals that go away, and Ctrl-C: what is running ends in order, what is recorded stays.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use crate::pty::{CTRL_C, Terminal, ended, typed};
use crate::support::{Place, RECORD, Random};

/// As many terminals are closed, each under one of four commands, alone or behind a shell.
const CLOSED: usize = 8;

fn check(program: &str) -> [&str; 9] {
    ["check", "--budget", "300ms", "--repeats", "10", "-o", RECORD, "--", program]
}

/// What was recorded is whole and complete but for one, nothing is left but what is `expected`, and it goes on.
fn goes_on(place: &Place, program: &str, expected: &[&str], what: &str) -> usize {
    let (trials, (_, runs)) = (place.trials(), place.runs());
    assert!(trials + 1 >= runs, "{what}: {trials} trials of {runs} runs");
    assert_eq!(place.left_running(), Vec::<String>::new(), "{what}");
    assert_eq!(place.left_lying(expected), [].into(), "{what}");
    assert!(place.numawise(&check(program)).status().unwrap().success(), "{what}");
    assert_eq!(place.left_lying(&[RECORD]), [].into(), "{what}");
    assert!(place.trials() >= trials.max(21), "{what}");
    trials
}

#[test]
fn closed_terminals_lose_nothing() {
    let mut random = Random::new("terminals");
    let mut statuses: BTreeMap<String, usize> = BTreeMap::new();
    let mut trials = 0;
    for round in 0..CLOSED {
        let place = Place::new();
        let program = place.program("0.15");
        let program = program.to_str().unwrap();
        let own = std::process::id().to_string();
        let (check, run) = (check(program), ["run", "--", program]);
        let (words, most): (&[&str], _) = match round % 4 {
            0 | 1 => (&check, 600_000),
            2 => (&["where", "--watch", &own], 500_000),
            _ => (&run, 60_000),
        };
        let behind_a_shell = [0, 3, 5, 6].contains(&round);
        let what = format!("{} {}", words[0], if behind_a_shell { "behind a shell" } else { "alone" });
        let (mut terminal, mut child) = Terminal::start(&mut typed(&place, words, behind_a_shell));
        terminal.read_for(random.micros(most));
        drop(terminal);
        let status = ended(&mut child, &what);
        let status =
            status.signal().map_or(format!("{:?}", status.code()), |signal| format!("signal {signal}"));
        *statuses.entry(format!("{}: {status}", words[0])).or_default() += 1;
        if words[0] == "check" {
            trials += goes_on(&place, program, &[RECORD], &what);
        }
        assert_eq!((place.left_running(), place.left_lying(&[RECORD])), (vec![], [].into()), "{what}");
    }
    eprintln!(
        "closed terminals: {CLOSED}, ended as {statuses:?}; {trials} trials kept, every study went on, nothing was left"
    );
}

#[test]
fn a_hang_up_that_is_ignored_does_not_end_a_check() {
    let place = Place::new();
    let program = place.program("0.01");
    let program = program.to_str().unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_numawise")])
        .args(check(program));
    place.settle(&mut command);
    let (mut terminal, mut child) = Terminal::start(&mut command);
    terminal.read_for(Duration::from_millis(300));
    drop(terminal);
    ended(&mut child, "with hang-ups ignored");
    assert!(place.trials() >= 21 && place.stopped().is_some(), "{} trials", place.trials());
    assert_ne!(place.stopped().as_deref(), Some("interrupted"));
    assert_eq!(place.left_running(), Vec::<String>::new());
}

#[test]
fn ctrl_c_once_or_twice_keeps_what_there_is() {
    /// The study does not end before Ctrl-C: this run of it waits.
    const LAST: usize = 9;
    let mut random = Random::new("Ctrl-C");
    let mut trials = 0;
    for round in 0..4 {
        let place = Place::new();
        let program = place.program_that_waits("0.15", LAST);
        let program = program.to_str().unwrap();
        let (mut terminal, mut child) = Terminal::start(&mut typed(&place, &check(program), false));
        place.wait_for_run(1);
        // In the middle of a run, or at any moment.
        if round < 2 {
            place.wait_for_run(LAST);
        }
        terminal.read_for(random.micros(300_000));
        terminal.press(CTRL_C);
        if round % 2 == 1 {
            terminal.read_for(random.micros(30_000));
            terminal.press(CTRL_C);
        }
        terminal.read_for(Duration::from_millis(100));
        let status = ended(&mut child, "after Ctrl-C");
        assert_eq!((status.code(), status.signal()), (Some(130), None), "round {round}");
        drop(terminal);
        place.let_go();
        // The second one ends us at once, be it within a transaction; the next one that opens the record takes it back.
        let expected = if round % 2 == 1 { &[RECORD, "a.nw-journal"][..] } else { &[RECORD] };
        trials += goes_on(&place, program, expected, &format!("Ctrl-C, round {round}"));
    }
    eprintln!(
        "Ctrl-C: 4 times, 2 of them twice; {trials} trials kept, every study went on, nothing was left"
    );
}
