//! The collector: a library that is preloaded into each process of a program (`LD_PRELOAD`) and notes, in a file that it maps,
//! what the threads of the process do: calls of MPI (`mpi/`) and of OpenMP's runtimes (`omp/`), calls on files (`files/`), and the phases
//! that it names (`phase/`). Where a trace is asked for, calls of MPI are written down one by one (`trace.rs`). Counters of the processor are opened when it begins (`counters.rs`).
//!
//! What they share: the mapping of the file (`process/`), the clock (`time/`), and a slot of the file for each thread, with the
//! state that the thread is in (`thread/`). To watch something else: [`thread::switch`] the state where it begins, and
//! [`thread::leave`] it where it ends.
//!
//! A guest in somebody else's process: it does not panic, end the process, print, allocate, change errno or a result. Where
//! it cannot note something, the program runs as it would without it. It uses `core` and the C library only.

#![no_std]

mod counters;
mod files;
mod life;
mod mpi;
mod omp;
mod phase;
mod proc;
mod process;
mod python;
mod thread;
mod time;
mod trace;

use numawise_guest::{sandbox, system};

numawise_guest::preloaded!(begin: life::begin, end: life::end_by_exit, layout: NUMAWISE_COLLECTOR_LAYOUT = numawise_wire::snapshot::MARK, names: 3072);
numawise_guest::stand_before_threads!(numawise_guest::threads::create);
numawise_guest::stand_before_sandboxes!();
