use numawise_facts::activity::SourcePlace;
use numawise_facts::objects::{CodeObstacle, FileAddress, LoopLine, LoopPassing, OutsideLoops};
use numawise_units::Nanoseconds;

use super::*;
use crate::objects::sample;
use crate::sample::two_sockets;

pub(super) fn place(function: &str, file: &str, line: u32) -> CodePlace {
    CodePlace {
        file: "/app".to_owned(),
        address: u64::from(line),
        source: SourcePlace {
            function: Reading::Measured(function.to_owned()),
            file: Reading::Measured(file.to_owned()),
            line: Reading::Measured(line),
        },
    }
}

/// 0: where `solve` begins. 1 to 3: its lines. 4: a function that was put into it. 5: where `main` begins.
fn places() -> Vec<CodePlace> {
    vec![
        place("solve", "/src/solve.c", 10),
        place("solve", "/src/solve.c", 12),
        place("solve", "/src/solve.c", 13),
        place("solve", "/src/solve.c", 20),
        place("at", "/src/grid.h", 5),
        place("main", "/src/main.c", 1),
    ]
}

const SCALAR: LoopWork = LoopWork {
    instructions: 6,
    scalar_elements: 2,
    packed_elements: 0,
    scalar_moved: 2,
    packed_moved: 0,
    vector_bits: 0,
    lanes: 0,
    element_bits: 64,
    floating: 2,
    masked: 0,
    gathers: 0,
    scatters: 0,
    divides: 0,
    square_roots: 0,
    converts: 0,
    shuffles: 0,
    spills: 0,
    calls: 0,
    pauses: 0,
};
const AVX: LoopWork =
    LoopWork { scalar_elements: 0, packed_elements: 8, vector_bits: 256, lanes: 4, floating: 8, ..SCALAR };

/// A loop at an address with lines, and samples of threads.
pub(super) fn one(head: u64, lines: &[u32], samples: &[(u32, u64)], work: LoopWork) -> MachineLoop {
    MachineLoop {
        head: FileAddress { file: "/app".to_owned(), address: head },
        function: 0,
        parent: None,
        depth: 1,
        is_innermost: true,
        lines: lines.iter().map(|place| LoopLine { place: *place, instructions: 3 }).collect(),
        samples: samples
            .iter()
            .map(|(thread, samples)| ThreadSamples { thread: *thread, samples: *samples })
            .collect(),
        work,
        passing: LoopPassing::unknown("none"),
    }
}

fn tables(loops: Vec<MachineLoop>, outside: u64, offered: u32) -> LoopTables {
    let code = CodeSamples {
        loops,
        outside: vec![OutsideLoops {
            function: 5,
            samples: vec![ThreadSamples { thread: 0, samples: outside }],
        }],
        ..CodeSamples::none(Reading::Measured(offered))
    };
    survey(&run(places(), code)).unwrap()
}

/// A survey that found this.
pub(super) fn run(places: Vec<CodePlace>, code: CodeSamples) -> ObjectRun {
    ObjectRun { places, code: Reading::Measured(code), ..sample::run(two_sockets(), vec![]) }
}

fn names(tables: &LoopTables) -> Vec<(u32, Option<u32>, u64)> {
    let line = |row: &LoopRow| row.place.source.line.measured().copied().unwrap_or_default();
    tables.rows.iter().map(|row| (line(row), row.last_line, row.samples)).collect()
}

#[test]
fn what_a_loop_became_is_one_row() {
    // Its vectors (line 13), what remains (12 and 13), and another loop (20) with the same function put into it.
    let vectors = one(0x100, &[2, 4], &[(0, 60), (1, 20)], AVX);
    let rest = one(0x200, &[1, 2, 4], &[(0, 10)], SCALAR);
    let other = one(0x300, &[3, 4], &[(0, 5)], SCALAR);
    let tables = tables(vec![vectors, rest, other], 105, 256);
    assert_eq!(names(&tables), [(12, Some(13), 90), (20, Some(20), 5)]);
    let row = &tables.rows[0];
    assert_eq!((row.parts, row.threads, row.level), (2, 2, VectorLevel::Full));
    assert!((row.time.value.0 - 0.45).abs() < 1e-12 && row.time.low < row.time.value);
    assert!((row.in_vectors.0 - 80.0 / 90.0).abs() < 1e-12);
    assert!((row.busiest.0 - 70.0 / 90.0).abs() < 1e-12);
}

