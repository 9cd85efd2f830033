use ObstacleCause::{
    Call, CarriedValue, ControlFlow, Cost, DataAccess, IterationCount, Other, ReductionOrder,
};

use super::*;

const LOG: &str = include_str!("../../testdata/remarks/clang-14.log");
const CALLS: &str = include_str!("../../testdata/remarks/clang-14.calls");

#[test]
fn each_loop_has_its_own_reason() {
    let calls = clang_calls(CALLS);
    assert_eq!(calls.len(), 1);
    let (units, remarks) = clang_remarks(LOG, &calls);
    let unit = &units[0];
    assert_eq!((unit.source.as_deref(), units.len()), (Some("/home/me/app/loops.c"), 1));
    assert_eq!(
        (unit.flags.as_slice(), unit.tried),
        (&["-O3".to_owned(), "-march=x86-64".to_owned()][..], true)
    );
    let causes: Vec<_> =
        remarks.iter().map(|of| (of.line, of.obstacle.as_ref().map(|why| why.cause))).collect();
    let expected = [
        (8, None),
        (14, Some(ReductionOrder)),
        (21, Some(CarriedValue)),
        (28, Some(CarriedValue)),
        (37, Some(IterationCount)),
        (43, Some(Call)),
        (48, Some(Call)),
        (54, Some(Cost)),
        (59, Some(ControlFlow)),
        (70, Some(ReductionOrder)),
    ];
    assert_eq!(causes, expected);
    assert!(remarks.iter().all(|of| of.unit == 0 && of.file == "/home/me/app/loops.c"));
    let sum = remarks[1].obstacle.as_ref().unwrap();
    assert!(sum.line == Some(15) && sum.text.contains("option '-ffast-math'"), "{sum:?}");
}

fn remark(line: u32, text: &str) -> String {
    format!(
        "<dict> <key>level</key> <string>remark</string> <key>filename</key> <string>a.c</string> \
         <key>line</key> <integer>{line}</integer> <key>message</key> <string>{text}</string> </dict>"
    )
}

fn log(name: &str, remarks: &[String]) -> String {
    format!("<dict> <key>main-file</key> <string>{name}</string> {} </dict>", remarks.concat())
}

#[test]
fn of_several_reasons_the_one_that_hinders_most_is_said_and_unknown_ones_stay() {
    let end = |line| remark(line, "loop not vectorized");
    let why = |text: &str| remark(3, &format!("loop not vectorized: {text}"));
    let text = log(
        "a.c",
        &[
            why("value that could not be identified as reduction is used outside the loop"),
            why("cannot identify array bounds"),
            end(2),
            why("value that could not be identified as reduction is used outside the loop"),
            why("could not determine number of loop iterations"),
            end(12),
            why("cannot identify array bounds"),
            end(22),
            why("the stars are &lt;wrong&gt; &amp; &apos;cold&apos;"),
            end(32),
            end(42),
        ],
    );
    let (_, remarks) = clang_remarks(&text, &[]);
    let causes: Vec<_> = remarks.iter().map(|of| of.obstacle.as_ref().unwrap().cause).collect();
    assert_eq!(causes, [CarriedValue, IterationCount, DataAccess, Other, Other]);
    let unknown = remarks[3].obstacle.as_ref().unwrap();
    assert_eq!(unknown.text, "loop not vectorized: the stars are <wrong> & 'cold'");
    assert_eq!(remarks[4].obstacle.as_ref().unwrap().text, "loop not vectorized");
}

#[test]
fn sources_of_one_name_in_two_folders_have_no_folder() {
    let call = |folder: &str| {
        format!(" \"clang\" \"-cc1\" \"-O2\" \"-fdebug-compilation-dir={folder}\" \"-x\" \"c\" \"a.c\"\n")
    };
    let text = log("a.c", &[remark(2, "vectorized loop (vectorization width: 4)")]);
    let of = |calls: &str| {
        let (units, remarks) = clang_remarks(&text, &clang_calls(calls));
        units[remarks[0].unit as usize].source.clone().unwrap()
    };
    assert_eq!(of(&call("/one")), "/one/a.c");
    assert_eq!(of(&[call("/one"), call("/one")].concat()), "/one/a.c", "compiled twice");
    assert_eq!(of(&[call("/one"), call("/two")].concat()), "a.c");
    assert_eq!(of(""), "a.c");
}

#[test]
fn a_level_that_does_not_vectorize_is_the_reason() {
    let text = log("a.c", &[remark(2, "loop not vectorized")]);
    let of = |calls: &str| {
        let (units, remarks) = clang_remarks(&text, &clang_calls(calls));
        (units[0].tried, remarks[0].obstacle.as_ref().unwrap().cause)
    };
    assert_eq!(of(" \"clang\" \"-cc1\" \"-O1\" \"a.c\"\n"), (false, ObstacleCause::Level));
    assert_eq!(of(" \"clang\" \"-cc1\" \"-O2\" \"-vectorize-loops\" \"a.c\"\n"), (true, Other));
    assert_eq!(of(""), (true, Other));
}

#[test]
fn a_source_of_which_nothing_is_said_was_compiled_all_the_same() {
    let call =
        |flags: &str| format!(" \"clang\" \"-cc1\" {flags} \"-fdebug-compilation-dir=/src\" \"a.c\"\n");
    let calls = clang_calls(&[call("\"-O0\""), call("\"-O0\" \"-fopenmp\"")].concat());
    let (units, remarks) = clang_remarks("", &calls);
    assert_eq!((units.len(), units[0].flags.as_slice(), units[0].tried), (1, &["-O0".to_owned()][..], false));
    assert!(remarks.is_empty());
}

#[test]
fn the_cpu_here_is_known_again_by_what_it_has_not() {
    let of = |features: usize| {
        let features = " \"-target-feature\" \"-avx512er\"".repeat(features);
        let line = format!(" \"clang\" \"-cc1\" \"-O2\" \"-target-cpu\" \"haswell\"{features} \"a.c\"\n");
        clang_calls(&line).remove(0).flags
    };
    assert_eq!((of(0), of(1)), (of(1), ["-O2", "-march=haswell"].map(str::to_owned).to_vec()));
    assert_eq!(of(20), ["-O2", "-march=native"]);
}

#[test]
fn broken_logs_say_nothing() {
    for text in ["", "<key>main-file</key>", "<key>main-file</key> <string>", "<key>filename</key><string>a"]
    {
        assert!(clang_remarks(text, &[]).1.is_empty(), "{text}");
    }
    assert!(clang_calls("\"-cc1\" \"a").is_empty() && clang_calls("\"ld\" \"-o\" \"a\"").is_empty());
    assert_eq!(words(r#" "a \"b\" c" "d"#), ["a \"b\" c"]);
}
