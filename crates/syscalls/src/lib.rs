//! The system calls that place threads and their memory, on bare words: no allocation, no `std`, no panic.
//!
//! The agent calls them inside of the target, and `launch` between fork and exec. Everybody else uses the typed functions
//! of `numawise-linux`, whose part without `std` this is: a crate of its own, because a feature of `linux` would be
//! switched on for the agent as soon as one build holds both.
//!
//! Masks are 64-bit words, lowest indexes first, as the kernel has them. The C library's `cpu_set_t` ends at CPU 1023.

#![no_std]

use core::ffi::{c_int, c_long, c_ulong};
use core::ptr;

/// The most CPUs that a Linux kernel is built for (`CONFIG_NR_CPUS`).
pub const MOST_CPUS: usize = 8192;
/// Words of the largest mask that a kernel gives: nodes are fewer than CPUs (`MAX_NUMNODES` is at most 1024).
pub const MASK_WORDS: usize = MOST_CPUS / 64;

/// An error number of the kernel: `EPERM`, `EINVAL` and so on.
pub type Errno = c_int;

// Modes of set_mempolicy(2), from the kernel's include/uapi/linux/mempolicy.h; the libc crate lacks the newest.
pub const MPOL_DEFAULT: c_int = 0;
pub const MPOL_PREFERRED: c_int = 1;
pub const MPOL_BIND: c_int = 2;
pub const MPOL_INTERLEAVE: c_int = 3;
pub const MPOL_LOCAL: c_int = 4;
pub const MPOL_PREFERRED_MANY: c_int = 5;
pub const MPOL_WEIGHTED_INTERLEAVE: c_int = 6;
/// Goes with a mode: the kernel may move pages of this policy to where they are used, within its nodes.
pub const MPOL_F_NUMA_BALANCING: c_int = 1 << 13;
/// All flags that go with a mode (`MPOL_F_STATIC_NODES` and its like) stand in these bits.
pub const MPOL_MODE_FLAGS: c_int = 0b111 << 13;

/// Asks `get_mempolicy` for the node of the next interleaved page.
pub const MPOL_F_NODE: c_ulong = 1;
/// get_mempolicy(2) of an address.
const MPOL_F_ADDR: c_ulong = 2;
/// mbind(2): pages that are there must follow the policy.
pub const MPOL_MF_STRICT: c_ulong = 1;
/// mbind(2): pages that are there, and no other process has, are moved.
pub const MPOL_MF_MOVE: c_ulong = 2;
/// Asks `get_mempolicy` for the nodes of the cpuset.
pub const MPOL_F_MEMS_ALLOWED: c_ulong = 4;

/// The error number of the last call that failed in this thread.
#[inline]
pub fn errno() -> Errno {
    // SAFETY: the address is valid for the calling thread.
    unsafe { *libc::__errno_location() }
}

#[inline]
fn checked(result: c_long) -> Result<c_long, Errno> {
    if result < 0 { Err(errno()) } else { Ok(result) }
}

/// Reads the CPUs on which a thread may run; thread 0 is the calling one. Gives the number of words that the kernel wrote.
///
/// # Errors
/// `EINVAL` where the kernel's mask is longer than `cpus`, `ESRCH` for a thread that has ended.
#[inline]
pub fn affinity(thread: c_int, cpus: &mut [u64]) -> Result<usize, Errno> {
    // SAFETY: the kernel writes at most the given number of bytes into the live slice.
    let result = unsafe {
        past_the_library(
            libc::SYS_sched_getaffinity,
            thread as usize,
            size_of_val(cpus),
            cpus.as_mut_ptr().expose_provenance(),
        )
    }?;
    Ok(result as usize / size_of::<u64>())
}

/// Changes what may be done with pages, past the C library: its functions may be those of a sanitizer that has not begun yet.
///
/// # Safety
/// The pages must stay what their users take them for.
///
/// # Errors
/// `EACCES` and `ENOMEM`, as mprotect(2) gives them.
pub unsafe fn protect(begin: usize, bytes: usize, protection: c_int) -> Result<(), Errno> {
    // SAFETY: the caller's promise.
    unsafe { past_the_library(libc::SYS_mprotect, begin, bytes, protection as usize) }.map(drop)
}

/// A system call past the C library. The agent stands before what asks for CPUs there: it answers for the program's main thread.
///
/// # Safety
/// As of the call; a pointer must be valid for what the kernel reads and writes.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn past_the_library(call: c_long, first: usize, second: usize, third: usize) -> Result<c_long, Errno> {
    let result: c_long;
    // SAFETY: the caller's promise; the instruction changes these two registers.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") call => result,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    if result < 0 { Err(-result as Errno) } else { Ok(result) }
}

