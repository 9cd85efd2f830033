//! Where a timer of a thread's own CPU time interrupts it: the addresses of instructions, taken by a handler of a signal.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use numawise_units::Nanoseconds;

use super::checked;

#[cfg(test)]
#[path = "interrupts_tests.rs"]
mod tests;

/// The most that is kept.
const MOST: usize = 4096;
static TAKEN: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// One at a time uses the two above, and the signal.
static BUSY: Mutex<()> = Mutex::new(());

extern "C" fn interrupted(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands a handler with SA_SIGINFO the context of the thread.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    #[cfg(target_arch = "x86_64")]
    let ip = context.uc_mcontext.gregs[libc::REG_RIP as usize] as u64;
    #[cfg(target_arch = "aarch64")]
    let ip = context.uc_mcontext.pc;
    let at = COUNT.fetch_add(1, Ordering::Relaxed);
    if let Some(place) = TAKEN.get(at) {
        place.store(ip, Ordering::Relaxed);
    }
}

/// Runs `work` in this thread and interrupts it after each `period` of its CPU time; the addresses of the instructions that came next.
///
/// # Errors
/// Where the kernel gives no timer.
#[doc(alias = "timer_create")]
pub fn interrupts(period: Nanoseconds, work: impl FnOnce()) -> io::Result<Vec<u64>> {
    let _one = BUSY.lock();
    COUNT.store(0, Ordering::Relaxed);
    let signal = libc::SIGRTMIN() + 4;
    // SAFETY: zeros are values of the structs, which are filled before they are used; the handler does what a handler may, and the old one
    // is put back before the timer's last signal could come, as the timer is gone by then.
    unsafe {
        let mut new: libc::sigaction = std::mem::zeroed();
        let mut old: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = interrupted as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        checked(libc::sigaction(signal, &raw const new, &raw mut old))?;
        let mut set: libc::sigset_t = std::mem::zeroed();
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, &raw mut mask);
        let timed = timed(signal, period, work);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, std::ptr::null_mut());
        libc::sigaction(signal, &raw const old, std::ptr::null_mut());
        timed?;
    }
    let count = COUNT.load(Ordering::Relaxed).min(MOST);
    Ok(TAKEN[..count].iter().map(|ip| ip.load(Ordering::Relaxed)).collect())
}

fn timed(signal: libc::c_int, period: Nanoseconds, work: impl FnOnce()) -> io::Result<()> {
    let part = libc::timespec {
        tv_sec: (period.0 / 1_000_000_000) as libc::time_t,
        tv_nsec: (period.0 % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: as in the caller; the timer is this thread's, and is deleted here.
    unsafe {
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = signal;
        event.sigev_notify_thread_id = libc::syscall(libc::SYS_gettid) as libc::c_int;
        let mut timer: libc::timer_t = std::mem::zeroed();
        checked(libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut event, &raw mut timer))?;
        let setting = libc::itimerspec { it_interval: part, it_value: part };
        let set = checked(libc::timer_settime(timer, 0, &raw const setting, std::ptr::null_mut()));
        if set.is_ok() {
            work();
        }
        libc::timer_delete(timer);
        set.map(drop)
    }
}
