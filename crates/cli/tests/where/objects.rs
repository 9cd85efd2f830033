//! `--objects`: what is known of the memory objects of a program while it runs, and that the program has no part in it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::support::Process;
use crate::answer::Answer;
use crate::collector;

/// Waits for elements of `table` for three quarters of its passes, and of `list` for the rest; frees `gone` before that. Sleeps again and again,
/// and says in the end how often that was interrupted.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
enum { ELEMENTS = 1 << 22, PASS = 20000 };
static size_t *ring(size_t *of) {
  for (size_t k = 0; k < ELEMENTS; k++) of[k] = k;
  unsigned long long random = 88172645463325252ULL;
  for (size_t k = ELEMENTS - 1; k > 0; k--) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    size_t other = random % k, kept = of[k];
    of[k] = of[other], of[other] = kept;
  }
  return of;
}
__attribute__((noinline)) static size_t follow(const size_t *of, size_t at) {
  for (int k = 0; k < PASS; k++) at = of[at];
  return at;
}
int main(void) {
  size_t *table = malloc(ELEMENTS * sizeof *table);
  size_t *list = malloc(ELEMENTS * sizeof *list);
  ring(table), ring(list);
  volatile char *gone = malloc(1 << 23);
  for (int k = 0; k < 1 << 23; k += 4096) gone[k] = 1;
  free((void *)gone);
  puts("begun"), fflush(stdout);
  size_t one = 0, other = 0;
  int interrupted = 0;
  clock_t end = clock() + 60 * CLOCKS_PER_SEC;
  for (int pass = 0; clock() < end; pass++) {
    for (int k = 0; k < 3; k++) one = follow(table, one);
    other = follow(list, other);
    struct timespec shortly = { 0, 200000 };
    if (pass % 100 == 0 && nanosleep(&shortly, NULL) < 0) interrupted++;
    if (pass == 200) puts("measured"), fflush(stdout);
    if (access("stop", F_OK) == 0) break;
  }
  printf("interrupted %d of %d\n", interrupted, one + other > 0);
  free(table), free(list);
  return 7;
}
"#;

/// How long numawise may take until it has seen something: much longer than it takes anywhere.
const PATIENCE: Duration = Duration::from_secs(120);

struct Bench {
    folder: tempfile::TempDir,
    numawise: PathBuf,
}

/// A program that a numawise follows.
struct Followed {
    numawise: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Bench {
    /// `None`, having said so, where there is no gcc.
    fn new() -> Option<Bench> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let numawise = collector::installed(folder.path(), true);
        std::fs::write(folder.path().join("followed.c"), PROGRAM).unwrap();
        let mut compiler = Command::new("gcc");
        compiler.args(["-g", "-O1", "-o", "followed", "followed.c"]).current_dir(folder.path());
        match compiler.output() {
            Ok(compiled) if compiled.status.success() => Some(Bench { folder, numawise }),
            other => {
                eprintln!("SKIPPED: gcc: {other:?}");
                None
            }
        }
    }

    /// Under these words of numawise, once it has made its objects.
    fn start(&self, words: &[&str]) -> Followed {
        self.start_until(words, &["begun\n"])
    }

    /// The same once it has printed these lines.
    fn start_until(&self, words: &[&str], lines: &[&str]) -> Followed {
        let mut command = Command::new(&self.numawise);
        command.args(words).args(["--", "./followed"]).current_dir(self.folder.path());
        let mut numawise =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(numawise.stdout.take().unwrap());
        for expected in lines {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            assert_eq!(line, *expected);
        }
        Followed { numawise, out }
    }

    fn ask(&self, words: &[&str]) -> Answer {
        let mut command = Command::new(&self.numawise);
        command
            .args(["where", "--objects"])
            .args(words)
            .current_dir(self.folder.path())
            .output()
            .unwrap()
            .into()
    }

    fn asked(&self, words: &[&str]) -> Value {
        let answer = self.ask(&[words, &["--json"]].concat());
        assert_eq!((answer.status, answer.err.as_str()), (Some(0), ""), "{}", answer.out);
        let json: Value = serde_json::from_str(&answer.out).unwrap();
        assert_eq!(
            (&json["schema"], json["runs"].as_array().unwrap().len()),
            (&"numawise/where-objects/1".into(), 1)
        );
        json["runs"][0].clone()
    }

    /// What is said once numawise has come to see that.
    fn asked_until(&self, pid: &str, what: &str, is_seen: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let run = self.asked(&[pid]);
            if is_seen(&run) {
                return run;
            }
            assert!(begun.elapsed() < PATIENCE, "waited for {what}: {run:#}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The last line and the status, once the program was asked to end.
    fn end(&self, followed: Followed) -> (String, Option<i32>) {
        let Followed { mut numawise, mut out } = followed;
        std::fs::write(self.folder.path().join("stop"), []).unwrap();
        let mut last = String::new();
        while !last.starts_with("interrupted") {
            last.clear();
            assert!(out.read_line(&mut last).unwrap() > 0, "it says in the end how often it was interrupted");
        }
        let status = numawise.wait().unwrap().code();
        std::fs::remove_file(self.folder.path().join("stop")).unwrap();
        (last, status)
    }
}

impl Followed {
    /// The number of the program: numawise starts a supervisor, which starts it.
    fn pid(&self) -> String {
        let child = |pid: &str| {
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            children.unwrap_or_default().split_whitespace().next().unwrap_or_default().to_owned()
        };
        child(&child(&self.numawise.id().to_string()))
    }
}

fn found<'a>(run: &'a Value, name: &str) -> Option<&'a Value> {
    run["objects"].as_array()?.iter().find(|object| object["name"] == name)
}

