use super::*;

/// A directory with these files.
fn system(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let system = System::at(root.path());
    (root, system)
}

const V2: &str = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
const V1: &str = "31 1 0:27 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n";

#[test]
fn free_memory_is_that_of_the_node() {
    let (_root, system) = system(&[
        ("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 8 kB\nNode 1 MemFree:   1024 kB\n"),
        ("/proc/meminfo", "MemTotal: 9999 kB\nMemFree: 2048 kB\n"),
    ]);
    assert_eq!(system.free(NodeId(1)), Some(Bytes::mib(1)));
    assert_eq!(system.free(NodeId(0)), Some(Bytes::mib(2)), "a kernel without nodes");
    assert_eq!(system.free(NodeId(2)), None);
}

#[test]
fn the_tightest_level_of_the_cgroup_counts() {
    let (_root, system) = system(&[
        ("/proc/self/mountinfo", V2),
        ("/proc/self/cgroup", "0::/batch/job 1\n"),
        ("/sys/fs/cgroup/batch/job 1/memory.max", "max\n"),
        ("/sys/fs/cgroup/batch/job 1/memory.current", "100\n"),
        ("/sys/fs/cgroup/batch/memory.max", "1000\n"),
        ("/sys/fs/cgroup/batch/memory.current", "400\n"),
        ("/sys/fs/cgroup/memory.max", "700\n"),
        ("/sys/fs/cgroup/memory.current", "690\n"),
    ]);
    assert_eq!(system.cgroup_left(), Some((Bytes(10), "/sys/fs/cgroup/memory.max".to_owned())));
}

#[test]
fn version_1_has_its_own_names_and_its_own_none() {
    let (_root, system) = system(&[
        ("/proc/self/mountinfo", &format!("{V1}{V2}")),
        ("/proc/self/cgroup", "4:memory:/a/b\n2:cpu,cpuacct:/\n0::/\n"),
        ("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
        ("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "5\n"),
        ("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n"),
        ("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "6000\n"),
    ]);
    let found = system.cgroup_left();
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
        let (_root, system) = system(&[
            ("/proc/self/mountinfo", mounts),
            ("/proc/self/cgroup", cgroup),
            ("/sys/fs/cgroup/memory.max", limit),
            ("/sys/fs/cgroup/memory.current", "1"),
        ]);
        assert_eq!(system.cgroup_left(), None, "{cgroup:?} {mounts:?} {limit:?}");
    }
}

#[test]
fn steal_is_that_of_our_cpus_and_work_that_of_all() {
    let stat = "cpu  10 1 5 100 7 2 3 40 9 0\ncpu0 1 1 1 1 1 1 1 30 0 0\ncpu1 1 1 1 1 1 1 1 10 0 0\nintr 5\ncpu7 broken\n";
    let (_root, system) = system(&[("/proc/stat", stat)]);
    assert_eq!(system.jiffies(&[CpuId(1)]), Some(Jiffies { steal: 10, busy: 21 }));
    assert_eq!(system.jiffies(&[CpuId(0), CpuId(1)]).unwrap().steal, 40);
    assert_eq!(system.jiffies(&[CpuId(7)]).unwrap().steal, 0);
    assert_eq!(System::at("/nowhere").jiffies(&[]), None);
}

#[test]
fn huge_pages_are_told_with_their_switch() {
    let meminfo = ("/proc/meminfo", "Hugepagesize:       2048 kB\n");
    let switch = "/sys/kernel/mm/transparent_hugepage/enabled";
    for (text, asked) in [
        ("always [madvise] never\n", true),
        ("[always] madvise never\n", true),
        ("always madvise [never]\n", false),
    ] {
        let (_root, system) = system(&[meminfo, (switch, text)]);
        assert_eq!(system.huge_page(), Some((2 << 20, asked)));
    }
    let (_root, none) = system(&[("/proc/meminfo", "Hugepagesize: 3 kB\n")]);
    assert_eq!(none.huge_page(), None);
    assert_eq!(none.reserved_free(NodeId(0), 2 << 20), 0);
    let file = "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages";
    let (_root, some) = system(&[(file, "12\n")]);
    assert_eq!(some.reserved_free(NodeId(1), 2 << 20), 12);
}

#[test]
fn a_mapping_is_found_by_its_start() {
    let smaps =
        "1000-2000 rw-p 0\nAnonHugePages: 0 kB\n7f000-9f000 rw-p 0\nRss: 4 kB\nAnonHugePages:   2048 kB\n";
    let maps = "1000 default anon=1 N0=1\n7f000 bind:1 anon=8 N1=7 N12=1 kernelpagesize_kB=4\n";
    let (_root, system) = system(&[("/proc/self/smaps", smaps), ("/proc/self/numa_maps", maps)]);
    assert_eq!(system.transparent(0x7f000), Some(2 << 20));
    assert_eq!(
        system.transparent(0x80000),
        Some(2 << 20),
        "inside of a mapping that was joined with another"
    );
    assert_eq!(system.transparent(0x9f000), None);
    assert_eq!(system.numa_maps(0x7f000), Some(vec![(NodeId(1), 7), (NodeId(12), 1)]));
    assert_eq!(system.numa_maps(0x1), None);
    assert_eq!(system.numa_maps(0x1000), Some(vec![(NodeId(0), 1)]));
}
