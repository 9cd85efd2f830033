//! `numawise trace` of programs that call more often than their memory has room for.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Answer, Bench, MPICH, MPIS, OPEN_MPI, number};

/// Messages that ranks send each other, more than twice as many as a buffer of 2 MB has room for; how many between two looks whether chunks wait to be
/// taken away; and for how many seconds a rank waits for that, so that nothing is lost where numawise gets no CPU meanwhile.
const MANY: [&str; 3] = ["60000", "500", "60"];
const MESSAGES: f64 = 60_000.0;

fn many_calls(bench: &Bench, compiler: &str) -> Option<PathBuf> {
    bench.compile(compiler, "many_calls.c", &[])
}

fn traced(
    bench: &Bench,
    options: &[&str],
    launcher: &str,
    program: &Path,
    words: &[&str],
) -> (Value, Answer) {
    let trace = ["trace", "--json=run.json", "--output", "run.trace", "--fresh"];
    let launched = ["--", launcher, "-n", "2", program.to_str().unwrap()];
    let answer = bench.numawise(&[&trace[..], options, &launched, words].concat());
    (bench.json("run.json"), answer)
}

/// What was taken from memory, and is still there.
fn left(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.to_string_lossy().contains(".numawise")).collect()
}

#[test]
fn what_memory_has_no_room_for_goes_to_the_disk_and_the_trace_is_whole() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = many_calls(&bench, compiler) else { continue };
        let (json, answer) = traced(&bench, &["--buffer", "2M"], launcher, &program, &MANY);
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        let trace = &json["trace"];
        let counts = ["/messages", "/unmatched", "/lost"].map(|of| number(trace, of));
        assert_eq!(counts, [MESSAGES, 0.0, 0.0], "{launcher}: {}", answer.err);
        // Each rank sends or receives each message.
        let calls: Vec<f64> =
            trace["ranks"].as_array().unwrap().iter().map(|of| number(of, "/calls")).collect();
        assert_eq!(calls, [MESSAGES; 2]);
        assert_eq!(left(&bench.path(".")), Vec::<PathBuf>::new());
    }
}

#[test]
fn ranks_that_each_have_a_numawise_are_traced_whole_too() {
    let bench = Bench::new();
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = many_calls(&bench, compiler) else { return };
    let numawise = bench.numawise.to_str().unwrap();
    let words = ["trace", "--buffer", "2M", "--json=run.json", "--output", "run.trace", "--"];
    let all = [&[launcher, "-n", "2", numawise], &words[..], &[program.to_str().unwrap()], &MANY].concat();
    let answer = bench.run(&all);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    let counts = ["/messages", "/unmatched", "/lost"].map(|of| number(&json["trace"], of));
    assert_eq!(counts, [MESSAGES, 0.0, 0.0], "{}", answer.err);
    assert_eq!(left(&bench.path(".")), Vec::<PathBuf>::new());
}

#[test]
fn calls_beyond_buffer_and_disk_are_counted_and_not_in_the_tables() {
    let bench = Bench::new();
    let Some((launcher, program)) =
        MPIS.into_iter().find_map(|(compiler, launcher)| Some((launcher, many_calls(&bench, compiler)?)))
    else {
        return;
    };
    let (json, answer) = traced(&bench, &["--buffer", "128K", "--disk", "1K"], launcher, &program, &[]);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    assert!(number(&json, "/trace/lost") > 1000.0 && number(&json, "/trace/calls") > 1000.0, "{json:#}");
    let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("use a larger --buffer") && said.contains("In the first "), "{said}");
}

#[test]
fn the_last_calls_are_kept_where_that_is_asked_for() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = many_calls(&bench, compiler) else { continue };
        let options = ["--buffer", "1M", "--disk", "256K", "--keep", "last"];
        let (json, answer) = traced(&bench, &options, launcher, &program, &MANY);
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        let trace = &json["trace"];
        let [lost, calls, messages] = ["/lost", "/calls", "/messages"].map(|of| number(trace, of));
        assert!(lost > 1000.0 && calls > 1000.0 && trace["lost_before"] == true, "{trace:#}");
        // One end may lie before the begin.
        assert!(number(trace, "/unmatched") <= 1.0 && messages >= calls / 2.0 - 5.0, "{trace:#}");
        assert!(answer.err.contains("In the last "), "{}", answer.err);
        let again = bench.numawise(&["report", "run.trace", "--json"]);
        assert_eq!(serde_json::from_str::<Value>(&again.out).unwrap()["trace"], *trace);
    }
}

