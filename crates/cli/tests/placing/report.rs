//! `numawise report` as people and scripts call it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder with a record in it, gone when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("numawise-report-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records");
        std::fs::copy(kept.join("version-1.nw"), folder.join("app.nw")).unwrap();
        std::fs::copy(kept.join("series-version-1.nw"), folder.join("job.nw")).unwrap();
        Folder(folder)
    }

    fn report(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.current_dir(&self.0).arg("report").args(arguments).output().expect("numawise starts")
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The one line on stderr of a call that fails with 125 and prints nothing else.
fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(125), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    let said = text(&output.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

#[test]
fn a_record_is_shown_again() {
    let folder = Folder::new("again");
    let output = folder.report(&["app.nw"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    let shown = text(&output.stdout);
    assert!(shown.contains("CANNOT TELL") && shown.contains("6 trials of 2 placements"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no colours in a pipe");
    let json: Value = serde_json::from_slice(&folder.report(&["app.nw", "--json"]).stdout).unwrap();
    assert_eq!((&json["schema"], &json["verdict"]), (&"numawise/check/1".into(), &"undecided".into()));
    assert_eq!(json["trials"].as_array().unwrap().len(), 8);
    assert_eq!(json["seed"], u64::MAX);
}

#[test]
fn a_page_is_written_in_one_go_and_replaces_the_one_before() {
    let folder = Folder::new("page");
    std::fs::write(folder.0.join("out.html"), "an older one").unwrap();
    let output = folder.report(&["app.nw", "--html", "out.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = std::fs::read_to_string(folder.0.join("out.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Cannot tell"));
    assert!(page.len() <= 1_500_000);
    assert_eq!(folder.names(), ["app.nw", "job.nw", "out.html"]);
}

/// The kept series: a job of two processes in two sessions, whose memory may not be seen in every sixth look.
#[test]
fn a_time_series_is_shown_too() {
    let folder = Folder::new("series");
    let output = folder.report(&["job.nw", "--html", "out.html"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    let shown = text(&output.stdout);
    assert!(shown.contains("24 samples in 2 sessions, 2023-11-14 22:13:20 UTC"), "{shown}");
    assert!(shown.contains("at most 134 MiB at +0:00:21"), "{shown}");
    assert!(shown.contains("memory of 100: permission denied (in 4 of 24 samples)"), "{shown}");
    assert!(std::fs::read_to_string(folder.0.join("out.html")).unwrap().contains("Where the job was"));
    let json: Value = serde_json::from_slice(&folder.report(&["job.nw", "--json"]).stdout).unwrap();
    assert_eq!((&json["schema"], &json["samples"]), (&"numawise/series/1".into(), &24.into()));
    assert_eq!(json["moments"].as_array().unwrap().len(), 24);
    assert_eq!(json["moments"][5]["memory"]["unavailable"], "permission denied");
}

#[test]
fn a_page_can_go_to_a_pipe_and_devices_stay_devices() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new("device");
    let output = folder.report(&["app.nw", "--html", "/dev/stdout"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("<!DOCTYPE html>"));
    // What is measured is shown all the same.
    let output = folder.report(&["app.nw", "--html", "/dev/full"]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(125), 1), "{said}");
    assert!(text(&output.stdout).contains("CANNOT TELL"));
    assert!(said.contains("cannot write the report /dev/full: No space left on device"), "{said}");
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
}

#[test]
fn places_where_no_page_can_be_are_refused() {
    let folder = Folder::new("places");
    let cases = [
        (".", "this is a folder"),
        ("no/such/folder/out.html", "there is no folder"),
        // Not even root may make a file there.
        ("/sys/out.html", "--html /sys/out.html: cannot write there"),
    ];
    for (place, expected) in cases {
        let said = refusal(&folder.report(&["app.nw", "--html", place]));
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(folder.names(), ["app.nw", "job.nw"]);
}

#[test]
fn what_is_not_a_record_is_refused() {
    let folder = Folder::new("refused");
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.0.join(name), bytes).unwrap();
    let whole = std::fs::read(folder.0.join("app.nw")).unwrap();
    put("text.nw", &b"no,record,here\n".repeat(100));
    put("empty.nw", b"");
    put("cut.nw", &whole[..whole.len() / 2]);
    let cases = [
        ("text.nw", "it is not an SQLite file"),
        ("empty.nw", "the file is empty"),
        ("cut.nw", "the record is damaged"),
        ("none.nw", "there is no such file"),
        (".", "it is a directory"),
    ];
    for (name, expected) in cases {
        let said = refusal(&folder.report(&[name]));
        assert!(said.starts_with(&format!("numawise: {name}: ")) && said.contains(expected), "{said}");
    }
}
