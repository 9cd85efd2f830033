//! A check as JSON, for scripts: `docs/formats/check-json.md`.

use numawise_facts::redaction::LeftOut;
use numawise_facts::{Disturbance, Exit, FrequencyFacts, LineTool, Metric, Outcome, Reading, Trial};
use numawise_tables::{Expected, LineCall, LineEffect, LineEffects, MemoryMove, PlacedWell, PointSummary};
use numawise_units::Nanoseconds;
use serde::Serialize;
use serde_json::{Value, json as object};

use super::{Check, lines, words};
use crate::object::{command, each, reading};
use crate::{findings, levels, notice};

/// The name and the version of the format.
pub const SCHEMA: &str = "numawise/check/1";

/// The check as one JSON object, ending with a newline.
pub fn json(check: &Check) -> String {
    let (study, analysis, header) = (check.study, check.analysis, &check.study.header);
    let verdict = &analysis.verdict;
    let mut effect = reading(&verdict.effect, findings::json::effect);
    effect["from"] = object!(verdict.from);
    effect["to"] = object!(verdict.to);
    let document = object!({
        "schema": SCHEMA,
        "verdict": verdict.kind.to_string(),
        "case": verdict.case(),
        "headline": words::first_line(check),
        "text": words::sentence(check),
        "effect": effect,
        "placed_well": placed_well(&verdict.placed_well),
        "recommended": analysis.recommended,
        "findings": each(&analysis.findings, |one| findings::json::finding(header, one)),
        "use": use_from_now_on(check),
        "lines": analysis.lines.as_ref().map(printed_lines),
        "expected": match &analysis.expected {
            Ok(expected) => self::expected(expected),
            Err(why) => object!({"unavailable": words::not_expected(*why)}),
        },
        "caveats": each(&verdict.caveats, notice::json),
        "not_tried": each(&header.not_tried, notice::json),
        "unavailable": each(&analysis.unavailable, notice::json),
        "metric": metric(check),
        "points": each(&analysis.points, point),
        "contrasts": each(&analysis.contrasts, |c| object!({
            "from": c.from, "to": c.to, "effect": reading(&c.effect, findings::json::effect), "call": c.call,
            "repeats": c.repeats,
        })),
        "trials": each(&study.trials, |one| trial(check, one)),
        "stopped": analysis.stopped,
        "sampling_cost": analysis.sampling_cost,
        "objects": check.objects.as_ref().map(crate::objects::value),
        "limits": each(&header.machine.limits, crate::notice::machine::json),
        "machine": machine(check),
        "command": command(&header.command),
        "left_out": LeftOut::of(study),
        "tool_version": header.tool_version,
        "begun_ns": header.begun,
        "seed": header.seed,
        "min_repeats": header.min_repeats,
        "margin": header.margin,
        "budget_ns": header.budget,
        "record": check.record,
    });
    format!("{document:#}\n")
}

fn use_from_now_on(check: &Check) -> Value {
    let measured = |tool: &str| {
        let lines = check.analysis.lines.as_ref().filter(|_| check.analysis.recommended.is_some());
        lines.and_then(|lines| lines.of(tool))
    };
    let of = |tool: &str, line: &str| {
        let text = lines::beside(check, tool);
        let unknown = || {
            let effect = text.as_ref().map(|text| object!({"unavailable": text}));
            object!({"effect": effect, "repeats": 0, "call": LineCall::NotMeasured, "kept": null})
        };
        let mut value = measured(tool).map_or_else(unknown, line_effect);
        value["line"] = line.into();
        value["text"] = text.into();
        value
    };
    let from_now_on = check.from_now_on;
    let mut value = of(LineTool::Numawise.name(), &from_now_on.line);
    value["equivalents"] = each(&from_now_on.equivalents, |(tool, line)| {
        let mut value = of(tool, line);
        value["tool"] = tool.as_str().into();
        value
    });
    value["comments"] = object!(from_now_on.comments);
    value
}

/// All lines that were run or were to be, also those that are not recommended.
fn printed_lines(of: &LineEffects) -> Value {
    object!({
        "point": of.point,
        "against": of.against,
        "lines": each(&of.lines, |line| {
            let mut value = line_effect(line);
            value["tool"] = line.tool.name().into();
            value["line"] = line.line.as_str().into();
            value["text"] = lines::text(line).into();
            value
        }),
    })
}

fn line_effect(line: &LineEffect) -> Value {
    let effect = match &line.effect {
        Ok(of) => findings::json::effect(of),
        Err(_) => object!({"unavailable": lines::text(line)}),
    };
    object!({"effect": effect, "repeats": line.repeats, "call": line.call, "kept": line.kept})
}

fn placed_well(placed_well: &PlacedWell) -> Value {
    match placed_well {
        PlacedWell::Yes => true.into(),
        PlacedWell::No => false.into(),
        PlacedWell::NotDecided { points } => {
            object!({"unavailable": words::not_decided(points), "open": points})
        }
    }
}

