//! The map: the table of crates in `ARCHITECTURE.md` against `cargo metadata`, and the folders that it names, both ways.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::report::Report;

#[cfg(test)]
#[path = "map_tests.rs"]
mod tests;

/// Crate -> crates that it uses.
pub type Edges = BTreeMap<String, BTreeSet<String>>;

/// Ways, of any length, that no table may ever allow: the data would run backwards.
const FORBIDDEN: [(&str, &str); 6] = [
    ("placement", "machine"),
    ("record", "analyse"),
    ("report", "record"),
    ("analyse", "observe"),
    ("report", "analyse"),
    ("observe", "machine"),
];

/// Crates that may use these and no others.
const ONLY: [(&str, &[&str]); 17] = [
    ("units", &[]),
    ("stats", &[]),
    ("operands", &[]),
    ("wire", &[]),
    ("syscalls", &[]),
    ("linux", &["syscalls", "units"]),
    ("facts", &["units"]),
    ("tables", &["facts", "units"]),
    ("traces", &["facts", "tables", "units"]),
    ("symbols", &["facts", "linux", "units"]),
    ("placement", &["facts", "units"]),
    ("otf2", &["facts", "units"]),
    ("report", &["facts", "tables", "units"]),
    ("agent", &["guest", "wire", "syscalls"]),
    ("guest", &["wire", "syscalls"]),
    ("collector", &["guest", "wire", "syscalls"]),
    ("heap", &["guest", "wire", "syscalls"]),
];

/// Crates that only these may use.
const USED_BY: [(&str, &[&str]); 8] = [
    ("cli", &[]),
    ("capi", &[]),
    ("session", &["cli"]),
    ("tui", &["cli"]),
    ("agent", &[]),
    ("collector", &[]),
    ("heap", &[]),
    ("guest", &["agent", "collector", "heap"]),
];

/// Crates of others that stand behind one of ours.
const BEHIND: [(&str, &[&str]); 16] = [
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["cli"]),
    ("crossterm", &["tui"]),
    ("ratatui", &["tui"]),
    ("libloading", &["machine", "otf2"]),
    ("rusqlite", &["record", "hostile"]),
    ("maud", &["report"]),
    ("statrs", &["stats"]),
    ("iced-x86", &["operands"]),
    ("yaxpeax-arch", &["operands"]),
    ("yaxpeax-arm", &["operands"]),
    ("addr2line", &["symbols"]),
    ("gimli", &["symbols"]),
    ("object", &["symbols"]),
];

/// Folders at the top that need no mention: made by tools.
const MADE: [&str; 3] = [".git", "target", "build"];

pub fn check(root: &Path, report: &mut Report) {
    let path = root.join("ARCHITECTURE.md");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) => return report.complain(format!("cannot read {}: {e}", path.display())),
    };
    let drawn = crates(&text);
    if drawn.is_empty() {
        return report.complain("ARCHITECTURE.md has no table of crates (lines '| `crate` | uses ... |')");
    }
    match edges(root) {
        Ok((real, others)) => {
            compare(&drawn, &real, report);
            behind(&others, report);
        }
        Err(e) => report.complain(format!("cargo metadata: {e}")),
    }
    forbidden(&drawn, report);
    only(&drawn, report);
    folders(root, &text, report);
    report.checked(format!("{} crates against cargo metadata", drawn.len()));
}

/// The table of crates: lines `| `crate` | `used`, `used` | ... |` under the heading "## Crates".
pub fn crates(text: &str) -> Edges {
    let section = text.split("\n## ").find(|part| part.starts_with("Crates")).unwrap_or("");
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|');
        let name = quoted(cells.next()?).pop()?;
        Some((name, quoted(cells.next()?).into_iter().collect()))
    };
    section.lines().filter_map(row).collect()
}