/// As the body of a parallel loop of oneTBB, which is in a function of its header.
#[test]
fn a_loop_whose_lines_are_all_of_a_function_that_was_put_there_is_of_that_function() {
    let names = |lines: &[u32]| {
        let tables = tables(vec![one(0x100, lines, &[(0, 100)], SCALAR)], 0, 512);
        tables.rows[0].place.source.function.measured().cloned().unwrap()
    };
    assert_eq!(
        (names(&[4]).as_str(), names(&[1, 4]).as_str(), names(&[]).as_str()),
        ("at", "solve", "solve")
    );
}

#[test]
fn a_loop_that_joins_two_others_makes_them_one() {
    let parts = [one(0x100, &[1], &[(0, 50)], AVX), one(0x200, &[3], &[(0, 30)], AVX)];
    let joins = one(0x300, &[1, 3], &[(0, 20)], SCALAR);
    assert_eq!(tables(parts.to_vec(), 0, 256).rows.len(), 2);
    assert_eq!(names(&tables(parts.into_iter().chain([joins]).collect(), 0, 256)), [(12, Some(20), 100)]);
}

#[test]
fn shares_of_the_time_sum_to_all() {
    let outer = MachineLoop { is_innermost: false, ..one(0x50, &[1], &[(0, 7)], LoopWork::default()) };
    let spins = one(0x300, &[], &[(1, 3)], LoopWork { pauses: 1, ..SCALAR });
    let (vectors, scalar) = (one(0x100, &[2], &[(0, 60)], AVX), one(0x200, &[3], &[(0, 17)], SCALAR));
    let tables = tables(vec![outer, vectors, scalar, spins], 13, 256);
    let UseOfVectors { full, partial, scalar, none, spinning, messages, outside, without_code } =
        *tables.by_use.measured().unwrap();
    let all = [full, partial, scalar, none, spinning, messages, outside, without_code].map(|share| share.0);
    assert_eq!(all, [0.6, 0.0, 0.17, 0.07, 0.03, 0.0, 0.13, 0.0]);
    assert_eq!(tables.samples, Reading::Measured(100));
}

#[test]
fn a_scalar_loop_can_bring_what_amdahl_says() {
    let tables = tables(vec![one(0x100, &[2], &[(0, 80)], SCALAR)], 20, 512);
    let [finding] = tables.findings.as_slice() else { panic!("{:?}", tables.findings) };
    assert_eq!((finding.id, finding.lanes), (FindingId::LoopScalar, Ratio(8.0)));
    assert!((finding.brings.0 - 1.0 / (0.2 + 0.8 / 8.0)).abs() < 1e-12);
}

/// Threads that spin wait for the others: of 100 samples 60 are no work, and the loop is 32 of 40.
#[test]
fn time_in_which_threads_wait_takes_nothing_from_what_a_loop_can_bring() {
    let spins = one(0x200, &[3], &[(1, 60)], LoopWork { instructions: 3, pauses: 1, ..LoopWork::default() });
    let tables = tables(vec![one(0x100, &[2], &[(0, 32)], SCALAR), spins], 8, 512);
    let [finding] = tables.findings.as_slice() else { panic!("{:?}", tables.findings) };
    assert!((finding.brings.0 - 1.0 / (0.2 + 0.8 / 8.0)).abs() < 1e-12, "{finding:?}");
}

#[test]
fn the_loop_that_can_bring_most_comes_first() {
    let narrow = one(0x100, &[1], &[(0, 50)], AVX);
    let scalar = one(0x200, &[3], &[(0, 40)], SCALAR);
    let ids = |offered| -> Vec<(FindingId, usize)> {
        let tables = tables(vec![narrow.clone(), scalar.clone()], 10, offered);
        tables.findings.iter().map(|of| (of.id, of.row)).collect()
    };
    assert_eq!(ids(512), [(FindingId::LoopScalar, 1), (FindingId::LoopNarrow, 0)]);
    assert_eq!(ids(256), [(FindingId::LoopScalar, 1)], "the CPU has no wider ones");
}

#[test]
fn what_takes_little_time_or_has_no_elements_is_no_finding() {
    let little = one(0x100, &[1], &[(0, 4)], SCALAR);
    let pointers = one(0x200, &[3], &[(0, 96)], LoopWork { instructions: 4, ..LoopWork::default() });
    let tables = tables(vec![little, pointers], 0, 512);
    assert_eq!((tables.rows[0].level, tables.findings.len()), (VectorLevel::NoVectorRegisters, 0));
}

