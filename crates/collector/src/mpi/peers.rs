//! Messages by the rank that they go to or come from.

use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{PEER_INDEX, PEERS, Peer, ThreadSlot, ThreadTables};

use crate::thread::add;

/// The entry of a rank of the world; `None` where the table is full.
#[inline]
fn peer<'a>(slot: &ThreadSlot, tables: &'a ThreadTables, rank: u32) -> Option<&'a Peer> {
    for step in 0..PEER_INDEX {
        let place = tables.peer_index.get((rank as usize).wrapping_add(step) % PEER_INDEX)?;
        let number = usize::from(place.load(Relaxed));
        if number == 0 {
            let used = slot.peers_used.load(Relaxed);
            let peer = tables.peers.get(used as usize).filter(|_| (used as usize) < PEERS)?;
            peer.rank.store(rank.wrapping_add(1), Relaxed);
            slot.peers_used.store(used + 1, Relaxed);
            place.store(used as u16 + 1, Relaxed);
            return Some(peer);
        }
        let peer = tables.peers.get(number - 1)?;
        if peer.rank.load(Relaxed) == rank.wrapping_add(1) {
            return Some(peer);
        }
    }
    None
}

fn drop_message(slot: &ThreadSlot, bytes: u64) {
    add(&slot.dropped.peer_messages, 1);
    add(&slot.dropped.peer_bytes, bytes);
}

/// The rank in the world, and how many went to it by now; `None` where that is not known.
#[inline]
pub fn sent(slot: &ThreadSlot, tables: &ThreadTables, rank: Option<u32>, bytes: u64) -> Option<(u32, u64)> {
    match rank.and_then(|rank| Some((rank, peer(slot, tables, rank)?))) {
        Some((rank, peer)) => {
            add(&peer.sent_messages, 1);
            add(&peer.sent_bytes, bytes);
            Some((rank, peer.sent_messages.load(Relaxed)))
        }
        None => {
            drop_message(slot, bytes);
            None
        }
    }
}

/// A receive that names the rank was begun: the number of its message, if receives from there complete in the order in which they begin.
#[inline]
pub fn posted(slot: &ThreadSlot, tables: &ThreadTables, rank: u32) -> Option<u64> {
    let peer = peer(slot, tables, rank)?;
    let outstanding = peer.outstanding.load(Relaxed);
    peer.outstanding.store(outstanding.wrapping_add(1), Relaxed);
    Some(peer.received_messages.load(Relaxed).wrapping_add(u64::from(outstanding)).wrapping_add(1))
}

/// A receive that `posted` knows was completed.
#[inline]
pub fn taken_in(slot: &ThreadSlot, tables: &ThreadTables, rank: u32) {
    if let Some(peer) = peer(slot, tables, rank) {
        peer.outstanding.store(peer.outstanding.load(Relaxed).saturating_sub(1), Relaxed);
    }
}

/// Bytes that were read from another rank's window.
pub fn fetched(slot: &ThreadSlot, tables: &ThreadTables, rank: Option<u32>, bytes: u64) {
    match rank.and_then(|rank| peer(slot, tables, rank)) {
        Some(peer) => add(&peer.fetched_bytes, bytes),
        None => drop_message(slot, bytes),
    }
}

/// The rank in the world, and how many came from it by now; `None` where that is not known.
#[inline]
pub fn received(
    slot: &ThreadSlot,
    tables: &ThreadTables,
    rank: Option<u32>,
    bytes: u64,
) -> Option<(u32, u64)> {
    match rank.and_then(|rank| Some((rank, peer(slot, tables, rank)?))) {
        Some((rank, peer)) => {
            add(&peer.received_messages, 1);
            add(&peer.received_bytes, bytes);
            Some((rank, peer.received_messages.load(Relaxed)))
        }
        None => {
            drop_message(slot, bytes);
            None
        }
    }
}
