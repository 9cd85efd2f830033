//! The cgroups of this process, version 1 and 2, and their limits from the innermost to the outermost.

use numawise_units::{Bytes, CpuSet, NodeSet};

use crate::Roots;

#[cfg(test)]
#[path = "cgroup_tests.rs"]
mod tests;

/// Where this process stands in every hierarchy. Each limit comes with the file that says so, as an absolute path.
#[derive(Debug)]
pub struct Cgroups<'a> {
    roots: &'a Roots,
    mounts: Vec<Mount>,
    /// Controllers (none: version 2) and path, by line of `/proc/self/cgroup`.
    paths: Vec<(Option<Vec<String>>, String)>,
}

/// A mounted cgroup hierarchy.
#[derive(Debug)]
struct Mount {
    /// The cgroup that shows at the mount point; not `/` inside of containers without a cgroup namespace.
    root: String,
    point: String,
    /// Controllers of a version 1 hierarchy; none for version 2.
    controllers: Option<Vec<String>>,
}

/// A limit of this or more is the kernel's way to say "none": the largest multiple of the page size in 63 bits is lower
/// on kernels with larger pages, so that anything near it counts.
const NO_LIMIT: u64 = 1 << 62;

impl<'a> Cgroups<'a> {
    pub fn of_this_process(roots: &'a Roots) -> Self {
        let mounts = roots.try_text("/proc/self/mountinfo");
        let paths = roots.try_text("/proc/self/cgroup").unwrap_or_default();
        Cgroups {
            roots,
            mounts: mounts.as_deref().unwrap_or_default().lines().filter_map(mount).collect(),
            paths: paths.lines().filter_map(path).collect(),
        }
    }

    /// The CPUs that the innermost cpuset leaves, and the file that says so.
    pub fn cpuset_cpus(&self) -> Option<(CpuSet, String)> {
        self.innermost("cpuset", &["cpuset.effective_cpus", "cpuset.cpus"], "cpuset.cpus.effective")
    }

    /// The memory nodes that the innermost cpuset leaves.
    pub fn cpuset_mems(&self) -> Option<(NodeSet, String)> {
        self.innermost("cpuset", &["cpuset.effective_mems", "cpuset.mems"], "cpuset.mems.effective")
    }

