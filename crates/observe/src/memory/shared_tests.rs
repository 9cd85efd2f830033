use super::*;

fn pages(used_for: PageUse, by_node: &[(u32, u64)], part: u64) -> Vec<SharedPages> {
    let by_node = by_node.iter().map(|&(node, bytes)| (NodeId(node), Bytes(bytes))).collect();
    vec![SharedPages { used_for, policy: "default".to_owned(), by_node, part: Bytes(part) }]
}

/// All pages of shared memory and the part of each process -> what they count for together.
fn together(processes: &[(u64, u64)]) -> u64 {
    let of: Vec<_> =
        processes.iter().map(|(all, part)| pages(PageUse::Shared, &[(0, *all)], *part)).collect();
    let of: Vec<&[SharedPages]> = of.iter().map(Vec::as_slice).collect();
    let times = counted_once(&of, PageUse::Shared);
    processes.iter().zip(times).map(|((all, _), times)| *all as f64 * times).sum::<f64>().round() as u64
}

#[test]
fn every_page_counts_once() {
    for (processes, expected) in [
        (&[][..], 0),
        (&[(100, 100)], 100),
        // Others have it mapped, too, that are none of ours.
        (&[(100, 10)], 100),
        // Each has a piece of its own.
        (&[(100, 100), (50, 50)], 150),
        // All have all of it.
        (&[(100, 25), (100, 25), (100, 25), (100, 25)], 100),
        // A parent that touched all of it, and four with a quarter each.
        (&[(100, 50), (25, 12), (25, 13), (25, 12), (25, 13)], 100),
        // A header that all have, and pieces of their own.
        (&[(104, 101), (104, 101), (104, 101), (104, 101)], 404),
        // A process without any.
        (&[(0, 0), (80, 80)], 80),
        // Most of it is mapped by others, a piece by one of ours only.
        (&[(100, 5), (10, 10)], 100),
    ] {
        assert_eq!(together(processes), expected, "{processes:?}");
    }
}

#[test]
fn uses_are_apart() {
    let (a, b) = (pages(PageUse::Shared, &[(0, 10)], 5), pages(PageUse::File, &[(0, 10)], 5));
    assert_eq!(counted_once(&[&a, &b], PageUse::Shared), [1.0, 1.0]);
    assert_eq!(counted_once(&[&a, &a], PageUse::Shared), [0.5, 0.5]);
}

#[test]
fn what_the_kernel_states_goes_before_what_mapmax_allows() {
    // A page that all have makes the whole look as if all had it.
    let mut of = pages(PageUse::Shared, &[(0, 600), (1, 400)], 125);
    of.extend(pages(PageUse::File, &[(0, 100)], 1));
    take_part(&mut of, Bytes(900));
    assert_eq!((of[0].part, of[1].part), (Bytes(900), Bytes(1)));
    // Other files in memory count there, too; and a walk that came later may have found more.
    take_part(&mut of, Bytes(5000));
    assert_eq!(of[0].part, Bytes(1000));
    take_part(&mut of, Bytes(3));
    assert_eq!(of[0].part, Bytes(1000));
    take_part(&mut [], Bytes(3));
}
