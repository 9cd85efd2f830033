use super::*;

/// A record of these words, with its header.
fn record(kind: u32, flags: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_ne_bytes().to_vec();
    bytes.extend(flags.to_ne_bytes());
    bytes.extend(((body.len() + 8) as u16).to_ne_bytes());
    bytes.extend(body);
    bytes
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// What stands behind records that are no samples: process and thread, time, CPU, event.
fn behind() -> Vec<u8> {
    words(&[pair(7, 8), 1_000, pair(1, 0), 42])
}

fn text(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() + 1).next_multiple_of(8), 0);
    bytes
}

fn whole_sample(abi: u64, stack: &[u8], there: usize) -> Vec<u8> {
    let mut body = words(&[42, 0x40_1000, pair(7, 8), 1_234, 0x7f00_0000, pair(1, 0), abi]);
    if abi != 0 {
        body.extend(words(&(100..100 + WORDS as u64).collect::<Vec<_>>()));
    }
    body.extend(words(&[stack.len() as u64]));
    body.extend(stack);
    if !stack.is_empty() {
        body.extend(words(&[there as u64]));
    }
    record(SAMPLE, 0, &body)
}

#[test]
fn a_sample_is_read_whole() {
    let stack: Vec<u8> = (0..64).collect();
    let bytes = whole_sample(OF_64_BITS, &stack, 24);
    let Some((at, Record::Sample(sample))) = Record::parse(&bytes) else { panic!("no sample") };
    assert_eq!((at, sample.at), (Nanoseconds(1_234), Nanoseconds(1_234)));
    assert_eq!((sample.event, sample.ip, sample.address), (42, 0x40_1000, 0x7f00_0000));
    assert_eq!((sample.process, sample.thread, sample.cpu), (Pid(7), Pid(8), CpuId(1)));
    // Only what was there of the stack.
    assert_eq!(sample.stack, &stack[..24]);
    assert!(sample.registers.is_some());
}

#[test]
fn a_sampled_load_has_its_cycles_and_its_source_behind_the_rest() {
    for stack in [&[][..], &[7; 16]] {
        let plain = whole_sample(OF_64_BITS, stack, stack.len());
        let body = [&plain[8..], &words(&[340, 0x6810_0142])].concat();
        let bytes = record(SAMPLE, 0, &body);
        let Some((_, Record::Sample(sample))) = Record::parse(&bytes) else { panic!("no sample") };
        assert_eq!(sample.load, Some(SampledLoad { weight: 340, data_source: 0x6810_0142 }));
        assert_eq!(sample.stack, stack);
        let Some((_, Record::Sample(without))) = Record::parse(&plain) else { panic!("no sample") };
        assert_eq!(Sample { load: None, ..sample }, without);
        // Cut short within them.
        for length in plain.len() + 1..bytes.len() {
            assert_eq!(Record::parse(&bytes[..length]), None, "{length} of {} bytes", bytes.len());
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn registers_stand_in_the_order_of_instructions() {
    let bytes = whole_sample(OF_64_BITS, &[], 0);
    let Some((_, Record::Sample(sample))) = Record::parse(&bytes) else { panic!("no sample") };
    let registers = sample.registers.unwrap();
    // The kernel has ax, bx, cx, dx, si, di, bp, sp, ip and then r8 to r15.
    let expected = [100, 102, 103, 101, 107, 106, 104, 105, 109, 110, 111, 112, 113, 114, 115, 116];
    assert_eq!(registers.general(), expected);
    assert_eq!((registers.ip(), registers.sp()), (108, 107));
}

#[test]
fn threads_of_32_bits_and_of_the_kernel_have_no_registers() {
    for abi in [0, 1] {
        let bytes = whole_sample(abi, &[], 0);
        let Some((_, Record::Sample(sample))) = Record::parse(&bytes) else { panic!("no sample") };
        assert_eq!(sample.registers, None, "abi {abi}");
    }
}

#[test]
fn a_sample_that_is_cut_short_is_none() {
    let stack: Vec<u8> = (0..32).collect();
    let bytes = whole_sample(OF_64_BITS, &stack, 32);
    for length in 0..bytes.len() {
        assert_eq!(Record::parse(&bytes[..length]), None, "{length} of {} bytes", bytes.len());
    }
    // More is said to be there than was copied.
    assert_eq!(Record::parse(&whole_sample(OF_64_BITS, &stack, 33)), None);
}

#[test]
fn other_records_are_read() {
    let mut mapped = words(&[pair(7, 8), 0x5000, 0x2000, 0x1000, 0, 0, 0, pair(5, 2)]);
    mapped.extend(text("/usr/bin/a b"));
    let named = [words(&[pair(7, 8)]), text("worker é")].concat();
    let forked = words(&[pair(9, 7), pair(10, 8), 900]);
    let path = PathBuf::from("/usr/bin/a b");
    let of = |process| Pid(process);
    let cases = [
        (
            MMAP2,
            0,
            mapped,
            Record::Mapped { process: of(7), begin: 0x5000, bytes: 0x2000, offset: 0x1000, path },
        ),
        (
            COMM,
            IS_EXEC,
            named.clone(),
            Record::Named { process: of(7), thread: of(8), name: "worker é".to_owned(), is_exec: true },
        ),
        (
            COMM,
            0,
            named,
            Record::Named { process: of(7), thread: of(8), name: "worker é".to_owned(), is_exec: false },
        ),
        (FORK, 0, forked, Record::Forked { process: of(9), parent: of(7), thread: of(10) }),
        (LOST, 0, words(&[42, 77]), Record::Lost { count: 77 }),
        (THROTTLE, 0, words(&[1, 2, 3]), Record::Throttled),
        (99, 0, words(&[1, 2, 3]), Record::Other),
    ];
    for (kind, flags, mut body, expected) in cases {
        body.extend(behind());
        let bytes = record(kind, flags, &body);
        assert_eq!(Record::parse(&bytes), Some((Nanoseconds(1_000), expected)), "type {kind}");
        // What is cut short never gives another record of the kind by reading what stands behind it.
        for length in 0..40 {
            let _ = Record::parse(&bytes[..length]);
        }
        assert_eq!(Record::parse(&bytes[..39]), None);
    }
}