/// # Safety
/// As above.
#[cfg(target_arch = "aarch64")]
#[inline]
unsafe fn past_the_library(call: c_long, first: usize, second: usize, third: usize) -> Result<c_long, Errno> {
    let result: c_long;
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("x8") call,
            inlateout("x0") first => result,
            in("x1") second,
            in("x2") third,
            options(nostack),
        );
    }
    if result < 0 { Err(-result as Errno) } else { Ok(result) }
}

/// # Safety
/// As above.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn past_the_library(call: c_long, first: usize, second: usize, third: usize) -> Result<c_long, Errno> {
    // SAFETY: as above.
    checked(unsafe { libc::syscall(call, first, second, third) })
}

/// Runs a thread on these CPUs only, as far as its cpuset has them; thread 0 is the calling one.
///
/// # Errors
/// `EINVAL` where none of the CPUs may be used.
#[inline]
pub fn set_affinity(thread: c_int, cpus: &[u64]) -> Result<(), Errno> {
    // SAFETY: the kernel reads the given number of bytes from the live slice.
    let result = unsafe {
        past_the_library(
            libc::SYS_sched_setaffinity,
            thread as usize,
            size_of_val(cpus),
            cpus.as_ptr().expose_provenance(),
        )
    };
    result.map(drop)
}

/// Reads the memory policy of the calling thread: into `nodes`, where any are given, and with the mode as the answer.
/// With `flags` the kernel gives something else (`MPOL_F_NODE`: a node in place of the mode; `MPOL_F_MEMS_ALLOWED`: no mode,
/// and the nodes of the cpuset).
///
/// # Errors
/// `EPERM` where a filter forbids the call, `ENOSYS` where the kernel has no policies, `EINVAL` where `nodes` is too short.
#[inline]
pub fn memory_policy(nodes: &mut [u64], flags: c_ulong) -> Result<c_int, Errno> {
    let mut mode: c_int = 0;
    let wanted: *mut c_int = if flags & MPOL_F_MEMS_ALLOWED == 0 { &mut mode } else { ptr::null_mut() };
    let (mask, bits) =
        if nodes.is_empty() { (ptr::null_mut(), 0) } else { (nodes.as_mut_ptr(), nodes.len() * 64) };
    // SAFETY: the kernel writes one int, or none for null, and at most `bits` bits into the live slice.
    checked(unsafe { libc::syscall(libc::SYS_get_mempolicy, wanted, mask, bits, 0usize, flags) })?;
    Ok(mode)
}

/// Reads the memory policy at an address of this process, as [`memory_policy`] does; with `MPOL_F_NODE` in `flags` the node of the page, which
/// is made resident for it.
///
/// # Errors
/// As for [`memory_policy`]; `EFAULT` where nothing is mapped there.
#[inline]
pub fn memory_policy_at(address: usize, nodes: &mut [u64], flags: c_ulong) -> Result<c_int, Errno> {
    let mut mode: c_int = 0;
    let (mask, bits) =
        if nodes.is_empty() { (ptr::null_mut(), 0) } else { (nodes.as_mut_ptr(), nodes.len() * 64) };
    // SAFETY: the kernel writes one int, and at most `bits` bits into the live slice; it checks the address.
    checked(unsafe {
        libc::syscall(libc::SYS_get_mempolicy, &raw mut mode, mask, bits, address, flags | MPOL_F_ADDR)
    })?;
    Ok(mode)
}

/// Sets the memory policy of the calling thread. `mode` has its flags; no nodes are passed as a null mask.
///
/// # Errors
/// `EPERM` where a filter forbids the call, `EINVAL` where kernel or cpuset lack the mode or the nodes.
#[inline]
pub fn set_memory_policy(mode: c_int, nodes: &[u64]) -> Result<(), Errno> {
    let (mask, bits) = mask(nodes);
    // SAFETY: the kernel reads `bits - 1` bits from the live slice, or nothing for a null mask of 0 bits.
    checked(unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, mask, bits) }).map(drop)
}

