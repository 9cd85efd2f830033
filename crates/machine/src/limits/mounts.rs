//! Where the cgroup file systems are mounted, from `/proc/self/mountinfo`.

/// A mounted cgroup hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// The cgroup that shows at the mount point; not `/` inside of containers without a cgroup namespace.
    pub root: String,
    pub point: String,
    /// Controllers of a version 1 hierarchy; none for version 2.
    pub controllers: Option<Vec<String>>,
}

/// All cgroup mounts, in order.
pub(super) fn read(mountinfo: &str) -> Vec<Mount> {
    mountinfo.lines().filter_map(line).collect()
}

/// `25 30 0:23 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu`
fn line(line: &str) -> Option<Mount> {
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
