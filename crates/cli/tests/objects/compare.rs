//! What `numawise objects --json` says, held against the truth of a known-answer program.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::truth::{Loops, ObjectTruth, ThreadTruth, Truth};

/// Samples from which on shares of time are promised.
const LEAST_SAMPLES: f64 = 400.0;

/// How far what is said may be away from the truth, as the promises have it.
#[derive(Debug, Clone, Copy)]
pub struct Tolerances {
    pub separable: f64,
    pub mixed: f64,
    pub first_touch: f64,
    /// What reads are of the time with an object is said without a promise.
    pub reads: f64,
}

impl Tolerances {
    pub const WITH_PERF_EVENTS: Tolerances =
        Tolerances { separable: 0.05, mixed: 0.10, first_touch: 0.01, reads: 0.10 };
    pub const WITHOUT_PERF_EVENTS: Tolerances = Tolerances { first_touch: 0.15, ..Self::WITH_PERF_EVENTS };
}

/// What was said.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    Share(f64),
    /// Nothing, and why.
    Withheld(String),
    /// There is no such object.
    NoObject,
}

/// One figure and its truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    pub what: String,
    pub truth: f64,
    pub said: Said,
    pub tolerance: f64,
}

impl Compared {
    /// It is not as it is promised: false, or missing. What is withheld is neither.
    pub fn is_wrong(&self) -> bool {
        match self.said {
            Said::Share(share) => (share - self.truth).abs() > self.tolerance,
            Said::Withheld(_) => false,
            Said::NoObject => true,
        }
    }

    pub fn is_withheld(&self) -> bool {
        matches!(self.said, Said::Withheld(_))
    }
}

/// All figures of a program.
pub fn compare(truth: &Truth, json: &Value, tolerances: Tolerances) -> Vec<Compared> {
    let mut all = uses(truth, json, tolerances);
    all.extend(touches(truth, json, tolerances));
    all
}

/// Less of the first touches of an object may be faults on pages that the kernel moved.
const MOVED: f64 = 0.05;

/// How many objects of the program are allocations or mappings, and what is wrong of them, whoever was sampled: one that is not there, or
/// one that is said to be touched first by others than the one thread that touched it.
pub fn not_as_allocated(truth: &Truth, json: &Value) -> (usize, Vec<String>) {
    let is_logged = |object: &&ObjectTruth| ["heap", "mapped", "shared"].contains(&object.kind.as_str());
    let all: BTreeSet<&ObjectTruth> =
        objects(&truth.uses).into_iter().chain(objects(&truth.touches)).filter(is_logged).collect();
    let mut wrong = Vec::new();
    for object in &all {
        let rows = rows(json, object);
        if rows.is_empty() {
            wrong.push(format!("{object:?} is not there"));
        }
        let touches: Vec<&ThreadTruth> = truth.touches.iter().filter(|of| of.object == **object).collect();
        let [only] = touches[..] else { continue };
        let others = rows.iter().filter_map(|row| row["first_touch"].as_array()).flatten();
        // The kernel may move a page meanwhile, and who uses it next has a fault on it too.
        let is_moved = |of: &Value| of["share"].as_f64().is_some_and(|share| share < MOVED);
        let others = others.filter(|of| of["tid"].as_u64() != Some(only.tid) && !is_moved(of));
        wrong.extend(others.map(|of| format!("{}: first touch of {}", object.name, of["tid"])));
    }
    (all.len(), wrong)
}

fn uses(truth: &Truth, json: &Value, tolerances: Tolerances) -> Vec<Compared> {
    let tolerance = match truth.loops {
        Loops::Separable => tolerances.separable,
        Loops::Mixed => tolerances.mixed,
    };
    let too_few = json["time_samples"].as_f64().filter(|samples| *samples < LEAST_SAMPLES);
    let mut all = Vec::new();
    for object in objects(&truth.uses) {
        let rows = rows(json, object);
        for tid in tids(&truth.uses) {
            let expected: f64 = share_of(&truth.uses, object, tid).map(|of| of.share).sum();
            let said = match too_few {
                Some(samples) => Said::Withheld(format!("{samples} samples")),
                None => sum(&rows, |row| used_by(row, tid)),
            };
            all.push(Compared {
                what: format!("{} by {tid}", object.name),
                truth: expected,
                said,
                tolerance,
            });
        }
        if too_few.is_none() {
            all.push(reads(truth, object, &rows, tolerances.reads));
        }
    }
    all
}

