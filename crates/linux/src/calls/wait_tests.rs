use std::process::Command;

use super::*;

fn shell(script: &str) -> Pid {
    Pid(Command::new("sh").args(["-c", script]).spawn().unwrap().id() as i32)
}

#[test]
fn ends_come_with_what_was_accounted() {
    let child = shell("exit 7");
    let (end, usage) = reap(child).unwrap();
    assert_eq!(end, EndStatus::Exited(7));
    assert!(usage.peak.0 > 0 && usage.minor_faults > 0, "{usage:?}");
    assert_eq!(reap(child).unwrap_err().raw_os_error(), Some(libc::ECHILD));
}

#[test]
fn a_signal_is_not_an_exit_status() {
    assert_eq!(reap(shell("kill -KILL $$")).unwrap().0, EndStatus::Signalled(libc::SIGKILL));
}

#[test]
fn our_own_account_grows() {
    let before = Accounted::own();
    let pages = vec![1u8; 4 << 20];
    std::hint::black_box(&pages);
    let after = Accounted::own();
    assert!(after.peak >= before.peak && after.minor_faults > before.minor_faults, "{before:?} {after:?}");
}
