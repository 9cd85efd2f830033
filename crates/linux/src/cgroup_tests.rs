use super::*;
use crate::fixture::Tree;

/// A directory with these files.
fn tree(files: &[(&str, &str)]) -> (Tree, Roots) {
    let tree = Tree::new();
    files.iter().for_each(|(path, text)| tree.write(path, text));
    let roots = Roots::at(tree.path());
    (tree, roots)
}

fn left(roots: &Roots) -> Option<(Bytes, String)> {
    Cgroups::of_this_process(roots).memory_left()
}

const V2: &str = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
const V1: &str = "31 1 0:27 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n";

#[test]
fn the_tightest_level_of_the_cgroup_counts() {
    let (_root, roots) = tree(&[
        ("/proc/self/mountinfo", V2),
        ("/proc/self/cgroup", "0::/batch/job 1\n"),
        ("/sys/fs/cgroup/batch/job 1/memory.max", "max\n"),
        ("/sys/fs/cgroup/batch/job 1/memory.current", "100\n"),
        ("/sys/fs/cgroup/batch/memory.max", "1000\n"),
        ("/sys/fs/cgroup/batch/memory.current", "400\n"),
        ("/sys/fs/cgroup/memory.max", "700\n"),
        ("/sys/fs/cgroup/memory.current", "690\n"),
    ]);
    assert_eq!(left(&roots), Some((Bytes(10), "/sys/fs/cgroup/memory.max".to_owned())));
}

#[test]
fn version_1_has_its_own_names_and_its_own_none() {
    let (_root, roots) = tree(&[
        ("/proc/self/mountinfo", &format!("{V1}{V2}")),
        ("/proc/self/cgroup", "4:memory:/a/b\n2:cpu,cpuacct:/\n0::/\n"),
        ("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
        ("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "5\n"),
        ("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n"),
        ("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "6000\n"),
    ]);
    let found = left(&roots);
    assert_eq!(found, Some((Bytes(0), "/sys/fs/cgroup/memory/a/memory.limit_in_bytes".to_owned())));
}

#[test]
fn broken_files_of_a_cgroup_are_no_limit() {
    for (cgroup, mounts, limit) in [
        ("no colons\n:\n", V2, "5"),
        ("0::/\n", "24 1 - cgroup2\n - \n", "5"),
        ("0::/\n", V2, "much"),
        ("0::/\n", V2, "-1"),
        ("0::/../../elsewhere\n", V1, "5"),
        ("", "", ""),
    ] {
        let (_root, roots) = tree(&[
            ("/proc/self/mountinfo", mounts),
            ("/proc/self/cgroup", cgroup),
            ("/sys/fs/cgroup/memory.max", limit),
            ("/sys/fs/cgroup/memory.current", "1"),
        ]);
        assert_eq!(left(&roots), None, "{cgroup:?} {mounts:?} {limit:?}");
    }
}

#[test]
fn the_fewest_processes_on_the_way_up() {
    let left = |inner: &str, files: &[(&str, &str)]| {
        let cgroup = [("/proc/self/mountinfo", V2), ("/proc/self/cgroup", "0::/batch/job\n")];
        let own =
            [("/sys/fs/cgroup/batch/job/pids.max", inner), ("/sys/fs/cgroup/batch/job/pids.current", "10\n")];
        let (_root, roots) = tree(&[&cgroup[..], &own, files].concat());
        Cgroups::of_this_process(&roots).processes_left()
    };
    let outer = [("/sys/fs/cgroup/batch/pids.max", "100\n"), ("/sys/fs/cgroup/batch/pids.current", "70\n")];
    assert_eq!(left("max\n", &[]), None, "no limit");
    assert_eq!(left("max\n", &outer), Some((30, "/sys/fs/cgroup/batch/pids.max".to_owned())));
    assert_eq!(
        left("5\n", &outer),
        Some((0, "/sys/fs/cgroup/batch/job/pids.max".to_owned())),
        "lowered since"
    );
    assert_eq!(left("broken\n", &[]), None);
}
