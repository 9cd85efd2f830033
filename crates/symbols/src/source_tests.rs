use super::*;

#[test]
fn lines_around_a_line_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.c");
    let long = "x".repeat(1000);
    std::fs::write(
        &path,
        [b"one\n\ttwo\x1b[2J\xff\n".as_slice(), long.as_bytes(), "\n\u{202e}four\nfive".as_bytes()].concat(),
    )
    .unwrap();
    let (mut files, path) = (SourceFiles::default(), path.to_string_lossy().into_owned());
    let lines = files.lines(&path, 3, 1).measured().unwrap().clone();
    assert_eq!(lines.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!(lines[0].1, "    two\u{fffd}[2J\u{fffd}");
    assert_eq!(lines[1].1.chars().count(), LONGEST_LINE + 1);
    assert_eq!(lines[2].1, "\u{fffd}four");
    assert_eq!(files.lines(&path, 5, 0).measured().unwrap(), &[(5, "five".to_owned())]);
    for line in [0, 6, u32::MAX] {
        assert!(files.lines(&path, line, u32::MAX).reason().is_some(), "{line}");
    }
}

#[test]
fn what_cannot_be_read_has_a_reason() {
    let mut files = SourceFiles::default();
    for file in ["/no/such/file.c", "main.c", "", "/dev/zero", "/"] {
        assert!(files.lines(file, 1, 1).reason().unwrap().to_string().contains("cannot be read"), "{file}");
    }
}
