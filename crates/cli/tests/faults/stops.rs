//! Ctrl-Z and other stops: what is stopped takes no time that counts, and who waits for a program that is stopped is told.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::pty::{CTRL_C, CTRL_Z, Terminal, ended, typed};
use crate::support::{Place, RECORD, is_stopped, send, wait_until};

/// What numawise says of a program that has been stopped for this long.
const TOLD_AFTER: Duration = Duration::from_secs(3);
const TOLD: &str = "has been stopped by signal";

fn check(program: &str) -> [&str; 9] {
    ["check", "--budget", "300ms", "--repeats", "5", "-o", RECORD, "--", program]
}

/// A command in a shell with job control; whoever presses Enter while it is stopped has it go on in the foreground.
fn in_a_shell(place: &Place, words: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = "set -m; \"$@\"; echo \"stopped: $?\"; read _; fg %1 > /dev/null; exit";
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_numawise")]).args(words);
    place.settle(&mut command);
    command
}

/// The trials that a stop of the program spoilt, with the nanoseconds that it took.
fn stopped_trials(told: &Value) -> Vec<(&Value, u64)> {
    let time = |trial: &Value| {
        let stops = trial["disturbances"].as_array()?.iter().find(|one| one["kind"] == "stopped")?;
        stops["time_ns"].as_u64()
    };
    told["trials"].as_array().unwrap().iter().filter_map(|trial| Some((trial, time(trial)?))).collect()
}

/// There is one such trial of at least this length, which does not count, and another of the same block and placement in its stead.
fn one_is_repeated(told: &Value, least: Duration, what: &str) {
    let stopped = stopped_trials(told);
    assert_eq!(stopped.len(), 1, "{what}: {told}");
    let (trial, time) = stopped[0];
    assert!(Duration::from_nanos(time) >= least, "{what}: {trial}");
    let same = |other: &&Value| other["block"] == trial["block"] && other["point"] == trial["point"];
    assert!(told["trials"].as_array().unwrap().iter().filter(same).count() >= 2, "{what}: {told}");
    let samples = |point: &Value| point["samples"].as_array().unwrap().clone();
    let counted: Vec<Value> = told["points"].as_array().unwrap().iter().flat_map(samples).collect();
    assert!(counted.len() >= 5 && !counted.contains(&trial["value"]), "{what}: {counted:?}");
}

/// A run that takes long, until [`wake`].
const LONG: &str = "sleep 777";

/// Ends what the programs wait for.
fn wake(place: &Place) {
    place.processes_with(LONG).into_iter().for_each(|sleeper| send(sleeper, libc::SIGTERM));
}

/// Presses Ctrl-Z while the programs run, finds all stopped, and has them go on after `time`.
fn press_ctrl_z(place: &Place, terminal: &mut Terminal, programs: usize, time: Duration, what: &str) {
    wait_until(what, || {
        terminal.read_for(Duration::from_millis(5));
        place.processes_with(LONG).len() == programs
    });
    terminal.press(CTRL_Z);
    wait_until(what, || {
        terminal.read_for(Duration::from_millis(5));
        terminal.shown.contains("stopped: ")
    });
    let all_stopped = || {
        let all = [place.processes_with("/bin/sh /"), place.processes_with(LONG)].concat();
        all.len() == 2 * programs && all.iter().all(|pid| is_stopped(*pid))
    };
    wait_until("the programs are stopped too", all_stopped);
    terminal.read_for(time);
    assert!(all_stopped(), "{what}: and stay so");
    terminal.press(b'\n');
    wait_until("they go on", || {
        terminal.read_for(Duration::from_millis(5));
        !place.processes_with(LONG).iter().any(|pid| is_stopped(*pid))
    });
    wake(place);
}

#[test]
fn ctrl_z_stops_the_program_too_and_the_run_does_not_count() {
    let place = Place::new();
    // Only the third run takes long, so that the test does not.
    let program = place.program_with("case $(grep -c begun \"${0%/*}/log\") in 3) sleep 777 ;; esac");
    let (mut terminal, mut child) =
        Terminal::start(&mut in_a_shell(&place, &check(program.to_str().unwrap())));
    // Longer than numawise would wait before it complained.
    let time = TOLD_AFTER + Duration::from_millis(200);
    press_ctrl_z(&place, &mut terminal, 1, time, "check");
    let status = shown_to_the_end(&mut terminal, &mut child);
    assert_eq!(status, Some(0), "{}", terminal.shown);
    one_is_repeated(&place.told(), time, "check");
    assert!(!terminal.shown.contains(TOLD), "{}", terminal.shown);
    assert!(terminal.shown.contains("does not count and is repeated"), "{}", terminal.shown);
    assert_eq!(place.left_running(), Vec::<String>::new());
}

#[test]
fn ctrl_z_stops_copies_too() {
    let place = Place::new();
    let program = place.program_with(LONG);
    let words = ["run", "--copies", "2", "--", program.to_str().unwrap()];
    let (mut terminal, mut child) = Terminal::start(&mut in_a_shell(&place, &words));
    press_ctrl_z(&place, &mut terminal, 2, Duration::from_millis(300), "copies");
    assert_eq!(shown_to_the_end(&mut terminal, &mut child), Some(0), "{}", terminal.shown);
    assert_eq!(place.runs(), (2, 2));
    assert_eq!(place.left_running(), Vec::<String>::new());
}

