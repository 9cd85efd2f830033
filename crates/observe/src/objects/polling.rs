//! Libraries of message passing, whose threads ask again and again whether something has come.

use std::path::Path;

/// What their files are called before `.so`: MPI libraries and what they are made of (Open MPI 4 and 5, MPICH, Intel MPI, MVAPICH), transports (UCX, libfabric, PSM,
/// verbs), NCCL and its like. Their loops hold what they ask for in caches, and say nothing of the program's memory; what they copy, memcpy of the C library copies, mostly.
const NAMES: [&str; 23] = [
    "libmpi",
    "libmpich",
    "libmpifort",
    "libmpi_usempif08",
    "libopen-pal",
    "libopen-rte",
    "libpmix",
    "libevent_core",
    "libucp",
    "libuct",
    "libucs",
    "libucm",
    "libucc",
    "libfabric",
    "libpsm2",
    "libpsm3",
    "libpsm_infinipath",
    "libibverbs",
    "libmlx5",
    "libefa",
    "libnccl",
    "librccl",
    "libshmem",
];

/// Whether a file is one of them, by its name without version.
pub fn is_message_passing(file: &str) -> bool {
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // `libmpi-abi.so`, `mca_pml_ucx.so` of Open MPI's plugins, `libuct_ib.so`.
    let stem = name.split(".so").next().unwrap_or_default();
    let is_name = |known: &&str| {
        stem.strip_prefix(*known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-']))
    };
    name.contains(".so") && (NAMES.iter().any(is_name) || stem.starts_with("mca_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_passing_is_known_by_the_names_of_its_files() {
        for file in [
            "/usr/lib/x86_64-linux-gnu/libmpich.so.12.2.1",
            "/usr/lib/x86_64-linux-gnu/libuct.so.0.0.0",
            "/usr/lib/ucx/libuct_ib.so.0",
            "/opt/ompi/lib/openmpi/mca_btl_sm.so",
            "libmpi.so",
            "/opt/mpich/lib/libmpi-abi.so.1",
        ] {
            assert!(is_message_passing(file), "{file}");
        }
        for file in [
            "/home/me/libmpicalc.so",
            "/home/me/libmpi",
            "libmpi.a",
            "/usr/lib/libc.so.6",
            "app",
            "",
            "libucpp.so",
        ] {
            assert!(!is_message_passing(file), "{file}");
        }
    }
}
