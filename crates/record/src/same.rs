//! Is it the same study? What differs, both shown.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use numawise_facts::{
    AroundTrials, ContrastRole, GridRun, Machine, Metric, Point, PointId, PointRole, Reading, StudyHeader,
};
use numawise_units::Arrange;
use serde::Serialize;
use serde_json::Value;

use crate::Record;

/// So many differences are shown of one kind; the rest is counted.
const SHOWN: usize = 6;

/// One thing that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is: `command`, `machine.allowed_cpus`, `points.interleave.placement...`.
    pub what: String,
    pub recorded: String,
    pub now: String,
}

/// What keeps a study from being the continuation of another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Difference {
    /// Never empty.
    pub items: Vec<Item>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the record holds another study; what differs:")?;
        for item in &self.items {
            write!(f, "\n  {}\n    recorded: {}\n    now:      {}", item.what, item.recorded, item.now)?;
        }
        Ok(())
    }
}

impl Record {
    /// Whether the study of a grid that is recorded may become `now`: the same command, directory, machine and metric, and all of its
    /// points among those of now, run and placed alike. Roles, the number of repeats and further points may differ.
    ///
    /// # Errors
    /// The differences.
    pub fn widens(recorded: &StudyHeader, now: &StudyHeader) -> Result<(), Difference> {
        let alike = |header: &StudyHeader, with: &StudyHeader| {
            let mut header = header.clone();
            let others: HashSet<&PointId> = with.points.iter().map(|point| &point.id).collect();
            header.points.retain(|point| others.contains(&point.id));
            header.points.arrange_by(|one, other| one.id.cmp(&other.id));
            header.points.iter_mut().for_each(|point| point.role = PointRole::Candidate);
            header.pairs.clear();
            header
        };
        let mut items = match Record::same_study(&alike(recorded, now), &alike(now, recorded)) {
            Ok(()) => Vec::new(),
            Err(difference) => difference.items,
        };
        items.extend(other_runs(recorded, now).take(SHOWN));
        let of_now: HashSet<&PointId> = now.points.iter().map(|point| &point.id).collect();
        for point in recorded.points.iter().filter(|point| !of_now.contains(&point.id)).take(SHOWN) {
            let (what, recorded) = (format!("points.{}", point.id), "a point".to_owned());
            items.push(Item { what, recorded, now: "nothing".to_owned() });
        }
        if items.is_empty() { Ok(()) } else { Err(Difference { items }) }
    }

    /// Whether the trials of two headers may stand in one study: the same command in the same directory, machine, points,
    /// pairs and metric. Free memory and warnings may differ, and how much of the memory the kernel keeps for itself.
    ///
    /// # Errors
    /// The differences.
    pub fn same_study(recorded: &StudyHeader, now: &StudyHeader) -> Result<(), Difference> {
        let mut items = Vec::new();
        let mut compare = |what: &str, recorded: String, now: String| {
            if recorded != now {
                items.push(Item { what: what.to_owned(), recorded, now });
            }
        };
        if recorded.command.command != now.command.command {
            let (old, new) = (recorded.command.shell_line(), now.command.shell_line());
            if old == new {
                // Bytes that are not UTF-8 look the same.
                compare(
                    "command",
                    format!("{:?}", recorded.command.command),
                    format!("{:?}", now.command.command),
                )
            } else {
                compare("command", old, new)
            }
        }
        compare(
            "directory",
            format!("{:?}", recorded.command.directory),
            format!("{:?}", now.command.directory),
        );
        compare("metric", metric(&recorded.metric), metric(&now.metric));
        compare("other metrics", other_metrics(recorded), other_metrics(now));
        templates(recorded, now, &mut compare);
        compare("points", names(recorded), names(now));
        compare("pairs", pairs(recorded), pairs(now));
        details("machine", &machine(&recorded.machine), &machine(&with_memory_of(now, recorded)), &mut items);
        let of_now: HashMap<&PointId, &Point> = now.points.iter().map(|point| (&point.id, point)).collect();
        for (old, new) in recorded.points.iter().filter_map(|old| Some((old, *of_now.get(&old.id)?))) {
            details(&format!("points.{}", old.id), &point(old), &point(new), &mut items);
        }
        if items.is_empty() { Ok(()) } else { Err(Difference { items }) }
    }
}

