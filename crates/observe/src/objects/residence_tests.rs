use super::*;

/// Shares of the residues of the numbers of the pages that are looked at: nodes of pages that are interleaved over so many.
fn shares(pages: u64, nodes: u64, look: u32) -> Vec<f64> {
    let (page, begin) = (page_size().0, page_size().0 * 1_000_003);
    let looked_at = strewn(pages * page, &[(begin, begin + pages * page)], look);
    let looked_at: Vec<u64> = looked_at.into_iter().map(|at| at / page * page).collect();
    let count = |node: u64| looked_at.iter().filter(|at| (*at - begin) / page % nodes == node).count();
    (0..nodes).map(|node| count(node) as f64 / looked_at.len() as f64).collect()
}

#[test]
fn interleaved_pages_are_seen_on_all_their_nodes() {
    for pages in [257, 384, 512, 1024, 2048, 2049, 4096, 1 << 20] {
        for nodes in [2, 3, 4, 8] {
            // Four times the standard deviation of a share of 256 pages at random.
            let expected = 1.0 / nodes as f64;
            let within = 4.0 * (expected * (1.0 - expected) / 256.0).sqrt();
            for look in 0..20 {
                for share in shares(pages, nodes, look) {
                    assert!((share - expected).abs() < within, "{pages} pages, {nodes} nodes: {share}");
                }
            }
        }
    }
}

#[test]
fn of_a_small_object_each_page_is_looked_at_once() {
    let page = page_size().0;
    for pages in [1, 2, 17, 255, 256] {
        for look in 0..5 {
            let begin = page * 77;
            let all: Vec<u64> = (0..pages).map(|k| begin + k * page).collect();
            assert_eq!(strewn(pages * page, &[(begin, begin + pages * page)], look), all);
            let all: Vec<u64> = all.into_iter().map(|at| at + 16).collect();
            // Not at the boundary of a page, as malloc has it.
            let from = begin + 16;
            assert_eq!(strewn(pages * page, &[(from, from + pages * page)], look), all);
        }
    }
}

#[test]
fn addresses_are_in_the_spans_and_others_at_each_look() {
    let page = page_size().0;
    let spans: Vec<(u64, u64)> = (0..40).map(|k| (k * 1000 * page, (k * 1000 + 20 + k) * page)).collect();
    let bytes = spans.iter().map(|(begin, end)| end - begin).sum();
    let first = strewn(bytes, &spans, 1);
    let is_in = |at: &u64| spans.iter().any(|(begin, end)| (begin..end).contains(&at));
    assert!(first.len() == 256 && first.iter().all(is_in), "{}", first.len());
    assert!(first.is_sorted());
    let second = strewn(bytes, &spans, 2);
    assert!(first.iter().zip(&second).filter(|(one, other)| one != other).count() > 100);
}

#[test]
fn spans_below_a_page_and_none() {
    let page = page_size().0;
    assert_eq!(strewn(0, &[], 0), Vec::<u64>::new());
    assert_eq!(strewn(100, &[(page * 3 + 50, page * 3 + 150)], 4), [page * 3 + 50]);
}
