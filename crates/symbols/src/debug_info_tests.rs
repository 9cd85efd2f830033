use std::process::Command;

use super::*;

#[test]
fn what_a_compiler_made_of_a_function_has_its_name() {
    for (name, source) in [
        ("solve._omp_fn.0", Some("solve")),
        ("solve(int) [clone ._omp_fn.3]", Some("solve(int)")),
        ("main.omp_outlined", Some("main")),
        (".omp_outlined.", None),
        ("f.constprop.0.isra.0", Some("f")),
        ("main", Some("main")),
    ] {
        assert_eq!(source_name(name).as_deref(), source, "{name}");
    }
}

#[test]
fn a_long_name_is_cut_between_letters() {
    assert_eq!(cut("a".repeat(LONGEST_NAME)).len(), LONGEST_NAME);
    let long = cut("ä".repeat(LONGEST_NAME));
    assert!(long.ends_with('…') && long.len() <= LONGEST_NAME + '…'.len_utf8());
}

#[test]
fn a_function_and_its_line_are_found_in_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("app.c"), folder.path().join("app"));
    std::fs::write(
        &source,
        "int helper(int x)\n{\n    return x + 1;\n}\nint main(void) { return helper(-1); }\n",
    )
    .unwrap();
    let compiled =
        Command::new("cc").args(["-g", "-O0", "-no-pie", "-o"]).arg(&program).arg(&source).status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no C compiler");
        return;
    }
    let symbols = Command::new("nm").arg(&program).output().unwrap();
    let symbols = String::from_utf8(symbols.stdout).unwrap();
    let line = symbols.lines().find(|line| line.ends_with(" helper")).unwrap();
    let begin = u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap();
    let info = DebugInfo::open(&program).unwrap();
    for at in [begin, begin + 5] {
        let found = info.place_of_return(at);
        assert_eq!(found.function, Reading::Measured("helper".to_owned()), "{at:#x}");
        assert!(found.file.measured().unwrap().ends_with("app.c"), "{found:?}");
        assert!((1..=3).contains(found.line.measured().unwrap()), "{found:?}");
    }
    // What lies behind a call is not what follows the function.
    let end = info.place_of_return(1);
    assert!(end.function.measured().is_none() && end.line.measured().is_none());
}
