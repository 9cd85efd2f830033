use super::*;

fn ignored() -> [bool; 3] {
    OURS.map(|(signal, _)| signal::is_ignored(signal))
}

fn blocked() -> [bool; 2] {
    // SAFETY: the kernel writes the mask of this thread into a live set.
    unsafe {
        let mut now: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_BLOCK, std::ptr::null(), &mut now);
        [libc::SIGTERM, libc::SIGINT].map(|signal| libc::sigismember(&now, signal) == 1)
    }
}

/// Asks in a child, since actions are those of the whole process and other tests need theirs.
fn in_child(asks: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child makes system calls only and leaves by _exit; the status is live.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::_exit(i32::from(!asks()));
        }
        let mut status = -1;
        libc::waitpid(child, &mut status, 0);
        status == 0
    }
}

fn ignore(signal: i32, action: libc::sighandler_t) {
    // SAFETY: the action is none of ours.
    unsafe { libc::signal(signal, action) };
}

#[test]
fn signals_are_known_while_taken_and_as_before_when_given_back() {
    assert!(in_child(|| {
        ignore(libc::SIGCHLD, libc::SIG_IGN);
        ignore(libc::SIGPIPE, libc::SIG_DFL);
        // SAFETY: changes the mask of this thread.
        unsafe {
            let mut some: libc::sigset_t = std::mem::zeroed();
            libc::sigaddset(&mut some, libc::SIGTERM);
            libc::sigprocmask(libc::SIG_SETMASK, &some, std::ptr::null_mut());
        }
        let before = || (ignored(), blocked()) == ([true, false, false], [true, false]);
        let ours = || (ignored(), blocked()) == ([false, true, true], [false, false]);
        let mut as_expected = before();
        give_back_signals(); // nothing was taken
        for _ in 0..2 {
            as_expected &= before();
            take_signals_to_wait();
            take_signals();
            as_expected &= blocked() == [true, false];
            unblock_signals();
            as_expected &= ours();
            give_back_signals();
        }
        as_expected && before()
    }));
}

#[test]
fn signals_stay_as_they_are_where_children_can_be_waited_for() {
    assert!(in_child(|| {
        ignore(libc::SIGCHLD, libc::SIG_DFL);
        let before = ignored();
        take_signals_to_wait();
        ignored() == before
    }));
}

#[test]
fn closed_streams_are_opened_for_nothing_until_exec() {
    // SAFETY: closes and asks of descriptors of the child.
    assert!(in_child(|| unsafe {
        libc::close(0);
        libc::close(2);
        let opened = open_standard_streams().is_ok() && open_standard_streams().is_ok();
        let flags = [0, 2]
            .map(|fd| (libc::fcntl(fd, libc::F_GETFL) & libc::O_ACCMODE, libc::fcntl(fd, libc::F_GETFD)));
        let ways = flags == [(libc::O_RDONLY, libc::FD_CLOEXEC), (libc::O_WRONLY, libc::FD_CLOEXEC)];
        opened && ways && [0, 1, 2].map(was_closed) == [true, false, true]
    }));
}

#[test]
fn open_streams_stay_as_they_are() {
    let links = || [0, 1, 2].map(|fd| std::fs::read_link(format!("/proc/self/fd/{fd}")).ok());
    let before = links();
    open_standard_streams().unwrap();
    assert_eq!(links(), before);
    assert!(![-1, 0, 1, 2, 3, i32::MAX].into_iter().any(was_closed));
}

#[test]
fn a_number_that_is_taken_is_not_opened_again() {
    assert!(is_closed(-1) && is_closed(i32::MAX) && !is_closed(1));
    open_nothing(1).unwrap_err();
}
