//! The life of a watched process: its begin, its forks, its end.

mod exit;

use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::Flag;

use crate::system::SavedErrno;
use crate::{mpi, omp, process, thread};

/// Begins to watch the process, where the environment asks for it.
pub fn begin() {
    let _errno = SavedErrno::new();
    if !process::prepare() {
        return;
    }
    thread::register_end(omp::thread_ends);
    // SAFETY: the handler is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    exit::look_up(end);
    process::start(0);
    thread::current();
}

unsafe extern "C" fn in_child() {
    let _errno = SavedErrno::new();
    process::forked();
    mpi::begin_child();
    thread::current();
}

/// Notes that the process ends. What comes after is still noted.
pub extern "C" fn end() {
    let _errno = SavedErrno::new();
    let Some(header) = process::ending() else { return };
    thread::end_current();
    process::note_time_now();
    header.flags.fetch_or(Flag::Ended as u32, Relaxed);
}
