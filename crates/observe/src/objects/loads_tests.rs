use super::*;

fn source(data_source: u64) -> Option<DataSource> {
    Load::of(SampledLoad { weight: 0, data_source }).map(|load| load.from)
}

/// Parts of linux/perf_event.h, each in its bits.
fn word(parts: &[(Part, u64)]) -> u64 {
    parts.iter().fold(0, |word, ((first, bits), value)| {
        assert!(value >> bits == 0);
        word | value << first
    })
}

const HIT: u64 = 2;

#[test]
fn words_that_a_haswell_wrote_are_read() {
    // perf prints them as `OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No`, and with `LCK Yes`.
    for recorded in [0x6810_0142, 0x6a10_0142] {
        let load = Load::of(SampledLoad { weight: 7, data_source: recorded }).unwrap();
        assert_eq!(load, Load { from: DataSource::L1, modified: false, time: Some(Cycles(7)) });
    }
}

#[test]
fn no_time_and_seconds_are_no_time() {
    for weight in [0, 1 << 32, u64::MAX] {
        assert_eq!(Load::of(SampledLoad { weight, data_source: 0x6810_0142 }).unwrap().time, None);
    }
}

#[test]
fn the_older_part_has_a_bit_for_each_place() {
    let places = [
        (1 << 3, DataSource::L1),
        (1 << 4, DataSource::LineFillBuffer),
        (1 << 5, DataSource::L2),
        (1 << 6, DataSource::L3),
        (1 << 7, DataSource::LocalMemory),
        (1 << 8, DataSource::RemoteMemory),
        (1 << 9, DataSource::RemoteMemory),
        (1 << 10, DataSource::RemoteCache),
        (1 << 11, DataSource::RemoteCache),
        (1 << 12, DataSource::Uncached),
        (1 << 13, DataSource::Uncached),
        (0, DataSource::Unknown),
    ];
    for (bit, expected) in places {
        assert_eq!(source(word(&[(OPERATION, LOAD), (LEVEL, HIT | bit)])), Some(expected), "{bit:x}");
    }
}

#[test]
fn the_number_of_a_place_and_its_distance_count_more() {
    let of = |number, remote, hops| {
        // Zen 4 marks the caches of its other chiplets in the older part as those of other nodes.
        let older = (LEVEL, HIT | 1 << 10);
        let parts = [(OPERATION, LOAD), older, (LEVEL_NUMBER, number), (REMOTE, remote), (HOPS, hops)];
        source(word(&parts)).unwrap()
    };
    assert_eq!(of(0x1, 0, 0), DataSource::L1);
    assert_eq!(of(0xc, 0, 0), DataSource::LineFillBuffer);
    assert_eq!(of(0x5, 0, 0), DataSource::L2);
    assert_eq!(of(0x3, 0, 0), DataSource::L3);
    assert_eq!(of(0x3, 1, 0), DataSource::RemoteCache);
    assert_eq!(of(0xb, 1, 1), DataSource::OtherCore, "another chiplet of the node");
    assert_eq!(of(0xb, 1, 2), DataSource::RemoteCache);
    assert_eq!(of(0xb, 0, 0), DataSource::OtherCore);
    assert_eq!(of(0xd, 0, 0), DataSource::LocalMemory);
    assert_eq!(of(0xd, 1, 0), DataSource::RemoteMemory);
    for hops in [2, 3, 4] {
        assert_eq!(of(0xd, 1, hops), DataSource::RemoteMemory);
    }
    assert_eq!(of(0x9, 0, 0), DataSource::CxlMemory);
    assert_eq!(of(0xe, 1, 0), DataSource::PersistentMemory);
    assert_eq!((of(0x8, 0, 0), of(0xa, 0, 0)), (DataSource::Uncached, DataSource::Uncached));
    // PERF_MEM_LVLNUM_NA: what the older part says.
    assert_eq!(of(0xf, 0, 0), DataSource::RemoteCache);
}

#[test]
fn a_cache_that_did_not_have_it_is_not_where_it_came_from() {
    let missed = |number| word(&[(OPERATION, LOAD), (LEVEL, MISSED | 1 << 6), (LEVEL_NUMBER, number)]);
    assert_eq!(
        (source(missed(0x3)), source(missed(0))),
        (Some(DataSource::Unknown), Some(DataSource::Unknown))
    );
    assert_eq!(source(missed(0xd)), Some(DataSource::LocalMemory));
}

#[test]
fn what_is_no_load_is_left_out() {
    // Not said, stores, prefetches, instructions.
    for operation in [0, 1, 4, 8, 16] {
        assert_eq!(source(word(&[(OPERATION, operation), (LEVEL, HIT | 1 << 3)])), None);
    }
}

#[test]
fn samples_are_counted_by_source_with_those_that_have_a_time() {
    let mut loads = Loads::default();
    assert!(loads.is_empty());
    let modified = word(&[(OPERATION, LOAD), (LEVEL, HIT | 1 << 6), (SNOOP, MODIFIED)]);
    for (weight, data_source) in
        [(300, modified), (0, modified), (4, 0x6810_0142), (40, modified & !(0x1f << 19))]
    {
        loads.add(&Load::of(SampledLoad { weight, data_source }).unwrap());
    }
    let of = |from, samples, modified, timed, cycles| SampledLoads {
        from,
        samples,
        modified,
        timed,
        cycles: Cycles(cycles),
    };
    assert_eq!(loads.finish(), [of(DataSource::L1, 1, 0, 1, 4), of(DataSource::L3, 3, 2, 2, 340)]);
}
