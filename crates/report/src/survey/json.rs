//! Loops as JSON, for scripts: `docs/formats/survey-json.md`.

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::CodeObstacle;
use numawise_tables::objects::ShareInterval;
use numawise_tables::survey::{Ceiling, LoopFinding, LoopRoof, LoopRow, LoopStream, VectorLevel};
use serde_json::{Value, json as object};

use super::{Shown, advice, seen, tried, what, why};
use crate::notice;
use crate::object::{command, each, reading};

/// The name and the version of the format.
pub const SCHEMA: &str = "numawise/survey/1";

/// The loops as one JSON object, ending with a newline.
pub fn json(shown: &Shown) -> String {
    format!("{:#}\n", value(shown))
}

fn value(shown: &Shown) -> Value {
    let (run, tables) = (shown.run, shown.tables);
    let header = &run.header;
    object!({
        "schema": SCHEMA,
        "loops": each(&tables.rows, one),
        "left_out": { "loops": tables.left_out.0, "time_percent": 100.0 * tables.left_out.1.0 },
        "findings": each(&tables.findings, |of| finding(shown, of)),
        "time_percent": reading(&tables.by_use, |by_use| object!({
            "vectorized": 100.0 * by_use.full.0,
            "partly_vectorized": 100.0 * by_use.partial.0,
            "scalar": 100.0 * by_use.scalar.0,
            "no_vector_registers": 100.0 * by_use.none.0,
            "spinning": 100.0 * by_use.spinning.0,
            "mpi_libraries": 100.0 * by_use.messages.0,
            "outside_of_loops": 100.0 * by_use.outside.0,
            "without_code": 100.0 * by_use.without_code.0,
        })),
        "build": run.code.measured().and_then(|code| code.compiled.as_ref()).map(|of| reading(of, |of| object!({
            "command": of.command,
            "seconds": of.wall.seconds(),
            "compilations": of.compiled,
        }))),
        "tried": tried::json(shown),
        "outside": each(&tables.outside, |of| object!({
            "function": place(&of.function),
            "time_percent": interval(&of.time),
        })),
        "unknown": each(&tables.unknown, |of| object!({
            "what": what(of.why).0,
            "runtime": match of.why {
                CodeObstacle::JustInTime(runtime) => Some(runtime),
                _ => None,
            },
            "file": of.file,
            "function": of.function,
            "time_percent": interval(&of.time),
        })),
        "samples": tables.samples,
        "vector_bits_of_cpu": tables.offered,
        "cost_percent": reading(&tables.cost, |share| object!(100.0 * share.0)),
        "watching": { "time": run.watching.time },
        "notices": each(&header.notices, notice::json),
        "exit": header.exit,
        "wall_seconds": header.wall.seconds(),
        "command": command(&header.command),
        "record": shown.record,
        "tool_version": header.tool_version,
        "begun_ns": header.begun,
    })
}

fn interval(of: &ShareInterval) -> Value {
    object!({ "value": 100.0 * of.value.0, "low": 100.0 * of.low.0, "high": 100.0 * of.high.0 })
}

fn place(of: &CodePlace) -> Value {
    object!({
        "binary": of.file,
        "address": of.address,
        "function": of.source.function,
        "file": of.source.file,
        "line": of.source.line,
    })
}

fn one(of: &LoopRow) -> Value {
    let mut shown = object!({
        "place": place(&of.place),
        "last_line": of.last_line,
        "time_percent": interval(&of.time),
        "samples": of.samples,
        "threads": of.threads,
        "busiest_thread_percent": 100.0 * of.busiest.0,
        "parts": of.parts,
        "depth": of.depth,
        "innermost": of.is_innermost,
        "vectors": match of.level {
            VectorLevel::Full => "full",
            VectorLevel::Partial => "partial",
            VectorLevel::Scalar => "scalar",
            VectorLevel::NoVectorRegisters => "no_vector_registers",
            VectorLevel::Spins => "spins",
        },
        "in_vectors_percent": 100.0 * of.in_vectors.0,
        "work": of.work,
        "pass": of.pass,
        "trips": of.trips,
        "speed": of.speed,
        "streams": each(&of.streams, stream),
        "roof": reading(&of.roof, roof),
    });
    if let Some(compiled) = &of.compiled {
        shown["compiler"] = reading(compiled, |of| {
            object!({
                "family": of.compiler,
                "flags": of.flags,
                "vectorized": of.is_vectorized,
                "obstacles": of.obstacles,
            })
        });
    }
    shown
}

fn roof(of: &LoopRoof) -> Value {
    object!({
        "operations_per_byte": of.per_byte,
        "moved_bytes": of.moved,
        "passes_per_second": of.passes,
        "reached_percent": reading(&of.reached, |share| object!(100.0 * share.0)),
        "ceilings": each(&of.ceilings, |ceiling| object!({
            "of": match ceiling.of {
                Ceiling::Arithmetic => "arithmetic".to_owned(),
                Ceiling::NearestCache => "loads_and_stores".to_owned(),
                Ceiling::Cache(level) => format!("l{level}"),
                Ceiling::Memory => "memory".to_owned(),
            },
            "passes_per_second": ceiling.passes,
        })),
    })
}

fn stream(of: &LoopStream) -> Value {
    object!({
        "reads": of.reads,
        "writes": of.writes,
        "stride": of.stride,
        "bytes": of.bytes,
        "fresh_bytes": of.fresh,
        "of_lines_percent": reading(&of.of_lines, |share| object!(100.0 * share.0)),
        "parts": of.parts,
        "span": of.span,
        "elements": of.elements,
        "variable": of.variable,
        "nodes": of.nodes,
    })
}

fn finding(shown: &Shown, of: &LoopFinding) -> Value {
    let row = shown.tables.rows.get(of.row);
    object!({
        "id": of.id.code(),
        "loop": of.row,
        "lanes": of.lanes,
        "brings_at_most": of.brings,
        "seen": row.map(|row| seen(shown, of, row)),
        "compiler": row.map(why::said).filter(|said| !said.is_empty()),
        "advice": row.map(|row| advice(shown, of, row)),
    })
}
