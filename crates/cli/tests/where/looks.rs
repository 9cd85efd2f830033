//! What is found and seen.

use std::sync::{Arc, Barrier};

use serde_json::Value;

use super::program::copied;
use super::support::{Process, json, look, seen, tasks};

fn pids(tasks: &[Value]) -> Vec<String> {
    tasks.iter().map(|task| task["pid"].to_string()).collect()
}

#[test]
fn a_process_by_its_number() {
    let process = Process::idle();
    let tasks = tasks(&[&process.pid()]);
    assert_eq!(pids(&tasks), [process.pid()]);
    assert_eq!(tasks[0]["name"], "sleep");
    assert_eq!(tasks[0]["threads"].as_array().unwrap().len(), 1);
    assert!(tasks[0]["memory"]["total_bytes"].as_u64().unwrap() > 0);
    let text = seen(&[&process.pid()]);
    assert!(text.contains("sleep") && text.contains(&process.pid()), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn several_and_in_the_order_of_their_numbers() {
    let (one, two, three) = (Process::idle(), Process::busy(), Process::idle());
    let mut expected = [one.pid(), two.pid(), three.pid()];
    expected.sort_by_key(|pid| pid.parse::<u32>().unwrap());
    assert_eq!(pids(&tasks(&[&three.pid(), &one.pid(), &two.pid(), &one.pid()])), expected);
}

#[test]
fn processes_by_the_name_of_their_program() {
    // A name of its own, so that other tests' processes are not among those found.
    let name = format!("nw-{}", std::process::id());
    let folder = std::env::temp_dir().join(format!("numawise-where-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join(&name);
    copied("/bin/sleep", &program);
    let (one, two) = {
        let start = || Process::start(program.to_str().unwrap(), &["600"]);
        (start(), start())
    };
    // Copies of one program: the same name, two processes.
    let found = pids(&tasks(&[&name]));
    assert_eq!(found.len(), 2);
    assert!(found.contains(&one.pid()) && found.contains(&two.pid()));
    assert_eq!(pids(&tasks(&[&name, "--job", &one.pid()])), [one.pid()]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_process_with_all_below_it() {
    let shell = Process::start("sh", &["-c", "sleep 600 & sleep 600 & wait"]);
    for _ in 0..600 {
        if tasks(&["--job", &shell.pid()]).len() == 3 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let tasks = tasks(&["--job", &shell.pid()]);
    assert_eq!(tasks.len(), 3);
    for task in tasks.iter().filter(|task| task["pid"] != shell.0.id()) {
        assert_eq!((&task["name"], task["parent"].to_string()), (&"sleep".into(), shell.pid()));
        end(task["pid"].as_i64().unwrap());
    }
}

/// Ends a process that is not ours to wait for.
fn end(pid: i64) {
    // SAFETY: kill touches no memory of ours.
    assert_eq!(unsafe { libc::kill(pid as i32, libc::SIGKILL) }, 0);
}

#[test]
fn ourselves_with_a_thousand_threads() {
    let begun = Arc::new(Barrier::new(1001));
    let end = Arc::new(Barrier::new(1001));
    let threads: Vec<_> = (0..1000)
        .map(|k| {
            let (begun, end) = (Arc::clone(&begun), Arc::clone(&end));
            let thread = std::thread::Builder::new().name(format!("many-{k}")).stack_size(64 << 10);
            thread.spawn(move || (begun.wait(), end.wait())).unwrap()
        })
        .collect();
    begun.wait();
    let own = std::process::id().to_string();
    let tasks = tasks(&[&own]);
    let text = seen(&[&own]);
    let all = seen(&[&own, "--threads"]);
    end.wait();
    threads.into_iter().for_each(|thread| _ = thread.join());
    let threads = tasks[0]["threads"].as_array().unwrap();
    let named = threads.iter().filter(|thread| thread["name"].as_str().unwrap().starts_with("many-"));
    assert_eq!(named.count(), 1000);
    assert!(text.lines().count() < 100, "a thousand lines are not what a person wants: {text}");
    assert!(all.contains("many-0") && all.contains("many-999") && all.lines().count() > 1000);
}

#[test]
fn what_keeps_a_cpu_busy_is_seen_between_two_looks() {
    let (busy, idle) = (Process::busy(), Process::idle());
    // Others want the CPUs too: until it had its turn.
    for _ in 0..240 {
        let job = json(&[&busy.pid(), &idle.pid(), "--interval", "0.5"]);
        let share = |process: &Process| {
            let tasks = job["tasks"].as_array().unwrap();
            let task = tasks.iter().find(|task| task["pid"] == process.0.id()).unwrap();
            task["busy_cpus"].as_f64().unwrap()
        };
        // A twentieth is little, and nothing is nothing.
        assert!(share(&idle) < 0.05, "{job}");
        if share(&busy) > 0.05 {
            return;
        }
    }
    panic!("the busy one was never seen to be busy");
}

#[test]
fn what_may_not_be_seen_is_told_and_no_error() {
    // SAFETY: geteuid touches no memory and cannot fail.
    let root = unsafe { libc::geteuid() } == 0;
    let ours = Process::idle();
    // As root we look as nobody; otherwise at what is root's.
    let pid = if root { ours.pid() } else { "1".to_owned() };
    let folder = std::env::temp_dir().join(format!("numawise-where-other-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("numawise");
    copied(env!("CARGO_BIN_EXE_numawise"), &program);
    let mut command = std::process::Command::new(&program);
    command.args(["where", &pid]).current_dir("/");
    if root {
        use std::os::unix::process::CommandExt;
        command.uid(65534).gid(65534);
    }
    let answer: super::support::Answer = command.output().unwrap().into();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((answer.status, answer.err.as_str()), (Some(0), ""), "{}", answer.out);
    assert!(answer.out.contains("unavailable"), "{}", answer.out);
}

#[test]
fn some_that_are_there_are_shown_and_the_others_named() {
    let process = Process::idle();
    let answer = look(&[&process.pid(), "no-such-program-anywhere", "--json"]);
    assert_eq!(answer.status, Some(0));
    assert!(
        answer.err.contains("warning: no process is called 'no-such-program-anywhere'"),
        "{}",
        answer.err
    );
    let json: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(pids(json["tasks"].as_array().unwrap()), [process.pid()]);
}
