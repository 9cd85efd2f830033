//! Emulated NUMA machines: a real Linux kernel on a machine that is described in a file or derived from a measured one.
//!
//! ```no_run
//! use numawise_emulate::{EmulatedMachine, Guest, WorkFolder};
//! let machine = EmulatedMachine::load("two-socket.toml".as_ref())?;
//! let work = WorkFolder::new("target/testbed");
//! let run = Guest::new(&machine, &work)
//!     .timing(true)
//!     .file_at("build/iso3dfd", "/bin/iso3dfd")
//!     .run(&["nproc", "iso3dfd 64 64 64 2 64 8 8 4"])?;
//! assert_eq!(run[0].stdout.trim(), "4");
//! # Ok::<(), numawise_emulate::Error>(())
//! ```
//!
//! Knows: machine descriptions, QEMU, the guest's initramfs, the timing plugin, the results that come back. Does not know
//! which program runs in a guest, nor what its results mean.

mod clock;
mod derive;
#[cfg(test)]
mod derive_testing;
mod error;
pub mod figures;
mod frames;
mod guest;
mod initramfs;
pub mod kernel;
mod layout;
pub mod leftovers;
mod libraries;
mod machine;
mod mark;
mod mpi;
mod qemu;
pub mod reduce;
mod root;
mod run;
mod timing;
mod truth;
mod work;

pub use derive::{DerivedMachine, EmulationRequest, core_bandwidth, derive};
pub use error::Error;
pub use guest::Guest;
pub use kernel::{KernelGap, RootKernel};
pub use layout::{MemoryPiece, guest_physical};
pub use libraries::which;
pub use machine::{EmulatedMachine, EmulatedNode, HmatRow, MachineDescription, MachineTiming, NodeTiming};
pub use mpi::Mpi;
pub use qemu::{program as qemu_program, readiness, version as qemu_version};
pub use root::{HostRoot, RESULTS};
pub use run::{CommandResult, GuestRun};
pub use truth::{TrafficCount, Truth};
pub use work::WorkFolder;

/// Machines of the testbed's files, for unit tests.
#[cfg(test)]
pub(crate) fn test_machine(name: &str) -> EmulatedMachine {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbed/machines"));
    EmulatedMachine::load(&folder.join(name).with_extension("toml")).unwrap()
}
