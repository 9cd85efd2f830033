//! Sampling of the programs that this thread starts: by the clock of each CPU, and at their page faults.
//!
//! Events are opened for the calling thread and what it starts, one for each CPU, and begin with an exec: the thread itself is never
//! sampled, the program and all of its threads and processes are. Nothing is put into the program, and it gets no signal.

mod aux;
mod loads;
mod ticks;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use numawise_units::Nanoseconds;

use super::pages::page_size;
use super::pipe;
use crate::samples::{REGISTERS, SAMPLE_TYPE};
use aux::AuxRing;

#[cfg(test)]
#[path = "sampler_tests.rs"]
mod tests;

/// How a program is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplerSettings {
    /// CPU time of a thread from one sample to the next.
    pub period: Nanoseconds,
    /// Page faults from one sample to the next: the first is in force until [`Sampler::sample_faults_by`] says otherwise. Empty where
    /// faults are not sampled.
    pub faults: &'static [u64],
    /// Bytes of the stack that go with each sample, a multiple of 8.
    pub stack: u32,
    /// Begins with the next exec of what the thread starts; else at once, for the thread itself.
    pub begins_with_exec: bool,
}

/// Why the kernel does not let us sample.
#[derive(Debug, thiserror::Error)]
pub enum SamplerObstacle {
    /// What the kernel answered when the event of a CPU was opened.
    #[error("perf_event_open: {0}")]
    Open(io::Error),
    /// A ring could not be had, however small.
    #[error("mapping the ring of perf_event_open: {0}")]
    Map(io::Error),
    #[error("no CPU is online")]
    NoCpu,
}

/// Rings that fill.
#[derive(Debug)]
pub struct Sampler {
    rings: Vec<Ring>,
    /// Of accesses that processors write down themselves.
    aux: Vec<AuxRing>,
    faults: Vec<FaultEvent>,
    /// Open as long as it samples.
    _events: Vec<File>,
}

/// Samples page faults of a CPU.
#[derive(Debug)]
struct FaultEvent {
    event: File,
    number: u64,
    period: u64,
}

/// struct perf_event_attr as of PERF_ATTR_SIZE_VER5, Linux 4.1.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    config1: u64,
    config2: u64,
    branches: u64,
    registers: u64,
    stack: u32,
    clock: i32,
    interrupted_registers: u64,
    aux_watermark: u32,
    most_callers: u16,
    reserved: u16,
}

const _: () = assert!(size_of::<Attributes>() == 112, "PERF_ATTR_SIZE_VER5");

const SOFTWARE: u32 = 1;
const CPU_CLOCK: u64 = 0;
const MINOR_FAULTS: u64 = 5;

const DISABLED: u64 = 1;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const MAPPINGS: u64 = 1 << 8;
const NAMES: u64 = 1 << 9;
const ENABLE_ON_EXEC: u64 = 1 << 12;
const TASKS: u64 = 1 << 13;
const WATERMARK: u64 = 1 << 14;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const MAPPINGS2: u64 = 1 << 23;
const NAME_OF_EXEC: u64 = 1 << 24;
const USE_CLOCK: u64 = 1 << 25;

/// PERF_EVENT_IOC_SET_OUTPUT and PERF_EVENT_IOC_ID, from linux/perf_event.h.
const SET_OUTPUT: libc::c_ulong = 0x2405;
const ID: libc::c_ulong = 0x8008_2407;
/// PERF_EVENT_IOC_ENABLE and PERF_EVENT_IOC_DISABLE, of the event and of what inherited it.
const ENABLE: libc::c_ulong = 0x2400;
const DISABLE: libc::c_ulong = 0x2401;

/// Pages of a ring: with its first page as much as users without privileges have for each CPU (perf_event_mlock_kb: 516).
const RING_PAGES: usize = 128;
/// Bytes in the ring of a CPU from which on whoever waits is woken, at most all of the ring: a quarter of it. At 700,000 page faults a second, each 31st
/// of them sampled with 1.3 KB, they are there after 4 ms, and the rest holds 13 ms more.
const FULL_ENOUGH: u32 = 128 << 10;
/// Of all rings together, so that a machine of many CPUs does not lose more than this.
const ALL_RINGS: usize = 48 << 20;

