use super::*;

fn complaints(check: impl FnOnce(&mut Report)) -> Vec<String> {
    let mut report = Report::default();
    check(&mut report);
    report.complaints().to_vec()
}

#[test]
fn long_functions_are_found_wherever_they_stand() {
    let body = "        x();\n".repeat(FUNCTION);
    let long = format!("impl A {{\n    pub fn f(&self) {{\n{body}    }}\n\n    fn g() {{}}\n}}\n");
    assert_eq!(complaints(|r| functions("a.rs", &long, r)), ["a.rs: fn f has 82 lines; at most 80"]);
    let declared = format!(
        "trait A {{\n    fn f(\n        a: u8,\n    ) -> u8;\n\n    fn g();\n{}}}\n",
        "    // \n".repeat(FUNCTION)
    );
    assert_eq!(complaints(|r| functions("a.rs", &declared, r)), [] as [&str; 0]);
    let with_later = format!("{declared}impl B {{\n    fn h() {{\n    }}\n}}\n");
    assert_eq!(complaints(|r| functions("a.rs", &with_later, r)), [] as [&str; 0]);
    let short = "fn f() {\n    x();\n}\n".repeat(100);
    assert_eq!(complaints(|r| functions("a.rs", &short, r)), [] as [&str; 0]);
}

#[test]
fn long_files_are_found() {
    let mut sizes: Vec<_> = (0..20).map(|k| (100, format!("{k}.rs"))).collect();
    assert_eq!(complaints(|r| lengths(&mut sizes, r)), [] as [&str; 0]);
    sizes.push((601, "big.rs".to_owned()));
    assert_eq!(complaints(|r| lengths(&mut sizes, r)), ["big.rs has 601 lines; no file has more than 600"]);
    sizes.extend((0..30).map(|k| (401, format!("mid{k}.rs"))));
    assert_eq!(complaints(|r| lengths(&mut sizes, r)).len(), 3);
}

#[test]
fn tests_inside_are_short() {
    let text = |lines: usize| {
        format!("fn f() {{}}\n\n#[cfg(test)]\nmod tests {{\n{}}}\n", "    x();\n".repeat(lines))
    };
    assert_eq!(complaints(|r| inside("a/b.rs", &text(36), r)), [] as [&str; 0]);
    let long = complaints(|r| inside("a/b.rs", &text(37), r));
    assert_eq!(long, ["a/b.rs has 40 lines of tests inside; from 40 on they stand in a/b_tests.rs"]);
    assert_eq!(complaints(|r| inside("a.rs", "#[cfg(test)]\nmod tests;\n", r)), [] as [&str; 0]);
}

#[test]
fn a_folder_for_tests_alone_is_found() {
    let files = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let alone = files(&["a/b.rs", "a/b/tests.rs"]);
    let found = complaints(|r| lone_tests("a/b/tests.rs", &alone, r));
    assert_eq!(found, ["a/b/tests.rs is alone in its folder; it is a/b_tests.rs"]);
    let two = files(&["a/b/c.rs", "a/b/tests.rs", "a/b_tests.rs"]);
    for path in ["a/b/tests.rs", "a/b_tests.rs", "a/b/c.rs"] {
        assert_eq!(complaints(|r| lone_tests(path, &two, r)), [] as [&str; 0], "{path}");
    }
}

#[test]
fn unfinished_work_is_found() {
    assert_eq!(complaints(|r| words("a.rs", "fn a() {}\n// TODO: more\n", r)), ["a.rs:2 holds 'TODO'"]);
    assert_eq!(complaints(|r| words("a.rs", "fn a() {}\n", r)), [] as [&str; 0]);
}
