use super::*;
use crate::fixture::Tree;

#[test]
fn a_node_has_a_file_of_its_own() {
    let tree = Tree::new();
    tree.write("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 8 kB\nNode 1 MemFree:   4 kB\n");
    tree.write("/proc/meminfo", "MemTotal: 9 kB\nMemFree: many kB\nHugepagesize:       2048 kB\n");
    let roots = Roots::at(tree.path());
    let node = MemoryInfo::of_node(&roots, NodeId(1)).unwrap();
    assert_eq!(
        node,
        MemoryInfo { total: Some(Bytes::kib(8)), free: Some(Bytes::kib(4)), ..MemoryInfo::default() }
    );
    assert!(MemoryInfo::of_node(&roots, NodeId(0)).is_err());
    let all = MemoryInfo::of_computer(&roots).unwrap();
    assert_eq!(
        all,
        MemoryInfo { total: Some(Bytes::kib(9)), huge_page: Some(Bytes::mib(2)), ..MemoryInfo::default() }
    );
    assert_eq!(MemoryInfo::parse("MemFree: 99999999999999999999 kB"), MemoryInfo::default());
    assert_eq!(MemoryInfo::parse("MemFree: 18446744073709551615 kB").free, None, "no overflow");
}

#[test]
fn what_the_kernel_can_give_back_can_be_had() {
    let of = |rows: &str| MemoryInfo::parse(rows).to_be_had();
    let full = "MemTotal: 64000 kB\nMemFree: 100 kB\nActive(file): 6000 kB\nInactive(file): 4000 kB\nSReclaimable: 400 kB\n";
    assert_eq!(of(full), Some(Bytes::kib(100 + 9000 + 200)));
    assert_eq!(of("MemTotal: 64000 kB\nMemFree: 100 kB\n"), Some(Bytes::kib(100)));
    assert_eq!(of("MemFree: 100 kB\nActive(file): 6 kB\nInactive(file): 4 kB\n"), Some(Bytes::kib(105)));
    assert_eq!(of("MemTotal: 64000 kB\nActive(file): 6000 kB\n"), None);
}

#[test]
fn the_choice_is_the_word_in_brackets() {
    let tree = Tree::new();
    let roots = Roots::at(tree.path());
    assert!(transparent_huge_pages(&roots).unwrap_err().is_gone());
    for (text, choice) in [
        ("always [madvise] never\n", "madvise"),
        ("[always] madvise never\n", "always"),
        ("always\n", "always"),
    ] {
        tree.write(TRANSPARENT_HUGE_PAGES, text);
        assert_eq!(transparent_huge_pages(&roots).unwrap(), choice);
    }
    tree.write(TRANSPARENT_HUGE_PAGES, "\n");
    assert!(!transparent_huge_pages(&roots).unwrap_err().is_gone());
}

#[test]
fn huge_pages_are_counted_over_all_sizes() {
    let tree = Tree::new();
    let roots = Roots::at(tree.path());
    assert!(huge_pages_to_be_had(&roots).is_err());
    tree.write(&format!("{HUGE_PAGES}/hugepages-2048kB/free_hugepages"), "0\n");
    assert_eq!(huge_pages_to_be_had(&roots).unwrap(), 0);
    tree.write(&format!("{HUGE_PAGES}/hugepages-2048kB/nr_overcommit_hugepages"), "2\n");
    tree.write(&format!("{HUGE_PAGES}/hugepages-1048576kB/free_hugepages"), "1\n");
    assert_eq!(huge_pages_to_be_had(&roots).unwrap(), 3);
    tree.write("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages", "12\n");
    assert_eq!(free_huge_pages(&roots, NodeId(1), Bytes::mib(2)), 12);
    assert_eq!(free_huge_pages(&roots, NodeId(0), Bytes::mib(2)), 0);
}

#[test]
fn memory_that_a_node_could_not_give_is_counted_by_that_node() {
    let tree = Tree::new();
    let roots = Roots::at(tree.path());
    assert!(turned_away(&roots).unwrap_err().is_gone(), "a kernel without NUMA");
    tree.write("/sys/devices/system/node/has_memory", "0,2\n");
    let stat = |foreign: &str| format!("numa_hit 9\nnuma_miss 3\nnuma_foreign {foreign}\ninterleave_hit 1\n");
    tree.write("/sys/devices/system/node/node0/numastat", &stat("4096"));
    assert!(turned_away(&roots).unwrap_err().is_gone(), "node 2 has no file");
    tree.write("/sys/devices/system/node/node2/numastat", &stat("0"));
    assert_eq!(turned_away(&roots).unwrap(), [(NodeId(0), 4096), (NodeId(2), 0)]);
    tree.write("/proc/sys/vm/numa_stat", "1\n");
    assert!(turned_away(&roots).is_ok());
    for broken in ["x", "", "-1", "99999999999999999999"] {
        tree.write("/sys/devices/system/node/node2/numastat", &stat(broken));
        let error = turned_away(&roots).unwrap_err().to_string();
        assert!(error.contains("node2/numastat") && error.contains("numa_foreign"), "{error}");
    }
    tree.write("/sys/devices/system/node/has_memory", "some\n");
    assert!(turned_away(&roots).unwrap_err().to_string().contains("a list of nodes"));
}

#[test]
fn counters_that_the_kernel_was_told_not_to_keep_are_no_zeros() {
    let tree = Tree::new();
    tree.write("/sys/devices/system/node/has_memory", "0\n");
    tree.write("/sys/devices/system/node/node0/numastat", "numa_foreign 0\n");
    tree.write("/proc/sys/vm/numa_stat", "0\n");
    let error = turned_away(&Roots::at(tree.path())).unwrap_err().to_string();
    assert!(error.contains("numa_stat") && error.contains("with which the kernel counts"), "{error}");
}

#[test]
fn the_size_of_a_transparent_huge_page_is_the_kernels() {
    let tree = Tree::new();
    let roots = Roots::at(tree.path());
    assert_eq!(transparent_huge_page(&roots), None);
    tree.write("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152\n");
    assert_eq!(transparent_huge_page(&roots), Some(Bytes::mib(2)));
}
