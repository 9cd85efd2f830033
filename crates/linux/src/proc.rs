//! Readers of single files of `/proc`. Each parser takes bytes, so that its tests need no process; each reader takes a
//! path below a root, so that its tests need no host.

pub mod cmdline;
pub mod cpu_time;
pub mod environ;
pub mod io;
pub mod maps;
pub mod numa_maps;
pub mod sched;
pub mod schedstat;
pub mod smaps;
pub mod stat;
pub mod status;
pub mod tasks;
pub mod vmstat;
