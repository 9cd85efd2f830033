//! Moments of several hosts on one clock. Each host counts from a moment of its own; when `MPI_Init` began is known by that clock and by the
//! time of day.

use std::collections::BTreeMap;

use numawise_facts::WatchedRun;
use numawise_facts::activity::TracedSite;
use numawise_units::Nanoseconds;

use super::HostClocks;
use super::ranks::Ranks;

#[derive(Debug, Default)]
pub struct Clocks {
    /// What is added to the moments of a host.
    shifts: BTreeMap<String, i128>,
    /// The time of day at moment 0 of the archive, where it is known.
    day: Option<i128>,
    first: u64,
    last: u64,
    how: HostClocks,
}

impl Clocks {
    pub fn of(run: &WatchedRun, ranks: &Ranks) -> Clocks {
        // The time of day at moment 0 of a host, as each of its processes has it.
        let mut begins: BTreeMap<&str, Vec<i128>> = BTreeMap::new();
        for location in 0..ranks.locations.len() as u64 {
            let Some(activity) = ranks.activity(run, location) else { continue };
            let of_host = begins.entry(&activity.host).or_default();
            let init = activity.mpi.measured().and_then(|mpi| mpi.initialised.measured());
            let Some(trace) = ranks.trace(run, location) else { continue };
            let call = trace.calls.iter().find(|call| {
                let site = trace.sites.get(call.site as usize);
                site.is_some_and(TracedSite::begins_mpi)
            });
            if let (Some([begin, _]), Some(call)) = (init, call) {
                of_host.push(i128::from(activity.began.0) + i128::from(begin.0) - i128::from(call.begin.0));
            }
        }
        let zeros: BTreeMap<&str, Option<i128>> = begins
            .into_iter()
            .map(|(host, mut begins)| {
                begins.sort_unstable();
                (host, begins.get(begins.len() / 2).copied())
            })
            .collect();
        let hosts = zeros.len() as u64;
        let unknown = zeros.values().filter(|zero| zero.is_none()).count() as u64;
        let day = zeros.values().flatten().min().copied();
        let how = match (hosts, unknown) {
            (0 | 1, _) => HostClocks::One,
            (_, 0) => HostClocks::ByTimeOfDay { hosts },
            _ => HostClocks::NotKnown { hosts: unknown },
        };
        let shift = |zero: Option<i128>| match how {
            HostClocks::ByTimeOfDay { .. } => zero.zip(day).map_or(0, |(zero, day)| zero - day),
            _ => 0,
        };
        let shifts = zeros.into_iter().map(|(host, zero)| (host.to_owned(), shift(zero))).collect();
        let mut clocks = Clocks { shifts, day, first: u64::MAX, last: 0, how };
        clocks.bound(run, ranks);
        clocks
    }

    fn bound(&mut self, run: &WatchedRun, ranks: &Ranks) {
        for location in 0..ranks.locations.len() as u64 {
            let Some(activity) = ranks.activity(run, location) else { continue };
            let Some(trace) = ranks.trace(run, location) else { continue };
            let calls = trace.calls.iter().map(|call| (call.begin, call.end));
            for (begin, end) in calls.chain(trace.spans.iter().map(|span| (span.begin, span.end))) {
                let (begin, end) = (self.at(&activity.host, begin), self.at(&activity.host, end));
                (self.first, self.last) = (self.first.min(begin), self.last.max(end).max(begin));
            }
        }
        self.first = self.first.min(self.last);
    }

    pub fn how(&self) -> HostClocks {
        self.how
    }

    /// A moment of a host on the clock of the archive.
    pub fn at(&self, host: &str, moment: Nanoseconds) -> u64 {
        let shift = self.shifts.get(host).copied().unwrap_or(0);
        (i128::from(moment.0) + shift).clamp(0, i128::from(u64::MAX - 1)) as u64
    }

    /// The first moment of all.
    pub fn first(&self) -> u64 {
        self.first
    }

    pub fn length(&self) -> u64 {
        self.last - self.first
    }

    /// The time of day at the first moment, in nanoseconds since 1970.
    pub fn day(&self) -> Option<u64> {
        u64::try_from(self.day? + i128::from(self.first)).ok()
    }
}
