//! Measuring itself, in as little memory and time as it goes.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::{Answer, Data, topology};

/// Little memory is got quickly; what is measured in it are the caches, which no test here minds.
const QUICKLY: [&str; 4] = ["measure", "--quick", "--max-memory", "16MiB"];

/// Whether a part of the profile has a figure.
fn has_figures(profile: &Value, part: &str, figure: &str) -> bool {
    profile[part].as_array().unwrap().iter().any(|cell| cell[figure]["median"].is_f64())
}

/// The same of a whole measurement. A machine that is busy enough leaves time for none: then each of them says so.
fn has_figures_or_no_time(profile: &Value, part: &str, figure: &str) -> bool {
    let reason = |cell: &Value| cell[figure]["unavailable"].as_str().unwrap_or_default().to_owned();
    let cells = profile[part].as_array().unwrap();
    let are_late = !cells.is_empty() && cells.iter().all(|cell| reason(cell).contains("time"));
    has_figures(profile, part, figure) || are_late
}

#[test]
fn a_dry_run_measures_and_leaves_nothing() {
    let data = Data::new();
    for depth in [&[][..], &["--quick"], &["--full"]] {
        let answer = data.run(&[&["measure", "--dry-run"], depth].concat());
        assert_eq!((answer.status, answer.err.as_str()), (Some(0), ""), "{answer:?}");
        assert!(answer.out.starts_with("Would measure in "), "{answer:?}");
        assert!(answer.out.contains("idle latency, node "), "{answer:?}");
        assert!(answer.out.contains(&format!("Would save it in {}", data.path().display())), "{answer:?}");
    }
    assert!(data.run(&["measure", "--dry-run", "--no-save"]).out.contains("Would not save it: --no-save."));
    assert!(data.run(&["measure", "--dry-run", "--save", "a.json"]).out.contains("Would save it in a.json."));
    let only = data.run(&["measure", "--dry-run", "--quick", "--mix", "1:1,triad"]).out;
    assert!(only.contains("bandwidth, 1:1, ") && !only.contains("bandwidth, read, "), "{only}");
    assert!(only.contains("Would not save it: with --nodes or --mix"), "{only}");
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
}

#[test]
fn what_is_measured_is_kept_and_found_again() {
    let data = Data::new();
    let answer = data.run(&[&QUICKLY[..], &["--json"]].concat());
    assert_eq!(answer.status, Some(0), "{answer:?}");
    let profile = answer.json();
    assert_eq!(profile["header"]["complete"], true);
    assert_eq!(profile["header"]["depth"], "quick");
    assert_eq!(profile["header"]["fingerprint"]["topology"], topology());
    assert!(has_figures_or_no_time(&profile, "latency", "latency"), "{profile:#}");
    assert!(has_figures_or_no_time(&profile, "bandwidth", "rate"), "{profile:#}");
    let [path] = &data.profiles()[..] else { panic!("one file: {:?}", data.profiles()) };
    assert!(answer.err.contains(&format!("saved in {}", path.display())), "{answer:?}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), answer.out);
    let again = data.run(&["measure", "--load", "latest", "--json"]);
    assert_eq!(again.out, answer.out);
    let machine = data.run(&[]);
    assert!(machine.out.contains("depth quick"), "{machine:?}");
    let text = data.run(&["compare", "latest", "latest"]);
    assert_eq!(text.status, Some(0), "{text:?}");
}

#[test]
fn it_is_kept_where_it_should_be_and_nowhere_else() {
    let data = Data::new();
    let answer =
        data.run(&[&QUICKLY[..], &["--save", "mine.json", "--html", "mine.html", "--mix", "1:1"]].concat());
    assert_eq!(answer.status, Some(0), "{answer:?}");
    assert!(answer.out.contains("mine.json"), "{answer:?}");
    assert_eq!(data.run(&["measure", "--load", "mine.json"]).err, "");
    assert!(std::fs::read_to_string(data.path().join("mine.html")).unwrap().contains("<html"));
    let answer = data.run(&[&QUICKLY[..], &["--no-save"]].concat());
    assert_eq!(answer.status, Some(0), "{answer:?}");
    // A part of the machine must not hide the whole.
    let answer = data.run(&[&QUICKLY[..], &["--nodes", "0", "--mix", "1:1"]].concat());
    assert_eq!(answer.status, Some(0), "{answer:?}");
    assert!(answer.err.contains("not saved: with --nodes or --mix"), "{answer:?}");
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 2, "mine.json and mine.html");
}

