//! The JSON of a snapshot, field by field, against the page that scripts rely on.

use crate::memory_objects;
use crate::watched;
use std::collections::{BTreeMap, BTreeSet};

use crate::watched::Watched;
use numawise_facts::WatchedRun;
use numawise_report::snapshot::json;
use serde_json::Value;

const PAGE: &str = include_str!("../../../../docs/formats/snapshot-json.md");

/// What stands in a format of its own.
const ELSEWHERE: [&str; 9] = [
    "findings[].evidence[]",
    "findings[].advice[].do",
    "notices[]",
    "objects.notices[]",
    "objects.groups[].objects[]",
    "objects.groups[].findings[]",
    "objects.groups[].left_out",
    "objects.groups[].fast_memory",
    "objects.groups[].unavailable[]",
];

/// Objects that have the same fields wherever they stand, by the row of the page that names these.
fn row_of(path: &str, fields: &BTreeSet<&str>) -> String {
    if fields.contains("loaded_file") {
        return "a `place`".to_owned();
    }
    let last = path.rsplit('.').next().unwrap_or_default();
    match last {
        // By the names of what is judged.
        "judgements" => "`efficiency`".to_owned(),
        "time" | "efficiency" => format!("`{last}`"),
        _ if path.contains("[].files.") => format!("`{}`", path.split_once("[].").map_or(path, |(_, of)| of)),
        _ if path.starts_with("judgements.") => "`judgements`".to_owned(),
        _ if path.starts_with("others[]") => format!("`{}`", path.replacen("others[]", "ranks[]", 1)),
        _ => format!("`{path}`"),
    }
}

/// The rows of the page for one run: the first cell, and the second.
fn rows() -> BTreeMap<String, String> {
    let (of_run, _) = PAGE.split_once("\n# Divisions").expect("the page goes on with divisions");
    let rows =
        of_run.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    rows.flat_map(|(first, second)| {
        // Some rows are of several fields.
        first.split(", ").map(|name| (name.to_owned(), second.to_owned())).collect::<Vec<_>>()
    })
    .collect()
}

/// Each object of the JSON by its path, with its fields.
fn objects<'a>(value: &'a Value, path: &str, found: &mut BTreeMap<String, BTreeSet<&'a str>>) {
    if ELSEWHERE.contains(&path) {
        return;
    }
    match value {
        Value::Array(all) => all.iter().for_each(|one| objects(one, &format!("{path}[]"), found)),
        Value::Object(fields) if !fields.contains_key("unavailable") => {
            found.entry(path.to_owned()).or_default().extend(fields.keys().map(String::as_str));
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                objects(value, &path, found);
            }
        }
        _ => {}
    }
}

fn parsed(of: &Watched) -> Value {
    serde_json::from_str(&json(&of.shown())).unwrap()
}

/// A run of which nothing is missing.
fn whole() -> Value {
    let objects = vec![memory_objects::wave()];
    parsed(&Watched::of(WatchedRun { objects, ..watched::traced() }))
}

#[test]
fn each_field_stands_in_the_page() {
    let rows = rows();
    let (hybrid, ranks) = (whole(), parsed(&Watched::of(watched::ranks(16, false))));
    let mut found = BTreeMap::new();
    for value in [&hybrid, &ranks] {
        objects(value, "", &mut found);
    }
    let mut missing = Vec::new();
    for (path, fields) in &found {
        if path.is_empty() {
            let is_there = |field: &&&str| {
                rows.keys().any(|row| *row == format!("`{field}`") || *row == format!("`{field}[]`"))
            };
            missing.extend(fields.iter().filter(|field| !is_there(field)).map(|field| (*field).to_owned()));
            continue;
        }
        // The row of the object, or that of the next one that it stands in.
        let mut row = row_of(path, fields);
        while !rows.contains_key(&row) && row.contains('.') {
            row = format!("`{}`", row.trim_matches('`').rsplit_once('.').unwrap().0);
        }
        let text = rows.get(&row).map(String::as_str).unwrap_or_default();
        // Counters are judged beside the efficiencies.
        let counted = rows.get("`counters`").filter(|_| path == "judgements").map_or("", String::as_str);
        let text = format!("{text} {counted}");
        let is_there = |field: &str| {
            path == "judgements" && ["useful", "files"].contains(&field)
                || text.contains(&format!("`{field}`"))
                || text.contains(&format!("`{field}[]`"))
        };
        missing.extend(
            fields.iter().filter(|field| !is_there(field)).map(|field| format!("{path}.{field} (row {row})")),
        );
    }
    assert_eq!(missing, [""; 0], "fields that {} does not name", "docs/formats/snapshot-json.md");
}

#[test]
fn each_row_of_the_page_is_a_field() {
    let hybrid = whole();
    for row in rows().keys().filter(|row| row.starts_with('`')) {
        let mut at = vec![&hybrid];
        for part in row.trim_matches('`').split('.') {
            let (name, is_list) = part.strip_suffix("[]").map_or((part, false), |name| (name, true));
            at = at.iter().filter_map(|value| value.get(name)).collect();
            assert!(!at.is_empty(), "{row}: there is no {name}");
            if is_list {
                assert!(at.iter().all(|value| value.is_array()), "{row}: {name} is no list");
                at = at.iter().flat_map(|value| value.as_array().unwrap()).collect();
            }
            // What this run has nothing of ends here.
            if at.iter().all(|value| value.get("unavailable").is_some()) {
                break;
            }
        }
    }
}

/// What scripts may rely on: these names, each a number or the reason why there is none.
#[test]
fn efficiencies_are_numbers_or_have_a_reason() {
    let names = [
        "parallel",
        "mpi_parallel",
        "mpi_communication",
        "mpi_load_balance",
        "openmp_parallel",
        "openmp_serialization",
        "openmp_load_balance",
        "openmp_scheduling",
    ];
    for of in [watched::counted(), watched::ranks(4, false), watched::nothing()] {
        let value = parsed(&Watched::of(of));
        for name in names {
            let found = &value["efficiency"][name];
            assert!(found.is_f64() || found["unavailable"].is_string(), "{name}: {found}");
        }
        for field in ["ranks", "regions", "findings"] {
            assert!(value[field].is_array(), "{field}");
        }
        assert!(value["elapsed_seconds"].is_f64() || value["elapsed_seconds"]["unavailable"].is_string());
    }
    let value = parsed(&Watched::of(watched::ranks(4, false)));
    assert!(value["efficiency"]["openmp_parallel"]["unavailable"].is_string(), "{}", value["efficiency"]);
    assert!(
        (value["efficiency"]["parallel"].as_f64().unwrap() - 0.65).abs() < 1e-6,
        "{}",
        value["efficiency"]
    );
    assert!(value["ranks"][0]["mpi_seconds"].is_f64() && value["mpi"]["calls"][0]["bytes"].is_u64());
}
