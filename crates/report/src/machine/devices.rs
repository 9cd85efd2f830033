//! The devices of a machine, as a table.

use numawise_facts::{Device, DeviceKind, DeviceLocality, Machine, Reading, Source};
use numawise_units::CpuSet;

use crate::document::{Block, Column, Row, Table, section as titled};

/// None for a description that has no place for devices.
pub(super) fn section(machine: &Machine) -> Option<Block> {
    if matches!(machine.source, Source::Synthetic(_)) {
        return None;
    }
    let blocks = match &machine.devices {
        Reading::Measured(devices) => known(machine, devices),
        Reading::Unavailable { unavailable } => {
            vec![Block::Paragraph(format!("devices: unavailable ({unavailable})").into())]
        }
    };
    Some(titled("devices", "", blocks))
}

fn known(machine: &Machine, devices: &[Device]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !devices.is_empty() {
        let columns = ["device", "names", "PCI address", "vendor", "near"].map(Column::text).to_vec();
        let rows = devices.iter().map(|device| row(machine, device)).collect();
        blocks.push(Block::Table(Table { columns, rows, most: None }));
    }
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for device in devices {
        let Some(reason) = device.locality.reason().map(ToString::to_string) else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(device.name()),
            None => reasons.push((reason, vec![device.name()])),
        }
    }
    let unknown = |(reason, names): (String, Vec<String>)| {
        Block::Paragraph(format!("{} is near to no node that is known: {reason}", names.join(", ")).into())
    };
    blocks.extend(reasons.into_iter().map(unknown));
    if devices.iter().all(|device| device.kind != DeviceKind::Gpu) {
        blocks.push(Block::Paragraph("No GPU was found.".into()));
    }
    blocks
}

fn row(machine: &Machine, device: &Device) -> Row {
    let vendor = device.vendor.map(|vendor| vendor.name().map_or_else(|| vendor.to_string(), str::to_owned));
    let unnamed = || "-".to_owned();
    let cells = [
        device.name(),
        if device.names.is_empty() { unnamed() } else { device.names.join(" ") },
        device.pci.map_or_else(unnamed, |address| address.to_string()),
        vendor.unwrap_or_else(unnamed),
        device.locality.measured().map_or("unknown".to_owned(), |near| self::near(machine, near)),
    ];
    cells.into_iter().collect()
}

/// The CPUs are told where they are not those of the nodes.
fn near(machine: &Machine, near: &DeviceLocality) -> String {
    let of_nodes = machine.nodes.iter().filter(|node| near.nodes.contains(node.id));
    let of_nodes = of_nodes.fold(CpuSet::new(), |all, node| all.union(&node.cpus));
    let noun = if near.nodes.len() == 1 { "node" } else { "nodes" };
    match (near.nodes.is_empty(), near.cpus == of_nodes) {
        (true, _) => format!("CPUs {}", near.cpus),
        (false, true) => format!("{noun} {}", near.nodes),
        (false, false) => format!("{noun} {}, CPUs {}", near.nodes, near.cpus),
    }
}