fn object<'a>(run: &'a Value, name: &str) -> &'a Value {
    found(run, name).unwrap_or_else(|| panic!("no {name}: {run}"))
}

#[test]
fn objects_of_a_program_are_shown_while_it_runs_and_it_does_not_notice() {
    let Some(bench) = Bench::new() else { return };
    for words in [&["objects", "--quiet"][..], &["snapshot", "--objects", "--quiet"]] {
        let followed = bench.start(words);
        let pid = followed.pid();
        let has_pages = |run: &Value, name: &str| found(run, name).is_some_and(|of| of["pages"].is_array());
        let first = bench.asked_until(&pid, "pages of both and the end of the third", |run| {
            let has_ended = found(run, "gone").is_some_and(|of| of["ended_seconds"].is_number());
            has_pages(run, "table") && has_pages(run, "list") && has_ended
        });
        for name in ["table", "list"] {
            let object = object(&first, name);
            assert_eq!(
                (object["bytes"].as_u64(), &object["pages"][0]["share"]),
                (Some(33_554_432), &1.0.into())
            );
            assert_eq!(object["residence"].as_array().unwrap().len(), 1, "where it lies now: {object}");
            assert_eq!(object["ended_seconds"]["unavailable"], "it is there");
        }
        let gone = object(&first, "gone");
        assert_eq!(gone["pages"]["unavailable"], "it has been freed");
        assert!(first["exit"].is_null() && first["cost_percent"]["unavailable"].is_string(), "{first}");
        // What is asked again goes on.
        let samples = |run: &Value| run["watching"]["time"]["samples"].as_u64().unwrap();
        bench.asked_until("followed", "more samples", |run| samples(run) > samples(&first));
        let text = bench.ask(&["--job", &followed.numawise.id().to_string()]);
        assert_eq!(text.status, Some(0), "{}", text.err);
        assert!(
            text.out.contains("so far; it still runs") && text.out.contains("followed.c:"),
            "{}",
            text.out
        );
        for _ in 0..5 {
            assert_eq!(bench.ask(&[&pid]).status, Some(0));
        }
        assert_eq!(bench.end(followed), ("interrupted 0 of 1\n".to_owned(), Some(7)), "{words:?}");
    }
}

#[test]
#[ignore = "timing: shares of samples so far"]
fn shares_of_time_are_known_while_a_program_runs() {
    let Some(bench) = Bench::new() else { return };
    for words in [&["objects", "--quiet"][..], &["snapshot", "--objects", "--quiet"]] {
        let followed = bench.start_until(words, &["begun\n", "measured\n"]);
        let run = bench.asked(&[&followed.pid()]);
        for (name, expected) in [("table", 0.75), ("list", 0.25)] {
            let share = &object(&run, name)["memory_time_share"]["value"];
            eprintln!("{words:?}: {name} has {share} of the time, by {} samples", run["time_samples"]);
            if run["time_samples"].is_number() {
                let share = share.as_f64().unwrap();
                assert!((share - expected).abs() < 0.1, "{name}: {share}");
            }
        }
        assert_eq!(bench.end(followed), ("interrupted 0 of 1\n".to_owned(), Some(7)), "{words:?}");
    }
}

#[test]
fn what_nobody_follows_is_said_with_the_line_that_does() {
    let Some(bench) = Bench::new() else { return };
    let idle = Process::idle();
    let answer = bench.ask(&[&idle.pid()]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""));
    let expected = format!("nobody follows the memory objects of process {} (sleep 600)", idle.pid());
    assert!(answer.err.contains(&expected), "{}", answer.err);
    assert!(answer.err.contains("start it with numawise objects -- sleep 600"), "{}", answer.err);
    // One that says it is followed, where nobody is any more.
    let mut left = Command::new("sleep");
    left.arg("600").env("NUMAWISE_OBJECTS", "/dev/shm/numawise-snapshot-gone").stdout(Stdio::null());
    let mut left = left.spawn().unwrap();
    let answer = bench.ask(&[&left.id().to_string()]);
    assert_eq!(answer.status, Some(125), "{}", answer.err);
    assert!(
        answer.err.contains("gives no answer") && answer.err.contains("numawise-snapshot-gone/ask"),
        "{}",
        answer.err
    );
    let _ = left.kill();
    let _ = left.wait();
    for (words, expected) in [
        (&["--watch", "1"][..], "cannot be used with"),
        (&["--csv", "1"], "cannot be used with"),
        (&[], "nothing to look for"),
        (&["no-such-program-anywhere"], "no process is called"),
    ] {
        let answer = bench.ask(words);
        assert!(answer.status == Some(125) && answer.err.contains(expected), "{words:?}: {}", answer.err);
    }
}

/// A process of somebody else is followed for that one.
#[test]
fn another_user_is_told_that_the_process_is_not_theirs() {
    let Some(bench) = Bench::new() else { return };
    let other = Command::new("setpriv").args(["--reuid=65534", "--clear-groups", "true"]).status();
    if !other.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: nobody else may be acted as here (setpriv)");
        return;
    }
    let followed = bench.start(&["objects", "--quiet"]);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--clear-groups"]).arg(&bench.numawise).args(["where", "--objects"]);
    let answer: Answer = command.arg(followed.pid()).output().unwrap().into();
    let is_reachable = !answer.err.contains("setpriv: failed to execute");
    assert!(
        !is_reachable || (answer.status == Some(125) && answer.err.contains("another user's")),
        "{}",
        answer.err
    );
    if !is_reachable {
        eprintln!("SKIPPED: the folder of the tests is closed to others");
    }
    assert_eq!(bench.end(followed).1, Some(7));
}
