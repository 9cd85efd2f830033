use super::*;
use crate::counts::{distributed, local};

#[test]
fn even_parts_differ_by_one_and_are_never_empty() {
    assert_eq!(even(8, 3), [3, 3, 2]);
    assert_eq!(even(2, 4), [1, 1, 1, 1]);
    assert_eq!(even(6, 2), [3, 3]);
}

#[test]
fn local_goes_on_from_the_first_when_all_are_full() {
    assert_eq!(local(&[2, 1], &[5]), [[4, 1]]);
    assert_eq!(local(&[2, 1], &[2, 2, 2]), [[2, 0], [1, 1], [1, 1]]);
}

#[test]
fn distributed_takes_what_a_small_node_has_and_goes_on_elsewhere() {
    assert_eq!(distributed(&[4, 1], &[4]), [[3, 1]]);
    assert_eq!(distributed(&[2, 2], &[3, 1]), [[2, 1], [0, 1]]);
    assert_eq!(distributed(&[2, 2], &[6]), [[3, 3]]);
    assert_eq!(distributed(&[3, 1], &[8]), [[6, 2]], "all used once before any twice");
}

#[test]
fn semi_spreads_tasks_and_then_crowds_evenly() {
    let single = |capacities: &[usize], tasks, threads| {
        let cores: Vec<Vec<usize>> = capacities.iter().map(|capacity| vec![1; *capacity]).collect();
        semi(&cores, tasks, threads)
    };
    assert_eq!(single(&[4, 4], 3, Some(2)), [[2, 0], [2, 0], [0, 2]]);
    assert_eq!(single(&[4, 4], 4, Some(4)), [[4, 0], [4, 0], [0, 4], [0, 4]]);
    assert_eq!(single(&[8, 4], 6, Some(4)), [[4, 0], [4, 0], [4, 0], [4, 0], [0, 4], [0, 4]]);
    assert_eq!(single(&[3, 3], 3, None), [[2, 0], [1, 0], [0, 3]]);
    assert_eq!(single(&[1, 1], 3, None), [[1, 0], [1, 0], [0, 1]]);
}

#[test]
fn a_task_of_semi_goes_where_it_has_cores_of_its_own() {
    let nodes = [vec![2; 6], vec![2; 3]];
    assert_eq!(semi(&nodes, 4, Some(3)), [[3, 0], [3, 0], [3, 0], [0, 3]]);
    assert_eq!(
        semi(&nodes, 5, Some(3)),
        [[3, 0], [3, 0], [3, 0], [0, 3], [0, 3]],
        "and then where it has CPUs"
    );
    assert_eq!(semi(&[vec![2; 6], vec![2; 1]], 4, None), [[4, 0], [4, 0], [4, 0], [0, 2]]);
}
