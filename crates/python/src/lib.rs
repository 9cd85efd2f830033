//! The library for Python: the part of the package `numawise` that calls the kernel.
//!
//! A face of [`numawise_inside`]: it turns Python's values into arguments and results into Python's values. What runs the command (`check`,
//! `where`, `read`) is Python, in `python/numawise/`. The classes are frozen: any thread may read them. Calls that take their time give
//! the interpreter to other threads.

mod error;
mod machine;
mod memory;
mod numbers;
mod plan;
mod thread;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::error::Error;
    #[pymodule_export]
    use crate::machine::{Machine, Node, machine};
    #[pymodule_export]
    use crate::memory::{Memory, Pages, pages_of_buffer, pages_of_range};
    #[pymodule_export]
    use crate::plan::Placement;
    #[pymodule_export]
    use crate::thread::{Pinned, pin};
}
