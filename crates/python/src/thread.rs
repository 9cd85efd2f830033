//! Threads: the CPUs on which they run.

use std::collections::BTreeSet;

use numawise_inside as inside;
use numawise_units::CpuSet;
use pyo3::prelude::*;

use crate::error::{invalid, raised};
use crate::numbers::{Numbers, numbers};

/// A thread that was bound. As a context manager it puts the CPUs back that the thread had before; so does `undo`.
#[pyclass(frozen, module = "numawise")]
pub struct Pinned {
    tid: i32,
    cpus: CpuSet,
    before: CpuSet,
}

impl Pinned {
    pub fn to(tid: i32, cpus: &CpuSet) -> PyResult<Pinned> {
        let before = inside::cpus_of_thread(tid).map_err(raised)?;
        inside::set_cpus_of_thread(tid, cpus).map_err(raised)?;
        // The kernel leaves those out that the cgroup does not allow.
        let cpus = inside::cpus_of_thread(tid).map_err(raised)?;
        Ok(Pinned { tid, cpus, before })
    }
}

#[pymethods]
impl Pinned {
    /// The CPUs that it has now.
    #[getter]
    fn cpus(&self) -> BTreeSet<u32> {
        numbers(self.cpus.iter())
    }

    /// Those that it had before.
    #[getter]
    fn before(&self) -> BTreeSet<u32> {
        numbers(self.before.iter())
    }

    /// Puts back the CPUs that it had before.
    fn undo(&self) -> PyResult<()> {
        inside::set_cpus_of_thread(self.tid, &self.before).map_err(raised)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.undo().map(|()| false)
    }

    fn __repr__(&self) -> String {
        format!("Pinned(cpus='{}', before='{}')", self.cpus, self.before)
    }
}

/// Binds the calling thread, or the one with the number `tid`: `pin(k, of=n)` to the share of worker k of n, `pin(cpus=...)` to these CPUs.
#[pyfunction]
#[pyo3(signature = (worker=None, *, of=None, cpus=None, strategy=None, step=1, smt=None, skip=None, skip_os_core=false, tid=0))]
#[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
pub fn pin(
    worker: Option<u32>,
    of: Option<u32>,
    cpus: Option<Numbers>,
    strategy: Option<&str>,
    step: u32,
    smt: Option<&str>,
    skip: Option<Numbers>,
    skip_os_core: bool,
    tid: i32,
) -> PyResult<Pinned> {
    let machine = inside::open().map_err(raised)?;
    let (cpus, skip) = (cpus.map(Numbers::text), skip.map(Numbers::text));
    let (cpus, skip) = (cpus.as_deref(), skip.as_deref());
    let asked = inside::Asked { strategy, cpus, step, smt, skip, skip_os_core, ..Default::default() };
    let share = match (worker, of) {
        (Some(worker), Some(of)) => inside::share_of(&machine, worker, of, &asked),
        (None, None) if cpus.is_some() => inside::share_of(&machine, 0, 1, &asked),
        (worker, of) => {
            let shown = |n: Option<u32>| n.map_or("None".to_owned(), |n| n.to_string());
            let found = format!("{} of {}", shown(worker), shown(of));
            let expected = "a worker and of how many, pin(0, of=4), or cpus='0-3'";
            return Err(invalid("worker", found, expected));
        }
    };
    Pinned::to(tid, &share.map_err(raised)?)
}
