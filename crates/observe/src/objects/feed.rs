//! What the kernel sampled and what the library in the program logged, handed to the tracker in the order of time.

use numawise_facts::objects::{AllocationLog, FaultSamples};
use numawise_linux::calls::sampler::Sampler;
use numawise_linux::samples::{Record, Sample, UserRegisters};
use numawise_operands::Registers;
use numawise_units::Nanoseconds;

use super::input::{CodeMapping, FaultSample, Stack, TimeSample};
use super::log::{HeapLogs, LoggedRecord};
use super::{ObjectTracker, TrackedObjects};

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;

/// All that is known of a program's memory while it runs. For one thread.
pub struct ObjectFeed {
    tracker: ObjectTracker,
    /// Without it the library samples in the program.
    sampler: Option<Sampler>,
    logs: HeapLogs,
    sampled: KernelRecords,
    kernel: KernelCounts,
}

/// What became of the kernel's samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KernelCounts {
    pub lost: u64,
    /// How often the kernel took no more samples for a while, as they cost too much.
    pub throttled: u64,
    /// Records that are not as the kernel writes them.
    pub unreadable: u64,
}

/// What is left when the program has ended.
#[derive(Debug)]
pub struct FedObjects {
    pub tracked: TrackedObjects,
    pub log: AllocationLog,
    pub kernel: KernelCounts,
}

impl FedObjects {
    /// Samples at page faults.
    pub fn faults(&self) -> FaultSamples {
        let counts = &self.tracked.counts;
        FaultSamples { samples: counts.fault_samples, faults: counts.faults, lost: self.kernel.lost }
    }
}

/// Records of the kernel that wait for their time.
#[derive(Debug, Default)]
struct KernelRecords(Vec<KernelRecord>);

#[derive(Debug)]
struct KernelRecord {
    at: Nanoseconds,
    is_fault: bool,
    bytes: Box<[u8]>,
}

impl KernelRecords {
    /// Takes those out that were made until then, in the order of time.
    fn take(&mut self, until: Nanoseconds) -> Vec<KernelRecord> {
        // Stable: records of one ring stand in the order in which they were made.
        self.0.sort_by_key(|record| record.at);
        let rest = self.0.split_off(self.0.partition_point(|record| record.at <= until));
        std::mem::replace(&mut self.0, rest)
    }
}

impl ObjectFeed {
    pub fn new(tracker: ObjectTracker, sampler: Option<Sampler>, logs: HeapLogs) -> ObjectFeed {
        ObjectFeed {
            tracker,
            sampler,
            logs,
            sampled: KernelRecords::default(),
            kernel: KernelCounts::default(),
        }
    }

    /// Hands over all that happened until now. To be called often: what is not called for is lost when the kernel's rings are full.
    pub fn drain(&mut self, now: Nanoseconds) {
        self.read_rings();
        let waiting = self.sampled.take(now);
        let (tracker, kernel) = (&mut self.tracker, &mut self.kernel);
        let is_sampled = self.sampler.is_some();
        let mut next = waiting.iter().peekable();
        self.logs.drain(now, &mut |logged| {
            let at = logged.at();
            while let Some(record) = next.next_if(|record| at.is_some_and(|at| record.at <= at)) {
                feed_kernel(tracker, kernel, record);
            }
            feed_logged(tracker, logged, is_sampled);
        });
        next.for_each(|record| feed_kernel(tracker, kernel, record));
        self.tracker.look(now);
    }

    fn read_rings(&mut self) {
        let Some(sampler) = &mut self.sampler else { return };
        let faults = sampler.fault_events();
        let (all, unreadable) = (&mut self.sampled.0, &mut self.kernel.unreadable);
        sampler.drain(|bytes| match Record::parse(bytes) {
            Some((at, record)) => {
                let is_fault = matches!(&record, Record::Sample(sample) if faults.contains(&sample.event));
                all.push(KernelRecord { at, is_fault, bytes: bytes.into() });
            }
            None => *unreadable += 1,
        });
    }

    /// What was seen, once the program has ended.
    pub fn finish(mut self, now: Nanoseconds) -> FedObjects {
        self.drain(now);
        FedObjects { tracked: self.tracker.finish(), log: self.logs.counts(), kernel: self.kernel }
    }
}

fn feed_kernel(tracker: &mut ObjectTracker, counts: &mut KernelCounts, record: &KernelRecord) {
    let Some((at, parsed)) = Record::parse(&record.bytes) else { return };
    match parsed {
        Record::Sample(sample) => feed_sample(tracker, &sample, record.is_fault),
        Record::Mapped { process, begin, bytes, offset, path } => {
            tracker.mapped(&CodeMapping { process, begin, bytes, offset, path }, at);
        }
        Record::Forked { process, parent, .. } if process != parent => tracker.forked(process, parent),
        Record::Forked { process, thread, .. } => tracker.began(process, thread),
        Record::Named { process, thread, name, is_exec } => {
            if is_exec {
                tracker.replaced(process, at);
            }
            tracker.named(process, thread, name);
        }
        Record::Lost { count } => counts.lost += count,
        Record::Throttled => counts.throttled += 1,
        Record::Other => {}
    }
}

fn feed_sample(tracker: &mut ObjectTracker, sample: &Sample<'_>, is_fault: bool) {
    // A thread of 32 bits: nothing here knows its code.
    let Some(registers) = sample.registers else { return };
    let stack = stack(&registers, sample.stack);
    let Sample { at, process, thread, cpu, .. } = *sample;
    if is_fault {
        let (address, faults) = (sample.address, sample.period.max(1));
        tracker.fault(&FaultSample { at, process, thread, cpu, address, faults, stack });
    } else {
        let registers = Registers::new(registers.ip(), registers.general());
        tracker.time(&TimeSample { at, process, thread, cpu, registers, stack });
    }
}

#[cfg(target_arch = "x86_64")]
fn stack<'a>(registers: &UserRegisters, bytes: &'a [u8]) -> Stack<'a> {
    let general = registers.general();
    let kept = [general[3], general[12], general[13], general[14], general[15]];
    let (ip, sp) = (registers.ip(), registers.sp());
    Stack { ip, sp, bp: general[5], kept, r10: Some(general[10]), after_call: false, bytes }
}

#[cfg(target_arch = "aarch64")]
fn stack<'a>(registers: &UserRegisters, bytes: &'a [u8]) -> Stack<'a> {
    let general = registers.general();
    let kept = [general[30], general[19], general[20], general[21], general[22]];
    let (ip, sp) = (registers.ip(), registers.sp());
    Stack { ip, sp, bp: general[29], kept, r10: None, after_call: false, bytes }
}

/// What the library noted. Where the kernel samples too, it has said before what a process has mapped, and which one it was forked from.
fn feed_logged(tracker: &mut ObjectTracker, logged: LoggedRecord<'_>, is_sampled: bool) {
    match logged {
        LoggedRecord::ProcessBegins { process, parent, forked, at } if !is_sampled => {
            if forked {
                tracker.forked(process, parent);
            } else {
                tracker.replaced(process, at);
                tracker.begun(process, at);
            }
        }
        LoggedRecord::ProcessBegins { .. } => {}
        LoggedRecord::Stack { process, number, stack } => tracker.stack(process, number, &stack),
        LoggedRecord::Memory(event) => tracker.memory(&event),
        LoggedRecord::Time(sample) => tracker.time(&sample),
    }
}
