use super::*;

/// A directory with these files.
fn system(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let system = System::at(root.path());
    (root, system)
}

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
    let smaps = "1000-2000 rw-p 0 00:00 0\nAnonHugePages: 0 kB\n7f000-9f000 rw-p 0 00:00 0\nRss: 4 kB\nAnonHugePages:   2048 kB\n";
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
