use numawise_facts::PeakKind;
use numawise_facts::objects::{FileAddress, LoopPass, LoopPassing, LoopSpeed};
use numawise_units::Bytes;

use super::*;

const GB: f64 = 1e9;

/// 4 GHz with two additions and products of 256 bits in a cycle; caches of 32 KiB, 1 MiB and, for 8 cores, 32 MiB.
fn machine() -> Ceilings {
    let peak = |bits, element_bits, is_fused: bool| ArithmeticCeiling {
        kind: PeakKind { bits, element_bits, is_fused },
        rate: 8e9 * f64::from(bits / element_bits) * if is_fused { 2.0 } else { 1.0 },
    };
    let cache = |level, size, cores, rate| CacheCeiling {
        level,
        size: Bytes(size),
        cores,
        read: Reading::Measured(BytesPerSecond(rate)),
    };
    Ceilings {
        arithmetic: vec![peak(64, 64, false), peak(256, 64, false), peak(256, 64, true), peak(256, 32, true)],
        caches: vec![
            cache(1, 32 << 10, 1, 200.0 * GB),
            cache(2, 1 << 20, 1, 80.0 * GB),
            cache(3, 32 << 20, 8, 40.0 * GB),
        ],
        core_memory: Reading::Measured(BytesPerSecond(20.0 * GB)),
        machine_memory: Reading::Measured(BytesPerSecond(40.0 * GB)),
    }
}

fn of(mean: PassCount, speed: Option<f64>) -> MachineLoop {
    let speed = speed.map(|passes| LoopSpeed { passes, low: passes, high: passes, again: 1e12, pairs: 99 });
    MachineLoop {
        head: FileAddress { file: "/app".to_owned(), address: 1 },
        function: 0,
        parent: None,
        depth: 1,
        is_innermost: true,
        lines: vec![],
        samples: vec![],
        work: LoopWork {
            packed_elements: 4,
            vector_bits: 256,
            floating: 8,
            element_bits: 64,
            ..LoopWork::default()
        },
        passing: LoopPassing {
            pass: Reading::Measured(LoopPass { mean: Reading::Measured(mean), least: mean, most: mean }),
            speed: speed.map_or_else(|| Reading::unavailable("none"), Reading::Measured),
            ..LoopPassing::unknown("none")
        },
    }
}

fn stream(writes: bool, span: u64) -> LoopStream {
    LoopStream {
        reads: !writes,
        writes,
        stride: Reading::Measured(32),
        bytes: 32,
        fresh: Reading::Measured(32),
        of_lines: Reading::Measured(Ratio(1.0)),
        parts: vec![(0, 32)],
        span: Reading::Measured(Bytes(span)),
        elements: 1,
        variable: Reading::unavailable("none"),
        nodes: vec![],
    }
}

/// With vectors of 4: two loads, a store, four products with sums.
const TRIAD: PassCount = PassCount {
    loaded: 64.0,
    stored: 32.0,
    stack_loaded: 0.0,
    stack_stored: 0.0,
    fixed: 0.0,
    double: 8.0,
    single: 0.0,
    half: 0.0,
    instructions: 6.0,
};

fn triad(span: u64, threads: u32, speed: Option<f64>) -> LoopRoof {
    let streams = [stream(false, span), stream(false, span), stream(true, span)];
    roof(&of(TRIAD, speed), &streams, threads, &Reading::Measured(machine())).measured().cloned().unwrap()
}

#[test]
fn a_triad_larger_than_caches_is_bound_by_memory() {
    let found = triad(64 << 20, 1, Some(0.14 * GB));
    // 32 + 32 + 2 * 32 bytes a pass of 20 GB/s.
    assert_eq!(found.ceilings[0], LoopCeiling { of: Ceiling::Memory, passes: 20.0 * GB / 128.0 });
    assert!(found.reached.measured().is_some_and(|reached| (reached.0 - 0.896).abs() < 1e-9));
    // Four threads share what all have.
    assert_eq!(triad(64 << 20, 4, None).ceilings[0].passes, 10.0 * GB / 128.0);
}

#[test]
fn what_a_cache_holds_comes_from_there() {
    assert_eq!(triad(2 << 20, 1, None).ceilings[0].of, Ceiling::Cache(3));
    assert_eq!(triad(2 << 20, 8, None).ceilings[0].of, Ceiling::Cache(2), "each has its part");
    let near = triad(4 << 10, 1, None);
    assert!(near.ceilings.iter().all(|of| matches!(of.of, Ceiling::Arithmetic | Ceiling::NearestCache)));
}

#[test]
fn sums_in_registers_are_bound_by_arithmetic() {
    let count = PassCount { double: 96.0, instructions: 14.0, ..PassCount::default() };
    let found = roof(&of(count, None), &[], 1, &Reading::Measured(machine())).measured().cloned().unwrap();
    assert_eq!(found.ceilings, [LoopCeiling { of: Ceiling::Arithmetic, passes: 64.0 * GB / 96.0 }]);
    assert!(found.per_byte.measured().is_none() && found.reached.measured().is_none());
}

#[test]
fn a_loop_of_which_accesses_are_unknown_has_no_ceiling_of_memory() {
    let unknown = LoopStream { fresh: Reading::unavailable("gathered"), ..stream(false, 1 << 30) };
    let found =
        roof(&of(TRIAD, None), &[unknown], 1, &Reading::Measured(machine())).measured().cloned().unwrap();
    assert!(found.moved.measured().is_none() && found.ceilings.iter().all(|of| of.of != Ceiling::Memory));
    let none = roof(&of(TRIAD, None), &[], 1, &Reading::unavailable("never measured"));
    assert!(none.reason().is_some_and(|why| why.to_string() == "never measured"));
}

#[test]
fn a_loop_that_may_begin_anew_between_samples_has_no_speed() {
    let mut short = of(TRIAD, Some(0.01 * GB));
    short.passing.speed.measured_mut().unwrap().again = 0.14 * GB;
    let streams = [stream(false, 64 << 20)];
    let found = roof(&short, &streams, 1, &Reading::Measured(machine())).measured().cloned().unwrap();
    assert!(found.passes.measured().is_none() && found.reached.measured().is_none());
}
