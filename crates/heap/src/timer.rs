//! Samples of threads by their own processor time, for where the kernel gives no events of performance: a timer for each thread, and a
//! signal handler that writes down where it was interrupted.
//!
//! Timers of the clock on the wall interrupt blocking calls (EINTR); those of processor time stand still while a thread waits.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

use numawise_guest::cpu;
use numawise_guest::python::Asked;
use numawise_guest::system::SavedErrno;
use numawise_wire::heap::{Flag, SAMPLE_STACK, Sample};

use crate::local::local;
use crate::{log, python, readable, ring, signal};

/// The signal; 0: none was free.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// 1 + the key whose destructor takes the timer of a thread that ends.
static KEY: AtomicU32 = AtomicU32::new(0);

/// Timers at one time; threads beyond go without.
const TIMERS: usize = 4096;
/// 1 + the kernel's number of each timer; 0: a free place.
static MADE: [AtomicU32; TIMERS] = [const { AtomicU32::new(0) }; TIMERS];

/// Takes a signal, while the process has one thread.
pub fn prepare() {
    cpu::look();
    let mut key = 0;
    // SAFETY: the key is written by the call, and the function is never unloaded.
    if unsafe { libc::pthread_key_create(&mut key, Some(ended)) } == 0 {
        KEY.store(key.wrapping_add(1), Relaxed);
    }
    SIGNAL.store(signal::take(taken).unwrap_or(0), Relaxed);
}

/// Begins with the first thread.
pub fn begin() {
    begin_thread();
    let flag = if local().timer.get() == 0 { Flag::NotTimed } else { Flag::Timed };
    log::log().into_iter().for_each(|log| log.set(flag));
}

/// In a child of fork: timers are not handed on.
pub fn begin_child() {
    local().timer.set(0);
    MADE.iter().for_each(|place| place.store(0, Relaxed));
    if log::settings().period > 0 {
        begin();
    }
}

/// What the C library's `struct sigevent` has where a thread is meant.
#[repr(C)]
struct Event {
    value: usize,
    signal: c_int,
    notify: c_int,
    thread: c_int,
    rest: [c_int; 11],
}
const SIGEV_THREAD_ID: c_int = 4;

/// Gives the calling thread its timer.
pub fn begin_thread() {
    let (local, signal) = (local(), SIGNAL.load(Relaxed));
    let period = log::settings().period;
    if signal == 0 || local.timer.get() != 0 || period == 0 || !log::is_begun() {
        return;
    }
    let thread = local.thread().cast_signed();
    let event = Event { value: 0, signal, notify: SIGEV_THREAD_ID, thread, rest: [0; 11] };
    let mut timer: c_int = 0;
    let clock = libc::CLOCK_THREAD_CPUTIME_ID;
    // SAFETY: the kernel reads a struct of this layout, and writes its number of the timer.
    if unsafe { libc::syscall(libc::SYS_timer_create, clock, &raw const event, &raw mut timer) } != 0 {
        return;
    }
    let number = timer.cast_unsigned().wrapping_add(1);
    let free = |place: &AtomicU32| place.compare_exchange(0, number, Relaxed, Relaxed).is_ok();
    let Some(place) = MADE.iter().position(free) else { return delete(number) };
    let nanoseconds = i64::try_from(period).unwrap_or(i64::MAX);
    let every = libc::timespec { tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000 };
    let times = libc::itimerspec { it_interval: every, it_value: every };
    let null = core::ptr::null_mut::<c_void>();
    // SAFETY: the timer was made just now; the kernel reads a live struct.
    unsafe { libc::syscall(libc::SYS_timer_settime, timer, 0, &raw const times, null) };
    local.timer.set(place as u32 + 1);
    if let Some(key) = KEY.load(Relaxed).checked_sub(1) {
        // SAFETY: the key was made; the value is not looked at, but must not be null.
        unsafe { libc::pthread_setspecific(key, core::ptr::from_ref(local).cast()) };
    }
}

/// Ends the samples of the calling thread: run by the C library at the end of a thread, also of one that is cancelled, and where the
/// program takes the signal for itself.
unsafe extern "C" fn ended(_: *mut c_void) {
    let _errno = SavedErrno::new();
    end_thread();
}

fn end_thread() {
    if let Some(place) = local().timer.replace(0).checked_sub(1)
        && let Some(made) = MADE.get(place as usize)
    {
        delete(made.swap(0, Relaxed));
    }
}