#[test]
fn what_is_around_a_signal_is_kept_and_its_messages_match_at_both_cuts() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = many_calls(&bench, compiler) else { continue };
        let words = ["trace", "--json=run.json", "--output", "run.trace", "--fresh", "--keep", "around"];
        let room = ["--buffer", "1M", "--disk", "200K", "--", launcher, "-n", "2", program.to_str().unwrap()];
        let mut command: Command = bench.command(&bench.numawise);
        command.args(words).args(room).args(["200000", "500", "60", "half"]);
        let child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
        let child = child.spawn().unwrap();
        while !["half-0", "half-1"].iter().all(|name| bench.path(name).exists()) {
            std::thread::sleep(Duration::from_millis(5));
        }
        // SAFETY: our own child, which was not waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGUSR2) }, 0);
        let answer = Answer::from(child.wait_with_output().unwrap());
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        ["half-0", "half-1"].iter().for_each(|name| std::fs::remove_file(bench.path(name)).unwrap());
        let json = bench.json("run.json");
        let trace = &json["trace"];
        let [lost, calls, messages] = ["/lost", "/calls", "/messages"].map(|of| number(trace, of));
        assert!(trace["lost_before"] == true && trace["lost_behind"] == true, "{trace:#}");
        assert!(lost > 1000.0 && calls > 10_000.0, "{trace:#}");
        // An end of each way may lie beyond each cut.
        assert!(number(trace, "/unmatched") <= 4.0 && messages >= calls / 2.0 - 5.0, "{trace:#}");
        // The ranks waited at the signal, each longer than for all messages: it lies within.
        assert!(answer.err.contains("around a signal: "), "{}", answer.err);
        let again = bench.numawise(&["report", "run.trace", "--json"]);
        assert_eq!(serde_json::from_str::<Value>(&again.out).unwrap()["trace"], *trace);
    }
}

#[test]
fn calls_outside_of_the_time_that_was_asked_for_are_counted_and_said_to_be_left_out() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = many_calls(&bench, compiler) else { continue };
        for (option, edge) in [("--from", "lost_before"), ("--to", "lost_behind")] {
            let words = [
                "trace",
                "--json=run.json",
                "--output",
                "run.trace",
                "--fresh",
                option,
                "2s",
                "--buffer",
                "1M",
                "--",
            ];
            let mut command: Command = bench.command(&bench.numawise);
            command.args(words).args([launcher, "-n", "2"]).arg(&program).args(["4000", "0", "60", "pause"]);
            let begun = std::time::Instant::now();
            let child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
            let child = child.spawn().unwrap();
            let halves = ["half-0", "half-1"].map(|name| bench.path(name));
            let is_ready =
                || halves.iter().all(|path| path.exists()) && begun.elapsed() > Duration::from_secs(3);
            while !is_ready() {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::fs::write(bench.path("on"), "").unwrap();
            let answer = Answer::from(child.wait_with_output().unwrap());
            assert_eq!(answer.status, Some(0), "{}", answer.err);
            halves.iter().chain([&bench.path("on")]).for_each(|path| std::fs::remove_file(path).unwrap());
            let trace = bench.json("run.json")["trace"].take();
            let [lost, calls, messages] = ["/lost", "/calls", "/messages"].map(|of| number(&trace, of));
            // Of each half a rank may have come to its pause later than asked for, on a busy machine; the other half is where it should be.
            let half = 4000.0;
            let is_right = if option == "--from" { calls >= half } else { lost >= half };
            assert!(is_right && trace[edge] == (lost > 0.0), "{option}: {trace:#}");
            assert_eq!(trace["lost_as_asked"], lost > 0.0, "{trace:#}");
            // An end of each way may lie beyond the cut.
            assert!(number(&trace, "/unmatched") <= 2.0 && messages >= calls / 2.0 - 5.0, "{trace:#}");
            let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(lost == 0.0 || said.contains("as asked for by --from and --to"), "{said}");
            assert!(!said.contains("use a larger --buffer"), "{said}");
        }
        let (json, answer) = traced(&bench, &["--from", "1h"], launcher, &program, &["100"]);
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        assert!(json["trace"].is_null() && json["notices"].to_string().contains("NW929"), "{json:#}");
    }
}

