//! A machine with what was measured of it: a profile's figures merged with the firmware's, and memory kinds derived anew from them.

mod export;

use numawise_facts::{
    Attribute, AttributeOrigin, Figure, Machine, MemoryAccess, Mix, Profile, Target, Workers,
};
use numawise_units::{Arrange, CpuSet, NodeId};

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
    kinds::derive_from_measured(&mut machine.nodes, &machine.attributes);
    machine
}

/// The figures of a profile for the nodes of a machine.
fn figures(machine: &Machine, profile: &Profile) -> Vec<Attribute> {
    let mut figures = Vec::new();
    for cell in &profile.latency {
        let figure = cell.latency.measured().map(|latency| Figure::Latency(*latency));
        figures.extend(one(machine, profile, MemoryAccess::Read, (cell.from, cell.to), figure));
    }
    for cell in &profile.bandwidth {
        let (Workers::Node(from), Target::Node(to)) = (cell.workers, cell.target) else {
            continue;
        };
        let Some(access) = access_of(cell.mix) else {
            continue;
        };
        let figure = cell.rate.measured().map(|rate| Figure::Bandwidth(*rate));
        figures.extend(one(machine, profile, access, (from, to), figure));
    }
    figures.arrange_by_key(|figure| (figure.kind() as u8, figure.initiator.first(), figure.target));
    figures
}

fn access_of(mix: Mix) -> Option<MemoryAccess> {
    match mix {
        Mix::Read => Some(MemoryAccess::Read),
        Mix::NonTemporalWrite => Some(MemoryAccess::Write),
        Mix::Read1Write1 => Some(MemoryAccess::Both),
        Mix::Read3Write1 | Mix::Read2Write1 | Mix::Triad => None,
    }
}

/// An attribute with the figure and its interval. Less than one of hwloc's units is none: its files keep whole numbers, and 0
/// would be a missing one.
fn one(
    machine: &Machine,
    profile: &Profile,
    access: MemoryAccess,
    (from, target): (NodeId, NodeId),
    figure: Option<Figure>,
) -> Option<Attribute> {
    let figure = figure.filter(|figure| {
        let value = figure.in_units_of_the_kernel();
        value.is_finite() && value.round() >= 1.0
    })?;
    machine.node(target)?;
    let initiator = initiator(machine, profile, from)?;
    Some(Attribute { access, origin: AttributeOrigin::Measured, initiator, target, figure })
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
