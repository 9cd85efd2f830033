//! The variables that show a task its GPUs.

use numawise_facts::{TaskGpu, gpu_variables};

use crate::change::Change;

/// What the environment of a task with these GPUs needs; nothing where none were shared out.
pub fn gpu_changes(gpus: &[TaskGpu]) -> Vec<Change> {
    gpu_variables(gpus).into_iter().map(|(name, value)| Change::set(name, value)).collect()
}
