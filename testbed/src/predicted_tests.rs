use super::*;

fn score(errors: &[f64], inside: usize, regret: f64) -> Score {
    Score {
        machine: "two-socket".to_owned(),
        program: "iso3dfd".to_owned(),
        points: 24,
        run: 10,
        errors: errors.to_vec(),
        inside,
        unavailable: 0,
        regret,
    }
}

#[test]
fn the_table_has_each_program_and_all_points_together() {
    let text = document(&[score(&[0.01, 0.02, 0.03], 3, 0.0), score(&[0.2], 0, 0.04)]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.contains(&vec!["two-socket/iso3dfd", "2.0", "3.0", "100.0"]), "{text}");
    assert!(rows.contains(&vec!["all", "3.0", "20.0", "75.0"]), "{text}");
    assert!(text.contains("Run: 20 of 48; unavailable: 0."), "{text}");
}

#[test]
fn a_program_without_any_prediction_has_no_figure() {
    let text = document(&[score(&[], 0, f64::INFINITY)]);
    let row = text.lines().find(|line| line.starts_with("two-socket")).unwrap();
    assert_eq!(row.split_whitespace().skip(1).collect::<Vec<_>>(), ["-"; 3], "{text}");
}
