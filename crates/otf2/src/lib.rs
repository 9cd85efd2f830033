//! Traces of MPI in the format that other tools read and write: OTF2.
//!
//! [`write`] makes an archive of a run whose calls of MPI were traced, [`read`] makes such a run of an archive, whoever wrote it. Both go
//! through libotf2, which is opened when it is needed. What an archive cannot say, or a run does not know, is told as values: [`Written`] and
//! [`Assumption`]. This crate does not know where a trace comes from, nor what waits are in it.

mod calls;
mod error;
mod event;
mod ffi;
mod read;
#[cfg(test)]
mod sample;
mod unknown;
mod write;

pub use error::{MissingPart, Otf2Error};
pub use read::{Assumption, ReadTrace, read};
pub use write::{HostClocks, Written, write};
