//! Whether threads were placed as the plan says: asked, and found.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::agent::pinning_library;
use crate::refuse::{Refused, refuse};
use crate::{check, command_of, folder, json};

/// A program of two threads that both work for so many milliseconds; `options` of the compiler may keep the library out.
fn two_threads(folder: &Path, milliseconds: u32, options: &[&str]) -> String {
    let source = folder.join("two.c");
    let text = "#include <pthread.h>\n#include <time.h>\n\
        static void* work(void* p) { struct timespec t; do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);\n\
          while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < MILLISECONDS); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); return pthread_join(t, 0); }\n";
    std::fs::write(&source, text).unwrap();
    let program = folder.join("two");
    let mut command = Command::new("gcc");
    command
        .args(["-O1", "-pthread", &format!("-DMILLISECONDS={milliseconds}"), "-o"])
        .arg(&program)
        .arg(&source)
        .args(options);
    assert!(command.status().unwrap().success());
    program.display().to_string()
}

fn two_cpus() -> bool {
    std::thread::available_parallelism().map_or(1, usize::from) >= 2
}

const WORDS: [&str; 8] = ["--json", "--threads", "2", "--budget", "1ms", "--repeats", "5", "--"];

fn ids(told: &Value) -> Vec<&str> {
    told["points"].as_array().unwrap().iter().map(|point| point["id"].as_str().unwrap()).collect()
}

#[test]
fn what_may_not_be_placed_is_not_tried_and_the_verdict_cannot_tell() {
    if !two_cpus() {
        return;
    }
    for (errno, said) in [(libc::EPERM, "forbidden"), (libc::ENOSYS, "not implemented"), (0, "no effect")] {
        let folder = folder();
        let program = two_threads(folder.path(), 5, &[]);
        let mut command = check(folder.path(), &[&WORDS[..], &[&program]].concat());
        refuse(&mut command, Refused::Both([libc::SYS_sched_setaffinity; 2]), errno);
        let told = json(&command.output().unwrap());
        assert_eq!((told["verdict"].as_str(), ids(&told)), (Some("undecided"), vec!["os"]), "{told}");
        let not_tried = told["not_tried"].to_string();
        assert!(not_tried.contains("sched_setaffinity") && not_tried.contains(said), "{not_tried}");
        assert!(told["limits"].to_string().contains("NW219"), "{told}");
        assert!(told["placed_well"].is_object(), "{told}");
        let mut report = Command::new(env!("CARGO_BIN_EXE_numawise"));
        let text = report.args(["report", "two.nw"]).current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8(text.stdout).unwrap();
        assert!(text.contains("cannot be told") && !text.contains("cannot matter"), "{text}");
    }
}

#[test]
fn without_the_pinning_library_nothing_is_pinned_and_everybody_is_told() {
    if !two_cpus() {
        return;
    }
    let folder = folder();
    let program = two_threads(folder.path(), 5, &[]);
    let alone = folder.path().join("numawise");
    std::fs::copy(env!("CARGO_BIN_EXE_numawise"), &alone).unwrap();
    let output = command_of(&alone, folder.path(), &[&WORDS[..], &[&program]].concat()).output().unwrap();
    let told = json(&output);
    assert_eq!((told["verdict"].as_str(), ids(&told)), (Some("undecided"), vec!["os"]), "{told}");
    assert!(told["not_tried"].to_string().contains("libnumawise_agent.so"), "{told}");
    let errors = crate::stderr(&output);
    assert!(errors.contains("libnumawise_agent.so") && errors.contains("not installed"), "{errors}");
    let run = Command::new(&alone).args(["run", "--pin", "true"]).output().unwrap();
    let errors = crate::stderr(&run);
    assert!(run.status.success() && errors.contains("libnumawise_agent.so"), "{errors}");
}

#[test]
fn without_the_pinning_library_a_record_with_pinned_threads_is_not_gone_on_with() {
    if !two_cpus() {
        return;
    }
    assert!(pinning_library().exists());
    let folder = folder();
    let program = two_threads(folder.path(), 5, &[]);
    let words = [&WORDS[..], &[&program]].concat();
    assert!(ids(&json(&check(folder.path(), &words).output().unwrap())).contains(&"pinned"));
    let before = std::fs::read(folder.path().join("two.nw")).unwrap();
    let alone = folder.path().join("numawise");
    std::fs::copy(env!("CARGO_BIN_EXE_numawise"), &alone).unwrap();
    let again = |more: &[&str]| command_of(&alone, folder.path(), &[more, &words].concat()).output().unwrap();
    for more in [&[][..], &["--sampling", "1%"]] {
        let output = again(more);
        let errors = crate::stderr(&output);
        assert_eq!(output.status.code(), Some(125), "{errors}");
        assert!(errors.contains("now none can be placed") && errors.contains("--fresh"), "{errors}");
        assert!(errors.contains("libnumawise_agent.so"), "{errors}");
    }
    assert_eq!(std::fs::read(folder.path().join("two.nw")).unwrap(), before);
    assert_eq!(ids(&json(&again(&["--fresh"]))), ["os"]);
}

#[test]
fn what_is_forbidden_for_some_threads_only_is_tried() {
    if !two_cpus() {
        return;
    }
    assert!(pinning_library().exists());
    let folder = folder();
    let program = two_threads(folder.path(), 5, &[]);
    let mut command = check(folder.path(), &[&WORDS[..], &[&program]].concat());
    refuse(&mut command, Refused::ForNamedThreads(libc::SYS_sched_setaffinity), libc::EPERM);
    let told = json(&command.output().unwrap());
    assert!(ids(&told).contains(&"pinned") && !told.to_string().contains("NW516"), "{told}");
}

/// Statically linked, it cannot be reached: that is no limit of the machine.
#[test]
fn a_program_that_cannot_be_reached_is_named_and_nothing_is_called_forbidden() {
    if !two_cpus() {
        return;
    }
    let folder = folder();
    let program = two_threads(folder.path(), 5, &["-static"]);
    let output = check(folder.path(), &[&WORDS[..], &[&program]].concat()).output().unwrap();
    let (told, errors) = (json(&output), crate::stderr(&output));
    assert!(ids(&told).contains(&"pinned") && !told["limits"].to_string().contains("NW219"), "{told}");
    assert!(told["caveats"].to_string().contains("linked statically"), "{told}");
    assert!(errors.contains("linked statically"), "{errors}");
}

/// Its threads were free, so that nothing follows; what follows from the masks of threads is tested beside `analyse`.
#[test]
#[ignore = "timing: whether threads of a tenth of a second are seen by sampling"]
fn threads_that_cannot_be_reached_are_seen_to_be_free() {
    if !two_cpus() {
        return;
    }
    let folder = folder();
    let program = two_threads(folder.path(), 120, &["-static"]);
    let told = json(&check(folder.path(), &[&WORDS[..], &[&program]].concat()).output().unwrap());
    eprintln!("{}, {}", told["verdict"], told["caveats"]);
    assert_eq!(told["verdict"], "undecided", "{told}");
    assert!(told["text"].as_str().unwrap().contains("cannot be told"), "{told}");
    assert!(told["caveats"].to_string().contains("NW516"), "{told}");
}
