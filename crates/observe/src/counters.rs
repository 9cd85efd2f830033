//! Counters of the processor in the processes of a program: which ones are worth opening here ([`choose`]), and those that processes
//! opened and handed over, read when they have ended ([`CounterServer`]), or that were opened around them all ([`ProgramCounters`]).
//!
//! The kernel stands behind [`CounterKernel`], so that what is chosen can be tested with the answers of kernels and processors that are
//! not here.

mod choice;
mod events;
mod program;
mod server;
mod traffic;

pub use numawise_wire::snapshot::counters::CounterCode;

pub use choice::{ChosenEvent, CounterChoice, CounterKernel, HereKernel, choose};
pub use events::{FamilyEvent, ProcessorFamily, family};
pub use program::ProgramCounters;
pub use server::{CounterServer, RunningServer};
pub use traffic::TrafficWatch;
