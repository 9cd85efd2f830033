//! The library for memory objects: preloaded into each process of a program (`LD_PRELOAD`), it writes allocations and frees down in a
//! ring, with a copy of each call stack that it has not met yet. Where asked for, it takes samples of the threads too.
//!
//! The way of a call: its entry in assembler (`entry.rs`) decides by two compares whether anything is to be written; else it jumps on.
//! `call.rs` says what is: `member.rs` knows which blocks were written down, `draw.rs` which small ones are drawn,
//! `budget.rs` which large ones where all would cost too much, `stacks.rs` tells call
//! stacks apart, `python.rs` what Python executes in them, and `log.rs` and `ring.rs` hold the file. `timer.rs` takes the samples.
//!
//! Rules may say which objects go to which nodes: `rules.rs` knows these by the calls of their allocation, `modules.rs` where the files lie that
//! they speak of, and `placed.rs` sets policies and takes them back. That works without a file too.
//!
//! A guest in somebody else's process: it does not panic, end the process, print, allocate, change errno or a result. Where
//! it cannot note something, the program runs as it would without it. It uses `core` and the C library only.

#![no_std]

mod budget;
mod call;
mod chance;
mod code;
mod draw;
mod early;
mod entry;
mod exports;
mod frame;
mod function;
mod life;
mod local;
mod log;
mod member;
mod modules;
mod numbers;
mod placed;
mod python;
mod readable;
mod ring;
mod rules;
mod signal;
mod stacks;
mod timer;

numawise_guest::preloaded!(begin: life::begin, end: life::end, layout: NUMAWISE_HEAP_LAYOUT = numawise_wire::heap::MARK, names: 64);
numawise_guest::stand_before_threads!(numawise_guest::threads::create);
numawise_guest::stand_before_sandboxes!();
