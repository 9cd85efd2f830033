//! Small files of the kernel whose absence or content is an error.

use std::str::FromStr;

use numawise_linux::Roots;
use numawise_units::harmless::quoted;

use crate::Error;

pub(crate) const CPUS: &str = "/sys/devices/system/cpu";
pub(crate) const NODES: &str = "/sys/devices/system/node";

/// Addresses have at most 57 bits (five levels of page tables).
pub(crate) const MOST_MEMORY: u64 = 1 << 57;
/// No cache has a tebibyte.
pub(crate) const MOST_CACHE: u64 = 1 << 40;
/// Distances of the firmware are bytes; other sources may count nanoseconds.
pub(crate) const DISTANCES: std::ops::RangeInclusive<u64> = 1..=65_535;

/// The text of a file.
pub(crate) fn text(roots: &Roots, absolute: &str) -> Result<String, Error> {
    roots.text(absolute).map_err(|source| Error::System { path: roots.path(absolute), source })
}

/// The value in a file.
pub(crate) fn value<T: FromStr>(roots: &Roots, absolute: &str, expected: &str) -> Result<T, Error> {
    let text = text(roots, absolute)?;
    text.trim().parse().map_err(|_| Error::SystemContent {
        path: roots.path(absolute),
        found: shortened(text.trim()),
        expected: expected.to_owned(),
    })
}

/// A text short and harmless enough for a message on a terminal.
pub(crate) fn shortened(text: &str) -> String {
    quoted(text)
}
