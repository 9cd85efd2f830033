//! `--template`: input files that are filled in for each task, and what is left of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::signals;
use crate::support::{Answer, numawise};

/// A folder to start in, and the one for temporary files inside of it.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        fs::write(folder.path().join("job.com"), "%cpu={cpus} {task} {rank} {threads} {{cpus}}\n").unwrap();
        Bench(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = numawise();
        command.arg("run").args(words).current_dir(self.0.path()).env("TMPDIR", self.path("tmp"));
        signals::as_usual(&mut command);
        command
    }

    fn run(&self, words: &[&str]) -> Answer {
        self.command(words).output().unwrap().into()
    }

    fn left(&self) -> Vec<PathBuf> {
        fs::read_dir(self.path("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// The process that takes files away needs a moment.
    fn is_clean(&self) -> bool {
        in_the_end(|| self.left().is_empty())
    }
}

fn in_the_end(holds: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while !holds() {
        if begun.elapsed() > Duration::from_secs(300) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

const SEMI: [&str; 4] = ["--place", "semi", "--threads", "1"];
const JOB: [&str; 2] = ["--template", "job.com"];

fn words<'a>(parts: &[&[&'a str]]) -> Vec<&'a str> {
    parts.concat()
}

#[test]
fn each_copy_gets_its_own_cpus_in_its_own_file() {
    let bench = Bench::new();
    // Its mask is what its file says.
    let script = r#"test "$(taskset -cp $$ | sed 's/.*: //')" = {cpus} && cat {template} && ls -a {template_dir} | wc -l"#;
    let answer = bench.run(&words(&[&["--copies", "2"], &SEMI, &JOB, &["--", "sh", "-c", script]]));
    assert_eq!(answer.status, Some(0), "{answer:?}");
    let mut lines: Vec<&str> = answer.out.lines().filter(|line| line.starts_with('%')).collect();
    lines.sort_unstable_by_key(|line| line.split(' ').nth(1).unwrap().to_owned());
    for (k, line) in lines.iter().enumerate() {
        assert!(line.starts_with("%cpu=") && line.ends_with(&format!(" {k} {k} 1 {{cpus}}")), "{line}");
    }
    assert_eq!(lines.len(), 2, "{answer:?}");
    assert_eq!(answer.out.lines().filter(|line| line.trim() == "3").count(), 2, "nothing beside: {answer:?}");
    assert!(bench.is_clean(), "{:?}", bench.left());
    assert!(!answer.err.contains("stays in"), "{answer:?}");
}

#[test]
fn one_program_is_still_what_numawise_becomes() {
    let bench = Bench::new();
    let script = "cat; cat {template}; echo $PPID; exit 7";
    let mut command = bench.command(&words(&[&SEMI, &JOB, &["--", "sh", "-c", script]]));
    fs::write(bench.path("typed"), "typed\n").unwrap();
    let output = command.stdin(fs::File::open(bench.path("typed")).unwrap()).output().unwrap();
    let answer: Answer = output.into();
    assert_eq!(answer.status, Some(7));
    let lines: Vec<&str> = answer.out.lines().collect();
    assert_eq!((lines[0], lines[2]), ("typed", std::process::id().to_string().as_str()), "{answer:?}");
    assert!(lines[1].starts_with("%cpu=") && lines[1].ends_with(" 0 0 1 {cpus}"), "{answer:?}");
    assert!(bench.is_clean(), "{:?}", bench.left());
}

#[test]
fn whatever_ends_a_program_or_numawise_nothing_is_left() {
    use std::os::unix::process::ExitStatusExt;
    for (copies, signal, again) in [
        (&[][..], 9, false),
        (&[], 2, false),
        (&[], 15, false),
        (&["--copies", "2"], 9, false),
        (&["--copies", "2"], 2, true),
    ] {
        let bench = Bench::new();
        let script = "trap '' INT; touch started.{task}; sleep 600 & wait";
        let script = if again { script } else { "touch started.{task}; exec sleep 600" };
        let program = format!(": {{template}}; {script}");
        let mut command = bench.command(&words(&[copies, &SEMI, &JOB, &["--", "sh", "-c", &program]]));
        let said = fs::File::create(bench.path("said")).unwrap();
        let mut child = command.stdout(Stdio::null()).stderr(said).spawn().unwrap();
        assert!(in_the_end(|| bench.path("started.0").exists()), "{copies:?}");
        assert_eq!(bench.left().len(), 1, "{copies:?} {signal}");
        let send = || {
            let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
            assert!(sent.unwrap().success());
        };
        send();
        if again {
            let said = || fs::read_to_string(bench.path("said")).unwrap();
            assert!(in_the_end(|| said().contains("asked to end")), "{}", said());
            send();
        }
        let status = child.wait().unwrap();
        let ended = status.signal().or(status.code().map(|code| code - 128));
        assert_eq!(ended, Some(signal), "{copies:?}");
        assert!(bench.is_clean(), "{copies:?} {signal}: {:?}", bench.left());
    }
}

#[test]
fn what_a_program_puts_beside_its_file_stays_and_is_told() {
    let bench = Bench::new();
    let script = "cd {template_dir} && test {task} = 0 || echo result > job.log";
    let answer = bench.run(&words(&[&["--copies", "2"], &SEMI, &JOB, &["--", "sh", "-c", script]]));
    assert_eq!(answer.status, Some(0), "{answer:?}");
    let folder = bench.left().pop().unwrap().join("1");
    let told = format!(
        "numawise: what the program has put beside its input files stays in {}; --template-dir FOLDER",
        folder.display()
    );
    assert!(answer.err.contains(&told), "{answer:?}");
    assert_eq!(fs::read_to_string(folder.join("job.log")).unwrap(), "result\n");
    assert!(folder.join("job.com").exists() && !folder.with_file_name("0").exists());
}

