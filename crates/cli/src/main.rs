//! The `numawise` binary. See `commands/` for what it does.
//!
//! It begins at C's `main`: Rust's own start reads /proc/self/maps and changes the handling of signals, for which every
//! program that we become would pay (docs/decisions/0003-start-up.md).

#![cfg_attr(not(test), no_main)]

mod commands;
mod edges;
mod exit;
mod faces;
mod files;
#[cfg(not(test))]
mod maths;
mod metric;
mod placing;
mod show;
mod slices;
mod streams;
mod verdict;

#[global_allocator]
static HEAP: numawise_linux::calls::heap::HugeHeap = numawise_linux::calls::heap::HugeHeap;

/// Called by the C runtime; `std::env::args` works all the same.
#[cfg(not(test))]
#[unsafe(no_mangle)]
pub extern "C" fn main(_: std::ffi::c_int, _: *const *const std::ffi::c_char) -> std::ffi::c_int {
    commands::main().into()
}

/// Tests bring a start of their own.
#[cfg(test)]
fn main() -> std::process::ExitCode {
    commands::main().into()
}
