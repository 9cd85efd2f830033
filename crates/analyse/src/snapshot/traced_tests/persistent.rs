//! Persistent collective calls.

use super::*;

impl Made {
    /// The number of a site that no call is at.
    pub fn site(&mut self, name: &str) -> u32 {
        let known = self.trace.sites.iter().position(|site| site.call == name);
        let known = known.unwrap_or_else(|| {
            self.trace.sites.push(TracedSite { call: name.to_owned(), at: at(0x10), communicator: Some(0) });
            self.trace.sites.len() - 1
        });
        known as u32
    }
}

pub fn part(begin: u64, key: u64, site: u32, root: Option<u32>) -> TracedMessage {
    let tag = root.map_or(0, |root| root as i32 + 1);
    let communicator = NonZeroU64::new(key);
    TracedMessage { communicator, bytes: Bytes(0), ..message(MessageSide::Part, begin, site, tag) }
}

fn done(begun: u64, key: u64) -> TracedMessage {
    TracedMessage { communicator: NonZeroU64::new(key), ..message(MessageSide::CollectiveDone, begun, 0, 0) }
}

/// Ranks that begin by one call each what these keys stand for, and wait for it from 1 ms later to 95.
fn ranks(begins: [u64; 3], keys: [[u64; 2]; 3]) -> [Activity; 3] {
    [0, 1, 2].map(|rank: u32| {
        let (begin, keys) = (begins[rank as usize], keys[rank as usize]);
        let mut made = Made::rank(rank, 3);
        let sites = [made.site("MPI_Allreduce_init"), made.site("MPI_Bcast_init")];
        let parts = keys.map(|key| part(begin, key, sites[(key % 2) as usize], (key % 2 == 1).then_some(0)));
        let dones = keys.map(|key| done(begin, key));
        made.with("MPI_Startall", (begin, begin + 1), parts.to_vec())
            .with("MPI_Waitall", (begin + 1, 95), dones.to_vec())
            .end(100)
    })
}

#[test]
fn what_is_started_waits_for_the_last_rank_in_the_call_that_ends_it() {
    // The second rank starts them in another order; the root comes before the others.
    let found = trace(&ranks([10, 50, 90], [[8, 9], [9, 8], [8, 9]]));
    assert_eq!(waits(&found), [(WaitKind::LastOfAll, (90 - 11) + (90 - 51), 0, 2)]);
    assert_eq!(found.not_judged, []);
    assert_eq!(found.waits[0].late.call, "MPI_Startall");
    let found = trace(&ranks([90, 50, 10], [[8, 9], [9, 8], [8, 9]]));
    assert_eq!(found.times.waiting, ms((90 - 11) + (90 - 51)));
}

#[test]
fn what_other_ranks_did_not_start_is_not_judged() {
    let found = trace(&ranks([10, 50, 90], [[8, 9], [10, 11], [8, 9]]));
    assert_eq!(waits(&found), []);
    assert_eq!(found.not_judged.iter().map(|row| row.calls).sum::<u64>(), 3);
}
