use ObstacleCause::{Aliasing, Cost, Dependence, Level};
use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{CodeSamples, CompilerFamily, LoopWork};
use numawise_units::Nanoseconds;

use super::super::tests::{one, place, run};
use super::*;

/// `of` is the cause; none where the loop was vectorized.
fn remark(unit: u32, file: &str, line: u32, of: Option<ObstacleCause>) -> LoopRemark {
    let why = |cause| LoopObstacle { cause, line: None, about: None, text: "so".to_owned() };
    LoopRemark { unit, file: file.to_owned(), line, obstacle: of.map(why) }
}

fn unit(source: &str, tried: bool) -> CompiledUnit {
    let (source, flags) = (Some(source.to_owned()), vec![format!("-O{}", u8::from(tried) * 2)]);
    CompiledUnit { source, compiler: CompilerFamily::Gcc, flags, tried }
}

/// What is said of a loop of `solve` with these lines: of `solve` itself, and of `at`, which was put into it.
fn said(own: &[u32], other: &[u32], remarks: Vec<LoopRemark>) -> Reading<CompiledLoop> {
    said_of("/app", own, other, vec![unit("/src/solve.c", true), unit("/src/main.c", false)], remarks)
}

fn said_of(
    written: &str,
    own: &[u32],
    other: &[u32],
    units: Vec<CompiledUnit>,
    remarks: Vec<LoopRemark>,
) -> Reading<CompiledLoop> {
    let mut places = vec![place("solve", "/src/solve.c", 10)];
    places.extend(own.iter().map(|line| place("solve", "/src/solve.c", *line)));
    places.extend(other.iter().map(|line| place("at", "/src/grid.h", *line)));
    let lines: Vec<u32> = (1..places.len() as u32).collect();
    let loops = vec![one(0x100, &lines, &[(0, 200)], LoopWork::default())];
    let written = vec![written.to_owned()];
    compiled(places, loops, CompilerRecords { units, remarks, written, ..records() }).remove(0)
}

fn records() -> CompilerRecords {
    CompilerRecords {
        command: "make".to_owned(),
        wall: Nanoseconds(1),
        compiled: 2,
        units: vec![],
        remarks: vec![],
        written: vec!["/app".to_owned()],
    }
}

/// What is said of each loop, those with most samples first.
fn compiled(
    places: Vec<CodePlace>,
    loops: Vec<MachineLoop>,
    records: CompilerRecords,
) -> Vec<Reading<CompiledLoop>> {
    let code = CodeSamples {
        loops,
        compiled: Some(Reading::Measured(records)),
        ..CodeSamples::none(Reading::Measured(256))
    };
    let rows = super::super::survey(&run(places, code)).unwrap().rows;
    rows.into_iter().map(|row| row.compiled.unwrap()).collect()
}

fn causes(said: &Reading<CompiledLoop>) -> Vec<ObstacleCause> {
    said.measured().unwrap_or_else(|| panic!("{said:?}")).obstacles.iter().map(|of| of.cause).collect()
}

#[test]
fn a_record_is_of_the_loop_with_its_line() {
    let remarks = || {
        vec![
            remark(0, "/src/solve.c", 12, Some(Aliasing)),
            remark(0, "/src/solve.c", 13, Some(Cost)),
            remark(0, "/src/solve.c", 40, Some(Dependence)),
            remark(0, "/other/solve.c", 12, Some(Dependence)),
            remark(0, "/src/grid.h", 5, Some(Dependence)),
        ]
    };
    assert_eq!(causes(&said(&[12, 13], &[5], remarks())), [Aliasing], "the first line of its own");
    assert_eq!(causes(&said(&[], &[5, 6], remarks())), [Dependence], "all of it was put there");
    assert_eq!(causes(&said(&[11, 14], &[], remarks())), [Aliasing], "lines without instructions");
    assert_eq!(causes(&said(&[42], &[], remarks())), [Dependence], "its head has none");
    assert!(said(&[60], &[], remarks()).measured().is_none());
}

