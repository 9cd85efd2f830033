//! What a program leaves running: nothing of it outlives its trial, nor numawise, however that ends.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;

use crate::pty::{Terminal, ended, typed};
use crate::support::{Place, RECORD, Random, send, wait_until};

/// Programs whose children live longer than any test, each in another way out of reach.
pub const CHILDREN: [(&str, &str); 6] = [
    ("in the background", "sleep 600 > /dev/null 2>&1 &"),
    ("as an orphan", "(sleep 600 > /dev/null 2>&1 &)"),
    ("in a session of its own", "setsid sleep 600 > /dev/null 2>&1 < /dev/null &"),
    (
        "as an orphan of an orphan in a session of its own",
        "setsid sh -c '(setsid sleep 600 &)' > /dev/null 2>&1 < /dev/null &",
    ),
    ("stopped", "sleep 600 > /dev/null 2>&1 & kill -STOP $!"),
    ("deaf to hang-ups, and with the output in its hands", "trap '' HUP TERM; sh -c 'sleep 600; :' &"),
];

/// Ways to end numawise from outside, with the status that it has then.
const ENDS: [(&str, End, Option<i32>); 7] = [
    ("SIGKILL", End::Signal(libc::SIGKILL), None),
    ("SIGKILL of its group", End::SignalOfGroup(libc::SIGKILL), None),
    ("SIGTERM", End::Signal(libc::SIGTERM), Some(130)),
    ("SIGINT of its group", End::SignalOfGroup(libc::SIGINT), Some(130)),
    ("SIGHUP", End::Signal(libc::SIGHUP), Some(130)),
    ("its terminal is closed", End::Terminal, Some(130)),
    ("SIGQUIT", End::Signal(libc::SIGQUIT), None),
];

#[derive(Clone, Copy)]
pub enum End {
    Signal(i32),
    SignalOfGroup(i32),
    Terminal,
}

/// Starts a command, ends it a while after so many more runs have begun, and gives its status. It makes no difference when it was over
/// before.
fn end_it(place: &Place, words: &[&str], end: End, runs: usize, after: Duration) -> Option<i32> {
    let runs = place.runs().0 + runs;
    if let End::Terminal = end {
        let (mut terminal, mut child) = Terminal::start(&mut typed(place, words, false));
        place.wait_for_run(runs);
        terminal.read_for(after);
        drop(terminal);
        return ended(&mut child, "without its terminal").code();
    }
    let mut numawise = place.numawise(words).spawn().unwrap();
    place.wait_for_run(runs);
    std::thread::sleep(after);
    let pid = numawise.id() as i32;
    match end {
        End::Signal(signal) => send(pid, signal),
        End::SignalOfGroup(signal) => send(-pid, signal),
        End::Terminal => {}
    }
    ended(&mut numawise, "after a signal").code()
}

/// Each kind of children with so many of these ways to end, and each way with some kind.
fn pairs(ways: usize) -> impl Iterator<Item = (usize, Vec<usize>)> {
    (0..CHILDREN.len()).map(move |kind| (kind, (0..ways).map(|k| (kind * ways + k) % ENDS.len()).collect()))
}

#[test]
fn no_process_outlives_us() {
    let mut random = Random::new("leftovers");
    let mut runs = 0;
    for (kind, ways) in pairs(2) {
        let (how, child) = CHILDREN[kind];
        let place = Place::new();
        let program = place.program_with(child);
        let program = program.to_str().unwrap();
        let words = ["check", "--budget", "300ms", "--repeats", "5", "-o", RECORD, "--", program];
        for (name, end, expected) in ways.into_iter().map(|way| ENDS[way]) {
            let status = end_it(&place, &words, end, 1, random.micros(200_000));
            // What is sent while it has its answer meets the usual end of a process, and without a terminal nothing can be printed.
            assert!([expected, None, Some(0), Some(125)].contains(&status), "{how}, {name}: {status:?}");
            assert_eq!(place.left_running(), Vec::<String>::new(), "{how}, {name}");
        }
        // To its end, too.
        let begun = place.runs().0;
        let words = ["study", "--repeats", "1", "-o", "whole.nw", "--", program];
        assert!(place.numawise(&words).status().unwrap().success(), "{how}");
        assert_eq!(place.left_running(), Vec::<String>::new(), "{how}");
        assert_eq!(place.runs().0, begun + 2, "{how}");
        runs += begun + 2;
    }
    let kinds = CHILDREN.len();
    eprintln!(
        "leftovers: {} ends of {runs} runs that left {kinds} kinds of children; none was left running",
        2 * kinds
    );
}

