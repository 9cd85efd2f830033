//! Whether guests can be had on this host: tests that need them skip visibly where they cannot.

use crate::{Error, kernel, qemu};
use std::io::Write;

/// Set to 1 where a skipped test would be a lie, as in CI.
const REQUIRE: &str = "NUMAWISE_REQUIRE_EMULATED";

/// QEMU and the kernel are here (it is downloaded on the first call). That busybox or gcc is missing is for
/// [`crate::Guest::run`] to say: a host that has QEMU is meant to run guests.
///
/// # Errors
/// What is missing.
pub fn readiness() -> Result<(), Error> {
    qemu::version()?;
    kernel::image().map(drop)
}

/// For the first line of a test: `if !testbed::ready() { return }`. Says `SKIPPED` and why when guests cannot be had.
///
/// # Panics
/// When guests cannot be had, but the environment says that they must.
#[must_use]
pub fn ready() -> bool {
    or_skipped(readiness())
}

/// Says `SKIPPED` and why, or panics where that would be a lie.
pub(crate) fn or_skipped(readiness: Result<(), Error>) -> bool {
    let Err(reason) = readiness else { return true };
    let required = std::env::var_os(REQUIRE).is_some_and(|value| value == "1");
    assert!(!required, "{REQUIRE}=1, but guests cannot be had: {reason}");
    let test = std::thread::current();
    // Past the test harness, which would show the output of failed tests only.
    let line = format!("\nSKIPPED: {}: {reason}\n", test.name().unwrap_or("a test of guests"));
    let _ = std::io::stderr().write_all(line.as_bytes());
    false
}
