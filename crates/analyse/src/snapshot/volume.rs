//! Who sent how much to whom.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_tables::snapshot::{TrafficCell, TrafficMatrix, VolumeTables};
use numawise_units::{Arrange, Bytes};

use super::{Run, worlds};

/// Rows and columns of a table, whatever the number of ranks.
const MOST_ROWS: u32 = 128;

/// Messages and bytes from one to another.
type Flows = BTreeMap<(u32, u32), (u64, u64)>;

pub fn tables(run: &Run<'_>) -> VolumeTables {
    let (begins, ranks) = begins(run);
    let begin = |world: usize| begins.get(world).copied().unwrap_or_default();
    let mut hosts: Vec<String> = run.processes.iter().map(|one| one.activity.host.clone()).collect();
    hosts.arrange();
    hosts.dedup();
    let host_of: BTreeMap<u32, u32> = run
        .processes
        .iter()
        .zip(&run.worlds)
        .filter_map(|(one, world)| {
            Some((
                begin(*world).saturating_add(one.rank()?),
                hosts.binary_search(&one.activity.host).ok()? as u32,
            ))
        })
        .collect();
    let (group, host_group) =
        (ranks.div_ceil(MOST_ROWS).max(1), (hosts.len() as u32).div_ceil(MOST_ROWS).max(1));
    let (mut by_rank, mut by_host) = (Flows::new(), Flows::new());
    let mut lost = (0u64, Bytes(0));
    let mut flow = |from: u32, to: u32, messages: u64, bytes: Bytes| {
        if messages == 0 && bytes.0 == 0 {
            return;
        }
        add(&mut by_rank, (from / group, to / group), messages, bytes);
        if let (Some(from), Some(to)) = (host_of.get(&from), host_of.get(&to)) {
            add(&mut by_host, (from / host_group, to / host_group), messages, bytes);
        }
    };
    for (process, world) in run.processes.iter().zip(&run.worlds) {
        let Some(me) = process.rank().map(|rank| begin(*world).saturating_add(rank)) else { continue };
        for thread in process.threads() {
            lost = (lost.0.saturating_add(thread.lost_messages[0]), lost.1 + Bytes(thread.lost_messages[1]));
            for peer in &thread.peers {
                let other = begin(*world).saturating_add(peer.rank);
                flow(me, other, peer.sent_messages, peer.sent);
                flow(other, me, 0, peer.fetched);
                // Of a rank that left nothing behind, what arrived is known.
                if !host_of.contains_key(&other) {
                    flow(other, me, peer.received_messages, peer.received);
                }
            }
        }
    }
    VolumeTables {
        by_rank: matrix(by_rank, ranks, group),
        by_host: Reading::Measured(matrix(by_host, hosts.len() as u32, host_group)),
        hosts,
        lost,
    }
}

/// Ranks of all worlds are counted through, of one after the other: where each begins, and how many there are.
fn begins(run: &Run<'_>) -> (Vec<u32>, u32) {
    let mut sizes = vec![0; worlds::count(&run.worlds)];
    for (process, world) in run.processes.iter().zip(&run.worlds) {
        if let (Some(of), Some(size)) = (process.world(), sizes.get_mut(*world)) {
            *size = of.size.max(*size);
        }
    }
    let mut all = 0u32;
    let mut begins = Vec::new();
    for size in sizes {
        begins.push(all);
        all = all.saturating_add(size);
    }
    (begins, all)
}

fn add(flows: &mut Flows, key: (u32, u32), messages: u64, bytes: Bytes) {
    let cell = flows.entry(key).or_default();
    *cell = (cell.0.saturating_add(messages), cell.1.saturating_add(bytes.0));
}

fn matrix(flows: Flows, all: u32, group: u32) -> TrafficMatrix {
    let cells = flows.into_iter().map(|((from, to), (messages, bytes))| TrafficCell {
        from,
        to,
        messages,
        bytes: Bytes(bytes),
    });
    TrafficMatrix { size: all.div_ceil(group), group, cells: cells.collect() }
}
