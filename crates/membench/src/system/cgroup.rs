//! What the memory limits of our cgroups leave, version 1 and 2, on all levels up to the top.

use numawise_units::Bytes;

use super::System;

/// A limit of this or more is the kernel's way to say "none".
const NO_LIMIT: u64 = 1 << 62;

/// The least of what any level leaves, with the file of its limit.
pub(super) fn left(system: &System) -> Option<(Bytes, String)> {
    let paths = system.text("/proc/self/cgroup")?;
    let mounts = system.text("/proc/self/mountinfo")?;
    let mut least: Option<(Bytes, String)> = None;
    for line in paths.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let version_1 = !controllers.is_empty();
        if version_1 && !controllers.split(',').any(|name| name == "memory") {
            continue;
        }
        let files = if version_1 {
            ["memory.limit_in_bytes", "memory.usage_in_bytes"]
        } else {
            ["memory.max", "memory.current"]
        };
        for directory in
            mounts.lines().filter_map(|line| mount(line, version_1)).take(1).flat_map(|mount| mount.up(path))
        {
            let number = |name| system.text(&format!("{directory}/{name}"))?.trim().parse::<u64>().ok();
            let (Some(limit), Some(used)) = (number(files[0]), number(files[1])) else { continue };
            let left = Bytes(limit) - Bytes(used);
            if limit < NO_LIMIT && least.as_ref().is_none_or(|(so_far, _)| left < *so_far) {
                least = Some((left, format!("{directory}/{}", files[0])));
            }
        }
    }
    least
}

/// A mounted hierarchy that has the memory controller.
struct Mount {
    /// The cgroup that shows at the mount point.
    root: String,
    point: String,
}

/// `25 30 0:23 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory`
fn mount(line: &str, version_1: bool) -> Option<Mount> {
    let (place, kind) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, point) = (place.next()?, place.next()?);
    let mut kind = kind.split(' ');
    let ours = match kind.next()? {
        "cgroup2" => !version_1,
        "cgroup" => version_1 && kind.nth(1)?.split(',').any(|option| option == "memory"),
        _ => false,
    };
    ours.then(|| Mount { root: unescaped(root), point: unescaped(point) })
}

impl Mount {
    /// The directories from ours up to the mount point; what lies above cannot be seen.
    fn up(&self, path: &str) -> Vec<String> {
        let below = match self.root.as_str() {
            "/" => path,
            root => path.strip_prefix(root).unwrap_or(""),
        };
        // A path that begins with .. is that of a process outside of its cgroup namespace.
        let mut below = if below.trim_matches('/').starts_with("..") { "" } else { below.trim_matches('/') };
        let mut directories = Vec::new();
        while !below.is_empty() {
            directories.push(format!("{}/{below}", self.point));
            below = below.rsplit_once('/').map_or("", |(above, _)| above);
        }
        directories.push(self.point.clone());
        directories
    }
}

/// Spaces, tabs, newlines and backslashes stand as three octal digits.
fn unescaped(text: &str) -> String {
    let stand_ins = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    stand_ins.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
