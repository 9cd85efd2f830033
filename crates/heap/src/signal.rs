//! A signal for the samples, which the program does not use.

use core::ffi::{c_int, c_void};

/// The type of handler that gets the registers.
pub type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Takes the last real-time signal that has its default action; gives its number. Programs count from the first on.
pub fn take(handler: Handler) -> Option<c_int> {
    (libc::SIGRTMIN()..libc::SIGRTMAX()).rev().find(|signal| is_free(*signal) && install(*signal, handler))
}

/// Leaves it with its default action; what waits to be delivered is dropped.
pub fn give_back(signal: c_int) {
    for action in [libc::SIG_IGN, libc::SIG_DFL] {
        // SAFETY: zeros are a value of the struct.
        let mut plain: libc::sigaction = unsafe { core::mem::zeroed() };
        plain.sa_sigaction = action;
        // SAFETY: as above.
        unsafe { libc::sigaction(signal, &raw const plain, core::ptr::null_mut()) };
    }
}

fn is_free(signal: c_int) -> bool {
    // SAFETY: zeros are a value of the struct, and the call fills it.
    let mut now: libc::sigaction = unsafe { core::mem::zeroed() };
    // SAFETY: as above.
    unsafe {
        libc::sigaction(signal, core::ptr::null(), &raw mut now) == 0 && now.sa_sigaction == libc::SIG_DFL
    }
}

fn install(signal: c_int, handler: Handler) -> bool {
    // SAFETY: zeros are a value of the struct.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    action.sa_sigaction = handler as *const c_void as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
    // SAFETY: the handler is a function of this type that is never unloaded.
    unsafe { libc::sigaction(signal, &raw const action, core::ptr::null_mut()) == 0 }
}
