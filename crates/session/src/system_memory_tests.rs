use numawise_facts::MemoryKind;
use numawise_units::NodeId;

use super::*;

fn with(node: u32, hits: u64) -> SystemMemory {
    let account = NodeAccount {
        node: NodeId(node),
        kind: MemoryKind::Dram,
        allocations: Reading::Measured(vec![("numa_hit".to_owned(), hits), ("numa_miss".to_owned(), 5)]),
        memory: Reading::unavailable("it is made up"),
    };
    SystemMemory { nodes: vec![account], span: None }
}

#[test]
fn pages_that_were_taken_meanwhile_are_counted() {
    let taken = since(&with(0, 100), with(0, 130), Nanoseconds(9));
    let rows = taken.nodes[0].allocations.measured().unwrap();
    assert_eq!((rows[0].1, rows[1].1, taken.span), (30, 0, Some(Nanoseconds(9))));
    let came = since(&with(0, 100), with(1, 130), Nanoseconds(9));
    assert_eq!(came.nodes[0].allocations.reason().unwrap().0, "the node was not there before");
}

#[test]
fn this_computer_has_memory_on_some_node() {
    let all = system_memory().unwrap();
    let total = |account: &NodeAccount| {
        let rows = account.memory.measured()?;
        rows.iter().find(|(name, _)| name == "MemTotal").map(|(_, amount)| *amount)
    };
    let known: Vec<MeminfoAmount> = all.nodes.iter().filter_map(total).collect();
    if known.is_empty() {
        assert!(all.nodes.iter().all(|account| account.memory.reason().is_some()), "{all:?}");
        eprintln!("SKIPPED: the kernel shows no memory by node here");
    } else {
        assert!(
            known.iter().any(|amount| matches!(amount, MeminfoAmount::Bytes(bytes) if bytes.0 > 0)),
            "{all:?}"
        );
    }
}