#[test]
fn files_stay_in_a_folder_that_was_named() {
    let bench = Bench::new();
    let at = ["--copies", "2", "--template-dir", "runs"];
    for _ in 0..2 {
        let answer = bench.run(&words(&[&at, &SEMI, &JOB, &["--", "cp", "{template}", "out.{task}"]]));
        assert_eq!(answer.status, Some(0), "{answer:?}");
    }
    for task in ["0", "1"] {
        let kept = fs::read_to_string(bench.path("runs").join(task).join("job.com")).unwrap();
        assert_eq!(kept, fs::read_to_string(bench.path(&format!("out.{task}"))).unwrap());
    }
    assert!(bench.left().is_empty());
    fs::create_dir(bench.path("0")).unwrap();
    fs::write(bench.path("0/job.com"), "{cpus}").unwrap();
    let over = bench.run(&["--template", "0/job.com", "--template-dir", ".", "--", "cat", "{template}"]);
    assert_eq!(over.status, Some(125));
    assert!(
        over.err.contains("--template: 0/job.com, filled in for a task, would be written over itself"),
        "{over:?}"
    );
    assert_eq!(fs::read_to_string(bench.path("0/job.com")).unwrap(), "{cpus}");
}

#[test]
fn a_plan_says_where_files_would_lie_and_writes_none() {
    let bench = Bench::new();
    let plan =
        bench.run(&words(&[&["--dry-run", "--copies", "2"], &SEMI, &JOB, &["--", "app", "{template}"]]));
    let folder = bench.path("tmp/numawise-XXXXXX");
    assert!(plan.out.contains(&format!("Plan for: app {}/0/job.com", folder.display())), "{plan:?}");
    assert!(plan.out.contains(&format!("{}/1/job.com", folder.display())), "{plan:?}");
    assert!(plan.out.contains("No other tool fills input files in"), "{plan:?}");
    let at = ["--dry-run", "--json", "--template-dir", "runs"];
    let json = bench.run(&words(&[&at, &SEMI, &JOB, &["--", "app", "{template}"]]));
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let path = bench.path("runs/0/job.com");
    let expected = serde_json::json!([{ "task": 0, "template": "job.com", "path": path, "stays": true }]);
    assert_eq!((&json["inputs"], &json["equivalents"]), (&expected, &serde_json::json!([])));
    assert!(bench.left().is_empty() && !bench.path("runs").exists());
}

#[test]
fn what_cannot_be_is_said_before_anything_starts() {
    let bench = Bench::new();
    fs::write(bench.path("bad.in"), "x\n{m}\n").unwrap();
    fs::write(bench.path("zero.in"), "{cpus}\0").unwrap();
    let program = ["--", "touch", "started", "{template}"];
    for (options, expected) in [
        (&["--template", "none.in"][..], "--template: none.in: it cannot be read: No such file"),
        (
            &["--template", "bad.in"],
            "--template: bad.in, line 2: {m} names nothing; there are: threads, task, rank",
        ),
        (&["--template", "zero.in"], "zero.in: it is no text, byte 6"),
        (&["--template", "job.com", "--emit", "taskset"], "--emit taskset prints lines for a shell"),
        (&["--template", "job.com", "--show"], "--template is about a program that is started"),
        (&["--template-dir", "runs"], "--template <FILE>"),
        (
            &["--template", "job.com", "--template-dir", "job.com/x"],
            "--template: cannot make a folder for input files in",
        ),
    ] {
        let answer = bench.run(&words(&[options, &program]));
        assert_eq!(answer.status, Some(125), "{options:?}: {answer:?}");
        assert!(answer.err.contains(expected), "{options:?}: {answer:?}");
    }
    let unnamed = bench.run(&words(&[&JOB, &["--", "touch", "started"]]));
    assert!(unnamed.err.contains("nothing names the file that is made of job.com"), "{unnamed:?}");
    let nowhere =
        bench.command(&words(&[&JOB, &program])).env("TMPDIR", bench.path("none")).output().unwrap();
    let nowhere = Answer::from(nowhere);
    assert!(
        nowhere.err.contains("cannot make a folder for input files in")
            && nowhere.err.contains("--template-dir FOLDER"),
        "{nowhere:?}"
    );
    let missing = bench.run(&words(&[&JOB, &["--", "./no-such-program", "{template}"]]));
    assert_eq!(missing.status, Some(127));
    assert!(!bench.path("started").exists());
    assert!(bench.is_clean(), "{:?}", bench.left());
}

/// A disk that is full while files are written: a limit of the size of files is the same to us.
#[test]
fn a_full_disk_leaves_nothing() {
    let bench = Bench::new();
    let file = "x".repeat(5000);
    fs::write(bench.path("long.in"), &file).unwrap();
    let own = env!("CARGO_BIN_EXE_numawise");
    let script = format!("ulimit -f 1; exec {own} run --template long.in -- touch started {{template}}");
    let shell = Command::new("bash")
        .args(["-c", &script])
        .current_dir(bench.0.path())
        .env("TMPDIR", bench.path("tmp"))
        .output();
    let answer = Answer::from(shell.unwrap());
    assert_eq!(answer.status, Some(125), "{answer:?}");
    assert!(
        answer.err.contains("cannot write the input file") && answer.err.contains("/0/long.in"),
        "{answer:?}"
    );
    assert!(!Path::exists(&bench.path("started")));
    assert!(bench.is_clean(), "{:?}", bench.left());
}
