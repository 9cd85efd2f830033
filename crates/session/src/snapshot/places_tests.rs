use super::*;

#[test]
fn a_file_of_which_only_the_end_is_known_is_not_looked_for() {
    assert!(readable("/no/such/file").is_none());
    assert!(readable("linux-vdso.so.1").is_none());
    assert!(readable(&"x".repeat(WHOLE_PATH)).is_none());
}
