//! The cgroups of this process, version 1 and 2, and their limits from the innermost to the outermost.

use numawise_units::{Bytes, CpuSet, NodeSet};

use super::mounts::{self, Mount};
use crate::Roots;

/// Where this process stands in every hierarchy.
pub(super) struct Cgroups<'a> {
    roots: &'a Roots,
    mounts: Vec<Mount>,
    /// Controllers (none: version 2) and path, by line of `/proc/self/cgroup`.
    paths: Vec<(Option<Vec<String>>, String)>,
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
            mounts: mounts::read(mounts.as_deref().unwrap_or_default()),
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
        let files = |version_1, name: &'static str| {
            let directories = self.ancestors("memory", version_1);
            directories.into_iter().filter_map(move |directory| {
                let file = format!("{directory}/{name}");
                let limit: u64 = self.roots.try_value(&file)?;
                (limit < NO_LIMIT).then_some((Bytes(limit), file))
            })
        };
        let all = files(true, "memory.limit_in_bytes").chain(files(false, "memory.max"));
        all.min_by_key(|(limit, _)| *limit)
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
