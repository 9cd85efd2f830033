//! Where the memory of each node lies: in the guest's physical addresses, and in the addresses that the plugin
//! interface of QEMU 7.2 reports, which are different.

use crate::EmulatedMachine;
use std::ops::Range;

const MIB: u64 = 1 << 20;
const FOUR_GIB: u64 = 4 << 30;

/// A piece of a node's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryPiece {
    /// The node.
    pub node: u32,
    /// From its first byte to the one after its last.
    pub addresses: Range<u64>,
}

/// How much memory lies under 4 GiB on a q35 machine: all of it up to 2.75 GiB; a machine with more has 2 GiB there
/// and the rest from 4 GiB on (`pc_q35_init` in QEMU's hw/i386/pc_q35.c).
fn below_4g(total: u64) -> u64 {
    if total >= 0xb000_0000 { 0x8000_0000 } else { total }
}

/// Guest-physical addresses: the nodes one after the other, split at the hole under 4 GiB. This is what the kernel finds
/// in the firmware's tables.
#[must_use]
pub fn guest_physical(machine: &EmulatedMachine) -> Vec<MemoryPiece> {
    let low_end = below_4g(machine.memory_mib() * MIB);
    let mut pieces = Vec::new();
    let mut at = 0;
    for (node, size) in machine.nodes().map(|(id, node)| (id, node.memory_mib * MIB)) {
        let (low, high) =
            (at.min(low_end)..(at + size).min(low_end), at.max(low_end)..(at + size).max(low_end));
        let moved = high.start - low_end + FOUR_GIB..high.end - low_end + FOUR_GIB;
        pieces.extend(
            [low, moved]
                .into_iter()
                .filter(|r| !r.is_empty())
                .map(|addresses| MemoryPiece { node, addresses }),
        );
        at += size;
    }
    pieces
}

/// What `qemu_plugin_hwaddr_phys_addr` of QEMU 7.2 returns: not the guest-physical address but the sum of the RAM
/// block's own offset, the offset in it, and the place of the block's memory region in its container. With one block
/// for each node, made in order before any other, both offsets are the memory of the nodes before.
pub(crate) fn as_plugin_sees(machine: &EmulatedMachine) -> Vec<MemoryPiece> {
    let mut before = 0;
    let mut pieces = Vec::new();
    for (node, size) in
        machine.nodes().map(|(id, node)| (id, node.memory_mib * MIB)).filter(|(_, size)| *size > 0)
    {
        pieces.push(MemoryPiece { node, addresses: 2 * before..2 * before + size });
        before += size;
    }
    pieces
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
