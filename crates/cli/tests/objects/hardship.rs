//! Programs and machines that allow less: the program runs as it would, what is lost is named, and the rest is said.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::collector::installed;
use crate::seccomp::{Refused, refuse};

/// Fills an array, reads it for so many tenths of a second of CPU time as its first word says, and ends with status 5; with a second word
/// once there is a file `stop`.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
enum { N = 1 << 22 };
int main(int count, char **words) {
    long *table = malloc(N * sizeof *table), sum = 1;
    unsigned long at = 1;
    for (long k = 0; k < N; k++) table[k] = k;
    clock_t end = clock() + (count > 1 ? atoi(words[1]) : 1) * CLOCKS_PER_SEC / 10;
    while (clock() < end)
        for (long k = 0; k < 100000; k++) {
            at = at * 6364136223846793005ul + 1442695040888963407ul;
            sum += table[at >> 42];
        }
    puts(sum ? "done" : "odd"), fflush(stdout);
    while (count > 2 && access("stop", F_OK) != 0) usleep(1000);
    return 5;
}
"#;

/// How long numawise may take until it has seen an object: much longer than it takes anywhere.
const PATIENCE: Duration = Duration::from_secs(120);

struct Tried {
    folder: TempDir,
    binary: PathBuf,
}

impl Tried {
    /// The program, compiled with these options; `None`, having said so, where it cannot be.
    fn new(options: &[&str]) -> Option<Tried> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("app.c"), PROGRAM).unwrap();
        let mut compiler = Command::new("gcc");
        compiler.args(["-O1", "-o", "app", "app.c"]).args(options).current_dir(folder.path());
        match compiler.output() {
            Ok(made) if made.status.success() => {
                let binary = installed(folder.path(), true);
                Some(Tried { folder, binary })
            }
            other => {
                eprintln!("SKIPPED: gcc {options:?}: {other:?}");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, words: &[&str], program: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg("objects").args(words).args(["--", "./app"]).args(program).current_dir(self.path());
        command
    }

    fn objects(&self, words: &[&str], change: impl FnOnce(&mut Command)) -> (Output, String) {
        let mut command = self.command(words, &[]);
        change(&mut command);
        self.ended(command.output().unwrap())
    }

    /// The same of a program that stays until what was seen of it has a line, however late numawise comes to look.
    fn objects_that_stay(&self, words: &[&str], change: impl FnOnce(&mut Command)) -> (Output, String) {
        let mut command = self.command(words, &["1", "stays"]);
        change(&mut command);
        let numawise = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let job = numawise.id().to_string();
        let has_line = || {
            let mut command = Command::new(&self.binary);
            let asked = command.args(["where", "--objects", "--json", "--job", &job]).output().unwrap();
            let seen: Value = serde_json::from_slice(&asked.stdout).unwrap_or_default();
            seen["runs"][0]["objects"].as_array().is_some_and(|all| all.iter().any(|of| of["line"].is_u64()))
        };
        let begun = Instant::now();
        while !has_line() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(50));
        }
        std::fs::write(self.path().join("stop"), []).unwrap();
        let ended = self.ended(numawise.wait_with_output().unwrap());
        std::fs::remove_file(self.path().join("stop")).unwrap();
        ended
    }

    fn ended(&self, output: Output) -> (Output, String) {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n", "{said}");
        (output, said.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.path().join("run.json")).unwrap()).unwrap()
    }
}

fn codes(told: &Value) -> Vec<&str> {
    told["notices"].as_array().unwrap().iter().filter_map(|notice| notice["code"].as_str()).collect()
}

fn largest(told: &Value) -> &Value {
    let objects = told["objects"].as_array().unwrap();
    objects.iter().max_by_key(|object| object["bytes"].as_u64()).unwrap()
}

/// Why the calls for perf events are refused is the same for a container's profile and for kernel.perf_event_paranoid.
#[test]
fn without_perf_events_objects_are_known_and_what_is_lost_is_named() {
    let Some(tried) = Tried::new(&["-g"]) else { return };
    for errno in [libc::EPERM, libc::EACCES, libc::ENOSYS] {
        let (_, said) = tried.objects_that_stay(&["--json=run.json", "--rate", "1000"], |command| {
            refuse(command, Refused::Both([libc::SYS_perf_event_open; 2]), errno);
        });
        let told = tried.json();
        assert!(codes(&told).contains(&"NW942"), "{said}");
        assert!(said.contains("perf_event_paranoid") && said.contains("seccomp"), "{said}");
        let table = largest(&told);
        assert_eq!((&table["name"], &table["line"]), (&"table".into(), &8.into()), "{table:#}");
        let share = &table["memory_time_share"];
        assert!(share["low"].is_f64() || share["unavailable"].is_string(), "{share}");
    }
}

