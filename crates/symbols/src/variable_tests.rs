use numawise_facts::activity::SourcePlace;

use super::*;

fn place(file: &str, line: Reading<u32>) -> CodePlace {
    let source = SourcePlace {
        function: Reading::unavailable("not asked for"),
        file: Reading::Measured(file.to_owned()),
        line,
    };
    CodePlace { file: String::new(), address: 0, source }
}

#[test]
fn a_language_is_known_by_the_end_of_a_files_name() {
    for (file, expected) in [
        ("/a/b.c", Some(Language::C)),
        ("b.cxx", Some(Language::C)),
        ("b.F90", Some(Language::Fortran { is_fixed: false })),
        ("b.f", Some(Language::Fortran { is_fixed: true })),
        ("b.py", Some(Language::Python)),
        ("b", None),
        (".c", None),
    ] {
        assert_eq!(language(file), expected, "{file}");
    }
}

#[test]
fn what_is_not_known_of_a_place_is_the_reason() {
    let mut sources = SourceFiles::default();
    let reason = |of: Reading<String>| of.reason().unwrap().to_string();
    assert_eq!(reason(of(&place("/a.c", Reading::unavailable("no lines")), &mut sources)), "no lines");
    assert!(
        reason(of(&place("/no/such/a.c", Reading::Measured(3)), &mut sources)).contains("cannot be read")
    );
    assert!(reason(of(&place("/a.rb", Reading::Measured(3)), &mut sources)).contains("neither C"));
}
