//! Memory attributes: what the firmware says of latency and bandwidth, or what was measured and written into the file.

use numawise_facts::{Attribute, AttributeKind, AttributeOrigin};
use numawise_units::CpuSet;
use roxmltree::Node as Element;

use super::objects::{Objects, optional};
use super::{bitmap, figures};

/// The attributes of hwloc that speak of speed. Others, users' own among them, are left out.
pub(super) const NAMES: [(&str, AttributeKind); 6] = [
    ("Latency", AttributeKind::Latency),
    ("ReadLatency", AttributeKind::ReadLatency),
    ("WriteLatency", AttributeKind::WriteLatency),
    ("Bandwidth", AttributeKind::Bandwidth),
    ("ReadBandwidth", AttributeKind::ReadBandwidth),
    ("WriteBandwidth", AttributeKind::WriteBandwidth),
];

pub(super) fn is_bandwidth(kind: AttributeKind) -> bool {
    matches!(kind, AttributeKind::Bandwidth | AttributeKind::ReadBandwidth | AttributeKind::WriteBandwidth)
}

pub(super) fn read(topology: Element<'_, '_>, objects: &Objects<'_, '_>) -> Result<Vec<Attribute>, String> {
    let measured = figures::measured(topology);
    let mut found = Vec::new();
    for element in topology.children().filter(|child| child.has_tag_name("memattr")) {
        let name = element.attribute("name").unwrap_or_default();
        let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == name) else {
            continue;
        };
        for value in element.children().filter(|child| child.has_tag_name("memattr_value")) {
            let declared = one(value, *kind, objects)?;
            found.extend(if measured.iter().any(|measured| measured == name) {
                declared.map(|figure| Attribute {
                    origin: AttributeOrigin::Measured,
                    value: figures::from_hwloc(*kind, figure.value),
                    ..figure
                })
            } else {
                declared
            });
        }
    }
    found.sort_by_key(|attribute| (attribute.kind as u8, attribute.initiator.first(), attribute.target));
    Ok(found)
}

/// One value; none when its target is no node or its initiator is not there.
fn one(
    element: Element<'_, '_>,
    kind: AttributeKind,
    objects: &Objects<'_, '_>,
) -> Result<Option<Attribute>, String> {
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
    Ok(Some(Attribute {
        kind,
        origin: AttributeOrigin::Firmware,
        initiator: initiator.intersection(&objects.cpus),
        target: *target,
        value,
    }))
}