/// The part of the time with an object in which it is read.
fn reads(truth: &Truth, object: &ObjectTruth, rows: &[&Value], tolerance: f64) -> Compared {
    let of: Vec<&ThreadTruth> = truth.uses.iter().filter(|of| of.object == *object).collect();
    let time: f64 = of.iter().map(|of| of.share).sum();
    let reading: f64 = of.iter().map(|of| of.share * of.reads.unwrap_or(1.0)).sum();
    let time_said = sum(rows, |row| number(row, "memory_time_share", "value"));
    let weighted = sum(rows, |row| {
        let time = number(row, "memory_time_share", "value")?;
        if is_next_to_nothing(row, time) {
            return Ok(0.0);
        }
        let reads = entries(&row["used"])?.map(|of| Ok(share(of)? * number_of(&of["reads_share"])?));
        Ok(time * reads.sum::<Result<f64, Missing>>()?)
    });
    let said = match (weighted, time_said) {
        (Said::Share(reading), Said::Share(time)) if time > 0.0 => Said::Share(reading / time),
        (Said::Share(_), Said::Share(_)) => Said::Withheld("no time with it".to_owned()),
        (Said::Share(_), nothing) | (nothing, _) => nothing,
    };
    Compared { what: format!("reads of {}", object.name), truth: reading / time, said, tolerance }
}

fn touches(truth: &Truth, json: &Value, tolerances: Tolerances) -> Vec<Compared> {
    let mut all = Vec::new();
    for object in objects(&truth.touches) {
        let rows = rows(json, object);
        let faults = sum(&rows, |row| number_of(&row["faults"]));
        for tid in tids(&truth.touches) {
            let expected: f64 = share_of(&truth.touches, object, tid).map(|of| of.share).sum();
            let by_thread = sum(&rows, |row| Ok(number_of(&row["faults"])? * by(&row["first_touch"], tid)?));
            let said = match (by_thread, &faults) {
                (Said::Share(part), Said::Share(all)) if *all > 0.0 => Said::Share(part / all),
                (Said::Share(_), _) => Said::Withheld("no page fault of it".to_owned()),
                (nothing, _) => nothing,
            };
            let what = format!("first touch of {} by {tid}", object.name);
            all.push(Compared { what, truth: expected, said, tolerance: tolerances.first_touch });
        }
    }
    all
}

fn objects(of: &[ThreadTruth]) -> BTreeSet<&ObjectTruth> {
    of.iter().map(|of| &of.object).collect()
}

fn tids(of: &[ThreadTruth]) -> BTreeSet<u64> {
    of.iter().map(|of| of.tid).collect()
}

fn share_of<'a>(
    all: &'a [ThreadTruth],
    object: &'a ObjectTruth,
    tid: u64,
) -> impl Iterator<Item = &'a ThreadTruth> {
    all.iter().filter(move |of| of.object == *object && of.tid == tid)
}

/// The objects of the report that are this one: by the variable, else by the line of its allocation, else by its size; by its kind where it
/// has none of them.
fn rows<'a>(json: &'a Value, object: &ObjectTruth) -> Vec<&'a Value> {
    let all = || json["objects"].as_array().into_iter().flatten();
    let of_kind = || all().filter(|row| row["kind"] == object.kind.as_str());
    if object.name == "-" || object.kind == "stack" {
        return of_kind().collect();
    }
    let named: Vec<&Value> =
        all().filter(|row| row["name"].as_str().is_some_and(|name| is_called(name, &object.name))).collect();
    if !named.is_empty() {
        return named;
    }
    let is_there = |row: &&Value| {
        let file = row["file"].as_str().unwrap_or_default();
        file.rsplit('/').next() == Some(&object.file) && row["line"].as_u64() == Some(object.line)
    };
    let there: Vec<&Value> = all().filter(is_there).collect();
    if !there.is_empty() {
        return there;
    }
    // An interpreter has no lines.
    all().filter(|row| object.bytes.is_some_and(|bytes| row["bytes"].as_u64() == Some(bytes))).collect()
}

/// Symbols have more than the name: `flow_` of a COMMON block, `__fields_MOD_pressure` of a module, `table.0` of a function, `mesh%cells`.
fn is_called(name: &str, variable: &str) -> bool {
    let last = name.rsplit(['%', ':', '>']).next().unwrap_or(name);
    let last = last.rsplit("_MOD_").next().unwrap_or(last);
    let last = last.split('.').next().unwrap_or(last);
    last == variable || last.strip_suffix('_') == Some(variable)
}

