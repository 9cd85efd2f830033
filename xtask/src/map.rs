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

/// Edges that no table may ever allow: the data would run backwards.
const FORBIDDEN: [(&str, &str); 5] = [
    ("placement", "machine"),
    ("record", "analyse"),
    ("report", "record"),
    ("analyse", "observe"),
    ("report", "analyse"),
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
    match metadata(root) {
        Ok(real) => compare(&drawn, &real, report),
        Err(e) => report.complain(e),
    }
    forbidden(&drawn, report);
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

/// Edges between the crates under `crates/`, without tests' own dependencies.
fn metadata(root: &Path) -> Result<Edges, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cannot run cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let json: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata is not JSON: {e}"))?;
    let mut edges = Edges::new();
    for package in json["packages"].as_array().into_iter().flatten() {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let Some(name) = Path::new(manifest).strip_prefix(root.join("crates")).ok().and_then(|p| p.parent())
        else {
            continue;
        };
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        // Tests may build upon what the data has already passed; what ships may not.
        let shipped = dependencies.filter(|d| d["kind"].as_str() != Some("dev"));
        let ours = shipped.filter_map(|d| d["name"].as_str()?.strip_prefix("numawise-").map(str::to_owned));
        edges.insert(name.display().to_string(), ours.collect());
    }
    Ok(edges)
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

fn reaches(edges: &Edges, from: &str, to: &str, seen: &mut BTreeSet<String>) -> bool {
    let Some(next) = edges.get(from) else { return false };
    next.contains(to) || next.iter().any(|name| seen.insert(name.clone()) && reaches(edges, name, to, seen))
}

/// Every folder at the top is named as `name/` in the text, and every folder named there is to be found.
fn folders(root: &Path, text: &str, report: &mut Report) {
    let named: BTreeSet<String> =
        quoted(text).into_iter().filter(|word| word.ends_with('/') && !word.contains(' ')).collect();
    for folder in &named {
        if !root.join(folder).is_dir() {
            report.complain(format!("ARCHITECTURE.md names the folder {folder}, and it is not there"));
        }
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
