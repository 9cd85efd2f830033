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
fn tests_inside_and_unfinished_work_are_found() {
    let text = "#[cfg(test)]\nmod tests {\n    // TODO: more\n}\n";
    assert_eq!(complaints(|r| inside("a.rs", text, r)).len(), 1);
    assert_eq!(complaints(|r| words("a.rs", text, r)), ["a.rs:3 holds 'TODO'"]);
    assert_eq!(complaints(|r| words("a.rs", "#[cfg(test)]\nmod tests;\n", r)), [] as [&str; 0]);
}
