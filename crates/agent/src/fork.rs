//! A process that fork made has one thread, counts anew, and has the whole task's CPUs.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::system::{self, KeptErrno};
use crate::{create, mask, plan, slot};

/// What pthread_atfork of glibc calls; pthread_atfork itself is no symbol that a library can look up.
type Handler = Option<unsafe extern "C" fn()>;
type Register = unsafe extern "C" fn(Handler, Handler, Handler, *mut c_void) -> c_int;

static REGISTERED: AtomicBool = AtomicBool::new(false);

/// Makes children of fork start afresh; to be called before the first thread is pinned. Does nothing the second time.
pub fn prepare() {
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        let register = system::next_symbol(c"__register_atfork");
        if register.is_null() {
            return; // not glibc
        }
        // SAFETY: the symbol is glibc's function of this type; the handler is never unloaded, so it needs no owner.
        unsafe {
            let register: Register = core::mem::transmute(register);
            register(None, None, Some(in_child), core::ptr::null_mut());
        }
    }
}

unsafe extern "C" fn in_child() {
    let _errno = KeptErrno::new();
    let Some(plan) = plan::active() else { return };
    slot::free_all();
    create::count_anew();
    if let Some(own) = system::affinity(0)
        && !mask::same(own.words(), plan.task())
        && plan.is_of_a_thread(own.words())
    {
        system::set_affinity(0, plan.task());
    }
}