/// Reads what is shown until the command ends.
fn shown_to_the_end(terminal: &mut Terminal, child: &mut Child) -> Option<i32> {
    wait_until("the end", || {
        terminal.read_for(Duration::from_millis(10));
        child.try_wait().unwrap().is_some()
    });
    terminal.read_for(Duration::from_millis(10));
    child.wait().unwrap().code()
}

/// A leader of a session has no shell that could have it go on: the kernel stops no such process, and we stop no program then.
#[test]
fn ctrl_z_where_nobody_could_undo_it_changes_nothing() {
    let place = Place::new();
    let program = place.program_with("sleep 0.1");
    let (mut terminal, mut child) =
        Terminal::start(&mut typed(&place, &check(program.to_str().unwrap()), false));
    for _ in 0..4 {
        terminal.read_for(Duration::from_millis(130));
        terminal.press(CTRL_Z);
    }
    assert_eq!(shown_to_the_end(&mut terminal, &mut child), Some(0), "{}", terminal.shown);
    assert!(place.trials() >= 6);
}

/// Starts a check whose messages are read at its end.
fn started(place: &Place, program: &str) -> Child {
    place.numawise(&check(program)).stderr(Stdio::piped()).spawn().unwrap()
}

fn messages(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Starts a check at a terminal and waits until it tells there that the program has been stopped.
fn told_at_a_terminal(place: &Place, program: &Path) -> (Terminal, Child) {
    let command = &mut typed(place, &check(program.to_str().unwrap()), false);
    let (mut terminal, child) = Terminal::start(command);
    wait_until("it is told", || {
        terminal.read_for(Duration::from_millis(20));
        terminal.shown.contains(TOLD)
    });
    (terminal, child)
}

#[test]
fn a_stop_from_outside_spoils_the_run_and_no_other() {
    let place = Place::new();
    let program = place.program_with("case $(grep -c begun \"${0%/*}/log\") in 3) sleep 777 ;; esac");
    let child = started(&place, program.to_str().unwrap());
    wait_until("the third run", || !place.processes_with(LONG).is_empty());
    let shell = place.processes_with("/bin/sh /")[0];
    let begun = Instant::now();
    send(shell, libc::SIGSTOP);
    wait_until("stopped", || is_stopped(shell));
    // Both ends of a stop are seen a moment late.
    let least = Duration::from_millis(500);
    std::thread::sleep(least + Duration::from_millis(200));
    send(shell, libc::SIGCONT);
    let took = begun.elapsed();
    wake(&place);
    let (status, said) = messages(child);
    assert_eq!(status, Some(0), "{said}");
    one_is_repeated(&place.told(), least, "SIGSTOP");
    assert!(said.contains("does not count and is repeated"), "{said}");
    assert!(took >= TOLD_AFTER || !said.contains(TOLD), "{said}");
}

#[test]
fn a_program_that_stops_itself_is_told_once_while_it_is_waited_for() {
    let place = Place::new();
    let program = place.program_with("case $(grep -c begun \"${0%/*}/log\") in 3) kill -STOP $$ ;; esac");
    let (mut terminal, mut child) = told_at_a_terminal(&place, &program);
    let stopped = place.program_processes()[0];
    assert!(terminal.shown.contains(&format!("kill -CONT {stopped}")), "{}", terminal.shown);
    terminal.read_for(Duration::from_millis(500));
    send(stopped, libc::SIGCONT);
    assert_eq!(shown_to_the_end(&mut terminal, &mut child), Some(0), "{}", terminal.shown);
    assert_eq!(terminal.shown.matches(TOLD).count(), 1, "{}", terminal.shown);
    one_is_repeated(&place.told(), TOLD_AFTER, "SIGSTOP of its own");
}

#[test]
fn a_program_that_asks_at_the_terminal_is_told_with_the_reason_and_ctrl_c_ends_it() {
    let place = Place::new();
    let program = place.program_with("read answer < /dev/tty");
    let (mut terminal, mut child) = told_at_a_terminal(&place, &program);
    terminal.read_for(Duration::from_millis(200));
    assert!(terminal.shown.contains("it uses the terminal"), "{}", terminal.shown);
    terminal.press(CTRL_C);
    assert_eq!(ended(&mut child, "after Ctrl-C").code(), Some(130));
    assert_eq!(place.left_running(), Vec::<String>::new());
}

/// Who waits takes no CPU from the program that it times: not by looking again and again whether it has ended.
#[test]
fn a_study_sleeps_while_its_program_runs() {
    let place = Place::new();
    let program = place.program_with(LONG);
    let words = ["study", "--repeats", "1", "-o", RECORD, "--", program.to_str().unwrap()];
    let mut child = place.numawise(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the program", || place.processes_with(LONG).len() == 1);
    // What is done at the begin of a run is done then.
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    let before = main_thread_waits(child.id());
    std::thread::sleep(Duration::from_secs(2));
    let waits = main_thread_waits(child.id()) - before;
    let elapsed = begun.elapsed().as_secs_f64();
    send(child.id() as i32, libc::SIGTERM);
    let ended = child.wait().unwrap();
    assert!(!ended.success() && place.left_running().is_empty(), "{ended:?}");
    assert!((waits as f64) <= 2.0 * elapsed + 2.0, "{waits} times awake in {elapsed:.1} s");
}

/// How often the first thread of a process has waited.
fn main_thread_waits(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/task/{process}/status")).unwrap();
    let waits = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    waits.unwrap().trim().parse().unwrap()
}
