//! What cannot be done, as an exception.

use numawise_inside as inside;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    numawise,
    Error,
    PyException,
    "What numawise cannot do, with the reason. `status` is a word for programs: invalid, not_there, not_allowed, no_memory, refused, ended, \
     not_mapped, unavailable, system, fault; command where the numawise command failed."
);

pub fn raised(error: inside::Error) -> PyErr {
    let raised = Error::new_err(error.to_string());
    // Without it there is still the text.
    let _ = Python::attach(|py| raised.value(py).setattr("status", error.kind().to_string()));
    raised
}

pub fn invalid(argument: &'static str, found: String, expected: &'static str) -> PyErr {
    raised(inside::Error::Invalid { argument, found, expected })
}
