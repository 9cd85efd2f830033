use super::*;

fn nodes(text: &str) -> NodeSet {
    text.parse().unwrap()
}

fn moved(from: &str, to: &str, after: ResidentMemory) -> MovedMemory {
    let before = vec![
        (PageUse::Heap, NodeId(0), Bytes(100)),
        (PageUse::File, NodeId(0), Bytes(30)),
        (PageUse::Heap, NodeId(1), Bytes(7)),
    ];
    MovedMemory {
        pid: Pid(1),
        name: "app".to_owned(),
        from: nodes(from),
        to: nodes(to),
        before: Reading::Measured(before),
        after: Reading::Measured(after),
        unmoved_pages: Reading::Measured(0),
        took: Reading::Measured(Nanoseconds(50)),
        takes_shared: Reading::Measured(false),
    }
}

#[test]
fn what_has_come_and_what_stays_are_told_apart() {
    let after = vec![(PageUse::File, NodeId(0), Bytes(30)), (PageUse::Heap, NodeId(1), Bytes(107))];
    let all = moved("0", "1", after);
    assert_eq!(all.moved(), Reading::Measured(Bytes(100)));
    assert_eq!(all.stays(), Reading::Measured(vec![(PageUse::File, Bytes(30))]));
    assert_eq!(all.rate(), Reading::Measured(BytesPerSecond(2e9)));
}

#[test]
fn nodes_on_both_sides_are_neither_left_nor_gained() {
    let after = vec![(PageUse::Heap, NodeId(0), Bytes(100)), (PageUse::Heap, NodeId(1), Bytes(37))];
    let both = moved("0-1", "1", after.clone());
    assert_eq!((both.moved(), both.stays().measured().unwrap().len()), (Reading::Measured(Bytes(0)), 1));
    assert_eq!(moved("0", "0", after).stays(), Reading::Measured(Vec::new()));
    assert_eq!(both.rate(), Reading::unavailable("nothing was moved"));
}

#[test]
fn what_cannot_be_read_is_not_zero() {
    let unknown = MovedMemory { after: Reading::unavailable("it has ended"), ..moved("0", "1", Vec::new()) };
    assert!(unknown.moved().reason().is_some() && unknown.stays().reason().is_some());
}
