//! Memory traffic of the computer while a program runs, from the kernel's monitor of bandwidth.

use numawise_facts::Reading;
use numawise_facts::activity::CacheTraffic;
use numawise_linux::Roots;
use numawise_linux::calls::clock;
use numawise_linux::counters::{self, MonitoredTraffic, TrafficError};
use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "traffic_tests.rs"]
mod tests;

/// The monitor as it stood at the begin.
#[derive(Debug)]
pub struct TrafficWatch {
    roots: Roots,
    begun: Nanoseconds,
    first: Result<Vec<MonitoredTraffic>, TrafficError>,
}

impl TrafficWatch {
    pub fn start(roots: Roots) -> TrafficWatch {
        let first = counters::traffic(&roots);
        TrafficWatch { roots, begun: clock::monotonic(), first }
    }

    /// What passed since then, by cache.
    pub fn finish(self) -> Reading<Vec<CacheTraffic>> {
        let time = clock::monotonic().saturating_sub(self.begun);
        let both = self.first.and_then(|first| Ok((first, counters::traffic(&self.roots)?)));
        match both {
            Ok((first, last)) => since(&first, &last, time),
            Err(error) => Reading::unavailable(error.to_string()),
        }
    }
}

fn since(
    first: &[MonitoredTraffic],
    last: &[MonitoredTraffic],
    time: Nanoseconds,
) -> Reading<Vec<CacheTraffic>> {
    Reading::all(last.iter().map(|now| {
        let before = first.iter().find(|before| before.cache == now.cache);
        let total = before.and_then(|before| now.total.0.checked_sub(before.total.0));
        let local = before.and_then(|before| now.local.0.checked_sub(before.local.0));
        match total.zip(local) {
            // Both are read one after the other.
            Some((total, local)) => Reading::Measured(CacheTraffic {
                cache: now.cache,
                total: numawise_units::Bytes(total),
                local: numawise_units::Bytes(local.min(total)),
                time,
            }),
            None => {
                Reading::unavailable("the monitor of memory bandwidth (resctrl) was begun anew meanwhile")
            }
        }
    }))
}
