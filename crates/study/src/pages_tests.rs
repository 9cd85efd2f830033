use super::*;

fn pages(given_to: &str, huge: u64, moved: u64) -> FirstRunPages {
    FirstRunPages {
        given_to: Reading::Measured(given_to.to_owned()),
        huge: Reading::Measured(Bytes::mib(huge)),
        balancing: Reading::Measured("1".to_owned()),
        moved: Reading::Measured(Bytes::mib(moved)),
    }
}

fn mib(mib: u64) -> Reading<Bytes> {
    Reading::Measured(Bytes::mib(mib))
}

#[test]
fn the_other_size_is_what_the_run_did_not_have_and_the_system_grants() {
    let size = |given_to: &str, huge| pages(given_to, huge, 0).other_size(&mib(1000));
    assert_eq!(size("madvise", 0), Some(Ok(PageSize::Thp)));
    assert_eq!(size("always", 950), Some(Ok(PageSize::Small)));
    assert_eq!(size("never", 0), Some(Err(NotTriedReason::TransparentHugePagesOff)));
    // The program, or its allocator, asks for huge pages itself.
    assert_eq!(size("madvise", 900), None);
    // The system would give them and has none, or gives none to this program.
    assert_eq!(size("always", 10), None);
    assert_eq!(size("strange", 10), None);
}

#[test]
fn little_memory_and_what_is_not_known_are_not_worth_a_trial() {
    assert_eq!(pages("madvise", 0, 0).other_size(&mib(63)), None);
    assert_eq!(pages("madvise", 0, 0).other_size(&Reading::unavailable("not seen")), None);
    assert_eq!(FirstRunPages::unknown().other_size(&mib(1000)), None);
    let uncounted = FirstRunPages { huge: Reading::unavailable("not counted"), ..pages("madvise", 0, 0) };
    assert_eq!(uncounted.other_size(&mib(1000)), None);
}

#[test]
fn pages_were_moved_where_balancing_is_on_and_moved_a_part_that_counts() {
    assert!(pages("always", 0, 10).were_moved(&mib(1000)));
    assert!(!pages("always", 0, 9).were_moved(&mib(1000)));
    assert!(!pages("always", 0, 3).were_moved(&mib(100)), "a few pages of whoever");
    let off = FirstRunPages { balancing: Reading::Measured("0".to_owned()), ..pages("always", 0, 500) };
    assert!(!off.were_moved(&mib(1000)));
    assert!(!FirstRunPages::unknown().were_moved(&mib(1000)));
}
