use super::*;

fn share(policy: &str, mappings: u64, by_node: &[(u32, u64)]) -> PolicyShare {
    let by_node = by_node.iter().map(|&(node, bytes)| (NodeId(node), Bytes(bytes))).collect();
    PolicyShare { policy: policy.to_owned(), mappings, by_node }
}

fn mapping(address: u64, bytes: u64) -> MappingSnapshot {
    MappingSnapshot {
        address,
        used_for: PageUse::Private,
        policy: "default".to_owned(),
        page: Bytes(4096),
        by_node: vec![(NodeId(0), Bytes(bytes))],
        file: None,
    }
}

#[test]
fn several_processes_add_up() {
    let one = MemorySnapshot {
        by_use: vec![(PageUse::Heap, NodeId(1), Bytes(10)), (PageUse::File, NodeId(0), Bytes(4))],
        by_policy: vec![share("bind:1", 2, &[(1, 10)]), share("default", 5, &[(0, 4)])],
        largest: vec![mapping(0x10, 9), mapping(0x20, 3)],
        mappings: 7,
    };
    let two = MemorySnapshot {
        by_use: vec![(PageUse::Heap, NodeId(0), Bytes(1)), (PageUse::Heap, NodeId(1), Bytes(2))],
        by_policy: vec![share("default", 1, &[(0, 1), (1, 20)])],
        largest: vec![mapping(0x30, 5)],
        mappings: 1,
    };
    let expected = MemorySnapshot {
        by_use: vec![
            (PageUse::Heap, NodeId(0), Bytes(1)),
            (PageUse::Heap, NodeId(1), Bytes(12)),
            (PageUse::File, NodeId(0), Bytes(4)),
        ],
        by_policy: vec![share("default", 6, &[(0, 5), (1, 20)]), share("bind:1", 2, &[(1, 10)])],
        largest: vec![mapping(0x10, 9), mapping(0x30, 5)],
        mappings: 8,
    };
    assert_eq!(together(&[(&one, &[]), (&two, &[])], 2), expected);
    assert_eq!(together(&[(&two, &[]), (&one, &[])], 2), expected);
    assert_eq!(together(&[(&one, &[])], 8), one);
    assert_eq!(together(&[], 8), MemorySnapshot::default());
}

/// A process with `bytes` of a segment at an address, and its part of them.
fn segment(address: u64, node: u32, bytes: u64, part: u64) -> (MemorySnapshot, Vec<SharedPages>) {
    let by_node = vec![(NodeId(node), Bytes(bytes))];
    let memory = MemorySnapshot {
        by_use: vec![(PageUse::Heap, NodeId(1), Bytes(10)), (PageUse::Shared, NodeId(node), Bytes(bytes))],
        by_policy: vec![share("bind:1", 1, &[(node, bytes)]), share("default", 1, &[(1, 10)])],
        largest: vec![MappingSnapshot {
            used_for: PageUse::Shared,
            policy: "bind:1".to_owned(),
            file: Some("/dev/zero (deleted)".to_owned()),
            ..mapping(address, bytes)
        }],
        mappings: 2,
    };
    let shared =
        SharedPages { used_for: PageUse::Shared, policy: "bind:1".to_owned(), by_node, part: Bytes(part) };
    (memory, vec![shared])
}

#[test]
fn a_segment_that_several_processes_have_mapped_counts_once() {
    // A parent has touched all of it, two children a half each: every page is in two mappings.
    let of = [segment(0x10, 1, 100, 50), segment(0x10, 1, 50, 25), segment(0x10, 1, 50, 25)];
    let of: Vec<_> = of.iter().map(|(memory, shared)| (memory, shared.as_slice())).collect();
    let all = together(&of, 8);
    let by_use = [(PageUse::Heap, NodeId(1), Bytes(30)), (PageUse::Shared, NodeId(1), Bytes(100))];
    assert_eq!(all.by_use, by_use);
    assert_eq!(all.by_policy, [share("bind:1", 3, &[(1, 100)]), share("default", 3, &[(1, 30)])]);
    let listed: Vec<u64> = all.largest.iter().map(|mapping| mapping.resident().0).collect();
    assert_eq!((listed, all.mappings), (vec![100], 6));
}

#[test]
fn mappings_are_the_same_by_a_name_of_their_own_or_by_their_place_in_forked_processes() {
    let file = |address, bytes, name: &str| MappingSnapshot {
        used_for: PageUse::File,
        file: Some(name.to_owned()),
        ..mapping(address, bytes)
    };
    let process = |largest: &[MappingSnapshot]| MemorySnapshot {
        largest: largest.to_vec(),
        ..MemorySnapshot::default()
    };
    // Two pieces of a library at other addresses; segments without a name, at one address and at two; private memory.
    let one = process(&[
        file(1, 90, "/lib/a"),
        file(2, 80, "/lib/a"),
        file(3, 70, "/memfd:x (deleted)"),
        mapping(4, 60),
    ]);
    let two = process(&[
        file(11, 95, "/lib/a"),
        file(12, 75, "/lib/a"),
        file(3, 70, "/memfd:x (deleted)"),
        mapping(4, 60),
    ]);
    let three = process(&[file(13, 50, "/memfd:x (deleted)")]);
    let all = together(&[(&one, &[]), (&two, &[]), (&three, &[])], 99);
    let listed: Vec<u64> = all.largest.iter().map(|mapping| mapping.resident().0).collect();
    assert_eq!(listed, [95, 80, 70, 60, 60, 50]);
}
