//! A snapshot as JSON, for scripts: `docs/formats/snapshot-json.md`.

use numawise_facts::Reading;
use numawise_tables::snapshot::{
    MpiSummary, OpenMpSummary, ProcessRow, RunDoubt, RunSnapshot, SnapshotFinding, SpanScope, TrafficMatrix,
};
use numawise_units::{Nanoseconds, Ratio};
use serde_json::{Value, json as object};

use super::figure::Figure;
use super::figures::share;
use super::mpi::{CALLS, COMMUNICATORS, SITES, SIZES};
use super::openmp::REGIONS;
use super::processes::{TIMES, WHO};
use super::{
    Shown, counters, figure, figures, files, objects, phases, spreads, surroundings, trace, words, worlds,
};
use crate::findings;
use crate::notice;
use crate::object::{command, each, exit, reading};

/// The name and the version of the format.
pub const SCHEMA: &str = "numawise/snapshot/1";

/// The snapshot as one JSON object, ending with a newline.
pub fn json(shown: &Shown) -> String {
    let (header, tables) = (&shown.run.header, shown.tables);
    let document = object!({
        "schema": SCHEMA,
        "headline": words::headline(tables, header.exit),
        "grade": tables.grade,
        "doubt": tables.doubt.as_ref().map(doubt),
        "text": words::sentence(tables),
        "elapsed_seconds": seconds(&tables.elapsed),
        "span": reading(&tables.span, |span| object!({
            "seconds": span.time.seconds(),
            "scope": match span.scope {
                SpanScope::WholeRun => "whole_run",
                SpanScope::BetweenInitAndFinalize => "between_init_and_finalize",
            },
        })),
        "processes": {
            "counted": tables.processes.counted, "ranks": tables.processes.ranks, "world": tables.processes.world,
            "others": tables.processes.others, "hosts": tables.processes.hosts, "in_full": tables.rows.len(),
        },
        "cpus": reading(&tables.cpus, |cpus| object!({ "count": cpus.count, "allowed": cpus.allowed })),
        "time": reading(&tables.time, figures::cpu_time),
        "without_thread_seconds": reading(&tables.without_thread(), |time| object!(time.seconds())),
        "useful": share(&tables.useful),
        "efficiency": figures::efficiency(&tables.efficiency),
        "judgements": judgements(tables),
        "findings": each(&tables.findings, finding),
        "worlds": each(&tables.worlds, worlds::json),
        "ranks": each(&tables.rows, process),
        "rank_spreads": spreads::json(tables.merged.as_ref()),
        "others": each(&tables.others, process),
        "mpi": reading(&tables.mpi, mpi),
        "trace": trace::json(tables.trace.as_ref()),
        "openmp": reading(&tables.openmp, openmp),
        "regions": tables.openmp.measured().map_or_else(|| object!([]), |openmp| rows(REGIONS, &openmp.regions)),
        "placement": surroundings::placement_json(tables),
        "memory": surroundings::memory_json(&tables.memory),
        "files": files::summary_json(&tables.files),
        "counters": counters::json(shown),
        "memory_traffic": counters::traffic_json(&header.traffic),
        "phases": reading(&tables.phases, phases::json),
        "objects": objects::json(shown),
        "lost": lost(tables),
        "notices": each(&header.notices, notice::json),
        "exit": exit(header.exit),
        "wall_seconds": header.wall.seconds(),
        "command": command(&header.command),
        "asked_ranks": header.ranks,
        "division": header.division.as_ref().map(|of| of.division),
        "tool_version": header.tool_version,
        "begun_ns": header.begun,
        "record": shown.record,
    });
    format!("{document:#}\n")
}

/// Why nothing is graded.
fn doubt(of: &RunDoubt) -> Value {
    match of {
        RunDoubt::TooShort { shortest } => {
            object!({ "kind": "too_short", "shortest_seconds": shortest.seconds() })
        }
        RunDoubt::Disturbed { lost } => {
            object!({ "kind": "disturbed", "lost_seconds": lost.time.seconds(), "lost_share": lost.share.0 })
        }
    }
}

fn seconds(of: &Reading<Nanoseconds>) -> Value {
    reading(of, |time| object!(time.seconds()))
}

fn ratio(of: &Reading<Ratio>) -> Value {
    reading(of, |share| object!(share.0))
}

