//! `--objects`: the memory objects of ranks of which it is known what they do with theirs.

use std::path::{Path, PathBuf};

use numawise_facts::RankSet;
use serde_json::Value;

use crate::support::{Answer, Bench, MPICH, MPIS, OPEN_MPI, call, number};

fn program(bench: &Bench, compiler: &str) -> Option<PathBuf> {
    bench.compile(compiler, "rank_objects.c", &[])
}

/// So long its ranks compute where nothing is said of times, in seconds.
const SHORT: &str = "0.3";
/// So long they do for their samples to say what they waited for.
const LONG: &str = "5";

/// Three ranks with numawise around their launcher, or inside.
type Watched = fn(&Bench, &str, &Path, &[&str], &str) -> Answer;

fn around(bench: &Bench, launcher: &str, program: &Path, words: &[&str], seconds: &str) -> Answer {
    let program = program.to_str().unwrap();
    bench.snapshot(&[&["--objects"], words, &["--", launcher, "-n", "3", program, seconds]].concat())
}

fn inside(bench: &Bench, launcher: &str, program: &Path, words: &[&str], seconds: &str) -> Answer {
    let numawise = bench.numawise.to_str().unwrap();
    let begin = [launcher, "-n", "3", numawise, "snapshot", "--objects"];
    bench.run(&[&begin, words, &["--", program.to_str().unwrap(), seconds]].concat())
}

fn group<'a>(json: &'a Value, ranks: &str) -> &'a Value {
    let groups = json["objects"]["groups"].as_array().unwrap_or_else(|| panic!("{}", json["objects"]));
    let found = groups.iter().find(|group| group["ranks"] == ranks);
    found.unwrap_or_else(|| {
        panic!("no {ranks}: {:?}", groups.iter().map(|of| &of["ranks"]).collect::<Vec<_>>())
    })
}

