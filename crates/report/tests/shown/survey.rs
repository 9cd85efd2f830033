//! Loops as people and scripts see them.

use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::objects::{
    BuildFlags, CodeObstacle, CodeRuntime, CodeSamples, CompilerFamily, LoopObstacle, LoopPass, LoopTrips,
    LoopWork, ObstacleCause, OutputChange, PassCount, TriedFlags,
};
use numawise_facts::{Effect, FindingId, ObjectRun, Reading};
use numawise_report::document::{self, Style};
use numawise_report::survey::{SCHEMA, Shown, document, json};
use numawise_tables::objects::ShareInterval;
use numawise_tables::survey::{
    Ceiling, CompiledLoop, LoopCeiling, LoopFinding, LoopRoof, LoopRow, LoopStream, LoopTables, OutsideRow,
    UnknownRow, UseOfVectors, VectorLevel,
};
use numawise_units::{Bytes, Nanoseconds, NodeId, Ratio};
use serde_json::Value;

use crate::memory_objects::wave;

fn place(binary: &str, function: &str, line: Option<u32>) -> CodePlace {
    let missing = || "the file has no lines for it; compile with -g";
    let source = SourcePlace {
        function: Reading::Measured(function.to_owned()),
        file: line
            .map_or_else(|| Reading::unavailable(missing()), |_| Reading::Measured("/src/wave.c".to_owned())),
        line: line.map_or_else(|| Reading::unavailable(missing()), Reading::Measured),
    };
    CodePlace { file: binary.to_owned(), address: 0x1240, source }
}

fn time(share: f64) -> ShareInterval {
    ShareInterval { value: Ratio(share), low: Ratio(share - 0.02), high: Ratio(share + 0.02) }
}

fn row(place: CodePlace, share: f64, level: VectorLevel, work: LoopWork) -> LoopRow {
    LoopRow {
        last_line: place.source.line.measured().map(|line| line + 3),
        place,
        time: time(share),
        samples: (1000.0 * share) as u64,
        threads: 4,
        busiest: Ratio(0.3),
        parts: 2,
        depth: 2,
        is_innermost: true,
        level,
        in_vectors: Ratio(0.0),
        work,
        compiled: None,
        pass: Reading::unavailable("it calls functions, whose instructions are not its own"),
        trips: Reading::unavailable("it can be left at several places"),
        speed: Reading::unavailable("it begins anew from sample to sample"),
        streams: Vec::new(),
        roof: Reading::unavailable("it calls functions, whose instructions are not its own"),
    }
}

/// A loop of which all is known.
fn packed(narrow: LoopWork) -> LoopRow {
    let count = PassCount { loaded: 64.0, stored: 32.0, double: 16.0, ..PassCount::default() };
    LoopRow {
        pass: Reading::Measured(LoopPass { mean: Reading::Measured(count), least: count, most: count }),
        trips: Reading::Measured(LoopTrips {
            mean: 99.5,
            low: 97.0,
            high: 102.0,
            deviation: 20.0,
            least: 50,
            most: 200,
            samples: 180,
        }),
        streams: vec![LoopStream {
            reads: true,
            writes: false,
            stride: Reading::Measured(-64),
            bytes: 64,
            fresh: Reading::Measured(16),
            of_lines: Reading::Measured(Ratio(0.25)),
            parts: vec![(0, 8), (24, 32)],
            span: Reading::Measured(Bytes(4096)),
            elements: 1,
            variable: Reading::Measured("field".to_owned()),
            nodes: vec![NodeId(1)],
        }],
        roof: Reading::Measured(LoopRoof {
            per_byte: Reading::Measured(0.17),
            moved: Reading::Measured(128.0),
            ceilings: vec![
                LoopCeiling { of: Ceiling::Memory, passes: 1.5e8 },
                LoopCeiling { of: Ceiling::Arithmetic, passes: 2e9 },
            ],
            passes: Reading::Measured(1.2e8),
            reached: Reading::Measured(Ratio(0.8)),
        }),
        ..row(place("/app/wave", "pack", Some(60)), 0.2, VectorLevel::Full, narrow)
    }
}