/// Takes a timer away, by 1 + its number.
fn delete(number: u32) {
    if let Some(timer) = number.checked_sub(1) {
        // SAFETY: a timer of this process, by its number.
        unsafe { libc::syscall(libc::SYS_timer_delete, timer) };
    }
}

/// Whether a signal is that of the samples.
pub fn is_signal(signal: usize) -> bool {
    signal != 0 && SIGNAL.load(Relaxed) as usize == signal
}

/// Ends all samples, and leaves the signal as it was; not in a child of vfork, which has signals for itself and its parent's memory.
pub fn give_signal_back() {
    if let Some(log) = log::log()
        && log.is_ours()
    {
        stop();
        log.set(Flag::SignalTaken);
    }
}

/// Ends all samples, and leaves the signal as it was.
pub fn stop() {
    let signal = SIGNAL.swap(0, Relaxed);
    if signal != 0 {
        MADE.iter().for_each(|made| delete(made.swap(0, Relaxed)));
        signal::give_back(signal);
    }
}

/// Begins anew with the calling thread, and with those that it makes: a sandbox was refused.
pub fn resume() {
    if log::settings().period > 0 && SIGNAL.load(Relaxed) == 0 {
        SIGNAL.store(signal::take(taken).unwrap_or(0), Relaxed);
        local().timer.set(0);
        begin_thread();
    }
}

/// The handler.
unsafe extern "C" fn taken(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    const SI_TIMER: c_int = -2;
    let _errno = SavedErrno::new();
    // SAFETY: the kernel gives both to a handler that asks for them.
    let (info, context) = unsafe { (&*info, &*context.cast::<libc::ucontext_t>()) };
    if info.si_code != SI_TIMER || !log::is_begun() {
        return;
    }
    if let Some(log) = log::log() {
        let (at, thread) = (log::now(), local().thread());
        let python = python::number(&log, local(), Asked::InSignal).map_or(0, |number| number + 1);
        ring::write_sample(&log, |sample| {
            sample.time.store(at, Relaxed);
            sample.thread.store(thread, Relaxed);
            sample.cpu.store(cpu::current().map_or(0, |cpu| cpu + 1), Relaxed);
            sample.faults.store(faults(), Relaxed);
            sample.python.store(python, Relaxed);
            registers(sample, context);
            copy_stack(sample);
        });
    }
}

/// Page faults of the calling thread so far; 0 where the kernel does not say.
fn faults() -> u32 {
    let mut usage = core::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel writes a struct of this layout; the call may be made in a handler of signals.
    unsafe { libc::syscall(libc::SYS_getrusage, libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    // SAFETY: zeros are a value of it.
    unsafe { usage.assume_init() }.ru_minflt as u32
}

fn copy_stack(sample: &Sample) {
    let sp = sample.sp.load(Relaxed) as usize;
    let bytes = readable::from(sp, SAMPLE_STACK, 0) & !7;
    let begin = core::ptr::with_exposed_provenance::<u64>(sp);
    for (k, place) in sample.stack.iter().take(bytes / 8).enumerate() {
        // SAFETY: so many bytes can be read; the thread itself, whose stack it is, is here.
        place.store(unsafe { begin.add(k).read_unaligned() }, Relaxed);
    }
    sample.stack_bytes.store(bytes as u32, Relaxed);
}

#[cfg(target_arch = "x86_64")]
fn registers(sample: &Sample, context: &libc::ucontext_t) {
    // In the order of their numbers in instructions.
    const ORDER: [c_int; 16] = [
        libc::REG_RAX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RBX,
        libc::REG_RSP,
        libc::REG_RBP,
        libc::REG_RSI,
        libc::REG_RDI,
        libc::REG_R8,
        libc::REG_R9,
        libc::REG_R10,
        libc::REG_R11,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
    ];
    let of = |register: c_int| {
        context.uc_mcontext.gregs.get(register as usize).copied().unwrap_or_default().cast_unsigned()
    };
    sample.ip.store(of(libc::REG_RIP), Relaxed);
    sample.sp.store(of(libc::REG_RSP), Relaxed);
    sample.registers.iter().zip(ORDER).for_each(|(place, register)| place.store(of(register), Relaxed));
}

#[cfg(target_arch = "aarch64")]
fn registers(sample: &Sample, context: &libc::ucontext_t) {
    let machine = &context.uc_mcontext;
    sample.ip.store(machine.pc, Relaxed);
    sample.sp.store(machine.sp, Relaxed);
    sample.registers.iter().zip(machine.regs).for_each(|(place, register)| place.store(register, Relaxed));
}
