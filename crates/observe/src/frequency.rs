//! The frequency of the CPUs on which threads of a trial work, read when the threads are sampled; and what sets it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numawise_facts::{
    CpuFrequency, FrequencyFacts, FrequencyPolicy, FrequencySource, Reading, TrialFrequency,
};
use numawise_linux::calls::{clock, process};
use numawise_linux::frequency::{self, FrequencyFile};
use numawise_linux::{Error, Roots};
use numawise_units::{CpuId, Hertz, Nanoseconds};

#[cfg(test)]
#[path = "frequency_tests.rs"]
mod tests;

/// CPUs read in one step at most; the next step goes on with those behind them.
const AT_ONCE: usize = 8;
/// The part of what sampling may cost that goes into frequencies.
const SHARE: f64 = 0.15;
/// From 4.13 to 5.16 the kernel sleeps 10 ms when it is asked for a CPU for the first time: no other is asked in the same step then.
const SLOW: Duration = Duration::from_millis(2);
/// `/proc/cpuinfo` is long where there are many CPUs: trials shorter than this have no frequency from it.
const LONG_FILE_AFTER: Nanoseconds = Nanoseconds(1_000_000_000);
/// Files kept open at most: reading an open file is cheaper than opening it anew.
const FILES_KEPT: u64 = 256;

const NO_CPUFREQ: &str =
    "the kernel does not set the CPUs' frequency (no cpufreq; usual in virtual machines)";
const NOT_COUNTED: &str =
    "without a counter of cycles (aperfmperf) 'cpu MHz' in /proc/cpuinfo is not measured";
const TOO_EARLY: &str = "the trial ended before the frequency of a CPU was read";

/// Where frequencies are read.
#[derive(Debug)]
enum Source {
    NotYetKnown,
    /// A file for each CPU.
    Files,
    /// `/proc/cpuinfo`, of a processor that counts cycles.
    CpuInfo,
    Nowhere(String),
}

/// Reads frequencies within its part of the cost of sampling.
#[derive(Debug)]
pub(crate) struct FrequencySampler {
    roots: Roots,
    source: Source,
    /// CPU time for each unit of wall time.
    rate: f64,
    /// When the next step is paid for.
    due: Nanoseconds,
    /// A step that took longer asks no further CPU.
    slow: Duration,
    /// Behind the CPU that was read last.
    next: CpuId,
    files: BTreeMap<CpuId, FrequencyFile>,
    spare_files: u64,
    seen: BTreeMap<CpuId, Tally>,
    /// The first that went wrong.
    problem: Option<String>,
    buffer: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Tally {
    samples: u64,
    /// In Hz; 2^53 of them are reached after 30 days at 3 GHz and one sample in a millisecond.
    sum: f64,
    least: Hertz,
    most: Hertz,
}

impl FrequencySampler {
    /// `rate` is the CPU time that all sampling may take for each unit of wall time.
    pub fn new(roots: Roots, rate: f64) -> Self {
        FrequencySampler {
            roots,
            source: Source::NotYetKnown,
            rate: rate * SHARE,
            due: Nanoseconds(0),
            slow: SLOW,
            next: CpuId(0),
            files: BTreeMap::new(),
            spare_files: process::open_files_limit().map_or(FILES_KEPT, |most| FILES_KEPT.min(most / 8)),
            seen: BTreeMap::new(),
            problem: None,
            buffer: Vec::with_capacity(1024),
        }
    }

    /// Reads the frequency of some of the CPUs on which threads work at `now`, when that is paid for. True when something was read.
    pub fn step(&mut self, working: &BTreeSet<CpuId>, now: Nanoseconds, stop: &AtomicBool) -> bool {
        if working.is_empty() || now < self.due {
            return false;
        }
        let begun = clock::thread_cpu_time();
        if matches!(self.source, Source::NotYetKnown) {
            self.source = find_source(&self.roots, working);
        }
        let read = match self.source {
            Source::Files => self.read_files(working, stop),
            Source::CpuInfo if now >= LONG_FILE_AFTER => self.read_cpuinfo(working),
            Source::CpuInfo | Source::Nowhere(_) | Source::NotYetKnown => false,
        };
        let cost = clock::thread_cpu_time().saturating_sub(begun);
        self.due = now + Nanoseconds((cost.0 as f64 / self.rate) as u64);
        read
    }

