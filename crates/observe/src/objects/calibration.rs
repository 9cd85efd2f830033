//! Where the clock's interrupts are taken on this processor, and what a sample costs: measured on this thread before a program is watched.
//!
//! The loop chases pointers through memory that the second cache does not hold, so that each pass waits for its load. An interrupt
//! that is taken while the load is waited for is noted at the instruction after it on processors, and at the head of the loop under
//! emulation: then what a sample says of memory is not to be believed.

use std::io;
use std::time::{Duration, Instant};

use numawise_facts::Reading;
use numawise_facts::objects::Skid;
use numawise_linux::calls::clock;
use numawise_linux::calls::interrupts::interrupts;
use numawise_linux::calls::pages::{self, page_size};
use numawise_linux::calls::sampler::{Sampler, SamplerObstacle, SamplerSettings};
use numawise_linux::samples::{Record, Sample};
use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;

/// What is known of samples on this processor.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    pub skid: Skid,
    /// CPU time that one sample of the clock takes from the thread.
    pub time_sample: Reading<Nanoseconds>,
    /// The same of a page fault that is sampled, besides what the fault itself takes.
    pub fault_sample: Reading<Nanoseconds>,
}

/// Cache lines that are chased through: 8 MiB, more than the second caches of today's processors have for one core (4 MiB at most), and
/// quickly made.
const LINES: usize = 131_072;
const LINE_BYTES: usize = 64;
/// How long is sampled, and how often: 400 samples, of which a share of 0.8 has an interval of 4 points on each side.
const CHASED: Duration = Duration::from_millis(40);
const SPUN: Duration = Duration::from_millis(20);
const PERIOD: Nanoseconds = Nanoseconds(100_000);

/// Measures it, which takes 0.1 s.
///
/// # Errors
/// Where the kernel does not let us sample.
pub fn calibrate(stack: u32) -> Result<Calibration, SamplerObstacle> {
    let chase = Chase::new();
    let settings = SamplerSettings { period: PERIOD, faults: &[], stack, begins_with_exec: false };
    let mut sampler = Sampler::open(&settings)?;
    let code = chase.run(CHASED);
    let mut skid = Skid::default();
    each_sample(&mut sampler, |sample| skid.add(sample.ip, &code));
    let gaps = gaps(SPUN);
    let mut samples = 0;
    each_sample(&mut sampler, |_| samples += 1);
    drop(sampler);
    Ok(Calibration { skid, time_sample: cost(gaps, samples), fault_sample: fault_cost(stack)? })
}

/// By the time of each of some page faults, of which one in 16 is sampled.
fn fault_cost(stack: u32) -> Result<Reading<Nanoseconds>, SamplerObstacle> {
    const PAGES: usize = 1024;
    const FAULTS: u64 = 16;
    /// The first time the host of a virtual machine may have to find memory too.
    const ROUNDS: usize = 3;
    const NEVER: Nanoseconds = Nanoseconds(1_000_000_000);
    let settings = SamplerSettings { period: NEVER, faults: &[FAULTS], stack, begins_with_exec: false };
    let mut sampler = Sampler::open(&settings)?;
    let mut found = Reading::unavailable("no memory was to be had for it");
    for _ in 0..ROUNDS {
        let Ok(mut times) = touched(PAGES) else { break };
        times.sort_by(|one, other| other.cmp(one));
        let mut samples = 0;
        each_sample(&mut sampler, |_| samples += 1);
        let plain = times[PAGES / 2];
        found = cost(times, samples).map(|sampled| sampled.saturating_sub(plain));
    }
    Ok(found)
}

/// What the first access to each of so many new pages took.
fn touched(pages: usize) -> io::Result<Vec<Nanoseconds>> {
    let page = page_size().0 as usize;
    let memory = NewPages::map(pages * page)?;
    let time = |number: usize| {
        let begin = Instant::now();
        memory.touch(number * page);
        begin.elapsed().into()
    };
    Ok((0..pages).map(time).collect())
}

/// Memory that has no pages yet, and no huge ones.
struct NewPages {
    begin: *mut u8,
    bytes: usize,
}

impl NewPages {
    fn map(bytes: usize) -> io::Result<NewPages> {
        let begin = pages::map(bytes, false)?;
        // A kernel without huge pages gives none.
        // SAFETY: the range is the whole of that mapping.
        let _ = unsafe { pages::advise_huge(begin, bytes, false) };
        Ok(NewPages { begin, bytes })
    }

    fn touch(&self, at: usize) {
        assert!(at < self.bytes);
        // SAFETY: it lies in the mapping, which nobody else knows.
        unsafe { self.begin.add(at).write_volatile(1) };
    }
}

impl Drop for NewPages {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing refers to it any more.
        unsafe { pages::unmap(self.begin, self.bytes) };
    }
}

/// The same for timers of the threads' own CPU time, of which the kernel takes at most one a tick (250 a second with Debian's kernel).
///
/// # Errors
/// Where the kernel gives no timer.
pub fn calibrate_timers() -> io::Result<Calibration> {
    /// 60 ticks of 4 ms, of which others may have some, and half as many for the cost.
    const CHASED: Duration = Duration::from_millis(240);
    const SPUN: Duration = Duration::from_millis(120);
    const PERIOD: Nanoseconds = Nanoseconds(1_000_000);
    let chase = Chase::new();
    let mut code = chase.code();
    let ips = interrupts(PERIOD, || code = chase.run(CHASED))?;
    let mut skid = Skid::default();
    ips.into_iter().for_each(|ip| skid.add(ip, &code));
    let mut longest = Vec::new();
    let samples = interrupts(PERIOD, || longest = gaps(SPUN))?.len();
    let fault_sample = Reading::unavailable("page faults are not sampled by timers");
    Ok(Calibration { skid, time_sample: cost(longest, samples), fault_sample })
}

