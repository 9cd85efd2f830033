//! Placement near a device: a request kept to the CPUs that the device is local to.

use numawise_facts::{Device, DeviceKind, DeviceName, Machine, PlacementRequest, Reading};
use numawise_units::{CpuSet, NodeSet};

use crate::PlacementError;
use crate::device_error::NearError;
use crate::error::cpu_limits;

#[cfg(test)]
#[path = "near_tests.rs"]
mod tests;

/// The request with no more than the CPUs near to what `name` means; to all of them where it means several devices.
///
/// Where the device is near to whole nodes the request is for these nodes, so that all that is said of nodes holds; where the firmware
/// names some CPUs of a node, it is for these CPUs.
///
/// # Errors
/// When there is no such device, when what it is near to is not known, or when none of that may be used.
pub fn near(
    machine: &Machine,
    request: &PlacementRequest,
    name: &DeviceName,
) -> Result<PlacementRequest, PlacementError> {
    let (nodes, cpus) = locality(machine, name)?;
    let of_nodes = machine.nodes.iter().filter(|node| nodes.contains(node.id) && !node.cpus.is_empty());
    let of_nodes: Vec<_> = of_nodes.collect();
    let all = of_nodes.iter().fold(CpuSet::new(), |all, node| all.union(&node.cpus));
    let mut request = request.clone();
    if !all.is_empty() && all == cpus {
        let with_cpus: NodeSet = of_nodes.iter().map(|node| node.id).collect();
        let both = request.nodes.as_ref().map_or(with_cpus.clone(), |asked| asked.intersection(&with_cpus));
        if both.is_empty() {
            let asked = request.nodes.unwrap_or_default();
            return Err(NearError::OtherNodes { name: name.clone(), near: with_cpus, nodes: asked }.into());
        }
        request.nodes = Some(both);
        return Ok(request);
    }
    let usable = cpus.intersection(&machine.allowed_cpus);
    if usable.is_empty() {
        let (allowed, limits) = (machine.allowed_cpus.clone(), cpu_limits(machine));
        return Err(PlacementError::CpuNotAllowed { cpus, allowed, limits });
    }
    let both = request.cpus.as_ref().map_or(usable.clone(), |asked| asked.intersection(&usable));
    if both.is_empty() {
        let asked = request.cpus.unwrap_or_default();
        return Err(NearError::OtherCpus { name: name.clone(), near: usable, cpus: asked }.into());
    }
    request.cpus = Some(both);
    Ok(request)
}

/// What all devices of that name together are near to.
fn locality(machine: &Machine, name: &DeviceName) -> Result<(NodeSet, CpuSet), NearError> {
    if let Some(reason) = machine.devices.reason() {
        return Err(NearError::NotKnown { reason: reason.clone() });
    }
    let (mut nodes, mut cpus, mut some) = (NodeSet::new(), CpuSet::new(), false);
    for device in machine.known_devices().iter().filter(|device| name.means(device)) {
        let near = match &device.locality {
            Reading::Measured(near) => near,
            Reading::Unavailable { unavailable } => {
                let (device, reason) = (described(device), unavailable.clone());
                return Err(NearError::NoLocality { device, reason });
            }
        };
        (nodes, cpus, some) = (nodes.union(&near.nodes), cpus.union(&near.cpus), true);
    }
    if some { Ok((nodes, cpus)) } else { Err(missing(machine, name)) }
}

/// Names those of the kind that was meant, or all devices.
fn missing(machine: &Machine, name: &DeviceName) -> NearError {
    let kind = match name {
        DeviceName::All(kind) | DeviceName::Numbered(kind, _) | DeviceName::Named(kind, _) => Some(*kind),
        DeviceName::Pci(_) => None,
    };
    let list = |kind: Option<DeviceKind>| -> Vec<String> {
        let meant =
            machine.known_devices().iter().filter(|device| kind.is_none_or(|kind| device.kind == kind));
        meant.map(described).collect()
    };
    let there = match (list(kind), list(None)) {
        (of_kind, _) if !of_kind.is_empty() => format!("there is {}", of_kind.join(", ")),
        (_, all) if !all.is_empty() => format!("there is none of that kind, but {}", all.join(", ")),
        _ => "there are no devices".to_owned(),
    };
    NearError::Missing { name: name.clone(), there }
}

/// `gpu:0 (nvml0, 0000:3b:00.0)`
fn described(device: &Device) -> String {
    let names = device.names.iter().cloned().chain(device.pci.map(|address| address.to_string()));
    let names: Vec<String> = names.collect();
    format!("{} ({})", device.name(), names.join(", "))
}
