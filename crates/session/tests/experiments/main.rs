//! Experiments that are recorded, opened again.

mod near;
mod resume;
mod support;
