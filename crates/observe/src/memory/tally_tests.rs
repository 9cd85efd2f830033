use proptest::prelude::*;

use super::*;
use PageUse::{File, Heap, Huge, Private, Shared, Stack};

const USUAL: Bytes = Bytes(4096);

fn tally(lines: &[&str], largest: usize) -> MemorySnapshot {
    process_memory(lines, largest, USUAL).all
}

fn process_memory(lines: &[&str], largest: usize, usual: Bytes) -> ProcessMemory {
    let mut tally = Tally::new(usual, largest);
    let mut nodes = Vec::new();
    for text in lines {
        let line = NumaMapping::parse(text.as_bytes(), &mut nodes)
            .unwrap_or_else(|error| panic!("{text}: {error:?}"));
        tally.add(&line, &nodes).unwrap_or_else(|| panic!("{text} is too much"));
    }
    tally.finish()
}

/// Use, node and pages of the usual size.
fn uses(lines: &[&str]) -> Vec<(PageUse, u32, u64)> {
    let pages = |&(used_for, node, bytes): &(PageUse, NodeId, Bytes)| (used_for, node.0, bytes.0 / USUAL.0);
    tally(lines, 0).by_use.iter().map(pages).collect()
}

#[test]
fn every_page_has_its_use() {
    for (line, expected) in [
        ("7f default heap anon=8 dirty=8 N0=6 N3=2 kernelpagesize_kB=4", vec![(Heap, 0, 6), (Heap, 3, 2)]),
        ("7f default stack anon=2 N1=2 kernelpagesize_kB=4", vec![(Stack, 1, 2)]),
        ("7f default anon=5 dirty=5 N0=5 kernelpagesize_kB=4", vec![(Private, 0, 5)]),
        ("7f default file=/lib/a.so mapped=7 mapmax=3 N0=7 kernelpagesize_kB=4", vec![(File, 0, 7)]),
        (
            "7f default file=/lib/a.so anon=2 dirty=2 mapped=8 N0=4 N1=4 kernelpagesize_kB=4",
            vec![(Private, 0, 1), (Private, 1, 1), (File, 0, 3), (File, 1, 3)],
        ),
        ("7f default file=/lib/a.so anon=2 dirty=2 N0=2 kernelpagesize_kB=4", vec![(Private, 0, 2)]),
        ("7f default file=/dev/zero\\040(deleted) dirty=9 N0=9 kernelpagesize_kB=4", vec![(Shared, 0, 9)]),
        ("7f default file=/memfd:x\\040(deleted) dirty=9 N0=9 kernelpagesize_kB=4", vec![(Shared, 0, 9)]),
        (
            "7f default file=/SYSV00000000\\040(deleted) dirty=9 N0=9 kernelpagesize_kB=4",
            vec![(Shared, 0, 9)],
        ),
        ("7f default file=/dev/shm/psm_1 dirty=9 N0=9 kernelpagesize_kB=4", vec![(Shared, 0, 9)]),
        // The process's own copies of shared memory.
        (
            "7f default file=/dev/shm/a anon=1 dirty=1 mapped=3 N0=3 kernelpagesize_kB=4",
            vec![(Private, 0, 1), (Shared, 0, 2)],
        ),
        // Not shared memory, whatever the name says further on.
        ("7f default file=/home/me/dev/shm/a mapped=3 N0=3 kernelpagesize_kB=4", vec![(File, 0, 3)]),
        // Code of the kernel that is mapped into every process.
        ("7fff default mapped=1 mapmax=90 N0=1 kernelpagesize_kB=4", vec![(File, 0, 1)]),
        (
            "7f default file=/anon_hugepage\\040(deleted) huge anon=2 dirty=2 N0=1 N1=1 kernelpagesize_kB=2048",
            vec![(Huge, 0, 512), (Huge, 1, 512)],
        ),
        (
            "7f default file=/SYSV00000000\\040(deleted) huge dirty=1 N1=1 kernelpagesize_kB=1048576",
            vec![(Huge, 1, 262_144)],
        ),
        // The heap on huge pages, as libhugetlbfs makes it.
        ("7f default heap huge anon=1 dirty=1 N0=1 kernelpagesize_kB=2048", vec![(Huge, 0, 512)]),
        // Transparent huge pages are counted in small ones.
        ("7f default anon=1024 dirty=1024 N0=1024 kernelpagesize_kB=4", vec![(Private, 0, 1024)]),
        // Persistent memory: mapped in pages of 2 MiB, counted in small ones.
        ("7f default file=/dev/dax0.0 mapped=512 N2=512 kernelpagesize_kB=2048", vec![(File, 2, 512)]),
        // More anonymous pages than pages: the file changed while it was written.
        ("7f default file=/a anon=9 N0=2 kernelpagesize_kB=4", vec![(Private, 0, 2)]),
        ("7f default", vec![]),
        ("7f default file=/lib/a.so", vec![]),
    ] {
        assert_eq!(uses(&[line]), expected, "{line}");
    }
}

