//! What belongs to one thread: its slot of the file, and the state that it is in.

mod cpu;
mod local;
mod slot;
mod state;
mod word;

pub use cpu::note as note_place;
pub use local::{Local, SCRATCH_BYTES, local};
pub use slot::{current, end_current, register_end, tables};
pub use state::{change, leave, switch};
pub use word::add;