/// What is run otherwise at the points that both have, and around all trials: trials of the one are none of the other.
fn other_runs<'a>(recorded: &'a StudyHeader, now: &'a StudyHeader) -> impl Iterator<Item = Item> + 'a {
    let grids = || recorded.grid.as_ref().zip(now.grid.as_ref());
    let around = grids().into_iter().flat_map(|(old, new)| {
        let of = |around: &AroundTrials| {
            let AroundTrials { setup, prepare, verify, verify_output, .. } = around.clone();
            let gap = around.gap.map(|gap| gap.to_string());
            let dropped = around.drop_caches.then(|| "pages of files are dropped".to_owned());
            [setup, prepare, verify, verify_output, gap, dropped]
        };
        let names = ["setup", "prepare", "verify", "verify output", "gap", "caches"];
        names.into_iter().zip(of(&old.around).into_iter().zip(of(&new.around)))
    });
    let around = around.map(|(what, (old, new))| {
        let line = |line: Option<String>| line.unwrap_or_else(|| "nothing".to_owned());
        Item { what: what.to_owned(), recorded: line(old), now: line(new) }
    });
    // Where the command is another, so are they all.
    let same_command = recorded.command.command == now.command.command;
    let runs = grids().filter(|_| same_command).into_iter().flat_map(|(old, new)| {
        let of_now: HashMap<&PointId, &GridRun> = new.runs.iter().map(|run| (&run.point, run)).collect();
        old.runs.iter().filter_map(move |run| Some((run, *of_now.get(&run.point)?)))
    });
    let runs = runs.map(|(old, new)| Item {
        what: format!("points.{}.command", old.point),
        recorded: run_line(old),
        now: run_line(new),
    });
    around.chain(runs).filter(|item| item.recorded != item.now)
}

fn run_line(run: &GridRun) -> String {
    let variables = run.environment.iter().map(|(name, value)| format!("{name}={value} "));
    variables.chain([run.command.shell_line()]).collect()
}

/// What is taken of trials besides the metric.
fn other_metrics(header: &StudyHeader) -> String {
    let others = header.grid.iter().flat_map(|grid| &grid.other_metrics);
    let all: Vec<String> = others.map(|one| format!("{}: {}", one.name, metric(&one.metric))).collect();
    if all.is_empty() { "none".to_owned() } else { all.join("; ") }
}

fn metric(metric: &Metric) -> String {
    let better = if metric.higher_is_better() { "higher" } else { "lower" };
    match metric {
        Metric::WallTime => "wall time".to_owned(),
        Metric::Output { regex, .. } => format!("'{regex}' in the output, {better} is better"),
        Metric::File { file, regex: Some(regex), .. } => format!("'{regex}' in {file}, {better} is better"),
        Metric::File { file, regex: None, .. } => format!("the number in {file}, {better} is better"),
    }
}

/// Input files of the program: the first line that differs says most.
fn templates(recorded: &StudyHeader, now: &StudyHeader, compare: &mut dyn FnMut(&str, String, String)) {
    let of = |header: &StudyHeader| -> BTreeMap<String, String> {
        let all = header.grid.iter().flat_map(|grid| &grid.templates);
        all.map(|template| (template.file.clone(), template.text.clone())).collect()
    };
    let (old, new) = (of(recorded), of(now));
    for file in old.keys().chain(new.keys().filter(|file| !old.contains_key(*file))) {
        let (Some(old), Some(new)) = (old.get(file), new.get(file)) else {
            let is_there = |of: Option<&String>| of.map_or("nothing", |_| "an input file").to_owned();
            compare(&format!("template {file}"), is_there(old.get(file)), is_there(new.get(file)));
            continue;
        };
        if old == new {
            continue;
        }
        let alike = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
        let line = |text: &str| match text.lines().nth(alike) {
            Some(line) => short(&Value::String(line.to_owned())),
            None => "the end of the file".to_owned(),
        };
        let what = format!("template {file}, line {}", alike + 1);
        let (old_line, new_line) = (line(old), line(new));
        if old_line == new_line {
            // Far behind in a long line, or in how lines end.
            compare(&what, format!("{} bytes", old.len()), format!("{} bytes, and not the same", new.len()));
        } else {
            compare(&what, old_line, new_line);
        }
    }
}

