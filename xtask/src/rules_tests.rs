use super::*;

fn breaches(path: &str, text: &str) -> Vec<(Rule, usize)> {
    in_source(&Source::shipped(path, text)).into_iter().map(|b| (b.rule, b.line)).collect()
}

#[test]
fn paths_of_the_kernel_belong_to_linux_and_machine() {
    let text = "fn f() {\n    g(\"/proc/self/maps\");\n    g(\"cannot read /proc/self/maps\");\n    g(\"/process\");\n}\n";
    assert_eq!(breaches("crates/observe/src/a.rs", text), [(Rule::KernelPath, 2)]);
    assert_eq!(breaches("crates/linux/src/a.rs", text), []);
    assert_eq!(breaches("crates/observe/src/a.rs", "// \"/proc/self\"\n"), []);
}

#[test]
fn options_and_commands_of_ours_belong_to_report_and_the_faces() {
    for text in ["give --memory", "`numawise run --strategy`", "try: numawise check"] {
        let source = format!("fn f() {{ g(\"{text}\") }}");
        assert_eq!(breaches("crates/session/src/a.rs", &source), [(Rule::OptionName, 1)], "{text}");
        assert_eq!(breaches("crates/report/src/a.rs", &source), []);
    }
    for text in ["a -- b", "-----a", "numawise measures", "x --- y", "numawise/run/2"] {
        let source = format!("fn f() {{ g(\"{text}\") }}");
        assert_eq!(breaches("crates/session/src/a.rs", &source), [], "{text}");
    }
}

#[test]
fn errors_are_types_in_public_signatures() {
    for text in [
        "pub fn f(a: u8) -> Result<u8, String> {}",
        "pub(crate) fn f<T>(a: T) -> Result<Vec<u8>, String>\nwhere\n    T: Copy,\n{\n}",
        "impl A {\n    pub const fn f() -> Option<Result<(), String>> {}\n}",
    ] {
        assert_eq!(breaches("crates/x/src/a.rs", text).len(), 1, "{text}");
    }
    for text in [
        "fn f() -> Result<u8, String> {}",
        "pub fn f() -> Result<String, Error> {}",
        "pub fn f(a: BTreeMap<u8, String>) -> Result<u8, Error> {}",
        "pub struct A;\nfn f() -> Result<u8, String> {}",
    ] {
        assert_eq!(breaches("crates/x/src/a.rs", text), [], "{text}");
    }
}

#[test]
fn faces_are_safe_and_end_the_process_and_nobody_prints_by_macros() {
    assert_eq!(breaches("crates/cli/src/a.rs", "fn f() { unsafe { g() } }"), [(Rule::UnsafeFace, 1)]);
    assert_eq!(breaches("crates/linux/src/a.rs", "fn f() { unsafe { g() } }"), []);
    for text in ["println!(\"a\")", "eprint!(\"a\")", "std::process::exit(1)"] {
        let text = format!("fn f() {{ {text} }}");
        assert_eq!(breaches("crates/study/src/a.rs", &text), [(Rule::Output, 1)]);
    }
    let print = "fn f() { eprintln!(\"a\") }";
    for face in ["crates/cli/src/a.rs", "crates/tui/src/a.rs"] {
        assert_eq!(breaches(face, print), [(Rule::Output, 1)], "it panics where nothing can be written");
        assert_eq!(breaches(face, "fn f() { std::process::exit(1) }"), []);
    }
    assert_eq!(breaches("testbed/src/a.rs", print), []);
}

#[test]
fn pure_crates_read_nothing() {
    for text in ["use std::fs;", "fn f() { std::env::var(\"A\") }", "use std::time::Instant;"] {
        assert_eq!(breaches("crates/stats/src/a.rs", text), [(Rule::Impure, 1)], "{text}");
        assert_eq!(breaches("crates/record/src/a.rs", text), []);
    }
    assert_eq!(breaches("crates/stats/src/a.rs", "use std::time::Duration;\nfn fs(process: u8) {}"), []);
}

#[test]
fn exceptions_and_open_places_are_named_and_must_be_true() {
    let breach =
        |path: &str| Breach { rule: Rule::Output, path: path.into(), line: 3, what: "println".into() };
    let complaints = |breaches: &[Breach]| {
        let mut report = Report::default();
        let exceptions = [("crates/a/src/x.rs", Rule::Output, "it must")];
        judge(breaches, &exceptions, &[("crates/b", Rule::Output)], &mut report);
        report.complaints().to_vec()
    };
    assert_eq!(complaints(&[breach("crates/a/src/x.rs"), breach("crates/b/src/y.rs")]), [] as [&str; 0]);
    let found = complaints(&[breach("crates/a/src/x.rs"), breach("crates/bc/src/y.rs")]);
    assert!(found[0].starts_with("crates/bc/src/y.rs:3 has output"), "{found:?}");
    assert!(found[1].contains("lists crates/b for output") && found.len() == 2, "{found:?}");
}