/// The words between backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What cargo says of the workspace, without the crates of others.
pub fn metadata(root: &Path) -> std::io::Result<serde_json::Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()?;
    if !output.status.success() {
        return Err(std::io::Error::other(String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// What the crates under `crates/` use of one another, and of others; without tests' own dependencies.
fn edges(root: &Path) -> std::io::Result<(Edges, Edges)> {
    let json = metadata(root)?;
    let (mut edges, mut others) = (Edges::new(), Edges::new());
    for package in json["packages"].as_array().into_iter().flatten() {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let Some(name) = Path::new(manifest).strip_prefix(root.join("crates")).ok().and_then(|p| p.parent())
        else {
            continue;
        };
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        // Tests may build upon what the data has already passed; what ships may not.
        let shipped = dependencies.filter(|d| d["kind"].as_str() != Some("dev"));
        let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
        for used in shipped.filter_map(|d| d["name"].as_str()) {
            match used.strip_prefix("numawise-") {
                Some(used) => ours.insert(used.to_owned()),
                None => theirs.insert(used.to_owned()),
            };
        }
        edges.insert(name.display().to_string(), ours);
        others.insert(name.display().to_string(), theirs);
    }
    Ok((edges, others))
}

fn compare(drawn: &Edges, real: &Edges, report: &mut Report) {
    for name in real.keys().filter(|name| !drawn.contains_key(*name)) {
        report.complain(format!("crates/{name} is not in the table of ARCHITECTURE.md"));
    }
    for name in drawn.keys().filter(|name| !real.contains_key(*name)) {
        report.complain(format!("ARCHITECTURE.md names the crate {name}, and crates/{name} is not there"));
    }
    for (name, uses) in real {
        let Some(allowed) = drawn.get(name) else { continue };
        for edge in uses.difference(allowed) {
            report.complain(format!("crates/{name} uses {edge}, which ARCHITECTURE.md does not allow"));
        }
        for edge in allowed.difference(uses) {
            report.complain(format!("ARCHITECTURE.md says that {name} uses {edge}, and it does not"));
        }
    }
}

fn forbidden(drawn: &Edges, report: &mut Report) {
    for (from, to) in FORBIDDEN {
        if reaches(drawn, from, to, &mut BTreeSet::new()) {
            report.complain(format!("{from} reaches {to} in ARCHITECTURE.md, which must never be"));
        }
    }
}

fn only(drawn: &Edges, report: &mut Report) {
    for (from, uses) in drawn {
        let allowed = ONLY.iter().find(|(name, _)| name == from).map(|(_, allowed)| *allowed);
        for to in uses {
            if allowed.is_some_and(|allowed| !allowed.contains(&to.as_str())) {
                report.complain(format!("{from} uses {to} in ARCHITECTURE.md, and may use {allowed:?} only"));
            }
            let users = USED_BY.iter().find(|(name, _)| name == to).map(|(_, users)| *users);
            if users.is_some_and(|users| !users.contains(&from.as_str())) {
                report.complain(format!("{from} uses {to} in ARCHITECTURE.md, which is for {users:?} only"));
            }
        }
    }
}

fn behind(others: &Edges, report: &mut Report) {
    for (name, uses) in others {
        for (used, users) in BEHIND {
            if uses.contains(used) && !users.contains(&name.as_str()) {
                report.complain(format!("crates/{name} uses {used}, which is for {users:?} only"));
            }
        }
    }
}

fn reaches(edges: &Edges, from: &str, to: &str, seen: &mut BTreeSet<String>) -> bool {
    let Some(next) = edges.get(from) else { return false };
    next.contains(to) || next.iter().any(|name| seen.insert(name.clone()) && reaches(edges, name, to, seen))
}

/// Every folder at the top is named as `name/` in the text, and every folder and file named there is to be found.
fn folders(root: &Path, text: &str, report: &mut Report) {
    let named: BTreeSet<String> =
        quoted(text).into_iter().filter(|word| word.ends_with('/') && !word.contains(' ')).collect();
    for folder in &named {
        if !root.join(folder).is_dir() {
            report.complain(format!("ARCHITECTURE.md names the folder {folder}, and it is not there"));
        }
    }
    let is_file = |word: &String| word.contains('/') && (word.ends_with(".rs") || word.ends_with(".md"));
    for file in quoted(text).into_iter().filter(is_file).filter(|file| !root.join(file).is_file()) {
        report.complain(format!("ARCHITECTURE.md names the file {file}, and it is not there"));
    }
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let mentioned = named.iter().any(|folder| folder.split('/').next() == Some(&name));
        if !MADE.contains(&name.as_str()) && !mentioned {
            report.complain(format!("the folder {name}/ is not named in ARCHITECTURE.md"));
        }
    }
}
