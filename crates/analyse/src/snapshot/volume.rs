//! Who sent how much to whom.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_tables::snapshot::{TrafficCell, TrafficMatrix, VolumeTables};
use numawise_units::Bytes;

use super::Run;
use super::process::Process;

/// Rows and columns of a table, whatever the number of ranks.
const MOST_ROWS: u32 = 128;

/// Messages and bytes from one to another.
type Flows = BTreeMap<(u32, u32), (u64, u64)>;

pub fn tables(run: &Run<'_>) -> VolumeTables {
    let worlds = || run.processes.iter().filter_map(Process::world);
    let ranks = worlds().map(|world| world.size).max().unwrap_or(0);
    let mut hosts: Vec<String> = run.processes.iter().map(|one| one.activity.host.clone()).collect();
    hosts.sort();
    hosts.dedup();
    let host_of: BTreeMap<u32, u32> = run
        .processes
        .iter()
        .filter_map(|one| Some((one.rank()?, hosts.binary_search(&one.activity.host).ok()? as u32)))
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
    for process in &run.processes {
        let Some(me) = process.rank() else { continue };
        for thread in process.threads() {
            lost = (lost.0.saturating_add(thread.lost_messages[0]), lost.1 + Bytes(thread.lost_messages[1]));
            for peer in &thread.peers {
                flow(me, peer.rank, peer.sent_messages, peer.sent);
                flow(peer.rank, me, 0, peer.fetched);
                // Of a rank that left nothing behind, what arrived is known.
                if !host_of.contains_key(&peer.rank) {
                    flow(peer.rank, me, peer.received_messages, peer.received);
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
