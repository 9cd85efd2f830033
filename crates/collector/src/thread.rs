//! What belongs to one thread: its begin, its slot of the file, and the state that it is in.

mod arrival;
mod cpu;
mod local;
mod slot;
mod state;
mod surroundings;
mod word;

pub use arrival::look_up;
pub use cpu::note as note_place;
pub use local::{Local, REGIONS_BYTES, SCRATCH_BYTES, local};
pub use numawise_guest::threads::begin_child;
pub use slot::{current, end_current, has_tables, note_living, register_end, tables};
pub use state::{change, leave, switch};
pub use word::add;
