//! The pages of `docs/user` that answer a question with bundled programs: each command with one is run, as it stands there but for its sizes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::agent;

/// What stands in the pages, and what is run in its place: each must occur.
const SMALLER: &[(&str, &str)] = &[
    ("512 512 256 20 512 128 8", "32 32 32 1 32 16 8"),
    ("256 256 128 20 256 64 8", "32 32 32 1 32 16 8"),
    ("256 256 64 20", "24 24 16 2"),
    ("--steps 200000000", "--steps 1000000"),
    ("cg-openmpi A", "cg-openmpi S"),
    ("--repeats 100", "--repeats 2"),
    ("--repeats 6", "--repeats 2"),
    ("2^0..=2^7", "1,2"),
    ("2^0..=2^6", "1,2"),
    ("--threads $(nproc)", "--threads 2"),
];

/// A folder like that of a reader, with the programs in it.
struct Reader {
    folder: tempfile::TempDir,
}

/// A page of the manual.
fn page(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/user");
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The commands with bundled programs in the blocks of code of a page, each in one line, with smaller sizes.
fn commands(name: &str) -> Vec<String> {
    let mut page = page(name).replace("\\\n", " ");
    for (found, smaller) in SMALLER {
        page = page.replace(found, smaller);
    }
    let blocks = page.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).filter(|line| line.starts_with("numawise "));
    let all: Vec<String> = lines.filter(|line| line.contains(" build/")).map(str::to_owned).collect();
    assert!(!all.is_empty(), "no command in {name}");
    all
}

#[test]
fn what_is_made_smaller_stands_in_the_pages() {
    let names =
        ["two-sockets.md", "study.md", "hbm.md", "pinning.md", "ranks-x-threads.md", "before-after.md"];
    let pages = names.map(page).concat();
    for (found, _) in SMALLER {
        assert!(pages.contains(found), "{found} stands nowhere in the manual");
    }
}

/// Makes a bundled program in a folder that all tests share; whether it is there.
fn made(program: &str, file: &str) -> bool {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let build = built();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut make = Command::new("make");
    make.args(["--no-print-directory", "-s", "-C"]).arg(root.join("native/workloads").join(program));
    make.arg(format!("BUILD={}", build.join(program).display())).arg("all");
    let Ok(Output { status, stdout, stderr }) = make.output() else {
        eprintln!("SKIPPED: no make");
        return false;
    };
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let is_there = build.join(program).join(file).is_file();
    if !is_there {
        eprintln!("SKIPPED: {program}: {}", String::from_utf8_lossy(&stdout));
    }
    is_there
}

/// The folder of the programs.
fn built() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("bundled")
}

impl Reader {
    fn new() -> Reader {
        agent::pinning_library();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(built(), folder.path().join("build")).unwrap();
        Reader { folder }
    }

    /// Types a line into a shell.
    fn types(&self, line: &str) -> Output {
        let beside = Path::new(env!("CARGO_BIN_EXE_numawise")).parent().unwrap();
        let mut path = OsString::from(beside);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.folder.path()).env("PATH", path);
        for name in ["OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND"] {
            shell.env_remove(name);
        }
        // A test may run as root, and with fewer cores than ranks.
        for name in
            ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"]
        {
            shell.env(name, "1");
        }
        shell.output().unwrap()
    }

    /// Types a line, which must end well; its output.
    #[track_caller]
    fn runs(&self, line: &str) -> String {
        let Output { status, stdout, stderr } = self.types(line);
        let out = String::from_utf8_lossy(&stdout).into_owned();
        assert!(status.success(), "{line}: {status}\n{out}{}", String::from_utf8_lossy(&stderr));
        for file in line.split_whitespace().skip_while(|word| *word != "--html").skip(1).take(1) {
            assert!(self.folder.path().join(file).metadata().unwrap().len() > 1000, "{line}: {file}");
        }
        out
    }

    /// The record of a study, in which each point was run as often as asked and never failed.
    #[track_caller]
    fn record(&self, name: &str) -> Value {
        let text = self.runs(&format!("numawise report {name} --json"));
        let study: Value = serde_json::from_str(&text).unwrap();
        for point in study["points"].as_array().unwrap() {
            assert_eq!((&point["n"], &point["failures"]), (&2.into(), &0.into()), "{name}: {point}");
            let metric = &point["metrics"]["metric"];
            assert!(metric["median"].as_f64().is_some_and(|median| median > 0.0), "{name}: {point}");
            assert!(metric["sd"].is_number(), "{name}: {point}");
        }
        study
    }
}

