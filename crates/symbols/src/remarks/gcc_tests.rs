use ObstacleCause::{
    Call, CarriedValue, ControlFlow, DataAccess, Dependence, IterationCount, Level, Other, ReductionOrder,
};

use super::*;

const C: &str = include_str!("../../testdata/remarks/gcc-12.txt");
const C_O2: &str = include_str!("../../testdata/remarks/gcc-12-O2.txt");
const FORTRAN: &str = include_str!("../../testdata/remarks/gfortran-12.txt");

/// Line and cause of each loop.
fn causes(record: &str) -> Vec<(u32, Option<ObstacleCause>)> {
    let remarks = gcc_remarks(record, "", 0);
    remarks.iter().map(|of| (of.line, of.obstacle.as_ref().map(|why| why.cause))).collect()
}

#[test]
fn each_loop_has_its_own_reason() {
    let expected = [
        (8, None),
        (14, Some(ReductionOrder)),
        (21, Some(Dependence)),
        (28, Some(CarriedValue)),
        (37, Some(IterationCount)),
        (43, Some(Call)),
        (48, Some(Call)),
        (54, Some(DataAccess)),
        (59, Some(ControlFlow)),
        (70, None),
        (70, Some(ReductionOrder)),
    ];
    assert_eq!(causes(C), expected);
    let mut at_2 = expected.to_vec();
    (at_2[0], at_2[9]) = ((8, Some(Level)), (70, Some(Level)));
    assert_eq!(causes(C_O2), at_2[..10], "-O2 vectorizes what needs no remainder");
    assert_eq!(causes(FORTRAN), [(7, None), (16, Some(Dependence))]);
}

#[test]
fn a_reason_names_the_call_and_the_data() {
    let about = |record, line| {
        let remarks = gcc_remarks(record, "/src", 0);
        let of = remarks.into_iter().find(|of| of.line == line).unwrap();
        assert!(of.file.starts_with("/src/"), "{}", of.file);
        of.obstacle.unwrap()
    };
    assert_eq!(about(C, 43).about.as_deref(), Some("said"));
    let sine = about(C, 48);
    assert_eq!((sine.about.as_deref(), sine.line), (Some("sin"), Some(49)));
    assert!(sine.text.contains("relevant stmt not supported"), "{}", sine.text);
    assert_eq!(about(C, 21).about, None, "pointers without names");
    assert_eq!(about(FORTRAN, 16).about.as_deref(), Some("of[...] and of[...]"));
    assert_eq!(shared("between data-refs a[i_28] and a[_1]").as_deref(), Some("a[i] and a[...]"));
    assert_eq!(shared("between my_data[i_2(D)] and b").as_deref(), Some("my_data[i] and b"));
}

#[test]
fn what_is_not_known_is_kept_as_it_is() {
    let later = "a.c:3:5: missed:   vectorizing is forbidden by the moon\n\
                 a.c:2:3: missed: couldn't vectorize loop\n\
                 no line\na.c:x:3: missed: couldn't vectorize loop\n: missed: \n\
                 a.c:9:3: missed: couldn't vectorize loop\n";
    let remarks = gcc_remarks(later, "", 7);
    let of = |remark: &LoopRemark| {
        let why = remark.obstacle.clone().unwrap();
        (remark.unit, remark.line, why.cause, why.line, why.text)
    };
    assert_eq!(of(&remarks[0]), (7, 2, Other, Some(3), "vectorizing is forbidden by the moon".to_owned()));
    assert_eq!(of(&remarks[1]), (7, 9, Other, Some(9), "couldn't vectorize loop".to_owned()));
    assert_eq!(remarks.len(), 2);
}

#[test]
fn without_details_the_reason_stands_behind_the_loop() {
    let record = "a.c:2:3: missed: couldn't vectorize loop\n\
                  a.c:3:5: missed: not vectorized: control flow in loop.\n\
                  a.c:4:5: missed: not vectorized: complicated access pattern.\n";
    assert_eq!(causes(record), [(2, Some(ControlFlow))]);
}

#[test]
fn a_loop_within_a_vectorized_one_is_vectorized() {
    let record = "a.c:2:3: optimized: loop vectorized using 32 byte vectors\n\
                  a.c:3:5: missed:  outer-loop already vectorized.\n\
                  a.c:3:5: missed: couldn't vectorize loop\n";
    assert_eq!(causes(record), [(2, None), (3, None)], "as a part of it");
}

#[test]
fn a_call_says_its_folder_its_source_and_what_decides_on_vectors() {
    let words = "/home/me/app\0'-std=c99' '-O2' '-O3' '-c' '-o' 'x.o' '-march=native' '-I' 'a b'\0-quiet\0-I\0inc.c\0\
                 ../src/x.c\0-dumpbase\0x.c\0-march=znver3\0-O3\0-o\0/tmp/x.s";
    let call = gcc_call(words).unwrap();
    assert_eq!(call.flags, ["-O3", "-march=native"]);
    let unit = call.unit(&[]);
    assert_eq!((unit.source.as_deref(), unit.tried), (Some("/home/me/src/x.c"), false));
    let whole = gcc_call("/home/me/app\0'-O3' '-fltrans'\0-quiet\0-fltrans\0@/tmp/list").unwrap();
    assert_eq!(whole.source, None);
    assert_eq!(gcc_call(""), None);
}
