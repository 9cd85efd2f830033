use std::process::{Command, Stdio};

use numawise_facts::activity::SourcePlace;
use numawise_facts::objects::{
    CompilerFamily, FileAddress, LoopLine, LoopPassing, LoopWork, MachineLoop, ObstacleCause,
};

use super::*;

const SUM: &str = "double sum(const double *of, int count)\n{\n    double all = 1;\n    for (int i = 0; i < count; i++)\n        \
                   all *= of[i];\n    return all;\n}\n";
const MAIN: &str =
    "double sum(const double *, int);\nint main(void) { double a[9] = { 1 }; return (int) sum(a, 9); }\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sum.c"), SUM).unwrap();
    fs::write(folder.path().join("main.c"), MAIN).unwrap();
    folder
}

fn built(folder: &Path, command: &str) -> RanBuild {
    let temporary = folder.join("temporary");
    let _ = fs::create_dir(&temporary);
    let environment = |name: &str| match name {
        "TMPDIR" => Some(temporary.clone().into()),
        name => std::env::var_os(name),
    };
    build(&format!("cd '{}' && {command}", folder.display()), &environment).unwrap()
}

/// A program with a sampled loop in this line of `sum.c` and the one behind it.
fn surveyed(folder: &Path, first: u32) -> (CodeSamples, [CodePlace; 3]) {
    let place = |line: u32| CodePlace {
        file: "app".to_owned(),
        address: u64::from(line),
        source: SourcePlace {
            function: Reading::Measured("sum".to_owned()),
            file: Reading::Measured(folder.join("sum.c").display().to_string()),
            line: Reading::Measured(line),
        },
    };
    let one = MachineLoop {
        head: FileAddress { file: folder.join("app").display().to_string(), address: 0 },
        function: 0,
        parent: None,
        depth: 1,
        is_innermost: true,
        lines: [1, 2].map(|place| LoopLine { place, instructions: 3 }).to_vec(),
        samples: vec![],
        work: LoopWork::default(),
        passing: LoopPassing::unknown("none"),
    };
    let code = CodeSamples { loops: vec![one], ..CodeSamples::none(Reading::Measured(256)) };
    (code, [place(1), place(first), place(first + 1)])
}

fn records(folder: &Path, build: &RanBuild) -> Reading<CompilerRecords> {
    let (code, places) = surveyed(folder, 4);
    let program = RunSpec { command: vec!["app".into()], directory: folder.to_owned() };
    build.records(&code, &places, &program)
}

/// What a build that has the loop's record says.
fn of_sum(command: &str) -> CompilerRecords {
    let folder = folder();
    let build = built(folder.path(), command);
    assert_eq!(build.exit(), Exit::Code(0), "{command}: {}", build.last_lines());
    let records = records(folder.path(), &build).measured().unwrap_or_else(|| panic!("{command}")).clone();
    let remark =
        records.remarks.iter().find(|of| of.line == 4).unwrap_or_else(|| panic!("{command}: {records:?}"));
    let why = remark.obstacle.as_ref().unwrap();
    assert_eq!(why.cause, ObstacleCause::ReductionOrder, "{command}");
    assert!(Path::new(&remark.file).ends_with("sum.c"), "{command}: {}", remark.file);
    assert_eq!(records.written, [folder.path().join("app").display().to_string()], "{command}");
    // Nothing of ours is left among the user's files.
    let entries = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name());
    let names: Vec<OsString> = entries.filter(|name| name.to_string_lossy().contains("opt")).collect();
    assert!(names.is_empty(), "{command}: {names:?}");
    drop(build);
    assert_eq!(fs::read_dir(folder.path().join("temporary")).unwrap().count(), 0, "{command}");
    records
}

fn flags(records: &CompilerRecords) -> Vec<&str> {
    let remark = records.remarks.iter().find(|of| of.line == 4).unwrap();
    let unit = &records.units[remark.unit as usize];
    unit.flags
        .iter()
        .map(String::as_str)
        .filter(|flag| flag.starts_with("-O") || flag.starts_with("-fl"))
        .collect()
}

#[test]
fn a_compiler_says_why_however_it_is_called() {
    let several = of_sum("gcc -O3 -g main.c sum.c -o other -o app");
    assert_eq!((several.compiled, flags(&several)), (2, vec!["-O3"]));
    let gcc = "$(command -v gcc)";
    of_sum(&format!("{gcc} -O2 -g -c sum.c -o ./sum.o && {gcc} -c main.c && {gcc} main.o sum.o -o app"));
    of_sum("sh -c 'gcc -O3 -c sum.c & gcc -O3 -c main.c & wait' && gcc main.o sum.o -o app");
    of_sum("gcc -O3 -fopt-info-vec-missed -Werror -pipe main.c sum.c -o app");
    let whole = of_sum("gcc -O3 -flto -g main.c sum.c -o app");
    assert_eq!(flags(&whole), ["-O3"], "as the linker says it");
}

