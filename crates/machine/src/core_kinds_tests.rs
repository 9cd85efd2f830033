use super::*;

#[test]
fn steps_within_a_kind_make_no_kinds() {
    for (figures, expected) in [
        (&[][..], &[][..]),
        (&[1024], &[0]),
        (&[1024, 1024], &[0, 0]),
        // Ten and ten cores in four clusters, one of them with a faster core.
        (&[718, 997, 731, 1017, 1024], &[0, 1, 0, 1, 1]),
        (&[1024, 446, 871], &[2, 0, 1]),
        (&[1000, 1100, 1101, 1200], &[0, 0, 1, 1]),
        // A chain of small steps ends where the first is left behind.
        (&[1000, 1050, 1102, 1150], &[0, 0, 1, 1]),
        (&[0, 1, 2], &[0, 1, 2]),
        (&[u64::MAX, 1], &[1, 0]),
    ] {
        assert_eq!(ranks(figures), expected, "{figures:?}");
    }
}