fn sum(rows: &[&Value], of: impl Fn(&Value) -> Result<f64, Missing>) -> Said {
    if rows.is_empty() {
        return Said::NoObject;
    }
    match rows.iter().map(|row| of(row)).sum::<Result<f64, Missing>>() {
        Ok(sum) => Said::Share(sum),
        Err(Missing(reason)) => Said::Withheld(reason),
    }
}

/// Why there is no number.
struct Missing(String);

/// Of an object with next to no time nobody can say who has it; what it is, is within what is promised.
fn is_next_to_nothing(row: &Value, time: f64) -> bool {
    row["used"]["unavailable"].is_string() && time < 0.03
}

/// The share of all time for memory that a thread has with an object.
fn used_by(row: &Value, tid: u64) -> Result<f64, Missing> {
    let time = number(row, "memory_time_share", "value")?;
    if is_next_to_nothing(row, time) {
        return Ok(0.0);
    }
    Ok(time * by(&row["used"], tid)?)
}

/// What a thread has of a list of threads and places.
fn by(list: &Value, tid: u64) -> Result<f64, Missing> {
    entries(list)?.filter(|of| of["tid"].as_u64() == Some(tid)).map(share).sum()
}

fn entries(list: &Value) -> Result<impl Iterator<Item = &Value>, Missing> {
    present(list)?;
    list.as_array().map(|list| list.iter()).ok_or_else(|| Missing("no list".to_owned()))
}

fn share(of: &Value) -> Result<f64, Missing> {
    number_of(&of["share"])
}

fn number(row: &Value, name: &str, part: &str) -> Result<f64, Missing> {
    present(&row[name])?;
    number_of(&row[name][part])
}

fn number_of(value: &Value) -> Result<f64, Missing> {
    present(value)?;
    value.as_f64().ok_or_else(|| Missing("no number".to_owned()))
}

fn present(of: &Value) -> Result<(), Missing> {
    of["unavailable"].as_str().map_or(Ok(()), |reason| Err(Missing(reason.to_owned())))
}

fn truth() -> Truth {
    let output = "truth loops=separable\n\
        truth object=grid kind=heap at=patterns.c:82 thread=1 tid=31 time_share=0.4 reads=1\n\
        truth object=grid kind=heap at=patterns.c:82 thread=2 tid=32 time_share=0.1 reads=1\n\
        truth object=table kind=global at=patterns.c:12 thread=1 tid=31 time_share=0.5 reads=0\n\
        truth touch object=grid kind=heap at=patterns.c:82 thread=0 tid=30 share=0.7\n\
        truth touch object=grid kind=heap at=patterns.c:82 thread=1 tid=31 share=0.3\n";
    Truth::parse(output).unwrap().unwrap()
}

/// What is said, exactly as it is.
fn said() -> Value {
    json!({
        "time_samples": 1000,
        "objects": [
            {
                "kind": "heap", "name": { "unavailable": "compile with -g" }, "file": "src/patterns.c", "line": 82,
                "faults": 1000,
                "first_touch": [
                    { "thread": 0, "tid": 30, "share": 0.4 }, { "thread": 0, "tid": 30, "share": 0.3 },
                    { "thread": 1, "tid": 31, "share": 0.3 }
                ],
                "used": [
                    { "thread": 1, "tid": 31, "share": 0.8, "reads_share": 1.0 },
                    { "thread": 2, "tid": 32, "share": 0.2, "reads_share": 1.0 }
                ],
                "memory_time_share": { "value": 0.5, "low": 0.45, "high": 0.55 }
            },
            {
                "kind": "global", "name": "table", "file": "patterns.c", "line": 12,
                "faults": { "unavailable": "too few page faults are of it" },
                "first_touch": { "unavailable": "too few page faults are of it" },
                "used": [{ "thread": 1, "tid": 31, "share": 1.0, "reads_share": 0.0 }],
                "memory_time_share": { "value": 0.5, "low": 0.45, "high": 0.55 }
            }
        ]
    })
}

fn wrong(json: &Value) -> Vec<String> {
    let all = compare(&truth(), json, Tolerances::WITH_PERF_EVENTS);
    all.into_iter().filter(Compared::is_wrong).map(|of| of.what).collect()
}

