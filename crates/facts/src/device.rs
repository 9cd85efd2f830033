//! Devices that a placement can be near to: GPUs, network cards, disks.

use std::fmt;
use std::str::FromStr;

use numawise_units::harmless::quoted;
use numawise_units::{CpuSet, NodeSet, ParsePciAddressError, PciAddress};
use serde::{Deserialize, Serialize};

use crate::Reading;

#[cfg(test)]
#[path = "device_tests.rs"]
mod tests;

/// What a device does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// Computes or draws. The display of a management controller is none.
    Gpu,
    Nic,
    Storage,
    Other,
}

impl DeviceKind {
    const NAMES: [(&'static str, DeviceKind); 4] = [
        ("gpu", DeviceKind::Gpu),
        ("nic", DeviceKind::Nic),
        ("storage", DeviceKind::Storage),
        ("other", DeviceKind::Other),
    ];
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = DeviceKind::NAMES.iter().find(|(_, kind)| kind == self).map(|(name, _)| *name);
        f.pad(name.expect("every kind has a name"))
    }
}

/// Who made a PCI device, by the number that PCI-SIG gave; prints as four hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PciVendor(pub u16);

impl PciVendor {
    pub const AMD: PciVendor = PciVendor(0x1002);
    pub const NVIDIA: PciVendor = PciVendor(0x10de);
    pub const INTEL: PciVendor = PciVendor(0x8086);

    /// Those whose devices stand in computers of the field; the number does for all others.
    const NAMES: [(PciVendor, &'static str); 11] = [
        (PciVendor::AMD, "AMD"),
        (PciVendor::NVIDIA, "NVIDIA"),
        (PciVendor::INTEL, "Intel"),
        (PciVendor(0x1014), "IBM"),
        (PciVendor(0x1022), "AMD"),
        (PciVendor(0x1077), "QLogic"),
        (PciVendor(0x144d), "Samsung"),
        (PciVendor(0x14e4), "Broadcom"),
        (PciVendor(0x15b3), "Mellanox"),
        (PciVendor(0x17db), "Cray"),
        (PciVendor(0x1af4), "Virtio"),
    ];

    pub fn name(self) -> Option<&'static str> {
        PciVendor::NAMES.iter().find(|(vendor, _)| *vendor == self).map(|(_, name)| *name)
    }
}

impl fmt::Display for PciVendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}", self.0)
    }
}

/// A device. Of several that share a PCI address (a GPU that is divided) each is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    pub kind: DeviceKind,
    /// Its number among those of its kind, counted from 0 in the order of PCI addresses.
    pub number: u32,
    /// What the operating system and the libraries of vendors call it, e.g. `mlx5_0` and `ib0`, or `nvml0` and `cuda0`.
    pub names: Vec<String>,
    /// None for a device that sits on no PCI bus.
    pub pci: Option<PciAddress>,
    pub vendor: Option<PciVendor>,
    /// Only hwloc's files have it.
    pub model: Option<String>,
    pub locality: Reading<DeviceLocality>,
}

/// What a device is near to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLocality {
    /// The CPUs that are online; none where a node without CPUs is all that is near.
    pub cpus: CpuSet,
    pub nodes: NodeSet,
}

impl Device {
    /// `gpu:0`, as [`DeviceName`] reads it.
    pub fn name(&self) -> String {
        format!("{}:{}", self.kind, self.number)
    }
}

/// A device, or all of a kind, as people name them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DeviceName {
    /// `gpu`
    All(DeviceKind),
    /// `gpu:0`
    Numbered(DeviceKind, u32),
    /// `nic:mlx5_0`
    Named(DeviceKind, String),
    /// `pci:3b:00.0`
    Pci(PciAddress),
}

impl DeviceName {
    /// True where this names the device.
    pub fn means(&self, device: &Device) -> bool {
        match self {
            DeviceName::All(kind) => device.kind == *kind,
            DeviceName::Numbered(kind, number) => (device.kind, device.number) == (*kind, *number),
            DeviceName::Named(kind, name) => device.kind == *kind && device.names.contains(name),
            DeviceName::Pci(address) => device.pci == Some(*address),
        }
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceName::All(kind) => kind.fmt(f),
            DeviceName::Numbered(kind, number) => write!(f, "{kind}:{number}"),
            DeviceName::Named(kind, name) => write!(f, "{kind}:{name}"),
            DeviceName::Pci(address) => write!(f, "pci:{address}"),
        }
    }
}

