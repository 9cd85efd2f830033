//! `numawise machine` as people and scripts call it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn machine(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_numawise"))
        .arg("machine")
        .args(arguments)
        .output()
        .expect("numawise starts")
}

fn testdata(name: &str) -> String {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    file.to_str().unwrap().to_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    let output = machine(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn this_machine_is_shown() {
    let output = machine(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    let shown = text(&output.stdout);
    assert!(shown.starts_with("this machine: "), "{shown}");
    assert!(shown.contains("  node  kind "), "{shown}");
    assert!(shown.contains("limits you here"), "{shown}");
}

#[test]
fn both_readers_tell_scripts_the_same() {
    let (full, fast) = (json(&[]), json(&["--reader", "sysfs"]));
    for key in ["schema", "source", "cpus", "allowed_cpus", "allowed_nodes", "packages", "limits"] {
        assert_eq!(full[key], fast[key], "{key}");
    }
    let nodes = |value: &Value| -> Vec<Value> {
        let nodes = value["nodes"].as_array().unwrap().iter();
        nodes
            .map(|node| serde_json::json!([node["id"], node["cpus"], node["near"], node["distances"]]))
            .collect()
    };
    assert_eq!(nodes(&full), nodes(&fast));
    let cores = |value: &Value| -> Vec<Value> {
        let cores = value["cores"].as_array().unwrap().iter();
        cores
            .map(|core| serde_json::json!([core["core"], core["cpus"], core["node"], core["package"]]))
            .collect()
    };
    assert_eq!(cores(&full), cores(&fast));
}

#[test]
fn a_recorded_machine_is_read() {
    let value = json(&["--input", &testdata("machines/hbm-by-figures.xml")]);
    assert_eq!(value["schema"], "numawise/machine/1");
    let kinds: Vec<&str> =
        value["nodes"].as_array().unwrap().iter().map(|n| n["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["dram", "dram", "hbm", "hbm"]);
    assert_eq!(value["nodes"][0]["free_bytes"]["unavailable"], "only the live machine has it");
}

#[test]
fn a_recorded_machine_is_drawn_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("machine.html");
    let input = testdata("machines/hbm-by-figures.xml");
    let output = machine(&["--input", &input, "--html", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("  node  kind "), "the text is printed all the same");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, drawn) = page.split_once("<section id=\"machine\">").expect("the machine is drawn");
    let (drawn, _) = drawn.split_once("</section>").unwrap();
    for expected in ["package 0", "node 2 <small>hbm ", "title=\"CPU 0, core 0\""] {
        assert!(drawn.contains(expected), "{expected}: {drawn}");
    }
    let refused = machine(&["--input", &input, "--html", &input]);
    assert_eq!(refused.status.code(), Some(125));
    assert!(text(&refused.stderr).contains("it is the file that is to be read"), "{}", text(&refused.stderr));
}

#[test]
fn a_synthetic_machine_is_read() {
    let value = json(&["--input", "pack:2 [numa(memory=4GiB)] core:4 pu:2"]);
    assert_eq!(value["source"]["kind"], "synthetic");
    assert_eq!(value["cpus"], "0-15");
    assert_eq!(value["nodes"][1]["cpus"], "8-15");
    assert_eq!(value["nodes"][1]["memory_bytes"], 4_294_967_296u64);
    assert_eq!(value["limits"], serde_json::json!([]));
}

#[test]
fn our_mask_is_the_machine_that_we_may_use() {
    let output = Command::new("taskset")
        .args(["-c", "0", env!("CARGO_BIN_EXE_numawise"), "machine", "--json"])
        .output()
        .expect("taskset starts");
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["allowed_cpus"], "0");
    if value["cpus"] == "0" {
        let _ = writeln!(std::io::stderr(), "SKIPPED: with one CPU a mask limits nothing");
        return;
    }
    let limits = value["limits"].as_array().unwrap();
    let mask = limits.iter().find(|limit| limit["code"] == "NW203").expect("the mask is reported");
    assert!(mask["lift"].as_str().unwrap().contains("taskset -c"), "{mask}");
}

#[test]
fn bad_input_has_one_line_and_status_125() {
    let xml = |name: &str| testdata(&format!("bad-machines/{name}"));
    let (truncated, newer, ends) = (xml("truncated.xml"), xml("newer.xml"), xml("ends-hwloc.xml"));
    for (arguments, words) in [
        (vec!["--input", "/nowhere/machine.xml"], "No such file"),
        (vec!["--input", "/"], "is a directory"),
        (vec!["--input", &truncated], "is broken"),
        (vec!["--input", &newer], "newer hwloc"),
        (vec!["--input", &ends], "hwloc"),
        (vec!["--input", "pack:2 core"], "describes no machine"),
        (vec!["--input", ""], "it is empty"),
        (vec!["--input", "pu:2", "--reader", "sysfs"], "leave one of them out"),
    ] {
        for json in [false, true] {
            let mut arguments = arguments.clone();
            if json {
                arguments.push("--json");
            }
            let output = machine(&arguments);
            if arguments.contains(&ends.as_str()) && output.status.success() {
                continue; // newer versions of hwloc may read it
            }
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(125), "{arguments:?}: {said}");
            assert!(said.starts_with("numawise: ") && said.contains(words), "{arguments:?}: {said}");
            assert_eq!(said.lines().count(), 1, "{said}");
            assert_eq!(text(&output.stdout), "", "{arguments:?}");
        }
    }
}

#[test]
fn a_named_pipe_is_read_while_somebody_writes_and_not_waited_for_for_ever() {
    let folder = std::env::temp_dir().join(format!("numawise-pipe-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for arguments in [&["--input", &pipe][..], &["measure", "--load", &pipe]] {
        let output = machine(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{arguments:?}: {said}");
        assert!(said.contains("nobody writes into it"), "{arguments:?}: {said}");
    }
    let file = testdata("machines/hbm-by-figures.xml");
    // The writer is there before the reader, and writes late.
    let script = r#"(exec 3<> "$1"; touch "$1.open"; sleep 0.2; cat "$2" >&3) & until [ -e "$1.open" ]; do :; done
        "$0" machine --input "$1" --json; wait"#;
    let run = |script: &str| {
        let binary = env!("CARGO_BIN_EXE_numawise");
        let output = Command::new("bash").args(["-c", script, binary, &pipe, &file]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", text(&output.stderr));
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        value["nodes"].clone()
    };
    let expected = json(&["--input", &file])["nodes"].clone();
    for script in [
        script,
        r#""$0" machine --input <(sleep 0.2; cat "$2") --json"#,
        r#"cat "$2" | "$0" machine --input /dev/stdin --json"#,
    ] {
        assert_eq!(run(script), expected, "{script}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn hwlocs_environment_does_not_put_another_machine_in_place_of_this_one() {
    let output = Command::new(env!("CARGO_BIN_EXE_numawise"))
        .args(["machine", "--json"])
        .env("HWLOC_SYNTHETIC", "pack:7 pu:3")
        .env("HWLOC_XMLFILE", testdata("machines/cxl.xml"))
        .env("HWLOC_XML_VERBOSE", "1")
        .output()
        .unwrap();
    assert_eq!(text(&output.stderr), "");
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["cpus"], json(&["--reader", "sysfs"])["cpus"]);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_numawise"))
        .args(["machine", "--json", "--input", "pack:64 core:16 pu:4"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_full_disk_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_numawise"))
        .args(["machine", "--reader", "sysfs"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(text(&output.stderr).contains("cannot write to the standard output"), "{}", text(&output.stderr));
}

#[test]
fn the_example_of_the_specification_is_what_comes_out() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/machine-json.md");
    let manual = std::fs::read_to_string(file).unwrap();
    let (_, example) = manual.split_once("\n$ numawise machine --json --input '").expect("an example");
    let (description, rest) = example.split_once("'\n").expect("a description");
    let (expected, _) = rest.split_once("```").expect("an end");
    let output = machine(&["--json", "--input", description]);
    assert_eq!(text(&output.stdout), expected);
}