#[test]
fn private_writable_memory_is_known_by_node() {
    for (line, usual, nodes, pages) in [
        ("7f default anon=5 dirty=5 active=0 N0=3 N1=2 kernelpagesize_kB=4", 4, vec![(0, 12), (1, 8)], 5),
        ("7f default heap anon=8 dirty=8 N3=8 kernelpagesize_kB=4", 4, vec![(3, 32)], 8),
        ("7f default stack anon=2 dirty=2 N0=2 kernelpagesize_kB=4", 4, vec![(0, 8)], 2),
        ("7f bind:0-1 anon=1 N1=1 kernelpagesize_kB=64", 64, vec![(1, 64)], 1),
        (
            "7f interleave:0,2 file=/anon_hugepage\\040(deleted) huge anon=4 dirty=4 N0=2 N2=2 kernelpagesize_kB=2048",
            4,
            vec![(0, 4096), (2, 4096)],
            4,
        ),
        // An old kernel that does not print the size.
        ("7f default anon=1 dirty=1 N0=1", 4, vec![(0, 4)], 1),
        // Nothing resident.
        ("7f default", 4, vec![], 0),
        ("7f default file=/usr/lib/libc.so.6", 4, vec![], 0),
        // Code: pages of the file only.
        ("7f default file=/usr/bin/head mapped=6 active=5 N0=6 kernelpagesize_kB=4", 4, vec![], 0),
        // Shared memory.
        ("7f default file=/dev/zero\\040(deleted) dirty=9 N0=9 kernelpagesize_kB=4", 4, vec![], 0),
        // Private data of a library: of eight pages two were written to.
        (
            "7f default file=/usr/lib/libc.so.6 anon=2 dirty=2 mapped=8 N0=4 N1=4 kernelpagesize_kB=4",
            4,
            vec![(0, 4), (1, 4)],
            2,
        ),
        // A file whose name looks like a count.
        ("7f default file=N0=77 anon=1 N1=1 kernelpagesize_kB=4", 4, vec![(1, 4)], 1),
        // The heap before anything was written to its page.
        ("7f default heap N0=1 kernelpagesize_kB=4", 4, vec![], 0),
    ] {
        let found = process_memory(&[line], 0, Bytes::kib(usual));
        let private: Vec<_> = found.private.iter().map(|(node, bytes)| (node.0, bytes.0 / 1024)).collect();
        assert_eq!((private, found.private_pages), (nodes, pages), "{line}");
    }
}

#[test]
fn what_others_may_have_mapped_is_known_with_the_part_of_the_process() {
    let lines = [
        "1 default file=/dev/zero\\040(deleted) dirty=8 mapmax=4 N0=4 N1=4 kernelpagesize_kB=4",
        "2 default file=/dev/shm/a anon=1 dirty=1 mapped=3 N0=3 kernelpagesize_kB=4",
        "3 bind:1 file=/SYSV00000000\\040(deleted) dirty=2 N1=2 kernelpagesize_kB=4",
        "4 default file=/lib/a.so mapped=90 mapmax=30 N0=90 kernelpagesize_kB=4",
        "5 default file=/anon_hugepage\\040(deleted) huge dirty=2 mapmax=2 N1=2 kernelpagesize_kB=2048",
        // Its own, or nobody's.
        "6 default file=/anon_hugepage\\040(deleted) huge anon=2 dirty=2 N1=2 kernelpagesize_kB=2048",
        "7 default anon=8 mapmax=2 N0=8",
        "8 default heap anon=8 N0=8",
        "9 default file=/dev/shm/b",
    ];
    let found = process_memory(&lines, 0, USUAL).shared;
    let found: Vec<_> = found
        .iter()
        .map(|of| {
            let by_node: Vec<_> = of.by_node.iter().map(|(node, bytes)| (node.0, bytes.0 / 4096)).collect();
            (of.policy.as_str(), of.used_for, by_node, of.part.0 / 4096)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("default", Shared, vec![(0, 6), (1, 4)], 4),
            ("default", File, vec![(0, 90)], 3),
            ("default", Huge, vec![(1, 1024)], 512),
            ("bind:1", Shared, vec![(1, 2)], 2),
        ]
    );
}

