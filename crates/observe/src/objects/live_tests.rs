use super::*;

fn gone(object: u32, bytes: u64) -> Gone {
    Gone { object, bytes, weight: 1 }
}

#[test]
fn an_address_belongs_to_what_holds_it_and_to_nothing_behind_its_end() {
    let mut layer = Layer::default();
    assert_eq!(layer.insert(100, 50, (1, 1)), []);
    assert_eq!(layer.insert(200, 50, (2, 1)), []);
    let object = |address| layer.find(address).map(|span| span.object);
    let all = [99, 100, 149, 150, 199, 200, 249, 250].map(object);
    assert_eq!(all, [None, Some(1), Some(1), None, None, Some(2), Some(2), None]);
}

#[test]
fn a_free_takes_the_allocation_that_begins_there_only() {
    let mut layer = Layer::default();
    layer.insert(100, 50, (1, 1));
    assert_eq!(layer.remove(120), None, "inside of it nothing begins");
    assert_eq!(layer.remove(100), Some(gone(1, 50)));
    assert_eq!(layer.remove(100), None, "twice");
    assert_eq!(layer.find(120), None);
}

#[test]
fn what_was_freed_unseen_gives_way_to_what_lies_there_now() {
    let mut layer = Layer::default();
    layer.insert(100, 100, (1, 1));
    assert_eq!(layer.insert(150, 100, (2, 1)), [gone(1, 50)]);
    assert_eq!(layer.find(120).map(|span| span.object), Some(1));
    assert_eq!(layer.find(180).map(|span| span.object), Some(2));
}

#[test]
fn a_mapping_is_unmapped_in_pieces_and_keeps_where_it_began() {
    let mut layer = Layer::default();
    layer.insert(1000, 1000, (7, 1));
    assert_eq!(layer.cut(1400, 1600), [gone(7, 200)]);
    assert_eq!(layer.find(1500), None);
    for address in [1000, 1399, 1600, 1999] {
        assert_eq!(layer.find(address).map(|span| span.whole), Some((1000, 2000)), "{address}");
    }
    assert_eq!(layer.cut(0, 5000), [gone(7, 400), gone(7, 400)]);
    assert_eq!(layer.iter().count(), 0);
}

#[test]
fn nothing_is_cut_from_an_empty_range_and_at_the_end_of_all_addresses() {
    let mut layer = Layer::default();
    layer.insert(u64::MAX - 10, 100, (3, 1));
    assert_eq!(layer.cut(5, 5), []);
    assert_eq!(layer.find(u64::MAX - 1).map(|span| span.object), Some(3));
    assert_eq!(layer.insert(50, 0, (4, 1)), [], "an empty allocation lies nowhere");
    assert_eq!(layer.find(50), None);
    assert_eq!(layer.cut(10, 5), [], "backwards");
}

#[test]
fn an_allocation_is_found_before_the_mapping_that_it_lies_in() {
    let mut live = Live::default();
    live.mapped.insert(0, 10_000, (1, 1));
    live.heap.insert(500, 100, (2, 1));
    assert_eq!(live.find(550).map(|span| span.object), Some(2));
    assert_eq!(live.find(650).map(|span| span.object), Some(1));
}
