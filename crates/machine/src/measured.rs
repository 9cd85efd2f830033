//! A machine with what was measured of it: a profile's figures beside the firmware's, and memory kinds told anew by them.

mod export;

use numawise_facts::{
    Attribute, AttributeKind, AttributeOrigin, Estimate, Machine, Mix, Profile, Reading, Target, Workers,
};
use numawise_units::{BytesPerSecond, CpuSet, Latency, NodeId};

use crate::kinds;

pub use export::{hwloc_xml, hwloc_xml_from};

#[cfg(test)]
#[path = "measured_tests.rs"]
mod tests;

/// The machine with the figures of a profile of it; those of an older profile go. Whether it is a profile of this machine is
/// the caller's to know (both have the same [`fingerprint`](crate::fingerprint)).
///
/// Idle latency becomes `ReadLatency`, since a chase of pointers only loads. Of the bandwidth of a node's cores, reads
/// become `ReadBandwidth`, stores past the caches `WriteBandwidth`, and one line written for each read `Bandwidth`, which is of
/// both. What was not measured has no figure.
pub fn with_measured(machine: Machine, profile: &Profile) -> Machine {
    let measured = figures(&machine, profile);
    with_figures(machine, measured)
}

/// The machine with figures that were measured before and kept with another description of it.
pub fn with_measured_of(machine: Machine, older: &Machine) -> Machine {
    let measured = older.attributes.iter().filter(|a| a.origin == AttributeOrigin::Measured);
    let measured = measured.cloned().collect();
    with_figures(machine, measured)
}

fn with_figures(mut machine: Machine, measured: Vec<Attribute>) -> Machine {
    machine.attributes.retain(|attribute| attribute.origin == AttributeOrigin::Firmware);
    machine.attributes.extend(measured);
    kinds::measured(&mut machine.nodes, &machine.attributes);
    machine
}

/// The figures of a profile for the nodes of a machine.
fn figures(machine: &Machine, profile: &Profile) -> Vec<Attribute> {
    let mut figures = Vec::new();
    for cell in &profile.latency {
        let value = rounded(&cell.latency, |latency: Latency| latency.0);
        figures.extend(one(machine, profile, AttributeKind::ReadLatency, cell.from, cell.to, value));
    }
    for cell in &profile.bandwidth {
        let (Workers::Node(from), Target::Node(to)) = (cell.workers, cell.target) else {
            continue;
        };
        let Some(kind) = kind_of(cell.mix) else {
            continue;
        };
        let value = rounded(&cell.rate, |rate: BytesPerSecond| rate.0 / 1e6);
        figures.extend(one(machine, profile, kind, from, to, value));
    }
    figures.sort_by_key(|figure| (figure.kind as u8, figure.initiator.first(), figure.target));
    figures
}

fn kind_of(mix: Mix) -> Option<AttributeKind> {
    match mix {
        Mix::Read => Some(AttributeKind::ReadBandwidth),
        Mix::NonTemporalWrite => Some(AttributeKind::WriteBandwidth),
        Mix::Read1Write1 => Some(AttributeKind::Bandwidth),
        Mix::Read3Write1 | Mix::Read2Write1 | Mix::Triad => None,
    }
}

/// A whole number above 0, or nothing: a figure of 0 would be a missing one.
fn rounded<T: Copy>(reading: &Reading<Estimate<T>>, number: impl Fn(T) -> f64) -> Option<u64> {
    let value = number(reading.measured()?.median).round();
    (value >= 1.0 && value < u64::MAX as f64).then_some(value as u64)
}

fn one(
    machine: &Machine,
    profile: &Profile,
    kind: AttributeKind,
    from: NodeId,
    to: NodeId,
    value: Option<u64>,
) -> Option<Attribute> {
    machine.node(to)?;
    let initiator = initiator(machine, profile, from)?;
    Some(Attribute { kind, origin: AttributeOrigin::Measured, initiator, target: to, value: value? })
}

/// For whom figures from a node hold: for all of its CPUs where every core measured, with one hardware thread or more, and
/// else for those that did, since fewer cores do not load memory as all of them would.
fn initiator(machine: &Machine, profile: &Profile, from: NodeId) -> Option<CpuSet> {
    let all = &machine.node(from)?.cpus;
    let node = profile.header.nodes.iter().find(|node| node.id == from);
    let initiator = match node.and_then(|node| node.cpus.measured()) {
        Some(measured) => {
            let core = |cpu| machine.cpu(cpu).map(|cpu| cpu.core);
            let took_part = |cpu| measured.iter().any(|other| other == cpu || core(other) == core(cpu));
            if all.iter().all(took_part) { all.clone() } else { all.intersection(measured) }
        }
        None => all.clone(),
    };
    (!initiator.is_empty()).then_some(initiator)
}
