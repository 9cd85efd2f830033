use super::*;
use crate::fixture::Tree;

const BEFORE: &str = "pswpin 1\npswpout 2\nnuma_pages_migrated 100\nnuma_hint_faults 50\nthp_fault_alloc 7\nthp_collapse_alloc 1\n\
    zone_reclaim_success 3\n";
const AFTER: &str = "pswpin 11\npswpout 2\nnuma_pages_migrated 1124\nnuma_hint_faults 60\nthp_fault_alloc 9\nthp_collapse_alloc 2\n\
    zone_reclaim_success 3\n";

fn write(tree: &Tree, vmstat: &str, foreign: [u64; 2]) {
    tree.write("proc/vmstat", vmstat);
    tree.write("sys/devices/system/node/has_memory", "0-1\n");
    for (node, pages) in foreign.iter().enumerate() {
        let name = format!("sys/devices/system/node/node{node}/numastat");
        tree.write(&name, &format!("numa_hit 1\nnuma_foreign {pages}\n"));
    }
}

#[test]
fn what_came_between_two_moments_is_told_in_bytes() {
    let tree = Tree::new();
    let (roots, page) = (tree.roots(), pages::page_size());
    tree.write("sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152\n");
    write(&tree, BEFORE, [5, 6]);
    let before = MemoryCounters::read(&roots);
    write(&tree, AFTER, [5, 16]);
    let found = events(&roots, &before, &MemoryCounters::read(&roots), Some(Bytes::mib(1)));
    let expected = MemoryEvents {
        moved: Reading::Measured(Bytes(1024 * page.0)),
        hint_faults: Reading::Measured(10),
        huge_pages: Reading::Measured(Bytes::mib(6)),
        turned_away: Reading::Measured(vec![(NodeId(1), Bytes(10 * page.0))]),
        node_reclaims: Reading::Measured(0),
        swapped_in: Reading::Measured(Bytes(10 * page.0)),
        swapped_out: Reading::Measured(Bytes(0)),
        swapped: Reading::Measured(Bytes::mib(1)),
    };
    assert_eq!(found, expected);
}

#[test]
fn what_is_not_counted_is_missing_and_not_zero() {
    let tree = Tree::new();
    let roots = tree.roots();
    tree.write("proc/vmstat", "pswpin 1\npswpout 2\n");
    let counters = MemoryCounters::read(&roots);
    let found = events(&roots, &counters, &counters, None);
    assert_eq!(found.swapped_in, Reading::Measured(Bytes(0)));
    assert!(found.moved.to_string().contains("no such line"), "{}", found.moved);
    assert!(found.huge_pages.to_string().contains("no transparent huge pages"));
    assert!(found.turned_away.reason().unwrap().0.contains("shows no nodes"), "{:?}", found.turned_away);
    assert!(found.swapped.measured().is_none());
}

#[test]
fn a_file_that_cannot_be_read_is_the_reason() {
    let tree = Tree::new();
    let roots = tree.roots();
    let nothing = MemoryCounters::read(&roots);
    let found = events(&roots, &nothing, &nothing, None);
    assert!(found.swapped_out.to_string().contains("vmstat"), "{}", found.swapped_out);
    tree.write("proc/vmstat", "pswpin many\n");
    let broken = MemoryCounters::read(&roots);
    let found = events(&roots, &broken, &broken, None);
    assert!(found.swapped_out.to_string().contains("a name and a number"), "{}", found.swapped_out);
}