#[test]
fn mixed_sizes_of_pages_are_each_counted_with_their_own() {
    let lines = [
        "1 default huge file=/a anon=1 N0=1 kernelpagesize_kB=2048",
        "2 default huge file=/b anon=1 N0=1 kernelpagesize_kB=1048576",
        "3 default huge file=/c anon=3 N1=3 kernelpagesize_kB=64",
    ];
    assert_eq!(uses(&lines), [(Huge, 0, 512 + 262_144), (Huge, 1, 48)]);
}

#[test]
fn policies_share_the_memory() {
    let found = tally(
        &[
            "1 default anon=1 N0=1",
            "2 bind:1 anon=4 N1=4",
            "3 default",
            "4 interleave:0-1 anon=4 N0=2 N1=2",
            "5 bind:1 anon=1 N1=1",
            "6 local",
        ],
        0,
    );
    let seen: Vec<_> = found
        .by_policy
        .iter()
        .map(|share| {
            let nodes: Vec<_> = share.by_node.iter().map(|(node, bytes)| (node.0, bytes.0 / 4096)).collect();
            (share.policy.as_str(), share.mappings, nodes)
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("bind:1", 2, vec![(1, 5)]),
            ("interleave:0-1", 1, vec![(0, 2), (1, 2)]),
            ("default", 2, vec![(0, 1)]),
            ("local", 1, vec![]),
        ]
    );
    assert_eq!(found.mappings, 6);
}

#[test]
fn the_largest_come_first_and_empty_ones_never() {
    let lines = [
        "30 default anon=2 N0=2",
        "10 default anon=2 N0=2",
        "40 default",
        "20 default file=/a\\040b\\134 anon=1 mapped=9 N0=4 N1=5",
        "50 bind:0 file=/anon_hugepage huge anon=1 N0=1 kernelpagesize_kB=2048",
    ];
    let found = tally(&lines, 3).largest;
    let seen: Vec<_> = found.iter().map(|of| (of.address, of.resident().0 / 4096, of.used_for)).collect();
    assert_eq!(seen, [(0x50, 512, Huge), (0x20, 9, File), (0x10, 2, Private)]);
    assert_eq!(found[1].file.as_deref(), Some("/a b\\"));
    assert_eq!(found[1].by_node, [(NodeId(0), Bytes(4 * 4096)), (NodeId(1), Bytes(5 * 4096))]);
    assert_eq!((found[0].policy.as_str(), found[0].page), ("bind:0", Bytes::mib(2)));
    assert_eq!(tally(&lines, 99).largest.len(), 4);
    assert_eq!(tally(&lines, 0).largest, []);
}

#[test]
fn names_come_back_as_they_are() {
    for (escaped, name) in [
        ("/a\\040b", "/a b"),
        ("\\011\\012\\075\\134", "\t\n=\\"),
        ("/a\\", "/a\\"),
        ("/a\\04", "/a\\04"),
        ("/a\\999", "/a\\999"),
        ("/a\\+40", "/a\\+40"),
        ("/a\\777", "/a\\777"),
        ("", ""),
    ] {
        assert_eq!(String::from_utf8_lossy(&unescape(escaped.as_bytes())), name, "{escaped}");
    }
}

#[test]
fn more_than_can_be_is_refused() {
    let mut tally = Tally::new(USUAL, 1);
    let mut nodes = Vec::new();
    for text in [
        format!("7f default anon=1 N0={}", u64::MAX / 4096 + 1),
        "7f default huge anon=1 N0=18014398509481984 kernelpagesize_kB=2048".to_owned(),
    ] {
        let line = NumaMapping::parse(text.as_bytes(), &mut nodes).unwrap();
        assert_eq!(tally.add(&line, &nodes), None, "{text}");
    }
    assert_eq!(tally.finish(), ProcessMemory::default());
}

