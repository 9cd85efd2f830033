use numawise_facts::{Exit, Outcome};

use super::super::tests::grid_of;
use super::*;

fn column<'a>(table: &'a TrialTable, name: &str) -> &'a TrialValues {
    let found: Vec<_> = table.columns.iter().filter(|column| column.name == name).collect();
    assert_eq!(found.len(), 1, "{name}");
    &found[0].values
}

#[test]
fn each_trial_is_a_row_and_what_it_lacks_is_missing() {
    let mut study = grid_of(&[[8.0, 4.0, 2.0, 1.0]]);
    let output_tail = String::new();
    study.trials[3].outcome = Outcome::Failed { failure: Exit::Code(1).into(), output_tail };
    let table = trial_table(&study);
    assert_eq!(table.rows(), study.trials.len());
    assert!(table.columns.iter().all(|column| column.values.len() == table.rows()));
    let TrialValues::Integers(threads) = column(&table, "threads") else { panic!("not numbers") };
    assert_eq!((threads[0], *threads.last().unwrap()), (Some(1), Some(8)));
    let TrialValues::Texts(places) = column(&table, "place") else { panic!("not texts") };
    assert_eq!(places[0].as_deref(), Some("local"));
    let TrialValues::Numbers(times) = column(&table, "wall_time_seconds") else { panic!("not numbers") };
    assert!(times[3].is_none() && times[0].is_some_and(|time| (time - 8.0).abs() < 0.5), "{times:?}");
    let TrialValues::Texts(outcomes) = column(&table, "outcome") else { panic!("not texts") };
    assert_eq!((outcomes[2].as_deref(), outcomes[3].as_deref()), (Some("measured"), Some("failed")));
}

#[test]
fn a_factor_that_is_called_like_a_column_of_ours_has_another_name() {
    let mut study = grid_of(&[[8.0, 4.0, 2.0, 1.0]]);
    study.header.grid.as_mut().unwrap().factors[0].name = "block".to_owned();
    let table = trial_table(&study);
    assert!(matches!(column(&table, "block"), TrialValues::Integers(_)));
    assert!(matches!(column(&table, "block_"), TrialValues::Texts(_)));
}
