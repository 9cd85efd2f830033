//! Examples in the comments of a crate are run: `doctest = false`, which spares a build of each crate that has none, is for those.

use std::path::Path;

use crate::report::Report;

#[cfg(test)]
#[path = "examples_tests.rs"]
mod tests;

const NOT_RUN: &str = "doctest = false";

/// Complains of examples that nobody runs.
pub fn check(root: &Path, files: &[String], report: &mut Report) {
    compare(files, &|path| std::fs::read_to_string(root.join(path)).unwrap_or_default(), report);
}

fn compare(files: &[String], text: &dyn Fn(&str) -> String, report: &mut Report) {
    let manifests = files.iter().filter_map(|path| Some((path, path.strip_suffix("Cargo.toml")?)));
    let mut crates = 0;
    for (manifest, folder) in manifests.filter(|(path, _)| is_not_run(&text(path))) {
        crates += 1;
        let source = format!("{folder}src/");
        for path in files.iter().filter(|path| path.starts_with(&source) && path.ends_with(".rs")) {
            if let Some(line) = example(&text(path)) {
                report.complain(format!(
                    "{path}:{line} has an example, and {manifest} has '{NOT_RUN}': nobody runs it"
                ));
            }
        }
    }
    report.checked(format!("{crates} crates without examples in comments"));
}

fn is_not_run(manifest: &str) -> bool {
    manifest.lines().any(|line| line.trim() == NOT_RUN)
}

/// The first line, from 1, of an example in a comment of documentation.
fn example(text: &str) -> Option<usize> {
    let fence = |line: &str| {
        let comment = line.trim_start();
        let comment = comment.strip_prefix("//!").or_else(|| comment.strip_prefix("///"));
        comment.is_some_and(|comment| comment.trim_start().starts_with("```"))
    };
    text.lines().position(fence).map(|line| line + 1)
}