fn unknown(why: CodeObstacle, file: &str, function: Option<&str>) -> UnknownRow {
    UnknownRow { why, file: Some(file.to_owned()), function: function.map(str::to_owned), time: time(0.03) }
}

fn tables() -> LoopTables {
    let scalar = LoopWork {
        element_bits: 64,
        scalar_elements: 3,
        floating: 3,
        divides: 1,
        calls: 1,
        ..LoopWork::default()
    };
    let narrow = LoopWork { element_bits: 32, packed_elements: 8, vector_bits: 256, ..LoopWork::default() };
    let (full, partial, scalar_time) = (Ratio(0.2), Ratio(0.0), Ratio(0.7));
    let none = Ratio(0.0);
    let pack = packed(narrow);
    LoopTables {
        rows: vec![
            row(place("/app/wave", "step", Some(41)), 0.5, VectorLevel::Scalar, scalar),
            row(
                place("/usr/lib/x86_64-linux-gnu/libblas.so.3", "dgemm_", None),
                0.2,
                VectorLevel::Scalar,
                scalar,
            ),
            pack,
        ],
        left_out: (0, Ratio(0.0)),
        outside: vec![OutsideRow { function: place("/app/wave", "main", Some(90)), time: time(0.1) }],
        unknown: vec![
            unknown(CodeObstacle::JustInTime(CodeRuntime::Java), "/jvm/libjvm.so", Some("Solver.step")),
            unknown(CodeObstacle::NoFunction, "/app/stripped", None),
        ],
        samples: Reading::Measured(1000),
        ceilings: Reading::Measured(()),
        by_use: Reading::Measured(UseOfVectors {
            full,
            partial,
            scalar: scalar_time,
            none,
            spinning: none,
            messages: none,
            outside: Ratio(0.1),
            without_code: none,
        }),
        offered: Reading::Measured(512),
        cost: Reading::Measured(Ratio(0.004)),
        findings: vec![
            LoopFinding { id: FindingId::LoopScalar, row: 0, lanes: Ratio(8.0), brings: Ratio(1.78) },
            LoopFinding { id: FindingId::LoopScalar, row: 1, lanes: Ratio(8.0), brings: Ratio(1.21) },
            LoopFinding { id: FindingId::LoopNarrow, row: 2, lanes: Ratio(2.0), brings: Ratio(1.11) },
            LoopFinding { id: FindingId::LoopMemory, row: 2, lanes: Ratio(16.7), brings: Ratio(1.05) },
        ],
    }
}

fn text(tables: &LoopTables) -> String {
    let run: ObjectRun = wave();
    let shown = Shown { run: &run, tables, record: Some("app.nw") };
    document::terminal(&document(&shown), Style { width: 120, ..Style::plain() })
}

#[test]
fn loops_on_the_terminal() {
    insta::assert_snapshot!("survey", text(&tables()));
}

/// The same with what compilers say: of the first loop a reason, of the second nothing, of the third that it was vectorized.
fn built() -> LoopTables {
    let mut of = tables();
    let why = LoopObstacle {
        cause: ObstacleCause::Call,
        line: Some(42),
        about: Some("sin".to_owned()),
        text: "not vectorized: relevant stmt not supported: _6 = sin (_4);".to_owned(),
    };
    let flags = ["-O2", "-march=native"].map(str::to_owned).to_vec();
    let said =
        CompiledLoop { compiler: CompilerFamily::Gcc, flags, is_vectorized: false, obstacles: vec![why] };
    let vectorized = CompiledLoop { is_vectorized: true, obstacles: vec![], ..said.clone() };
    of.rows[0].compiled = Some(Reading::Measured(said));
    of.rows[1].compiled = Some(Reading::unavailable(
        "the build did not write /usr/lib/x86_64-linux-gnu/libblas.so.3: it was there before",
    ));
    of.rows[2].compiled = Some(Reading::Measured(vectorized));
    of
}

