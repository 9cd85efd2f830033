//! We stand before the functions that create threads, so that each thread is seen from its begin.

mod arrive;
mod begin;
mod create;
mod new;

pub use arrive::{Arrived, begin_child, create, nothing, watch};
pub use begin::{C11Start, Next, Start};
pub use create::{CreateRequest, FirstSteps, by_c11, by_pthread, look_up};
pub use new::Store;