#[test]
fn clang_says_why_however_it_is_called() {
    if Command::new("clang").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("SKIPPED: clang is not installed");
        return;
    }
    let records = of_sum("\"$(command -v clang)\" -O2 -g main.c sum.c -o app");
    assert_eq!((records.compiled, flags(&records)), (2, vec!["-O2"]));
    assert_eq!(records.units[0].compiler, CompilerFamily::Clang);
}

#[test]
fn a_build_without_lines_has_them_for_the_survey() {
    for compiler in ["gcc", "clang"] {
        if Command::new(compiler).arg("--version").stdout(Stdio::null()).status().is_err() {
            println!("SKIPPED: {compiler} is not installed");
            continue;
        }
        let has = |options: &str| {
            let folder = folder();
            let build = built(folder.path(), &format!("{compiler} -O2 {options} main.c sum.c -o app"));
            assert_eq!(build.exit(), Exit::Code(0), "{}", build.last_lines());
            let app = fs::read(folder.path().join("app")).unwrap();
            app.windows(11).any(|of| of == b".debug_line")
        };
        assert!(has("") && !has("-g0"), "{compiler}");
    }
}

#[test]
fn a_build_that_fails_or_compiles_nothing_says_so() {
    let folder = folder();
    let reason = |command: &str| {
        let build = built(folder.path(), command);
        let reason =
            records(folder.path(), &build).reason().unwrap_or_else(|| panic!("{command}")).to_string();
        (reason, build.last_lines())
    };
    let (why, printed) = reason("gcc -O2 -c no-such-file.c");
    assert!(why.contains("exit status 1") && printed.contains("no-such-file.c"), "{why}: {printed}");
    assert!(reason("kill -9 $$").0.contains("signal 9"));
    assert!(reason("true").0.contains("compiled nothing"));
    let old = built(folder.path(), "gcc -O3 -g main.c sum.c -o app && touch -d 2020-01-01 app");
    assert!(records(folder.path(), &old).measured().unwrap().written.is_empty());
}

#[test]
fn the_output_of_a_build_is_shown_without_remarks() {
    let printed = "one\na.c:1:2: remark: vectorized loop [-Rpass=loop-vectorize]\n  for (;;)\n  ^\na.c:3:1: error: x\n  y\n  ^\ntwo\n";
    assert_eq!(without_remarks(printed), ["one", "a.c:3:1: error: x", "  y", "  ^", "two"]);
}

#[test]
fn what_is_said_of_the_begin_of_a_long_statement_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (code, places) = surveyed(folder.path(), 30);
    let redactor = Redactor::default();
    for (line, is_kept) in [(29, true), (20, true), (19, false), (32, false)] {
        let mut kept = Kept::of(&places, &code, &redactor);
        let unit = CompiledUnit {
            source: Some("sum.c".to_owned()),
            compiler: CompilerFamily::Gcc,
            flags: vec![],
            tried: true,
        };
        kept.take(vec![unit], vec![LoopRemark { unit: 0, file: "sum.c".to_owned(), line, obstacle: None }]);
        assert_eq!(kept.remarks.len(), usize::from(is_kept), "{line}");
    }
}

#[test]
fn a_program_is_built_with_more_options_and_is_as_it_was_in_the_end() {
    let folder = folder();
    let path = folder.path();
    let app = path.join("app");
    let holds = |words: &str| {
        let bytes = fs::read(&app).unwrap();
        bytes.windows(words.len()).any(|of| of == words.as_bytes())
    };
    let environment = |name: &str| match name {
        "TMPDIR" => Some(path.join("temporary").into()),
        name => std::env::var_os(name),
    };
    // With -g a compiler writes its options down.
    let build = built(path, "gcc -O1 -g main.c sum.c -o app");
    let mut trials = tried::FlagTrials::of(&build, &[app.display().to_string()], &environment).unwrap();
    let all = [BuildFlags::Level, BuildFlags::Native, BuildFlags::AnyOrder];
    assert_eq!(trials.build(all[..1].to_vec(), &environment).unwrap().0, Exit::Code(0));
    assert!(holds(" -O3") && !holds("-fassociative-math"));
    assert_eq!(trials.build(all.to_vec(), &environment).unwrap().0, Exit::Code(0));
    assert!(holds("-fassociative-math") && !holds("-march=native"), "it is written out for the CPU");
    assert_eq!(trials.build_as_it_was(&environment).unwrap().0, Exit::Code(0));
    assert!(!holds(" -O3"));
    let as_it_was = fs::read(&app).unwrap();
    fs::write(&app, "another").unwrap();
    drop(trials);
    assert!(fs::read(&app).unwrap() == as_it_was);
    assert_eq!(fs::read_dir(path.join("temporary")).unwrap().count(), 1, "that of the first build");
}