#[test]
fn what_compilers_say_on_the_terminal() {
    insta::assert_snapshot!("survey_built", text(&built()));
}

/// Options were tried: one for which there was no time, one that is faster, one that changes the output.
fn tried() -> ObjectRun {
    let of = |flags: &[BuildFlags], effect, output| TriedFlags {
        flags: flags.to_vec(),
        build: Nanoseconds(2_500_000_000),
        effect,
        output,
    };
    let faster = |ratio| Reading::Measured(Effect::new(ratio, ratio - 0.1, ratio + 0.1));
    let mut code = CodeSamples::none(Reading::Measured(512));
    let (before, after) = ("E = 1.25".to_owned(), "E = 1.26".to_owned());
    code.tried = vec![
        of(
            &[BuildFlags::Level],
            Reading::unavailable("0 rounds have a run of both points; an interval needs 2"),
            Reading::Measured(OutputChange::Same { lines: 3, of: 4 }),
        ),
        of(
            &[BuildFlags::Level, BuildFlags::Native],
            faster(1.5),
            Reading::Measured(OutputChange::Same { lines: 4, of: 4 }),
        ),
        of(
            &[BuildFlags::Level, BuildFlags::Native, BuildFlags::FastMath],
            faster(1.4),
            Reading::Measured(OutputChange::Numbers { largest: Ratio(0.01 / 1.26), before, after }),
        ),
    ];
    ObjectRun { code: Reading::Measured(code), ..wave() }
}

#[test]
fn what_options_bring() {
    let (run, tables) = (tried(), built());
    let shown = Shown { run: &run, tables: &tables, record: Some("app.nw") };
    let text = document::terminal(&document(&shown), Style { width: 120, ..Style::plain() });
    let begin = text.lines().take_while(|line| !line.starts_with("  Program"));
    let section = text.lines().skip_while(|line| !line.starts_with("Options tried"));
    let section = section.take_while(|line| !line.is_empty());
    insta::assert_snapshot!("survey_tried", begin.chain(section).collect::<Vec<_>>().join("\n"));
    let value: Value = serde_json::from_str(&json(&shown)).unwrap();
    let of = &value["tried"][2];
    assert_eq!(
        (&of["flags"], &of["output"]["change"]),
        (&"-O3 -march=native -ffast-math".into(), &"numbers".into())
    );
    assert!(value["tried"][0]["times_as_fast"]["unavailable"].is_string());
}

#[test]
fn what_compilers_say_as_json() {
    let (run, tables) = (wave(), built());
    let value: Value =
        serde_json::from_str(&json(&Shown { run: &run, tables: &tables, record: None })).unwrap();
    let of = |k: usize| &value["loops"][k]["compiler"];
    assert_eq!((&of(0)["family"], &of(0)["flags"][1]), (&"gcc".into(), &"-march=native".into()));
    let why = &of(0)["obstacles"][0];
    assert_eq!((&why["cause"], &why["about"], &why["line"]), (&"call".into(), &"sin".into(), &42.into()));
    assert!(of(1)["unavailable"].as_str().unwrap().contains("libblas.so.3"));
    assert_eq!((&of(2)["vectorized"], &of(2)["obstacles"]), (&true.into(), &Value::Array(vec![])));
    let said = value["findings"][0]["compiler"].as_array().unwrap();
    assert!(said[1].as_str().unwrap().contains("it calls sin"), "{said:?}");
}

#[test]
fn where_threads_mostly_wait_that_comes_first() {
    let mut of = tables();
    of.rows[0].time = time(0.25);
    let by_use = of.by_use.measured_mut().unwrap();
    (by_use.spinning, by_use.messages, by_use.scalar) = (Ratio(0.5), Ratio(0.2), Ratio(0.0));
    let words = |of: &LoopTables| text(of).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = words(&of);
    assert!(said.contains("THREADS MOSTLY WAIT FOR OTHERS 70 % of the time"), "{said}");
    assert!(said.contains("23 % to 27 %); 83 % of the time in which threads do not wait"), "{said}");
    of.rows[0].work.packed_elements = 2;
    let said = words(&of);
    assert!(said.contains("3 of 5 elements of 64 bits one by one; vectors of this CPU hold 8"), "{said}");
}

