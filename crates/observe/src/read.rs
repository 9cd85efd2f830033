//! Readers of single files of `/proc`. Each parser takes bytes, so that its tests need no process; each reader takes a
//! path below a root, so that its tests need no host.

pub(crate) mod cmdline;
pub(crate) mod environ;
pub(crate) mod file;
pub(crate) mod maps;
pub(crate) mod numa_maps;
pub(crate) mod sched;
pub(crate) mod schedstat;
pub(crate) mod smaps;
pub(crate) mod stat;
pub(crate) mod status;
pub(crate) mod tasks;
