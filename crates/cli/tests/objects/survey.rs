//! `numawise survey` of a program whose loops are known: what each does with vectors, and the same shown again from its record.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::collector::installed;
use crate::known::made;
use crate::seccomp::{Refused, refuse};

/// The loop of a function.
fn loop_of<'a>(survey: &'a Value, function: &str) -> &'a Value {
    let loops = survey["loops"].as_array().unwrap();
    let is = |of: &&Value| of["place"]["function"] == function;
    loops.iter().find(is).unwrap_or_else(|| panic!("no loop of {function} in {survey:#}"))
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn known_loops(is_refused: bool) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let [record, first, again] = ["run.nw", "first.json", "again.json"].map(|name| folder.path().join(name));
    let numawise = installed(folder.path(), true);
    let mut survey = Command::new(&numawise);
    survey.args(["survey", "-q", "--output"]).arg(&record).arg("--json").arg("--").arg(made("loops"));
    if is_refused {
        refuse(&mut survey, Refused::Both([libc::SYS_perf_event_open; 2]), libc::EPERM);
    }
    let ran = survey.output().unwrap();
    let messages = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}\n{messages}", ran.status);
    let printed = String::from_utf8_lossy(&ran.stdout);
    let of_program = printed.lines().next().unwrap_or_default();
    std::fs::write(&first, printed.trim_start_matches(of_program)).unwrap();
    let survey = json(&first);

    let packed = loop_of(&survey, "packed");
    assert_eq!(packed["vectors"], "full", "{packed:#}");
    assert_eq!((&packed["work"]["vector_bits"], &packed["work"]["element_bits"]), (&128.into(), &64.into()));
    let scalar = loop_of(&survey, "scalar");
    assert_eq!((&scalar["vectors"], &scalar["work"]["packed_elements"]), (&"scalar".into(), &0.into()));
    assert_eq!(loop_of(&survey, "pointers")["vectors"], "no_vector_registers");
    for function in ["packed", "scalar", "pointers"] {
        let of = loop_of(&survey, function);
        let file = of["place"]["file"].as_str().unwrap();
        assert!(file.ends_with("loops.c") && of["innermost"] == true && of["depth"] == 1, "{of:#}");
    }
    let shares = survey["time_percent"].as_object().unwrap().values().filter_map(Value::as_f64);
    assert!((shares.sum::<f64>() - 100.0).abs() < 1e-6);
    let findings = survey["findings"].as_array().unwrap();
    let finding = findings.iter().find(|of| of["id"] == "NW071").unwrap_or_else(|| panic!("{findings:#?}"));
    let bits = survey["vector_bits_of_cpu"].as_f64().unwrap();
    assert_eq!(finding["lanes"].as_f64(), Some(bits / 64.0));

    let report = Command::new(&numawise)
        .arg("report")
        .arg(&record)
        .arg(format!("--json={}", again.display()))
        .output();
    let report = report.unwrap();
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
    let mut shown = json(&again);
    shown["record"] = survey["record"].clone();
    assert_eq!(shown, survey);
    let text = String::from_utf8_lossy(&report.stdout);
    assert!(text.contains("a hot loop is not vectorized: loops.c:") && text.contains("in scalar"), "{text}");
    survey
}

#[test]
fn loops_are_found_with_what_they_do_with_vectors() {
    known_loops(false);
}

/// A product, of which the order must be kept, and a copy.
const PRODUCT: &str = "#include <stdio.h>
#define N 20000
static double of[N], to[N];
__attribute__((noinline)) double product(void)
{
    double all = 1;
    for (int i = 0; i < N; i++)
        all *= of[i];
    return all;
}
int main(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++) of[i] = 1;
    for (int k = 0; k < 20000; k++) { of[k] = 1; sum += product(); to[k] = sum; }
    printf(\"%g %g\\n\", sum, to[7]);
    return 0;
}
";

/// A survey of the program, which `build` makes; what it says on the terminal, too.
fn rebuilt(folder: &Path, build: &str) -> (Value, String) {
    let numawise = installed(folder, true);
    std::fs::write(folder.join("product.c"), PRODUCT).unwrap();
    let mut survey = Command::new(&numawise);
    survey.args([
        "survey",
        "--json=survey.json",
        "--output=app.nw",
        "--fresh",
        "--rebuild",
        build,
        "--",
        "./app",
    ]);
    let ran = survey.current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{}\n{text}", ran.status);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "20000 8\n", "only the program prints there");
    (json(&folder.join("survey.json")), text)
}

#[test]
fn a_build_says_why_a_loop_is_not_vectorized() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (survey, text) = rebuilt(folder, "gcc -O3 -g product.c -o app");
    let compiler = &loop_of(&survey, "product")["compiler"];
    assert_eq!((&compiler["family"], &compiler["flags"][0]), (&"gcc".into(), &"-O3".into()), "{compiler:#}");
    assert_eq!(compiler["obstacles"][0]["cause"], "reduction_order", "{compiler:#}");
    assert_eq!(survey["build"]["compilations"], 1);
    assert!(
        text.contains("gcc -O3 -g product.c -o app: 1 compilation") && text.contains("order of a sum"),
        "{text}"
    );
    let report = Command::new(folder.join("bin/numawise"))
        .args(["report", "app.nw", "--json"])
        .current_dir(folder)
        .output();
    let again: Value = serde_json::from_slice(&report.unwrap().stdout).unwrap();
    assert_eq!((&again["loops"], &again["build"]), (&survey["loops"], &survey["build"]));

    // What is there runs, and nothing is said of it that another build says.
    for (build, reason, said) in [
        ("echo broken >&2; exit 3", "exit status 3", "broken"),
        ("true", "compiled nothing", "the build took"),
        ("gcc -O3 -g -c product.c -o other.o && touch -d 2020-01-01 app", "did not write", "the build took"),
    ] {
        let (survey, text) = rebuilt(folder, build);
        let unknown = loop_of(&survey, "product")["compiler"]["unavailable"].as_str().unwrap_or_default();
        assert!(unknown.contains(reason) && text.contains(said), "{build}: {unknown}\n{text}");
    }
}

#[test]
fn clang_says_why_a_loop_is_not_vectorized() {
    if Command::new("clang").arg("--version").output().is_err() {
        println!("SKIPPED: clang is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (survey, _) = rebuilt(folder.path(), "clang -O2 -g product.c -o app");
    let compiler = &loop_of(&survey, "product")["compiler"];
    assert_eq!(
        (&compiler["family"], &compiler["flags"][0]),
        (&"clang".into(), &"-O2".into()),
        "{compiler:#}"
    );
    assert_eq!(compiler["obstacles"][0]["cause"], "reduction_order", "{compiler:#}");
}

#[test]
fn without_perf_events_timers_in_the_program_find_them() {
    known_loops(true);
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn each_loop_has_the_time_that_it_takes() {
    for is_refused in [false, true] {
        let survey = known_loops(is_refused);
        for function in ["packed", "scalar", "pointers"] {
            let share = loop_of(&survey, function)["time_percent"]["value"].as_f64().unwrap();
            assert!((share - 100.0 / 3.0).abs() < 3.0, "{function}: {share} %, of {}", survey["samples"]);
        }
    }
}