/// Sets the memory policy of a range of addresses of this process. `flags` are those of mbind(2): `MPOL_MF_STRICT` fails where pages that
/// are there do not follow it.
///
/// # Safety
/// The range lies in a mapping of the caller's. What is in it does not change.
///
/// # Errors
/// As for [`set_memory_policy`].
#[inline]
pub unsafe fn set_memory_policy_of(
    start: *mut u8,
    bytes: usize,
    mode: c_int,
    nodes: &[u64],
    flags: c_ulong,
) -> Result<(), Errno> {
    let (mask, bits) = mask(nodes);
    let mode = c_ulong::try_from(mode).unwrap_or(c_ulong::MAX);
    // SAFETY: the caller's promise about the range; the kernel reads `bits - 1` bits from the live slice.
    checked(unsafe { libc::syscall(libc::SYS_mbind, start, bytes, mode, mask, bits, flags) }).map(drop)
}

/// A mask and its length in bits. The kernel takes one bit less than it is told (get_nodes in mm/mempolicy.c).
fn mask(nodes: &[u64]) -> (*const u64, usize) {
    if nodes.is_empty() { (ptr::null(), 0) } else { (nodes.as_ptr(), nodes.len() * 64 + 1) }
}

/// A clock of the kernel, in nanoseconds.
///
/// # Errors
/// `EINVAL` for a clock that is not there: that of a thread which has ended.
#[inline]
pub fn clock(id: libc::clockid_t) -> Result<u64, Errno> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec, which `time` is.
    checked(unsafe { libc::clock_gettime(id, &mut time) }.into())?;
    Ok((time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64))
}

// Bits of `flags` in the kernel's struct perf_event_attr, from its include/uapi/linux/perf_event.h.
/// It counts when it is told to, or from [`COUNTER_ENABLE_ON_EXEC`] on.
pub const COUNTER_DISABLED: u64 = 1;
/// Threads that are made later are counted too.
pub const COUNTER_INHERIT: u64 = 1 << 1;
pub const COUNTER_EXCLUDE_KERNEL: u64 = 1 << 5;
pub const COUNTER_EXCLUDE_HYPERVISOR: u64 = 1 << 6;
pub const COUNTER_ENABLE_ON_EXEC: u64 = 1 << 12;
/// Of what is made later, threads are counted, and children are not. Since Linux 5.13.
pub const COUNTER_INHERIT_THREAD: u64 = 1 << 35;
/// The counter stands still when the process becomes another program. Since Linux 5.13.
pub const COUNTER_REMOVE_ON_EXEC: u64 = 1 << 36;

/// What is to be counted: the first version of the kernel's struct perf_event_attr, which every kernel takes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(alias = "perf_event_attr")]
pub struct CounterAttributes {
    /// PERF_TYPE_HARDWARE and so on, or the number of a source of events.
    pub kind: u32,
    size: u32,
    pub config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    pub flags: u64,
    wakeup: u32,
    breakpoint: u32,
    config1: u64,
}

impl CounterAttributes {
    /// A counter that begins at once, and tells beside its count how long it was wanted and how long it was on.
    pub const fn new(kind: u32, config: u64, flags: u64) -> CounterAttributes {
        CounterAttributes {
            kind,
            size: size_of::<CounterAttributes>() as u32,
            config,
            sample_period: 0,
            sample_type: 0,
            // PERF_FORMAT_TOTAL_TIME_ENABLED and PERF_FORMAT_TOTAL_TIME_RUNNING
            read_format: 1 | 2,
            flags,
            wakeup: 0,
            breakpoint: 0,
            config1: 0,
        }
    }
}

const _: () = assert!(size_of::<CounterAttributes>() == 64, "PERF_ATTR_SIZE_VER0");

/// Opens a counter of the calling thread, and of threads that it makes later where the flags say so. Gives a descriptor that is
/// closed on exec.
///
/// # Errors
/// `ENOENT` where there is no such counter, `EACCES` and `EPERM` where it is forbidden, `ENOSYS` where the kernel has none.
#[inline]
#[doc(alias = "perf_event_open")]
pub fn open_counter(attributes: &CounterAttributes) -> Result<c_int, Errno> {
    open_counter_of(attributes, 0, -1)
}

/// The same of a CPU and of all that runs on it.
///
/// # Errors
/// As [`open_counter`]; for most users `EACCES`.
pub fn open_counter_of_cpu(attributes: &CounterAttributes, cpu: u32) -> Result<c_int, Errno> {
    open_counter_of(attributes, -1, c_int::try_from(cpu).unwrap_or(c_int::MAX))
}

fn open_counter_of(attributes: &CounterAttributes, process: c_int, cpu: c_int) -> Result<c_int, Errno> {
    const FD_CLOEXEC: c_ulong = 8;
    // SAFETY: the kernel reads as many bytes of the live struct as its size says.
    let fd = checked(unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const *attributes, process, cpu, -1, FD_CLOEXEC)
    })?;
    Ok(fd as c_int)
}
