use std::collections::BTreeSet;

use super::*;

const PAGE: u64 = 4096;

fn samples(uses: &[LineUse]) -> f64 {
    uses.iter().map(|of| of.samples).sum()
}

#[test]
fn threads_on_the_same_line_and_on_other_lines_are_kept_apart() {
    let mut lines = PageLines::default();
    lines.add(0x10_0000, PAGE, 0, 1.0);
    lines.add(0x10_003f, PAGE, 1, 0.5);
    lines.add(0x10_0040, PAGE, 1, 1.0);
    lines.add(0x10_0fff, PAGE, 0, 1.0);
    lines.add(0x10_0001, PAGE, 0, 1.0);
    let seen: Vec<_> = lines.finish().iter().map(|of| (of.page, of.line, of.thread, of.samples)).collect();
    assert_eq!(seen, [(0, 0, 0, 2.0), (0, 0, 1, 0.5), (0, 1, 1, 1.0), (0, 63, 0, 1.0)]);
}

#[test]
fn lines_are_a_64th_of_larger_pages_too() {
    let mut lines = PageLines::default();
    lines.add(65_536 + 1023, 65_536, 0, 1.0);
    lines.add(65_536 + 1024, 65_536, 0, 1.0);
    lines.add(2 * 65_536 - 1, 65_536, 0, 1.0);
    let seen: Vec<u8> = lines.finish().iter().map(|of| of.line).collect();
    assert_eq!(seen, [0, 1, 63]);
}

#[test]
fn of_many_pages_some_are_kept_and_each_of_them_whole() {
    let mut lines = PageLines::default();
    for round in 0..10 {
        for page in 0..10_000 {
            lines.add(page * PAGE + 64 * round, PAGE, 0, 1.0);
        }
    }
    let uses = lines.finish();
    let pages: BTreeSet<u32> = uses.iter().map(|of| of.page).collect();
    assert_eq!(pages.len(), PAGES);
    assert_eq!(samples(&uses), 10.0 * PAGES as f64, "nothing of a page that is kept is missing");
}

#[test]
fn the_choice_does_not_depend_on_the_order() {
    let choice = |pages: &mut dyn Iterator<Item = u64>| {
        let mut lines = PageLines::default();
        pages.for_each(|page| lines.add(page * PAGE, PAGE, 0, 1.0));
        lines.pages.into_keys().collect::<Vec<_>>()
    };
    assert_eq!(choice(&mut (0..1000)), choice(&mut (0..1000).rev()));
}

#[test]
fn a_page_that_all_threads_use_all_over_needs_no_more_than_its_bound() {
    let mut lines = PageLines::default();
    for thread in 0..1000 {
        for line in 0..64 {
            lines.add(line * 64, PAGE, thread, 1.0);
        }
    }
    lines.add(0, PAGE, 0, 1.0);
    let uses = lines.finish();
    assert_eq!(uses.len(), USES);
    assert_eq!(uses[0].samples, 2.0, "what is in is counted on");
}

#[test]
fn a_page_size_that_cannot_be_divides_nothing_by_zero() {
    let mut lines = PageLines::default();
    lines.add(u64::MAX, 0, 3, 1.0);
    lines.add(0, 1, 3, 1.0);
    assert!(lines.finish().iter().all(|of| of.line < LINES));
}
