//! Pinning: the k-th thread that the program creates, of whatever runtime, begins on the CPUs that the plan has for it; when
//! threads have ended and were joined, new ones get their CPUs ([`places`], [`join`]).
//!
//! Stands before `pthread_create` and `thrd_create` ([`create`]); a new thread pins itself before its own work begins
//! ([`begin`]). Threads of OpenMP runtimes are left to `OMP_PLACES`; helpers of MPI and of GPUs are not counted and get the
//! CPUs of the whole task ([`numawise_wire::roles`]). A program that places its threads itself wins.

mod ask;
mod begin;
mod choice;
mod create;
mod join;
mod messages;
mod owner;
mod places;
mod plan;
mod process;
mod programs;
mod set;
mod slot;

use crate::sandbox::{self, Hooks};

/// Reads the plan while the process has one thread, before any runtime begins.
pub fn prepare() {
    // First of all: we call what we stand before too.
    sandbox::look_up();
    if plan::active().is_some() {
        sandbox::begin(Hooks::NONE);
        choice::begin();
    }
}
