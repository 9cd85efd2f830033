//! The machine: a live Linux system, an hwloc XML file or a synthetic description becomes a [`Machine`].
//!
//! There are two readers. The full one lets hwloc discover (or convert, or invent) the machine and reads the XML that
//! hwloc writes; it knows caches, kinds of cores and what hwloc knows of processors. The quick one reads a few files
//! below `/sys` and `/proc`, needs no library and gives only what a placement needs. Both agree on nodes, CPUs, cores,
//! packages and on what is allowed.
//!
//! This crate does not know what the machine is used for: no placement, no program, no measurement. It changes nothing:
//! no binding, no policy, no environment.

mod allowed;
mod core_kinds;
mod device;
mod devices;
mod error;
mod files;
mod fingerprint;
#[cfg(test)]
mod fixture;
mod hmat;
mod hwloc;
mod kinds;
mod limits;
mod live;
mod measured;
mod policy;
mod profiled;
mod recorded;
mod sysfs;
mod xml;

pub use allowed::{AllowedSets, online_in_cgroup};
pub use device::{DeviceError, nodes_of_device};
pub use error::{Error, XmlError};
pub use fingerprint::fingerprint;
pub use limits::{
    Launcher, LauncherError, REHEARSAL, WEIGHTS, affinity_refusal, global_weight, launcher, limits, rehearsal,
};
pub use live::{live, live_without_hwloc, without_hwloc};
pub use measured::{hwloc_xml, hwloc_xml_from, with_measured, with_measured_of};
pub use policy::Policy;
pub use profiled::of_profile;
pub use recorded::{from_input, from_synthetic, from_xml_file};
pub use sysfs::{
    cpus_of_node, online_cpus, online_nodes, quick, quick_with_figures, threads_of_core, with_devices,
};

pub use numawise_facts::Machine;
pub use numawise_linux::Roots;