#[test]
fn where_most_time_is_in_code_of_no_function_that_comes_first_with_what_it_is() {
    let mut of = tables();
    of.findings.clear();
    let by_use = of.by_use.measured_mut().unwrap();
    (by_use.without_code, by_use.scalar) = (Ratio(0.7), Ratio(0.0));
    let text = text(&of);
    assert!(text.contains("MOST OF THE TIME IS IN CODE OF NO KNOWN FUNCTION"), "{text}");
    assert!(text.contains("Java code, compiled while it runs") && text.contains("Solver.step"), "{text}");
    let value: Value =
        serde_json::from_str(&json(&Shown { run: &wave(), tables: &of, record: None })).unwrap();
    let unknown = &value["unknown"];
    assert_eq!(
        (&unknown[0]["what"], &unknown[0]["runtime"], &unknown[1]["what"], &unknown[1]["runtime"]),
        (&"just_in_time".into(), &"java".into(), &"no_function".into(), &Value::Null)
    );
}

#[test]
fn too_few_samples_come_first_with_how_to_get_more() {
    let few = Reading::unavailable("only 40 samples of the program were taken; 100 are needed");
    let by_use = Reading::unavailable("only 40 samples of the program were taken; 100 are needed");
    let of = LoopTables { samples: few, by_use, findings: vec![], ..tables() };
    let text = text(&of);
    assert!(text.contains("Too few samples: only 40 samples"), "{text}");
    assert!(!text.contains("Time by use of vectors"), "{text}");
    let value: Value =
        serde_json::from_str(&json(&Shown { run: &wave(), tables: &of, record: None })).unwrap();
    assert!(value["time_percent"]["unavailable"].is_string(), "{value}");
}

#[test]
fn loops_as_json() {
    let (run, tables) = (wave(), tables());
    let value: Value =
        serde_json::from_str(&json(&Shown { run: &run, tables: &tables, record: None })).unwrap();
    assert_eq!((&value["schema"], &value["samples"]), (&SCHEMA.into(), &1000.into()));
    let first = &value["loops"][0];
    assert_eq!(
        (&first["place"]["line"], &first["last_line"], &first["vectors"]),
        (&41.into(), &44.into(), &"scalar".into())
    );
    assert_eq!(first["time_percent"]["value"], 50.0);
    assert_eq!(
        value["loops"][1]["place"]["line"]["unavailable"],
        "the file has no lines for it; compile with -g"
    );
    assert_eq!((&value["findings"][2]["id"], &value["findings"][2]["loop"]), (&"NW072".into(), &2.into()));
    let advice = value["findings"][1]["advice"].as_array().unwrap();
    assert!(advice.len() == 1 && advice[0].as_str().unwrap().contains("libblas.so.3"), "{advice:?}");
}

#[test]
fn openblas_is_asked_for_its_kernels_with_wide_vectors() {
    let mut of = tables();
    of.rows[1].place.file = "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblasp-r0.3.21.so".to_owned();
    assert!(text(&of).contains("to do    set OPENBLAS_CORETYPE=SKYLAKEX"), "{}", text(&of));
    of.offered = Reading::Measured(256);
    assert!(!text(&of).contains("OPENBLAS_CORETYPE"), "{}", text(&of));
}

#[test]
fn a_page_holds_names_as_they_are() {
    let mut of = tables();
    of.rows[0].place.source.function = Reading::Measured("<script>alert(1)</script>".to_owned());
    let run = wave();
    let page = document::html(&document(&Shown { run: &run, tables: &of, record: None }));
    assert!(!page.contains("<script>alert(1)") && page.contains("&lt;script&gt;alert(1)"));
}
