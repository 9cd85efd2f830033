use super::*;

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
        "7f00 default anon=1 mapmax=x N0=1",
        "7f00 default N99999999999=1",
        "7f00 default anon=1 N0=1 kernelpagesize_kB=18446744073709551615",
    ] {
        assert!(NumaMapping::parse(line.as_bytes(), &mut Vec::new()).is_err(), "{line:?}");
    }
}

#[test]
fn absurd_counts_do_not_overflow() {
    let huge = u64::MAX;
    let line = format!("7f00 default anon={huge} N0={huge} N1={huge} kernelpagesize_kB=4");
    assert!(NumaMapping::parse(line.as_bytes(), &mut Vec::new()).is_err());
}

fn line(text: &str) -> (NumaMapping<'_>, Vec<(u32, u64)>) {
    let mut nodes = vec![(NodeId(9), 9)]; // what was left from the line before
    let line =
        NumaMapping::parse(text.as_bytes(), &mut nodes).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    (line, nodes.into_iter().map(|(node, pages)| (node.0, pages)).collect())
}

#[test]
fn policies_may_have_two_words_and_flags() {
    for policy in [
        "default",
        "local",
        "bind:0-1",
        "bind=static:0",
        "bind=relative|balancing:0-3",
        "prefer:1",
        "prefer=relative:1",
        "prefer (many):0-1",
        "prefer (many)=static:0,2",
        "interleave:0-1",
        "weighted interleave:0,2",
        "weighted interleave=static:0-1",
        "unknown",
    ] {
        for rest in ["", " heap anon=1 N1=1", " file=/a anon=1 N1=1", " anon=1 N1=1 kernelpagesize_kB=4"] {
            let text = format!("7f00 {policy}{rest}");
            let (line, nodes) = line(&text);
            assert_eq!(line.policy, policy.as_bytes(), "{text}");
            assert_eq!(nodes, if rest.is_empty() { vec![] } else { vec![(1, 1)] }, "{text}");
            assert_eq!(line.name == MappingName::Heap, rest.contains("heap"));
        }
    }
}

#[test]
fn a_line_tells_all_that_the_kernel_wrote() {
    let text =
        "7fff0000 bind:1 file=/a\\040b\\075c huge anon=4 dirty=4 mapmax=2 N0=1 N2=3 kernelpagesize_kB=2048";
    let (found, nodes) = line(text);
    let expected = NumaMapping {
        address: 0x7fff_0000,
        policy: b"bind:1",
        file: Some(b"/a\\040b\\075c"),
        name: MappingName::Other,
        huge: true,
        anonymous: 4,
        pages: 4,
        mapped_by: 2,
        page: Some(Bytes::mib(2)),
    };
    assert_eq!((found, nodes), (expected, vec![(0, 1), (2, 3)]));
    assert_eq!(line("7f00 default anon=1 N0=1").0.mapped_by, 1);
    assert_eq!(line("7f00 default anon=1 mapmax=0 N0=1").0.mapped_by, 1);
    // A file of which the name is a flag is still a file, and so is one that holds an equals sign.
    assert_eq!(line("7f00 default file=heap N0=1").0.name, MappingName::Other);
    assert_eq!(line("7f00 default file=a=b").0.file, Some(&b"a=b"[..]));
    assert_eq!(line("7f00 default stack:4711 anon=1 N0=1").0.name, MappingName::Stack);
}

#[test]
fn pages_are_spread_exactly_and_never_more_than_there_are() {
    for (nodes, part, expected) in [
        (vec![4, 4], 2, vec![1, 1]),
        (vec![1, 1, 1], 2, vec![0, 1, 1]),
        (vec![1, 1, 1], 0, vec![0, 0, 0]),
        (vec![5, 0, 3], 8, vec![5, 0, 3]),
        (vec![5, 0, 3], 100, vec![5, 0, 3]),
        (vec![u64::MAX - 1, 1], u64::MAX / 2, vec![u64::MAX / 2 - 1, 1]),
        (vec![], 7, vec![]),
    ] {
        let mut spreading: Vec<_> = nodes.iter().map(|&pages| (NodeId(0), pages)).collect();
        spread(&mut spreading, nodes.iter().sum(), part);
        let found: Vec<u64> = spreading.into_iter().map(|(_, pages)| pages).collect();
        assert_eq!(found, expected, "{part} of {nodes:?}");
    }
}