    /// What was seen so far.
    pub fn result(&self) -> Reading<TrialFrequency> {
        if !self.seen.is_empty() {
            return Reading::Measured(TrialFrequency(self.seen.iter().map(Tally::told).collect()));
        }
        match (&self.source, &self.problem) {
            (Source::Nowhere(reason), _) => Reading::unavailable(reason.clone()),
            (_, Some(problem)) => Reading::unavailable(problem.clone()),
            _ => Reading::unavailable(TOO_EARLY),
        }
    }

    fn read_files(&mut self, working: &BTreeSet<CpuId>, stop: &AtomicBool) -> bool {
        let behind = working.range(self.next..).chain(working.range(..self.next));
        let turn: Vec<CpuId> = behind.take(AT_ONCE).copied().collect();
        let begun = Instant::now();
        let mut read = false;
        for cpu in turn {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            self.next = CpuId(cpu.0.saturating_add(1));
            match self.read_file(cpu) {
                Ok(frequency) => {
                    self.tally(cpu, frequency);
                    read = true;
                }
                Err(error) => self.note(&error),
            }
            if begun.elapsed() > self.slow {
                break;
            }
        }
        read
    }

    fn read_file(&mut self, cpu: CpuId) -> Result<Hertz, Error> {
        if let Some(file) = self.files.get(&cpu) {
            let read = file.read(&mut self.buffer);
            if read.is_err() {
                // A CPU that went offline and came back has another file.
                self.files.remove(&cpu);
                self.spare_files += 1;
            }
            return read;
        }
        let file = FrequencyFile::open(&self.roots, cpu)?;
        let frequency = file.read(&mut self.buffer)?;
        if self.spare_files > 0 {
            self.spare_files -= 1;
            self.files.insert(cpu, file);
        }
        Ok(frequency)
    }

    fn read_cpuinfo(&mut self, working: &BTreeSet<CpuId>) -> bool {
        let mut read = false;
        match frequency::by_cpuinfo(&self.roots, &mut self.buffer) {
            Ok(all) => {
                for (cpu, frequency) in all.into_iter().filter(|(cpu, _)| working.contains(cpu)) {
                    self.tally(cpu, frequency);
                    read = true;
                }
            }
            Err(error) => self.note(&error),
        }
        read
    }

    fn note(&mut self, error: &Error) {
        self.problem.get_or_insert_with(|| error.to_string());
    }

    fn tally(&mut self, cpu: CpuId, frequency: Hertz) {
        let new = Tally { samples: 0, sum: 0.0, least: frequency, most: frequency };
        let tally = self.seen.entry(cpu).or_insert(new);
        tally.samples += 1;
        tally.sum += frequency.0 as f64;
        tally.least = tally.least.min(frequency);
        tally.most = tally.most.max(frequency);
    }
}

impl Tally {
    fn told((cpu, tally): (&CpuId, &Tally)) -> CpuFrequency {
        let Tally { samples, sum, least, most } = *tally;
        let mean = Hertz((sum / samples as f64).round() as u64).clamp(least, most);
        CpuFrequency { cpu: *cpu, samples, mean, least, most }
    }
}

fn find_source(roots: &Roots, working: &BTreeSet<CpuId>) -> Source {
    if working.iter().any(|cpu| frequency::has_cpufreq(roots, *cpu)) {
        return Source::Files;
    }
    match frequency::counts_cycles(roots) {
        Ok(true) => Source::CpuInfo,
        Ok(false) => Source::Nowhere(format!("{NO_CPUFREQ}, and {NOT_COUNTED}")),
        Err(error) => Source::Nowhere(error.to_string()),
    }
}

/// How the frequency of this host's CPUs is set.
pub(crate) fn facts(roots: &Roots) -> Reading<FrequencyFacts> {
    let policies = frequency::policies(roots);
    if policies.is_empty() {
        return Reading::unavailable(NO_CPUFREQ);
    }
    let policy = |policy: frequency::Policy| FrequencyPolicy {
        cpus: policy.cpus,
        driver: policy.driver.into(),
        governor: policy.governor.into(),
        preference: policy.preference.into(),
        least: policy.least.into(),
        most: policy.most.into(),
        hardware_most: policy.hardware_most.into(),
        base: policy.base.into(),
    };
    let counted = |counts: bool| if counts { FrequencySource::Counted } else { FrequencySource::Requested };
    Reading::Measured(FrequencyFacts {
        policies: policies.into_iter().map(policy).collect(),
        boost: frequency::boost(roots).into(),
        source: frequency::counts_cycles(roots).map(counted).into(),
    })
}
