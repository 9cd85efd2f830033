//! What is asked of guests, topic by topic, and what must come of it; the machines' own modules say which of it is asked of them.

pub mod checks;
pub mod fields;
pub mod launcher;
pub mod library;
pub mod machine;
pub mod objects_to;
pub mod peers;
pub mod placement;
pub mod ranks;
pub mod residency;
pub mod snapshot;
pub mod threads;
pub mod weights;
