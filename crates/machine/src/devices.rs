//! Which devices a machine has, from what hwloc's file or the kernel says of each: what a device is for, and its number.

use std::collections::BTreeMap;

use numawise_facts::{Device, DeviceKind, DeviceLocality, PciVendor, Reading};
use numawise_units::{Arrange, PciAddress};

#[cfg(test)]
#[path = "devices_tests.rs"]
mod tests;

/// A device as it was found, before its kind is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub pci: Option<PciAddress>,
    /// Class and subclass of PCI: `0x0302` is a 3D controller.
    pub class: Option<u16>,
    pub vendor: Option<PciVendor>,
    pub model: Option<String>,
    pub names: Vec<OsName>,
    pub locality: Reading<DeviceLocality>,
}

/// A name that the operating system or a library gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OsName {
    pub name: String,
    pub means: Meaning,
}

/// What a name says of its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Block,
    Network,
    /// A card of the kernel's graphics, which a management controller has too.
    Display,
    /// Something that computes, known to a vendor's library.
    Compute,
    Other,
}

const STORAGE: u16 = 0x01;
const NETWORK: u16 = 0x02;
const DISPLAY: u16 = 0x03;
const ACCELERATOR: u16 = 0x12;
const COPROCESSOR: u16 = 0x0b40;
const INFINIBAND: u16 = 0x0c06;

/// Whether devices of this class are looked for without a name of the operating system.
pub(crate) fn is_wanted(class: u16) -> bool {
    matches!(class >> 8, STORAGE | NETWORK | DISPLAY | ACCELERATOR)
        || matches!(class, COPROCESSOR | INFINIBAND)
}

impl Found {
    /// None for what is no device that anybody would place a program by.
    fn kind(&self) -> Option<DeviceKind> {
        let means = |meaning| self.names.iter().any(|name| name.means == meaning);
        let class = self.class.unwrap_or_default();
        if means(Meaning::Compute) || self.is_graphics() {
            Some(DeviceKind::Gpu)
        } else if means(Meaning::Network) || class >> 8 == NETWORK || class == INFINIBAND {
            Some(DeviceKind::Nic)
        } else if means(Meaning::Block) || class >> 8 == STORAGE {
            Some(DeviceKind::Storage)
        } else {
            let left = !self.names.is_empty() || class >> 8 == ACCELERATOR || class == COPROCESSOR;
            left.then_some(DeviceKind::Other)
        }
    }

    /// A display that can render. That of a management controller (ASPEED, Matrox) cannot: it has no such driver, and its maker makes no
    /// GPU for computing.
    fn is_graphics(&self) -> bool {
        let makes_gpus = [PciVendor::AMD, PciVendor::NVIDIA, PciVendor::INTEL];
        let display = self.class.is_some_and(|class| class >> 8 == DISPLAY);
        let renders = self.names.iter().any(|name| name.name.starts_with("renderD"));
        renders || display && self.vendor.is_some_and(|vendor| makes_gpus.contains(&vendor))
    }

    /// The GPUs of one PCI device: more than one where it is divided and a vendor's library counts the parts.
    fn parts(self) -> Vec<Found> {
        const LIBRARIES: [&str; 3] = ["nvml", "rsmi", "ze"];
        let of = |name: &str| LIBRARIES.iter().find(|library| numbered(name, library)).copied();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        self.names
            .iter()
            .filter_map(|name| of(&name.name))
            .for_each(|library| *numbers.entry(library).or_default() += 1);
        let parts = numbers.values().copied().max().unwrap_or(1);
        if parts == 1 {
            return vec![self];
        }
        let (counted, common): (Vec<OsName>, Vec<OsName>) =
            self.names.iter().cloned().partition(|name| of(&name.name).is_some());
        let mut all: Vec<Found> = (0..parts).map(|_| Found { names: Vec::new(), ..self.clone() }).collect();
        let mut next: BTreeMap<&str, usize> = BTreeMap::new();
        for name in counted {
            let at = next.entry(of(&name.name).unwrap_or_default()).or_default();
            all[*at].names.push(name.clone());
            *at += 1;
        }
        all.iter_mut().for_each(|part| part.names.extend(common.iter().cloned()));
        all
    }
}

/// `nvml0`, and not `ze0.1`, which is a part that another name has in it.
fn numbered(name: &str, library: &str) -> bool {
    name.strip_prefix(library)
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// GPUs that a library knows and has no address for (OpenCL, of some makers) are those that the kernel shows on its bus. Where there are as many
/// of both, each gets its name, in their order; else nobody knows which is which, and the names are left out.
fn without_doubles(found: Vec<Found>) -> Vec<Found> {
    let is_gpu = |one: &Found| one.kind() == Some(DeviceKind::Gpu);
    let (beside, mut all): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|one| one.pci.is_none() && is_gpu(one));
    let mut on_bus: Vec<&mut Found> = all.iter_mut().filter(|one| is_gpu(one)).collect();
    if on_bus.is_empty() {
        return all.into_iter().chain(beside).collect();
    }
    if on_bus.len() == beside.len() {
        on_bus.arrange_by_key(|one| one.pci);
        on_bus.into_iter().zip(beside).for_each(|(one, named)| one.names.extend(named.names));
    }
    all
}

/// The devices by kind, each kind in the order of PCI addresses; those that sit on no PCI bus come last, by name.
pub(crate) fn devices(found: Vec<Found>) -> Vec<Device> {
    let parts = without_doubles(found).into_iter().flat_map(Found::parts);
    let mut kinds: Vec<(DeviceKind, Found)> = parts.filter_map(|one| Some((one.kind()?, one))).collect();
    kinds.arrange_by_key(|(kind, one)| {
        let name = one.names.first().map(|name| name.name.clone());
        (*kind, one.pci.is_none(), one.pci, one.pci.is_none().then_some(name))
    });
    let mut numbers: BTreeMap<DeviceKind, u32> = BTreeMap::new();
    let device = |(kind, one): (DeviceKind, Found)| {
        let next = numbers.entry(kind).or_default();
        let number = *next;
        *next += 1;
        Device {
            kind,
            number,
            names: one.names.into_iter().map(|name| name.name).collect(),
            pci: one.pci,
            vendor: one.vendor,
            model: one.model,
            locality: one.locality,
        }
    };
    kinds.into_iter().map(device).collect()
}
