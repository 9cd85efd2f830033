//! Terminals that go away, and Ctrl-C: what is running ends in order, what is recorded stays.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Place, RECORD, Random};

/// As many terminals are closed, each under one of four commands.
const CLOSED: usize = 20;
/// A program has two seconds to end before it is killed; the rest is for a slow machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// A terminal, seen from its other end.
struct Terminal(File);

impl Terminal {
    /// Starts a command as the leader of a session on a new terminal.
    fn start(command: &mut Command) -> (Terminal, Child) {
        let mut name = [0; 64];
        // SAFETY: system calls on a descriptor that is ours from here on, and on a buffer with its length.
        let (master, named) = unsafe {
            let master = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
            assert!(master >= 0 && libc::grantpt(master) == 0 && libc::unlockpt(master) == 0);
            (File::from_raw_fd(master), libc::ptsname_r(master, name.as_mut_ptr(), name.len()))
        };
        assert_eq!(named, 0);
        // SAFETY: the kernel has ended the name with NUL.
        let name = unsafe { std::ffi::CStr::from_ptr(name.as_ptr()) }.to_str().unwrap().to_owned();
        let end = || File::options().read(true).write(true).open(&name).unwrap();
        command.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end());
        // SAFETY: two system calls, which may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                match libc::ioctl(0, libc::TIOCSCTTY, 0) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let child = command.spawn().unwrap();
        // Our copies of its end are closed, so that it notices when we go.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        (Terminal(master), child)
    }

    fn press_ctrl_c(&mut self) {
        self.0.write_all(b"\x03").unwrap();
    }

    /// Reads what is shown for a time, so that whoever writes does not wait for us.
    fn read_for(&mut self, time: Duration) {
        let until = Instant::now() + time;
        let mut buffer = [0; 4096];
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            let mut ready = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one structure, which is there until the call returns.
            if unsafe { libc::poll(&raw mut ready, 1, left.as_millis().clamp(1, 50) as i32) } > 0
                && self.0.read(&mut buffer).is_err()
            {
                std::thread::sleep(until.saturating_duration_since(Instant::now()));
            }
        }
    }
}

fn ended(child: &mut Child, what: &str) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: it still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// `numawise WORDS` as it is typed, or behind a shell that waits for it.
fn typed(place: &Place, words: &[&str], behind_a_shell: bool) -> Command {
    let mut command = Command::new(if behind_a_shell { "sh" } else { env!("CARGO_BIN_EXE_numawise") });
    if behind_a_shell {
        command.args(["-c", "\"$@\"; exit", "sh", env!("CARGO_BIN_EXE_numawise")]);
    }
    command.args(words);
    place.settle(&mut command);
    command
}

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
fn twenty_closed_terminals_lose_nothing() {
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
            0 | 1 => (&check, 900_000),
            2 => (&["where", "--watch", &own], 500_000),
            _ => (&run, 60_000),
        };
        let behind_a_shell = round % 3 == 0;
        let what = format!("{} {}", words[0], if behind_a_shell { "behind a shell" } else { "alone" });
        let (mut terminal, mut child) = Terminal::start(&mut typed(&place, words, behind_a_shell));
        terminal.read_for(random.micros(most));
        drop(terminal);
        let status = ended(&mut child, &what);
        let status =
            status.signal().map_or(format!("{:?}", status.code()), |signal| format!("signal {signal}"));
        *statuses.entry(format!("{}: {status}", words[0])).or_default() += 1;
        // A session leader ends first; those whom it has started have their grace.
        let begun = Instant::now();
        while !place.left_running().is_empty() && begun.elapsed() < PATIENCE {}
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
    let mut random = Random::new("Ctrl-C");
    let mut trials = 0;
    for round in 0..8 {
        let place = Place::new();
        let program = place.program("0.15");
        let program = program.to_str().unwrap();
        let (mut terminal, mut child) = Terminal::start(&mut typed(&place, &check(program), false));
        terminal.read_for(Duration::from_millis(150) + random.micros(500_000));
        terminal.press_ctrl_c();
        if round % 2 == 1 {
            terminal.read_for(random.micros(30_000));
            terminal.press_ctrl_c();
        }
        terminal.read_for(Duration::from_millis(300));
        let status = ended(&mut child, "after Ctrl-C");
        assert_eq!((status.code(), status.signal()), (Some(130), None), "round {round}");
        drop(terminal);
        // The second one ends us at once, be it within a transaction; the next one that opens the record takes it back.
        let expected = if round % 2 == 1 { &[RECORD, "a.nw-journal"][..] } else { &[RECORD] };
        trials += goes_on(&place, program, expected, &format!("Ctrl-C, round {round}"));
    }
    eprintln!(
        "Ctrl-C: 8 times, 4 of them twice; {trials} trials kept, every study went on, nothing was left"
    );
}