fn object<'a>(group: &'a Value, name: &str) -> &'a Value {
    let objects = group["objects"].as_array().unwrap();
    objects.iter().find(|object| object["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Where samples do not say what was waited for, nothing of times is said, and all ranks are alike.
fn says_times(json: &Value) -> bool {
    let groups = json["objects"]["groups"].as_array().unwrap();
    let says = groups.iter().all(|group| group["time_samples"].is_number());
    if !says {
        let reason = groups[0]["time_samples"].to_string();
        eprintln!("SKIPPED in part: {reason}");
        assert!(groups.len() == 1 || !reason.contains("interrupts are not taken"), "{reason}");
    }
    says
}

/// The ranks that were found, in order, where each object of theirs is as the program has it. What is not looked at while it lives has no rank or
/// no name: that is a matter of time, and so is which ranks are alike.
fn assert_objects(json: &Value) -> Vec<u32> {
    let groups = json["objects"]["groups"].as_array().unwrap_or_else(|| panic!("{}", json["objects"]));
    let mut ranks: Vec<u32> = Vec::new();
    for group in groups {
        let of_group = group["ranks"].as_str().map(|ranks| ranks.parse::<RankSet>().unwrap());
        ranks.extend(of_group.iter().flat_map(RankSet::iter).map(|rank| rank.0));
        let objects = group["objects"].as_array().unwrap().iter();
        for object in objects.filter(|object| object["name"] == "table" || object["name"] == "list") {
            assert!((number(object, "/bytes") - 33_554_432.0).abs() < 5000.0, "{object}");
            assert!(object["file"].as_str().unwrap().ends_with("rank_objects.c"), "{object}");
            if object["first_touch"].is_array() {
                assert_eq!(number(object, "/first_touch/0/thread"), 0.0, "{object}");
                assert_eq!(number(object, "/first_touch/0/share"), 1.0, "{object}");
            }
        }
    }
    let all = ranks.len();
    ranks.sort_unstable();
    ranks.dedup();
    assert_eq!(ranks.len(), all, "no rank is in two groups: {}", json["objects"]);
    ranks
}

/// What three ranks have whatever was looked at.
fn assert_structure(json: &Value) {
    assert!(assert_objects(json).iter().all(|rank| *rank < 3), "{}", json["objects"]);
    // What is watched besides is as without it, and is no object.
    assert_eq!((number(json, "/processes/ranks"), number(json, "/processes/world")), (3.0, 3.0));
    assert_eq!(number(call(json, "MPI_Barrier"), "/count"), 3.0, "{json}");
    assert!(!json["objects"].to_string().contains("libnumawise_collector"));
}

/// The truth of the program, for three ranks.
fn assert_true(json: &Value) {
    if !says_times(json) {
        return;
    }
    for (ranks, often, seldom) in [("0-1", "table", "list"), ("2", "list", "table")] {
        let group = group(json, ranks);
        for (name, expected) in [(often, 0.75), (seldom, 0.25)] {
            let object = object(group, name);
            let share = number(object, "/memory_time_share_of_all/value");
            // In mixed loops 10 points are promised.
            assert!((share - expected).abs() < 0.1, "{name} of {ranks}: {share}");
            for end in ["least", "most"] {
                let share = number(object, &format!("/share_of_ranks/{end}/share"));
                assert!((share - expected).abs() < 0.1, "{name} of {ranks}: {share}");
            }
            eprintln!("{name} of {ranks}: {share}, expected {expected}");
            assert!(object["pages"].is_array(), "{}", object["pages"]);
            assert_eq!(number(object, "/pages/0/share"), 1.0, "{}", object["pages"]);
        }
    }
    // What a sample costs is not found out where others need all CPUs.
    let cost = &json["objects"]["cost_percent"];
    let is_measured = cost.as_f64().is_some_and(|cost| (0.0..5.0).contains(&cost));
    assert!(is_measured || cost["unavailable"].is_string(), "{cost}");
    eprintln!("following took {cost} percent");
}

#[test]
fn ranks_have_their_objects_around_a_launcher_and_inside() {
    let bench = Bench::new();
    let ways: [(_, Watched); 2] = [(OPEN_MPI, around), (MPICH, inside)];
    for ((compiler, launcher), watched) in ways {
        let Some(program) = program(&bench, compiler) else { continue };
        let words = ["--fresh", "--output", "run.nw", "--json=run.json", "--html", "run.html"];
        let answer = watched(&bench, launcher, &program, &words, SHORT);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "done 1\n"), "{}", answer.err);
        let json = bench.json("run.json");
        assert_structure(&json);
        let again = bench.run(&[bench.numawise.to_str().unwrap(), "report", "run.nw", "--json"]);
        let again: Value = serde_json::from_str(&again.out).unwrap();
        assert_eq!(again["objects"], json["objects"], "the record has all of it");
        assert!(answer.err.contains("Memory objects"), "{}", answer.err);
        let page = std::fs::read_to_string(bench.path("run.html")).unwrap();
        assert!(page.contains("Memory objects"), "{launcher}");
        let is_named = |text: &str| text.contains("rank_objects.c:");
        assert!(is_named(&page) || !is_named(&answer.err), "{launcher}: {}", answer.err);
    }
}

#[test]
#[ignore = "timing: what samples and looks say of the objects of ranks"]
fn objects_of_ranks_have_the_share_of_the_time_that_they_have_on_paper() {
    let bench = Bench::new();
    let ways: [Watched; 2] = [around, inside];
    for ((compiler, launcher), watched) in MPIS.into_iter().flat_map(|mpi| ways.map(|way| (mpi, way))) {
        let Some(program) = program(&bench, compiler) else { continue };
        let answer = watched(&bench, launcher, &program, &["--json=run.json"], LONG);
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        let json = bench.json("run.json");
        assert_structure(&json);
        assert_eq!(assert_objects(&json), [0, 1, 2], "{}", json["objects"]);
        assert_true(&json);
        if says_times(&json) {
            let lines: Vec<&str> = answer.err.lines().map(str::trim).collect();
            let has = |begin: [&str; 2]| lines.iter().any(|line| line.split_whitespace().take(2).eq(begin));
            assert!(has(["0-1", "table"]) && has(["2", "list"]), "{}", answer.err);
        }
    }
}

