//! How much of the host's CPUs other programs take: a guest with timing needs them whenever it wants them.

/// With this share of the CPUs gone to others, and not much idle, what a guest measures is the host.
const BUSY: f64 = 0.15;
const IDLE: f64 = 0.5;

/// CPU time that passed on the host, in seconds.
pub(super) struct Host {
    /// Of all CPUs together, idle or not.
    all: f64,
    /// Used by anybody, or taken by the hypervisor below.
    busy: f64,
    /// Used by programs of this one that have ended, which are its guests.
    ours: f64,
}

impl Host {
    /// None where the kernel does not say.
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

    /// Why what was measured since `before` is the host's; none where it was left alone.
    pub fn spoiled(&self, before: &Host) -> Option<String> {
        let (all, busy, ours) = (self.all - before.all, self.busy - before.busy, self.ours - before.ours);
        let others = ((busy - ours) / all).max(0.0);
        (others > BUSY && 1.0 - busy / all < IDLE)
            .then(|| format!("other programs took {:.0} % of the host's CPUs", 100.0 * others))
    }
}

/// The processor and the kernel of the host, for the head of the table.
pub(super) fn description() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let processor = model.map_or("unknown processor", |(_, name)| name.trim());
    let cpus = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{cpus} CPUs of {processor}, Linux {}", kernel.trim())
}
