//! Memory objects as JSON, for scripts: `docs/formats/objects-json.md`.

use numawise_facts::activity::CodePlace;
use numawise_facts::{Exit, Reading};
use numawise_tables::objects::{
    NodeShare, ObjectFinding, ObjectRow, ShareInterval, ThreadShare, TouchRow, UseRow,
};
use serde_json::{Value, json as object};

use super::Shown;
use crate::check::{self, object_findings};
use crate::notice;
use crate::object::{each, reading};

/// The name and the version of the format.
pub const SCHEMA: &str = "numawise/objects/1";

/// The objects as one JSON object, ending with a newline.
pub fn json(shown: &Shown) -> String {
    let (run, tables) = (shown.run, shown.tables);
    let header = &run.header;
    let document = object!({
        "schema": SCHEMA,
        "objects": each(&tables.rows, |row| one(shown, row)),
        "left_out": { "objects": tables.left_out.0, "bytes": tables.left_out.1 },
        "findings": each(&tables.findings, finding),
        "time_samples": tables.time_samples,
        "cost_percent": reading(&tables.cost, |share| object!(100.0 * share.0)),
        "watching": run.watching,
        "unavailable": unavailable(shown),
        "notices": each(&header.notices, notice::json),
        "exit": match header.exit {
            Exit::Code(code) => object!({ "code": code }),
            Exit::Signal(signal) => object!({ "signal": signal }),
        },
        "wall_seconds": header.wall.seconds(),
        "command": {
            "line": header.command.shell_line(),
            "arguments": header.command.command,
            "directory": header.command.directory.to_string_lossy(),
        },
        "record": shown.record,
        "tool_version": header.tool_version,
        "begun_ns": header.begun,
    });
    format!("{document:#}\n")
}

/// What of the run could not be measured at all.
fn unavailable(shown: &Shown) -> Value {
    let (watching, tables) = (&shown.run.watching, shown.tables);
    let parts = [
        ("allocations", watching.allocations.reason()),
        ("first_touch", watching.faults.reason()),
        ("used", watching.time.reason().or(tables.time_samples.reason())),
        ("cost_percent", tables.cost.reason()),
    ];
    let known = parts.into_iter().filter_map(|(what, reason)| Some((what, reason?)));
    known.map(|(what, reason)| object!({ "what": what, "reason": reason })).collect()
}

fn one(shown: &Shown, row: &ObjectRow) -> Value {
    let mut value = object!({
        "id": row.object,
        "kind": row.kind,
        "process": row.process,
        "name": row.name,
        "count": row.count,
        "bytes": row.bytes,
        "begun_seconds": row.begun.seconds(),
        "ended_seconds": reading(&row.ended, |at| object!(at.seconds())),
        "pages": reading(&row.pages, |nodes| each(nodes, |of| pages(row, of))),
        "first_touch": reading(&row.first_touch, |touch| touched(shown, touch)),
        "used": reading(&row.used, |of| used(shown, of)),
        "memory_time_share": reading(&row.memory_time, share),
    });
    place(&mut value, row.allocated.as_ref());
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

fn pages(row: &ObjectRow, of: &NodeShare) -> Value {
    object!({ "node": of.node, "share": of.share, "bytes": (row.bytes.0 as f64 * of.share.0).round() })
}

fn share(of: &ShareInterval) -> Value {
    object!({ "value": of.value, "low": of.low, "high": of.high })
}

fn thread(shown: &Shown, of: &ThreadShare) -> Value {
    let tid = shown.run.threads.get(of.thread as usize).map(|thread| thread.tid);
    object!({ "thread": of.number, "tid": tid, "node": of.node, "share": of.share })
}

fn touched(shown: &Shown, touch: &TouchRow) -> Value {
    let mut value = object!({
        "faults": touch.faults,
        "threads": each(&touch.threads, |of| thread(shown, of)),
        "nodes": each(&touch.nodes, |of| object!({ "node": of.node, "share": of.share })),
    });
    place(&mut value, touch.place.as_ref());
    value
}

fn used(shown: &Shown, of: &UseRow) -> Value {
    object!({
        "samples": of.samples,
        "threads": each(&of.threads, |of| thread(shown, of)),
        "nodes": each(&of.nodes, |of| object!({ "node": of.node, "share": of.share })),
        "reads_share": of.reads,
        "remote_share": of.remote,
        "parts_of_nodes": of.parts_of_nodes,
        "places": of.places.iter().take(20).map(|(at, share)| {
            let mut value = object!({ "share": share });
            place(&mut value, Reading::Measured(at));
            value
        }).collect::<Vec<_>>(),
    })
}

fn finding(of: &ObjectFinding) -> Value {
    let finding = &of.finding;
    let evidence = finding.evidence.iter().zip(object_findings::evidence(finding)).map(|(one, text)| {
        let mut value = check::json::evidence(one);
        value["text"] = text.into();
        value
    });
    let advice = finding.advice.iter().zip(object_findings::advice(finding));
    object!({
        "id": finding.id,
        "row": of.row,
        "title": object_findings::name(finding.id),
        "evidence": evidence.collect::<Vec<_>>(),
        "advice": advice.map(|(step, text)| object!({ "do": step.advice, "text": text })).collect::<Vec<_>>(),
    })
}
