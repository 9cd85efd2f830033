//! How much of the host's CPUs other programs take: a guest with timing needs them whenever it wants them.

/// With this share of the CPUs gone to others, and not much idle, what a guest measures is the host.
const BUSY: f64 = 0.15;
const IDLE: f64 = 0.5;

/// CPU time that passed on the host, in seconds.
pub struct Host {
    /// Of all CPUs together, idle or not.
    all: f64,
    /// Used by anybody, or taken by the hypervisor below.
    busy: f64,
    /// Used by programs of this one that have ended, which are its guests.
    ours: f64,
}

impl Host {
    /// None where the kernel does not say.
    #[must_use]
    pub fn now() -> Option<Host> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        // proc(5): user nice system idle iowait irq softirq steal, in ticks.
        let words = stat.lines().next()?.split_whitespace().skip(1).take(8);
        let ticks: Vec<f64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        // SAFETY: sysconf has no preconditions.
        let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
        let all = ticks.iter().sum::<f64>() / per_second;
        let idle = (ticks.get(3)? + ticks.get(4)?) / per_second;
        // SAFETY: a structure of integers, for which all zeros is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel writes one rusage, which lives until the call returns.
        if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) } != 0 {
            return None;
        }
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        Some(Host { all, busy: all - idle, ours: seconds(usage.ru_utime) + seconds(usage.ru_stime) })
    }

    /// What became of the CPUs since `before`.
    #[must_use]
    pub fn since(&self, before: &Host) -> HostShares {
        let (all, busy, ours) = (self.all - before.all, self.busy - before.busy, self.ours - before.ours);
        HostShares { others: ((busy - ours) / all).max(0.0), idle: 1.0 - busy / all }
    }
}

/// Shares of all CPU time of the host, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostShares {
    /// What programs besides the guests took, and the hypervisor below.
    pub others: f64,
    /// What nobody used.
    pub idle: f64,
}

impl HostShares {
    /// Why what was measured meanwhile is the host's; none where it was left alone.
    #[must_use]
    pub fn spoiled(&self) -> Option<String> {
        (self.others > BUSY && self.idle < IDLE)
            .then(|| format!("other programs took {:.0} % of the host's CPUs", 100.0 * self.others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_others_on_a_busy_host_spoil_what_is_measured() {
        let shares = |others, busy, ours| {
            let before = Host { all: 10.0, busy: 2.0, ours: 1.0 };
            Host { all: before.all + others + busy + ours, busy: 2.0 + others + ours, ours: 1.0 + ours }
                .since(&before)
        };
        assert_eq!(shares(2.0, 2.0, 4.0), HostShares { others: 0.25, idle: 0.25 });
        assert!(shares(2.0, 2.0, 4.0).spoiled().unwrap().contains("25 %"));
        assert_eq!(shares(2.0, 6.0, 0.0).spoiled(), None, "there was room for all");
        assert_eq!(shares(0.0, 0.0, 8.0).spoiled(), None, "it was ours");
    }
}
