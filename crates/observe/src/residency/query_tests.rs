use super::*;

const PAGE: u64 = 4096;

#[test]
fn all_pages_are_chosen_when_there_are_few() {
    let mappings = [PAGE..3 * PAGE, 10 * PAGE..11 * PAGE];
    let chosen = choose(&mappings, PAGE, 100, &mut Random::new(1));
    assert_eq!(chosen, [1, 2, 10].map(|page| page * PAGE as usize));
    assert!(choose(&[], PAGE, 100, &mut Random::new(1)).is_empty());
}

#[test]
fn pages_are_spread_evenly_over_the_mappings() {
    // Three quarters in the second.
    let mappings = [0..10_000 * PAGE, 50_000 * PAGE..80_000 * PAGE];
    let chosen = choose(&mappings, PAGE, 2000, &mut Random::new(7));
    assert_eq!(chosen.len(), 2000);
    assert!(chosen.is_sorted_by(|a, b| a < b), "in order, none twice");
    let inside = |address: &usize| mappings.iter().any(|mapping| mapping.contains(&(*address as u64)));
    assert!(chosen.iter().all(|address| address % PAGE as usize == 0 && inside(address)));
    let first = chosen.iter().filter(|address| **address < 10_000 * PAGE as usize).count();
    assert_eq!(first, 500);
    // Pages of an interleaved mapping take turns: half of the chosen ones are even.
    let even = chosen.iter().filter(|address| (*address / PAGE as usize).is_multiple_of(2)).count();
    assert!((900..1100).contains(&even), "{even}");
}

#[test]
fn the_choice_repeats_with_its_seed_only() {
    let mapping = 0..1_000_000 * PAGE;
    let choose = |seed| choose(std::slice::from_ref(&mapping), PAGE, 50, &mut Random::new(seed));
    assert_eq!(choose(3), choose(3));
    assert_ne!(choose(3), choose(4));
}

fn query(hits: &[(u32, u64)], pages: u64, asked: usize, own: Option<u64>, few_will_do: bool) -> ScanProgress {
    let query = Query {
        pid: Pid(1),
        path: PathBuf::new(),
        lines: None,
        sample: asked,
        few_will_do,
        private: PageSample {
            mappings: std::iter::once(0..pages * PAGE).collect(),
            resident: own.map(Bytes),
            addresses: vec![0; asked],
            asked,
            hits: hits.iter().map(|&(node, count)| (NodeId(node), count)).collect(),
        },
        shared: PageSample::default(),
        segments: vec![],
        page: PAGE,
    };
    query.estimate()
}

#[test]
fn shares_are_those_of_the_sample_and_the_sum_is_what_is_resident() {
    let own = Some(1000 * PAGE);
    let done = ScanProgress::Done(FoundPages {
        by_node: vec![(NodeId(0), Bytes(250 * PAGE)), (NodeId(3), Bytes(750 * PAGE))],
        pages_seen: 400,
        shared: Reading::unavailable(NO_SHARED),
        segments: vec![],
        memory: Reading::unavailable(NO_USE),
    });
    assert_eq!(query(&[(0, 100), (3, 300)], 100_000, 2000, own, false), done);
    // Without its own count: so many of all pages as of those asked.
    let ScanProgress::Done(FoundPages { by_node, .. }) = query(&[(0, 500)], 10_000, 2000, None, false) else {
        panic!("enough pages");
    };
    assert_eq!(by_node, [(NodeId(0), Bytes(2500 * PAGE))]);
}

#[test]
fn too_few_pages_are_not_taken_for_shares() {
    assert_eq!(query(&[], 100_000, 2000, Some(PAGE), false), ScanProgress::TooSparse);
    assert_eq!(query(&[(0, 99)], 100_000, 2000, Some(PAGE), false), ScanProgress::TooSparse);
    assert!(matches!(query(&[(0, 100)], 100_000, 2000, Some(PAGE), false), ScanProgress::Done(_)));
    assert!(matches!(query(&[(0, 9)], 100_000, 2000, Some(PAGE), true), ScanProgress::Done(_)));
    // All pages of a small process were asked for.
    assert!(matches!(query(&[(0, 9)], 20, 20, Some(PAGE), false), ScanProgress::Done(_)));
}
