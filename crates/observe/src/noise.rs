//! The noise of the machine: what hypervisor and other processes took while a trial ran.

use numawise_facts::{HostNoise, Reading};
use numawise_linux::calls::clock;
use numawise_linux::file::read_path;
use numawise_linux::proc::cpu_time::CpuTicks;
use numawise_linux::{Error, Malformed, Roots};
use numawise_units::{CpuId, Nanoseconds, Ratio};

#[cfg(test)]
#[path = "noise_tests.rs"]
mod tests;

/// Trials shorter than this have no noise figure: five ticks of 10 ms, so that one tick more or less is a fifth at most.
const SHORTEST: Nanoseconds = Nanoseconds(50_000_000);

/// More CPU time in the trial than the host counted at all, as a share of the machine: above this the host's count is
/// not of the same CPUs (a container with a `/proc/stat` of its own).
const CONTRADICTION: f64 = 0.1;

/// CPU time of the whole machine and of each of its CPUs up to a moment, from `/proc/stat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCpu {
    busy: Nanoseconds,
    steal: Nanoseconds,
    total: Nanoseconds,
    /// How long each CPU was busy.
    busy_cpus: Vec<(CpuId, Nanoseconds)>,
}

impl HostCpu {
    /// Reads what was counted until now.
    ///
    /// # Errors
    /// When `/proc/stat` is not there or is not what proc(5) says.
    pub fn read(roots: &Roots) -> Result<Self, Error> {
        let path = roots.proc().join("stat");
        let mut buffer = Vec::with_capacity(16 << 10);
        read_path(&path, &mut buffer)?;
        Self::parse(&buffer, clock::tick()).map_err(|problem| problem.at(&path))
    }

    fn parse(text: &[u8], tick: Nanoseconds) -> Result<Self, Malformed> {
        let ticks = CpuTicks::of_all(text)?;
        let time = |ticks: u64| Nanoseconds(ticks.saturating_mul(tick.0));
        Ok(HostCpu {
            busy: time(ticks.busy()),
            steal: time(ticks.steal),
            total: time(ticks.total()),
            busy_cpus: CpuTicks::by_cpu(text).map(|(cpu, ticks)| (cpu, time(ticks.busy()))).collect(),
        })
    }
}

/// What others took between `before` and `after`, where the trial itself used `ours` during `wall`.
pub(crate) fn noise(
    before: &Result<HostCpu, Error>,
    after: &Result<HostCpu, Error>,
    ours: Reading<Nanoseconds>,
    wall: Nanoseconds,
) -> HostNoise {
    let none = |reason: String| HostNoise {
        steal: Reading::unavailable(reason.clone()),
        other_load: Reading::unavailable(reason.clone()),
        busy_cpus: Reading::unavailable(reason),
    };
    let (before, after) = match (before, after) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(error), _) | (_, Err(error)) => return none(error.to_string()),
    };
    if wall < SHORTEST {
        return none(format!(
            "the trial took {wall}; the kernel counts in ticks of {}, so that shares mean nothing below {SHORTEST}",
            clock::tick()
        ));
    }
    let total = after.total.saturating_sub(before.total).seconds();
    if total <= 0.0 {
        return none("/proc/stat did not advance during the trial".to_owned());
    }
    let busy = after.busy.saturating_sub(before.busy).seconds();
    HostNoise {
        steal: Reading::Measured(Ratio(after.steal.saturating_sub(before.steal).seconds() / total)),
        other_load: ours.and_then(|ours| other_load(busy, ours.seconds(), total)),
        busy_cpus: busy_cpus(before, after),
    }
}

/// What others used of the machine's time, all in seconds.
fn other_load(busy: f64, ours: f64, total: f64) -> Reading<Ratio> {
    let others = (busy - ours) / total;
    if others < -CONTRADICTION {
        return Reading::unavailable(format!(
            "/proc/stat counts {busy:.2} s of CPU time where the trial alone used {ours:.2} s: it shows not all CPUs, or loses ticks"
        ));
    }
    // A little below zero is the ticks' rounding.
    Reading::Measured(Ratio(others.max(0.0)))
}

/// How long each CPU was busy; those that were not are left out.
fn busy_cpus(before: &HostCpu, after: &HostCpu) -> Reading<Vec<(CpuId, Nanoseconds)>> {
    if after.busy_cpus.is_empty() {
        return Reading::unavailable("/proc/stat shows no CPU by itself");
    }
    // Both lists are in the order of CPUs; one that came meanwhile was idle before.
    let then = |cpu: CpuId| {
        let found = before.busy_cpus.binary_search_by_key(&cpu, |(of, _)| *of);
        found.map_or(Nanoseconds(0), |at| before.busy_cpus[at].1)
    };
    let busy = after.busy_cpus.iter().map(|(cpu, now)| (*cpu, now.saturating_sub(then(*cpu))));
    Reading::Measured(busy.filter(|(_, time)| *time > Nanoseconds(0)).collect())
}