/// Stores of two elements make no vectors of arithmetic that has one at once.
#[test]
fn what_a_partly_vectorized_loop_can_bring_is_of_its_single_elements_too() {
    let moves = LoopWork { packed_moved: 5, vector_bits: 128, ..SCALAR };
    let found = tables(vec![one(0x100, &[2], &[(0, 100)], moves)], 0, 512).findings;
    assert_eq!((found[0].id, found[0].lanes), (FindingId::LoopScalar, Ratio(8.0)));
    let mixed = LoopWork { scalar_elements: 6, packed_elements: 2, floating: 8, vector_bits: 128, ..SCALAR };
    let found = tables(vec![one(0x100, &[2], &[(0, 100)], mixed)], 0, 512).findings;
    // Eight elements in six instructions and one, where one instruction could have all.
    assert_eq!((found[0].id, found[0].lanes), (FindingId::LoopScalar, Ratio(7.0)));
    let half = LoopWork { scalar_elements: 4, packed_elements: 4, floating: 8, vector_bits: 128, ..SCALAR };
    let found = tables(vec![one(0x100, &[2], &[(0, 100)], half)], 0, 512).findings;
    assert_eq!((found[0].id, found[0].lanes), (FindingId::LoopNarrow, Ratio(6.0)));
}

#[test]
fn gathers_are_said_before_narrow_vectors() {
    let gathers = one(0x100, &[1], &[(0, 100)], LoopWork { gathers: 2, ..AVX });
    assert_eq!(tables(vec![gathers], 0, 512).findings[0].id, FindingId::LoopGathers);
}

#[test]
fn few_samples_say_nothing() {
    let tables = tables(vec![one(0x100, &[2], &[(0, 80)], SCALAR)], 19, 512);
    assert!(tables.samples.reason().is_some() && tables.findings.is_empty());
    assert_eq!(tables.by_use.reason(), tables.samples.reason());
    assert_eq!(tables.rows.len(), 1, "what was seen stays");
}

#[test]
fn without_lines_each_loop_stands_alone() {
    let bare = |head| MachineLoop { lines: vec![], ..one(head, &[], &[(0, 50)], AVX) };
    let tables = tables(vec![bare(0x100), bare(0x200)], 0, 256);
    let addresses: Vec<u64> = tables.rows.iter().map(|row| row.place.address).collect();
    assert_eq!((addresses, tables.rows[0].last_line), (vec![0x100, 0x200], None));
}

#[test]
fn a_run_that_was_not_surveyed_has_no_loops() {
    let run = sample::run(two_sockets(), vec![]);
    assert_eq!(survey(&run), None);
    assert_eq!(run.header.wall, Nanoseconds(1_000_000_000));
}

#[test]
fn comparing_alone_is_no_finding() {
    let sorts = one(0x100, &[1], &[(0, 100)], LoopWork { floating: 0, ..SCALAR });
    let tables = tables(vec![sorts], 0, 512);
    assert_eq!((tables.rows[0].level, tables.findings.len()), (VectorLevel::Scalar, 0));
}

#[test]
fn arithmetic_decides_and_what_is_moved_where_there_is_none() {
    use VectorLevel::{Full, NoVectorRegisters, Partial, Scalar};
    let of = |[scalar_elements, packed_elements, scalar_moved, packed_moved]: [u32; 4]| {
        level(&LoopWork {
            scalar_elements,
            packed_elements,
            scalar_moved,
            packed_moved,
            ..LoopWork::default()
        })
    };
    assert_eq!([[2, 0, 2, 0], [1, 0, 0, 0]].map(of), [Scalar; 2]);
    assert_eq!([[0, 4, 0, 8], [0, 2, 0, 4], [0, 2, 0, 2]].map(of), [Full; 3]);
    assert_eq!(of([0, 0, 0, 8]), Full, "copies");
    assert_eq!(of([0; 4]), NoVectorRegisters);
    assert_eq!(of([1, 4, 0, 0]), Partial, "a remainder inside");
    assert_eq!(of([1, 0, 0, 4]), Partial, "a sum in order");
    assert_eq!([[1, 8, 0, 0], [1, 9, 0, 0]].map(of), [Partial, Full], "nine tenths");
    assert_eq!(level(&LoopWork { pauses: 1, ..SCALAR }), VectorLevel::Spins);
}

#[test]
fn code_of_no_function_stands_in_the_order_of_its_samples() {
    let of = |why, samples| UnknownCode { why, file: None, function: None, samples };
    let code = CodeSamples {
        without_code: vec![ThreadSamples { thread: 0, samples: 190 }],
        unknown: vec![of(CodeObstacle::NoFile, 40), of(CodeObstacle::UnreadableFile, 150)],
        ..CodeSamples::none(Reading::Measured(256))
    };
    let tables = survey(&run(places(), code)).unwrap();
    let order: Vec<CodeObstacle> = tables.unknown.iter().map(|row| row.why).collect();
    assert_eq!(order, [CodeObstacle::UnreadableFile, CodeObstacle::NoFile]);
}
