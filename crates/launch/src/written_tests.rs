use std::fs;
use std::io::Write;

use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// What `write` leaves in a file that holds `old` before.
fn after(old: Option<&str>, write: impl FnOnce(&Path)) -> Result<WrittenText, MetricFileProblem> {
    let folder = folder();
    let path = folder.path().join("result");
    if let Some(old) = old {
        fs::write(&path, old).unwrap();
    }
    let before = FileBefore::of(path.clone());
    write(&path);
    before.written()
}

fn text(before: &str, added: &str) -> Result<WrittenText, MetricFileProblem> {
    Ok(WrittenText { before: before.to_owned(), added: added.to_owned(), dropped: 0 })
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn what_a_run_wrote_is_told_from_what_was_there() {
    assert_eq!(after(None, |path| fs::write(path, "1.5").unwrap()), text("", "1.5"));
    assert_eq!(after(Some("t=1\n"), |path| append(path, "t=2\n")), text("t=1\n", "t=2\n"));
    // Written anew: shorter, as long, and longer; the same bytes again are a result too.
    assert_eq!(after(Some("t=10\n"), |path| fs::write(path, "t=9\n").unwrap()), text("", "t=9\n"));
    assert_eq!(after(Some("t=10\n"), |path| fs::write(path, "t=10\n").unwrap()), text("", "t=10\n"));
    assert_eq!(after(Some("t=9\n"), |path| fs::write(path, "t=10\n").unwrap()), text("", "t=10\n"));
    let replaced = after(Some("t=1\n"), |path| {
        fs::write(path.with_extension("new"), "t=1\nt=2\n").unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
    });
    assert_eq!(replaced, text("", "t=1\nt=2\n"), "another file under the name");
}

#[test]
fn what_an_earlier_run_wrote_never_counts() {
    assert_eq!(after(Some("t=1\n"), |_| ()), Err(MetricFileProblem::NotWritten));
    assert_eq!(after(None, |_| ()), Err(MetricFileProblem::Missing));
    assert_eq!(after(Some("t=1\n"), |path| fs::remove_file(path).unwrap()), Err(MetricFileProblem::Missing));
    // Writes that follow each other at once, of the same length: each is told.
    let folder = folder();
    let path = folder.path().join("result");
    for k in 10..20 {
        let before = FileBefore::of(path.clone());
        fs::write(&path, k.to_string()).unwrap();
        assert_eq!(before.written().unwrap().added, k.to_string());
        assert_eq!(FileBefore::of(path.clone()).written(), Err(MetricFileProblem::NotWritten));
    }
}

#[test]
fn what_is_no_plain_file_is_not_waited_for() {
    assert_eq!(after(None, |path| fs::create_dir(path).unwrap()), Err(MetricFileProblem::IsAFolder));
    let pipe = after(None, |path| {
        let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the name lives through the call and ends with a zero byte.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    });
    assert_eq!(pipe, Err(MetricFileProblem::NotAPlainFile));
    let device = FileBefore::of("/dev/zero".into());
    assert_eq!(device.written(), Err(MetricFileProblem::NotAPlainFile));
    let inside = FileBefore::of("/dev/null/x".into()).written();
    assert!(matches!(inside, Err(MetricFileProblem::Unreadable { .. })), "{inside:?}");
}

#[test]
fn of_a_huge_file_the_end_is_read() {
    let huge = after(None, |path| {
        let mut file = File::create(path).unwrap();
        file.set_len(1 << 30).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"t=3\n").unwrap();
    });
    let huge = huge.unwrap();
    assert!(huge.added.ends_with("t=3\n") && huge.added.len() == KEPT, "{}", huge.added.len());
    assert_eq!(huge.dropped, (1 << 30) + 4 - KEPT as u64);
    let grown = after(Some(&"x".repeat(KEPT + 9000)), |path| append(path, "y"));
    let grown = grown.unwrap();
    assert!(grown.added == "y" && grown.before.len() == KEPT - 1 && grown.dropped == 9001);
    let bytes = after(None, |path| fs::write(path, b"\xff\x00t=4").unwrap());
    assert_eq!(bytes, text("", "\u{fffd}\0t=4"));
}

#[test]
fn stamps_without_fractions_are_waited_for_longer() {
    let stamp = |seconds, nanoseconds| Stamp {
        file: (1, 1),
        size: 1,
        modified: (seconds, nanoseconds),
        changed: (seconds, nanoseconds),
    };
    let wait = |of: Stamp, now: u64| of.ambiguous_for(Duration::from_millis(now));
    assert_eq!(wait(stamp(10, 5_000_000), 10_010), Duration::from_millis(15));
    assert_eq!(wait(stamp(10, 5_000_000), 10_100), Duration::ZERO);
    assert_eq!(wait(stamp(10, 0), 11_000), Duration::from_millis(1100));
    assert_eq!(wait(stamp(20, 5), 10_000), Duration::ZERO, "another clock");
    assert_eq!(wait(stamp(10, 5_000_000), 10_000), TICK, "never longer than a tick");
}
