use super::*;

#[test]
fn tasks_get_blocks_by_their_share_and_never_less_than_they_need() {
    assert_eq!(blocks(&[2; 8], &[3, 3, 3, 3]), Some(vec![2, 2, 2, 2]));
    assert_eq!(blocks(&[2; 8], &[4, 4, 4]), Some(vec![3, 3, 2]));
    assert_eq!(blocks(&[2; 4], &[6, 1]), Some(vec![3, 1]), "four of seven parts, but the other needs one");
    assert_eq!(blocks(&[2; 4], &[1, 6]), Some(vec![1, 3]));
    assert_eq!(blocks(&[1, 2, 2, 1], &[3, 3]), Some(vec![2, 2]));
    assert_eq!(blocks(&[2; 4], &[0, 5, 0]), Some(vec![0, 4, 0]));
    assert_eq!(blocks(&[4; 4], &[2]), Some(vec![2]), "no more cores than threads");
    assert_eq!(blocks(&[4; 4], &[3, 3]), Some(vec![2, 2]));
    assert_eq!(
        blocks(&[4; 3], &[3, 3]),
        Some(vec![2, 1]),
        "three threads on a core, and none of another task"
    );
}

#[test]
fn there_are_no_blocks_where_cores_are_too_few() {
    assert_eq!(blocks(&[2; 4], &[3, 3, 2]), None);
    assert_eq!(blocks(&[2; 2], &[1, 1, 1]), None);
    assert_eq!(blocks(&[2, 1, 2], &[3, 3]), None, "the middle core would be shared");
    assert_eq!(blocks(&[], &[1]), None);
}

#[test]
fn local_begins_every_task_on_a_core() {
    assert_eq!(local(&[vec![2; 4], vec![2; 4]], &[3, 3, 3]), Some(vec![vec![3, 0], vec![3, 0], vec![0, 3]]));
    assert_eq!(local(&[vec![2; 4], vec![2; 4]], &[9]), Some(vec![vec![8, 1]]), "one task fills a node");
    assert_eq!(local(&[vec![2; 3]], &[3, 3]), None);
}

#[test]
fn what_a_strategy_is_asked_for_comes_before_cores() {
    let plan = |capacities: &[Vec<usize>], strategy, tasks: usize, threads: Option<usize>| {
        let capacity: Vec<usize> = capacities.iter().map(|cores| cores.iter().sum()).collect();
        let sizes =
            threads.map_or_else(|| even(capacity.iter().sum(), tasks), |threads| vec![threads; tasks]);
        let plain = match strategy {
            Strategy::Local => counts::local(&capacity, &sizes),
            _ => counts::distributed(&capacity, &sizes),
        };
        whole(capacities, strategy, threads.is_none(), plain)
    };
    let (four, three) = ([vec![2; 4], vec![2; 4]], [vec![2; 3], vec![2; 3]]);
    assert_eq!(
        plan(&four, Strategy::Local, 3, Some(3)),
        [[3, 0], [3, 0], [0, 3]],
        "parts none, where plain parts one"
    );
    assert_eq!(
        plan(&three, Strategy::Local, 2, Some(3)),
        [[3, 0], [3, 0]],
        "cores of their own would part the second"
    );
    assert_eq!(
        plan(&four, Strategy::Local, 5, Some(1)),
        [[1, 0], [1, 0], [1, 0], [1, 0], [1, 0]],
        "one node is enough"
    );
    assert_eq!(plan(&four, Strategy::Local, 3, None), [[6, 0], [2, 4], [0, 4]]);
    assert_eq!(plan(&three, Strategy::Local, 4, None), [[4, 0], [2, 0], [0, 4], [0, 2]]);
    let nodes = [vec![2; 18], vec![2; 18]];
    let dealt: Vec<usize> =
        plan(&nodes, Strategy::Local, 8, None).into_iter().map(|row| row[0] + row[1]).collect();
    assert_eq!(dealt, [10, 10, 8, 8, 10, 10, 8, 8], "five and four cores, inside a node each");
    assert_eq!(plan(&four, Strategy::Distributed, 2, None), [[4, 4], [4, 4]]);
    assert_eq!(plan(&three, Strategy::Distributed, 2, None), [[3, 3], [3, 3]], "and not four beside two");
}

#[test]
fn cores_are_dealt_whole_where_that_is_even() {
    let two = [vec![2; 4], vec![2; 4]];
    let sums = |counts: Option<Counts>| {
        counts.map(|rows| rows.iter().map(|row| row.iter().sum()).collect::<Vec<usize>>())
    };
    assert_eq!(sums(dealt(&two, Strategy::Local, 3)), Some(vec![6, 6, 4]));
    assert_eq!(sums(dealt(&two, Strategy::Local, 9)), None, "more tasks than cores");
    assert_eq!(dealt(&two, Strategy::Distributed, 2), Some(vec![vec![4, 4]; 2]));
    assert_eq!(dealt(&two, Strategy::Distributed, 9), None);
    assert_eq!(dealt_in(&[2; 8], 6), Some(vec![4, 4, 2, 2, 2, 2]));
    assert_eq!(dealt_in(&[1, 2, 2, 2], 2), Some(vec![3, 4]));
    assert_eq!(dealt_in(&[2, 2, 2, 2, 1, 1, 1, 1], 2), None, "eight CPUs beside four are not even");
    assert_eq!(dealt_in(&[2; 2], 3), None);
}

#[test]
fn tasks_that_would_meet_go_where_cores_idle() {
    let three = [vec![2; 3], vec![2; 3]];
    assert_eq!(elsewhere(&three, Strategy::Local, &[3, 3])[0], [[3, 0], [0, 3]]);
    let totals = |capacities: &[Vec<usize>], strategy, threads| by_level(capacities, strategy, threads);
    assert_eq!(totals(&three, Strategy::Local, 5), Some(vec![3, 2]));
    assert_eq!(
        totals(&three, Strategy::Local, 7),
        Some(vec![4, 3]),
        "second threads where all cores have one"
    );
    assert_eq!(totals(&three, Strategy::Local, 13), None, "more than there are CPUs");
    // Knights Landing in four clusters: 68 cores.
    let clusters = [vec![4; 18], vec![4; 18], vec![4; 16], vec![4; 16]];
    assert_eq!(totals(&clusters, Strategy::Distributed, 68), Some(vec![18, 18, 16, 16]));
    assert_eq!(totals(&clusters, Strategy::Distributed, 72), Some(vec![19, 19, 17, 17]));
}
