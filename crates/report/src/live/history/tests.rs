use super::*;

fn history(values: &[Option<f64>]) -> History {
    let mut history = History::default();
    values.iter().for_each(|value| history.push(*value));
    history
}

#[test]
fn the_newest_look_is_at_the_right() {
    let history = history(&[Some(0.0), Some(0.5), None, Some(1.0)]);
    assert_eq!(history.line(6, 1.0, Levels::Blocks), "  ·▄ █");
    assert_eq!(history.line(2, 1.0, Levels::Blocks), " █");
    assert_eq!(history.line(6, 1.0, Levels::Ascii), "  .- #");
    assert_eq!(history.line(0, 1.0, Levels::Blocks), "");
}

#[test]
fn little_is_more_than_nothing_and_much_is_not_more_than_full() {
    let history = history(&[Some(1e-9), Some(50.0), Some(-1.0), Some(f64::NAN), Some(f64::INFINITY)]);
    assert_eq!(history.line(5, 1.0, Levels::Blocks), "▁█·  ");
    assert_eq!(history.line(5, 0.0, Levels::Blocks), "···  ");
    assert_eq!(history.highest(5), 50.0);
    assert_eq!(history.highest(3), 0.0);
}

#[test]
fn only_so_many_looks_are_kept() {
    let mut history = History::default();
    (0..1000).for_each(|k| history.push(Some(f64::from(k))));
    assert_eq!(history.0.len(), KEPT);
    assert_eq!(history.highest(1), 999.0);
    assert_eq!(history.line(500, 999.0, Levels::Blocks).chars().count(), 500);
}
