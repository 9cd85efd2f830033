//! Programs built with AddressSanitizer: how they bear a library of ours.

use std::ffi::OsString;

use crate::change::Change;

#[cfg(test)]
#[path = "address_sanitizer_tests.rs"]
mod tests;

pub(crate) const OPTIONS: &str = "ASAN_OPTIONS";
/// The shared runtime of AddressSanitizer ends a program in which a library was loaded before it, unless it is told not to look. Ours
/// call nothing that the runtime could miss: they stand before functions of MPI, OpenMP, threads and files, and call those of the
/// runtime.
const ANY_LINK_ORDER: &str = "verify_asan_link_order=0";

/// What a program needs beside a library of ours that is preloaded; `now` looks a variable of our own environment up. What is set already
/// comes behind ours, so that it decides; `None` where it is no text, which stays as it is.
pub(crate) fn any_link_order(now: &dyn Fn(&str) -> Option<OsString>) -> Option<Change> {
    let set = now(OPTIONS).unwrap_or_default().into_string().ok()?;
    let separator = if set.is_empty() { "" } else { ":" };
    Some(Change::set(OPTIONS, format!("{ANY_LINK_ORDER}{separator}{set}")))
}
