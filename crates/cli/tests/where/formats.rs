//! JSON and CSV as scripts read them, once and again and again, and the record.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use super::support::{Answer, Process, command, look, seen};

#[test]
fn json_once_is_one_object() {
    let process = Process::idle();
    let json: Value = serde_json::from_str(&seen(&[&process.pid(), "--json"])).unwrap();
    assert_eq!(json["schema"], "numawise/where/1");
    assert_eq!(json["tasks"].as_array().unwrap().len(), 1);
    let listed = |arguments: &[&str]| {
        let text = seen(&[&[&*process.pid(), "--json"], arguments].concat());
        let json: Value = serde_json::from_str(&text).unwrap();
        json["tasks"][0]["memory"]["largest"].as_array().unwrap().len()
    };
    assert_eq!((listed(&[]), listed(&["--mappings", "2"])), (0, 2));
}

#[test]
fn json_again_and_again_is_an_object_a_line() {
    let process = Process::idle();
    let text = seen(&[&process.pid(), "--json", "--interval", "0.1", "--count", "3"]);
    let looks: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(looks.len(), 3);
    let times: Vec<u64> = looks.iter().map(|look| look["boot_time_ns"].as_u64().unwrap()).collect();
    assert!(times[0] < times[1] && times[1] < times[2], "{times:?}");
}

#[test]
fn json_in_a_file_stands_beside_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.json");
    let file = format!("--json={}", path.display());
    let process = Process::idle();
    let read = || std::fs::read_to_string(&path).unwrap();
    let text = seen(&[&process.pid(), &file]);
    assert!(text.contains("sleep") && !text.contains("numawise/where/1"), "{text}");
    assert_eq!(serde_json::from_str::<Value>(&read()).unwrap()["schema"], "numawise/where/1");
    seen(&[&process.pid(), &file, "--interval", "0.1", "--count", "2"]);
    assert!(read().lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{}", read());
    assert_eq!(read().lines().count(), 2);
    let text = seen(&["--system", &file]);
    let json: Value = serde_json::from_str(&read()).unwrap();
    assert!(json["nodes"].is_array() && !text.contains("schema"), "{json}: {text}");
    let record = ["--record", path.to_str().unwrap()];
    std::fs::remove_file(&path).unwrap();
    let twice = look(&[&[&*process.pid(), &file], &record[..]].concat());
    assert_eq!((twice.status, twice.out.as_str()), (Some(125), ""));
    assert!(twice.err.contains("--record names the same file"), "{}", twice.err);
    let nowhere = look(&[&process.pid(), "--json=/nowhere/at/all.json"]);
    assert_eq!((nowhere.status, nowhere.out.as_str()), (Some(125), ""));
    assert!(nowhere.err.contains("--json /nowhere/at/all.json"), "{}", nowhere.err);
}

#[test]
fn csv_is_a_table_with_one_header() {
    let process = Process::idle();
    let text = seen(&[&process.pid(), "--csv", "--interval", "0.1", "--count", "3"]);
    let lines: Vec<&str> = text.lines().collect();
    let columns = lines[0].split(',').count();
    assert_eq!(lines.iter().filter(|line| **line == lines[0]).count(), 1, "{text}");
    // No name here has a comma in it.
    assert!(lines.iter().all(|line| line.split(',').count() == columns), "{text}");
    let mut times: Vec<&str> = lines[1..].iter().map(|line| line.split(',').next().unwrap()).collect();
    times.dedup();
    assert_eq!(times.len(), 3, "{text}");
    assert!(lines[1..].iter().all(|line| line.contains(&process.pid())), "{text}");
}

#[test]
fn it_ends_with_the_processes() {
    let mut process = Process::idle();
    let mut numawise = command(&[&process.pid(), "--json", "--interval", "0.1", "--count", "100000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It ends once it was seen.
    let mut first = String::new();
    BufReader::new(numawise.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains(&process.pid()), "{first}");
    process.end();
    let answer: Answer = numawise.wait_with_output().unwrap().into();
    assert_eq!((answer.status, answer.err.as_str()), (Some(0), ""));
}

#[test]
fn a_record_keeps_every_look_and_goes_on() {
    let file = std::env::temp_dir().join(format!("numawise-where-record-{}.nw", std::process::id()));
    let path = file.to_str().unwrap();
    let process = Process::idle();
    let record = |more: &[&str]| {
        let _ = seen(&[&[&*process.pid(), "--record", path], more].concat());
        numawise_record::Series::read(&file).unwrap().1
    };
    // The look that a first share is counted from is kept too.
    let looks = record(&["--interval", "0.1", "--count", "3"]);
    assert_eq!(looks.len(), 4);
    assert!(looks.iter().all(|look| look.tasks.len() == 1 && look.tasks[0].memory.measured().is_some()));
    assert_eq!(record(&[]).len(), 5);
    // Something else is left alone.
    std::fs::write(&file, "my notes").unwrap();
    let answer = look(&[&process.pid(), "--record", path]);
    assert_eq!(answer.status, Some(125), "{}", answer.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "my notes");
    std::fs::remove_file(&file).unwrap();
}
