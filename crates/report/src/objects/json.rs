//! Memory objects as JSON, for scripts: `docs/formats/objects-json.md`.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::finding::AdvisedStep;
use numawise_facts::objects::TouchMethod;
use numawise_tables::objects::{
    ChosenObject, FastMemoryChoice, LoadRow, NodeShare, ObjectFinding, ObjectRow, ObjectUser,
    ResidenceMoment, ShareInterval, ThreadShare, Toucher,
};
use serde_json::{Value, json as object};

use super::{Shown, code, cures, words};
use crate::findings;
use crate::notice;
use crate::object::{command, each, exit, reading};

/// The name and the version of the format.
pub const SCHEMA: &str = "numawise/objects/1";

/// The same of what several say that follow running programs.
pub const LIVE_SCHEMA: &str = "numawise/where-objects/1";

/// The objects of programs that run, as one JSON object, ending with a newline.
pub fn live_json(runs: &[Shown]) -> String {
    format!("{:#}\n", object!({ "schema": LIVE_SCHEMA, "runs": each(runs, value) }))
}

/// The objects as one JSON object, ending with a newline.
pub fn json(shown: &Shown) -> String {
    format!("{:#}\n", value(shown))
}

/// The same as a part of another one.
pub fn value(shown: &Shown) -> Value {
    let (run, tables) = (shown.run, shown.tables);
    let header = &run.header;
    object!({
        "schema": SCHEMA,
        "objects": each(&tables.rows, |row| one(shown, row)),
        "left_out": { "objects": tables.left_out.0, "bytes": tables.left_out.1 },
        "findings": each(&tables.findings, |of| finding(shown, of)),
        "fast_memory": reading(&tables.fast_memory, |choice| fast_memory(shown, choice)),
        "memory_bound": run.memory_bound,
        "bandwidth": reading(&run.bandwidth, |of| object!({
            "source": of.source,
            "moments": each(&of.moments, |moment| object!({
                "seconds": moment.at.seconds(),
                "nodes": each(&moment.by_node, |(node, all)| {
                    let mut of = object!({ "node": node, "bytes_per_second": all });
                    if let Some((_, remote)) = moment.remote.iter().find(|(of, _)| of == node) {
                        of["remote_bytes_per_second"] = object!(remote);
                    }
                    of
                }),
            })),
        })),
        "time_samples": tables.time_samples,
        "cost_percent": reading(&tables.cost, |share| object!(100.0 * share.0)),
        "own_seconds": reading(&run.watching.own_time, |time| object!(time.seconds())),
        "watching": run.watching,
        "unavailable": unavailable(shown),
        "notices": each(&header.notices, notice::json),
        "exit": header.exit.map(exit),
        "wall_seconds": header.wall.seconds(),
        "command": command(&header.command),
        "tried": each(&run.trials, |of| object!({
            "object": of.object,
            "cure": of.cure,
            "line": of.command,
            "brought": of.effect,
        })),
        "record": shown.record,
        "tool_version": header.tool_version,
        "begun_ns": header.begun,
    })
}

/// What is said of the objects of a part of a run, without what is of all of it.
pub fn part(shown: &Shown) -> Value {
    const OF_PART: [&str; 6] =
        ["objects", "left_out", "findings", "fast_memory", "time_samples", "unavailable"];
    let mut value = value(shown);
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, _| OF_PART.contains(&name.as_str()));
    }
    value
}

/// What of the run could not be measured at all.
fn unavailable(shown: &Shown) -> Value {
    let (watching, tables) = (&shown.run.watching, shown.tables);
    let parts = [
        ("allocations", watching.allocations.reason()),
        ("first_touch", watching.faults.reason()),
        ("loads", watching.loads.reason()),
        ("used", watching.time.reason().or(tables.time_samples.reason())),
        ("cost_percent", tables.cost.reason()),
        ("memory_bound", shown.run.memory_bound.reason()),
        ("bandwidth", shown.run.bandwidth.reason()),
    ];
    let known = parts.into_iter().filter_map(|(what, reason)| Some((what, reason?)));
    known.map(|(what, reason)| object!({ "what": what, "reason": reason })).collect()
}

