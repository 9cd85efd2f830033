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

#[test]
fn a_node_of_few_cores_is_full_with_fewer() {
    let cores = |nodes: u32, of_each: u32| {
        let all = (0..nodes * of_each).map(|cpu| (CpuId(cpu), ((cpu / of_each) as usize, cpu)));
        saturating_guess(&all.collect())
    };
    assert_eq!(cores(2, 2), 1.5);
    assert!((cores(2, 20) - 7.0).abs() < 1e-9);
    assert_eq!(cores(8, 128), 12.0);
    assert_eq!(cores(0, 0), 1.5);
}