#[test]
fn what_is_so_is_right() {
    let all = compare(&truth(), &said(), Tolerances::WITH_PERF_EVENTS);
    assert!(!all.iter().any(|of| of.is_wrong() || of.is_withheld()), "{all:#?}");
    // Two objects by two threads, their reads, and one object touched by two.
    assert_eq!(all.len(), 4 + 2 + 2);
}

#[test]
fn what_is_not_so_is_wrong() {
    type Change = fn(&mut Value);
    let cases: [(Change, &[&str]); 6] = [
        (|json| json["objects"][0]["used"][0]["share"] = json!(0.65), &["grid by 31", "reads of grid"]),
        (|json| json["objects"][1]["memory_time_share"]["value"] = json!(0.56), &["table by 31"]),
        (|json| json["objects"][1]["used"][0]["reads_share"] = json!(0.2), &["reads of table"]),
        (|json| json["objects"][0]["first_touch"][2]["share"] = json!(0.28), &["first touch of grid by 31"]),
        (
            |json| json["objects"][1]["name"] = json!("tables"),
            // Its line is the same.
            &[],
        ),
        (
            |json| json["objects"][0]["line"] = json!(83),
            &[
                "grid by 31",
                "grid by 32",
                "reads of grid",
                "first touch of grid by 30",
                "first touch of grid by 31",
            ],
        ),
    ];
    for (change, expected) in cases {
        let mut json = said();
        change(&mut json);
        assert_eq!(wrong(&json), expected);
    }
}

#[test]
fn what_is_withheld_or_not_promised_is_not_wrong() {
    let mut json = said();
    for row in json["objects"].as_array_mut().unwrap() {
        row["used"] = json!({ "unavailable": "interrupts are taken elsewhere" });
        row["memory_time_share"] = json!({ "unavailable": "interrupts are taken elsewhere" });
    }
    let all = compare(&truth(), &json, Tolerances::WITH_PERF_EVENTS);
    assert!(!all.iter().any(Compared::is_wrong), "{all:#?}");
    assert_eq!(all.iter().filter(|of| of.is_withheld()).count(), 6);
    // Without perf events less is promised of first touches.
    let mut rough = said();
    rough["objects"][0]["first_touch"][2]["share"] = json!(0.2);
    assert_eq!(wrong(&rough), ["first touch of grid by 31"]);
    let rough = compare(&truth(), &rough, Tolerances::WITHOUT_PERF_EVENTS);
    assert!(!rough.iter().any(Compared::is_wrong), "{rough:#?}");
    // Nothing is promised of few samples.
    let mut few = said();
    few["time_samples"] = json!(399);
    few["objects"][0]["memory_time_share"]["value"] = json!(0.9);
    assert_eq!(wrong(&few), Vec::<String>::new());
}

#[test]
fn what_is_allocated_must_be_there_and_touched_by_its_thread_whatever_was_sampled() {
    assert_eq!(not_as_allocated(&truth(), &said()), (1, vec![]));
    let mut none = said();
    none["objects"][0]["line"] = json!(83);
    let (_, wrong) = not_as_allocated(&truth(), &none);
    assert!(wrong.len() == 1 && wrong[0].ends_with("is not there"), "{wrong:?}");
    // Touched by one thread alone.
    let mut truth = truth();
    truth.touches.pop();
    let (_, wrong) = not_as_allocated(&truth, &said());
    assert_eq!(wrong, ["grid: first touch of 31"]);
    let mut withheld = said();
    withheld["objects"][0]["first_touch"] = json!({ "unavailable": "no page fault of it was sampled" });
    assert_eq!(not_as_allocated(&truth, &withheld), (1, vec![]));
}

#[test]
fn symbols_of_variables_are_known() {
    for (name, variable) in [
        ("table", "table"),
        ("flow_", "flow"),
        ("__fields_MOD_pressure", "pressure"),
        ("in_function.0", "in_function"),
        ("mesh%cells", "cells"),
        ("this->cells", "cells"),
        ("Grid::cells", "cells"),
    ] {
        assert!(is_called(name, variable), "{name}");
    }
    for (name, variable) in [("tables", "table"), ("a", "ab"), ("table2", "table"), ("flow__", "flow")] {
        assert!(!is_called(name, variable), "{name}");
    }
}