    /// The tightest CPU quota on the way up, in CPUs.
    pub fn cpu_quota(&self) -> Option<(f64, String)> {
        let version_1 = self.ancestors("cpu", true).into_iter().filter_map(|directory| {
            let quota: f64 = self.roots.try_value(&format!("{directory}/cpu.cfs_quota_us"))?;
            let period: f64 = self.roots.try_value(&format!("{directory}/cpu.cfs_period_us"))?;
            (quota > 0.0 && period > 0.0).then(|| (quota / period, format!("{directory}/cpu.cfs_quota_us")))
        });
        let version_2 = self.ancestors("cpu", false).into_iter().filter_map(|directory| {
            let file = format!("{directory}/cpu.max");
            let text = self.roots.try_text(&file)?;
            let (quota, period) = text.trim().split_once(' ')?;
            let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
            (quota > 0.0 && period > 0.0).then_some((quota / period, file))
        });
        version_1.chain(version_2).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The tightest memory limit on the way up.
    pub fn memory_limit(&self) -> Option<(Bytes, String)> {
        self.memory_limits().into_iter().map(|(limit, file, _)| (limit, file)).min_by_key(|(limit, _)| *limit)
    }

    /// The least memory that any level on the way up leaves of its limit, with the file of that limit.
    pub fn memory_left(&self) -> Option<(Bytes, String)> {
        let left = |(limit, file, usage): (Bytes, String, String)| {
            let used: u64 = self.roots.try_value(&usage)?;
            Some((limit - Bytes(used), file))
        };
        self.memory_limits().into_iter().filter_map(left).min_by_key(|(left, _)| *left)
    }

    /// The memory limits on the way up: each with its file, and the file of what is used.
    fn memory_limits(&self) -> Vec<(Bytes, String, String)> {
        let mut limits = Vec::new();
        for (version_1, limit, usage) in [
            (true, "memory.limit_in_bytes", "memory.usage_in_bytes"),
            (false, "memory.max", "memory.current"),
        ] {
            for directory in self.ancestors("memory", version_1) {
                let file = format!("{directory}/{limit}");
                let value = self.roots.try_value(&file).filter(|limit| *limit < NO_LIMIT);
                limits.extend(value.map(|value| (Bytes(value), file, format!("{directory}/{usage}"))));
            }
        }
        limits
    }

    /// The fewest processes, each thread counted, that any level on the way up still admits, with the file of that limit.
    pub fn processes_left(&self) -> Option<(u64, String)> {
        let left = |directory: String| {
            let file = format!("{directory}/pids.max");
            let most: u64 = self.roots.try_value(&file)?;
            let used: u64 = self.roots.try_value(&format!("{directory}/pids.current"))?;
            Some((most.saturating_sub(used), file))
        };
        let directories = [true, false].into_iter().flat_map(|version_1| self.ancestors("pids", version_1));
        directories.filter_map(left).min_by_key(|(left, _)| *left)
    }

    fn innermost<T: std::str::FromStr>(
        &self,
        controller: &str,
        version_1: &[&str],
        version_2: &str,
    ) -> Option<(T, String)> {
        let old = self.ancestors(controller, true).into_iter();
        let old = old.flat_map(|directory| version_1.iter().map(move |name| format!("{directory}/{name}")));
        let new = self.ancestors(controller, false).into_iter();
        let new = new.map(|directory| format!("{directory}/{version_2}"));
        old.chain(new).find_map(|file| self.nonempty(&file).map(|value| (value, file)))
    }

    /// The value of a list file; an empty one in an inner version 1 cpuset tells nothing.
    fn nonempty<T: std::str::FromStr>(&self, file: &str) -> Option<T> {
        let text = self.roots.try_text(file)?;
        match text.trim() {
            "" => None,
            text => text.parse().ok(),
        }
    }

    /// The directories of this process for a controller, the innermost first.
    fn ancestors(&self, controller: &str, version_1: bool) -> Vec<String> {
        let ours = |controllers: &Option<Vec<String>>| match (controllers, version_1) {
            (Some(names), true) => names.iter().any(|name| name == controller),
            (None, false) => true,
            _ => false,
        };
        let mount = self.mounts.iter().find(|mount| ours(&mount.controllers));
        let path = self.paths.iter().find(|(controllers, _)| ours(controllers));
        let (Some(mount), Some((_, path))) = (mount, path) else {
            return Vec::new();
        };
        // What lies above the mounted cgroup cannot be seen; a path outside of it means that we are at its top.
        let below = match mount.root.as_str() {
            "/" => path.as_str(),
            root => path.strip_prefix(root).unwrap_or(""),
        };
        let mut directories = Vec::new();
        let mut below = below.trim_matches('/');
        // A path that begins with .. is that of a process outside of its cgroup namespace.
        if below.starts_with("..") {
            below = "";
        }
        loop {
            match below {
                "" => break,
                _ => directories.push(format!("{}/{below}", mount.point)),
            }
            below = below.rsplit_once('/').map_or("", |(above, _)| above);
        }
        directories.push(mount.point.clone());
        directories
    }
}

/// `4:memory:/a/b` or `0::/a/b`.
fn path(line: &str) -> Option<(Option<Vec<String>>, String)> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let controllers = match controllers {
        "" => None,
        names => Some(names.split(',').map(str::to_owned).collect()),
    };
    Some((controllers, path.to_owned()))
}

/// `25 30 0:23 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu`
fn mount(line: &str) -> Option<Mount> {
    let (place, kind) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, point) = (place.next()?, place.next()?);
    let mut kind = kind.split(' ');
    let controllers = match kind.next()? {
        "cgroup2" => None,
        "cgroup" => Some(kind.nth(1)?.split(',').map(str::to_owned).collect()),
        _ => return None,
    };
    Some(Mount { root: unescape(root), point: unescape(point), controllers })
}

/// Spaces, tabs, newlines and backslashes stand as three octal digits.
fn unescape(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
