//! What is known of the host beside its topology.

use std::fs;
use std::path::Path;

use numawise_facts::{HostFacts, Reading};
use numawise_units::Pid;

use crate::error::Error;
use crate::roots::Roots;

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;

/// Environment variables that steer threads, memory and libraries, by their beginning.
const STEERING: [&str; 16] = [
    "OMP_",
    "GOMP_",
    "KMP_",
    "OPENBLAS_",
    "MKL_",
    "BLIS_",
    "GOTO_",
    "MALLOC_",
    "MIMALLOC_",
    "GLIBC_TUNABLES",
    "JEMALLOC_",
    "TCMALLOC_",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "OMPI_",
    "I_MPI_",
];

/// Reads the facts of the host and of our own environment.
pub fn facts(roots: &Roots) -> HostFacts {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    facts_with(roots, std::env::vars_os().map(|(name, value)| (text(name), text(value))))
}

fn facts_with(roots: &Roots, environment: impl Iterator<Item = (String, String)>) -> HostFacts {
    let kernel = roots.proc.join("sys/kernel");
    let mut environment: Vec<(String, String)> =
        environment.filter(|(name, _)| STEERING.iter().any(|start| name.starts_with(start))).collect();
    environment.sort();
    HostFacts {
        hostname: line(&kernel.join("hostname")).into(),
        kernel: line(&kernel.join("osrelease")).into(),
        cpu_model: cpu_model(roots).into(),
        environment,
        numa_balancing: match line(&kernel.join("numa_balancing")) {
            Err(Error::Gone { .. }) => Reading::unavailable("this kernel has no automatic NUMA balancing"),
            read => read.into(),
        },
        transparent_huge_pages: match line(&roots.sys.join("kernel/mm/transparent_hugepage/enabled")) {
            Ok(choices) => Reading::Measured(chosen(&choices).to_owned()),
            Err(Error::Gone { .. }) => Reading::unavailable("this kernel has no transparent huge pages"),
            Err(error) => Reading::unavailable(error.to_string()),
        },
        governor: governor(roots),
        pid: Pid(std::process::id() as i32),
    }
}

/// A file of one line.
fn line(path: &Path) -> Result<String, Error> {
    let text = fs::read(path).map_err(|error| Error::from_io(path, error))?;
    let text = String::from_utf8_lossy(text.trim_ascii()).into_owned();
    if !text.is_empty() {
        Ok(text)
    } else {
        Err(Error::Malformed { path: path.to_owned(), found: String::new(), expected: "a line of text" })
    }
}

/// The choice in brackets of `always [madvise] never`; the whole where there are no brackets.
fn chosen(choices: &str) -> &str {
    let inside = choices.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(choices, |(choice, _)| choice)
}

/// The CPU's name: `model name` on x86; on aarch64 implementer and part, since the kernel knows no names there.
fn cpu_model(roots: &Roots) -> Result<String, Error> {
    let path = roots.proc.join("cpuinfo");
    let text = fs::read(&path).map_err(|error| Error::from_io(&path, error))?;
    let text = String::from_utf8_lossy(&text);
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

/// The governors of all CPUs: as a rule one.
fn governor(roots: &Roots) -> Reading<String> {
    let policies = roots.sys.join("devices/system/cpu/cpufreq");
    let mut found: Vec<String> = fs::read_dir(&policies)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|policy| line(&policy.path().join("scaling_governor")).ok())
        .collect();
    found.sort();
    found.dedup();
    if !found.is_empty() {
        Reading::Measured(found.join(", "))
    } else {
        Reading::unavailable(
            "the kernel does not set the CPUs' frequency (no cpufreq; usual in virtual machines)",
        )
    }
}
