//! Emulated NUMA machines: a real Linux kernel on a machine described in a file, for tests and demonstrations.
//!
//! ```no_run
//! use testbed::{Guest, Machine};
//! let machine = Machine::load("two-socket")?;
//! let run = Guest::new(&machine)
//!     .timing(true)
//!     .file_at("build/iso3dfd", "/bin/iso3dfd")
//!     .run(&["nproc", "iso3dfd 64 64 64 2 64 8 8 4"])?;
//! assert_eq!(run[0].stdout.trim(), "4");
//! # Ok::<(), testbed::Error>(())
//! ```
//!
//! Knows: machine files, QEMU, the guest's initramfs, the results that come back. Does not know: numawise; any program
//! can be run in a guest.

mod compile;
mod error;
mod frames;
mod guest;
mod initramfs;
mod kernel;
mod layout;
mod libraries;
mod lock;
mod machine;
mod mpi;
mod qemu;
mod ready;
mod run;
mod timing;
mod truth;

pub use compile::{compile_c, work_dir};
pub use error::Error;
pub use guest::Guest;
pub use layout::{Piece, guest_physical};
pub use machine::{Description, Hmat, Machine, Node, NodeTiming, Timing};
pub use mpi::Mpi;
pub use ready::{readiness, ready};
pub use run::{CommandResult, Run};
pub use truth::{Count, Truth};
