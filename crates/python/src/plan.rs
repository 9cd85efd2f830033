//! Plans: which CPUs each thread of each task gets.

use std::collections::BTreeSet;

use numawise_facts as facts;
use numawise_inside as inside;
use pyo3::prelude::*;

use crate::error::raised;
use crate::numbers::numbers;
use crate::thread::Pinned;

/// The CPUs of each thread of each task.
#[pyclass(frozen, module = "numawise")]
pub struct Placement(pub facts::Placement);

#[pymethods]
impl Placement {
    /// How many tasks (processes) there are.
    #[getter]
    fn tasks(&self) -> usize {
        self.0.tasks.len()
    }

    /// How many threads of a task have CPUs of their own.
    #[pyo3(signature = (task=0))]
    fn threads(&self, task: u32) -> PyResult<usize> {
        inside::threads_of(&self.0, task).map_err(raised)
    }

    /// The CPUs of a thread. Threads beyond the last one begin again at the first.
    #[pyo3(signature = (thread, task=0))]
    fn cpus(&self, thread: u32, task: u32) -> PyResult<BTreeSet<u32>> {
        inside::cpus_of(&self.0, task, thread).map(|cpus| numbers(cpus.iter())).map_err(raised)
    }

    /// Binds the calling thread, or the one with the number `tid`, as the plan has it for this thread of the task.
    #[pyo3(signature = (thread, task=0, *, tid=0))]
    fn pin(&self, thread: u32, task: u32, tid: i32) -> PyResult<Pinned> {
        Pinned::to(tid, inside::cpus_of(&self.0, task, thread).map_err(raised)?)
    }

    fn __repr__(&self) -> String {
        let task = |of: &facts::TaskPlacement| {
            let threads: Vec<String> = of.threads.iter().map(|cpus| format!("'{cpus}'")).collect();
            if threads.is_empty() { format!("'{}'", of.cpus) } else { format!("[{}]", threads.join(", ")) }
        };
        let tasks: Vec<String> = self.0.tasks.iter().map(task).collect();
        format!("Placement({})", tasks.join(", "))
    }
}
