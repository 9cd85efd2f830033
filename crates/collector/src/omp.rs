//! What the threads of the process do in OpenMP.
//!
//! Of GCC's libgomp by its entry points, which ours stand before (`gomp/`); of LLVM's and Intel's runtime by the tool interface
//! of the OpenMP specification (`ompt/`). Neither runtime is replaced, and none of their choices is changed. What a thread waits for is
//! a state of its slot; where, is a row of its table of constructs (`numawise_wire::snapshot::openmp`).
//!
//! A loop with a static schedule is made by the compiler without the runtime: libgomp does not tell of it, and its time is that of the
//! region or construct around it; the wait at the barrier behind it is seen.

mod account;
mod chunks;
mod fork;
mod gomp;
mod local;
mod next;
mod objects;
mod ompt;
mod position;
mod store;
mod table;

pub use fork::thread_ends;
