//! Memory attributes: what the firmware says of latency and bandwidth, or what was measured and written into the file.

use numawise_facts::{Attribute, AttributeKind, AttributeOrigin, Estimate, Figure};
use numawise_units::{Arrange, BytesPerSecond, CpuSet, Latency};
use roxmltree::Node as Element;

use super::bitmap;
use super::objects::{Objects, optional};
use crate::error::XmlError;

/// The attributes of hwloc that speak of speed. Others, users' own among them, are left out.
pub(super) const NAMES: [(&str, AttributeKind); 6] = [
    ("Latency", AttributeKind::Latency),
    ("ReadLatency", AttributeKind::ReadLatency),
    ("WriteLatency", AttributeKind::WriteLatency),
    ("Bandwidth", AttributeKind::Bandwidth),
    ("ReadBandwidth", AttributeKind::ReadBandwidth),
    ("WriteBandwidth", AttributeKind::WriteBandwidth),
];

/// The info that names the measured attributes, with commas between them.
pub(super) const NOTE: &str = "NumawiseMeasured";
/// MiB in bytes: hwloc's unit of bandwidths that are no copies of the firmware's.
pub(super) const MIB: f64 = 1_048_576.0;

/// A second: no memory answers so late.
const MOST_NANOSECONDS: (u64, &str) = (1_000_000_000, "at most a second, in nanoseconds");
/// 10^16 bytes per second, in the kernel's unit.
const MOST_RATE: (u64, &str) = (10_000_000_000, "at most 10^10, in 10^6 bytes per second");

pub(super) fn read(topology: Element<'_, '_>, objects: &Objects<'_, '_>) -> Result<Vec<Attribute>, XmlError> {
    let measured = measured(topology);
    let mut found = Vec::new();
    for element in topology.children().filter(|child| child.has_tag_name("memattr")) {
        let name = element.attribute("name").unwrap_or_default();
        let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == name) else {
            continue;
        };
        let is_measured = measured.iter().any(|measured| measured == name);
        for value in element.children().filter(|child| child.has_tag_name("memattr_value")) {
            found.extend(one(value, *kind, is_measured, objects)?);
        }
    }
    found.arrange_by_key(|attribute| (attribute.kind() as u8, attribute.initiator.first(), attribute.target));
    Ok(found)
}

/// The attributes of a text that are measured, by name.
fn measured(topology: Element<'_, '_>) -> Vec<String> {
    let machine = topology.children().find(|child| child.has_tag_name("object"));
    let infos = machine.into_iter().flat_map(|machine| machine.children());
    let mut notes = infos.filter(|info| info.has_tag_name("info") && info.attribute("name") == Some(NOTE));
    let names = notes.next().and_then(|note| note.attribute("value")).unwrap_or_default();
    names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// One value; none when its target is no node or its initiator is not there.
fn one(
    element: Element<'_, '_>,
    kind: AttributeKind,
    measured: bool,
    objects: &Objects<'_, '_>,
) -> Result<Option<Attribute>, XmlError> {
    let target: Option<u64> = optional(element, "target_obj_gp_index")?;
    let target = target.and_then(|number| objects.node_numbers.get(&number));
    let initiator: Option<CpuSet> = match element.attribute("initiator_cpuset") {
        Some(text) => Some(bitmap::parse(text)?),
        None => optional(element, "initiator_obj_gp_index")?
            .and_then(|number: u64| objects.cpus_of.get(&number).cloned()),
    };
    let value: Option<u64> = optional(element, "value")?;
    let (Some(target), Some(initiator), Some(value)) = (target, initiator, value) else {
        return Ok(None);
    };
    // The kernel's and hwloc's way to say that nothing is known.
    if value == 0 {
        return Ok(None);
    }
    let (most, expected) = if kind.is_bandwidth() { MOST_RATE } else { MOST_NANOSECONDS };
    if value > most {
        let what =
            format!("a {} of node {target}", if kind.is_bandwidth() { "bandwidth" } else { "latency" });
        return Err(XmlError::Impossible { what, found: value, expected });
    }
    let declared = Attribute::declared(kind, initiator.intersection(&objects.cpus), *target, value);
    if !measured {
        return Ok(Some(declared));
    }
    // hwloc keeps no intervals.
    let value = value as f64;
    let figure = if kind.is_bandwidth() {
        Figure::Bandwidth(Estimate::single(BytesPerSecond(value * MIB)))
    } else {
        Figure::Latency(Estimate::single(Latency(value)))
    };
    Ok(Some(Attribute { origin: AttributeOrigin::Measured, figure, ..declared }))
}