impl From<DeviceName> for String {
    fn from(name: DeviceName) -> String {
        name.to_string()
    }
}

impl TryFrom<String> for DeviceName {
    type Error = ParseDeviceNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// A text that names no device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseDeviceNameError {
    #[error(
        "'{0}' is no device; expected gpu (all of them), gpu:0, nic:mlx5_0, storage:nvme0n1 or pci:0000:3b:00.0"
    )]
    Kind(String),
    #[error(transparent)]
    Pci(#[from] ParsePciAddressError),
}

impl FromStr for DeviceName {
    type Err = ParseDeviceNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(address) = text.strip_prefix("pci:") {
            return Ok(DeviceName::Pci(address.parse()?));
        }
        let (word, name) = text.split_once(':').map_or((text, None), |(word, name)| (word, Some(name)));
        let kind = DeviceKind::NAMES.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
        match (kind, name) {
            (Some(kind), None) => Ok(DeviceName::All(kind)),
            (Some(kind), Some(name)) if !name.is_empty() => Ok(match name.parse() {
                Ok(number) => DeviceName::Numbered(kind, number),
                Err(_) => DeviceName::Named(kind, name.to_owned()),
            }),
            _ => Err(ParseDeviceNameError::Kind(quoted(text))),
        }
    }
}

/// What a program reaches the GPUs of a vendor through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuRuntime {
    /// NVIDIA's.
    Cuda,
    /// AMD's.
    Rocr,
    /// Intel's.
    LevelZero,
}

impl GpuRuntime {
    pub const ALL: [GpuRuntime; 3] = [GpuRuntime::Cuda, GpuRuntime::Rocr, GpuRuntime::LevelZero];

    pub fn of(vendor: PciVendor) -> Option<GpuRuntime> {
        match vendor {
            PciVendor::NVIDIA => Some(GpuRuntime::Cuda),
            PciVendor::AMD => Some(GpuRuntime::Rocr),
            PciVendor::INTEL => Some(GpuRuntime::LevelZero),
            _ => None,
        }
    }

    /// The variable that names the GPUs that a program sees.
    pub fn variable(self) -> &'static str {
        match self {
            GpuRuntime::Cuda => "CUDA_VISIBLE_DEVICES",
            GpuRuntime::Rocr => "ROCR_VISIBLE_DEVICES",
            GpuRuntime::LevelZero => "ZE_AFFINITY_MASK",
        }
    }

    /// Variables by which the runtime counts as we do: cards, in the order of PCI addresses. Without them CUDA begins with the fastest
    /// (CUDA C++ Programming Guide, "CUDA Environment Variables"), and Level Zero may count the parts of a card (its specification,
    /// "Environment Variables").
    fn order(self) -> &'static [(&'static str, &'static str)] {
        match self {
            GpuRuntime::Cuda => &[("CUDA_DEVICE_ORDER", "PCI_BUS_ID")],
            GpuRuntime::Rocr => &[],
            GpuRuntime::LevelZero => {
                &[("ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1"), ("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE")]
            }
        }
    }
}

/// A GPU that a task sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TaskGpu {
    /// [`Device::number`] of the GPU.
    pub gpu: u32,
    pub runtime: GpuRuntime,
    /// The number by which the runtime knows it.
    pub number: u32,
}

/// The variables that show a program these GPUs and no others of their vendors; none for none.
pub fn gpu_variables(gpus: &[TaskGpu]) -> Vec<(&'static str, String)> {
    let of = |runtime: GpuRuntime| {
        let numbers: Vec<String> =
            gpus.iter().filter(|gpu| gpu.runtime == runtime).map(|gpu| gpu.number.to_string()).collect();
        let order = runtime.order().iter().map(|(name, value)| (*name, (*value).to_owned()));
        let all = std::iter::once((runtime.variable(), numbers.join(","))).chain(order);
        if numbers.is_empty() { Vec::new() } else { all.collect() }
    };
    GpuRuntime::ALL.into_iter().flat_map(of).collect()
}