#[test]
fn a_rank_that_is_killed_leaves_its_calls_on_the_disk_and_in_memory() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = many_calls(&bench, compiler) else { continue };
        let words = [MANY[0], MANY[1], MANY[2], "killed"];
        let (json, answer) = traced(&bench, &["--buffer", "2M"], launcher, &program, &words);
        assert_ne!(answer.status, Some(0), "{}", answer.err);
        assert_eq!(number(&json, "/trace/messages"), MESSAGES, "{launcher}: {}", answer.err);
        assert_eq!(left(&bench.path(".")), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_full_disk_is_said_and_what_was_recorded_till_then_is_analysed() {
    let bench = Bench::new();
    let (compiler, launcher) = MPICH;
    let Some(program) = many_calls(&bench, compiler) else { return };
    let disk = bench.path("disk");
    std::fs::create_dir(&disk).unwrap();
    // Sixteen megabytes stay free for the record.
    let script =
        "mount -t tmpfs -o size=17m none disk || exit 77; \"$@\"; status=$?; cp -a disk/. kept; exit $status";
    let mut command = bench.command("unshare");
    // SAFETY: a system call without arguments that cannot fail.
    let root = unsafe { libc::geteuid() } == 0;
    command.args(if root { ["-m", "--"] } else { ["-Urm", "--"] }).args(["sh", "-c", script, "sh"]);
    command.arg(&bench.numawise).args([
        "trace",
        "--buffer",
        "1M",
        "--json=run.json",
        "--output",
        "disk/run.trace",
    ]);
    command.args(["--", launcher, "-n", "2"]).arg(program).args(["200000", "2000", "5"]);
    let answer: Answer = command.output().unwrap().into();
    if answer.status != Some(0) && !bench.path("run.json").exists() {
        return eprintln!("SKIPPED: no file system can be mounted here: {answer:?}");
    }
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    let said = json["notices"].as_array().unwrap().iter().find(|of| of["code"] == "NW928");
    assert!(said.is_some_and(|of| of.to_string().contains("is full")), "{json:#}");
    assert!(number(&json, "/trace/lost") > 1000.0 && number(&json, "/trace/calls") > 20_000.0, "{json:#}");
    let report = bench.numawise(&["report", "kept/run.trace", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&report.out).unwrap()["trace"], json["trace"]);
    assert_eq!(left(&bench.path("kept")), Vec::<PathBuf>::new());
}

#[test]
fn two_runs_on_one_output_both_keep_their_trace() {
    let bench = Bench::new();
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = many_calls(&bench, compiler) else { return };
    let script = format!("touch began-$0; until [ -e go ]; do sleep 0.01; done; exec {}", program.display());
    let start = |name: &str| {
        let words = [
            "trace",
            "--quiet",
            "--output",
            "run.trace",
            "--",
            launcher,
            "-n",
            "2",
            "sh",
            "-c",
            &script,
            name,
        ];
        let mut command: Command = bench.command(&bench.numawise);
        command.args(words).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let both = [start("one"), start("other")];
    while !["one", "other"].iter().all(|name| bench.path(&format!("began-{name}")).exists()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::write(bench.path("go"), "").unwrap();
    let answers = both.map(|child| Answer::from(child.wait_with_output().unwrap()));
    assert!(answers.iter().all(|answer| answer.status == Some(0)), "{answers:?}");
    assert!(answers.iter().any(|answer| answer.err.contains("another run was kept there")), "{answers:?}");
    let entries = std::fs::read_dir(bench.path(".")).unwrap().map(|entry| entry.unwrap().path());
    let traces: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "trace")).collect();
    assert_eq!(traces.len(), 2, "{traces:?}");
    for path in traces {
        let report = bench.numawise(&["report", path.to_str().unwrap(), "--json"]);
        let json: Value = serde_json::from_str(&report.out).unwrap();
        assert_eq!(number(&json, "/trace/messages"), 10_000.0, "{}", path.display());
    }
}
