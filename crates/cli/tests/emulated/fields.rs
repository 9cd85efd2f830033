//! The fields of iso3dfd: named by their lines, and first touched by whom the option says, one field at a time.

use std::io::Write as _;
use std::path::Path;

use testbed::CommandResult;

use crate::objects::followed;
use crate::{built, guest, json};

/// iso3dfd in a guest small enough for an emulator. Its threads stay where they are.
const GRID: &str = "64 64 64 12 64 64 16 4";
/// The fields of iso3dfd, by the calls of their allocation, which are lines of their own of wave.hpp.
const FIELDS: [&str; 3] = ["now", "other", "velocity"];

const OPTIONS: [&str; 5] =
    ["", "--first-touch=now", "--first-touch=other", "--first-touch=velocity", "--first-touch"];

fn line(option: &str) -> String {
    format!("iso3dfd {GRID} {option}")
}

/// Lines of `wave.hpp` on which the fields are made.
fn lines_of_fields(folder: &Path) -> [u64; 3] {
    let text = std::fs::read_to_string(folder.join("wave.hpp")).unwrap();
    FIELDS.map(|field| {
        let begins = format!("{field}_(grid.floats()");
        let line = text.lines().position(|line| line.trim_start().starts_with(&begins));
        line.unwrap_or_else(|| panic!("no line {begins} in wave.hpp")) as u64 + 1
    })
}

/// Each field is an object of the line that makes it, first touched by the threads that compute it where `--first-touch=FIELD` says so, and
/// by one thread else, whichever fields these are.
#[test]
fn emulated_fields_of_iso3dfd_are_named_and_their_first_touch_is_that_of_the_option() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/workloads/iso3dfd/src");
    let folder = folder.canonicalize().unwrap();
    let commands: Vec<String> = OPTIONS.iter().map(|option| followed("", &line(option))).collect();
    let source = |name: &str| (folder.join(name), folder.join(name).display().to_string());
    let (grid, wave) = (source("grid.cpp"), source("wave.hpp"));
    let run = guest(&machine)
        .file_at(built("target/release/libnumawise_heap.so"), "/bin/libnumawise_heap.so")
        .file_at(grid.0, grid.1)
        .file_at(wave.0, wave.1)
        .env("OMP_PROC_BIND", "true")
        .run(&commands)
        .unwrap();
    let lines = lines_of_fields(&folder);
    for (option, result) in OPTIONS.iter().zip(&run.results) {
        assert_eq!(result.status, 0, "{}: {}", result.command, result.stderr);
        let told = json(result);
        for (field, line) in FIELDS.into_iter().zip(lines) {
            let objects = told["objects"].as_array().unwrap();
            let is_field = |of: &&serde_json::Value| {
                let file = of["called_at"]["file"].as_str().unwrap_or_default();
                file.ends_with("wave.hpp") && of["called_at"]["line"] == line
            };
            let seen = objects.iter().find(is_field).unwrap_or_else(|| panic!("{field}: {objects:?}"));
            assert!(
                seen["name"] == format!("{field}_") && seen["file"].as_str().unwrap().ends_with("grid.cpp"),
                "{seen}"
            );
            let touched = seen["first_touch"].as_array().unwrap_or_else(|| panic!("{seen}"));
            let most = touched[0]["share"].as_f64().unwrap();
            let at = touched[0]["file"].as_str().unwrap_or_default();
            assert!(at.ends_with("wave.cpp"), "{seen}");
            let is_parallel = *option == "--first-touch" || option.ends_with(&format!("={field}"));
            if is_parallel {
                // A quarter each, and the halo at the ends of the grid: 24 of 80 planes.
                assert!(most < 0.45 && touched.len() == 4, "{option}: {field}: {seen}");
            } else {
                assert!(most > 0.95, "{option}: {field}: {seen}");
            }
        }
    }
}

/// Each field that is touched where it is used takes lines from the link, as the plugin counts them, and all together take most. What that
/// brings in time is shown: it is for a host without other work to say.
#[test]
fn emulated_each_field_of_iso3dfd_that_is_touched_where_it_is_used_is_less_remote() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let commands = OPTIONS.map(line);
    let run = guest(&machine).scale(400.0).env("OMP_PROC_BIND", "true").run(&commands).unwrap();
    let seconds = |result: &CommandResult| -> f64 {
        let line = result.stdout.lines().find_map(|line| line.strip_prefix("time: "));
        line.and_then(|text| text.strip_suffix(" s")).expect("iso3dfd printed no time").parse().unwrap()
    };
    let shares: Vec<f64> = run
        .results
        .iter()
        .map(|result| {
            assert_eq!(result.status, 0, "{}", result.stderr);
            result.truth.as_ref().unwrap().remote_share(&machine).unwrap()
        })
        .collect();
    for (result, share) in run.results.iter().zip(&shares) {
        let gain = seconds(&run[0]) / seconds(result);
        let _ = writeln!(
            std::io::stderr(),
            "{}: remote {share:.3} of the lines, {gain:.2} times as fast as by one thread",
            result.command
        );
    }
    let (serial, parallel) = (shares[0], shares[4]);
    assert!(serial > 0.35 && parallel < 0.25, "{shares:?}");
    for share in &shares[1..4] {
        assert!(*share < serial - 0.03 && *share > parallel + 0.03, "{shares:?}");
    }
}
