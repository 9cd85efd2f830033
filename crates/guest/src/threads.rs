//! We stand before the functions that create threads, so that each thread is seen from its begin.

mod begin;
mod create;
mod new;

pub use begin::{Arrived, watch};
pub use create::look_up;
pub use new::begin_child;