/// Lines as the kernel writes them, of any kind.
fn any_line() -> impl Strategy<Value = String> {
    let kinds = ["", " heap", " stack", " file=/lib/a.so", " file=/dev/shm/x", " file=/anon_hugepage huge"];
    let policies = ["default", "bind:0", "weighted interleave:0-3"];
    let pages = proptest::collection::btree_map(0u32..70, 1u64..1 << 30, 0..5);
    (0..kinds.len(), 0..policies.len(), 0u64..1 << 31, pages).prop_map(
        move |(kind, policy, anonymous, pages)| {
            let mut line = format!("{anonymous:x} {}{} anon={anonymous}", policies[policy], kinds[kind]);
            for (node, pages) in pages {
                line += &format!(" N{node}={pages}");
            }
            line + if kinds[kind].ends_with("huge") {
                " kernelpagesize_kB=2048"
            } else {
                " kernelpagesize_kB=4"
            }
        },
    )
}

proptest! {
    #[test]
    fn uses_policies_and_mappings_all_add_up_to_the_pages(lines in proptest::collection::vec(any_line(), 0..40)) {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let found = tally(&lines, usize::MAX);
        let mut truth = std::collections::BTreeMap::<NodeId, u128>::new();
        for line in &lines {
            let page = if line.contains("huge ") { 2 << 20 } else { 4096 };
            for field in line.split(' ').filter_map(|field| field.strip_prefix('N')) {
                let (node, pages) = field.split_once('=').unwrap();
                *truth.entry(NodeId(node.parse().unwrap())).or_default() += pages.parse::<u128>().unwrap() * page;
            }
        }
        let sums = |parts: Vec<(NodeId, Bytes)>| {
            let mut sums = std::collections::BTreeMap::<NodeId, u128>::new();
            for (node, bytes) in parts {
                *sums.entry(node).or_default() += u128::from(bytes.0);
            }
            sums
        };
        prop_assert_eq!(&sums(found.by_use.iter().map(|&(_, node, bytes)| (node, bytes)).collect()), &truth);
        prop_assert_eq!(&sums(found.by_policy.iter().flat_map(|of| of.by_node.clone()).collect()), &truth);
        prop_assert_eq!(&sums(found.largest.iter().flat_map(|of| of.by_node.clone()).collect()), &truth);
        prop_assert_eq!(found.mappings, lines.len() as u64);
        prop_assert!(found.largest.windows(2).all(|pair| pair[0].resident() >= pair[1].resident()));
        prop_assert!(found.by_use.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)));
        // Listing fewer gives the beginning of the whole list.
        let few = tally(&lines, 3).largest;
        prop_assert_eq!(&found.largest[..few.len()], &few[..]);
    }

    #[test]
    fn no_bytes_make_it_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut nodes = Vec::new();
        let mut tally = Tally::new(USUAL, 2);
        if let Ok(line) = NumaMapping::parse(&text, &mut nodes) {
            let _ = tally.add(&line, &nodes);
        }
        let _ = unescape(&text);
        tally.finish();
    }

    #[test]
    fn nearly_good_lines_neither(
        text in "[0-9a-f]{0,17} ?(default|prefer \\(many\\)|weighted|=|:){0,2}( (anon|N|N0|N1|N99|file|kernelpagesize_kB|huge)=?[0-9]{0,21}){0,6}",
    ) {
        let mut nodes = Vec::new();
        let mut tally = Tally::new(USUAL, 2);
        if let Ok(line) = NumaMapping::parse(text.as_bytes(), &mut nodes) {
            prop_assert_eq!(line.pages, nodes.iter().map(|(_, pages)| pages).sum::<u64>());
            if tally.add(&line, &nodes).is_some() {
                let found = tally.finish().all;
                let unit = if line.huge { line.page.unwrap_or(USUAL).0 } else { USUAL.0 };
                prop_assert_eq!(found.by_use.iter().map(|(_, _, bytes)| bytes.0).sum::<u64>(), line.pages * unit);
            }
        }
    }
}
