//! Divisions of CPUs into ranks and threads, side by side. Which takes the shortest time is the machine's choice.

use serde_json::Value;

use crate::support::{Bench, MPICH, OPEN_MPI, number, text};

/// The divisions with the shortest and the longest time, by what the JSON has of their times.
fn shortest_and_longest(json: &Value) -> [String; 2] {
    let rows = json["divisions"].as_array().unwrap().iter();
    let mut timed: Vec<(f64, String)> = rows
        .filter(|row| row["seconds"].is_number())
        .map(|row| (number(row, "/seconds"), format!("{}x{}", row["ranks"], row["threads"])))
        .collect();
    timed.sort_by(|one, other| one.0.total_cmp(&other.0));
    [timed[0].1.clone(), timed[timed.len() - 1].1.clone()]
}

#[test]
fn all_divisions_are_run_and_the_shortest_is_named() {
    let bench = Bench::new();
    let (compiler, launcher) = OPEN_MPI;
    let Some(program) = bench.compile(compiler, "divisions.c", &["-fopenmp"]) else { return };
    let program = program.to_str().unwrap();
    let words = ["--ranks-x-threads", "2", "--json=run.json", "--html", "run.html"];
    let words: Vec<&str> = words
        .into_iter()
        .chain(["--output", "run.nw", "--fresh", "--"])
        .chain([launcher, "-n", "{ranks}", program, "{threads}"])
        .collect();
    let answer = bench.snapshot(&words);
    let printed = "2 ranks, 1 threads, 1 asked\n1 ranks, 2 threads, 2 asked\n";
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), printed), "{}", answer.err);
    let json = bench.json("run.json");
    let [shortest, longest] = shortest_and_longest(&json);
    assert_eq!(text(&json, "/best"), shortest, "{json}");
    // What they rest for is the least that they take.
    for (row, ranks, threads, rest) in [(0, 2.0, 1.0, 0.3), (1, 1.0, 2.0, 0.8)] {
        let of = |field: &str| number(&json, &format!("/divisions/{row}/{field}"));
        assert_eq!((of("ranks"), of("threads")), (ranks, threads));
        assert!(of("seconds") >= rest && of("mpi_share") >= 0.0, "{json}");
        assert!(of("mpi_load_balance") > 0.0, "{json}");
        assert_eq!(of("snapshot/processes/ranks"), ranks);
    }
    assert!(number(&json, "/divisions/1/openmp_load_balance") > 0.0, "{json}");
    assert!(
        json["divisions"][0]["openmp_load_balance"].is_object()
            || json["divisions"][0]["openmp_load_balance"].is_number()
    );
    let said = [
        format!("{shortest} is fastest: "),
        format!("{longest} is slowest: "),
        "Too few runs to prove it".to_owned(),
    ];
    for said in said {
        assert!(answer.err.contains(&said), "{said}: {}", answer.err);
    }
    // Which part makes the difference is said where one does.
    if let Some(why) = json["text"].as_str() {
        let printed = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(why.starts_with("Most of the difference is") && printed.contains(why), "{why}: {printed}");
    }
    let page = std::fs::read_to_string(bench.path("run.html")).unwrap();
    let said = [
        &format!("{shortest} is fastest"),
        "Where the time of a CPU went",
        "<ul class=\"lying\"",
        "shortest",
    ];
    for said in said {
        assert!(page.contains(said), "{said}: {page}");
    }
    records_say_the_same(&bench, &answer.err, &json);
    // Each has a record.
    for (record, ranks) in [("run.2x1.nw", 2.0), ("run.1x2.nw", 1.0)] {
        let numawise = bench.numawise.to_str().unwrap();
        let shown = bench.run(&[numawise, "report", record, "--json"]);
        let json: Value = serde_json::from_str(&shown.out).unwrap();
        assert_eq!(number(&json, "/processes/ranks"), ranks, "{record}");
    }
}

