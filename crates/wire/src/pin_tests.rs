use std::collections::BTreeSet;
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::mask::MOST_CPUS;

fn decoded(text: &str) -> Result<(PinPlanLayout, Vec<Vec<u64>>), PinPlanError> {
    let mut pool = vec![0; 1 << 12];
    let layout = decode(text.as_bytes(), &mut pool)?;
    let sets = pool.chunks(layout.words).take(layout.threads + 1).map(<[u64]>::to_vec).collect();
    Ok((layout, sets))
}

fn layout_of(words: usize, threads: usize) -> PinPlanLayout {
    PinPlanLayout { words, threads, effect: PlanEffect::Places }
}

#[test]
fn an_inert_plan_differs_in_its_first_word_only() {
    let text = |effect| {
        let mut text = String::new();
        encode(effect, &[15], [[1].as_slice(), &[2]], &mut text).unwrap();
        text
    };
    let (places, inert) = (text(PlanEffect::Places), text(PlanEffect::Inert));
    assert_eq!((places.as_str(), inert.as_str()), ("1;0-3;0;1", "0;0-3;0;1"));
    assert_eq!(decoded(&inert).unwrap().0, PinPlanLayout { effect: PlanEffect::Inert, ..layout_of(1, 2) });
    assert_eq!(decoded(&inert).unwrap().1, decoded(&places).unwrap().1);
}

#[test]
fn a_plan_is_the_task_and_its_threads() {
    let (layout, sets) = decoded("1;0-3;0;1;2;3").unwrap();
    assert_eq!(layout, layout_of(1, 4));
    assert_eq!(sets, [[15], [1], [2], [4], [8]]);
    let (layout, sets) = decoded("1;0,64-65,130;64-65;130").unwrap();
    assert_eq!(layout, layout_of(3, 2));
    assert_eq!(sets, [[1, 3, 4], [0, 3, 0], [0, 0, 4]]);
    assert_eq!(decoded("1;8191;8191").unwrap().0, layout_of(MOST_WORDS, 1));
}

#[test]
fn broken_plans_are_refused_by_what_is_broken() {
    for (text, error) in [
        ("", PinPlanError::Version),
        ("2;0;0", PinPlanError::Version),
        ("0-3", PinPlanError::Version),
        ("11;0;0", PinPlanError::Version),
        ("1", PinPlanError::Task),
        ("1;", PinPlanError::Task),
        ("1;;0", PinPlanError::Task),
        ("1;a;0", PinPlanError::Task),
        ("1;3-0;0", PinPlanError::Task),
        ("1;0-;0", PinPlanError::Task),
        ("1;0-1-2;0", PinPlanError::Task),
        ("1;0,,1;0", PinPlanError::Task),
        ("1;8192;0", PinPlanError::Task),
        ("1;99999999999999999999;0", PinPlanError::Task),
        ("1; 0;0", PinPlanError::Task),
        ("1;0-3", PinPlanError::Thread),
        ("1;0-3;", PinPlanError::Thread),
        ("1;0-3;0;", PinPlanError::Thread),
        ("1;0-3;4", PinPlanError::Thread),
        ("1;0-3;64", PinPlanError::Thread),
        ("1;0-3;0;x", PinPlanError::Thread),
    ] {
        assert_eq!(decoded(text), Err(error), "{text}");
    }
}

#[test]
fn a_plan_with_too_many_threads_is_refused_and_not_cut() {
    let text = |threads: usize| format!("1;8191{}", ";8191".repeat(threads));
    assert_eq!(decoded(&text(31)).unwrap().0.threads, 31);
    assert_eq!(decoded(&text(32)), Err(PinPlanError::TooLarge));
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(sets in prop::collection::vec(prop::collection::btree_set(0usize..MOST_CPUS, 1..6), 1..20)) {
        let bits = |cpus: &BTreeSet<usize>| {
            let mut set = vec![0u64; MOST_WORDS];
            cpus.iter().for_each(|cpu| assert!(mask::insert(&mut set, *cpu)));
            set
        };
        let task = bits(&sets.iter().flatten().copied().collect());
        let threads: Vec<Vec<u64>> = sets.iter().map(bits).collect();
        let mut text = String::new();
        encode(PlanEffect::Places, &task, threads.iter().map(Vec::as_slice), &mut text).unwrap();
        let (layout, found) = decoded(&text).unwrap();
        prop_assert_eq!(layout.threads, threads.len());
        prop_assert_eq!(found.len(), threads.len() + 1);
        for (set, found) in core::iter::once(&task).chain(&threads).zip(found) {
            prop_assert!(mask::same(&found, set));
        }
    }

    #[test]
    fn nothing_does_harm(text in "[01]?;?[0-9,;-]{0,30}|.{0,12}") {
        if let Ok((layout, sets)) = decoded(&text) {
            prop_assert!(layout.threads > 0 && sets.iter().all(|set| mask::first(set).is_some()));
        }
    }
}
