//! Programs that forbid system calls to themselves.
//!
//! A program in a sandbox is ended at the first system call that it has not allowed, and at the first reading of the processor's counter in
//! the strict one. Its own calls are allowed, ours are not. So from the moment at which a process asks for one, we make none.
//! That is before it has one: we stand before `prctl` and the C library's `syscall`, by which filters are set (libseccomp's too). One that is set by a bare
//! instruction is not seen, but it begins with the promise to gain no rights (`PR_SET_NO_NEW_PRIVS`), unless it is root's.
//!
//! What a process was given before it began (containers and services have filters) is no reason to be quiet: the loader has just made calls.

use core::ffi::{c_int, c_long, c_uint, c_ulong, c_void};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering::Relaxed};

use crate::quiet;
pub use crate::quiet::is_quiet;
use crate::system::{self, SavedErrno};

/// The process that is watched; 0: none. A child of vfork has its parent's memory, and another number.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// What is done when a process asks.
#[derive(Debug, Clone, Copy)]
pub struct Hooks {
    /// Before it has a sandbox: the last moment for calls. True: the counter of the processor will not be readable.
    pub before: fn(bool),
    /// The kernel has agreed.
    pub entered: fn(),
    /// The kernel has refused: all is as it was.
    pub refused: fn(),
    /// Whether this is a child with a copy of its parent's memory that was not yet seen (a bare clone).
    pub is_copy: fn() -> bool,
    /// Whether the promise to gain no rights counts as asking.
    pub from_promise: bool,
}

impl Hooks {
    /// Of who has nothing to do but to be quiet, and needs no more than the calls that set a filter.
    pub const NONE: Hooks =
        Hooks { before: |_| {}, entered: || {}, refused: || {}, is_copy: || false, from_promise: false };
}

static HOOKS: [AtomicPtr<c_void>; 4] = [const { AtomicPtr::new(core::ptr::null_mut()) }; 4];
const BEFORE: usize = 0;
const ENTERED: usize = 1;
const REFUSED: usize = 2;
const IS_COPY: usize = 3;

/// The functions behind ours. Until they are looked up: the kernel itself.
static PRCTL: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
pub static CALL: AtomicPtr<c_void> = AtomicPtr::new(direct as *mut c_void);
static FROM_PROMISE: AtomicBool = AtomicBool::new(false);

/// Begins to be quiet in sandboxes, before the program begins.
pub fn begin(hooks: Hooks) {
    let Hooks { before, entered, refused, is_copy, from_promise } = hooks;
    FROM_PROMISE.store(from_promise, Relaxed);
    let found =
        [before as *mut c_void, entered as *mut c_void, refused as *mut c_void, is_copy as *mut c_void];
    HOOKS.iter().zip(found).for_each(|(place, hook)| place.store(hook, Relaxed));
    PROCESS.store(system::process(), Relaxed);
}

/// Looks for the C library's functions, which takes a lock of the loader, while the process has one thread. Other libraries of ours may come
/// after this one, also where this one has nothing to do.
pub fn look_up() {
    PRCTL.store(system::next_symbol(c"prctl").cast_mut(), Relaxed);
    let call = system::next_symbol(c"syscall");
    if !call.is_null() {
        CALL.store(call.cast_mut(), Relaxed);
    }
}

/// In a child with a copy of its parent's memory, which is not quiet.
pub fn begin_child() {
    PROCESS.store(system::process(), Relaxed);
}

fn hook(number: usize) -> *mut c_void {
    HOOKS.get(number).map_or(core::ptr::null_mut(), |hook| hook.load(Relaxed))
}

fn run(number: usize) {
    let hook = hook(number);
    if !hook.is_null() {
        // SAFETY: a function of this type was stored under these two numbers.
        unsafe { core::mem::transmute::<*mut c_void, fn()>(hook)() };
    }
}

/// What a program asks for by these arguments of prctl: `None` where it is no sandbox, else whether the counter goes too.
fn asked_by_prctl(option: c_int, first: c_ulong, second: c_ulong) -> Option<bool> {
    match option {
        // Without a filter it is a question whether the kernel could.
        libc::PR_SET_SECCOMP if first == libc::SECCOMP_MODE_FILTER.into() && second == 0 => None,
        libc::PR_SET_SECCOMP => Some(first == libc::SECCOMP_MODE_STRICT.into()),
        libc::PR_SET_NO_NEW_PRIVS if FROM_PROMISE.load(Relaxed) => Some(false),
        libc::PR_SET_TSC if first == libc::PR_TSC_SIGSEGV as c_ulong => Some(true),
        _ => None,
    }
}

/// The same of seccomp(2), which also answers questions.
fn asked_by_seccomp(operation: c_uint, filter: c_ulong) -> Option<bool> {
    match operation {
        libc::SECCOMP_SET_MODE_STRICT => Some(true),
        libc::SECCOMP_SET_MODE_FILTER if filter != 0 => Some(false),
        _ => None,
    }
}

/// Makes the call, and is quiet from before it on where it succeeds.
fn enter(asked: Option<bool>, call: impl FnOnce() -> c_long) -> c_long {
    let Some(without_counter) = asked else { return call() };
    // Who has begun to be quiet may not be asked who it is.
    if is_quiet() {
        if without_counter {
            before(true);
        }
        return call();
    }
    // Where nothing is watched, we may not even ask who we are. A child of vfork is on its way to another program, and its parent goes on as it
    // was.
    let known = PROCESS.load(Relaxed);
    if known == 0 || known != system::process() && !is_copy() {
        return call();
    }
    let errno = SavedErrno::new();
    before(without_counter);
    quiet::set(true);
    drop(errno);
    let result = call();
    if result < 0 {
        quiet::set(false);
        let _errno = SavedErrno::new();
        run(REFUSED);
    } else {
        run(ENTERED);
    }
    result
}