/// The points' names, in their order.
fn points(study: &Value) -> Vec<&str> {
    study["points"].as_array().unwrap().iter().map(|point| point["point"].as_str().unwrap()).collect()
}

#[test]
fn scaling_and_first_touch() {
    if !made("iso3dfd", "iso3dfd") {
        return;
    }
    let reader = Reader::new();
    for line in commands("two-sockets.md") {
        let text = reader.runs(&line);
        assert!(text.contains("BEST POINT") && text.contains("Effect of each factor"), "{text}");
    }
    for name in ["scaling.nw", "interleave.nw"] {
        let study = reader.record(name);
        for point in study["points"].as_array().unwrap() {
            let is_first_touch = point["levels"]["init"] == "first-touch";
            let command = point["command"].as_str().unwrap();
            assert_eq!(command.ends_with(" --first-touch"), is_first_touch, "{point}");
        }
    }
    for line in commands("before-after.md") {
        reader.runs(&line);
    }
    assert_eq!(points(&reader.record("after.nw")), points(&reader.record("scaling.nw")));
    let text = reader.runs("numawise compare scaling.nw after.nw");
    assert!(text.contains("after vs before"), "{text}");
    reader.runs("numawise report scaling.nw --html again.html");
}

#[test]
fn copies_and_strategies() {
    if !made("iso3dfd", "iso3dfd") {
        return;
    }
    let reader = Reader::new();
    for line in commands("study.md") {
        reader.runs(&line);
    }
    let study = reader.record("copies.nw");
    assert_eq!(
        &points(&study)[..3],
        [
            "copies=1 threads=1 place=local",
            "copies=1 threads=1 place=distributed",
            "copies=1 threads=1 place=semi"
        ]
    );
}

#[test]
fn high_bandwidth_memory_over_ranks() {
    if !made("advect", "advect") {
        return;
    }
    let reader = Reader::new();
    let texts: Vec<String> = commands("hbm.md").iter().map(|line| reader.runs(line)).collect();
    let study = reader.record("hbm.nw");
    let machine: Value = serde_json::from_str(&reader.runs("numawise machine --json")).unwrap();
    let has_hbm = machine.to_string().contains("\"kind\":\"hbm\"");
    let is_tried = points(&study).iter().any(|point| point.ends_with("memory=hbm"));
    assert_eq!(is_tried, has_hbm, "{:?}", points(&study));
    if !has_hbm {
        let not_tried = study["not_tried"].to_string();
        let reason = "there is no high-bandwidth memory that may be used";
        assert!(not_tried.contains(reason), "{not_tried}");
        let text = texts[0].split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("What was not tried") && text.contains(reason), "{text}");
        let refused = reader.types("numawise study --preset hbm -- mpirun -n 1 build/advect/advect 8 8 8 1");
        assert_eq!(refused.status.code(), Some(125));
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains("this machine has none that we may use"), "{said}");
    }
    reader.runs("numawise report halo.nw");
}

#[test]
fn pinned_or_not() {
    if !made("pi", "pi") {
        return;
    }
    let reader = Reader::new();
    for line in commands("pinning.md") {
        reader.runs(&line);
    }
    assert_eq!(points(&reader.record("pinning.nw")), ["threads=2 pin=off", "threads=2 pin=on"]);
    assert_eq!(points(&reader.record("own-pinning.nw")), ["own=off", "own=on"]);
}

#[test]
fn ranks_and_threads() {
    if !made("cg", "cg-openmpi") {
        return;
    }
    let reader = Reader::new();
    for line in commands("ranks-x-threads.md") {
        // The preset takes all CPUs, of which there may be many.
        reader.runs(&line.replace("--preset hybrid", "--ranks-x-threads 2x1,1x2"));
        let planned = reader.runs(
            &line.replace("numawise study", "numawise study --dry-run").replace("--html hybrid.html", ""),
        );
        assert!(planned.contains("mpirun -n 1 --use-hwthread-cpus --map-by slot:PE="), "{planned}");
    }
    assert_eq!(points(&reader.record("hybrid.nw")).len(), 2);
}
