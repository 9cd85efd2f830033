use super::*;

#[test]
fn texts_and_comments_are_taken_out_of_the_code() {
    let text = "let a = \"/sys // \\\" no\"; // \"not this\"\n/* /* nested */ \"nor this\" */ let b = br#\"a \"quoted\" b\"#;\nlet c: &'static str = f('\"', '\\'', \"x\");\n";
    let source = split("a.rs", text);
    let strings: Vec<_> = source.strings.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(strings, [(1, "/sys // \\\" no"), (2, "a \"quoted\" b"), (3, "x")]);
    assert_eq!(source.code, "let a = \"\"; \n let b = \"\";\nlet c: &'static str = f(' ', ' ', \"\");\n");
}

#[test]
fn lines_are_kept_over_long_texts() {
    let source = split("a.rs", "f(\"one\ntwo\");\n/* a\nb */\ng(\"three\");\n");
    assert_eq!(source.strings[1], (5, "three".to_owned()));
    assert_eq!(source.code.lines().nth(4), Some("g(\"\");"));
}

#[test]
fn what_only_tests_compile_does_not_ship() {
    let text = "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;\nfn a() { f(\"a\") }\n#[cfg(test)]\nmod tests {\n    fn b() { f(\"b\") }\n}\nfn c() { f(\"c\") }\n";
    let source = Source::shipped("crates/x/src/a.rs", text);
    assert_eq!(source.strings, [(4, "a".to_owned()), (9, "c".to_owned())]);
    assert!(!source.code.contains("fn b") && source.code.lines().count() == 9);
    assert_eq!(source.krate(), "x");
    assert!(ships("crates/x/src/a.rs") && !ships("crates/x/tests/a.rs") && !ships("crates/x/src/a_tests.rs"));
    assert_eq!(crate_of("xtask/src/main.rs"), "xtask");
}

#[test]
fn broken_source_does_no_harm() {
    for text in
        ["\"open", "r#\"open", "/* open", "'", "'\\", "b'", "#[cfg(test)]", "#[cfg(test)] mod t {", "é'é'\"é"]
    {
        Source::shipped("a.rs", text).tokens();
    }
}
