//! Files that cannot be written: refused before the program runs, with what to try; and what is measured is shown in any case.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::{folder, numawise, said, text, trials, whole};

const PROGRAM: [&str; 4] = ["--", "sh", "-c", "echo x >> ran"];

fn check(folder: &Path, options: &[&str]) -> Command {
    let mut command = numawise(&["check", "--budget", "1ms"]);
    command.args(options).args(PROGRAM).current_dir(folder);
    command
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Nothing ran, nothing is left, and the message has all these parts.
fn refused(mut command: Command, folder: &Path, parts: &[&str]) {
    let before = names(folder);
    let output = command.output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(125), "{command:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(names(folder), before, "{command:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn places_where_no_file_can_be_are_refused_before_the_first_run() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("file"), "text").unwrap();
    std::fs::create_dir(path.join("folder")).unwrap();
    std::os::unix::fs::symlink("round", path.join("round")).unwrap();
    std::os::unix::fs::symlink("nowhere/a", path.join("dangling")).unwrap();
    let long = format!("{}.nw", "n".repeat(250));
    let longest = "n".repeat(256);
    for option in ["--output", "--html"] {
        for (place, problem) in [
            ("folder", "this is a folder"),
            ("no/a", "there is no folder no; make it"),
            ("dangling", "it is a link to a file in a folder that does not exist"),
            ("file/a", "Not a directory"),
            ("round", "Too many levels of symbolic links"),
            ("/proc/a", "/proc/a"),
            (&longest, "choose a shorter name"),
        ] {
            refused(check(path, &[option, place]), path, &[&format!("{option} {place}: "), problem]);
        }
    }
    // Its journal has a longer name.
    refused(check(path, &["-o", &long]), path, &["-journal", "choose a shorter name"]);
}

#[test]
fn two_results_do_not_go_into_one_file() {
    let folder = folder();
    let path = folder.path();
    std::os::unix::fs::symlink("a.nw", path.join("link")).unwrap();
    for (options, other) in [
        (&["-o", "a.nw", "--html", "a.nw"][..], "--output"),
        (&["-o", "a.nw", "--html", "./a.nw"], "--output"),
        (&["--html", "sh.nw"], "--output"),
    ] {
        refused(check(path, options), path, &[other, "names the same file"]);
    }
    assert!(check(path, &["-o", "a.nw"]).output().unwrap().status.success());
    std::fs::remove_file(path.join("ran")).unwrap();
    refused(check(path, &["-o", "a.nw", "--html", "link"]), path, &["--output names the same file"]);
    refused(
        check(path, &["-o", "b.nw", "--html", "a.nw"]),
        path,
        &["--html a.nw: an SQLite database is kept there"],
    );
    let mut report = numawise(&["report", "a.nw", "--html", "link"]);
    report.current_dir(path);
    refused(report, path, &["--html link: it is the file that is to be read"]);
    let mut measure = numawise(&["machine", "measure", "--save", "x", "--html", "x"]);
    measure.current_dir(path);
    refused(measure, path, &["--save names the same file"]);
    assert!(whole(&trials(path, "a.nw")));
}

/// Root may write where others may not: the command runs as nobody then.
#[test]
fn folders_and_files_without_permission_are_refused_before_the_first_run() {
    let folder = folder();
    let path = folder.path();
    let binary = path.join("numawise");
    std::fs::copy(env!("CARGO_BIN_EXE_numawise"), &binary).unwrap();
    let mode = |name: &str, mode| {
        std::fs::set_permissions(path.join(name), std::fs::Permissions::from_mode(mode)).unwrap()
    };
    std::fs::create_dir(path.join("open")).unwrap();
    std::fs::write(path.join("open/kept"), "kept").unwrap();
    mode("open/kept", 0o444);
    mode("open", 0o777);
    mode("", 0o555);
    // SAFETY: asks for a number.
    let root = unsafe { libc::geteuid() } == 0;
    for option in ["--output", "--html"] {
        for (place, cause) in [("a", "Permission denied"), ("open/kept", "Permission denied")] {
            let place = path.join(place).display().to_string();
            let mut command = Command::new(&binary);
            command
                .args(["check", "--budget", "1ms", option, &place])
                .args(PROGRAM)
                .current_dir(path.join("open"));
            if root {
                command.uid(65534).gid(65534);
            }
            let parts = [&format!("{option} {place}: cannot write there"), cause, "in which you may write"];
            refused(command, &path.join("open"), &parts);
        }
    }
    mode("", 0o755);
}

/// Limits the size of the files of a command. The C library's `rlim_t` differs among systems.
fn limited(mut command: Command, bytes: u64) -> Command {
    // SAFETY: one system call on a value that lives there.
    unsafe {
        command.pre_exec(move || {
            let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
            match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        })
    };
    command
}

#[test]
fn a_limit_on_the_size_of_files_is_no_space_before_the_first_run() {
    let folder = folder();
    let path = folder.path();
    let refuses = |command: Command, file: &str| {
        let parts = [&format!("{file}: no space"), "the file-size limit of 100 KiB (ulimit -f)"];
        refused(limited(command, 100 << 10), path, &parts);
    };
    refuses(check(path, &["--output", "a"]), "--output a");
    // A record that is there says for itself whether it can go on.
    assert!(check(path, &[]).output().unwrap().status.success());
    std::fs::remove_file(path.join("ran")).unwrap();
    refuses(check(path, &["--html", "a"]), "--html a");
    let mut measure = numawise(&["machine", "measure", "--quick", "--save", "a"]);
    measure.current_dir(path);
    refused(limited(measure, 4 << 10), path, &["--save a: no space", "file-size limit of 4 KiB"]);
}

#[test]
fn a_limit_that_is_reached_is_no_space_and_loses_no_trial() {
    let folder = folder();
    let path = folder.path();
    // Enough to begin with, too little for so many trials.
    let command = numawise(&["check", "--budget", "9m", "--repeats", "500", "-o", "a.nw"]);
    let mut command = limited(command, 264 << 10);
    command.args(PROGRAM).current_dir(path);
    let output = command.output().unwrap();
    let told = said(&output);
    assert_eq!(output.status.code(), Some(125), "{told}");
    for part in ["a.nw: no space is left to write", "the file-size limit of 264 KiB (ulimit -f) is reached"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let trials = trials(path, "a.nw");
    let ran = std::fs::read_to_string(path.join("ran")).unwrap().lines().count();
    assert!(whole(&trials) && trials.len() + 1 >= ran && ran > 10, "{ran} runs, {} kept", trials.len());
}

/// The program has the limit, and ends by it as it does without us.
#[test]
fn a_program_keeps_the_limit_and_its_signal() {
    let folder = folder();
    for options in [&["run", "-C", "all"][..], &["run", "--threads", "1"], &["run", "--copies", "1"]] {
        let mut command = limited(numawise(options), 8 << 10);
        command
            .args(["--", "sh", "-c", "ulimit -c 0; exec head -c 20000 /dev/zero > made"])
            .current_dir(folder.path());
        command.env("OMP_NUM_THREADS", "7");
        let output = command.output().unwrap();
        let status = std::os::unix::process::ExitStatusExt::signal(&output.status)
            .unwrap_or_else(|| output.status.code().unwrap() - 128);
        assert_eq!(status, libc::SIGXFSZ, "{options:?}: {}", said(&output));
        assert_eq!(std::fs::metadata(folder.path().join("made")).unwrap().len(), 8 << 10);
    }
}

/// A file system of 64 KiB, where we may make one.
#[test]
fn a_full_disk_is_refused_before_the_first_run() {
    let folder = folder();
    let script = r#"mount -t tmpfs -o size=64k none "$1" && cd "$1" && { "$0" check --budget 1ms -o a.nw -- sh -c 'echo x > "$0"' "$2"
        echo status $?; "$0" check --budget 1ms -o "$3" --html a.html -- sh -c 'echo x > "$0"' "$2"; echo status $?; ls -A; }"#;
    let outside = crate::folder();
    let path = |name: &str| outside.path().join(name).display().to_string();
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_numawise")])
        .args([&folder.path().display().to_string(), &path("ran"), &path("b.nw")])
        .output();
    let output = match output {
        Ok(output) if text(&output.stdout).contains("status") => output,
        other => {
            eprintln!("SKIPPED: no file system can be mounted here: {other:?}");
            return;
        }
    };
    let told = said(&output);
    assert_eq!(text(&output.stdout), "status 125\nstatus 125\n", "{told}");
    for option in ["--output a.nw", "--html a.html"] {
        assert!(told.contains(&format!("{option}: no space is left there for 256 KiB")), "{told}");
    }
    assert_eq!(names(outside.path()), [""; 0]);
}

/// The place of the report is taken while the program runs.
#[test]
fn a_result_is_printed_where_its_report_cannot_be_written() {
    let folder = folder();
    let mut command = numawise(&["check", "--budget", "1ms", "-o", "a.nw", "--html", "a.html", "--json"]);
    command.args(["--", "mkdir", "-p", "a.html"]).current_dir(folder.path());
    let output = command.output().unwrap();
    let told = said(&output);
    assert_eq!(output.status.code(), Some(125), "{told}");
    assert!(told.contains("cannot write the report a.html"), "{told}");
    assert!(told.contains("kept in the record"), "{told}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["trials"].as_array().unwrap().len(), trials(folder.path(), "a.nw").len());
}
