use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use super::*;
use crate::calls::affinity;
use crate::calls::clock::thread_cpu_time;
use crate::load_events::{LoadEvent, LoadEventCounts};
use crate::samples::Record;

fn settings(begins_with_exec: bool) -> SamplerSettings {
    SamplerSettings { period: Nanoseconds(1_000_000), faults: &[1], stack: 1024, begins_with_exec }
}

/// Where the kernel does not let us, the test says so.
fn sampler(settings: &SamplerSettings) -> Option<Sampler> {
    match Sampler::open(settings) {
        Ok(sampler) => Some(sampler),
        Err(obstacle) => {
            eprintln!("SKIPPED: sampling is not allowed here: {obstacle}");
            None
        }
    }
}

fn own_pid() -> i32 {
    std::process::id() as i32
}

#[test]
fn a_thread_is_sampled_by_its_cpu_time() {
    let Some(mut sampler) = sampler(&settings(false)) else { return };
    let begin = thread_cpu_time();
    let mut sum = 0u64;
    while thread_cpu_time().saturating_sub(begin) < Nanoseconds(200_000_000) {
        sum = black_box(sum).wrapping_mul(3).wrapping_add(1);
    }
    black_box(sum);
    let (mut time, mut with_stack) = (0, 0);
    sampler_records(&mut sampler, |sampler_is_fault, record| {
        if let Record::Sample(sample) = record
            && !sampler_is_fault
        {
            assert_eq!(sample.process.0, own_pid());
            let registers = sample.registers.expect("registers of 64 bits");
            assert_eq!(registers.ip(), sample.ip);
            time += 1;
            with_stack += usize::from(!sample.stack.is_empty());
        }
    });
    // Some are taken at ticks of the kernel only.
    assert!((10..=260).contains(&time), "{time} samples of 1 ms in 200 ms of CPU time");
    assert_eq!(time, with_stack);
}

#[test]
fn first_accesses_to_pages_are_seen_with_their_addresses() {
    const PAGES: usize = 300;
    let page = page_size().0 as usize;
    let Some(mut sampler) = sampler(&settings(false)) else { return };
    let begin = touch(PAGES);
    let addresses = begin..begin + (PAGES * page) as u64;
    let mut seen = std::collections::BTreeSet::new();
    let mut lost = 0;
    sampler_records(&mut sampler, |is_fault, record| match record {
        Record::Sample(sample) if is_fault && addresses.contains(&sample.address) => {
            seen.insert(sample.address / page as u64);
        }
        Record::Lost { count } => lost += count,
        _ => {}
    });
    assert_eq!(seen.len() as u64 + lost.min(PAGES as u64), PAGES as u64);
}

#[test]
fn of_many_page_faults_each_so_many_eth_is_sampled() {
    const PAGES: usize = 1000;
    const PERIOD: u64 = 31;
    let Some(mut sampler) = sampler(&SamplerSettings { faults: &[PERIOD], ..settings(false) }) else {
        return;
    };
    touch(PAGES);
    let mut samples = 0;
    sampler_records(&mut sampler, |is_fault, record| {
        samples += u64::from(is_fault && matches!(record, Record::Sample(_)));
    });
    // The test's own faults are a few more, and each CPU that it was on counts by itself.
    let expected = PAGES as u64 / PERIOD;
    let least = expected.saturating_sub(affinity::own().unwrap().len() as u64);
    assert!((least..=expected + 10).contains(&samples), "{samples} samples of {PAGES} faults");
}

#[test]
fn page_faults_of_what_runs_are_sampled_by_another_period_when_told() {
    const PAGES: usize = 4096;
    const PERIODS: &[u64] = &[16, 256];
    let Some(mut sampler) = sampler(&SamplerSettings { faults: PERIODS, ..settings(false) }) else { return };
    let cpus = affinity::own().unwrap().len() as u64;
    let pages = PAGES as u64;
    for period in [16, 256, 16] {
        sampler.sample_faults_by(period);
        drained(&mut sampler, |_, _| {});
        touch(PAGES);
        let mut stood_for = std::collections::BTreeMap::<u64, u64>::new();
        drained(&mut sampler, |faults, _| {
            if let Some(faults) = faults {
                *stood_for.entry(faults).or_default() += faults;
            }
        });
        let periods: Vec<u64> = stood_for.keys().copied().collect();
        assert_eq!(periods, [period]);
        let about = stood_for[&period];
        assert!(
            (pages - cpus * period..=pages + 200 + period).contains(&about),
            "{about} of {pages} by {period}"
        );
    }
}

#[test]
fn a_program_is_followed_from_its_exec_on_with_its_children() {
    let Some(mut sampler) = sampler(&settings(true)) else { return };
    let program = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; (i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done)";
    let status = Command::new("/bin/sh").args(["-c", program]).status().unwrap();
    assert!(status.success());
    let (mut execs, mut mapped, mut processes) = (0, 0, std::collections::BTreeSet::new());
    sampler_records(&mut sampler, |_, record| match record {
        Record::Sample(sample) => {
            processes.insert(sample.process);
        }
        Record::Named { is_exec: true, .. } => execs += 1,
        Record::Mapped { path, .. } => mapped += usize::from(path.ends_with("dash") || path.ends_with("sh")),
        _ => {}
    });
    assert!(!processes.iter().any(|process| process.0 == own_pid()), "{processes:?}");
    assert!(execs >= 1 && mapped >= 1, "{execs} execs, {mapped} mappings of the shell");
    assert_eq!(processes.len(), 2, "the shell and its child");
}