#[test]
#[ignore = "timing: a share of the samples of timers"]
fn without_perf_events_times_are_known() {
    let Some(tried) = Tried::new(&["-g"]) else { return };
    let mut command = tried.command(&["--json=run.json", "--rate", "1000"], &["7"]);
    refuse(&mut command, Refused::Both([libc::SYS_perf_event_open; 2]), libc::EPERM);
    tried.ended(command.output().unwrap());
    let told = tried.json();
    let share = &largest(&told)["memory_time_share"];
    eprintln!("the array has {share} of the time for memory, which is all that there is");
    let known = share["low"].as_f64().is_some_and(|low| low > 0.8);
    assert!(known || share["unavailable"].is_string(), "{share}");
    assert!(known || told["time_samples"]["unavailable"].is_string(), "{:#}", told["time_samples"]);
}

#[test]
fn a_static_program_has_no_allocations_and_its_heap_is_no_small_allocation() {
    let Some(tried) = Tried::new(&["-g", "-static"]) else { return };
    let (_, said) = tried.objects(&["--json=run.json", "--rate", "1000"], |_| {});
    let told = tried.json();
    assert!(said.contains("it is linked statically"), "{said}");
    let codes = codes(&told);
    assert!(codes.contains(&"NW940") && codes.contains(&"NW941"), "{codes:?}");
    let kinds: Vec<&str> =
        told["objects"].as_array().unwrap().iter().filter_map(|object| object["kind"].as_str()).collect();
    assert!(!kinds.contains(&"small"), "{kinds:?}");
    let heap = told["objects"].as_array().unwrap().iter().find(|object| object["kind"] == "heap");
    assert!(heap.is_none_or(|heap| heap["name"]["unavailable"].is_string()), "{heap:?}");
}

#[test]
fn a_stripped_program_says_what_brings_its_lines() {
    for options in [&["-s"] as &[&str], &[]] {
        let Some(tried) = Tried::new(options) else { return };
        let (_, said) = tried.objects(&["--json=run.json"], |_| {});
        let told = tried.json();
        let notices = told["notices"].as_array().unwrap();
        let notice =
            notices.iter().find(|notice| notice["code"] == "NW948").unwrap_or_else(|| panic!("{said}"));
        assert!(notice["arguments"]["files"][0].as_str().unwrap().ends_with("/app"), "{notice:#}");
        assert!(said.contains("compile with -g") && said.contains("-dbgsym"), "{said}");
        let table = largest(&told);
        assert_eq!(table["bytes"], (8u64 << 22), "{table:#}");
        assert!(table["line"]["unavailable"].is_string());
    }
    let Some(tried) = Tried::new(&["-g"]) else { return };
    tried.objects(&["--json=run.json"], |_| {});
    assert!(!codes(&tried.json()).contains(&"NW948"));
}

#[test]
fn reports_that_cannot_be_written_cost_nothing_else() {
    let Some(tried) = Tried::new(&["-g"]) else { return };
    let (_, said) = tried.objects(&["--quiet", "--json=/dev/full"], |_| {});
    assert!(said.contains("cannot write the result /dev/full") && said.contains("Program ./app"), "{said}");
    for (words, expected) in [
        (["--output", "/dev/full"], "not an ordinary file"),
        (["--output", "missing/run.nw"], "missing"),
        (["--quiet", "--json=missing/run.json"], "missing"),
    ] {
        let mut command = Command::new(&tried.binary);
        let output =
            command.arg("objects").args(words).args(["--", "./app"]).current_dir(tried.path()).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // It is known before the program has run for hours.
        assert_eq!(output.status.code(), Some(125), "{said}");
        assert!(output.stdout.is_empty() && said.contains(expected), "{said}");
    }
}

/// What other commands make of such a record.
#[test]
fn a_record_of_objects_is_shown_and_refused_by_what_is_for_others() {
    let Some(tried) = Tried::new(&["-g"]) else { return };
    let (_, _) = tried.objects(&["--json=run.json", "--output", "run.nw"], |_| {});
    let numawise = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        let output = command.args(words).current_dir(tried.path()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&text).into_owned())
    };
    let (status, text) = numawise(&["report", "run.nw", "--html", "run.html"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("object table, 32 MiB, allocated app.c:8 (main)"), "{text}");
    assert!(std::fs::read_to_string(tried.path().join("run.html")).unwrap().contains("app.c:8"));
    let (status, shown) = numawise(&["report", "run.nw", "--json"]);
    assert_eq!(status, Some(0));
    let (mut kept, mut told) = (serde_json::from_str::<Value>(&shown).unwrap(), tried.json());
    // The one names the file as it was typed for it.
    for of in [&mut kept, &mut told] {
        of["record"].take();
    }
    assert_eq!(kept, told);
    for words in [&["compare", "run.nw", "run.nw"] as &[&str], &["export", "--csv", "run.nw"]] {
        let (status, text) = numawise(words);
        assert_ne!(status, Some(0), "{text}");
        assert!(text.contains("memory objects"), "{words:?}: {text}");
    }
    // A record is not written over by accident.
    let before = std::fs::read(tried.path().join("run.nw")).unwrap();
    let mut command = Command::new(&tried.binary);
    command.args(["objects", "--output", "run.nw", "--", "./app"]).current_dir(tried.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read(tried.path().join("run.nw")).unwrap(), before);
}
