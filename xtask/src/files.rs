//! Sizes of files and functions, tests beside rather than inside, and what must not stand in a committed text.

use std::path::Path;
use std::process::Command;

use crate::report::Report;

const MOST: usize = 600;
const NINE_OF_TEN: usize = 400;
const MEDIAN: usize = 150;
const FUNCTION: usize = 80;
const MAIN: usize = 40;

/// Tables of data, which may be longer.
const TABLES: [&str; 0] = [];

pub fn check(root: &Path, report: &mut Report) {
    let files = match tracked(root) {
        Ok(files) => files,
        Err(e) => return report.complain(e),
    };
    let mut sizes = Vec::new();
    for path in &files {
        let Ok(text) = std::fs::read_to_string(root.join(path)) else { continue };
        if !path.starts_with("crates/report/assets/") {
            words(path, &text, report);
        }
        if is_code(path) {
            sizes.push((text.lines().count(), path.clone()));
        }
        if path.ends_with(".rs") {
            functions(path, &text, report);
            inside(path, &text, report);
        }
        if path.ends_with("src/main.rs") && text.lines().count() > MAIN {
            report.complain(format!("{path} has {} lines; a main has at most {MAIN}", text.lines().count()));
        }
    }
    lengths(&mut sizes, report);
    report.checked(format!("{} files, {} of them code", files.len(), sizes.len()));
}

/// What git tracks, and what it would track.
fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cannot run git ls-files: {e}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let names = String::from_utf8_lossy(&output.stdout);
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn is_code(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    ["rs", "c", "cpp", "hpp", "h", "py", "sh"].contains(&ending) && !path.contains("/assets/")
}

fn lengths(sizes: &mut [(usize, String)], report: &mut Report) {
    sizes.sort();
    for (lines, path) in
        sizes.iter().filter(|(lines, path)| *lines > MOST && !TABLES.contains(&path.as_str()))
    {
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

/// Tests stand in their own file.
fn inside(path: &str, text: &str, report: &mut Report) {
    if text.contains("#[cfg(test)]\nmod tests {") {
        report.complain(format!("{path} has its tests inside; they belong into a file beside it"));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(check: impl FnOnce(&mut Report)) -> Vec<String> {
        let mut report = Report::default();
        check(&mut report);
        report.complaints().to_vec()
    }

    #[test]
    fn long_functions_are_found_wherever_they_stand() {
        let body = "        x();\n".repeat(FUNCTION);
        let long = format!("impl A {{\n    pub fn f(&self) {{\n{body}    }}\n\n    fn g() {{}}\n}}\n");
        assert_eq!(complaints(|r| functions("a.rs", &long, r)), ["a.rs: fn f has 82 lines; at most 80"]);
        let short = "fn f() {\n    x();\n}\n".repeat(100);
        assert_eq!(complaints(|r| functions("a.rs", &short, r)), [] as [&str; 0]);
    }

    #[test]
    fn long_files_are_found() {
        let mut sizes: Vec<_> = (0..20).map(|k| (100, format!("{k}.rs"))).collect();
        assert_eq!(complaints(|r| lengths(&mut sizes, r)), [] as [&str; 0]);
        sizes.push((601, "big.rs".to_owned()));
        assert_eq!(
            complaints(|r| lengths(&mut sizes, r)),
            ["big.rs has 601 lines; no file has more than 600"]
        );
        sizes.extend((0..30).map(|k| (401, format!("mid{k}.rs"))));
        assert_eq!(complaints(|r| lengths(&mut sizes, r)).len(), 3);
    }

    #[test]
    fn tests_inside_and_unfinished_work_are_found() {
        let text = "#[cfg(test)]\nmod tests {\n    // TODO: more\n}\n";
        assert_eq!(complaints(|r| inside("a.rs", text, r)).len(), 1);
        assert_eq!(complaints(|r| words("a.rs", text, r)), ["a.rs:3 holds 'TODO'"]);
        assert_eq!(complaints(|r| words("a.rs", "#[cfg(test)]\nmod tests;\n", r)), [] as [&str; 0]);
    }
}
