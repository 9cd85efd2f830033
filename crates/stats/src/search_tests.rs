use super::*;

fn line(count: usize) -> Vec<Vec<Coordinate>> {
    (0..count).map(|k| vec![Coordinate::Number(k as f64)]).collect()
}

fn settings(points: Vec<Vec<Coordinate>>, most_trials: usize) -> SearchSettings {
    SearchSettings {
        points,
        edges: Vec::new(),
        most_trials,
        close: 0.02,
        doubt: 0.05,
        failures: 3,
        prior: None,
    }
}

/// Runs a search to its end without noise.
fn search(
    points: Vec<Vec<Coordinate>>,
    most: usize,
    value: impl Fn(usize) -> Option<f64>,
) -> (Search, SearchEnd) {
    let mut search = Search::new(settings(points, most));
    loop {
        match search.step() {
            SearchStep::Try(point) => search.took(point, value(point)),
            SearchStep::End(end) => return (search, end),
        }
    }
}

#[test]
fn the_first_points_are_spread_over_the_grid() {
    assert_eq!(spread(&line(9), 4), [0, 8, 4, 2]);
    let grid: Vec<Vec<Coordinate>> = (0..4)
        .flat_map(|k| (0..2).map(move |l| vec![Coordinate::Number(f64::from(k)), Coordinate::Category(l)]))
        .collect();
    let first = spread(&grid, 6);
    assert_eq!(first.len(), 6);
    assert_eq!(first[..2], [0, 7], "the other end, and the other category");
    assert_eq!(spread(&line(1), 1), [0]);
    assert!(spread(&[], 0).is_empty());
}

#[test]
fn a_valley_is_found_with_few_trials() {
    let time = |k: usize| Some((1.0 + (k as f64 - 20.0).abs() / 10.0).ln());
    let (mut found, end) = search(line(64), 64, time);
    assert_eq!(found.best().unwrap().point, 20);
    assert_eq!(end, SearchEnd::Sure);
    assert!(found.trials < 48, "{} trials", found.trials);
}

/// The first value of an edge was bad luck; it is tried again, and its neighbours are not.
#[test]
fn an_edge_is_repeated() {
    let mut search = Search::new(SearchSettings { edges: vec![3], ..settings(line(12), 40) });
    while let SearchStep::Try(point) = search.step() {
        let first = search.values[point].is_empty();
        search.took(point, Some(if point == 3 && !first { 0.5 } else { 1.0 + 0.01 * point as f64 }));
    }
    assert_eq!(search.best().unwrap().point, 3);
    assert!(search.values[3].len() >= REPEATS);
}

#[test]
fn points_that_fail_are_not_the_best_and_do_not_stop_it() {
    let time = |k: usize| (!k.is_multiple_of(3)).then(|| -(k as f64) / 20.0);
    let (mut found, _) = search(line(13), 40, time);
    assert_eq!(found.best().unwrap().point, 11);
    let (mut none, end) = search(line(5), 20, |_| None);
    assert_eq!((none.best(), end), (None, SearchEnd::Spent));
}

#[test]
fn it_keeps_to_its_trials() {
    let (mut found, end) = search(line(30), 3, |k| Some(k as f64));
    assert_eq!((found.trials, end), (3, SearchEnd::Spent));
    assert_eq!(found.best().unwrap().point, 0);
    let (mut one, _) = search(line(1), 10, |_| Some(0.0));
    assert_eq!(one.best(), Some(BestPoint { point: 0, doubt: 0.0 }));
    assert_eq!(search(Vec::new(), 10, |_| Some(0.0)).1, SearchEnd::Spent);
}