impl Sampler {
    /// Opens the events, for the thread that calls it and starts the program.
    ///
    /// # Errors
    /// [`SamplerObstacle`].
    #[doc(alias = "perf_event_open")]
    pub fn open(settings: &SamplerSettings) -> Result<Sampler, SamplerObstacle> {
        let mut sampler =
            Sampler { rings: Vec::new(), aux: Vec::new(), faults: Vec::new(), _events: Vec::new() };
        // SAFETY: sysconf reads a number of the system.
        let cpus = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) }.clamp(1, 1 << 16) as usize;
        let page = page_size().0 as usize;
        let mut pages = RING_PAGES;
        while pages > 1 && pages * page * cpus > ALL_RINGS {
            pages /= 2;
        }
        for cpu in 0..cpus {
            let open = |attributes: &Attributes| open(attributes, cpu, Whose::ThisThread, None);
            let begin = if settings.begins_with_exec { Begin::WithExec } else { Begin::Now };
            let clock = match open(&attributes(settings, CPU_CLOCK, settings.period.0, begin)) {
                Ok(event) => event,
                // Not online.
                Err(error) if error.raw_os_error() == Some(libc::ENODEV) => continue,
                Err(error) => return Err(SamplerObstacle::Open(error)),
            };
            let ring = Ring::map(clock, cpu, &mut pages).map_err(SamplerObstacle::Map)?;
            for (which, period) in settings.faults.iter().enumerate() {
                let begin = if which == 0 { begin } else { Begin::WhenTold };
                let event = open(&attributes(settings, MINOR_FAULTS, *period, begin))
                    .map_err(SamplerObstacle::Open)?;
                // SAFETY: both are events of ours.
                let output = unsafe { libc::ioctl(event.as_raw_fd(), SET_OUTPUT, ring.event.as_raw_fd()) };
                super::checked(output).map_err(SamplerObstacle::Map)?;
                let number = number(&event).map_err(SamplerObstacle::Open)?;
                sampler.faults.push(FaultEvent { event, number, period: *period });
            }
            sampler.rings.push(ring);
        }
        if sampler.rings.is_empty() { Err(SamplerObstacle::NoCpu) } else { Ok(sampler) }
    }

    /// Waits until the ring of a CPU has [a quarter](FULL_ENOUGH) of what it holds, the other end of `end` is closed, or the time is over.
    pub fn wait(&self, end: BorrowedFd<'_>, at_most: Duration) {
        let rings = self.rings.iter().map(|ring| pipe::of(ring.event.as_fd(), libc::POLLIN));
        let mut all: Vec<libc::pollfd> = [pipe::of(end, 0)].into_iter().chain(rings).collect();
        let waited = pipe::wait(&mut all, at_most);
        // An event that is no more would say so at once, each time.
        if !waited || all.iter().skip(1).any(pipe::is_closed) {
            std::thread::sleep(at_most);
        }
    }

    /// Samples page faults by that one of the settings' periods from now on, also in what runs. The thread that opened the events is sampled
    /// too from the first such change on.
    pub fn sample_faults_by(&self, period: u64) {
        // Both are sampled for a moment: each sample stands for its own period.
        for (is, request) in [(true, ENABLE), (false, DISABLE)] {
            for of in self.faults.iter().filter(|of| (of.period == period) == is) {
                // SAFETY: an event of ours, and a request without a value. It fails where the event is in a state of error, and samples nothing then.
                unsafe { libc::ioctl(of.event.as_raw_fd(), request, 0) };
            }
        }
    }

    /// Of the events whose samples are page faults, by their numbers, the page faults from one sample to the next.
    pub fn fault_periods(&self) -> BTreeMap<u64, u64> {
        self.faults.iter().map(|of| (of.number, of.period)).collect()
    }

    /// Hands over all records that are there, ring by ring; those of one ring are in the order of time, nearly.
    pub fn drain(&mut self, mut each: impl FnMut(&[u8])) {
        for ring in &mut self.rings {
            ring.drain(&mut each);
        }
        for ring in &mut self.aux {
            ring.drain(&mut each);
        }
    }
}

/// When an event begins to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// With the next exec of what this thread starts.
    WithExec,
    /// At once, this thread and what it starts.
    Now,
    /// At once, all that runs on a CPU.
    OfCpu,
    WhenTold,
}

impl Begin {
    fn flags(self) -> u64 {
        match self {
            Begin::WithExec => INHERIT | DISABLED | ENABLE_ON_EXEC,
            Begin::Now => INHERIT,
            Begin::OfCpu => 0,
            Begin::WhenTold => INHERIT | DISABLED,
        }
    }
}

fn attributes(settings: &SamplerSettings, config: u64, period: u64, begin: Begin) -> Attributes {
    let mut flags = EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR | SAMPLE_ID_ALL | USE_CLOCK | WATERMARK;
    flags |= begin.flags();
    if config == CPU_CLOCK {
        flags |= MAPPINGS | MAPPINGS2 | NAMES | NAME_OF_EXEC | TASKS;
    }
    Attributes {
        sample_period: period.max(1),
        sample_type: SAMPLE_TYPE,
        flags,
        stack: settings.stack,
        ..Attributes::new(SOFTWARE, config)
    }
}

