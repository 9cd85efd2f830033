//! What libraries that are preloaded into a program share: calls to the kernel and to the C library that change nothing of the
//! program's ([`system`]), memory and files that are mapped ([`memory`]), the CPU of a thread ([`cpu`]), threads from their
//! begin ([`threads`]), what they execute in Python ([`python`]), what was found out once ([`known`]), that a name which is not there without us is
//! not there ([`names`]), and that nothing is called where a program has forbidden it to itself ([`sandbox`]).
//!
//! Each library has a copy of its own, with its own statics. Without `std`, without allocation, without a panic.

#![no_std]

pub mod cpu;
pub mod known;
pub mod memory;
pub mod names;
pub mod python;
mod quiet;
pub mod sandbox;
pub mod system;
pub mod threads;
