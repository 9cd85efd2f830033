use super::*;

/// A kernel whose answers a test has written.
struct ScriptedKernel {
    processor: ProcessorName,
    cores: Vec<(&'static str, u32)>,
    paranoid: Option<i32>,
    /// What it says to a counter with these flags.
    answer: fn(CounterCode, u64) -> Result<(), i32>,
}

impl CounterKernel for ScriptedKernel {
    fn processor(&self) -> ProcessorName {
        self.processor.clone()
    }

    fn of_cores(&self) -> Vec<CoreCounters> {
        self.cores.iter().map(|(name, kind)| CoreCounters { name: (*name).to_owned(), kind: *kind }).collect()
    }

    fn paranoid(&self) -> Option<i32> {
        self.paranoid
    }

    fn try_open(&self, code: CounterCode, flags: u64) -> Result<(), i32> {
        (self.answer)(code, flags)
    }
}

fn processor(vendor: &str, family: u32, model: u32) -> ProcessorName {
    ProcessorName { vendor: vendor.to_owned(), family, model, is_guest: false }
}

fn kernel(answer: fn(CounterCode, u64) -> Result<(), i32>) -> ScriptedKernel {
    let processor = processor("GenuineIntel", 6, 0x55);
    ScriptedKernel { processor, cores: vec![("cpu", 4)], paranoid: Some(2), answer }
}

fn names(choice: &CounterChoice) -> Vec<&str> {
    choice.opened().map(|event| event.name.as_str()).collect()
}

#[test]
fn a_known_processor_has_the_events_of_its_family() {
    let choice = choose(&kernel(|_, _| Ok(()))).unwrap();
    assert_eq!(choice.processor.as_deref(), Some("Intel Skylake-SP or Cascade Lake"));
    assert!(!choice.with_children);
    assert_eq!(choice.opened().count(), 12);
    let stalls = choice.events.iter().find(|event| event.event == CounterEvent::MemoryStallCycles).unwrap();
    assert_eq!(stalls.code, CounterCode { kind: 4, config: 0x1400_14a3 });
    let vectors = choice.events.iter().find(|event| event.name.ends_with("512B_PACKED_DOUBLE")).unwrap();
    assert_eq!(vectors.code.config, 0x40c7);
    assert_eq!(vectors.event, CounterEvent::FpInstructions { bits: 512, operations: 8 });
}

#[test]
fn an_unknown_processor_has_what_all_have() {
    let unknown = ScriptedKernel { processor: processor("GenuineIntel", 6, 0x1c), ..kernel(|_, _| Ok(())) };
    let choice = choose(&unknown).unwrap();
    assert_eq!((names(&choice), choice.processor.as_deref()), (vec!["cycles", "instructions"], None));
}

#[test]
fn several_kinds_of_cores_are_counted_apart() {
    let cores = vec![("cpu_atom", 10), ("cpu_core", 4)];
    let choice = choose(&ScriptedKernel { cores, ..kernel(|_, _| Ok(())) }).unwrap();
    let found: Vec<_> =
        choice.events.iter().map(|of| (of.event, of.cores.as_str(), of.code.config)).collect();
    assert_eq!(
        found,
        [
            (CounterEvent::Cycles, "cpu_atom", 10 << 32),
            (CounterEvent::Cycles, "cpu_core", 4 << 32),
            (CounterEvent::Instructions, "cpu_atom", 10 << 32 | 1),
            (CounterEvent::Instructions, "cpu_core", 4 << 32 | 1),
        ]
    );
    assert_eq!(choice.processor, None);
}

#[test]
fn an_older_kernel_counts_children_too() {
    let old = |_: CounterCode, flags: u64| if flags & SINCE_5_13 == 0 { Ok(()) } else { Err(libc::EINVAL) };
    let choice = choose(&kernel(old)).unwrap();
    assert!(choice.with_children);
    assert_eq!((choice.flags, choice.opened().count()), (ALWAYS, 12));
}

#[test]
fn one_event_that_is_refused_leaves_the_others() {
    let answer = |code: CounterCode, _| if code.config == 0x01d3 { Err(libc::ENOENT) } else { Ok(()) };
    let choice = choose(&kernel(answer)).unwrap();
    assert_eq!(choice.opened().count(), 11);
    let refused = choice.events.iter().find(|event| event.refused.is_some()).unwrap();
    assert_eq!((refused.event, refused.refused), (CounterEvent::LocalMemory, Some(libc::ENOENT)));
}

#[test]
fn what_stands_in_the_way_is_said() {
    let refused = |answer: fn(CounterCode, u64) -> Result<(), i32>, paranoid| {
        choose(&ScriptedKernel { paranoid, ..kernel(answer) }).unwrap_err()
    };
    assert_eq!(refused(|_, _| Err(libc::ENOENT), Some(2)), CounterObstacle::NoHardware { is_guest: false });
    assert_eq!(refused(|_, _| Err(libc::EACCES), Some(4)), CounterObstacle::Paranoid { level: 4 });
    assert_eq!(refused(|_, _| Err(libc::EPERM), Some(3)), CounterObstacle::Paranoid { level: 3 });
    let filtered = refused(|_, _| Err(libc::EPERM), Some(2));
    assert!(matches!(&filtered, CounterObstacle::Filtered { error } if error.contains("not permitted")));
    assert_eq!(refused(|_, _| Err(libc::ENOSYS), None), CounterObstacle::NotInKernel);
    assert!(matches!(refused(|_, _| Err(libc::EMFILE), Some(2)), CounterObstacle::Failed { .. }));
    let guest = ProcessorName { is_guest: true, ..processor("AuthenticAMD", 26, 2) };
    let none = ScriptedKernel { processor: guest, cores: vec![], ..kernel(|_, _| Err(libc::ENOENT)) };
    assert_eq!(choose(&none), Err(CounterObstacle::NoHardware { is_guest: true }));
}

#[test]
fn each_family_is_known_by_its_numbers_and_has_each_event_once() {
    let all = [
        (("GenuineIntel", 6, 0x55), "Skylake"),
        (("GenuineIntel", 6, 0x6a), "Ice Lake"),
        (("GenuineIntel", 6, 0x8f), "Sapphire or Emerald Rapids"),
        (("GenuineIntel", 6, 0xcf), "Sapphire or Emerald Rapids"),
        (("AuthenticAMD", 0x17, 0x31), "Zen 2"),
        (("AuthenticAMD", 0x19, 0x01), "Zen 3"),
        (("AuthenticAMD", 0x19, 0x11), "Zen 4"),
        (("AuthenticAMD", 0x1a, 0x02), "Zen 5"),
        (("0x41", 0, 0xd40), "V1"),
        (("0x41", 0, 0xd4f), "V2"),
    ];
    for ((vendor, number, model), name) in all {
        let family = family(&processor(vendor, number, model)).unwrap();
        assert!(family.name.contains(name), "{} {name}", family.name);
        let mut events: Vec<_> = family.events.iter().map(|of| of.event).collect();
        let mut codes: Vec<_> = family.events.iter().map(|of| of.config).collect();
        events.sort();
        codes.sort_unstable();
        events.dedup();
        codes.dedup();
        assert_eq!((events.len(), codes.len()), (family.events.len(), family.events.len()), "{name}");
    }
    for (vendor, number, model) in [("AuthenticAMD", 0x17, 0x01), ("GenuineIntel", 6, 0x97), ("", 0, 0)] {
        assert_eq!(family(&processor(vendor, number, model)), None);
    }
}
