//! What is known of the host beside its topology.

use numawise_facts::{HostFacts, Reading, environment};
use numawise_linux::{Error, Roots, host, memory};
use numawise_units::{HostId, Pid};

use crate::frequency;

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;

/// Reads the facts of the host and of our own environment.
pub fn facts(roots: &Roots) -> HostFacts {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    facts_with(roots, std::env::vars_os().map(|(name, value)| (text(name), text(value))))
}

/// The host's name as an identifier.
pub(crate) fn id(roots: &Roots) -> Reading<HostId> {
    match host::hostname(roots).map(HostId::new) {
        Ok(Some(host)) => Reading::Measured(host),
        Ok(None) => Reading::unavailable("the kernel's name of this host is empty"),
        Err(error) => Reading::unavailable(error.to_string()),
    }
}

fn facts_with(roots: &Roots, environment: impl Iterator<Item = (String, String)>) -> HostFacts {
    let or_not_there = |read: Result<String, Error>, reason: &'static str| match read {
        Err(Error::Gone { .. }) => Reading::unavailable(reason),
        read => read.into(),
    };
    HostFacts {
        hostname: host::hostname(roots).into(),
        kernel: host::kernel_release(roots).into(),
        cpu_model: host::cpu_model(roots).into(),
        environment: environment::kept(environment),
        numa_balancing: or_not_there(
            host::numa_balancing(roots),
            "this kernel has no automatic NUMA balancing",
        ),
        transparent_huge_pages: or_not_there(
            memory::transparent_huge_pages(roots),
            "this kernel has no transparent huge pages",
        ),
        frequency: frequency::facts(roots),
        pid: Pid(std::process::id() as i32),
    }
}
