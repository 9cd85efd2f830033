//! Memory bandwidth by node while a program runs, for all programs: from the kernel's monitor (resctrl), which counts at each last-level
//! cache, or else from the counters of the memory controllers.

mod controllers;
mod monitor;

use numawise_facts::Reading;
use numawise_facts::objects::{BandwidthMoment, BandwidthOverTime, BandwidthSource};
use numawise_linux::Roots;
use numawise_linux::counters::TrafficError;
use numawise_units::{Bytes, BytesPerSecond, CpuSet, Nanoseconds, NodeId};

use controllers::{Controllers, ControllersError};
use monitor::Monitor;

#[cfg(test)]
#[path = "bandwidth_tests.rs"]
mod tests;

/// From one moment to the next. The monitor of some processors is read through a register that takes them a millisecond to fill.
const INTERVAL: Nanoseconds = Nanoseconds(100_000_000);
/// Moments that are kept; where more come, two become one.
const MOST_MOMENTS: usize = 512;

/// Why nothing is known of bandwidth.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BandwidthError {
    #[error(transparent)]
    Monitor(#[from] TrafficError),
    #[error("the CPUs behind cache {cache} of the monitor (resctrl) are not known")]
    CacheUnknown { cache: u32 },
    #[error(
        "cache {cache} of the monitor (resctrl) serves CPUs of nodes {first} and {second}: it does not tell them apart"
    )]
    SharedCache { cache: u32, first: NodeId, second: NodeId },
    #[error("the monitor of memory bandwidth (resctrl) was begun anew meanwhile")]
    BegunAnew,
    /// There are counters of memory controllers, which cannot be used, and there is no monitor.
    #[error("{controllers}; and {monitor}")]
    Neither { controllers: ControllersError, monitor: Box<BandwidthError> },
    #[error(transparent)]
    Controllers(#[from] ControllersError),
    #[error("the program ended before what counts memory traffic was read twice")]
    TooShort,
}

/// What passed from one reading to the next, of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Passed {
    node: NodeId,
    total: Bytes,
    /// Of it, to and from memory of other nodes; nothing where that is not known.
    remote: Option<Bytes>,
}

/// What counts memory traffic.
#[derive(Debug)]
enum Meter {
    Monitor(Monitor),
    Controllers(Controllers),
}

impl Meter {
    fn source(&self) -> BandwidthSource {
        match self {
            Meter::Monitor(_) => BandwidthSource::Resctrl,
            Meter::Controllers(_) => BandwidthSource::MemoryControllers,
        }
    }

    /// What passed since it was asked last, by node.
    fn passed(&mut self) -> Result<Vec<Passed>, BandwidthError> {
        match self {
            Meter::Monitor(monitor) => monitor.passed(),
            Meter::Controllers(controllers) => Ok(controllers.passed()?),
        }
    }
}

/// Bandwidth while a program runs. For one thread.
#[derive(Debug)]
pub struct BandwidthWatch {
    begin: Nanoseconds,
    interval: Nanoseconds,
    meter: Meter,
    last: Nanoseconds,
    moments: Vec<BandwidthMoment>,
    failed: Option<BandwidthError>,
}

impl BandwidthWatch {
    /// Begins at `now`; `nodes` are asked for where there is something that counts, each with its CPUs.
    ///
    /// # Errors
    /// Where neither the monitor nor counters of memory controllers are there, may be read, and tell the nodes apart.
    pub fn begin(
        roots: Roots,
        nodes: impl Fn() -> Vec<(NodeId, CpuSet)>,
        now: Nanoseconds,
    ) -> Result<BandwidthWatch, BandwidthError> {
        let controllers = || Controllers::begin(&roots, &nodes).map(Meter::Controllers);
        let meter = match Monitor::begin(&roots, &nodes).map(Meter::Monitor) {
            Ok(monitor) => monitor,
            Err(monitor) => match controllers() {
                Ok(controllers) => controllers,
                // Where there are none, the monitor is what may be had.
                Err(ControllersError::NotThere(_)) => return Err(monitor),
                Err(controllers) => {
                    return Err(BandwidthError::Neither { controllers, monitor: Box::new(monitor) });
                }
            },
        };
        Ok(BandwidthWatch::with(meter, now))
    }

    fn with(meter: Meter, now: Nanoseconds) -> BandwidthWatch {
        let (moments, failed) = (Vec::new(), None);
        BandwidthWatch { begin: now, interval: INTERVAL, meter, last: now, moments, failed }
    }

    /// Reads what counts, where that is due.
    pub fn look(&mut self, now: Nanoseconds) {
        if now >= self.last + self.interval {
            self.read(now);
        }
    }

    fn read(&mut self, now: Nanoseconds) {
        if self.failed.is_some() {
            return;
        }
        match self.meter.passed() {
            Ok(passed) => {
                let seconds = now.saturating_sub(self.last).seconds();
                self.last = now;
                self.moments.push(moment(&passed, seconds, now.saturating_sub(self.begin)));
            }
            Err(error) => self.failed = Some(error),
        }
        if self.moments.len() >= MOST_MOMENTS {
            self.moments = halved(&self.moments);
            self.interval = self.interval + self.interval;
        }
    }

    /// What was read up to now.
    pub fn so_far(&self) -> Reading<BandwidthOverTime> {
        let missing = self.failed.clone().or(self.moments.is_empty().then_some(BandwidthError::TooShort));
        match missing {
            Some(error) => Reading::unavailable(error.to_string()),
            None => Reading::Measured(BandwidthOverTime {
                source: self.meter.source(),
                moments: self.moments.clone(),
            }),
        }
    }

    /// All of it, when the program has ended at `now`.
    pub fn finish(mut self, now: Nanoseconds) -> Reading<BandwidthOverTime> {
        if now > self.last {
            self.read(now);
        }
        self.so_far()
    }
}

fn moment(passed: &[Passed], seconds: f64, at: Nanoseconds) -> BandwidthMoment {
    let rate = |bytes: Bytes| BytesPerSecond(bytes.0 as f64 / seconds);
    BandwidthMoment {
        at,
        by_node: passed.iter().map(|of| (of.node, rate(of.total))).collect(),
        remote: passed.iter().filter_map(|of| Some((of.node, rate(of.remote?)))).collect(),
    }
}

/// Two moments become one: their average by the time that each stands for.
fn halved(moments: &[BandwidthMoment]) -> Vec<BandwidthMoment> {
    let mut begin = Nanoseconds(0);
    let mut all = Vec::with_capacity(moments.len() / 2 + 1);
    for pair in moments.chunks(2) {
        let [first, second] = pair else {
            all.extend(pair.iter().cloned());
            continue;
        };
        let lengths = [first.at.saturating_sub(begin), second.at.saturating_sub(first.at)];
        let average = |one: BytesPerSecond, other: BytesPerSecond| {
            let bytes = one.0 * lengths[0].seconds() + other.0 * lengths[1].seconds();
            BytesPerSecond(bytes / (lengths[0] + lengths[1]).seconds())
        };
        let both = |first: &[(NodeId, BytesPerSecond)], second: &[(NodeId, BytesPerSecond)]| {
            let of = |(node, one): &(NodeId, BytesPerSecond)| {
                let (_, other) = second.iter().find(|(other, _)| other == node)?;
                Some((*node, average(*one, *other)))
            };
            first.iter().filter_map(of).collect()
        };
        all.push(BandwidthMoment {
            at: second.at,
            by_node: both(&first.by_node, &second.by_node),
            remote: both(&first.remote, &second.remote),
        });
        begin = second.at;
    }
    all
}
