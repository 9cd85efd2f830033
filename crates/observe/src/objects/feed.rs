//! What the kernel sampled and what the library in the program logged, handed to the tracker in the order of time.

use numawise_facts::Reading;
use numawise_facts::objects::{AllocationLog, BandwidthOverTime, FaultSamples, TouchMethod};
use numawise_linux::calls::clock;
use numawise_linux::calls::sampler::Sampler;
use numawise_linux::samples::{Record, Sample, UserRegisters};
use numawise_operands::Registers;
use numawise_units::Nanoseconds;

use super::bandwidth::{BandwidthError, BandwidthWatch};
use super::input::{CodeMapping, FaultSample, LoadSample, Stack, TimeSample};
use super::log::{HeapLogs, LoggedRecord, LoggedSamples};
use super::{ObjectTracker, TrackedObjects};

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;

/// All that is known of a program's memory while it runs. For one thread.
pub struct ObjectFeed {
    tracker: ObjectTracker,
    logs: HeapLogs,
    /// The kernel samples the program; else the library in it does.
    is_sampled: bool,
    sampled: KernelRecords,
    kernel: KernelCounts,
    bandwidth: Result<BandwidthWatch, BandwidthError>,
}

/// A thread that was interrupted between taking the time and writing its record down has done so after this, nearly always.
const SETTLED: Nanoseconds = Nanoseconds(20_000_000);

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
    /// What threads of the program spent in writing it.
    pub log_spent: Nanoseconds,
    /// Samples that the program took itself.
    pub own: LoggedSamples,
    pub kernel: KernelCounts,
    pub bandwidth: Reading<BandwidthOverTime>,
}

impl FedObjects {
    /// What is known of page faults.
    pub fn faults(&self, method: TouchMethod) -> FaultSamples {
        let counts = &self.tracked.counts;
        let (lost, in_system_calls) = match method {
            TouchMethod::Faults => {
                let unseen = "samples of page faults are of the program's own instructions only";
                (self.kernel.lost, Reading::unavailable(unseen))
            }
            TouchMethod::Counted => (self.own.lost, Reading::Measured(counts.faults_in_calls)),
        };
        let again = match method {
            TouchMethod::Faults => Reading::Measured(counts.faults_again),
            TouchMethod::Counted => Reading::unavailable("page faults that are counted are not told apart"),
        };
        let (samples, faults) = (counts.fault_samples, counts.faults);
        FaultSamples { samples, faults, lost, method, in_system_calls, again }
    }
}

/// What the rings of the kernel held at one moment.
#[derive(Debug, Default)]
pub struct KernelRecords {
    records: Vec<KernelRecord>,
    unreadable: u64,
    bytes: usize,
    /// How many are samples of page faults.
    faults: u64,
}

#[derive(Debug)]
struct KernelRecord {
    at: Nanoseconds,
    /// Page faults for which it stands, where it is a sample of one.
    faults: Option<u64>,
    bytes: Box<[u8]>,
}

impl KernelRecords {
    /// Empties the rings.
    pub fn read(sampler: &mut Sampler) -> KernelRecords {
        let (own, periods) = (std::process::id() as i32, sampler.fault_periods());
        let mut read = KernelRecords::default();
        sampler.drain(|bytes| match Record::parse(bytes) {
            Some((at, record)) => {
                let faults = match &record {
                    // Of the thread that opened the events.
                    Record::Sample(sample) if sample.process.0 == own => return,
                    Record::Sample(sample) => periods.get(&sample.event).copied(),
                    _ => None,
                };
                read.records.push(KernelRecord { at, faults, bytes: bytes.into() });
                read.bytes += bytes.len();
                read.faults += u64::from(faults.is_some());
            }
            None => read.unreadable += 1,
        });
        read
    }

    /// How many samples of page faults there are.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// How much they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn count(&self) -> usize {
        self.records.len()
    }

    /// Takes those out that were made until then, in the order of time.
    fn take(&mut self, until: Nanoseconds) -> Vec<KernelRecord> {
        // Stable: records of one ring stand in the order in which they were made.
        self.records.sort_by_key(|record| record.at);
        let rest = self.records.split_off(self.records.partition_point(|record| record.at <= until));
        std::mem::replace(&mut self.records, rest)
    }
}

impl ObjectFeed {
    /// `is_sampled`: by the kernel.
    pub fn new(
        tracker: ObjectTracker,
        logs: HeapLogs,
        is_sampled: bool,
        bandwidth: Result<BandwidthWatch, BandwidthError>,
    ) -> ObjectFeed {
        let (sampled, kernel) = (KernelRecords::default(), KernelCounts::default());
        ObjectFeed { tracker, logs, is_sampled, sampled, kernel, bandwidth }
    }

    /// Notes that so many records found no place with us.
    pub fn lose(&mut self, records: u64) {
        self.kernel.lost += records;
    }

