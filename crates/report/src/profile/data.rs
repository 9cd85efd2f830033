//! What the charts draw.

use numawise_facts::Mix;
use numawise_tables::{CoreMatrix, LoadedCurve, WorkingSetCurve};
use serde_json::{Value, json as object};

use super::{Measured, words};

/// More cores than this are drawn thinned out: a screen has no more room.
pub const CORES: usize = 96;
/// Curves in one chart at most, for there are as many colours.
pub const CURVES: usize = 8;

pub fn data(measured: &Measured) -> Value {
    let tables = measured.tables;
    let caches = tables.working_sets.iter().find_map(|curve| curve.caches.measured());
    let caches = caches.into_iter().flatten();
    object!({
        "working_sets": tables.working_sets.iter().take(CURVES).map(working_set).collect::<Vec<_>>(),
        "caches": caches.map(|step| object!({
            "name": format!("L{} {}", step.level, step.size), "bytes": step.size,
        })).collect::<Vec<_>>(),
        "by_mix": by_mix(&tables.loaded).into_iter().map(|curve| loaded(curve, words::mix(curve.mix))).collect::<Vec<_>>(),
        "by_pair": by_pair(&tables.loaded).into_iter()
            .map(|curve| loaded(curve, &words::pair_loaded(curve))).collect::<Vec<_>>(),
        "cores": tables.cores.iter().filter(|cores| cores.range.is_some()).map(cores).collect::<Vec<_>>(),
    })
}

fn working_set(curve: &WorkingSetCurve) -> Value {
    let points = curve.points.iter().map(|(bytes, latency)| {
        let of = |estimate: &numawise_facts::Estimate<numawise_units::Latency>| {
            [estimate.median, estimate.low, estimate.high].map(|latency| short(latency.0))
        };
        object!([bytes, latency.measured().map(of)])
    });
    object!({
        "name": format!("node {} -> {}", curve.from, curve.to), "points": points.collect::<Vec<_>>(),
    })
}

fn known(curve: &&LoadedCurve) -> bool {
    curve.points.measured().is_some()
}

/// All mixes of one pair: of the first on local memory, where there is one.
pub fn by_mix(all: &[LoadedCurve]) -> Vec<&LoadedCurve> {
    let own = all.iter().filter(known).find(|curve| curve.from == curve.to);
    let Some(first) = own.or(all.iter().find(known)) else { return Vec::new() };
    let same =
        |curve: &&LoadedCurve| (curve.from, curve.to, curve.workers) == (first.from, first.to, first.workers);
    all.iter().filter(known).filter(same).take(CURVES).collect()
}

/// Reads of several pairs: of all, or of the first node where these are too many.
pub fn by_pair(all: &[LoadedCurve]) -> Vec<&LoadedCurve> {
    let reads: Vec<&LoadedCurve> = all.iter().filter(known).filter(|curve| curve.mix == Mix::Read).collect();
    if reads.len() <= CURVES {
        return reads;
    }
    let first = reads[0].from;
    let of_first: Vec<&LoadedCurve> = reads.iter().copied().filter(|curve| curve.from == first).collect();
    if of_first.len() > 1 { of_first.into_iter().take(CURVES).collect() } else { reads[..CURVES].to_vec() }
}

fn loaded(curve: &LoadedCurve, name: &str) -> Value {
    let points = curve.points.measured().into_iter().flatten();
    let points = points.map(|point| [short(point.bandwidth.median.0 / 1e9), short(point.latency.median.0)]);
    let knee = curve
        .knee
        .measured()
        .map(|knee| object!([short(knee.bandwidth.0 / 1e9), short(knee.latency.0), words::knee(knee.why)]));
    object!({ "name": name, "points": points.collect::<Vec<_>>(), "knee": knee })
}

fn cores(cores: &CoreMatrix) -> Value {
    let step = cores.cpus.len().div_ceil(CORES).max(1);
    let every = |k: &usize| k.is_multiple_of(step);
    let shown: Vec<usize> = (0..cores.cpus.len()).filter(every).collect();
    let cells = shown.iter().map(|k| {
        let row = shown.iter().map(|l| {
            let estimate = cores.cells[*k][*l].as_ref().and_then(|cell| cell.measured());
            estimate.map(|estimate| short(estimate.median))
        });
        row.collect::<Vec<_>>()
    });
    object!({
        "cpus": shown.iter().map(|k| cores.cpus[*k]).collect::<Vec<_>>(),
        "nodes": shown.iter().map(|k| cores.nodes[*k]).collect::<Vec<_>>(),
        "cells": cells.collect::<Vec<_>>(),
        "range": cores.range,
    })
}

/// Five digits are finer than any screen.
fn short(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}