#[test]
fn a_place_that_cannot_be_written_takes_nothing_from_the_result() {
    let data = Data::new();
    let mut command = data.command(&QUICKLY);
    let answer: Answer = command.env("XDG_DATA_HOME", "/proc/data").output().unwrap().into();
    assert_eq!(answer.status, Some(0), "{answer:?}");
    assert!(answer.err.contains("not saved: /proc/data/numawise/profiles: "), "{answer:?}");
    assert!(answer.out.contains("Idle latency"), "{answer:?}");
    // A file that was asked for is a failure, after the result was shown.
    let answer = data.run(&[&QUICKLY[..], &["--save", "/dev/full", "--mix", "1:1"]].concat());
    assert_eq!(answer.status, Some(125), "{answer:?}");
    assert!(answer.err.contains("/dev/full: no space is left"), "{answer:?}");
    assert!(answer.out.contains("Idle latency"), "{answer:?}");
}

#[test]
fn a_mask_does_not_make_another_machine() {
    let data = Data::new();
    let mut command = Command::new("taskset");
    command.args(["-c", "0", env!("CARGO_BIN_EXE_numawise"), "machine"]).args(QUICKLY).arg("--json");
    let answer: Answer = command.env("XDG_DATA_HOME", data.path()).output().expect("taskset starts").into();
    assert_eq!(answer.status, Some(0), "{answer:?}");
    let profile = answer.json();
    assert_eq!(profile["header"]["fingerprint"]["topology"], topology());
    assert_eq!(profile["header"]["nodes"][0]["cpus"], "0");
    assert_eq!(data.run(&["measure", "--load", "latest"]).status, Some(0));
}

/// Whether a process has a handler of its own for Ctrl-C by now.
fn catches_interrupts(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() >> (libc::SIGINT - 1) & 1 == 1
}

#[test]
fn ctrl_c_keeps_what_is_done() {
    // Until there is something to keep, however slow the machine is; all of it takes a minute.
    for seconds in [1, 2, 4, 8, 16] {
        let data = Data::new();
        let mut command = data.command(&["measure", "--full", "--json", "--max-memory", "16MiB"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !catches_interrupts(child.id()) {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_secs(seconds));
        // SAFETY: a plain system call on a child that was not waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
        let answer: Answer = child.wait_with_output().unwrap().into();
        assert_eq!(answer.status, Some(130), "{answer:?}");
        if answer.out.is_empty() {
            assert!(answer.err.contains("interrupted before anything was measured"), "{answer:?}");
            continue;
        }
        let profile = answer.json();
        assert_eq!(profile["header"]["complete"], false);
        let missing = profile["bandwidth"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|cell| cell["rate"]["unavailable"].is_string());
        assert!(missing.count() > 0, "{profile:#}");
        let [path] = &data.profiles()[..] else { panic!("one file: {:?}", data.profiles()) };
        assert_eq!(std::fs::read_to_string(path).unwrap(), answer.out);
        // The bandwidth comes first.
        if has_figures(&profile, "bandwidth", "rate") {
            return;
        }
    }
    panic!("nothing was measured in 16 s");
}

#[test]
fn ctrl_c_before_anything_is_measured_keeps_nothing() {
    let data = Data::new();
    let mut child =
        data.command(&["measure", "--full"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The line that says how much is to come is the first thing that is said: memory is got then.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("Ctrl-C ends it and keeps what is done"), "{first}");
    // SAFETY: a plain system call on a child that was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{rest:?}");
    if data.profiles().is_empty() {
        assert_eq!(rest, ["numawise: interrupted before anything was measured; nothing is saved"])
    } else {
        // A fast machine has something already.
        assert!(rest[0].contains("saved in"), "{rest:?}")
    }
}