    /// Hands over what happened until shortly before `read_at`, when the rings held what was read of them.
    pub fn drain(&mut self, read: KernelRecords, read_at: Nanoseconds) {
        self.kernel.unreadable += read.unreadable;
        self.sampled.records.extend(read.records);
        self.hand_over(Nanoseconds(read_at.0.saturating_sub(SETTLED.0)));
    }

    /// A look at pages is taken over when all is told that happened before it, and nothing else.
    fn hand_over(&mut self, until: Nanoseconds) {
        while let Some(looked) = self.tracker.looked().filter(|looked| *looked <= until) {
            self.tell(looked);
            self.tracker.confirm();
        }
        self.tell(until);
    }

    fn tell(&mut self, until: Nanoseconds) {
        let waiting = self.sampled.take(until);
        let (tracker, kernel) = (&mut self.tracker, &mut self.kernel);
        let is_sampled = self.is_sampled;
        let mut next = waiting.iter().peekable();
        self.logs.drain(until, &mut |logged| {
            let at = logged.at();
            while let Some(record) = next.next_if(|record| at.is_some_and(|at| record.at <= at)) {
                feed_kernel(tracker, kernel, record);
            }
            feed_logged(tracker, logged, is_sampled);
        });
        next.for_each(|record| feed_kernel(tracker, kernel, record));
    }

    /// Looks where pages lie, and how much memory is accessed, where that is due.
    pub fn look(&mut self, now: Nanoseconds) {
        self.tracker.look(now);
        if let Ok(bandwidth) = &mut self.bandwidth {
            bandwidth.look(now);
        }
    }

    /// What was seen up to now, while the program goes on.
    pub fn so_far(&mut self, now: Nanoseconds) -> FedObjects {
        let (log, own) = (self.logs.counts(), self.logs.samples());
        let bandwidth = self.bandwidth.as_ref().map_or_else(unavailable, BandwidthWatch::so_far);
        let log_spent = self.logs.spent();
        FedObjects { tracked: self.tracker.so_far(now), log, log_spent, own, kernel: self.kernel, bandwidth }
    }

    /// What was seen, once the program has ended.
    pub fn finish(mut self) -> FedObjects {
        // Of a program that has ended, nobody is in the middle of a record.
        self.hand_over(Nanoseconds(u64::MAX));
        let (log, own) = (self.logs.counts(), self.logs.samples());
        let bandwidth = match self.bandwidth {
            Ok(bandwidth) => bandwidth.finish(clock::monotonic()),
            Err(error) => unavailable(&error),
        };
        let log_spent = self.logs.spent();
        FedObjects { tracked: self.tracker.finish(), log, log_spent, own, kernel: self.kernel, bandwidth }
    }
}

fn unavailable(error: &BandwidthError) -> Reading<BandwidthOverTime> {
    Reading::unavailable(error.to_string())
}

fn feed_kernel(tracker: &mut ObjectTracker, counts: &mut KernelCounts, record: &KernelRecord) {
    let Some((at, parsed)) = Record::parse(&record.bytes) else { return };
    match parsed {
        Record::Sample(sample) => feed_sample(tracker, &sample, record.faults),
        Record::Mapped { process, begin, bytes, offset, path } => {
            tracker.mapped(&CodeMapping { process, begin, bytes, offset, path });
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

/// `faults`: that the sample stands for, where it is of one.
fn feed_sample(tracker: &mut ObjectTracker, sample: &Sample<'_>, faults: Option<u64>) {
    let Sample { at, process, thread, cpu, ip, address, .. } = *sample;
    if let Some(of) = sample.load {
        tracker.load(&LoadSample { process, ip, address, of });
        return;
    }
    // A thread of 32 bits: nothing here knows its code.
    let Some(registers) = sample.registers else { return };
    let stack = stack(&registers, sample.stack);
    if let Some(faults) = faults {
        tracker.fault(&FaultSample { at, process, thread, cpu, address, faults, stack });
    } else {
        let registers = Registers::new(registers.ip(), registers.general());
        tracker.time(&TimeSample { at, process, thread, cpu, registers, faults: None, python: None, stack });
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
        LoggedRecord::ProcessBegins { process, parent, forked, at } => {
            match (is_sampled, forked) {
                (true, _) => {}
                (false, true) => tracker.forked(process, parent),
                (false, false) => tracker.replaced(process, at),
            }
            tracker.logs(process);
        }
        LoggedRecord::Stack { process, number, stack, python } => {
            tracker.stack(process, number, &stack, python);
        }
        LoggedRecord::Python { process, number, interpreter, frames } => {
            tracker.python(process, number, interpreter, frames);
        }
        LoggedRecord::Memory(event) => tracker.memory(&event),
        LoggedRecord::Time(sample) => tracker.time(&sample),
    }
}