fn expected(expected: &Expected) -> Value {
    object!({
        "cpus_of_node": expected.from,
        "memory_of_node": expected.to,
        "latency": expected.latency,
        "bandwidth": expected.bandwidth,
        "text": words::expected(expected),
        "effects": each(&expected.effects, |one| object!({
            "from": one.from,
            "to": one.to,
            "moved": match one.moved {
                MemoryMove::ToRemote => "to_remote",
                MemoryMove::ToInterleaved => "to_interleaved",
                MemoryMove::ToHighBandwidth => "to_high_bandwidth",
            },
            "latency_bound": one.latency_bound,
            "bandwidth_bound": one.bandwidth_bound,
            "seen": reading(&one.seen, findings::json::effect),
        })),
    })
}

fn metric(check: &Check) -> Value {
    let metric = &check.study.header.metric;
    let kind = match metric {
        Metric::WallTime => "wall_time",
        Metric::Output { .. } => "output",
        Metric::File { .. } => "file",
    };
    object!({
        "name": words::metric(metric),
        "kind": kind,
        "regex": metric.regex(),
        "file": metric.file(),
        "higher_is_better": metric.higher_is_better(),
    })
}

fn point(point: &PointSummary) -> Value {
    let by_node = |key: &str, list: Vec<(u32, Value)>| {
        let entries = list.into_iter().map(|(node, value)| object!({"node": node, key: value}));
        Value::Array(entries.collect())
    };
    object!({
        "id": point.id,
        "title": levels::title(&point.levels),
        "levels": point.levels,
        "role": point.role,
        "n": point.samples.len(),
        "samples": point.samples,
        "median": point.median,
        "median_low": point.median_low,
        "median_high": point.median_high,
        "variation": point.variation,
        "varies": point.varies,
        "failed": point.failed,
        "disturbed": point.disturbed,
        "pages": reading(&point.pages, |pages| {
            by_node("bytes", pages.iter().map(|(node, bytes)| (node.0, object!(bytes))).collect())
        }),
        "cpu_share": reading(&point.cpu_share, |shares| {
            by_node("share", shares.iter().map(|(node, share)| (node.0, object!(share))).collect())
        }),
        "threads_seen": point.threads_seen,
        "migrations": point.migrations,
        "peak_memory_bytes": point.peak_memory,
        "frequency_hz": point.frequency,
        "frequency_by_node": by_node("hz", point.frequency_by_node.iter().map(|(node, hz)| (node.0, object!(hz))).collect()),
        "placement": point.placement,
    })
}

fn trial(check: &Check, trial: &Trial) -> Value {
    let mut row = object!({
        "number": trial.number,
        "block": trial.block,
        "warm_up": trial.is_warm_up(),
        "point": trial.point,
        "status": trial.outcome.word(),
        "value": check.study.header.value(trial),
        "wall_ns": trial.wall,
        "started_ns": trial.started,
        "disturbances": each(&trial.disturbances, disturbance),
        "left_behind": trial.left_behind,
        "frequency": trial.observation.measured().and_then(|seen| seen.frequency.measured()),
    });
    match &trial.outcome {
        Outcome::Measured { .. } => {}
        Outcome::Failed { failure, output_tail } => {
            match failure.exit {
                Exit::Code(code) => row["exit_code"] = object!(code),
                Exit::Signal(signal) => row["exit_signal"] = object!(signal),
            }
            row["ended_by"] = object!(failure.ended_by);
            row["output_tail"] = object!(output_tail);
        }
        Outcome::NoMetric { problem, output_tail } => {
            row["problem"] = notice::metric_problem(Some(&check.study.header.metric), problem).into();
            row["output_tail"] = object!(output_tail);
        }
    }
    row
}

fn disturbance(disturbance: &Disturbance) -> Value {
    let time = |kind: &str, time: &Nanoseconds| object!({"kind": kind, "time_ns": time});
    match disturbance {
        Disturbance::Steal(share) => object!({"kind": "steal", "share": share}),
        Disturbance::OtherLoad(share) => object!({"kind": "other_load", "share": share}),
        Disturbance::Watching(share) => object!({"kind": "watching", "share": share}),
        Disturbance::Stopped(of) => time("stopped", of),
        Disturbance::WatcherStopped(of) => time("watcher_stopped", of),
        Disturbance::Suspended(of) => time("suspended", of),
        Disturbance::ClockSet(by) => time("clock_set", by),
    }
}

fn machine(check: &Check) -> Value {
    let (machine, host) = (&check.study.header.machine, &check.study.header.host);
    let list = |value: &dyn ToString| value.to_string();
    let nodes = machine.nodes.iter().map(|node| {
        object!({
            "id": node.id,
            "cpus": list(&node.cpus),
            "memory_bytes": node.memory,
            "kind": node.kind,
            "distances": node.distances,
        })
    });
    #[derive(Serialize)]
    struct Host<'a> {
        hostname: &'a Reading<String>,
        kernel: &'a Reading<String>,
        cpu_model: &'a Reading<String>,
        frequency: &'a Reading<FrequencyFacts>,
    }
    let host = Host {
        hostname: &host.hostname,
        kernel: &host.kernel,
        cpu_model: &host.cpu_model,
        frequency: &host.frequency,
    };
    object!({
        "summary": crate::settings::machine(&check.study.header),
        "nodes": nodes.collect::<Vec<_>>(),
        "cpus": list(&machine.online()),
        "allowed_cpus": list(&machine.allowed_cpus),
        "allowed_nodes": list(&machine.allowed_nodes),
        "host": host,
    })
}
