use numawise_facts::{Estimate, PeakKind};
use numawise_units::{Bytes, CpuId};

use super::*;

fn exactly<T: Copy>(value: T) -> Estimate<T> {
    Estimate { median: value, low: value, high: value, samples: 9, disturbed: 0 }
}

/// A profile as older versions wrote it.
fn old() -> Profile {
    let text = include_str!("../../../../testdata/profiles/guest-sixteen.json");
    Profile::of_json(text).unwrap()
}

#[test]
fn an_older_profile_has_no_ceilings_and_says_so() {
    let machine = numawise_machine::from_synthetic("pack:2 numa:1 l3:1 core:2 pu:2").unwrap();
    let found = by(&machine, &old());
    assert!(
        found.reason().is_some_and(|why| why.to_string().contains("an older version made it")),
        "{found:?}"
    );
}

#[test]
fn a_cache_is_shared_by_its_cores_and_not_by_its_threads() {
    let machine = numawise_machine::from_synthetic("pack:2 numa:1 l3:1 core:2 pu:2").unwrap();
    let level = machine.caches[0].level;
    let kind = PeakKind { bits: 256, element_bits: 64, is_fused: true };
    let cpu = CpuId(0);
    let profile = Profile {
        arithmetic: vec![PeakArithmetic { cpu, kind, rate: Reading::Measured(exactly(5e10)) }],
        caches: vec![PeakCache {
            cpu,
            level,
            size: Bytes(1 << 20),
            bytes: Bytes(1 << 19),
            read: Reading::Measured(exactly(BytesPerSecond(8e10))),
        }],
        ..old()
    };
    let found = by(&machine, &profile).measured().cloned().unwrap();
    assert_eq!((found.caches[0].cores, found.arithmetic.len()), (2, 1));
    assert_eq!(found.caches[0].read, Reading::Measured(BytesPerSecond(8e10)));
}