fn is_copy() -> bool {
    let hook = hook(IS_COPY);
    // SAFETY: a function of this type was stored under this number.
    !hook.is_null() && unsafe { core::mem::transmute::<*mut c_void, fn() -> bool>(hook)() }
}

fn before(without_counter: bool) {
    let hook = hook(BEFORE);
    if !hook.is_null() {
        // SAFETY: a function of this type was stored under this number.
        unsafe { core::mem::transmute::<*mut c_void, fn(bool)>(hook)(without_counter) };
    }
}

/// What stands before the C library's prctl.
///
/// # Safety
/// As prctl(2).
pub unsafe fn by_prctl(option: c_int, [first, second, third, fourth]: [c_ulong; 4]) -> c_int {
    type Real = unsafe extern "C" fn(c_int, c_ulong, c_ulong, c_ulong, c_ulong) -> c_int;
    let real = PRCTL.load(Relaxed);
    let call = || {
        // SAFETY: the symbol is a function of this type, whose unnamed arguments go in registers; the arguments are the caller's own.
        unsafe {
            if real.is_null() {
                return libc::syscall(libc::SYS_prctl, option, first, second, third, fourth);
            }
            core::mem::transmute::<*mut c_void, Real>(real)(option, first, second, third, fourth).into()
        }
    };
    enter(asked_by_prctl(option, first, second), call) as c_int
}

/// `syscall(SYS_seccomp, ...)` and `syscall(SYS_prctl, ...)`.
///
/// # Safety
/// As syscall(2).
pub unsafe extern "C" fn asked(
    number: c_long,
    first: c_ulong,
    second: c_ulong,
    third: c_ulong,
    fourth: c_ulong,
    fifth: c_ulong,
) -> c_long {
    type Real = unsafe extern "C" fn(c_long, c_ulong, c_ulong, c_ulong, c_ulong, c_ulong) -> c_long;
    let asked = if number == libc::SYS_seccomp {
        asked_by_seccomp(first as c_uint, third)
    } else {
        asked_by_prctl(first as c_int, second, third)
    };
    enter(asked, || {
        // SAFETY: what is there is the C library's function or ours, and gets the caller's own arguments.
        unsafe {
            let real: Real = core::mem::transmute(CALL.load(Relaxed));
            real(number, first, second, third, fourth, fifth)
        }
    })
}

unsafe extern "C" fn failed(error: c_int) -> c_long {
    // SAFETY: the address is valid for the calling thread.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// Does what the C library's function does, which is not known before the begin.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn direct() {
    core::arch::naked_asm!(
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, qword ptr [rsp + 8]",
        "syscall",
        "cmp rax, -4095",
        "jae 2f",
        "ret",
        "2:",
        "neg eax",
        "mov edi, eax",
        "jmp {failed}",
        failed = sym failed,
    )
}

/// The same.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn direct() {
    core::arch::naked_asm!(
        "mov x8, x0",
        "mov x0, x1",
        "mov x1, x2",
        "mov x2, x3",
        "mov x3, x4",
        "mov x4, x5",
        "mov x5, x6",
        "svc #0",
        "cmn x0, #4095",
        "b.cs 2f",
        "ret",
        "2:",
        "neg w0, w0",
        "b {failed}",
        failed = sym failed,
    )
}

/// Stands before `prctl` and `syscall`. Further numbers of system calls go to functions of the library's own: each is a name for the number, one for
/// the function, the number, and the function.
#[macro_export]
macro_rules! stand_before_sandboxes {
    ($($name:ident $of:ident = $number:expr => $function:ident),*) => {
        /// # Safety
        /// As prctl(2).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn prctl(
            option: core::ffi::c_int,
            first: core::ffi::c_ulong,
            second: core::ffi::c_ulong,
            third: core::ffi::c_ulong,
            fourth: core::ffi::c_ulong,
        ) -> core::ffi::c_int {
            // SAFETY: the caller's promise.
            unsafe { $crate::sandbox::by_prctl(option, [first, second, third, fourth]) }
        }

        /// # Safety
        /// As syscall(2).
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn syscall() {
            core::arch::naked_asm!(
                $(
                    concat!("cmp rdi, {", stringify!($name), "}"),
                    concat!("je {", stringify!($of), "}"),
                )*
                "cmp rdi, {seccomp}",
                "je {asked}",
                "cmp rdi, {prctl}",
                "je {asked}",
                "jmp qword ptr [rip + {real}]",
                $($name = const $number, $of = sym $function,)*
                seccomp = const libc::SYS_seccomp,
                prctl = const libc::SYS_prctl,
                asked = sym $crate::sandbox::asked,
                real = sym $crate::sandbox::CALL,
            )
        }

        /// # Safety
        /// As syscall(2).
        #[cfg(target_arch = "aarch64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn syscall() {
            core::arch::naked_asm!(
                $(
                    concat!("cmp x0, #{", stringify!($name), "}"),
                    "b.ne 1f",
                    concat!("b {", stringify!($of), "}"),
                    "1:",
                )*
                "cmp x0, #{seccomp}",
                "b.eq 2f",
                "cmp x0, #{prctl}",
                "b.eq 2f",
                "adrp x16, {real}",
                "ldr x16, [x16, :lo12:{real}]",
                "br x16",
                "2:",
                "b {asked}",
                $($name = const $number, $of = sym $function,)*
                seccomp = const libc::SYS_seccomp,
                prctl = const libc::SYS_prctl,
                asked = sym $crate::sandbox::asked,
                real = sym $crate::sandbox::CALL,
            )
        }
    };
}
