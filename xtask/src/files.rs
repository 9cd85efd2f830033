//! Sizes of files and functions, where tests stand, and what must not stand in a committed text.

use std::path::Path;
use std::process::Command;

use crate::report::Report;

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;

const MOST: usize = 600;
const NINE_OF_TEN: usize = 400;
const MEDIAN: usize = 150;
const FUNCTION: usize = 80;
const MAIN: usize = 40;
/// Tests of so many lines stand in a file of their own.
const INSIDE: usize = 40;

/// Tables of data, which may be longer, and so may their functions: each text of a notice stands once, in one `match`; and what
/// is made from a table.
const TABLES: [&str; 3] = [
    "crates/report/src/notice/",
    "crates/collector/src/mpi/generated.rs",
    "crates/wire/src/snapshot/calls.rs",
];

pub fn check(root: &Path, files: &[String], report: &mut Report) {
    let mut sizes = Vec::new();
    for path in files {
        let Ok(text) = std::fs::read_to_string(root.join(path)) else { continue };
        if !path.starts_with("crates/report/assets/") {
            words(path, &text, report);
        }
        if is_code(path) {
            sizes.push((text.lines().count(), path.clone()));
        }
        if path.ends_with(".rs") {
            if !is_table(path) {
                functions(path, &text, report);
            }
            inside(path, &text, report);
            lone_tests(path, files, report);
        }
        if path.ends_with("src/main.rs") && text.lines().count() > MAIN {
            report.complain(format!("{path} has {} lines; a main has at most {MAIN}", text.lines().count()));
        }
    }
    lengths(&mut sizes, report);
    report.checked(format!("{} files, {} of them code", files.len(), sizes.len()));
}

/// What git tracks, and what it would track; nothing, with a complaint, where git cannot say.
pub fn tracked(root: &Path, report: &mut Report) -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root)
        .output();
    match output {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8_lossy(&output.stdout);
            names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
        }
        Ok(output) => {
            report
                .complain(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
            Vec::new()
        }
        Err(e) => {
            report.complain(format!("cannot run git ls-files: {e}"));
            Vec::new()
        }
    }
}

fn is_table(path: &str) -> bool {
    TABLES.iter().any(|table| path.starts_with(table))
}

fn is_code(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    ["rs", "c", "cpp", "hpp", "h", "py", "sh"].contains(&ending) && !path.contains("/assets/")
}

fn lengths(sizes: &mut [(usize, String)], report: &mut Report) {
    sizes.sort();
    for (lines, path) in sizes.iter().filter(|(lines, path)| *lines > MOST && !is_table(path)) {
        report.complain(format!("{path} has {lines} lines; no file has more than {MOST}"));
    }
    let at = |share: f64| sizes.get((sizes.len() as f64 * share) as usize).map_or(0, |(lines, _)| *lines);
    if at(0.5) > MEDIAN {
        report.complain(format!("the median file has {} lines; at most {MEDIAN}", at(0.5)));
    }
    if at(0.9) > NINE_OF_TEN {
        report.complain(format!(
            "one file in ten has over {} lines; nine of ten have at most {NINE_OF_TEN}",
            at(0.9)
        ));
    }
}

/// Functions by their indentation, as rustfmt leaves it.
fn functions(path: &str, text: &str, report: &mut Report) {
    let mut open: Option<(usize, usize, String)> = None; // indentation, first line, name
    for (k, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim_start();
        if let Some((at, first, name)) = &open {
            if indent == *at && code.starts_with('}') {
                if k - first + 1 > FUNCTION {
                    report.complain(format!(
                        "{path}: fn {name} has {} lines; at most {FUNCTION}",
                        k - first + 1
                    ));
                }
                open = None;
            } else if indent == *at && code.starts_with(')') && code.ends_with(';') {
                // A function of a trait, without a body.
                open = None;
            }
        } else if let Some(name) = function_name(code) {
            open = (!code.ends_with('}') && !code.ends_with(';')).then(|| (indent, k, name.to_owned()));
        }
    }
}

fn function_name(code: &str) -> Option<&str> {
    let mut rest = code;
    for word in ["pub ", "pub(crate) ", "pub(super) ", "const ", "unsafe ", "extern \"C\" "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    name.split(['(', '<']).next()
}

/// Tests below 40 lines may stand inside; longer ones stand beside the code, in `foo_tests.rs`.
fn inside(path: &str, text: &str, report: &mut Report) {
    let Some((_, tests)) = text.split_once("#[cfg(test)]\nmod tests {\n") else { return };
    let lines = tests.lines().take_while(|line| *line != "}").count() + 3;
    if lines >= INSIDE {
        let beside = path.replace(".rs", "_tests.rs");
        report.complain(format!(
            "{path} has {lines} lines of tests inside; from {INSIDE} on they stand in {beside}"
        ));
    }
}

/// A folder for one file is none: `foo/tests.rs` alone is `foo_tests.rs`.
fn lone_tests(path: &str, files: &[String], report: &mut Report) {
    let Some(folder) = path.strip_suffix("tests.rs").filter(|folder| folder.ends_with('/')) else { return };
    if files.iter().filter(|other| other.starts_with(folder)).count() == 1 {
        report.complain(format!(
            "{path} is alone in its folder; it is {}_tests.rs",
            folder.trim_end_matches('/')
        ));
    }
}

/// What must not be committed: paths of our machines, unfinished work.
fn words(path: &str, text: &str, report: &mut Report) {
    if path.starts_with("xtask/src/files") {
        return; // it names them
    }
    for bad in ["TODO", "FIXME", "XXX:", "/work/", "todo!(", "unimplemented!(", "under construction"] {
        if let Some(line) = text.lines().position(|line| line.contains(bad)) {
            report.complain(format!("{path}:{} holds '{bad}'", line + 1));
        }
    }
}
