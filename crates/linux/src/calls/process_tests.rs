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
