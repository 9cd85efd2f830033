//! We stand before the functions that start programs: what a pinned thread starts has the CPUs of the whole task, as it would
//! have without us. CPUs that the program chose are inherited as ever. `fork` is met by its handlers ([`super::process`]).

use core::ffi::{c_char, c_int, c_void};

use super::choice;
use super::plan::{self, PinPlan};
use crate::cpus::{self, CpuMask};
use crate::system::{SavedErrno, Symbol};

type Strings = *const *const c_char;
type Spawn = unsafe extern "C" fn(
    *mut libc::pid_t,
    *const c_char,
    *const c_void,
    *const c_void,
    Strings,
    Strings,
) -> c_int;
type Execute = unsafe extern "C" fn(*const c_char, Strings) -> c_int;
type ExecuteWith = unsafe extern "C" fn(*const c_char, Strings, Strings) -> c_int;
type ExecuteFile = unsafe extern "C" fn(c_int, Strings, Strings) -> c_int;
type Shell = unsafe extern "C" fn(*const c_char) -> c_int;
type OpenShell = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void;

static SPAWN: Symbol = Symbol::new(c"posix_spawn");
static SPAWN_BY_NAME: Symbol = Symbol::new(c"posix_spawnp");
static SYSTEM: Symbol = Symbol::new(c"system");
static POPEN: Symbol = Symbol::new(c"popen");
static EXECVE: Symbol = Symbol::new(c"execve");
static EXECV: Symbol = Symbol::new(c"execv");
static EXECVP: Symbol = Symbol::new(c"execvp");
static EXECVPE: Symbol = Symbol::new(c"execvpe");
static FEXECVE: Symbol = Symbol::new(c"fexecve");

/// Looks up what a child may need, in which the lock of the loader may be held by a thread that is not there.
pub fn look_up() {
    for symbol in [&EXECVE, &EXECV, &EXECVP, &EXECVPE, &FEXECVE] {
        symbol.get();
    }
}

/// Calls with the CPUs of the whole task, where the calling thread has others from us. The thread has its own again
/// when the call comes back.
fn on_the_task<T>(call: impl FnOnce() -> T) -> T {
    let errno = SavedErrno::new();
    let narrow = widened();
    drop(errno);
    let result = call();
    if let Some((plan, narrow)) = narrow {
        let _errno = SavedErrno::new();
        plan.give(0, narrow.words());
    }
    result
}

fn widened() -> Option<(&'static PinPlan, CpuMask)> {
    let plan = plan::active()?;
    let mut own = CpuMask::new();
    let is_pinned = cpus::affinity(0, &mut own) && choice::is_ours(plan, own.words());
    (is_pinned && plan.give(0, plan.task())).then_some((plan, own))
}

/// Defines a function that calls the one behind us; `missing` is what it gives where there is none.
macro_rules! before {
    ($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ty),*) -> $result:ty, $symbol:ident: $real:ty, $missing:expr) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> $result {
            let real = $symbol.get();
            if real.is_null() {
                return $missing;
            }
            // SAFETY: the symbol is a function of this type, and gets the caller's own arguments.
            on_the_task(|| unsafe {
                let real: $real = core::mem::transmute(real);
                real($($argument),*)
            })
        }
    };
}

before! {
    /// # Safety
    /// As posix_spawn(3).
    posix_spawn(pid: *mut libc::pid_t, path: *const c_char, actions: *const c_void, attributes: *const c_void,
        arguments: Strings, environment: Strings) -> c_int, SPAWN: Spawn, libc::ENOSYS
}
before! {
    /// # Safety
    /// As posix_spawnp(3).
    posix_spawnp(pid: *mut libc::pid_t, path: *const c_char, actions: *const c_void, attributes: *const c_void,
        arguments: Strings, environment: Strings) -> c_int, SPAWN_BY_NAME: Spawn, libc::ENOSYS
}
before! {
    /// # Safety
    /// As system(3).
    system(command: *const c_char) -> c_int, SYSTEM: Shell, -1
}
before! {
    /// # Safety
    /// As popen(3).
    popen(command: *const c_char, mode: *const c_char) -> *mut c_void, POPEN: OpenShell, core::ptr::null_mut()
}
before! {
    /// # Safety
    /// As execve(2).
    execve(path: *const c_char, arguments: Strings, environment: Strings) -> c_int, EXECVE: ExecuteWith, -1
}
before! {
    /// # Safety
    /// As execv(3).
    execv(path: *const c_char, arguments: Strings) -> c_int, EXECV: Execute, -1
}
before! {
    /// # Safety
    /// As execvp(3).
    execvp(file: *const c_char, arguments: Strings) -> c_int, EXECVP: Execute, -1
}
before! {
    /// # Safety
    /// As execvpe(3).
    execvpe(file: *const c_char, arguments: Strings, environment: Strings) -> c_int, EXECVPE: ExecuteWith, -1
}
before! {
    /// # Safety
    /// As fexecve(3).
    fexecve(file: c_int, arguments: Strings, environment: Strings) -> c_int, FEXECVE: ExecuteFile, -1
}
