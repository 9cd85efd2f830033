//! The computer and its kernel, as texts.

use std::path::Path;

use crate::error::Error;
use crate::file::slurp;
use crate::roots::Roots;

/// The computer's name.
///
/// # Errors
/// When the file cannot be read or is empty.
pub fn hostname(roots: &Roots) -> Result<String, Error> {
    line(&roots.path("/proc/sys/kernel/hostname"))
}

/// The kernel's release, as `uname -r` shows it.
///
/// # Errors
/// When the file cannot be read or is empty.
pub fn kernel_release(roots: &Roots) -> Result<String, Error> {
    line(&roots.path("/proc/sys/kernel/osrelease"))
}

/// The switch of automatic NUMA balancing.
///
/// # Errors
/// [`Error::Gone`] where the kernel has none.
pub fn numa_balancing(roots: &Roots) -> Result<String, Error> {
    line(&roots.path("/proc/sys/kernel/numa_balancing"))
}

/// The CPU's name: `model name` on x86; on aarch64 implementer and part, since the kernel knows no names there.
///
/// # Errors
/// When `/proc/cpuinfo` cannot be read or has neither.
pub fn cpu_model(roots: &Roots) -> Result<String, Error> {
    let path = roots.path("/proc/cpuinfo");
    let text = slurp(&path).map_err(|error| Error::from_io(&path, error))?;
    let value = |key: &str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key && !value.trim().is_empty()).then(|| value.trim().to_owned())
        })
    };
    if let Some(name) = value("model name").or_else(|| value("cpu model")) {
        return Ok(name);
    }
    match (value("CPU implementer"), value("CPU part")) {
        (Some(implementer), Some(part)) => Ok(format!("implementer {implementer}, part {part}")),
        _ => Err(Error::Malformed {
            path,
            found: text.lines().next().unwrap_or_default().to_owned(),
            expected: "a line 'model name', or 'CPU implementer' and 'CPU part'",
        }),
    }
}

/// A file of one line.
pub(crate) fn line(path: &Path) -> Result<String, Error> {
    let text = slurp(path).map_err(|error| Error::from_io(path, error))?;
    if !text.trim().is_empty() {
        Ok(text.trim().to_owned())
    } else {
        Err(Error::Malformed { path: path.to_owned(), found: String::new(), expected: "a line of text" })
    }
}
