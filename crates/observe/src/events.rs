//! What the kernel did with memory while a trial ran: its counters at the begin and at the end.

use numawise_facts::{MemoryEvents, Reading};
use numawise_linux::calls::pages;
use numawise_linux::proc::vmstat::VmCounters;
use numawise_linux::{Error, Roots, memory};
use numawise_units::{Bytes, NodeId};

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;

const NOT_COUNTED: &str = "this kernel was built without what counts it (/proc/vmstat has no such line)";

/// The counters at one moment.
#[derive(Debug)]
pub(crate) struct MemoryCounters {
    of_computer: Result<VmCounters, Error>,
    turned_away: Result<Vec<(NodeId, u64)>, Error>,
}

impl MemoryCounters {
    pub fn read(roots: &Roots) -> Self {
        MemoryCounters { of_computer: VmCounters::read(roots), turned_away: memory::turned_away(roots) }
    }
}

/// What came between `before` and `after`; `swapped` is the most that was seen of a process of the trial.
pub(crate) fn events(
    roots: &Roots,
    before: &MemoryCounters,
    after: &MemoryCounters,
    swapped: Option<Bytes>,
) -> MemoryEvents {
    let page = pages::page_size();
    let grown = |of: fn(&VmCounters) -> Option<u64>| -> Reading<u64> {
        match (&before.of_computer, &after.of_computer) {
            (Ok(before), Ok(after)) => match of(before).zip(of(after)) {
                Some((before, after)) => Reading::Measured(after.saturating_sub(before)),
                None => Reading::unavailable(NOT_COUNTED),
            },
            (Err(error), _) | (_, Err(error)) => Reading::unavailable(error.to_string()),
        }
    };
    let bytes = |of| grown(of).map(|count| of_pages(count, page));
    let huge_page = memory::transparent_huge_page(roots);
    MemoryEvents {
        moved: bytes(|all| all.balanced),
        hint_faults: grown(|all| all.hint_faults),
        huge_pages: match huge_page {
            Some(size) => {
                grown(|all| Some(all.huge_given?.saturating_add(all.huge_made?))).map(|n| of_pages(n, size))
            }
            None => Reading::unavailable("this kernel has no transparent huge pages"),
        },
        turned_away: turned_away(before, after, page),
        node_reclaims: grown(|all| all.node_reclaims),
        swapped_in: bytes(|all| all.swapped_in),
        swapped_out: bytes(|all| all.swapped_out),
        swapped: swapped.map_or_else(
            || {
                Reading::unavailable(
                    "the trial ended before a process of it was sampled, or this kernel has no swap",
                )
            },
            Reading::Measured,
        ),
    }
}

fn turned_away(
    before: &MemoryCounters,
    after: &MemoryCounters,
    page: Bytes,
) -> Reading<Vec<(NodeId, Bytes)>> {
    let (before, after) = match (&before.turned_away, &after.turned_away) {
        (Ok(before), Ok(after)) => (before, after),
        // A kernel without NUMA has one node, and no other to ask.
        (Err(Error::Gone { .. }), _) | (_, Err(Error::Gone { .. })) => {
            return Reading::unavailable("this kernel shows no nodes (/sys/devices/system/node)");
        }
        (Err(error), _) | (_, Err(error)) => return Reading::unavailable(error.to_string()),
    };
    let grown = after.iter().filter_map(|(node, now)| {
        let then = before.iter().find(|(of, _)| of == node)?.1;
        let count = now.saturating_sub(then);
        (count > 0).then(|| (*node, of_pages(count, page)))
    });
    Reading::Measured(grown.collect())
}

fn of_pages(count: u64, size: Bytes) -> Bytes {
    Bytes(count.saturating_mul(size.0))
}
