//! hwloc's I/O objects: PCI devices, and what operating system and libraries call them.

use numawise_facts::{Device, DeviceLocality, PciVendor, Reading};
use numawise_units::{NodeId, NodeSet};
use roxmltree::Node as Element;

use super::bitmap;
use super::objects::Objects;
use crate::devices::{self, Found, Meaning, OsName};
use crate::error::XmlError;

#[cfg(test)]
#[path = "devices_tests.rs"]
mod tests;

/// The devices of a file; unavailable where it has no I/O object at all, as lstopo writes it with --no-io.
pub(super) fn read(
    topology: Element<'_, '_>,
    objects: &Objects<'_, '_>,
    nodes: &[NodeId],
) -> Result<Reading<Vec<Device>>, XmlError> {
    let of_type =
        |kind: &'static str| move |element: &Element<'_, '_>| element.attribute("type") == Some(kind);
    let all = || topology.descendants().filter(|element| element.has_tag_name("object"));
    if !all().any(|element| matches!(element.attribute("type"), Some("Bridge" | "PCIDev" | "OSDev"))) {
        return Ok(Reading::unavailable("hwloc's description has no devices in it"));
    }
    let nodes: NodeSet = nodes.iter().copied().collect();
    let mut found = Vec::new();
    for element in all().filter(of_type("PCIDev")) {
        let names: Vec<OsName> = element.descendants().filter(of_type("OSDev")).filter_map(os_name).collect();
        found.push(Found {
            pci: element.attribute("pci_busid").and_then(|address| address.parse().ok()),
            names,
            model: info(element, "PCIDevice"),
            locality: locality(element, objects, &nodes)?,
            ..of_pci_type(element)
        });
    }
    let on_pci = |element: &Element<'_, '_>| element.ancestors().any(|above| of_type("PCIDev")(&above));
    for element in all().filter(of_type("OSDev")).filter(|element| !on_pci(element)) {
        found.push(Found {
            names: os_name(element).into_iter().collect(),
            locality: locality(element, objects, &nodes)?,
            ..of_pci_type(element)
        });
    }
    Ok(Reading::Measured(devices::devices(found)))
}

/// What stands in `pci_type`: `0302 [10de:1db1] [10de:1212] a1`.
fn of_pci_type(element: Element<'_, '_>) -> Found {
    let text = element.attribute("pci_type").unwrap_or_default();
    let number = |text: &str| u16::from_str_radix(text, 16).ok();
    let class = text.get(..4).and_then(number);
    let vendor = text.split_once('[').and_then(|(_, rest)| number(rest.get(..4)?)).map(PciVendor);
    let locality = Reading::unavailable("hwloc's description does not say what it is near to");
    Found { pci: None, class, vendor, model: None, names: Vec::new(), locality }
}

fn os_name(element: Element<'_, '_>) -> Option<OsName> {
    let name = element.attribute("name")?.to_owned();
    let display = ["card", "renderD", "controlD", ":"].iter().any(|begin| name.starts_with(begin));
    let means = match element.attribute("osdev_type")? {
        "0" => Meaning::Block,
        "1" if display => Meaning::Display,
        // Those of the libraries for AMD's and NVIDIA's GPUs, and co-processors.
        "1" | "5" => Meaning::Compute,
        "2" | "3" => Meaning::Network,
        _ => Meaning::Other,
    };
    Some(OsName { name, means })
}

fn info(element: Element<'_, '_>, name: &str) -> Option<String> {
    let mut infos = element.children().filter(|child| child.has_tag_name("info"));
    let info = infos.find(|info| info.attribute("name") == Some(name))?;
    info.attribute("value").filter(|value| !value.is_empty()).map(str::to_owned)
}

/// The part of the machine that the device hangs on.
fn locality(
    element: Element<'_, '_>,
    objects: &Objects<'_, '_>,
    nodes: &NodeSet,
) -> Result<Reading<DeviceLocality>, XmlError> {
    let Some(part) = element.ancestors().find(|above| above.has_attribute("cpuset")) else {
        return Ok(of_pci_type(element).locality);
    };
    if part.attribute("type") == Some("Machine") && nodes.len() > 1 {
        return Ok(Reading::unavailable("hwloc's description puts it beside the whole machine and no node"));
    }
    let cpus = bitmap::parse(part.attribute("cpuset").unwrap_or_default())?;
    let near: NodeSet = part.attribute("nodeset").map(bitmap::parse).transpose()?.unwrap_or_default();
    let locality = DeviceLocality { cpus: objects.cpus.intersection(&cpus), nodes: near.intersection(nodes) };
    if locality.cpus.is_empty() && locality.nodes.is_empty() {
        return Ok(Reading::unavailable(
            "hwloc's description leaves out the part of the machine that it hangs on",
        ));
    }
    Ok(Reading::Measured(locality))
}
