use super::*;

#[test]
fn processes_are_there_or_not() {
    assert!(exists(Pid(std::process::id() as i32)));
    assert!(exists(Pid(1)), "another user's counts as well");
    assert!(!exists(Pid(i32::MAX)));
}

#[test]
fn users_have_numbers() {
    assert_eq!(user_number("root"), Some(0));
    assert_eq!(user_number("no such user"), None);
    assert_eq!(user_number("a\0b"), None);
}

#[test]
fn files_may_be_open() {
    assert!(open_files_limit().is_none_or(|most| most > 0));
}

#[test]
fn a_thread_stands_back_alone() {
    let nice = || {
        // SAFETY: no memory is handed over.
        unsafe { libc::getpriority(libc::PRIO_PROCESS, own_thread().0 as libc::id_t) }
    };
    let before = nice();
    let stood_back = std::thread::spawn(move || {
        stand_back();
        nice()
    });
    assert_eq!(stood_back.join().unwrap(), before.max(10));
    assert_eq!(nice(), before);
}
