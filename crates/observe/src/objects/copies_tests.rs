use numawise_operands::Direction;

use super::*;

fn access(ip: u64, direction: Direction) -> Access {
    Access { ip, address: 0, bytes: 8, direction, elements: 1 }
}

#[test]
fn a_copy_waits_for_the_side_that_no_cache_holds() {
    let copy = [access(9, Direction::Read), access(9, Direction::Write)];
    let of = |read, written| parts(&copy, &[read, written]);
    let (small, middle, large) = (Some(CACHED), Some(Bytes(1 << 20)), Some(Bytes(64 << 20)));
    assert_eq!(of(large, small), [1.0, 0.0]);
    assert_eq!(of(small, large), [0.0, 1.0]);
    for (read, written) in
        [(large, large), (large, middle), (middle, small), (small, small), (large, None), (None, small)]
    {
        assert_eq!(of(read, written), [0.5, 0.5], "{read:?} {written:?}");
    }
    // Accesses of a whole loop are counted, and not what was waited for.
    let passes = [access(9, Direction::Read), access(12, Direction::Write)];
    assert_eq!(parts(&passes, &[large, small]), [0.5, 0.5]);
    assert_eq!((parts(&copy[..1], &[small]), parts(&[], &[])), (vec![1.0], vec![]));
}