impl Attributes {
    /// Of an event without samples.
    fn new(kind: u32, config: u64) -> Attributes {
        Attributes {
            kind,
            size: size_of::<Attributes>() as u32,
            config,
            sample_period: 0,
            sample_type: 0,
            read_format: 0,
            flags: 0,
            wakeup: FULL_ENOUGH,
            breakpoint: 0,
            config1: 0,
            config2: 0,
            branches: 0,
            registers: REGISTERS,
            stack: 0,
            clock: libc::CLOCK_MONOTONIC,
            interrupted_registers: 0,
            aux_watermark: 0,
            most_callers: 0,
            reserved: 0,
        }
    }
}

/// What an event is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The thread that opens it, and what it starts.
    ThisThread,
    /// All that runs on the CPU.
    AllOfCpu,
}

/// `group`: the event that leads its group, where it is not alone.
fn open(
    attributes: &Attributes,
    cpu: usize,
    whose: Whose,
    group: Option<BorrowedFd<'_>>,
) -> io::Result<File> {
    const FD_CLOEXEC: libc::c_ulong = 8;
    let process = match whose {
        Whose::ThisThread => 0,
        Whose::AllOfCpu => -1,
    };
    let group = group.map_or(-1, |group| group.as_raw_fd());
    // SAFETY: the kernel reads as many bytes of the live struct as its size says.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const *attributes,
            process,
            cpu as libc::c_int,
            group,
            FD_CLOEXEC,
        )
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) }.into())
}

fn number(event: &File) -> io::Result<u64> {
    let mut number = 0u64;
    // SAFETY: the kernel writes one word.
    super::checked(unsafe { libc::ioctl(event.as_raw_fd(), ID, &raw mut number) })?;
    Ok(number)
}

/// The ring of one CPU, which the kernel fills and we empty.
#[derive(Debug)]
struct Ring {
    /// What fills it; open as long as it samples.
    event: File,
    cpu: usize,
    mapping: *mut u8,
    page: usize,
    /// Bytes of the data behind the first page, a power of two.
    bytes: usize,
    /// A record that goes over the end of the ring, in one piece.
    piece: Vec<u8>,
}

// SAFETY: the mapping is used by one at a time, as all that reads it takes `&mut self`.
unsafe impl Send for Ring {}

/// Where data_head and data_tail lie in struct perf_event_mmap_page.
const HEAD: usize = 1024;
const TAIL: usize = 1032;

impl Ring {
    /// Maps as many pages as we are allowed to, at most `pages`, which then is that many.
    fn map(event: File, cpu: usize, pages: &mut usize) -> io::Result<Ring> {
        let page = page_size().0 as usize;
        loop {
            let length = (*pages + 1) * page;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping, which nobody else knows.
            let mapping = unsafe {
                libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, event.as_raw_fd(), 0)
            };
            if mapping != libc::MAP_FAILED {
                let mapping = mapping.cast();
                return Ok(Ring { event, cpu, mapping, page, bytes: *pages * page, piece: Vec::new() });
            }
            let error = io::Error::last_os_error();
            if *pages == 1 || !matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOMEM)) {
                return Err(error);
            }
            *pages /= 2;
        }
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the word lies in the first page, aligned, and the kernel uses it as an atomic too.
        unsafe { AtomicU64::from_ptr(self.mapping.add(at).cast()) }
    }

    fn drain(&mut self, each: &mut impl FnMut(&[u8])) {
        let head = self.word(HEAD).load(Ordering::Acquire);
        let mut tail = self.word(TAIL).load(Ordering::Relaxed);
        while tail < head {
            let Some(length) = self.length_at(tail).filter(|length| tail + *length as u64 <= head) else {
                // It is not as the kernel writes it: what is left is passed over.
                tail = head;
                break;
            };
            self.copy(tail, length);
            each(&self.piece);
            tail += length as u64;
        }
        self.word(TAIL).store(tail, Ordering::Release);
    }

    /// The last two bytes of the header of eight, which never goes over the end of the ring.
    fn length_at(&mut self, tail: u64) -> Option<usize> {
        self.copy(tail, 8);
        let length = usize::from(u16::from_ne_bytes([self.piece[6], self.piece[7]]));
        (length >= 8 && length <= self.bytes).then_some(length)
    }

    fn copy(&mut self, from: u64, length: usize) {
        let at = (from % self.bytes as u64) as usize;
        let first = length.min(self.bytes - at);
        self.piece.clear();
        for (at, length) in [(at, first), (0, length - first)] {
            // SAFETY: the range lies in the data of the ring, and the kernel does not write there until the tail has passed it.
            let part = unsafe { std::slice::from_raw_parts(self.mapping.add(self.page + at), length) };
            self.piece.extend_from_slice(part);
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing refers to it any more.
        unsafe { libc::munmap(self.mapping.cast(), self.page + self.bytes) };
    }
}
