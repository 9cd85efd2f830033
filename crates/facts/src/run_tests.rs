use super::*;

#[test]
fn threads_are_filled_in_wherever_they_are_asked_for() {
    let spec = RunSpec {
        command: vec!["app".into(), "--n={threads}x{threads}".into(), "{threads".into()],
        directory: "/".into(),
    };
    assert_eq!(spec.with_threads(12), ["app", "--n=12x12", "{threads"]);
    assert!(spec.takes_threads());
}

#[test]
fn a_task_knows_its_number() {
    let spec = RunSpec {
        command: vec!["app".into(), "out.{task}.{threads}".into(), "{task}{task".into(), "{tasks}".into()],
        directory: "/".into(),
    };
    assert_eq!(spec.for_task(4, TaskId(12)), ["app", "out.12.4", "12{task", "{tasks}"]);
    assert_eq!(spec.with_threads(4)[1], "out.{task}.4", "only a task has a number");
    let bytes = RunSpec {
        command: vec![Argument(OsString::from_vec(b"\xff{task}".to_vec()))],
        directory: "/".into(),
    };
    assert_eq!(bytes.for_task(1, TaskId(3)), [OsString::from_vec(b"\xff3".to_vec())]);
}

#[test]
fn doubled_braces_keep_a_word_as_it_is() {
    for (word, of_task, takes) in [
        ("{{task}}", "{task}", false),
        ("{{task}} {task}", "{task} 3", true),
        ("{{threads}}-{task}-{{threads}}", "{threads}-3-{threads}", true),
        ("{{{task}}}", "{{task}}", false),
        ("{{task} {task}}", "{3 3}", true),
        ("{\"a\": {\"n\": {threads}}}", "{\"a\": {\"n\": 8}}", false),
    ] {
        let argument = Argument::from(word);
        assert_eq!(argument.for_task(8, TaskId(3)), of_task, "{word}");
        assert_eq!(argument.takes_task(), takes, "{word}");
        assert_eq!(argument.kept().for_task(8, TaskId(3)), word, "{word}");
    }
    assert!(!takes_threads(OsStr::new("{{threads}}")) && takes_threads(OsStr::new("{{threads}}{threads}")));
    let path = Argument::from("-i {x} {{x}} {task}").filled("{x}", OsStr::new("/in"));
    assert_eq!(path.0, "-i /in {x} {task}");
}

#[test]
fn what_a_start_knows_is_filled_in_by_its_name() {
    let spec = RunSpec {
        command: vec!["app".into(), "{cpus}:{cpus}@{host} {{cpus}}".into()],
        directory: "/".into(),
    };
    let filled = spec.filled(&[("{cpus}", "0-3,8".into()), ("{host}", "n1".into())]);
    assert_eq!(filled.command[1], Argument::from("0-3,8:0-3,8@n1 {cpus}"));
    assert!(spec.takes("{cpus}") && !filled.takes("{host}") && !spec.takes("{nodes}"));
}

#[test]
fn words_are_quoted_for_a_shell() {
    for (word, quoted) in
        [("a-b.c", "a-b.c"), ("", "''"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("$x", "'$x'")]
    {
        assert_eq!(Argument::from(word).to_string(), quoted);
    }
    for (word, quoted) in
        [("{threads}", "{threads}"), ("{a,b}", "'{a,b}'"), ("{1..3}", "'{1..3}'"), ("a,b", "a,b")]
    {
        assert_eq!(Argument::from(word).to_string(), quoted);
    }
    let bytes = Argument(OsString::from_vec(b"\xff'".to_vec()));
    assert_eq!(bytes.quoted().as_bytes(), b"'\xff'\\'''");
    assert_eq!(bytes.to_string(), "'\u{fffd}'\\'''");
}

#[test]
fn words_that_are_not_text_survive_json() {
    let word = Argument(OsString::from_vec(vec![b'a', 0xff]));
    let json = serde_json::to_string(&word).unwrap();
    assert_eq!(json, "[97,255]");
    assert_eq!(serde_json::from_str::<Argument>(&json).unwrap(), word);
}