#[test]
fn without_the_option_nothing_is_followed_and_a_program_without_ranks_has_objects_too() {
    let bench = Bench::new();
    let Some(program) = program(&bench, "mpicc.mpich") else { return };
    let alone = ["--json=run.json", "--", program.to_str().unwrap(), SHORT];
    let answer = bench.snapshot(&alone);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    assert_eq!(bench.json("run.json")["objects"], Value::Null);
    assert!(!answer.err.contains("Memory objects"), "{}", answer.err);
    let answer = bench.snapshot(&[&["--objects"], &alone[..]].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    let groups = json["objects"]["groups"].as_array().unwrap();
    assert!(groups.iter().all(|group| group["ranks"].is_null()), "no launcher named a rank: {json}");
    assert_eq!(assert_objects(&json), [0_u32; 0]);
    assert!(answer.err.contains("Memory objects"), "{}", answer.err);
}

/// What is reported of two ranks of which one dies within MPI: the launcher kills the other.
fn one_that_died(bench: &Bench, (compiler, launcher): (&str, &str), seconds: &str) -> Option<Value> {
    let program = program(bench, compiler)?;
    let program = program.to_str().unwrap();
    let begin = ["--objects", "--fresh", "--output", "run.nw", "--", launcher, "-n", "2", program];
    let answer = bench.snapshot(&[&begin[..], &[seconds, "dies"]].concat());
    assert!(answer.status != Some(0), "{}", answer.err);
    let json = bench.run(&[bench.numawise.to_str().unwrap(), "report", "run.nw", "--json"]);
    Some(serde_json::from_str(&json.out).unwrap_or_else(|_| panic!("{json:?} {answer:?}")))
}

#[test]
fn what_ranks_had_is_reported_of_those_that_died_or_said_to_be_missing() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some(json) = one_that_died(&bench, mpi, SHORT) else { continue };
        assert!(assert_objects(&json).iter().all(|rank| *rank < 2), "{}", json["objects"]);
        assert_eq!(number(&json, "/processes/ranks"), 2.0, "{json}");
    }
}

#[test]
#[ignore = "timing: how soon ranks that die are looked at"]
fn what_ranks_had_has_its_names_also_of_those_that_died() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some(json) = one_that_died(&bench, mpi, LONG) else { continue };
        let groups = json["objects"]["groups"].as_array().unwrap();
        let named = groups.iter().filter(|group| group["objects"].to_string().contains("\"table\"")).count();
        eprintln!("{mpi:?}: {named} of {} groups have names", groups.len());
        assert!(named > 0, "{}", json["objects"]);
    }
}

#[test]
#[ignore = "timing: how soon a program is looked at"]
fn a_program_without_ranks_has_objects_with_their_names() {
    let bench = Bench::new();
    let Some(program) = program(&bench, "mpicc.mpich") else { return };
    let words = ["--objects", "--json=run.json", "--", program.to_str().unwrap(), LONG];
    let answer = bench.snapshot(&words);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    let groups = json["objects"]["groups"].as_array().unwrap();
    eprintln!("{} groups", groups.len());
    assert_eq!((groups.len(), &groups[0]["ranks"]), (1, &Value::Null), "no launcher named a rank");
    object(&groups[0], "table");
}

#[test]
fn objects_are_followed_once() {
    let bench = Bench::new();
    let mut command = bench.command(&bench.numawise);
    command.args(["snapshot", "--objects", "--", "true"]).env("NUMAWISE_OBJECTS", "/dev/shm/another");
    let answer: Answer = command.output().unwrap().into();
    assert_eq!(answer.status, Some(125), "{}", answer.err);
    assert!(answer.err.contains("another numawise already"), "{}", answer.err);
}
