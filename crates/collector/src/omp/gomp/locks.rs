//! Locks of the program: `omp_set_lock` in C and in Fortran.

use core::ffi::c_void;

use numawise_wire::snapshot::ThreadState;
use numawise_wire::snapshot::openmp::ConstructKind;

use super::super::account::within;
use super::super::local::{caller, entry};
use super::super::next::Next;

type Set = unsafe extern "C" fn(*mut c_void);
#[unsafe(link_section = "numawise_next")]
static C: Next<Set> = Next::new(c"omp_set_lock");
#[unsafe(link_section = "numawise_next")]
static FORTRAN: Next<Set> = Next::new(c"omp_set_lock_");

fn set(symbol: &Next<Set>, lock: *mut c_void) {
    let from = caller();
    let next = symbol.get(from);
    // SAFETY: the caller's own argument.
    let run = || unsafe { next(lock) };
    if symbol.tells_itself(from) {
        run()
    } else {
        within(ConstructKind::Lock, ThreadState::OmpLock, from, run)
    }
}

unsafe extern "C" fn set_c(lock: *mut c_void) {
    set(&C, lock);
}

unsafe extern "C" fn set_fortran(lock: *mut c_void) {
    set(&FORTRAN, lock);
}

entry! {
    omp_set_lock => set_c;
    omp_set_lock_ => set_fortran;
}
