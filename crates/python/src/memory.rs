//! Memory on nodes, as a buffer; and where the pages of a buffer lie.

use std::collections::BTreeMap;
use std::ffi::c_int;

use numawise_inside::{self as inside, Mapping};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::error::raised;
use crate::machine::Machine;

/// Zeroed memory on nodes. A writable buffer of bytes: memoryview, numpy.frombuffer and their like take it. It lives as long as one of them.
#[pyclass(frozen, module = "numawise")]
pub struct Memory {
    mapping: Mapping,
    policy: String,
}

#[pymethods]
impl Memory {
    /// The first policy whose nodes have room for as many bytes; the last one's error where none has.
    #[new]
    fn new(machine: &Machine, nbytes: usize, policies: Vec<String>) -> PyResult<Memory> {
        let (mapping, taken) = Mapping::first_with_room(nbytes, &machine.0, &policies).map_err(raised)?;
        Ok(Memory { mapping, policy: policies[taken].clone() })
    }

    /// Bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.mapping.bytes()
    }

    /// The policy that it was given, of those that were asked for.
    #[getter]
    fn policy(&self) -> &str {
        &self.policy
    }

    fn __repr__(&self) -> String {
        format!("Memory(nbytes={}, policy='{}')", self.mapping.bytes(), self.policy)
    }

    /// # Safety
    /// The interpreter's: `view` has room for a view.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (start, bytes) = (slf.get().mapping.start(), slf.get().mapping.bytes());
        let length = isize::try_from(bytes).map_err(|_| PyBufferError::new_err("too long for a buffer"))?;
        // SAFETY: the view keeps this object, and with it the memory.
        let filled = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast(), length, 0, flags) };
        match filled {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

/// Where the pages of a range lie.
#[pyclass(frozen, get_all, module = "numawise")]
pub struct Pages {
    /// Bytes by node; nodes without any are left out.
    on: BTreeMap<u32, u64>,
    /// Bytes of pages that are nowhere: they were not touched, or nothing is mapped there.
    absent: u64,
}

#[pymethods]
impl Pages {
    fn __repr__(&self) -> String {
        let on: Vec<String> = self.on.iter().map(|(node, bytes)| format!("{node}: {bytes}")).collect();
        format!("Pages(on={{{}}}, absent={})", on.join(", "), self.absent)
    }
}

/// Asks the kernel where the pages of a range of addresses lie.
#[pyfunction]
pub fn pages_of_range(py: Python<'_>, start: usize, nbytes: usize) -> PyResult<Pages> {
    if nbytes == 0 {
        return Ok(Pages { on: BTreeMap::new(), absent: 0 });
    }
    let found = py.detach(|| inside::pages(start, nbytes)).map_err(raised)?;
    let on = found.on.iter().map(|of| (of.node, of.bytes)).collect();
    Ok(Pages { on, absent: found.absent.0 })
}

/// The same for what has a buffer: from its first to its last element.
#[pyfunction]
pub fn pages_of_buffer(py: Python<'_>, buffer: &Bound<'_, PyAny>) -> PyResult<Pages> {
    let view = PyUntypedBuffer::get(buffer)?;
    let (start, bytes) = extent(&view);
    pages_of_range(py, start, bytes)
}

/// The addresses between the first and the last byte of a view, whose strides may be negative.
fn extent(view: &PyUntypedBuffer) -> (usize, usize) {
    if view.item_count() == 0 {
        return (0, 0);
    }
    let steps = view.shape().iter().zip(view.strides()).map(|(count, stride)| (*count as isize - 1) * stride);
    let (before, after) =
        steps.fold((0, 0), |(low, high): (isize, isize), step| (low + step.min(0), high + step.max(0)));
    let start = (view.buf_ptr() as usize).wrapping_add_signed(before);
    (start, (after - before) as usize + view.item_size())
}
