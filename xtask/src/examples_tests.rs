use super::*;

const EXAMPLE: &str = "//! A crate.\n\n    /// ```\n    /// one();\n    /// ```\npub fn one() {}\n";

#[test]
fn an_example_is_found_at_its_line() {
    assert_eq!(example(EXAMPLE), Some(3));
    assert_eq!(example("//! ```text\n"), Some(1));
    for none in ["", "// ```\n", "let fence = \"/// ```\";\n", "/// `one` and ``` two\n"] {
        assert_eq!(example(none), None, "{none}");
    }
}

#[test]
fn examples_that_nobody_runs_are_complained_of() {
    let all = [
        ("crates/one/Cargo.toml", "[lib]\ndoctest = false\n"),
        ("crates/one/src/lib.rs", EXAMPLE),
        ("crates/one/tests/all.rs", EXAMPLE),
        ("crates/two/Cargo.toml", "[lib]\n"),
        ("crates/two/src/lib.rs", EXAMPLE),
    ];
    let text = |path: &str| all.iter().find(|(name, _)| *name == path).unwrap().1.to_owned();
    let mut report = Report::default();
    compare(&all.map(|(path, _)| path.to_owned()), &text, &mut report);
    let [complaint] = report.complaints() else { panic!("{:?}", report.complaints()) };
    let of = complaint.starts_with("crates/one/src/lib.rs:3 ") && complaint.contains("crates/one/Cargo.toml");
    assert!(of, "{complaint}");
}
