//! What memory an interrupted instruction was waiting for.
//!
//! A sample of a thread holds the address of an instruction and the general registers. From these and the bytes of the function follows
//! which memory the instructions around it access, without running anything: [`Listing`] knows the instructions of a function,
//! [`blame`] names the access that held the thread up, [`once_around`] all accesses of one pass of the loop around it.
//!
//! A timer interrupts a thread after the instruction that it was waiting for, not at it: when a load misses the caches the processor goes on
//! until the oldest instruction that is not done blocks it, and the interrupt is taken behind that one. So the access that is wanted is that
//! of the instruction *before* the interrupted one, or of the load whose result that one needed, or of the load that a branch went by which
//! was foretold wrongly. Long copies (`rep movs`) are interrupted while they go on. Stores wait behind all that comes after them; a thread
//! that is interrupted at a store waits for it or for a load before it, which one sample cannot say: the load is blamed. How far behind an
//! interrupt is taken depends on the processor; under emulation it is taken at the heads of loops. Callers measure that first, and use no
//! blame where it is not one instruction. How often the right memory is blamed in compilers' code is measured by the example `blame` of
//! numawise-observe.
//!
//! [`Nest`] finds the loops of a listing, and [`works`] with [`VectorUse`] on how many elements their instructions work at once. A [`Course`] says what
//! a pass of an innermost loop loads, stores and computes, and by the registers of a sample how many passes there are.
//!
//! Addresses are those of the process that was sampled. Code is of x86-64 or aarch64, by a parameter: either is understood everywhere. All is pure and can be used from several threads.

mod aarch64;
mod architecture;
mod blame;
mod body;
mod course;
mod effect;
mod forms;
mod listing;
mod nest;
mod pass;
mod registers;
mod replay;
mod step;
mod vector;
mod x86_64;

pub use architecture::Architecture;
pub use blame::{Blame, blame};
pub use course::{
    Course, CourseAccess, Moment, NoCounter, NoCourse, NoPassCount, PassCount, PassCounts, Stride,
};
pub use listing::Listing;
pub use nest::{Loop, Nest};
pub use pass::{Pass, once_around};
pub use registers::Registers;
pub use replay::StackCopy;
pub use step::{Access, Direction, Step};
pub use vector::{Element, Operation, VectorUse, Work, works};

#[cfg(test)]
mod code;
#[cfg(test)]
mod recorded;