fn each_sample(sampler: &mut Sampler, mut each: impl FnMut(&Sample<'_>)) {
    sampler.drain(|bytes| {
        if let Some((_, Record::Sample(sample))) = Record::parse(bytes) {
            each(&sample);
        }
    });
}

/// So much CPU time of this thread, half of it where others need the CPU too; ranks of a job that begin together may have one for several.
struct OwnTurn {
    length: Duration,
    begin: Instant,
    used: Nanoseconds,
}

impl OwnTurn {
    /// So many times its length by the clock at most.
    const LONGEST: u32 = 10;

    fn begin(length: Duration) -> OwnTurn {
        OwnTurn { length, begin: Instant::now(), used: clock::thread_cpu_time() }
    }

    fn is_over(&self) -> bool {
        let (elapsed, half) = (self.begin.elapsed(), Nanoseconds::from(self.length / 2));
        elapsed >= self.length
            && (clock::thread_cpu_time().saturating_sub(self.used) >= half
                || elapsed >= self.length * OwnTurn::LONGEST)
    }
}

/// Times for which a loop that does nothing else stood still, the longest first: the interrupts among others.
fn gaps(length: Duration) -> Vec<Nanoseconds> {
    /// A reading of the clock takes 20 to 50 ns, an interrupt more than this.
    const LEAST: Duration = Duration::from_nanos(300);
    let turn = OwnTurn::begin(length);
    let (mut begin, mut gaps) = (Instant::now(), Vec::new());
    let mut last = begin;
    loop {
        let now = Instant::now();
        if now - last > LEAST {
            gaps.push(Nanoseconds((now - last).as_nanos() as u64));
        }
        last = now;
        // Not after each reading: the call would be a gap.
        if now - begin > length {
            if turn.is_over() {
                break;
            }
            last = Instant::now();
            begin = last;
        }
    }
    gaps.sort_by(|one, other| other.cmp(one));
    gaps
}

/// One of the shorter of as many of the longest gaps as there were samples: among the longest are those in which another process ran.
fn cost(gaps: Vec<Nanoseconds>, samples: usize) -> Reading<Nanoseconds> {
    const LEAST: usize = 8;
    let of_samples = &gaps[..samples.min(gaps.len())];
    match of_samples.get(of_samples.len() * 3 / 4) {
        Some(gap) if samples >= LEAST => Reading::Measured(*gap),
        _ => Reading::unavailable("too few samples were taken before the program began"),
    }
}

/// Where the instructions of the loop lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ChaseCode {
    load: u64,
    after_load: u64,
    end: u64,
}

trait CountSample {
    fn add(&mut self, ip: u64, code: &ChaseCode);
}

impl CountSample for Skid {
    fn add(&mut self, ip: u64, code: &ChaseCode) {
        self.samples += u64::from((code.load..code.end).contains(&ip));
        self.one_after += u64::from(ip == code.after_load);
    }
}

/// Memory of which each line has the place of another, in one circle.
struct Chase {
    memory: Vec<u64>,
}

impl Chase {
    fn new() -> Chase {
        const WORDS: usize = LINE_BYTES / 8;
        let mut memory = vec![0u64; LINES * WORDS];
        // One circle through all lines: a linear congruential generator of full period (D. E. Knuth, The Art of Computer Programming 2,
        // 3.2.1.2: increment odd, multiplier 1 modulo 4).
        let mut line = 0usize;
        for _ in 0..LINES {
            let next = (line.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)) % LINES;
            memory[line * WORDS] = (next * LINE_BYTES) as u64;
            line = next;
        }
        Chase { memory }
    }

    fn code(&self) -> ChaseCode {
        self.pass(0, 1).1
    }

    /// For so long.
    fn run(&self, length: Duration) -> ChaseCode {
        let (turn, mut at, mut code) = (OwnTurn::begin(length), 0, self.code());
        while !turn.is_over() {
            (at, code) = self.pass(at, 2_000);
        }
        std::hint::black_box(at);
        code
    }

    /// So many loads from a place on; where it came to, and where the loop lies.
    fn pass(&self, from: u64, loads: u64) -> (u64, ChaseCode) {
        let (mut at, mut left) = (from, loads);
        let (load, after_load, end): (u64, u64, u64);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: each place lies in the memory, by how it was made.
        unsafe {
            std::arch::asm!(
                "lea {load}, [rip + 2f]",
                "lea {after}, [rip + 3f]",
                "lea {end}, [rip + 4f]",
                "2:",
                "mov {at}, qword ptr [{base} + {at}]",
                "3:",
                "lea {spare}, [{left} + 1]",
                "lea {spare}, [{left} + 2]",
                "sub {left}, 1",
                "jnz 2b",
                "4:",
                load = out(reg) load,
                after = out(reg) after_load,
                end = out(reg) end,
                at = inout(reg) at,
                base = in(reg) self.memory.as_ptr(),
                left = inout(reg) left,
                spare = out(reg) _,
                options(nostack, readonly),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "adr {load}, 2f",
                "adr {after}, 3f",
                "adr {end}, 4f",
                "2:",
                "ldr {at}, [{base}, {at}]",
                "3:",
                "add {spare}, {left}, #1",
                "add {spare}, {left}, #2",
                "subs {left}, {left}, #1",
                "b.ne 2b",
                "4:",
                load = out(reg) load,
                after = out(reg) after_load,
                end = out(reg) end,
                at = inout(reg) at,
                base = in(reg) self.memory.as_ptr(),
                left = inout(reg) left,
                spare = out(reg) _,
                options(nostack, readonly),
            );
        }
        std::hint::black_box(left);
        (at, ChaseCode { load, after_load, end })
    }
}
