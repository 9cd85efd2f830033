//! Devices by the kernel's files: what sits on the PCI bus, the names that drivers gave, and the node that the firmware tells.

use std::collections::BTreeMap;
use std::path::Path;

use numawise_facts::{Device, DeviceLocality, Machine, Node, PciVendor, Reading};
use numawise_units::{CpuSet, NodeId, NodeSet, PciAddress};

use crate::Roots;
use crate::device::{BLOCK, NETWORK, PCI, names, numa_node};
use crate::devices::{self, Found, Meaning, OsName, is_wanted};
use crate::files::shortened;

#[cfg(test)]
#[path = "devices_tests.rs"]
mod tests;

/// Folders of names, and what a name in them means.
const CLASSES: [(&str, Meaning); 4] = [
    ("/sys/class/infiniband", Meaning::Network),
    (NETWORK, Meaning::Network),
    ("/sys/class/drm", Meaning::Display),
    (BLOCK, Meaning::Block),
];

/// The devices of the machine below `roots`, whose nodes are those of `machine`.
pub fn devices(roots: &Roots, machine: &Machine) -> Reading<Vec<Device>> {
    let known = [PCI, NETWORK].into_iter().any(|folder| roots.path(folder).is_dir());
    if !known {
        return Reading::unavailable(
            "the kernel's files of devices (/sys/bus/pci, /sys/class) are not there",
        );
    }
    let mut named = Named::default();
    for (folder, means) in CLASSES {
        for name in names(&roots.path(folder)) {
            named.add(roots, folder, name, means);
        }
    }
    let mut found = Vec::new();
    for name in names(&roots.path(PCI)) {
        let Ok(address) = name.parse::<PciAddress>() else { continue };
        let names = named.on_pci.remove(&address).unwrap_or_default();
        let class = hexadecimal(roots, &format!("{PCI}/{name}/class"))
            .and_then(|class| u16::try_from(class >> 8).ok());
        if names.is_empty() && !class.is_some_and(is_wanted) {
            continue;
        }
        let vendor = hexadecimal(roots, &format!("{PCI}/{name}/vendor"));
        found.push(Found {
            pci: Some(address),
            class,
            vendor: vendor.and_then(|vendor| u16::try_from(vendor).ok()).map(PciVendor),
            model: None,
            names,
            locality: locality(roots, &roots.path(PCI).join(&name), machine),
        });
    }
    found.extend(named.elsewhere.into_iter().map(|(folder, name)| Found {
        pci: None,
        class: None,
        vendor: None,
        model: None,
        names: vec![name],
        locality: locality(roots, &folder, machine),
    }));
    Reading::Measured(devices::devices(found))
}

/// The names of drivers, by what they belong to.
#[derive(Default)]
struct Named {
    on_pci: BTreeMap<PciAddress, Vec<OsName>>,
    elsewhere: Vec<(std::path::PathBuf, OsName)>,
}

impl Named {
    fn add(&mut self, roots: &Roots, folder: &str, name: String, means: Meaning) {
        let Ok(path) = roots.path(folder).join(&name).canonicalize() else { return };
        // A part of a disk, or a plug of a graphics card.
        let part = path.join("partition").exists() || means == Meaning::Display && name.contains('-');
        if part || !path.is_dir() {
            return;
        }
        let above = || path.ancestors().filter_map(|folder| folder.file_name()?.to_str());
        let address = above().find_map(|name| name.parse::<PciAddress>().ok());
        let name = OsName { name, means };
        match address {
            Some(address) => self.on_pci.entry(address).or_default().push(name),
            // What is made of software, or of other devices.
            None if above().any(|folder| folder == "virtual") => {}
            None => self.elsewhere.push((path, name)),
        }
    }
}

fn hexadecimal(roots: &Roots, file: &str) -> Option<u32> {
    u32::from_str_radix(roots.try_text(file)?.trim().strip_prefix("0x")?, 16).ok()
}

/// What the device in `folder` is near to.
fn locality(roots: &Roots, folder: &Path, machine: &Machine) -> Reading<DeviceLocality> {
    let devices = roots.path("/sys/devices").canonicalize().unwrap_or_else(|_| roots.path("/sys/devices"));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let told = numa_node(&folder, &devices);
    let node = told.as_ref().and_then(|(_, text)| machine.node(NodeId(text.parse().ok()?)));
    let of = |node: &Node, cpus: CpuSet| DeviceLocality { cpus, nodes: NodeSet::single(node.id) };
    match (node, machine.nodes.as_slice(), told) {
        (Some(node), _, Some((path, _))) => {
            // The firmware may name some of the node's CPUs only.
            let list = path.parent().map(|folder| folder.join("local_cpulist"));
            let list = list.and_then(|file| std::fs::read_to_string(file).ok());
            let cpus = list.and_then(|text| text.trim().parse::<CpuSet>().ok());
            let cpus = cpus.map(|cpus| cpus.intersection(&machine.online())).filter(|cpus| !cpus.is_empty());
            Reading::Measured(of(node, cpus.unwrap_or_else(|| node.near.clone())))
        }
        // Where there is one node only, the kernel often knows none.
        (None, [only], _) => Reading::Measured(of(only, machine.online())),
        (None, _, Some((path, text))) => Reading::unavailable(format!(
            "the kernel does not know its node: {} holds '{}' (-1 is unknown: the firmware does not tell, as in many virtual machines)",
            path.display(),
            shortened(&text)
        )),
        _ => Reading::unavailable("the kernel does not know its node"),
    }
}
