use super::*;
use crate::PageUse;

fn process(nodes: &str) -> PlacedProcess {
    PlacedProcess {
        pid: Pid(7),
        name: "app".to_owned(),
        cpus: "2-3".parse().unwrap(),
        nodes: nodes.parse().unwrap_or_default(),
        threads: Vec::new(),
        memory: Reading::Measured(vec![
            (PageUse::Heap, NodeId(0), Bytes(100)),
            (PageUse::File, NodeId(0), Bytes(30)),
            (PageUse::Heap, NodeId(1), Bytes(7)),
            (PageUse::Heap, NodeId(2), Bytes(0)),
        ]),
    }
}

#[test]
fn memory_is_remote_on_nodes_without_its_cpus() {
    assert_eq!(process("1").remote_memory(), Reading::Measured(vec![(NodeId(0), Bytes(100))]));
    assert_eq!(process("0-1").remote_memory(), Reading::Measured(Vec::new()));
}

#[test]
fn what_is_not_known_is_not_remote() {
    assert!(process("").remote_memory().reason().is_some());
    let unread = PlacedProcess { memory: Reading::unavailable("forbidden"), ..process("1") };
    assert!(unread.remote_memory().reason().is_some());
}

#[test]
fn a_thread_that_the_kernel_left_elsewhere_is_not_where_planned() {
    let thread = |after| PlacedThread {
        tid: Pid(8),
        name: "app".to_owned(),
        planned: "2-3".parse().unwrap(),
        before: Reading::Measured("0-3".parse().unwrap()),
        after,
    };
    assert!(thread(Reading::Measured("2-3".parse().unwrap())).is_where_planned());
    assert!(!thread(Reading::Measured("2".parse().unwrap())).is_where_planned());
    assert!(!thread(Reading::unavailable("it is another user's")).is_where_planned());
}
