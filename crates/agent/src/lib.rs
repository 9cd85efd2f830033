//! The agent: a library that is preloaded into the target process (`LD_PRELOAD`) and acts there for numawise.
//!
//! One folder for each thing it does: `pin/` pins threads by a plan that comes in the environment (`numawise_wire::pin`).
//! What they share is here, beside what all libraries share ([`numawise_guest`]): the CPUs of threads ([`cpus`]), lines for standard error ([`line`]) and
//! where they may go ([`stream`]).
//!
//! A guest in somebody else's process: it does not panic, end the process, write to standard output or allocate (but for
//! hundreds of threads that are created and do not begin), and where it fails, the program runs as it would without it.
//! It uses `core` and the C library only, so that loading it is cheap. It begins before anything else of the process (`-z initfirst`): an OpenMP runtime
//! that begins before it would have given the main thread a place, which could not be known from a place that a launcher gave.

#![no_std]

mod cpus;
mod line;
mod pin;
mod stream;

use numawise_guest::{sandbox, system};

numawise_guest::preloaded!(begin: pin::prepare);
