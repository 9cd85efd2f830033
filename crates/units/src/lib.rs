//! Quantities and identifiers: the vocabulary of numawise.
//!
//! A leaf crate. Knows how a quantity or an identifier is parsed, printed and packed, in one place for the whole
//! program; and how values are sorted with little code. Nothing else: no machine, no file, no clock. All types are plain values, `Send` and `Sync`.

pub mod harmless;
mod id;
pub mod packed;
mod pci;
mod quantity;
mod schedule;
mod set;
mod sorting;
mod time_sum;

pub use id::{CpuId, HostId, Id, IndexTooLarge, NodeId, Pid, Rank, TaskId, stored};
pub use pci::{ParsePciAddressError, PciAddress};
pub use quantity::{
    Bytes, BytesPerSecond, Cycles, FlopsPerSecond, Hertz, Latency, Microjoules, Nanoseconds, Ratio, Share,
};
pub use schedule::Schedule;
pub use set::{CpuSet, IdSet, NodeSet, ParseSetError, SetFlaw};
pub use sorting::Arrange;
pub use time_sum::{TimeSum, TimeSumError};
