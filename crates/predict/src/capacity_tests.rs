use super::*;
use crate::machine::{TWO_SOCKETS, capacities};

#[test]
fn the_nearest_node_is_the_own_one() {
    let machine = capacities(&TWO_SOCKETS, true);
    assert_eq!(machine.nearest(1, 0..2), Some(1));
    assert_eq!(machine.nearest(1, std::iter::once(0)), Some(0));
    assert_eq!(machine.nearest(1, std::iter::empty()), None);
    assert_eq!(machine.place(NodeId(1)), Some(1));
    assert_eq!(machine.place(NodeId(7)), None);
}
