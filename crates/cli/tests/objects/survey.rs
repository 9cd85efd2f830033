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
