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
    assert_eq!(together([&one, &two], 2), expected);
    assert_eq!(together([&two, &one], 2), expected);
    assert_eq!(together([&one], 8), one);
    assert_eq!(together([], 8), MemorySnapshot::default());
}