fn names(header: &StudyHeader) -> String {
    let names: Vec<&str> = header.points.iter().map(|point| point.id.0.as_str()).collect();
    names.join(", ")
}

fn pairs(header: &StudyHeader) -> String {
    let pairs: Vec<String> = header
        .pairs
        .iter()
        .map(|pair| match pair.role {
            ContrastRole::BothWays => format!("{} -> {}", pair.from, pair.to),
            ContrastRole::GainOnly => format!("{} -> {} (gain only)", pair.from, pair.to),
            ContrastRole::Unjudged => format!("{} -> {} (for information)", pair.from, pair.to),
        })
        .collect();
    pairs.join(", ")
}

/// The machine without what changes from minute to minute, and without devices: a disk may come, and older records have none.
fn machine(machine: &Machine) -> Value {
    let mut machine = machine.clone();
    machine.devices = Reading::unavailable("not compared");
    for node in &mut machine.nodes {
        node.free = Reading::unavailable("not compared");
    }
    value(&machine)
}

/// A kernel takes this share of the memory of a node for itself, more or less from one start of the machine to the next.
const KEPT_BY_KERNEL: f64 = 0.05;

/// The machine of now with the sizes of nodes as they were recorded, where only the kernel tells the two apart.
fn with_memory_of(now: &StudyHeader, recorded: &StudyHeader) -> Machine {
    let mut machine = now.machine.clone();
    for node in &mut machine.nodes {
        let before = recorded.machine.node(node.id).map(|before| &before.memory);
        if let (Some(Reading::Measured(before)), Reading::Measured(now)) = (before, &mut node.memory)
            && before.0.abs_diff(now.0) as f64 <= before.0 as f64 * KEPT_BY_KERNEL
        {
            *now = *before;
        }
    }
    machine
}

/// The point without what was said of it.
fn point(point: &Point) -> Value {
    let mut point = point.clone();
    point.placement.warnings.clear();
    value(&point)
}

fn value<T: Serialize>(of: &T) -> Value {
    // By way of the text, which every type is written as anyway: code to make trees of all of them would be half a megabyte more.
    let value = serde_json::to_string(of).and_then(|text| serde_json::from_str(&text));
    value.unwrap_or_else(|error| Value::String(error.to_string()))
}

/// Adds what differs between two values, leaf by leaf.
fn details(what: &str, recorded: &Value, now: &Value, items: &mut Vec<Item>) {
    let mut found = Vec::new();
    leaves(what, recorded, now, &mut found);
    let more = found.len().saturating_sub(SHOWN);
    found.truncate(SHOWN);
    items.append(&mut found);
    if more > 0 {
        items.push(Item {
            what: format!("{what}: {more} more"),
            recorded: "...".to_owned(),
            now: "...".to_owned(),
        });
    }
}

fn leaves(what: &str, recorded: &Value, now: &Value, found: &mut Vec<Item>) {
    match (recorded, now) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                leaves(&format!("{what}.{key}"), value, new.get(key).unwrap_or(&Value::Null), found);
            }
            for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                leaves(&format!("{what}.{key}"), &Value::Null, value, found);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (k, (old, new)) in old.iter().zip(new).enumerate() {
                leaves(&format!("{what}[{k}]"), old, new, found);
            }
        }
        _ if recorded == now => {}
        _ => found.push(Item { what: what.to_owned(), recorded: short(recorded), now: short(now) }),
    }
}

/// A value on one line.
fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) if list.iter().any(|element| element.is_object()) => {
            format!("{} entries", list.len())
        }
        other => other.to_string(),
    };
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}
