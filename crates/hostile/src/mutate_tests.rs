use super::*;

#[test]
fn mutations_change_inputs_stay_within_bounds_and_come_again() {
    let corpus = vec![b"cpus 0-3,8 of 16\nnode 1\n".to_vec(), Vec::new()];
    let one = |k| mutated(&corpus, &["node", "all"], &mut Random::of(1, "test", k));
    let mut changed = 0;
    for k in 0..3000 {
        let text = one(k);
        assert_eq!(text, one(k), "input {k} is another one the second time");
        assert!(text.len() <= USUAL + REPEATED.1 + 200, "input {k} has {} bytes", text.len());
        changed += usize::from(!corpus.contains(&text));
    }
    assert!(changed > 2000, "only {changed} of 3000 differ from the corpus");
}

#[test]
fn a_number_is_found_and_replaced() {
    let mut replaced = 0;
    for k in 0..1000 {
        let mut text = b"size=16 kB".to_vec();
        replace_number(&mut text, &mut Random::of(3, "number", k));
        assert!(text.starts_with(b"size=") && text.ends_with(b" kB"), "{text:?}");
        replaced += usize::from(text != b"size=16 kB");
    }
    // Where the place that was drawn lies behind the number, nothing is replaced.
    assert!((600..900).contains(&replaced), "{replaced}");
}
