//! `numawise rehearse` from its command line to the record that it leaves: one guest for what comes back, one for what a kill leaves.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{built, json_of};

/// Against what hangs, on the busiest of hosts.
const LIMIT: Duration = Duration::from_secs(20 * 60);
const MACHINE: &str = "pack:2 [numa] core:1 pu:1";

/// A folder of a user, and one for guests, beside which no other rehearsal runs.
struct Place {
    home: TempDir,
    cache: TempDir,
}

impl Place {
    /// None, and a word about it, where this computer lacks what guests need.
    fn new(test: &str) -> Option<Place> {
        let place = Place { home: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        let folder = place.cache.path().join("numawise/rehearsal");
        std::fs::create_dir_all(&folder).unwrap();
        if let Some(kernel) = unpacked_kernel() {
            std::os::unix::fs::symlink(kernel, folder.join("kernel")).unwrap();
        }
        let setup = place.command(&["--setup"]).output().unwrap();
        if setup.status.success() {
            return Some(place);
        }
        let missing = text(&setup.stdout);
        let missing =
            missing.lines().filter(|line| line.starts_with("MISSING")).collect::<Vec<_>>().join("; ");
        // Past the test harness, which would show the output of failed tests only.
        let _ = std::io::stderr().write_all(format!("\nSKIPPED: {test}: {missing}\n").as_bytes());
        None
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(built("numawise"));
        command.arg("rehearse").args(words).current_dir(self.home.path());
        command.env("XDG_CACHE_HOME", self.cache.path()).stdin(Stdio::null());
        command
    }

    fn write(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.home.path().join(name);
        std::fs::write(&path, contents).unwrap();
        path
    }
}

/// The kernel that `numawise rehearse --setup` has somebody unpack, where this user has one.
fn unpacked_kernel() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache")))?;
    cache.join("numawise/rehearsal/kernel").canonicalize().ok()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn all_of(output: &Output) -> String {
    format!("{}\n{}", text(&output.stdout), text(&output.stderr))
}

/// The program changes, makes and removes files: here nothing of that is to be seen but the record, which says what it is.
#[test]
fn emulated_rehearsal_brings_its_record_back_and_changes_no_other_file() {
    let Some(place) = Place::new("emulated_rehearsal_brings_its_record_back") else { return };
    let data = place.write("data.txt", "mine\n");
    let other = place.write("other.txt", "also mine\n");
    let script = "set -e\necho theirs > data.txt\nrm -f other.txt\necho new > made.txt\ncat data.txt\n";
    place.write("work.sh", script);
    let words = ["study", "--repeats", "1", "--memory", "bind:0,bind:1", "-o", "w.nw", "--", "sh", "work.sh"];
    let rehearsed = place.command(&["--machine", MACHINE]).args(words).output().unwrap();
    assert!(rehearsed.status.success(), "{}", all_of(&rehearsed));
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    assert_eq!((read(&data), read(&other)), ("mine\n".into(), "also mine\n".into()));
    let mut names: Vec<_> =
        std::fs::read_dir(place.home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["data.txt", "other.txt", "w.nw", "work.sh"]);

    let report = |options: &[&str]| {
        let mut command = Command::new(built("numawise"));
        let report = command.current_dir(place.home.path()).args(["report", "w.nw"]).args(options).output();
        let report = report.unwrap();
        assert!(report.status.success(), "{}", all_of(&report));
        text(&report.stdout)
    };
    let told = json_of(&report(&["--json"]));
    let notices = told.to_string();
    assert!(notices.contains("\"NW220\""), "{notices}");
    let shown = report(&[]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("this is a rehearsal") && shown.contains(MACHINE), "{shown}");
}

/// SIGKILL gives it no time to end anything: the kernel ends QEMU.
#[test]
fn emulated_rehearsal_that_is_killed_leaves_no_qemu_and_the_next_one_no_folder() {
    let Some(place) = Place::new("emulated_rehearsal_that_is_killed") else { return };
    let words = ["--machine", MACHINE, "run", "--", "sleep", "100000"];
    let mut rehearsal = place.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let guest = wait_for("QEMU starts", || qemus_of(place.cache.path()).first().copied());
    rehearsal.kill().unwrap();
    assert_eq!(rehearsal.wait().unwrap().signal(), Some(libc::SIGKILL));
    wait_for("QEMU ends", || (!qemus_of(place.cache.path()).contains(&guest)).then_some(()));

    // No guest is needed for the next one to put things in order: its command is none.
    let left = || std::fs::read_dir(place.cache.path().join("numawise/rehearsal/runs")).unwrap().count();
    assert_eq!(left(), 1, "the folder of the guest that was killed");
    let next = place.command(&["--machine", MACHINE, "run", "--", "true"]).output().unwrap();
    assert!(next.status.success(), "{}", all_of(&next));
    assert_eq!(left(), 0);
}

/// Processes whose command line names this folder, but for ourselves: those of QEMU.
fn qemus_of(folder: &Path) -> Vec<u32> {
    let ids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_one = |id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = text(&line);
        line.contains("qemu-system") && line.contains(folder.to_str().unwrap())
    };
    ids.filter(is_one).collect()
}

fn wait_for<T>(what: &str, mut seen: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(seen) = seen() {
            return seen;
        }
        assert!(begun.elapsed() < LIMIT, "{what}: not within {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
