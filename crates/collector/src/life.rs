//! The life of a watched process: its begin, its forks, its end.

mod exit;

use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{Flag, ThreadSlot};

use crate::sandbox::{self, Hooks};
use crate::system::SavedErrno;
use crate::{counters, files, mpi, omp, phase, process, python, thread, time, trace};

/// Begins to watch the process, where the environment asks for it.
pub fn begin() {
    let _errno = SavedErrno::new();
    if !process::prepare() {
        return;
    }
    sandbox::begin(Hooks { before, entered, refused, is_copy, from_promise: true });
    thread::register_end(thread_ends);
    numawise_guest::process::at_fork(in_child);
    exit::look_up(end);
    thread::look_up();
    numawise_guest::python::look_up();
    let streams = if files::begin() { Flag::Streams as u32 } else { 0 };
    trace::look_up();
    process::at_file(trace::begin);
    process::start(streams);
    process::header().into_iter().for_each(counters::hand_over);
    thread::current();
}

/// The process asks for a sandbox: the last moment at which the kernel may be asked for anything. What stands in its accounts now is not what
/// will stand there at the end, and is not noted.
fn before(without_counter: bool) {
    // A child of a bare clone gets its file now, or it would write into its parent's.
    if !sandbox::is_quiet() && process::watched().is_some() {
        process::note_time_now();
    }
    time::forgo(without_counter);
}

fn entered() {
    process::note_for_good(Flag::Sandbox);
}

fn refused() {
    time::resume();
}

fn is_copy() -> bool {
    process::generation() == 0
}

/// What is noted of a thread that ends, before its time is charged.
fn thread_ends(slot: &ThreadSlot, now: u64) {
    phase::thread_ends(slot, now);
    omp::thread_ends(slot, now);
    trace::let_go();
}

unsafe extern "C" fn in_child() {
    let _errno = SavedErrno::new();
    process::forked();
    mpi::begin_child();
    trace::begin_child();
    python::begin_child();
    phase::begin_child();
    thread::begin_child();
    thread::current();
}

/// The end by `exit`, where the loader may be asked what is loaded: `_exit` may be called wherever one of its locks is held.
pub extern "C" fn end_by_exit() {
    let _errno = SavedErrno::new();
    if let Some(header) = process::header().filter(|_| !sandbox::is_quiet()) {
        mpi::note_if_not_called(header);
    }
    end();
}

/// Notes that the process ends. What comes after is still noted.
pub extern "C" fn end() {
    let _errno = SavedErrno::new();
    let Some(header) = process::ending() else { return };
    process::note_io_at_end(header);
    thread::end_current();
    thread::note_living();
    process::note_surroundings(header);
    process::note_time_now();
    header.flags.fetch_or(Flag::Ended as u32, Relaxed);
}
