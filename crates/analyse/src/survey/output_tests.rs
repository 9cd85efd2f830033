use super::*;

fn outputs(of: &[&str]) -> Vec<Option<String>> {
    of.iter().map(|of| Some((*of).to_owned())).collect()
}

fn change(before: &[&str], after: &[&str]) -> Reading<OutputChange> {
    output_change(&outputs(before), &outputs(after))
}

#[test]
fn lines_that_change_from_run_to_run_are_left_out() {
    let of = change(&["sum 1.5\ntime 3 s\n", "sum 1.5\ntime 4 s\n"], &["sum 1.5\ntime 1 s\n"]);
    assert_eq!(of, Reading::Measured(OutputChange::Same { lines: 1, of: 2 }));
    // Of one run nobody knows which these are.
    assert!(change(&["sum 1.5\n"], &["sum 1.5\n"]).measured().is_none());
    assert!(change(&["a 1\n", "a 2\n"], &["a 1\n"]).measured().is_none());
    // Those that differ in runs after the change alone too.
    let of = change(&["x 1\ny 2\n", "x 1\ny 2\n"], &["x 1\ny 3\n", "x 1\ny 4\n"]);
    assert_eq!(of, Reading::Measured(OutputChange::Same { lines: 1, of: 2 }));
}

#[test]
fn other_numbers_have_their_largest_difference() {
    let of = change(
        &["E = -1.25000D+02, n=(4)\nr 1e-3\n", "E = -1.25000D+02, n=(4)\nr 1e-3\n"],
        &["E = -1.25125D+02, n=(4)\nr 1.01e-3\n"],
    );
    let Reading::Measured(OutputChange::Numbers { largest, before, after }) = of else { panic!("{of:?}") };
    assert!((largest.0 - 0.01 / 1.01).abs() < 1e-12, "{largest:?}");
    assert_eq!((before.as_str(), after.as_str()), ("r 1e-3", "r 1.01e-3"));
}

#[test]
fn other_words_lines_and_what_is_no_number_are_changes_of_the_text() {
    let old = ["residual 0.5\npassed\n"; 2];
    for new in
        ["residual 0.5\nfailed\n", "residual nan\npassed\n", "residual 0.5\n", "residual 0.5\npassed\nx\n"]
    {
        let of = change(&old, &[new]);
        assert!(matches!(of, Reading::Measured(OutputChange::Text { .. })), "{new:?}: {of:?}");
    }
}

#[test]
fn without_whole_outputs_nothing_is_said() {
    let whole = outputs(&["a\n", "a\n"]);
    for (before, after) in
        [(vec![None, None], whole.clone()), (whole.clone(), vec![None]), (whole, Vec::new())]
    {
        assert!(output_change(&before, &after).measured().is_none());
    }
    assert!(change(&["", ""], &[""]).measured().is_none());
    assert!(change(&["a\n", "a\nb\n"], &["a\n"]).measured().is_none());
}
