use super::*;

fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let sources: Vec<Source> =
        files.iter().map(|(name, text)| Source::shipped(&format!("crates/x/src/{name}"), text)).collect();
    circles(&sources)
}

#[test]
fn two_files_that_use_each_other_are_found() {
    assert_eq!(
        found(&[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "fn f(_: &super::a::A) {}")
        ]),
        [["a", "b"]]
    );
    let none =
        [("lib.rs", "mod a;\nmod b;"), ("a.rs", "use crate::b::{self, B};"), ("b.rs", "use std::fmt;")];
    assert_eq!(found(&none), [] as [Vec<String>; 0]);
}

#[test]
fn a_way_round_through_three_and_through_folders_is_found() {
    let files = [
        ("lib.rs", ""),
        ("a.rs", "use super::{b::inner::B, d};"),
        ("b.rs", "mod inner;"),
        ("b/inner.rs", "use crate::{c::C};"),
        ("c.rs", "use crate::a as other;"),
        ("d.rs", ""),
    ];
    assert_eq!(found(&files), [["a", "b", "c"]]);
    let inside =
        [("lib.rs", ""), ("b.rs", ""), ("b/x.rs", "use super::y::Y;"), ("b/y.rs", "use super::x::X;")];
    assert_eq!(found(&inside), [["b::x", "b::y"]]);
}

#[test]
fn a_name_that_the_root_passes_on_leads_to_its_file() {
    let files = [
        ("lib.rs", "mod a;\nmod error;\npub use a::{A, More};\npub use error::Error;"),
        ("a.rs", "use crate::Error;"),
        ("error.rs", "use crate::A;"),
    ];
    assert_eq!(found(&files), [["a", "error"]]);
}

#[test]
fn parents_and_children_are_no_siblings_and_tests_do_not_count() {
    let files = [
        ("lib.rs", "mod a;\nuse a::A;"),
        ("a.rs", "mod b;\nuse b::B;\n#[cfg(test)]\nmod tests {\n    use crate::c::C;\n}"),
        ("a/b.rs", "use super::A;"),
        ("c.rs", "use crate::a::A;"),
    ];
    assert_eq!(found(&files), [] as [Vec<String>; 0]);
}
