//! `numawise place` as people call it, beside taskset; `tests/emulated/residency.rs` has two nodes.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A program that waits, ended with the test.
struct Program(Child);

impl Program {
    /// Three threads beside the first.
    fn of_threads() -> Option<Program> {
        const SOURCE: &str = "import threading, time\n\
            for _ in range(3): threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n\
            print('started', flush=True)\ntime.sleep(600)";
        let mut command = Command::new("python3");
        let child = command.args(["-c", SOURCE]).stdout(Stdio::piped()).spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                eprintln!("SKIPPED: python3: {error}");
                return None;
            }
        };
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line)
            .unwrap();
        assert_eq!(line, "started\n");
        Some(Program(child))
    }

    fn waiting() -> Program {
        Program(Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap())
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn place(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_numawise")).arg("place").args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// What taskset says of all threads, one line each.
fn lists(pid: &str) -> Vec<String> {
    let output = Command::new("taskset").args(["-acp", pid]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let last = |line: &str| line.rsplit(": ").next().unwrap().to_owned();
    text(&output.stdout).lines().map(last).collect()
}

/// The CPUs that the kernel lets us have, whatever our mask is.
fn cpus() -> Vec<String> {
    let output = Command::new("taskset")
        .args(["-c", "0-1023", "sed", "-n", "s/^Cpus_allowed_list:.//p", "/proc/self/status"])
        .output()
        .unwrap();
    let list = text(&output.stdout).trim().to_owned();
    let cpus = list.split(',').flat_map(|part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        (from.parse::<u32>().unwrap()..=to.parse().unwrap()).map(|cpu| cpu.to_string())
    });
    cpus.collect()
}

#[test]
fn all_threads_go_where_taskset_would_put_them() {
    let Some(program) = Program::of_threads() else { return };
    let (pid, cpus) = (program.pid(), cpus());
    for cpu in [cpus.last().unwrap(), &cpus[0]] {
        let output = place(&[&pid, "-C", cpu]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let shown = text(&output.stdout);
        assert!(shown.contains(&format!("Placed 4 threads of python3 ({pid}) on CPU {cpu}")), "{shown}");
        let ours = lists(&pid);
        let theirs = Command::new("taskset").args(["-acp", cpu, &pid]).output().unwrap();
        assert!(theirs.status.success());
        assert_eq!((ours.len(), &ours), (4, &lists(&pid)));
    }
}

#[test]
fn threads_are_pinned_one_by_one_and_a_named_one_alone() {
    let Some(program) = Program::of_threads() else { return };
    let (pid, cpus) = (program.pid(), cpus());
    let output = place(&[&pid, "--pin", "--cpus", &cpus.join(",")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let expected: Vec<String> = cpus.iter().cycle().take(4).cloned().collect();
    assert_eq!(lists(&pid), expected, "{output:?}");
    let last = cpus.last().unwrap();
    let output = place(&[&pid, "--tid", &pid, "-C", last, "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let process = &json["processes"][0];
    assert_eq!(
        (&json["schema"], process["threads"].as_array().unwrap().len()),
        (&"numawise/place/1".into(), 1)
    );
    let thread = &process["threads"][0];
    assert_eq!(
        (&thread["before"], &thread["after"]),
        (&cpus[0].as_str().into(), &last.as_str().into()),
        "{json}"
    );
    assert_eq!(lists(&pid)[1..], expected[1..]);
}

/// The plan of `run` for as many tasks.
#[test]
fn several_processes_share_a_strategy_as_ranks_would() {
    let programs = [Program::waiting(), Program::waiting()];
    let pids = programs.each_ref().map(Program::pid);
    for strategy in ["local", "distributed", "semi"] {
        let output = place(&[&pids[0], &pids[1], "--place", strategy]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let mut run = Command::new("taskset");
        run.args([
            "-c",
            "0-1023",
            env!("CARGO_BIN_EXE_numawise"),
            "run",
            "--dry-run",
            "--json",
            "--ranks",
            "2",
        ]);
        let planned = run.args(["--threads", "1", "--no-pin", "--place", strategy, "app"]).output().unwrap();
        let plan: Value = serde_json::from_slice(&planned.stdout).unwrap();
        let tasks = plan["tasks"].as_array().unwrap();
        let expected: Vec<String> =
            tasks.iter().map(|task| task["cpus"].as_str().unwrap().to_owned()).collect();
        let placed: Vec<String> = pids.iter().flat_map(|pid| lists(pid)).collect();
        assert_eq!(placed, expected, "{strategy}");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let program = Program::waiting();
    let pid = program.pid();
    let before = lists(&pid);
    for (words, part) in [
        (&[pid.as_str()][..], "which CPUs the threads are to have was not said; expected --place"),
        (&[&pid, "--place", "none"], "was not said"),
        (&[&pid, "-C", "8191"], "CPU 8191 does not exist"),
        (&[&pid, "-C", "zero"], "--physcpubind 'zero': 'zero' is neither a number nor a range"),
        (&[&pid, "--tid", "2147483647", "-C", "0"], "none of these processes has a thread 2147483647"),
        (&[&pid, "--place", "local", "--threads", "0"], "0 threads were asked for"),
        (&["2147483647", "-C", "0"], "there is no process 2147483647"),
        (&["no-such-program", "-C", "0"], "no process is called 'no-such-program'"),
        (&[&pid, "-C", "0", "-N", "0"], "cannot be used with"),
        (&["-C", "0"], "<PID|NAME>"),
    ] {
        let output = place(words);
        let said = text(&output.stderr);
        assert!(said.contains(part) && output.stdout.is_empty(), "{words:?}: {said}");
        assert_eq!((output.status.code(), lists(&pid)), (Some(125), before.clone()), "{words:?}");
    }
}

#[test]
fn another_users_process_is_not_placed() {
    // SAFETY: a call without arguments.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("SKIPPED: only root can become another user");
        return;
    }
    let program = Program::waiting();
    // Where everybody may execute it; by another process, since a file that is open for writing anywhere cannot be executed.
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let copy = folder.path().join("numawise");
    let made =
        Command::new("install").args(["-m", "755", env!("CARGO_BIN_EXE_numawise")]).arg(&copy).status();
    assert!(made.unwrap().success());
    let output = Command::new(&copy)
        .args(["place", &program.pid(), "-C", "0"])
        .uid(65534)
        .gid(65534)
        .output()
        .unwrap();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(125), ""), "{output:?}");
    assert!(text(&output.stderr).contains("it is another user's"), "{output:?}");
}
