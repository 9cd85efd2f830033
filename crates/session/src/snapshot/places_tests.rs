use super::*;

#[test]
fn a_file_of_which_only_the_end_is_known_is_not_looked_for() {
    assert!(readable("/no/such/file").is_none());
    assert!(readable("linux-vdso.so.1").is_none());
    assert!(readable(&"x".repeat(WHOLE_PATH)).is_none());
}

#[test]
fn lines_of_python_are_places_with_the_function_around_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.py");
    std::fs::write(&path, "def work():\n    send()\n").unwrap();
    assert!(is_source(path.to_str().unwrap()) && is_source("<string>"));
    assert!(!is_source("/proc/self/exe") && !is_source("/no/such/file"));
    let mut sources = SourceFiles::default();
    let place = python_place(path.to_str().unwrap(), Some(2), &mut sources);
    assert_eq!(
        (place.function.measured().map(String::as_str), place.line.measured()),
        (Some("work"), Some(&2))
    );
    let text = python_place("<string>", Some(2), &mut sources);
    assert_eq!((text.function.measured(), text.line.measured()), (None, Some(&2)));
    assert!(python_place("<string>", None, &mut sources).line.measured().is_none());
}
