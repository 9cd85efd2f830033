use numawise_facts::{Strategy, ThreadBinding};

use super::*;

fn grid(factors: Vec<GridFactor>, constraints: &[&str]) -> Result<Grid, GridError> {
    Grid::new(factors, constraints.iter().map(|text| text.parse().unwrap()).collect())
}

fn parameter(name: &str, values: &[&str]) -> GridFactor {
    GridFactor::Parameter {
        name: name.to_owned(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    }
}

/// As `a=1 b=x`.
fn shown(points: &[GridPoint]) -> Vec<String> {
    let one = |point: &GridPoint| {
        let levels: Vec<String> =
            point.levels.iter().map(|(name, level)| format!("{name}={level}")).collect();
        levels.join(" ")
    };
    points.iter().map(one).collect()
}

fn machine() -> BTreeMap<&'static str, f64> {
    BTreeMap::from([("cpus", 4.0), ("nodes", 2.0)])
}

#[test]
fn all_combinations_come_with_the_last_factor_fastest() {
    let factors = vec![
        GridFactor::Threads(vec![1, 2]),
        GridFactor::Place(vec![Strategy::Local, Strategy::Semi]),
        GridFactor::Pin(vec![ThreadBinding::Pinned, ThreadBinding::Free]),
    ];
    let points = grid(factors, &[]).unwrap().points(&machine()).unwrap();
    assert_eq!(points.len(), 8);
    assert_eq!(
        shown(&points)[..3],
        ["threads=1 place=local pin=on", "threads=1 place=local pin=off", "threads=1 place=semi pin=on"]
    );
    assert_eq!(points.iter().filter(|point| point.is_first).count(), 1);
    assert!(points[0].is_first);
    // Without a factor there is the program as it is.
    let none = grid(vec![], &[]).unwrap().points(&machine()).unwrap();
    assert!(none.len() == 1 && none[0].is_first && none[0].levels.is_empty());
}

#[test]
fn constraints_leave_points_out_and_know_the_machine() {
    let factors = || vec![GridFactor::Copies(vec![1, 2, 4]), GridFactor::Threads(vec![1, 2, 4])];
    let points = grid(factors(), &["copies*threads<=cpus", "copies>1 || threads==4"]).unwrap();
    assert_eq!(
        shown(&points.points(&machine()).unwrap()),
        ["copies=1 threads=4", "copies=2 threads=1", "copies=2 threads=2", "copies=4 threads=1"]
    );
    let nothing = grid(factors(), &["copies<4", "threads>cpus"]).unwrap().points(&machine()).unwrap_err();
    assert_eq!(nothing.to_string(), "none of the 6 points fulfils threads>cpus: nothing is left to run");
    let unknown = grid(factors(), &["ranks==1"]).unwrap().points(&machine()).unwrap_err().to_string();
    assert!(
        unknown.contains("'ranks' is neither") && unknown.contains("copies, threads, cpus, nodes"),
        "{unknown}"
    );
}

#[test]
fn divisions_are_one_factor_with_two_names() {
    let divisions = [(4, 1), (2, 2), (1, 4)].map(|(ranks, threads)| RanksByThreads { ranks, threads });
    let factors = vec![GridFactor::RanksTimesThreads(divisions.to_vec())];
    let grid = grid(factors, &["ranks>1 && threads<4"]).unwrap();
    let points = grid.points(&machine()).unwrap();
    assert_eq!(shown(&points), ["ranks_x_threads=4x1", "ranks_x_threads=2x2"]);
    let one = &points[1];
    assert_eq!((one.ranks(), one.threads(), one.copies()), (Some(2), Some(2), None));
    assert_eq!(
        (one.word("ranks").as_deref(), one.word("ranks_x_threads").as_deref()),
        (Some("2"), Some("2x2"))
    );
    assert_eq!(grid.names(), ["ranks_x_threads", "ranks", "threads"]);
}

#[test]
fn parameters_compare_as_numbers_where_they_are_and_as_words_else() {
    let factors =
        vec![parameter("block", &["8", "64", "auto"]), parameter("schedule", &["static", "guided"])];
    let only = |condition: &str| {
        let points = grid(factors.clone(), &[condition]).unwrap().points(&machine()).unwrap();
        points.len()
    };
    assert_eq!(only("schedule==guided"), 3);
    assert_eq!(only("block==auto || schedule=='static'"), 4);
    assert_eq!(only("block==8"), 2);
    let mixed = grid(factors.clone(), &["block<=8"]).unwrap().points(&machine()).unwrap_err().to_string();
    assert!(mixed.contains("<= takes numbers, found the word '8'"), "{mixed}");
}

#[test]
fn factors_that_contradict_each_other_or_are_too_many_are_refused() {
    let twice = grid(vec![parameter("a", &["1"]), parameter("a", &["2"])], &[]).unwrap_err();
    assert_eq!(twice.to_string(), "a is a factor twice; expected each once");
    let variable = GridFactor::Variable { name: "a".to_owned(), values: vec!["1".to_owned()] };
    assert!(matches!(grid(vec![variable, parameter("a", &["2"])], &[]), Err(GridError::Twice(_))));
    let both = vec![
        GridFactor::Threads(vec![1]),
        GridFactor::RanksTimesThreads(vec![RanksByThreads { ranks: 1, threads: 1 }]),
    ];
    assert!(matches!(grid(both, &[]), Err(GridError::Contradiction { of: "threads", .. })));
    let both = vec![GridFactor::Ranks(vec![1]), GridFactor::Copies(vec![1])];
    assert!(matches!(grid(both, &[]), Err(GridError::Contradiction { of: "processes", .. })));
    assert!(matches!(grid(vec![parameter("threads", &["1"])], &[]), Err(GridError::ReservedName(_))));
    for name in ["", "1a", "a b", "a=b", "\u{e9}"] {
        assert!(matches!(grid(vec![parameter(name, &["1"])], &[]), Err(GridError::BadName(_))), "{name}");
    }
    let many = (1..=1000).collect::<Vec<u32>>();
    let large = grid(vec![GridFactor::Threads(many.clone()), GridFactor::Step(many)], &[]).unwrap_err();
    assert_eq!(large, GridError::TooMany { points: 1_000_000 });
}
