use super::*;

fn score(errors: &[f64], inside: usize, regret: f64) -> Score {
    Score {
        machine: "two-socket".to_owned(),
        program: "iso3dfd".to_owned(),
        points: 24,
        run: 10,
        repeats: 2,
        noise: 0.01,
        errors: errors.to_vec(),
        inside,
        unavailable: 0,
        regret,
        points_in_words: Vec::new(),
    }
}

#[test]
fn the_table_has_each_program_and_all_points_together() {
    let text = document(&[score(&[0.01, 0.02, 0.03], 3, 0.0), score(&[0.2], 0, 0.04)], 2);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(
        rows.contains(&vec!["two-socket/iso3dfd", "2.0", "3.0", "100.0", "0.0", "1.0", "2", "10/24"]),
        "{text}"
    );
    assert!(rows.contains(&vec!["all", "3.0", "20.0", "75.0", "4.0", "20/48"]), "{text}");
    assert!(text.contains("those with noise below 4"), "{text}");
    assert!(text.contains("4.0 % at the 95th") && text.contains("0 points have"), "{text}");
}

#[test]
fn a_program_without_any_prediction_has_no_figure() {
    let text = document(&[score(&[], 0, f64::INFINITY)], 2);
    let row = text.lines().find(|line| line.starts_with("two-socket")).unwrap();
    assert_eq!(row.split_whitespace().skip(1).take(4).collect::<Vec<_>>(), ["-"; 4], "{text}");
}