/// The lines that are printed to be typed show the divisions again, from their records.
fn records_say_the_same(bench: &Bench, said: &str, json: &Value) {
    let (_, next) = said.split_once("Next commands").unwrap_or_else(|| panic!("{said}"));
    let lines: Vec<&str> =
        next.lines().filter_map(|line| Some(&line[line.find("numawise report")?..])).collect();
    let shortest = format!("numawise report run.{}.nw", text(json, "/best"));
    let expected = [&shortest, "numawise report run.2x1.nw run.1x2.nw --html divisions.html"];
    assert_eq!(lines, expected, "{said}");
    for line in lines {
        let typed = bench.run(&["sh", "-c", &format!("PATH={}:$PATH; {line}", bench.path("bin").display())]);
        assert_eq!(typed.status, Some(0), "{line}: {}", typed.err);
    }
    assert!(
        std::fs::read_to_string(bench.path("divisions.html"))
            .unwrap()
            .contains("Where the time of a CPU went")
    );
    let numawise = bench.numawise.to_str().unwrap();
    let again = bench.run(&[numawise, "report", "run.2x1.nw", "run.1x2.nw", "--json"]);
    let again: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(&again, json);
    let refused = |words: &[&str], said: &str| {
        let answer = bench.run(&[&[numawise, "report"], words].concat());
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(said), "{words:?}: {}", answer.err);
    };
    refused(&["run.2x1.nw", "run.1x2.nw", "--csv"], "--csv are of one record");
    refused(&["run.2x1.nw", "run.1x2.nw", "--html", "run.1x2.nw"], "is to be read");
    let words = ["--quiet", "--output", "alone.nw", "--fresh", "--", "sh", "-c", "exit 0"];
    assert_eq!(bench.snapshot(&words).status, Some(0));
    refused(&["run.2x1.nw", "alone.nw"], "alone.nw: this is a run by itself");
    let other =
        ["--ranks-x-threads", "2x1", "--quiet", "--output", "other.nw", "--fresh", "--", "echo", "{ranks}"];
    assert_eq!(bench.snapshot(&other).status, Some(0));
    refused(&["run.2x1.nw", "other.2x1.nw"], "a division of another command, echo");
}

#[test]
fn a_division_that_fails_is_told_and_the_others_go_on() {
    let bench = Bench::new();
    let (compiler, launcher) = MPICH;
    let Some(program) = bench.compile(compiler, "divisions.c", &["-fopenmp"]) else { return };
    let program = program.to_str().unwrap();
    let words = ["--ranks-x-threads", "1x2,2x1,3x1", "--repeats", "2", "--json=run.json", "--"];
    let words: Vec<&str> =
        words.into_iter().chain([launcher, "-n", "{ranks}", program, "{threads}", "fail"]).collect();
    let answer = bench.snapshot(&words);
    assert_eq!(answer.status, Some(3), "{}", answer.err);
    let json = bench.json("run.json");
    assert_eq!(number(&json, "/divisions/0/failed/code"), 3.0, "{json}");
    assert!(json["divisions"][0]["seconds"]["unavailable"].is_string(), "{json}");
    for row in [1, 2] {
        assert_eq!(json["divisions"][row]["runs_seconds"].as_array().unwrap().len(), 2, "{json}");
        assert!(number(&json, &format!("/divisions/{row}/seconds")) > 0.0);
    }
    let [shortest, _] = shortest_and_longest(&json);
    assert!(shortest != "1x2" && text(&json, "/best") == shortest, "{json}");
    assert!(answer.err.contains("1x2 ended with status 3"), "{}", answer.err);
    // In turn: what changes over time meets all of them.
    let order: Vec<&str> = answer.out.lines().map(|line| &line[..1]).collect();
    assert_eq!(order, ["1", "2", "3", "1", "2", "3"]);
}

#[test]
fn what_cannot_be_divided_is_refused_before_anything_runs() {
    let bench = Bench::new();
    let refused = |words: &[&str], said: &str| {
        let answer = bench.snapshot(words);
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{words:?}: {}", answer.err);
        assert!(answer.err.contains(said), "{words:?}: {}", answer.err);
    };
    let echo = ["--", "sh", "-c", "echo ran {ranks}"];
    for list in ["0", "x", "2x", "2x0", "2x1,2x1", "24,2x12"] {
        refused(&[&["--ranks-x-threads", list], &echo[..]].concat(), "expected a number of CPUs");
    }
    refused(&["--ranks-x-threads", "2", "--", "sh", "-c", "echo ran"], "expected {ranks} in it");
    refused(&[&["--ranks-x-threads", "2", "--threads", "2"], &echo[..]].concat(), "cannot be used");
    refused(&[&["--repeats", "2"], &echo[..]].concat(), "--ranks-x-threads");
    let inside =
        ["mpirun.openmpi", "-n", "2", bench.numawise.to_str().unwrap(), "snapshot", "--ranks-x-threads", "2"];
    let answer = bench.run(&[&inside[..], &echo[..]].concat());
    assert!(answer.status != Some(0) && !answer.out.contains("ran"), "{answer:?}");
}
