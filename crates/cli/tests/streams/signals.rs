//! Signals to us, where some are ignored or blocked.

use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::start::Start;
use crate::{folder, numawise, trials, whole};

fn send(child: &Child, signal: i32) {
    // SAFETY: the child is ours and not waited for yet.
    assert_eq!(unsafe { libc::kill(child.id().cast_signed(), signal) }, 0);
}

/// Sends a signal to a check in its fourth run, which then ends; gives its status and whether it did all its work.
fn check(start: Start, signal: i32) -> (Option<i32>, bool) {
    const RUN: &str = "echo x >> ran; [ $(wc -l < ran) != 4 ] || until [ -e go ]; do sleep 0.01; done";
    let folder = folder();
    let words = ["check", "--budget", "1ms", "--repeats", "5", "-o", "a.nw", "--", "sh", "-c", RUN];
    let mut command = numawise(&words);
    command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    start.apply(&mut command);
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    let ran = || std::fs::read_to_string(folder.path().join("ran")).unwrap_or_default().lines().count();
    while ran() < 4 {
        assert!(begun.elapsed() < Duration::from_secs(300), "no four runs");
        std::thread::sleep(Duration::from_millis(10));
    }
    send(&child, signal);
    let ignored = start.ignored.contains(&signal);
    if ignored {
        std::fs::write(folder.path().join("go"), "").unwrap();
    }
    let status = child.wait().unwrap();
    let trials = trials(folder.path(), "a.nw");
    assert!(whole(&trials) && trials.len() >= 3, "{start:?}, signal {signal}: {trials:?}");
    // The first run and five of each placement, of which there is one at least.
    (status.code(), trials.len() >= 6)
}

#[test]
fn a_signal_that_is_ignored_stays_so() {
    for signal in [libc::SIGHUP, libc::SIGINT] {
        let ignored: &[i32] = if signal == libc::SIGHUP { &[libc::SIGHUP] } else { &[libc::SIGINT] };
        let start = Start { ignored, ..Start::default() };
        assert_eq!(check(start, signal), (Some(0), true), "signal {signal}");
    }
}

#[test]
fn a_signal_ends_the_trials_also_where_a_parent_had_blocked_it() {
    const ALL: &[i32] = &[libc::SIGHUP, libc::SIGINT, libc::SIGTERM];
    for (signal, blocked) in [
        (libc::SIGHUP, &[][..]),
        (libc::SIGHUP, ALL),
        (libc::SIGINT, ALL),
        (libc::SIGTERM, ALL),
        (libc::SIGTERM, &[]),
    ] {
        let start = Start { blocked, ..Start::default() };
        assert_eq!(check(start, signal), (Some(130), false), "signal {signal}, blocked {blocked:?}");
    }
}

/// As when somebody stops a job while its script holds signals back for a moment.
#[test]
fn a_signal_that_waits_behind_a_mask_is_the_programs() {
    for words in [
        &["run"][..],
        &["run", "--place", "local"],
        &["run", "--place", "local", "--pin"],
        &["run", "-C", "0"],
    ] {
        let mut command = numawise(&[words, &["cat", "/proc/self/status"]].concat());
        Start { blocked: &[libc::SIGTERM, libc::SIGUSR1], ..Start::default() }.apply(&mut command);
        // SAFETY: a system call between fork and exec.
        unsafe {
            command.pre_exec(|| match libc::kill(libc::getpid(), libc::SIGTERM) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            });
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
        let status = String::from_utf8(output.stdout).unwrap();
        let waiting = status.lines().find_map(|line| line.strip_prefix("ShdPnd:\t")).unwrap();
        assert_eq!(waiting, format!("{:016x}", 1 << (libc::SIGTERM - 1)), "{words:?}");
    }
}
