//! What belongs to the process that is watched: its file, its begin, its forks ([`numawise_guest::process`]) and its end.

mod file;
mod modules;

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, Ordering::Relaxed};

use numawise_wire::snapshot::{
    CallSample, Communicator, FOLDER, Flag, Header, KERNEL_BYTES, Phase, RANKS, ThreadSlot, ranks,
};

use numawise_guest::system::SavedErrno;
use numawise_guest::{loaded, process};

use crate::{proc, sandbox, system, time};

static MAPPING: AtomicPtr<Header> = AtomicPtr::new(core::ptr::null_mut());
static THREADS: AtomicU32 = AtomicU32::new(0);
/// When the pair of clocks was last noted, in ticks.
static NOTED: AtomicU64 = AtomicU64::new(0);

/// The process's file.
pub struct Watched<'a> {
    pub header: &'a Header,
    /// Number of slots.
    pub threads: u32,
}

impl<'a> Watched<'a> {
    /// A slot that nobody had, by its number; it may not be touched before it is reserved.
    pub fn open_slot(&self, number: u32) -> Option<&'a ThreadSlot> {
        file::open_slot(self.header, number).then(|| self.slot(number)).flatten()
    }

    /// A slot that was opened.
    pub fn slot(&self, number: u32) -> Option<&'a ThreadSlot> {
        file::slot(self.header, self.threads, number)
    }
}

pub use file::{at_file, copy};
pub use modules::{note as note_module, note_source};
pub use numawise_guest::memory::reserve;
pub use numawise_guest::process::{begins, generation};

/// The process's file, where it is watched.
#[inline]
pub fn watched<'a>() -> Option<Watched<'a>> {
    if !process::is_watched() || generation() == 0 {
        process::restart_in_child(begin_child)?;
    }
    header().map(|header| Watched { header, threads: THREADS.load(Relaxed) })
}

/// The places of communicators in the file; `None` where there is no disk for them.
pub fn communicators<'a>() -> Option<&'a [Communicator]> {
    let all = file::communicators(header()?);
    let usable = HAS_COMMUNICATORS.load(Relaxed) || reserve(all.as_ptr().cast(), size_of_val(all));
    HAS_COMMUNICATORS.store(usable, Relaxed);
    usable.then_some(all)
}

/// The rows of phases in the file; `None` where there is no disk for them.
pub fn phases<'a>() -> Option<&'a [Phase]> {
    let all = file::phases(header()?);
    let usable = HAS_PHASES.load(Relaxed) || reserve(all.as_ptr().cast(), size_of_val(all));
    HAS_PHASES.store(usable, Relaxed);
    usable.then_some(all)
}

static HAS_COMMUNICATORS: AtomicBool = AtomicBool::new(false);
static HAS_PHASES: AtomicBool = AtomicBool::new(false);
static HAS_SAMPLES: AtomicBool = AtomicBool::new(false);

/// The places of calls that are drawn; `None` where there is no disk for them.
pub fn call_samples<'a>() -> Option<&'a [CallSample]> {
    let all = file::call_samples(header()?);
    let usable = HAS_SAMPLES.load(Relaxed) || reserve(all.as_ptr().cast(), size_of_val(all));
    HAS_SAMPLES.store(usable, Relaxed);
    usable.then_some(all)
}

/// The first page of the file, where there is one.
#[inline]
pub fn header<'a>() -> Option<&'a Header> {
    // SAFETY: null, or a mapping that stays as long as the process.
    unsafe { MAPPING.load(Relaxed).as_ref() }
}

/// Takes the right to begin, and where the files go, from the environment. False where the process is not to be watched.
pub fn prepare() -> bool {
    let folder = || if is_left_out() { None } else { system::variable(FOLDER) };
    if !process::prepare(folder) {
        return false;
    }
    time::choose();
    loaded::look_up();
    true
}

/// True for a rank that is not to be watched. The rank is that which the launcher tells: MPI knows it only when it has begun.
fn is_left_out() -> bool {
    system::variable(RANKS).is_some_and(|list| ranks::is_left_out(list, system::variable))
}

/// [`Flag::Streams`] and [`Flag::Sandbox`], which children of fork have too.
static LASTING: AtomicU32 = AtomicU32::new(0);

/// Sets a flag of this process and of its children to come.
pub fn note_for_good(flag: Flag) {
    LASTING.fetch_or(flag as u32, Relaxed);
    if let Some(header) = header() {
        header.flags.fetch_or(flag as u32, Relaxed);
    }
}