#[test]
fn a_line_of_another_loop_is_not_taken_for_the_head() {
    let remarks = || vec![remark(0, "/src/solve.c", 12, Some(Cost))];
    let lines = |own: &[u32]| said(own, &[], remarks());
    assert_eq!(causes(&lines(&[20])), [Cost], "a long statement");
    assert!(lines(&[23]).measured().is_none(), "too far");
}

#[test]
fn copies_of_a_loop_are_said_together() {
    let copies = vec![
        remark(0, "/src/solve.c", 12, None),
        remark(0, "/src/solve.c", 12, Some(Cost)),
        remark(0, "/src/solve.c", 12, Some(Cost)),
    ];
    let said = said(&[12], &[], copies);
    assert_eq!(causes(&said), [Cost]);
    assert!(said.measured().unwrap().is_vectorized);
}

#[test]
fn what_was_not_vectorized_at_all_has_its_level_as_reason() {
    let units = vec![unit("/src/solve.c", false)];
    let said = said_of("/app", &[12], &[], units, vec![]);
    assert_eq!(
        (causes(&said), said.measured().unwrap().flags.clone()),
        (vec![Level], vec!["-O0".to_owned()])
    );
}

#[test]
fn records_of_another_build_are_not_used() {
    let remarks = || vec![remark(0, "/src/solve.c", 12, Some(Cost))];
    let units = || vec![unit("/src/solve.c", true)];
    let old = said_of("/lib/other.so", &[12], &[], units(), remarks());
    assert!(old.reason().unwrap().to_string().contains("did not write /app"), "{old:?}");
    let unknown = said_of("/app", &[12], &[], vec![unit("/src/main.c", true)], vec![]);
    assert!(unknown.reason().unwrap().to_string().contains("did not compile /src/solve.c"), "{unknown:?}");
    assert!(said(&[], &[], remarks()).reason().unwrap().to_string().contains("-g"));
}

#[test]
fn of_sources_with_one_name_nothing_is_said_where_they_differ() {
    let units = || vec![unit("solve.c", true), unit("solve.c", true)];
    let two = |other| {
        let remarks = vec![remark(0, "solve.c", 12, Some(Cost)), remark(1, "solve.c", 12, other)];
        said_of("/app", &[12], &[], units(), remarks)
    };
    assert_eq!(causes(&two(Some(Cost))), [Cost]);
    assert!(two(Some(Aliasing)).reason().unwrap().to_string().contains("several sources are called solve.c"));
}

#[test]
fn a_path_without_a_root_is_the_end_of_another() {
    let same = [
        ("/a/b.c", "/a/b.c"),
        ("/x/a/b.c", "./a/b.c"),
        ("b.c", "/x/b.c"),
        ("./b.c", "b.c"),
        ("/a/h.h", "/a//b/./../h.h"),
    ];
    assert!(same.iter().all(|(one, other)| is_same_file(one, other)));
    let others = [("/a/b.c", "/c/b.c"), ("/x/ab.c", "b.c"), ("a/b.c", "/x/b.c"), ("b.c", "c.c")];
    assert!(others.iter().all(|(one, other)| !is_same_file(one, other)));
}

#[test]
fn the_remark_of_a_neighbour_stays_with_it() {
    let records = CompilerRecords {
        units: vec![unit("/src/solve.c", true)],
        remarks: vec![remark(0, "/src/solve.c", 12, Some(Cost))],
        ..records()
    };
    let of = |head, place: u32| one(head, &[place], &[(0, 200 - u64::from(place))], LoopWork::default());
    let places = [10, 12, 18].map(|line| place("solve", "/src/solve.c", line)).to_vec();
    let said = compiled(places, vec![of(0x100, 1), of(0x200, 2)], records);
    let known = |row: usize| said[row].measured().is_some();
    assert_eq!((known(0), known(1)), (true, false));
}
