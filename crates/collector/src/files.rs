//! Calls on files: how long the program's threads read, wrote and waited for files, and how much.
//!
//! We stand before the C library's functions that take a descriptor (`files/table.rs`), and in the table of functions through which its
//! streams (`fprintf`) come to the kernel (`files/streams.rs`): what goes into a buffer is no I/O and costs nothing. Only regular files and
//! block devices count: a pipe, a socket or a terminal waits for somebody else. What a descriptor is, is asked once
//! (`files/descriptors.rs`). What MPI does within its calls is MPI's.
//!
//! All of it is safe in signal handlers, in children of vfork, and where a call is left by cancellation or longjmp.

mod call;
mod descriptors;
mod entry;
mod frame;
mod next;
mod streams;
mod table;

/// To be called while the process has one thread: looks for the C library's functions, which takes a lock of the loader, and stands
/// before what its streams call. True where that could be done.
pub fn begin() -> bool {
    next::look_up_all();
    streams::hook()
}
