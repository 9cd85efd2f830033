use super::*;

const TEXT: &str = "\
55e2a5400000-55e2a5401000 r-xp 00003000 fe:00 1234                       /opt/a program/bin
Size:                  4 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                   4 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me dw
55e2a5423000-55e2a5425000 rw-p 00000000 00:00 0                          [heap]
KernelPageSize:        4 kB
Rss:                   8 kB
Anonymous:             8 kB
7f0000000000-7f0000400000 rw-p 00000000 00:10 77                         /anon_hugepage (deleted)
KernelPageSize:     2048 kB
Rss:                   0 kB
Anonymous:             0 kB
Shared_Hugetlb:     2048 kB
Private_Hugetlb:    2048 kB
7f1000000000-7f1000400000 rw-p 00000000 00:00 0
Rss:                2060 kB
Anonymous:          2060 kB
AnonHugePages:      2048 kB
";

fn all(text: &str) -> Result<Vec<ResidentMapping>, Malformed> {
    let mut smaps = SmapsReader::default();
    let mut found = Vec::new();
    for line in text.lines() {
        found.extend(smaps.line(line.as_bytes())?);
    }
    found.extend(smaps.end());
    Ok(found)
}

#[test]
fn mappings_are_put_together_from_their_lines() {
    let found = all(TEXT).unwrap();
    let seen: Vec<_> =
        found.iter().map(|of| (of.addresses.start, String::from_utf8_lossy(&of.name).into_owned())).collect();
    assert_eq!(
        seen,
        [
            (0x55e2_a540_0000, "/opt/a program/bin".to_owned()),
            (0x55e2_a542_3000, "[heap]".to_owned()),
            (0x7f00_0000_0000, "/anon_hugepage (deleted)".to_owned()),
            (0x7f10_0000_0000, String::new()),
        ]
    );
    assert_eq!(found.iter().map(|of| of.transparent.0 / 1024).collect::<Vec<_>>(), [0, 0, 0, 2048]);
    let kib = |of: &ResidentMapping| (of.all.0 / 1024, of.anonymous.0 / 1024, of.huge.0 / 1024);
    assert_eq!(
        found.iter().map(kib).collect::<Vec<_>>(),
        [(4, 0, 0), (8, 8, 0), (0, 0, 4096), (2060, 2060, 0)]
    );
    assert_eq!(found[2].page, Some(Bytes::mib(2)));
    assert_eq!(found[3].page, None);
    assert_eq!(all("").unwrap(), []);
}

#[test]
fn broken_lines_are_refused() {
    let first = "1000-2000 rw-p 0 00:00 0\n";
    for line in [
        "Rss: 4",
        "Rss: kB",
        "Rss: x kB",
        "Rss: -4 kB",
        "Rss: 18446744073709551615 kB",
        "Anonymous:",
        "nonsense",
    ] {
        assert!(all(&format!("{first}{line}\n")).is_err(), "{line}");
    }
    // Two halves that overflow together.
    let half = "Private_Hugetlb: 18014398509481983 kB\n";
    assert!(all(&format!("{first}{half}{half}")).is_err());
    assert!(all("Rss: 4 kB\n").is_err(), "no mapping to which it belongs");
}

#[test]
fn lines_that_nobody_knows_are_passed_over() {
    let found = all("1000-2000 rw-p 0 00:00 0\nNewLine: whatever\nTHPeligible: 1\nRss: 4 kB\n").unwrap();
    assert_eq!(found[0].all, Bytes::kib(4));
}

#[test]
fn the_part_of_shared_memory_is_read_from_the_sums() {
    let rollup = "55d0-7ffe ---p 00000000 00:00 0    [rollup]\nRss:   4000 kB\nPss:  2000 kB\nPss_Anon:  12 kB\n\
                  Pss_File:  34 kB\nPss_Shmem:    1954 kB\nShared_Clean:  0 kB\n";
    assert_eq!(own_part_of_shared(rollup.as_bytes()), Some(Bytes::kib(1954)));
    for broken in [
        "",
        "Pss_Shmem: kB\n",
        "Pss_Shmem: 1954\n",
        "Pss_Shmem: -1 kB\n",
        "Pss_Shmem: 18446744073709551615 kB\n",
    ] {
        assert_eq!(own_part_of_shared(broken.as_bytes()), None, "{broken:?}");
    }
    // Before Linux 5.4.
    assert_eq!(own_part_of_shared(b"Rss:   4000 kB\nPss:  2000 kB\n"), None);
}
