//! `cargo xtask wrappers`: the collector's wrappers of MPI, made from its table of calls. `cargo xtask tidy` compares.

use std::fmt::Write;
use std::path::Path;

use crate::report::Report;

#[cfg(test)]
#[path = "wrappers_tests.rs"]
mod tests;

const TABLE: &str = "crates/collector/mpi.table";
const WRAPPERS: &str = "crates/collector/src/mpi/generated.rs";
const NAMES: &str = "crates/wire/src/snapshot/calls.rs";

/// What is looked at in the arguments, in the order of `Role` in the collector: each with the names that it has in the table.
const ROLES: [&[&str]; 17] = [
    &["count", "counts"],
    &["type", "types"],
    &["rcount", "rcounts"],
    &["rtype", "rtypes"],
    &["dest", "from"],
    &["win", "window"],
    &["root"],
    &["comm", "freed"],
    &["request", "requests", "handle"],
    &["status", "statuses"],
    &["sbuf"],
    &["rbuf"],
    &["number", "partitions", "low"],
    &["flag"],
    &["index", "outcount", "high"],
    &["indices", "provided", "level", "message", "lock", "group"],
    &["tag"],
];
/// Arguments that are not looked at; a string has its length behind all others in Fortran.
const UNUSED: [&str; 4] = [".", "source", "file", "string"];

struct Call<'a> {
    name: &'a str,
    sizes: &'a str,
    sent: &'a str,
    received: &'a str,
    effect: &'a str,
    arguments: Vec<&'a str>,
}

/// Writes both files anew.
pub fn write(root: &Path) -> std::io::Result<()> {
    let (wrappers, names) = made(root)?;
    std::fs::write(root.join(WRAPPERS), wrappers)?;
    std::fs::write(root.join(NAMES), names)
}

/// Complains of a file that is not what the table makes, with the first line that differs.
pub fn check(root: &Path, report: &mut Report) {
    let (wrappers, names) = match made(root) {
        Ok(made) => made,
        Err(error) => return report.complain(format!("{TABLE}: {error}")),
    };
    for (path, expected) in [(WRAPPERS, wrappers), (NAMES, names)] {
        let found = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        if found != expected {
            let line = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
            let line = line.unwrap_or_else(|| found.lines().count().min(expected.lines().count()));
            let text = |of: &str| of.lines().nth(line).unwrap_or("nothing more").to_owned();
            report.complain(format!(
                "{path}:{} has '{}', {TABLE} makes '{}'; cargo xtask wrappers",
                line + 1,
                text(&found),
                text(&expected)
            ));
        }
    }
}

fn made(root: &Path) -> std::io::Result<(String, String)> {
    let table = std::fs::read_to_string(root.join(TABLE))?;
    let calls = parse(&table).map_err(std::io::Error::other)?;
    Ok((wrappers(&calls), names(&calls)))
}

/// A line of the table that cannot be understood.
#[derive(Debug, PartialEq, Eq)]
struct BadLine {
    line: usize,
    what: String,
}

impl std::fmt::Display for BadLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for BadLine {}

fn parse(table: &str) -> Result<Vec<Call<'_>>, BadLine> {
    let mut calls: Vec<Call> = Vec::new();
    for (k, line) in table.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let bad = |what: String| BadLine { line: k + 1, what };
        let mut words = line.split_whitespace();
        let mut next = |what: &str| words.next().ok_or_else(|| bad(format!("no {what}")));
        let (name, sizes) = (next("name")?, next("sizes")?);
        let (sent, received, effect) = (next("bytes sent")?, next("bytes received")?, next("effect")?);
        let arguments: Vec<&str> = words.collect();
        if let Some(unknown) = arguments
            .iter()
            .find(|word| !UNUSED.contains(word) && !ROLES.iter().any(|names| names.contains(word)))
        {
            return Err(bad(format!("'{unknown}' is no argument that is looked at")));
        }
        if calls.iter().any(|call| call.name == name) {
            return Err(bad(format!("{name} stands there twice")));
        }
        calls.push(Call { name, sizes, sent, received, effect, arguments });
    }
    Ok(calls)
}

/// `all-at-root` as AllAtRoot; `-` as Nothing.
fn variant(word: &str) -> String {
    if word == "-" {
        return "Nothing".to_owned();
    }
    word.split('-')
        .flat_map(|part| part.chars().enumerate())
        .map(|(k, c)| if k == 0 { c.to_ascii_uppercase() } else { c })
        .collect()
}

fn wrappers(calls: &[Call]) -> String {
    let mut out = String::from(
        "//! The calls of MPI and the functions that stand before them. Made by `cargo xtask wrappers` from mpi.table: change that.\n\n\
         use super::table::{Amount::*, Call, Effect, Sizes, wrappers};\n\n\
         const NO: u8 = u8::MAX;\n\n",
    );
    let _ = writeln!(out, "pub const CALLS: usize = {};\n", calls.len());
    out.push_str("pub static TABLE: [Call; CALLS] = [\n");
    for call in calls {
        let at = ROLES.map(|names| match call.arguments.iter().position(|word| names.contains(word)) {
            Some(place) => place.to_string(),
            None => "NO".to_owned(),
        });
        let strings = call.arguments.iter().filter(|word| **word == "string").count();
        let wide = call.name.ends_with("_c") || call.arguments.contains(&"partitions");
        let _ = writeln!(
            out,
            "    Call {{ arguments: {}, strings: {strings}, wide: {wide}, sizes: Sizes::{}, sent: {}, received: {}, effect: Effect::{}, at: [{}] }}, // {}",
            call.arguments.len(),
            variant(call.sizes),
            variant(call.sent),
            variant(call.received),
            variant(call.effect),
            at.join(", "),
            call.name
        );
    }
    out.push_str("];\n\nwrappers! {\n");
    for (k, call) in calls.iter().enumerate() {
        let name = call.name;
        let lower = name.to_ascii_lowercase();
        let _ = writeln!(
            out,
            "    {k}: {name} P{name} {lower}_ {lower}__ {} {lower}_f08_ {lower}_f08ts_;",
            name.to_ascii_uppercase()
        );
    }
    out.push_str("}\n");
    out
}

fn names(calls: &[Call]) -> String {
    let mut out = String::from(
        "//! The calls of MPI by their numbers in a snapshot file. Made by `cargo xtask wrappers` from crates/collector/mpi.table.\n\n\
         /// Names as in C, each with a zero behind it, in the order of [`super::Site::call`].\n\
         pub const MPI_CALLS: &str = \"\\\n",
    );
    for call in calls {
        let _ = writeln!(out, "{}\\0\\", call.name);
    }
    out.push_str("\";\n");
    out
}
