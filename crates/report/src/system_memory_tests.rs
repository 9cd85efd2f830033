use numawise_facts::MemoryKind;
use numawise_units::{Bytes, Nanoseconds, NodeId};

use super::*;
use crate::document::{Style, terminal};

fn sample() -> SystemMemory {
    let account = |node: u32, hits: u64| NodeAccount {
        node: NodeId(node),
        kind: MemoryKind::Dram,
        allocations: Reading::Measured(vec![("numa_hit".to_owned(), hits), ("numa_miss".to_owned(), 0)]),
        memory: Reading::Measured(vec![
            ("MemTotal".to_owned(), MeminfoAmount::Bytes(Bytes::mib(2048))),
            ("Active(anon)".to_owned(), MeminfoAmount::Bytes(Bytes::mib(u64::from(node)))),
            ("HugePages_Total".to_owned(), MeminfoAmount::Pages(4)),
            ("HugePages_Surp".to_owned(), MeminfoAmount::Pages(0)),
        ]),
    };
    SystemMemory { nodes: vec![account(0, 500), account(1, 7)], span: None }
}

#[test]
fn nodes_stand_side_by_side() {
    let text = terminal(&document(&sample()), Style::plain());
    for part in [
        "since the start of the system",
        "node 0 (dram)",
        "node 1 (dram)",
        "4 pages",
        "1 row that is 0 on every node is left out",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let row = text.lines().find(|line| line.contains("numa_hit")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["numa_hit", "500", "7"]);
    assert!(text.contains("numa_miss") && !text.contains("HugePages_Surp"), "{text}");
    let within = SystemMemory { span: Some(Nanoseconds(2_000_000_000)), ..sample() };
    assert!(terminal(&document(&within), Style::plain()).contains("within 2"), "the interval is told");
}

#[test]
fn what_cannot_be_read_of_a_node_is_said() {
    let mut part = sample();
    part.nodes[1].allocations = Reading::unavailable("no such file");
    let text = terminal(&document(&part), Style::plain());
    assert!(text.contains("node 1: unavailable (no such file)"), "{text}");
    let row = text.lines().find(|line| line.contains("numa_hit")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["numa_hit", "500", "-"]);
    assert!(csv(&part).contains("1,allocations,,pages,no such file\n"), "{}", csv(&part));
    assert_eq!(json(&part)["nodes"][1]["allocations"]["unavailable"], "no such file");
}

#[test]
fn figures_are_the_kernels_in_json_and_csv() {
    let json = json(&sample());
    assert_eq!(json["nodes"][0]["allocations"]["numa_miss"], 0);
    assert_eq!(json["nodes"][0]["memory"]["MemTotal"]["bytes"], 2_147_483_648_u64);
    assert_eq!(json["nodes"][0]["memory"]["HugePages_Total"]["pages"], 4);
    let csv = csv(&sample());
    assert!(csv.contains("1,numa_hit,7,pages,\n") && csv.contains("0,MemTotal,2147483648,bytes,\n"), "{csv}");
}
