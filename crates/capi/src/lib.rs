//! The library for C: the machine, plans of placement, and memory on nodes, for programs that place themselves.
//!
//! The declarations, with what each call promises, stand in `include/numawise/numawise.h`; what is shared with the commands is all that
//! decides anything ([`numawise_machine`], [`numawise_placement`]). No call prints, ends the program or changes `errno`; a fault of ours is a
//! status too. Handles are not changed once they are there, so that any thread may read them.

mod bytes;
mod entry;
mod machine;
mod memory;
mod plan;
mod status;
mod text;
mod thread;
