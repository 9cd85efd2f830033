//! Calls of MPI, whichever MPI, language and level of interface the program uses.
//!
//! We export each communicating call by all its names (`mpi.table`, [`generated`]). A name's wrapper is two instructions: the number
//! of the call and of the kind of its name, and a jump to [`entry`], which saves the arguments and asks [`call::before`] what to
//! do: go on to the real function by a jump, or call it and come back to [`call::after`].
//!
//! C names are counted, the outermost only: `MPI_` as the program calls it, `PMPI_` where a tool above us or a Fortran interface of
//! Open MPI calls it. Fortran names only leave the address to which they return: what they call is a C name, with C's handles.

mod abi;
mod amount;
mod call;
mod communicators;
mod completion;
mod entry;
mod frame;
mod functions;
#[rustfmt::skip]
mod generated;
mod library;
mod peers;
mod process;
mod requests;
mod samples;
mod sites;
mod sizes;
mod sources;
mod status;
mod table;
mod windows;

pub use call::is_within_call;
pub use process::note_if_not_called;

/// In a child of fork, in its only thread.
pub fn begin_child() {
    communicators::begin_child();
    requests::begin_child();
    samples::begin_child();
}