/// The grade of each efficiency, with its threshold.
fn judgements(tables: &RunSnapshot) -> Value {
    let judged = figures::rated(&tables.efficiency)
        .into_iter()
        .map(|of| (of.name, of.share))
        .chain([("useful", &tables.useful), ("files", &tables.files.share)])
        .filter_map(|(name, of)| {
            let rating = of.rating?;
            let value = object!({
                "grade": rating.grade, "good": rating.good.0, "bad": rating.bad.0, "source": rating.source,
                "text": words::judgement(of),
            });
            Some((name.to_owned(), value))
        });
    let counted = tables.counters.measured().into_iter().flat_map(counters::judgements);
    judged.chain(counted).collect::<serde_json::Map<_, _>>().into()
}

fn process(of: &ProcessRow) -> Value {
    let mut value = object!({ "world": of.world });
    for (name, figure) in figure::fields(WHO, of).into_iter().chain(figure::fields(TIMES, of)) {
        value[name] = figure;
    }
    value["placement"] = surroundings::process_json(of);
    value["files"] = files::json(&of.files);
    value["counters"] = counters::process_json(of);
    value
}

fn finding(of: &SnapshotFinding) -> Value {
    let SnapshotFinding { finding, potential } = of;
    let sentences = findings::evidence_of_run(finding);
    let evidence: Vec<Value> = finding
        .evidence
        .iter()
        .zip(sentences)
        .map(|(one, text)| {
            let mut value = findings::json::evidence(one);
            value["text"] = text.into();
            value
        })
        .collect();
    let advice = finding.advice.iter().zip(findings::advice(finding));
    object!({
        "id": finding.id,
        "title": findings::title(finding.id),
        "evidence": evidence,
        "potential": reading(potential, |gain| object!({ "seconds": gain.time.seconds(), "share": gain.share.0 })),
        "advice": advice.map(|(step, text)| object!({ "do": step.advice, "text": text })).collect::<Vec<_>>(),
    })
}

fn rows<R>(figures: &[Figure<R>], of: &[R]) -> Value {
    each(of, |row| figure::object(figures, row))
}

fn mpi(of: &MpiSummary) -> Value {
    object!({
        "library": of.library,
        "has_several": of.has_several,
        "share": share(&of.share),
        "share_by_rank": reading(&of.share_by_rank, |spread| object!({
            "mean": spread.mean.0,
            "least": { "rank": spread.least.0, "share": spread.least.1.0 },
            "most": { "rank": spread.most.0, "share": spread.most.1.0 },
        })),
        "imbalance_seconds": seconds(&of.imbalance),
        "imbalance_share": ratio(&of.imbalance_share),
        "waiting_share": share(&of.waiting_share),
        "waiting_in_calls_seconds": reading(&of.waiting_in_calls, |of| object!(of.waiting.seconds())),
        "waiting_known_of_seconds": reading(&of.waiting_in_calls, |of| object!(of.known.seconds())),
        "in_requests_seconds": reading(&of.waiting_in_calls, |of| object!(of.in_requests.seconds())),
        "calls": rows(CALLS, &of.calls),
        "sites": rows(SITES, &of.sites),
        "further_sites": { "count": of.further_sites.count, "seconds": of.further_sites.time.seconds() },
        "messages": rows(SIZES, &of.messages),
        "communicators": rows(COMMUNICATORS, &of.communicators),
        "volume": {
            "by_rank": matrix(&of.volume.by_rank),
            "by_host": reading(&of.volume.by_host, matrix),
            "hosts": of.volume.hosts,
            "lost": { "messages": of.volume.lost.0, "bytes": of.volume.lost.1.0 },
        },
    })
}

fn matrix(of: &TrafficMatrix) -> Value {
    object!({
        "size": of.size,
        "group": of.group,
        "cells": each(&of.cells, |cell| object!({
            "from": cell.from, "to": cell.to, "messages": cell.messages, "bytes": cell.bytes.0,
        })),
    })
}

fn openmp(of: &OpenMpSummary) -> Value {
    object!({
        "runtimes": of.runtimes,
        "processes": of.processes,
        "serial": share(&of.serial),
        "potential_gain_seconds": seconds(&of.potential_gain),
        "imbalance_share": share(&of.imbalance_share),
        "further_regions": of.further_regions,
        "lost": of.lost,
    })
}

fn lost(tables: &RunSnapshot) -> Value {
    let of = &tables.lost;
    object!({
        "threads": of.threads, "files": of.files, "communicators": of.communicators, "requests": of.requests,
        "mpi_calls": of.mpi_calls, "messages": of.messages, "constructs": of.constructs,
    })
}
