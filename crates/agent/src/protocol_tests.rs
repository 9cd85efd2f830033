use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Result<(Shape, Vec<Vec<u64>>), Bad> {
    let mut pool = vec![0; 1 << 12];
    let shape = parse(text.as_bytes(), &mut pool)?;
    let sets = pool.chunks(shape.words).take(shape.threads + 1).map(<[u64]>::to_vec).collect();
    Ok((shape, sets))
}

#[test]
fn a_plan_is_the_task_and_its_threads() {
    let (shape, sets) = parsed("1;0-3;0;1;2;3").unwrap();
    assert_eq!(shape, Shape { words: 1, threads: 4 });
    assert_eq!(sets, [[15], [1], [2], [4], [8]]);
    let (shape, sets) = parsed("1;0,64-65,130;64-65;130").unwrap();
    assert_eq!(shape, Shape { words: 3, threads: 2 });
    assert_eq!(sets, [[1, 3, 4], [0, 3, 0], [0, 0, 4]]);
    assert_eq!(parsed("1;8191;8191").unwrap().0, Shape { words: MOST_WORDS, threads: 1 });
}

#[test]
fn what_is_no_plan_is_told_apart() {
    for (text, bad) in [
        ("", Bad::Version),
        ("2;0;0", Bad::Version),
        ("0-3", Bad::Version),
        ("11;0;0", Bad::Version),
        ("1", Bad::Task),
        ("1;", Bad::Task),
        ("1;;0", Bad::Task),
        ("1;a;0", Bad::Task),
        ("1;3-0;0", Bad::Task),
        ("1;0-;0", Bad::Task),
        ("1;0-1-2;0", Bad::Task),
        ("1;0,,1;0", Bad::Task),
        ("1;8192;0", Bad::Task),
        ("1;99999999999999999999;0", Bad::Task),
        ("1; 0;0", Bad::Task),
        ("1;0-3", Bad::Thread),
        ("1;0-3;", Bad::Thread),
        ("1;0-3;0;", Bad::Thread),
        ("1;0-3;4", Bad::Thread),
        ("1;0-3;64", Bad::Thread),
        ("1;0-3;0;x", Bad::Thread),
    ] {
        assert_eq!(parsed(text), Err(bad), "{text}");
        assert!(!bad.text().is_empty());
    }
}

#[test]
fn a_plan_with_too_many_threads_is_refused_and_not_cut() {
    let text = |threads: usize| format!("1;8191{}", ";8191".repeat(threads));
    assert_eq!(parsed(&text(31)).unwrap().0.threads, 31);
    assert_eq!(parsed(&text(32)), Err(Bad::TooLarge));
}

proptest! {
    #[test]
    fn what_is_written_is_read(sets in prop::collection::vec(prop::collection::btree_set(0usize..300, 1..6), 1..20)) {
        let words = |set: &std::collections::BTreeSet<usize>| -> String {
            let numbers: Vec<String> = set.iter().map(|cpu| format!("{cpu}")).collect();
            numbers.join(",")
        };
        let task = sets.iter().flatten().copied().collect();
        let text = format!("1;{};{}", words(&task), sets.iter().map(words).collect::<Vec<_>>().join(";"));
        let (shape, found) = parsed(&text).unwrap();
        prop_assert_eq!(shape.threads, sets.len());
        for (set, found) in core::iter::once(&task).chain(&sets).zip(found) {
            for cpu in 0..320 {
                prop_assert_eq!(mask::has(&found, cpu), set.contains(&cpu));
            }
        }
    }

    #[test]
    fn nothing_does_harm(text in "1?;?[0-9,;-]{0,30}|.{0,12}") {
        if let Ok((shape, sets)) = parsed(&text) {
            prop_assert!(shape.threads > 0 && sets.iter().all(|set| mask::first(set).is_some()));
        }
    }
}
