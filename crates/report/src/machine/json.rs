//! The JSON of `numawise machine --json`, as `docs/formats/machine-json.md` specifies it.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{Cpu, Device, Estimate, Figure, Machine, Source};
use numawise_units::Arrange;
use serde_json::{Value, json as object};

use super::evidence;
use crate::notice;
use crate::object::each;

/// The name and version of the format. The number grows when a reader of the old one could be misled.
pub const SCHEMA: &str = "numawise/machine/1";

/// A machine for scripts.
pub fn json(machine: &Machine) -> Value {
    object!({
        "schema": SCHEMA,
        "source": source(&machine.source),
        "cpus": machine.online(),
        "allowed_cpus": machine.allowed_cpus,
        "allowed_nodes": machine.allowed_nodes,
        "nodes": each(&machine.nodes, |node| object!({
            "id": node.id,
            "cpus": node.cpus,
            "near": node.near,
            "memory_bytes": node.memory,
            "free_bytes": node.free,
            "kind": node.kind,
            "kind_evidence": kind_evidence(&node.kind_evidence),
            "distances": node.distances,
        })),
        "packages": each(&machine.packages, |package| object!({
            "index": package.index,
            "cpus": package.cpus,
        })),
        "cores": cores(&machine.cpus),
        "caches": each(&machine.caches, |cache| object!({
            "level": cache.level,
            "size_bytes": cache.size,
            "cpus": cache.cpus,
        })),
        "attributes": each(&machine.attributes, |attribute| object!({
            "kind": attribute.kind(),
            "initiator_cpus": attribute.initiator,
            "target_node": attribute.target,
            "origin": attribute.origin,
            "figure": figure(&attribute.figure),
        })),
        "devices": machine.devices.as_ref().map(|devices| each(devices, device)),
        "limits": each(&machine.limits, notice::machine::json),
    })
}

fn device(device: &Device) -> Value {
    object!({
        "kind": device.kind,
        "name": device.name(),
        "names": device.names,
        "pci": device.pci,
        "vendor": device.vendor.map(|vendor| object!({ "id": vendor.to_string(), "name": vendor.name() })),
        "model": device.model,
        "near": device.locality.as_ref().map(|near| object!({ "nodes": near.nodes, "cpus": near.cpus })),
    })
}

fn source(source: &Source) -> Value {
    match source {
        Source::Live => object!({ "kind": "live" }),
        Source::Xml(path) => object!({ "kind": "xml", "input": path }),
        Source::Synthetic(text) => object!({ "kind": "synthetic", "input": text }),
    }
}

/// Cores with their CPUs in the order of their hardware threads.
fn cores(cpus: &[Cpu]) -> Value {
    let mut cores: Vec<(u32, Vec<&Cpu>)> = Vec::new();
    let mut sorted: Vec<&Cpu> = cpus.iter().collect();
    sorted.arrange_by_key(|cpu| (cpu.core, cpu.smt));
    for cpu in sorted {
        match cores.last_mut() {
            Some((core, list)) if *core == cpu.core => list.push(cpu),
            _ => cores.push((cpu.core, vec![cpu])),
        }
    }
    each(&cores, |(core, cpus)| {
        object!({
            "core": core,
            "cpus": cpus.iter().map(|cpu| cpu.id).collect::<Vec<_>>(),
            "node": cpus[0].node,
            "package": cpus[0].package,
            "efficiency": cpus[0].efficiency,
        })
    })
}

fn kind_evidence(evidence: &MemoryKindEvidence) -> Value {
    let mut value = object!(evidence);
    value["text"] = object!(evidence::text(evidence));
    value
}

/// Of a declared figure there is no interval.
fn figure(figure: &Figure) -> Value {
    match figure {
        Figure::Latency(latency) => estimate(&latency.map(|latency| latency.0), "ns"),
        Figure::Bandwidth(bandwidth) => estimate(&bandwidth.map(|bandwidth| bandwidth.0), "B/s"),
    }
}

fn estimate(estimate: &Estimate<f64>, unit: &str) -> Value {
    let mut value = object!({ "value": estimate.median, "unit": unit, "samples": estimate.samples });
    if estimate.samples > 1 {
        value["low"] = object!(estimate.low);
        value["high"] = object!(estimate.high);
    }
    value
}
