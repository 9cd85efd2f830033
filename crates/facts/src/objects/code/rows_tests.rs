use super::*;

#[test]
fn reasons_and_numbers_come_back() {
    let count = PassCount { loaded: 64.0, double: 8.0, ..PassCount::default() };
    let access = LoopAccess {
        address: 0x1244,
        reads: true,
        writes: false,
        bytes: 32,
        elements: 1,
        stride: Reading::Measured(-32),
        stream: 3,
        offset: 8,
        is_of_stack: false,
        seen: Reading::Measured((0x7fff_0000_0000, 0x7fff_0000_1000)),
        variable: Reading::unavailable("allocated"),
        nodes: vec![NodeId(0), NodeId(7)],
    };
    let unknown = LoopAccess { stride: Reading::unavailable("gathered"), nodes: vec![], ..access.clone() };
    let all = LoopPassing {
        pass: Reading::Measured(LoopPass { mean: Reading::unavailable("few"), least: count, most: count }),
        trips: Reading::unavailable("it calls"),
        speed: Reading::Measured(LoopSpeed { passes: 2e8, low: 1e8, high: 3e8, again: 1e12, pairs: 40 }),
        accesses: vec![unknown, access],
    };
    assert_eq!(LoopPassing::from(Rows::from(all.clone())), all);
    let ceilings = Ceilings {
        arithmetic: vec![ArithmeticCeiling {
            kind: PeakKind { bits: 256, element_bits: 32, is_fused: true },
            rate: 1e11,
        }],
        caches: vec![CacheCeiling {
            level: 2,
            size: Bytes(9),
            cores: 8,
            read: Reading::unavailable("stopped"),
        }],
        core_memory: Reading::unavailable("quick"),
        machine_memory: Reading::Measured(BytesPerSecond(4e10)),
    };
    assert_eq!(Ceilings::from(Rows::from(ceilings.clone())), ceilings);
}

#[test]
fn rows_that_are_cut_say_so_and_lose_nothing_before() {
    let whole = Rows::from(LoopPassing {
        speed: Reading::Measured(LoopSpeed { passes: 1.0, low: 1.0, high: 1.0, again: 1e12, pairs: 1 }),
        ..LoopPassing::unknown("none")
    });
    for length in 0..whole.numbers.len() {
        let cut = Rows { numbers: whole.numbers[..length].to_vec(), names: Vec::new() };
        let found = LoopPassing::from(cut);
        assert!(found.accesses.is_empty() && found.pass.measured().is_none());
    }
    let many = Rows { numbers: vec![Reading::Measured(1e300); 40], names: Vec::new() };
    assert!(LoopPassing::from(many).accesses.len() <= 40);
}