fn one(shown: &Shown, row: &ObjectRow) -> Value {
    let used = |of: fn(&numawise_tables::objects::UseRow) -> Value| reading(&row.used, of);
    let mut value = object!({
        "id": row.object,
        "kind": row.kind,
        "process": row.process,
        "rank": row.rank,
        "name": row.name,
        "count": row.count,
        "bytes": words::size(row),
        "count_is_estimate": row.is_estimate,
        "begun_seconds": row.begun.seconds(),
        "ended_seconds": reading(&row.ended, |at| object!(at.seconds())),
        "pages": reading(&row.pages, |nodes| each(nodes, |of| pages(row.bytes.0, of))),
        "residence": reading(&row.residence, |moments| each(moments, residence)),
        "huge_pages_share": row.huge,
        "faults": reading(&row.first_touch, |touch| object!(touch.faults)),
        "first_touch": reading(&row.first_touch, |touch| each(&touch.touchers, |of| toucher(shown, of))),
        "first_touch_is_estimate":
            reading(&row.first_touch, |touch| object!(touch.method == TouchMethod::Counted)),
        "first_touch_nodes": reading(&row.first_touch, |touch| each(&touch.nodes, node)),
        "samples": used(|used| object!(used.samples)),
        "used": reading(&row.used, |used| each(&used.users, |of| user(shown, of))),
        "used_nodes": used(|used| each(&used.nodes, node)),
        "used_at": used(|used| used.places.iter().take(PLACES).map(used_at).collect()),
        "reads_share": used(|used| object!(used.reads)),
        "remote_share": used(|used| object!(used.remote)),
        "parts_of_nodes": used(|used| object!(used.parts_of_nodes)),
        "pages_of_nodes": used(|used| object!(used.pages_of_nodes)),
        "lines_of_nodes": used(|used| object!(used.lines_of_nodes)),
        "loads": reading(&row.loads, loads),
        "memory_time_share": reading(&row.memory_time, share),
    });
    place(&mut value, row.allocated.as_ref());
    value["called_at"] = row.called_at.as_ref().map_or(Value::Null, |called| {
        let mut value = object!({});
        place(&mut value, Reading::Measured(called));
        value
    });
    value
}

/// Where something is in the code.
fn place(value: &mut Value, place: Reading<&CodePlace>) {
    let part = |of: fn(&CodePlace) -> Value| match &place {
        Reading::Measured(place) => of(place),
        Reading::Unavailable { unavailable } => object!({ "unavailable": unavailable }),
    };
    value["function"] = part(|place| object!(place.source.function));
    value["file"] = part(|place| object!(place.source.file));
    value["line"] = part(|place| object!(place.source.line));
}

/// Places of use for each object, those with most of it.
const PLACES: usize = 20;

fn pages(bytes: u64, of: &NodeShare) -> Value {
    object!({ "node": of.node, "share": of.share, "bytes": (bytes as f64 * of.share.0).round() as u64 })
}

fn residence(moment: &ResidenceMoment) -> Value {
    object!({
        "seconds": moment.at.seconds(),
        "bytes": moment.bytes,
        "pages": each(&moment.nodes, |of| pages(moment.bytes.0, of)),
    })
}

pub fn share(of: &ShareInterval) -> Value {
    object!({ "value": of.value, "low": of.low, "high": of.high })
}

fn node(of: &NodeShare) -> Value {
    object!({ "node": of.node, "share": of.share })
}

fn thread(shown: &Shown, of: &ThreadShare) -> Value {
    let tid = shown.run.threads.get(of.thread as usize).map(|thread| thread.tid);
    object!({ "thread": of.number, "tid": tid, "node": of.node, "share": of.share })
}

fn toucher(shown: &Shown, toucher: &Toucher) -> Value {
    let mut value = thread(shown, &toucher.of);
    place(&mut value, toucher.place.as_ref());
    value
}

fn user(shown: &Shown, user: &ObjectUser) -> Value {
    let mut value = thread(shown, &user.of);
    value["reads_share"] = object!(user.reads);
    value
}

fn loads(of: &LoadRow) -> Value {
    object!({
        "samples": of.samples,
        "sources": each(&of.sources, |one| object!({
            "from": one.from,
            "share": one.share,
            "latency_cycles": one.latency,
        })),
        "remote_share": of.remote,
        "modified_share": of.modified,
        "latency_cycles": of.latency,
    })
}

fn used_at((at, share): &(CodePlace, numawise_units::Ratio)) -> Value {
    let mut value = object!({ "share": share });
    place(&mut value, Reading::Measured(at));
    value
}

fn fast_memory(shown: &Shown, choice: &FastMemoryChoice) -> Value {
    let id = |row: usize| shown.tables.rows.get(row).map(|row| row.object);
    object!({
        "nodes": choice.nodes.to_string(),
        "capacity_bytes": choice.capacity,
        "bytes": choice.bytes,
        "memory_time_share": share(&choice.memory_time),
        "candidates": choice.candidates,
        "is_best": choice.is_best,
        "objects": each(&choice.chosen, |one| fast_object(shown, one, id(one.row))),
    })
}

fn fast_object(shown: &Shown, one: &ChosenObject, id: Option<usize>) -> Value {
    let code = shown.tables.rows.get(one.row).and_then(code::for_fast_memory);
    object!({
        "id": id,
        "is_certain": one.is_certain,
        "code": code.map(|code| object!({ "statement": code.statement, "header": code.header })),
    })
}

fn finding(shown: &Shown, of: &ObjectFinding) -> Value {
    let finding = &of.finding;
    let evidence = finding.evidence.iter().zip(findings::evidence_of_run(finding)).map(|(one, text)| {
        let mut value = findings::json::evidence(one);
        value["text"] = text.into();
        value
    });
    let advice = |step: &AdvisedStep| {
        object!({
            "do": step.advice,
            "text": cures::text(shown, of, step),
            "brought": step.brought,
            "line": cures::line(shown, of, step),
        })
    };
    object!({
        "id": finding.id,
        "object": shown.tables.rows.get(of.row).map(|row| row.object),
        "title": findings::title(finding.id),
        "evidence": evidence.collect::<Vec<_>>(),
        "cost": finding.cost,
        "advice": each(&finding.advice, advice),
    })
}
