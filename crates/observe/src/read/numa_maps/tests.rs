use super::*;

fn pages(line: &str) -> (Vec<(u32, u64)>, u64) {
    let parsed =
        MappingPages::parse(line.as_bytes(), Bytes(4096)).unwrap_or_else(|error| panic!("{line}: {error:?}"));
    let nodes = parsed.nodes.into_iter().map(|(node, pages)| (node.0, pages)).collect();
    (nodes, parsed.page.0)
}

#[test]
fn own_pages_are_counted_by_node() {
    for (line, nodes, page) in [
        ("7f00 default anon=5 dirty=5 active=0 N0=3 N1=2 kernelpagesize_kB=4", vec![(0, 3), (1, 2)], 4096),
        ("7f00 default heap anon=8 dirty=8 N3=8 kernelpagesize_kB=4", vec![(3, 8)], 4096),
        ("7f00 default stack anon=2 dirty=2 N0=2 kernelpagesize_kB=4", vec![(0, 2)], 4096),
        ("7f00 bind:0-1 anon=1 N1=1 kernelpagesize_kB=64", vec![(1, 1)], 65536),
        (
            "7f00 interleave:0,2 file=/anon_hugepage\\040(deleted) huge anon=4 dirty=4 N0=2 N2=2 kernelpagesize_kB=2048",
            vec![(0, 2), (2, 2)],
            2 << 20,
        ),
        // An old kernel that does not print the size.
        ("7f00 default anon=1 dirty=1 N0=1", vec![(0, 1)], 4096),
        // Nothing resident.
        ("7f00 default", vec![], 4096),
        ("7f00 default file=/usr/lib/libc.so.6", vec![], 4096),
        // Code: pages of the file only.
        ("7f00 default file=/usr/bin/head mapped=6 active=5 N0=6 kernelpagesize_kB=4", vec![], 4096),
        // Shared memory.
        ("7f00 default file=/dev/zero\\040(deleted) dirty=9 N0=9 kernelpagesize_kB=4", vec![], 4096),
        // Private data of a library: of eight pages two were written to.
        (
            "7f00 default file=/usr/lib/libc.so.6 anon=2 dirty=2 mapped=8 N0=4 N1=4 kernelpagesize_kB=4",
            vec![(0, 1), (1, 1)],
            4096,
        ),
        // A file whose name looks like a count.
        ("7f00 default file=N0=77 anon=1 N1=1 kernelpagesize_kB=4", vec![(1, 1)], 4096),
    ] {
        assert_eq!(pages(line), (nodes, page), "{line}");
    }
}

#[test]
fn broken_lines_are_refused() {
    for line in [
        "",
        " ",
        "7f00",
        "zz default",
        "7f00 default anon=x",
        "7f00 default anon=1 N0=",
        "7f00 default N0=1x",
        "7f00 default anon=1 N0=1 kernelpagesize_kB=",
        "7f00 default anon=-1",
        "7f00 default N99999999999=1",
        "7f00 default anon=1 N0=1 kernelpagesize_kB=18446744073709551615",
    ] {
        assert!(MappingPages::parse(line.as_bytes(), Bytes(4096)).is_err(), "{line:?}");
    }
}

#[test]
fn absurd_counts_do_not_overflow() {
    let huge = u64::MAX;
    let line = format!("7f00 default anon={huge} N0={huge} N1={huge} kernelpagesize_kB=4");
    assert!(MappingPages::parse(line.as_bytes(), Bytes(4096)).is_err());
}
