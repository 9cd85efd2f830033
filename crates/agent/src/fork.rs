//! A process that fork made has one thread, counts anew, and has the whole task's CPUs.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::system::{self, Found, KeptErrno, Symbol};
use crate::{create, mask, plan, slot};

/// What pthread_atfork of glibc calls; there pthread_atfork itself is no symbol that can be looked up.
type Handler = Option<unsafe extern "C" fn()>;
type Register = unsafe extern "C" fn(Handler, Handler, Handler, *mut c_void) -> c_int;

static REGISTERED: AtomicBool = AtomicBool::new(false);

/// Makes children of fork start afresh; to be called before the first thread is pinned. Does nothing the second time.
pub fn prepare() {
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        let glibcs = Symbol::new(c"__register_atfork").get();
        let register = if glibcs.is_null() { Symbol::new(c"pthread_atfork").get() } else { glibcs };
        if register.is_null() {
            return;
        }
        // SAFETY: the symbol is a function of this type, or of the same without the owner, which it then does not look at
        // (integers and pointers go in registers). The handler is never unloaded, so it needs no owner.
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
    let mut own = Found::new();
    if system::affinity(0, &mut own) && !mask::same(own.words(), plan.task()) && plan.knows(own.words()) {
        system::set_affinity(0, plan.task());
    }
}