/// Makes the file, with these bits in [`Header::flags`].
pub fn start(flags: u32) {
    let made = file::create();
    process::begin_generation(time::now());
    let Some((header, threads)) = made else {
        MAPPING.store(core::ptr::null_mut(), Relaxed);
        process::switch_off();
        return;
    };
    // What the first one found out holds for its children.
    let lasting = flags & Flag::Streams as u32;
    header.flags.store(flags | LASTING.fetch_or(lasting, Relaxed), Relaxed);
    note_io_at_begin(header);
    THREADS.store(threads, Relaxed);
    MAPPING.store((&raw const *header).cast_mut(), Relaxed);
    NOTED.store(header.begin_ticks.load(Relaxed), Relaxed);
    process::begun();
}

/// To be called in a child of fork, in its only thread.
pub fn forked() {
    if process::is_inherited() {
        begin_child();
    }
}

fn begin_child() {
    if sandbox::is_quiet() {
        // It may have no file, and its parent's stays where it is: nobody comes to it from here.
        MAPPING.store(core::ptr::null_mut(), Relaxed);
        process::forgo_generation();
        process::switch_off();
        return;
    }
    sandbox::begin_child();
    if let Some(header) = header() {
        file::detach(header, THREADS.load(Relaxed));
    }
    MAPPING.store(core::ptr::null_mut(), Relaxed);
    NOTING.store(false, Relaxed);
    HAS_COMMUNICATORS.store(false, Relaxed);
    HAS_PHASES.store(false, Relaxed);
    HAS_SAMPLES.store(false, Relaxed);
    modules::begin_child();
    file::close_slots();
    ENDED.store(false, Relaxed);
    start(Flag::Forked as u32);
}

static NOTING: AtomicBool = AtomicBool::new(false);

/// Notes the time by both clocks, not more often than every ten milliseconds: a process that is killed has a time until which
/// it was seen, and the rate of the ticks.
#[inline]
pub fn note_time(now: u64) {
    if now.wrapping_sub(NOTED.load(Relaxed)).cast_signed() > time::ticks_in_ten_milliseconds().cast_signed() {
        note_time_now();
    }
}

#[cold]
pub fn note_time_now() {
    let Some(header) = header() else { return };
    if NOTING.swap(true, Ordering::Acquire) {
        return;
    }
    let _errno = SavedErrno::new();
    file::write_pair(header);
    let since = |now: &AtomicU64, then: &AtomicU64| now.load(Relaxed).saturating_sub(then.load(Relaxed));
    time::learn_rate(
        since(&header.last_ticks, &header.begin_ticks),
        since(&header.last_nanoseconds, &header.begin_nanoseconds),
    );
    NOTED.store(header.last_ticks.load(Relaxed), Relaxed);
    NOTING.store(false, Ordering::Release);
}

/// Sets a bit of the header.
pub fn set_flag(flag: Flag) {
    if let Some(header) = header() {
        header.flags.fetch_or(flag as u32, Relaxed);
    }
}

/// Notes what the kernel has accounted for reading and writing, before we read anything at the end ourselves.
pub fn note_io_at_end(header: &Header) {
    if let Some((numbers, _)) = proc::io() {
        put_io(&header.io_end, numbers);
    }
}

/// The same of the moment when the process begins to be watched.
fn note_io_at_begin(header: &Header) {
    if let Some((mut numbers, ours)) = proc::io() {
        if let Some(read) = numbers.first_mut() {
            *read = read.saturating_add(ours);
        }
        put_io(&header.io_begin, numbers);
    }
}

fn put_io(place: &[AtomicU64], numbers: [u64; KERNEL_BYTES]) {
    place.iter().zip(numbers).for_each(|(place, number)| place.store(number.saturating_add(1), Relaxed));
}

/// Notes what the kernel has accounted to the process, which ends.
pub fn note_surroundings(header: &Header) {
    if sandbox::is_quiet() {
        return;
    }
    proc::note_memory(header);
    // SAFETY: zeros are a value of the struct, and the kernel fills it.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    // SAFETY: as above.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } == 0 {
        let [voluntary, forced] = &header.switches;
        voluntary.store(usage.ru_nvcsw.cast_unsigned().saturating_add(1), Relaxed);
        forced.store(usage.ru_nivcsw.cast_unsigned().saturating_add(1), Relaxed);
    }
}

static ENDED: AtomicBool = AtomicBool::new(false);

/// The file of a process that ends now; `None` the second time, and in a child of vfork, which has its parent's memory. In a sandbox nobody may
/// ask who that is: the last one who says that it ends is believed.
pub fn ending<'a>() -> Option<&'a Header> {
    let header = header()?;
    if sandbox::is_quiet() {
        return (generation() != 0).then_some(header);
    }
    let ours = generation() != 0 && header.process.load(Relaxed) == system::process().cast_unsigned();
    (ours && !ENDED.swap(true, Relaxed)).then_some(header)
}