#[test]
fn no_process_of_copies_that_are_ended_outlives_us() {
    for (kind, ways) in pairs(3) {
        let (how, child) = CHILDREN[kind];
        let place = Place::new();
        let program = place.program_with(&format!("{child}\nsleep 600"));
        let words = ["run", "--copies", "2", "--", program.to_str().unwrap()];
        // The deaf ones are given five seconds; two ways of ending them do.
        let deaf = child.contains("TERM");
        let ways: Vec<usize> = if deaf { vec![0, 1] } else { ways };
        for (name, end, _) in ways.into_iter().map(|way| ENDS[way]) {
            end_it(&place, &words, end, 2, Duration::from_millis(20));
            assert_eq!(place.left_running(), Vec::<String>::new(), "{how}, {name}");
        }
    }
}

#[test]
fn each_way_to_end_us_is_tried() {
    let deaf = |kind: usize| CHILDREN[kind].1.contains("TERM");
    let ways = |ways| pairs(ways).filter(|(kind, _)| !deaf(*kind)).flat_map(|(_, ways)| ways);
    for (way, (name, ..)) in ENDS.iter().enumerate() {
        assert!(ways(2).any(|one| one == way) && ways(3).any(|one| one == way), "{name}");
    }
}

#[test]
fn what_is_left_is_ended_said_and_recorded() {
    let place = Place::new();
    // It is known by its name, which it has from its exec on.
    let program =
        place.program_with("sleep 600 > /dev/null 2>&1 & until grep -q sleep /proc/$!/comm; do :; done");
    let words =
        ["check", "--budget", "300ms", "--html", "r.html", "-o", RECORD, "--", program.to_str().unwrap()];
    let mut command = place.numawise(&words);
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success());
    assert_eq!(place.left_running(), Vec::<String>::new());
    let plain =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "the program leaves a process running when it ends (sleep; seen in ";
    let (text, errors) = (plain(&output.stdout), plain(&output.stderr));
    assert_eq!(errors.matches(sentence).count(), 1, "at once, and once: {errors}");
    assert_eq!(text.matches(sentence).count(), 1, "{text}");
    let page = plain(&std::fs::read(place.work().join("r.html")).unwrap());
    assert!(page.contains(sentence), "{page}");
    let told = place.told();
    let trials = told["trials"].as_array().unwrap();
    let expected = serde_json::json!({ "processes": 1, "names": ["sleep"] });
    assert!(trials.iter().all(|trial| trial["left_behind"] == expected), "{told}");
    let of_all = serde_json::json!({ "trials": trials.len(), "processes": 1, "names": ["sleep"] });
    let mut caveats = told["caveats"].as_array().unwrap().iter();
    assert!(caveats.any(|one| one["code"] == "NW519" && one["arguments"] == of_all), "{told}");
    // The ending is no part of a run: its end is waited for 50 ms, and the program takes 20.
    assert!(trials.iter().all(|trial| trial["wall_ns"].as_u64() > Some(20_000_000)), "{told}");
}

/// A child that does not heed SIGTERM has half a second; who presses Ctrl-C in it waits for nothing.
#[test]
fn ctrl_c_while_leftovers_are_ended_keeps_the_run_that_had_ended() {
    let place = ctrl_c_while_leftovers_are_ended();
    let told = place.told();
    let trials = told["trials"].as_array().unwrap();
    assert_eq!((trials.len(), place.runs().1), (3, 3), "the run that had ended counts: {told}");
    assert!(trials.last().unwrap()["left_behind"]["processes"].as_u64() >= Some(1), "{told}");
}

#[test]
#[ignore = "timing: a signal has to come within half a second"]
fn ctrl_c_while_leftovers_are_ended_ends_them_at_once() {
    let at_once = |_: &i32| !ctrl_c_while_leftovers_are_ended().work().join("survived").exists();
    let rounds = (0..5).filter(at_once).count();
    eprintln!("ended at once in {rounds} of 5 rounds");
    // On a machine that is busy the signal may come too late.
    assert!(rounds > 0, "the child had its time to the end in every round");
}

/// Presses Ctrl-C while the child of the third run is asked to end; no other run comes to its end.
fn ctrl_c_while_leftovers_are_ended() -> Place {
    const CHILD: &str = "rm -f asked ready survived; [ $(grep -c begun \"${0%/*}/log\") -lt 4 ] || sleep 600\n\
        sh -c 'trap \"touch asked; sleep 0.4; touch survived\" TERM; touch ready; while :; do sleep 0.01; done' > /dev/null 2>&1 &\n\
        until [ -e ready ]; do :; done";
    let place = Place::new();
    let program = place.program_with(CHILD);
    let words = ["check", "--repeats", "5", "-o", RECORD, "--", program.to_str().unwrap()];
    let mut numawise = place.numawise(&words).spawn().unwrap();
    let asked = place.work().join("asked");
    wait_until("leftovers are asked to end", || {
        let (begun, ended) = place.runs();
        begun > 3 || (ended == 3 && asked.exists())
    });
    send(numawise.id() as i32, libc::SIGINT);
    let status = ended(&mut numawise, "after Ctrl-C");
    assert_eq!((status.code(), status.signal()), (Some(130), None));
    assert_eq!(place.left_running(), Vec::<String>::new());
    place
}
