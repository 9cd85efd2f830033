//! Whole commands for a shell, by their names.

use serde_json::Value;

use super::{Bench, points};

/// What was said of failures, in their order.
fn failures(study: &Value) -> Vec<String> {
    let notices = study["unavailable"].as_array().unwrap().iter();
    let failed = notices.filter(|notice| notice["code"] == "NW522");
    failed.map(|notice| notice["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_status_of_the_shell_is_that_of_the_trial() {
    let bench = Bench::new();
    let study = bench.json(&[
        "--repeats",
        "2",
        "--command",
        "good=false; true",
        "--command",
        "bad=true; exit 3",
        "--command",
        "killed=kill -9 $$",
        "--command",
        "missing=./no-such-program",
        "--command",
        "syntax=if",
    ]);
    let failed: Vec<_> = points(&study).iter().map(|point| point["failures"].clone()).collect();
    assert_eq!(failed, [0, 2, 2, 2, 2], "{study}");
    let failures = failures(&study);
    let of = |name: &str| {
        failures.iter().find(|text| text.contains(name)).unwrap_or_else(|| panic!("{failures:?}"))
    };
    assert!(of("command=bad").contains("exit status 3"), "{failures:?}");
    assert!(of("command=killed").contains("killed by signal 9"), "{failures:?}");
    assert!(of("command=missing").contains("exit status 127"), "{failures:?}");
    assert!(of("command=syntax").contains("exit status 2"), "{failures:?}");
    assert_eq!(study["best"]["point"], "command=good");
}

#[test]
fn a_line_is_the_shells_with_its_quotes_and_levels_stand_in_it_as_they_are() {
    let bench = Bench::new();
    bench.json(&[
        "--repeats",
        "1",
        "--env",
        "WORD=two  spaces",
        "--param",
        "list=a b,c",
        "--command",
        r#"quoted=printf '<%s>' 'it is' "$WORD" '{list}' | cat >> log; echo >> log"#,
        "--command",
        "split=printf '<%s>' {list} {{list}} >> log && echo >> log",
    ]);
    assert_eq!(
        bench.log(),
        ["<a><b><{list}>", "<c><{list}>", "<it is><two  spaces><a b>", "<it is><two  spaces><c>"]
    );
}

#[test]
fn each_command_has_its_placeholders_and_copies_their_numbers() {
    let bench = Bench::new();
    let study = bench.json(&[
        "--repeats",
        "1",
        "--copies",
        "2",
        "--param",
        "n=1,2",
        "--command",
        "plain=echo {command} {task} {n} {n:+more} >> log",
        "--command",
        "other=echo {command} {copies} {command=other:+yes} >> log",
    ]);
    assert_eq!(bench.log(), ["other 2 yes", "plain 0 1", "plain 0 2 more", "plain 1 1", "plain 1 2 more"]);
    assert_eq!(points(&study)[0]["levels"]["command"], "plain");
    assert_eq!(points(&study)[0]["command"], "sh -c 'echo plain {task} 1  >> log'");
}

#[test]
fn doubled_braces_come_to_the_program_as_they_were_meant() {
    let bench = Bench::new();
    let words = ["--repeats", "1", "--threads", "2", "--copies", "2", "--param", "n=1,2", "--"];
    let echo = "echo {n} {{n}} {task} {{task}} {threads} {{threads}} {{{task}}} >> log";
    bench.json(&[&words[..], &["sh", "-c", echo]].concat());
    assert_eq!(
        bench.log(),
        [
            "1 {n} 0 {task} 2 {threads} {{task}}",
            "1 {n} 1 {task} 2 {threads} {{task}}",
            "2 {n} 0 {task} 2 {threads} {{task}}",
            "2 {n} 1 {task} 2 {threads} {{task}}",
        ]
    );
}

#[test]
fn broken_commands_say_what_was_expected() {
    let bench = Bench::new();
    for (words, expected) in [
        (&["--command", "a=true", "--command", "a=false"][..], "the level a of command is there twice"),
        (
            &["--command", "a=true {n}", "--command", "b=false"],
            "{n} in 'true {n}' names nothing; there are: command",
        ),
        (&["--command", "a=true", "--param", "n=1,2"], "the factor n changes nothing"),
        (&["--command", "a=true", "--", "true"], "there is a program behind -- too"),
        (&["--command", "a= "], "'a' has an empty command"),
        (&["--command", "true"], "expected NAME=COMMAND"),
    ] {
        let answer = bench.study(words);
        assert_eq!(answer.status, Some(125), "{words:?}");
        assert!(answer.err.contains(expected), "{words:?}: {}", answer.err);
    }
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 0, "nothing was begun");
}
