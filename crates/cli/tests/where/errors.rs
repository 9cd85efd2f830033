//! What goes wrong, in words and with its status.

use super::support::{Answer, Process, command, look};

/// The message of a call that fails with 125 and prints nothing else.
fn refusal(arguments: &[&str]) -> String {
    let answer = look(arguments);
    assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{arguments:?}: {}", answer.err);
    answer.err
}

/// The number of a process that has ended; the kernel gives it out again only after all others.
fn ended() -> String {
    let mut process = Process::idle();
    process.end();
    process.pid()
}

#[test]
fn nothing_that_matches_is_told_with_what_to_try() {
    let said = refusal(&["no-such-program-anywhere"]);
    assert!(said.contains("no process is called 'no-such-program-anywhere'"), "{said}");
    assert!(said.contains("give its number"), "{said}");
    let said = refusal(&[&ended()]);
    assert!(said.contains("there is no process") && said.contains("ps -e"), "{said}");
    let said = refusal(&["--job", "no-such-job"]);
    assert!(said.contains("no process belongs to job 'no-such-job'"), "{said}");
    let said = refusal(&["--user", "no such user"]);
    assert!(said.contains("there is no user 'no such user'"), "{said}");
    let said = refusal(&["--user", "4123456789"]);
    assert!(said.contains("no process acts as user 4123456789"), "{said}");
}

#[test]
fn names_and_a_user_that_have_nothing_in_common() {
    let process = Process::idle();
    let nobody_runs = Process::start("sh", &["-c", "sleep 600"]);
    let said = refusal(&[&process.pid(), "--job", &nobody_runs.pid()]);
    assert!(said.contains("no process is all that was asked for"), "{said}");
}

#[test]
fn what_was_typed_wrongly() {
    for (arguments, expected) in [
        (&[][..], "nothing to look for"),
        (&["0"], "is no process number"),
        (&["99999999999"], "is no process number"),
        (&[""], "an empty name"),
        (&["1", "--interval", "0"], "too short"),
        (&["1", "--count", "0"], "would show nothing"),
        (&["1", "--json", "--csv"], "cannot be used with"),
        (&["1", "--watch", "--json"], "cannot be used with"),
        (&["--nonsense"], "unexpected argument"),
    ] {
        let said = refusal(arguments);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn no_full_screen_where_there_is_no_screen() {
    let process = Process::idle();
    let said = refusal(&[&process.pid(), "--watch"]);
    assert!(said.contains("view needs a terminal") && said.contains("--interval 1 --count 10"), "{said}");
}

#[test]
fn a_process_that_ends_between_two_looks() {
    // Where a busy machine has the first look come after the end, or the end after the second look, there is more time between them.
    for seconds in [1, 4, 16, 64] {
        let mut process = Process::idle();
        let interval = seconds.to_string();
        let numawise = command(&[&process.pid(), "--interval", &interval])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(500 * seconds));
        process.end();
        let answer: Answer = numawise.wait_with_output().unwrap().into();
        if answer.err.contains(&format!("have ended within {seconds}")) {
            assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{}", answer.err);
            return;
        }
        eprintln!("within {seconds} s: {answer:?}");
    }
    panic!("it never ended between two looks");
}

#[test]
fn a_reader_that_has_seen_enough_ends_it() {
    let process = Process::idle();
    let mut numawise = command(&[&process.pid(), "--count", "1000000", "--interval", "0.05"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(numawise.stdout.take());
    assert_eq!(numawise.wait().unwrap().code(), Some(0));
}

#[test]
fn a_disk_that_is_full_is_told() {
    let process = Process::idle();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&[&process.pid()]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to the standard output"));
}
