use proptest::prelude::*;

use super::*;

fn limits(free: u64, left: Option<u64>, most: Option<u64>, nodes: u64) -> MemoryLimits {
    MemoryLimits {
        free: Some(Bytes(free)),
        cgroup: left.map(|left| (Bytes(left), "memory.max".to_owned())),
        most: most.map(Bytes),
        nodes,
    }
}

#[test]
fn the_tightest_limit_is_named() {
    assert_eq!(allowance(&limits(400, None, None, 1)).bytes, Bytes(100));
    let tight = allowance(&limits(4000, Some(400), None, 2));
    assert_eq!(tight.bytes, Bytes(50));
    let text = tight.because.to_string();
    assert!(text.contains("memory.max") && text.contains("2 nodes"), "{tight:?}");
    let asked = allowance(&limits(4000, Some(4000), Some(7), 1));
    assert_eq!((asked.bytes, asked.because), (Bytes(7), BufferLimit::Request { most: Bytes(7) }));
    assert_eq!(allowance(&limits(0, None, None, 1)).bytes, Bytes(0));
}

#[test]
fn memory_is_several_buffers_only_where_each_is_beyond_the_caches() {
    let wanted = wanted(Bytes::mib(32), Depth::Quick);
    assert_eq!((wanted.bytes, wanted.least), (Bytes::mib(64), Bytes::mib(48)));
    assert_eq!(parts(Bytes::mib(192), wanted, 3), 3);
    assert_eq!(parts(Bytes::mib(1000), wanted, 3), 3);
    assert_eq!(parts(Bytes::mib(100), wanted, 3), 2);
    assert_eq!(parts(Bytes::mib(95), wanted, 3), 1);
    assert_eq!((parts(Bytes::mib(8), wanted, 3), parts(Bytes(0), wanted, 3)), (1, 1));
}

#[test]
fn without_any_figure_little_is_taken() {
    let unknown = allowance(&MemoryLimits::default());
    assert_eq!(unknown.bytes, Bytes::mib(64));
    assert_eq!(unknown.because, BufferLimit::FreeMemoryUnknown);
}

#[test]
fn buffers_are_beyond_the_caches() {
    let large = wanted(Bytes::mib(480), Depth::Full);
    assert_eq!((large.bytes, large.least), (Bytes::mib(1920), Bytes::mib(960)));
    assert_eq!(wanted(Bytes::mib(480), Depth::Quick).bytes, Bytes::mib(960));
    assert_eq!(wanted(Bytes::mib(1), Depth::Standard).bytes, Bytes::mib(64), "small caches");
    assert_eq!(wanted(Bytes(u64::MAX), Depth::Full).least.0, u64::MAX / 2, "nonsense does not overflow");
}

#[test]
fn working_sets_grow_to_the_buffer() {
    let sizes = working_sets(Bytes::kib(64), 2);
    let kib: Vec<u64> = sizes.iter().map(|size| size.0 >> 10).collect();
    assert_eq!(kib, [4, 8, 12, 16, 24, 32, 44, 64]);
    assert!(working_sets(Bytes(100), 2).is_empty());
    assert_eq!(working_sets(Bytes::kib(4), 0).len(), 1);
}

proptest! {
    #[test]
    fn never_more_than_a_quarter(free in 0u64..1 << 50, left in 0u64..1 << 50, most in 0u64..1 << 50, nodes in 0u64..99) {
        let allowed = allowance(&limits(free, Some(left), Some(most), nodes)).bytes.0;
        prop_assert!(allowed <= free / 4 && allowed * nodes <= left / 4 && allowed <= most);
    }

    #[test]
    fn working_sets_ascend_within_the_buffer(most in 0u64..1 << 36, per in 1u32..6) {
        let sizes = working_sets(Bytes(most), per);
        prop_assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(sizes.iter().all(|size| size.0 <= most && size.0 % 4096 == 0));
    }
}