#[test]
fn a_stack_that_the_kernel_does_not_copy_is_refused_with_its_reason() {
    let settings = SamplerSettings { stack: 7, ..settings(false) };
    match Sampler::open(&settings) {
        Err(SamplerObstacle::Open(_)) => {}
        other => panic!("{other:?}"),
    }
}

/// The page faults of the kernel itself, in the place of an event of the processor: with addresses, and nothing of where data came from.
fn stand_in(config: u64) -> LoadEvent {
    LoadEvent {
        kind: SOFTWARE,
        config: [config, 0, 0],
        leader: None,
        period: 1,
        precise: 0,
        can_leave_kernel_out: true,
        cpus: None,
        counts: LoadEventCounts::Loads(None),
    }
}

#[test]
fn samples_of_another_event_come_through_the_same_rings_with_their_words() {
    const PAGES: usize = 100;
    let never = Nanoseconds(3_600_000_000_000);
    let settings = SamplerSettings { period: never, faults: &[], ..settings(false) };
    let Some(mut sampler) = sampler(&settings) else { return };
    sampler.add_loads(&[stand_in(MINOR_FAULTS)], false).unwrap();
    let page = page_size().0;
    let begin = touch(PAGES);
    let mut seen = std::collections::BTreeSet::new();
    sampler_records(&mut sampler, |_, record| {
        if let Record::Sample(sample) = record
            && (begin..begin + PAGES as u64 * page).contains(&sample.address)
        {
            let load = sample.load.expect("words of a load");
            assert_eq!((load.weight, sample.stack), (0, &[][..]));
            // Nothing, or PERF_MEM_OP_NA, by the kernel's version.
            assert!(load.data_source & 0x1f <= 1, "{:x}", load.data_source);
            seen.insert(sample.address / page);
        }
    });
    assert_eq!(seen.len(), PAGES);
}

#[test]
fn where_one_event_cannot_be_had_none_is() {
    let Some(mut sampler) = sampler(&settings(false)) else { return };
    let before = sampler._events.len();
    let unknown = LoadEvent { kind: 9999, ..stand_in(MINOR_FAULTS) };
    let elsewhere = LoadEvent { cpus: Some("4000".parse().unwrap()), ..unknown.clone() };
    let refused = sampler.add_loads(&[stand_in(MINOR_FAULTS), unknown], false);
    assert!(matches!(refused, Err(SamplerObstacle::Open(_))), "{refused:?}");
    assert_eq!(sampler._events.len(), before);
    sampler.add_loads(&[elsewhere], false).unwrap();
    assert_eq!(sampler._events.len(), before, "of other CPUs");
    let led = LoadEvent { leader: Some([MINOR_FAULTS, 0, 0]), ..stand_in(MINOR_FAULTS) };
    sampler.add_loads(&[led], true).unwrap();
    assert_eq!(sampler._events.len(), before + 2 * sampler.rings.len(), "each with its leader");
}

#[test]
fn who_waits_is_woken_by_a_ring_that_fills_by_the_end_and_by_the_time() {
    let Some(mut sampler) = sampler(&settings(false)) else { return };
    let (end, running) = std::io::pipe().unwrap();
    let long = Duration::from_secs(60);
    let took = |sampler: &Sampler, at_most| {
        let begin = Instant::now();
        sampler.wait(end.as_fd(), at_most);
        begin.elapsed()
    };
    // Each page fault is a sample of more than 1 KiB.
    touch(2 * FULL_ENOUGH as usize / 1024);
    assert!(took(&sampler, long) < long / 2);
    sampler.drain(|_| {});
    assert!(took(&sampler, Duration::from_millis(30)) >= Duration::from_millis(30));
    drop(running);
    assert!(took(&sampler, long) < long / 2);
}

/// Writes into so many new pages, of the smallest size; where they lay.
fn touch(pages: usize) -> u64 {
    let bytes = pages * page_size().0 as usize;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, which nobody else knows; written within its bounds, and unmapped at the end.
    unsafe {
        let begin = libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0);
        assert_ne!(begin, libc::MAP_FAILED);
        libc::madvise(begin, bytes, libc::MADV_NOHUGEPAGE);
        for page in 0..pages {
            begin.cast::<u8>().add(page * page_size().0 as usize).write_volatile(1);
        }
        libc::munmap(begin, bytes);
        begin as u64
    }
}

/// All records that are there, each with whether it was taken at a page fault.
fn sampler_records(sampler: &mut Sampler, mut each: impl FnMut(bool, Record<'_>)) {
    drained(sampler, |faults, record| each(faults.is_some(), record));
}

/// The same, with the page faults that a sample of one stands for.
fn drained(sampler: &mut Sampler, mut each: impl FnMut(Option<u64>, Record<'_>)) {
    let periods = sampler.fault_periods();
    sampler.drain(|bytes| {
        let Some((_, record)) = Record::parse(bytes) else { panic!("a record of the kernel: {bytes:?}") };
        let faults = match &record {
            Record::Sample(sample) => periods.get(&sample.event).copied(),
            _ => None,
        };
        each(faults, record);
    });
}
