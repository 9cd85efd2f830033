//! `--copies`: several side by side, and what is told of them.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use crate::signals;
use crate::support::{Answer, allowed, first, numawise, run};

fn copies(number: &str, options: &[&str], script: &str) -> Answer {
    run(&[&["--copies", number], options, &["--", "sh", "-c", script]].concat())
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn each_copy_has_its_number_its_place_and_its_line() {
    let answer =
        copies("3", &["--threads", "1"], "echo {task} of $NUMAWISE_TASKS is $NUMAWISE_TASK: {threads}");
    assert_eq!(answer.status, Some(0), "{answer:?}");
    assert_eq!(sorted(&answer.out), ["0 of 3 is 0: 1", "1 of 3 is 1: 1", "2 of 3 is 2: 1"]);
    for copy in 0..3 {
        let line = answer.err.lines().find(|line| line.starts_with(&format!("numawise: copy {copy}: ")));
        let line = line.unwrap_or_else(|| panic!("copy {copy}: {answer:?}"));
        for part in ["status 0", "of CPU time", "memory at its peak", "; CPUs ", "memory policy default"] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
}

#[test]
fn the_status_is_that_of_the_first_copy_that_failed() {
    assert_eq!(copies("4", &[], "sleep 0.$((4 - {task})); exit $(({task} * 10))").status, Some(10));
    let killed = copies("2", &[], "test {task} = 1 || kill -KILL $$; exit 3");
    assert_eq!(killed.status, Some(137), "{killed:?}");
    assert!(
        killed.err.contains("copy 0: ended by signal 9") && killed.err.contains("copy 1: status 3"),
        "{killed:?}"
    );
}

#[test]
fn a_program_that_is_not_there_is_said_once() {
    let answer = run(&["--copies", "3", "no-such-program-anywhere"]);
    assert_eq!(answer.status, Some(127));
    assert_eq!(answer.err.matches("not found").count(), 1, "{answer:?}");
}

/// What the plan says is what the copies have.
#[test]
fn copies_are_where_the_plan_puts_them() {
    const MASK: &str = "echo {task} $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)";
    for options in
        [&["--place", "local"][..], &["--place", "semi"], &["--place", "distributed"], &["-C", "+0"], &[]]
    {
        let planned = run(&[&["--dry-run", "--json", "--copies", "2"], options, &["app"]].concat());
        let plan: serde_json::Value = serde_json::from_str(&planned.out).unwrap();
        let tasks = plan["tasks"].as_array().unwrap();
        assert_eq!(tasks.len(), 2, "{options:?}");
        let expected: Vec<String> =
            tasks.iter().map(|task| format!("{} {}", task["task"], task["cpus"].as_str().unwrap())).collect();
        let answer = copies("2", options, MASK);
        assert_eq!(sorted(&answer.out), expected, "{options:?}: {answer:?}");
    }
}

#[test]
fn a_policy_holds_for_every_copy() {
    let node = first(&allowed("Mems_allowed_list"));
    let script = "sed -n 's/^[0-9a-f]* \\([^ ]*\\) heap.*/\\1/p' /proc/self/numa_maps | head -n 1";
    let answer = copies("2", &["-m", &node], script);
    assert_eq!(sorted(&answer.out), [format!("bind:{node}"), format!("bind:{node}")], "{answer:?}");
    assert_eq!(answer.err.matches(&format!("memory policy bind:{node}")).count(), 2, "{answer:?}");
}

const STOPPING: [(&str, i32); 4] = [("TERM", 15), ("INT", 2), ("HUP", 1), ("QUIT", 3)];

/// Copies that run.
struct Running(Child);

impl Running {
    fn start(script: &str) -> Running {
        Running::start_of("2", script)
    }

    fn start_of(copies: &str, script: &str) -> Running {
        let mut command = numawise();
        command.args(["run", "--copies", copies, "--", "sh", "-c", script]);
        signals::as_usual(&mut command);
        // SAFETY: a call that is allowed between fork and exec. No signal here should leave a file with the core.
        unsafe {
            command.pre_exec(|| {
                libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
                Ok(())
            })
        };
        Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// One line with one letter from each copy.
    fn hear(&mut self) -> String {
        let mut lines = [0; 4];
        self.0.stdout.as_mut().unwrap().read_exact(&mut lines).unwrap();
        String::from_utf8(lines.to_vec()).unwrap()
    }

    fn send(&self, signal: &str) {
        let sent =
            Command::new("kill").args([format!("-{signal}"), self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    fn end(self) -> Answer {
        self.0.wait_with_output().unwrap().into()
    }
}

/// Starts copies that would run for ten minutes, sends a signal to numawise when both have begun, and gives what came of it.
fn interrupted(signal: &str, script: &str) -> (Option<i32>, String) {
    let mut copies = Running::start(script);
    copies.hear();
    copies.send(signal);
    let answer = copies.end();
    (answer.status, answer.err)
}

#[test]
fn a_signal_to_us_ends_the_copies_and_each_is_told() {
    for (signal, number) in STOPPING {
        let (status, err) = interrupted(signal, "echo x; exec sleep 600");
        assert_eq!(status, Some(128 + number), "the copies get that signal: {err}");
        assert!(err.contains(&format!("signal {number}: the copies are asked to end")), "{err}");
        assert_eq!(err.matches(&format!("ended by signal {number}")).count(), 2, "{err}");
    }
}

#[test]
fn copies_may_end_themselves_when_told() {
    let script = "trap 'exit 4' TERM; echo x; for k in $(seq 6000); do sleep 0.1; done";
    let (status, err) = interrupted("TERM", script);
    assert_eq!(status, Some(4), "{err}");
    assert_eq!(err.matches(": status 4,").count(), 2, "{err}");
}

/// Says which signal it got and ends well.
const TELLS: &str =
    "for s in TERM INT HUP QUIT; do trap \"echo $s; exit 0\" $s; done; echo x; while :; do sleep 0.1; done";

#[test]
fn the_copies_get_the_very_signal_that_came() {
    for (signal, number) in STOPPING {
        let mut copies = Running::start(TELLS);
        copies.hear();
        copies.send(signal);
        let answer = copies.end();
        assert_eq!(sorted(&answer.out), [signal, signal], "{answer:?}");
        assert_eq!(answer.status, Some(128 + number), "all ended well, and the job was stopped: {answer:?}");
    }
}

#[test]
fn signals_of_the_users_own_are_passed_on_each_time_and_end_nothing() {
    let script =
        "trap 'echo 1' USR1; trap 'echo 2' USR2; trap 'exit 5' TERM; echo x; while :; do sleep 0.1; done";
    let mut copies = Running::start(script);
    copies.hear();
    for (signal, heard) in [("USR1", "1\n1\n"), ("USR2", "2\n2\n"), ("USR1", "1\n1\n")] {
        copies.send(signal);
        assert_eq!(copies.hear(), heard);
    }
    copies.send("TERM");
    let answer = copies.end();
    assert_eq!(answer.status, Some(5), "{answer:?}");
    assert_eq!(answer.err.matches("passed on to the copies").count(), 3, "{answer:?}");
    assert_eq!(answer.err.matches(": status 5,").count(), 2, "{answer:?}");
}

#[test]
fn a_signal_of_the_users_own_does_to_a_program_without_a_handler_what_it_does_anywhere() {
    let (status, err) = interrupted("USR2", "echo x; exec sleep 600");
    assert_eq!(status, Some(140), "{err}");
    assert_eq!(err.matches("ended by signal 12").count(), 2, "{err}");
}

/// The end of each copy wakes the process that watches them. That it looked for all of them each time took longer than they have.
#[test]
fn many_copies_end_when_told() {
    let mut copies = Running::start_of("300", "trap '' TERM; echo x; sleep 600 & wait; wait");
    // All of them are deaf by then.
    let mut lines = [0; 600];
    copies.0.stdout.as_mut().unwrap().read_exact(&mut lines).unwrap();
    copies.send("TERM");
    let answer = copies.end();
    assert_eq!(
        answer.status,
        Some(137),
        "those that do not heed a signal are killed: {:?}",
        answer.err.lines().take(4)
    );
    assert_eq!(answer.err.matches("ended by signal 9").count(), 300);
    assert!(!answer.err.contains("the kernel holds them"), "{:?}", answer.err.lines().take(4));
}

#[test]
fn more_copies_than_there_is_room_for_are_refused_before_one_starts() {
    let mut command = numawise();
    command.args(["run", "--copies", "40", "--", "echo", "started"]);
    // SAFETY: a call that is allowed between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::setrlimit(libc::RLIMIT_NOFILE, &libc::rlimit { rlim_cur: 64, rlim_max: 64 });
            Ok(())
        })
    };
    let answer: Answer = command.output().unwrap().into();
    assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{answer:?}");
    for part in
        ["40 copies were asked for, and there is room for 8", "64 open files (ulimit -n)", "ask for fewer"]
    {
        assert!(answer.err.contains(part), "{part}: {answer:?}");
    }
    let answer = copies("1000000", &[], "echo started");
    assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{answer:?}");
    assert!(answer.err.contains("1000000 tasks were asked for; at most 16384"), "{answer:?}");
}
