//! The fields of iso3dfd: named by their lines, and first touched by whom the option says, one field at a time.

use std::path::{Path, PathBuf};

use serde_json::Value;
use testbed::{CommandResult, Guest};

use crate::json;
use crate::shared::Topic;
use crate::timing::objects::followed;

pub const FIELDS_OF_ISO3DFD: &str = "fields";

/// The fields of iso3dfd, by the calls of their allocation, which are lines of their own of wave.hpp.
const FIELDS: [&str; 3] = ["now", "other", "velocity"];

pub const BOUND: &str = "export OMP_PROC_BIND=true";

pub const OPTIONS: [&str; 5] =
    ["", "--first-touch=now", "--first-touch=other", "--first-touch=velocity", "--first-touch"];

/// iso3dfd in a guest, small enough for an emulator, with so many iterations. Its threads stay where they are under `BOUND`.
pub fn line(iterations: u32, option: &str) -> String {
    format!("iso3dfd 64 64 64 {iterations} 64 64 16 4 {option}")
}

fn sources() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/workloads/iso3dfd/src");
    folder.canonicalize().unwrap()
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

pub fn with_sources(guest: Guest<'_>) -> Guest<'_> {
    let source = |name: &str| (sources().join(name), sources().join(name).display().to_string());
    let (grid, wave) = (source("grid.cpp"), source("wave.hpp"));
    guest.file_at(grid.0, grid.1).file_at(wave.0, wave.1)
}

/// One field, and all, of `OPTIONS`: by the first the fields are told apart.
const ONE_AND_ALL: [&str; 2] = [OPTIONS[2], OPTIONS[4]];

/// One iteration of each, in processes of one run: to find the names takes the longest, and longer in a run of its own.
pub fn watched() -> Topic {
    let each = ONE_AND_ALL.map(|option| line(1, option)).join("; ");
    Topic::new(
        FIELDS_OF_ISO3DFD,
        [format!("{BOUND}; echo '{each}' > each.sh; {}", followed("", "sh each.sh"))],
    )
}

/// Each field is an object of the line that makes it, first touched by the threads that compute it where `--first-touch=FIELD` says so, and
/// by one thread else, whichever fields these are.
pub fn fields_are_named_and_their_first_touch_is_that_of_the_option(run: &[CommandResult]) {
    assert_eq!(run[0].status, 0, "{}", run[0].stderr);
    let told = json(&run[0]);
    let objects = told["objects"].as_array().unwrap();
    let called_at = |of: &&Value, line: u64| {
        let file = of["called_at"]["file"].as_str().unwrap_or_default();
        file.ends_with("wave.hpp") && of["called_at"]["line"] == line
    };
    for (field, line) in FIELDS.into_iter().zip(lines_of_fields(&sources())) {
        let mut of_field: Vec<&Value> = objects.iter().filter(|of| called_at(of, line)).collect();
        // One of each process; these were started one after the other.
        of_field.sort_by_key(|of| of["process"].as_u64());
        assert_eq!(of_field.len(), ONE_AND_ALL.len(), "{field}: {objects:?}");
        for (option, seen) in ONE_AND_ALL.into_iter().zip(of_field) {
            let is_parallel = option == "--first-touch" || option.ends_with(&format!("={field}"));
            is_named_and_touched(seen, field, is_parallel, option);
        }
    }
}

fn is_named_and_touched(seen: &Value, field: &str, is_parallel: bool, option: &str) {
    assert!(
        seen["name"] == format!("{field}_") && seen["file"].as_str().unwrap().ends_with("grid.cpp"),
        "{seen}"
    );
    let touched = seen["first_touch"].as_array().unwrap_or_else(|| panic!("{seen}"));
    let most = touched[0]["share"].as_f64().unwrap();
    let at = touched[0]["file"].as_str().unwrap_or_default();
    assert!(at.ends_with("wave.cpp"), "{seen}");
    if is_parallel {
        // A quarter each, and the halo at the ends of the grid: 24 of 80 planes.
        assert!(most < 0.45 && touched.len() == 4, "{option}: {field}: {seen}");
    } else {
        assert!(most > 0.95, "{option}: {field}: {seen}");
    }
}
