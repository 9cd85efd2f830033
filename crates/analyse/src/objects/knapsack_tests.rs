use proptest::prelude::*;

use super::*;

fn item(value: f64, size: u64) -> Item {
    Item { value, size }
}

fn value(items: &[Item], taken: &[usize]) -> f64 {
    taken.iter().map(|k| items[*k].value).sum()
}

#[test]
fn what_has_most_for_each_byte_is_not_always_taken() {
    // The first has most for its size, and then 40 bytes stay empty.
    let items = [item(7.0, 60), item(5.0, 50), item(5.0, 50)];
    assert_eq!(best(&items, 100, 1000), Choice { taken: vec![1, 2], is_best: true });
}

#[test]
fn all_are_taken_where_there_is_space_and_none_where_none_fits() {
    let items = [item(1.0, 10), item(2.0, 20)];
    assert_eq!(best(&items, 30, 1000).taken, [0, 1]);
    assert_eq!(best(&items, 29, 1000).taken, [1]);
    assert_eq!(best(&items, 9, 1000), Choice { taken: vec![], is_best: true });
    assert_eq!(best(&[], 9, 1000), Choice { taken: vec![], is_best: true });
}

#[test]
fn what_has_no_value_takes_no_space_and_what_has_no_size_is_no_trouble() {
    assert_eq!(best(&[item(0.0, 1), item(1.0, 0)], 5, 1000).taken, [1]);
    assert_eq!(best(&[item(4.0, 2), item(3.0, 2), item(1.0, 0)], 2, 1000).taken, [0, 2]);
}

#[test]
fn a_search_that_is_given_up_says_so_and_keeps_what_it_has() {
    let items: Vec<Item> = (0..60).map(|k| item(1000.0 + f64::from(k % 7), 1000 + k as u64 % 5)).collect();
    let choice = best(&items, 30_500, 40);
    assert!(!choice.is_best);
    assert!(value(&items, &choice.taken) > 20_000.0, "it began with the best for each byte");
    assert!(choice.taken.iter().map(|k| items[*k].size).sum::<u64>() <= 30_500);
}

#[test]
fn a_hundred_objects_of_a_program_need_few_steps() {
    // Sizes and shares over four decades, as programs have them.
    let items: Vec<Item> = (1..=100u32)
        .map(|k| {
            let size = 1u64 << (10 + (k * 7919) % 20);
            item(1.0 / f64::from(k), size + u64::from(k * 104_729 % 4096))
        })
        .collect();
    let space = items.iter().map(|item| item.size).sum::<u64>() / 3;
    assert!(best(&items, space, 20_000).is_best);
}

proptest! {
    #[test]
    fn no_other_choice_is_better(
        items in prop::collection::vec((0u32..50, 0u64..40), 0..12),
        space in 0u64..200,
    ) {
        let items: Vec<Item> = items.into_iter().map(|(value, size)| item(f64::from(value), size)).collect();
        let choice = best(&items, space, 1_000_000);
        prop_assert!(choice.is_best);
        prop_assert!(choice.taken.iter().map(|k| items[*k].size).sum::<u64>() <= space);
        let subsets = (0..1u32 << items.len()).map(|bits| {
            let taken: Vec<usize> = (0..items.len()).filter(|k| bits >> k & 1 == 1).collect();
            let fits = taken.iter().map(|k| items[*k].size).sum::<u64>() <= space;
            if fits { value(&items, &taken) } else { 0.0 }
        });
        let most = subsets.fold(0.0, f64::max);
        prop_assert!((value(&items, &choice.taken) - most).abs() < 1e-9);
    }
}
