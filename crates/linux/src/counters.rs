//! What the kernel says of its counters in files: which cores have some, who may use them, and how much memory traffic there was.

use numawise_units::{Bytes, CpuId};

use crate::Roots;

#[cfg(test)]
#[path = "counters_tests.rs"]
mod tests;

/// Where the kernel describes its sources of events.
pub(crate) const SOURCES: &str = "/sys/bus/event_source/devices";
const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";
const RESCTRL: &str = "/sys/fs/resctrl/mon_data";

/// Counters of the cores of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreCounters {
    /// As the kernel calls them: `cpu`, `cpu_core`, `armv8_pmuv3_0`.
    pub name: String,
    /// What perf_event_open(2) takes for `type`.
    pub kind: u32,
}

/// Sources of events that belong to cores, in the order of their names; most processors have one. None in a virtual machine whose host
/// keeps its counters to itself.
#[doc(alias = "PMU")]
pub fn of_cores(roots: &Roots) -> Vec<CoreCounters> {
    let entries = std::fs::read_dir(roots.path(SOURCES)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    let of_cores = |name: &String| {
        // Kernels name the only one `cpu`; one of several kinds says which cores it is for, and other sources do not.
        name == "cpu" || roots.path(&format!("{SOURCES}/{name}/cpus")).exists()
    };
    let source = |name: String| {
        let kind = roots.try_value(&format!("{SOURCES}/{name}/type"))?;
        Some(CoreCounters { name, kind })
    };
    names.into_iter().filter(of_cores).filter_map(source).collect()
}

/// Who may count: from 3 on nobody without privileges, 2 the own processes but not what the kernel does for them, 1 that too.
#[doc(alias = "perf_event_paranoid")]
pub fn paranoid(roots: &Roots) -> Option<i32> {
    roots.try_value(PARANOID)
}

/// The maker and the model of the processor, as `/proc/cpuinfo` has them for the first CPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessorName {
    /// `vendor_id`; of ARM the number of the implementer (`0x41`).
    pub vendor: String,
    /// `cpu family`; 0 for ARM.
    pub family: u32,
    /// `model`; of ARM the number of the part.
    pub model: u32,
    /// It runs under a hypervisor, which an x86 processor says.
    pub is_guest: bool,
}

/// Empty where the kernel does not say.
pub fn processor(roots: &Roots) -> ProcessorName {
    let text = roots.try_text("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
    };
    let number = |key| value(key).and_then(|text| text.parse().ok());
    let part = || u32::from_str_radix(value("CPU part")?.trim_start_matches("0x"), 16).ok();
    ProcessorName {
        vendor: value("vendor_id").or_else(|| value("CPU implementer")).unwrap_or_default().to_owned(),
        family: number("cpu family").unwrap_or(0),
        model: number("model").or_else(part).unwrap_or(0),
        is_guest: value("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
    }
}

/// Traffic of the memory behind one last-level cache since the monitor was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonitoredTraffic {
    pub cache: u32,
    pub total: Bytes,
    pub local: Bytes,
}

/// Why the monitor says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrafficError {
    #[error(
        "the monitor of memory bandwidth (resctrl) is not mounted; root may do so with `mount -t resctrl resctrl /sys/fs/resctrl`"
    )]
    NotMounted,
    #[error(
        "no monitor of memory bandwidth (resctrl) in this virtual machine; its host, or a computer without one, may have it"
    )]
    NotInGuest,
    #[error("the processor or the kernel has no monitor of memory bandwidth (resctrl)")]
    NotThere,
    #[error("the monitor of memory bandwidth (resctrl) may not be read by this user")]
    Denied,
    #[error("the monitor of memory bandwidth (resctrl) says '{found}' in {file}, expected a number of bytes")]
    Malformed { file: String, found: String },
}

/// What the kernel's monitor of bandwidth shows, by cache: of all programs that were not put into a group of their own.
///
/// # Errors
/// Where it is not there, may not be read, or says something else.
#[doc(alias = "resctrl")]
#[doc(alias = "mbm_total_bytes")]
pub fn traffic(roots: &Roots) -> Result<Vec<MonitoredTraffic>, TrafficError> {
    let entries = std::fs::read_dir(roots.path(RESCTRL)).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => TrafficError::Denied,
        _ => why_not_there(roots),
    })?;
    let mut all = Vec::new();
    for name in entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
        let Some(cache) = name.strip_prefix("mon_L3_").and_then(|number| number.parse().ok()) else {
            continue;
        };
        let bytes = |of: &str| {
            let file = format!("{RESCTRL}/{name}/{of}");
            let text = roots.text(&file).map_err(|error| match error.kind() {
                std::io::ErrorKind::PermissionDenied => TrafficError::Denied,
                _ => TrafficError::NotThere,
            })?;
            let found = text.trim();
            let bytes = found.parse().map(Bytes);
            bytes.map_err(|_| TrafficError::Malformed {
                file: file.clone(),
                found: found.chars().take(40).collect(),
            })
        };
        all.push(MonitoredTraffic {
            cache,
            total: bytes("mbm_total_bytes")?,
            local: bytes("mbm_local_bytes")?,
        });
    }
    all.sort_by_key(|of| of.cache);
    if all.is_empty() { Err(why_not_there(roots)) } else { Ok(all) }
}

/// The number of the last-level cache that the monitor has for a CPU.
pub fn monitored_cache(roots: &Roots, cpu: CpuId) -> Option<u32> {
    roots.try_value(&format!("/sys/devices/system/cpu/cpu{cpu}/cache/index3/id"))
}

/// The processor says whether it has such a monitor (`cqm_mbm_total`, of Intel and of AMD), and whether it is a virtual one.
fn why_not_there(roots: &Roots) -> TrafficError {
    let text = roots.try_text("/proc/cpuinfo").unwrap_or_default();
    let mut flags = text.lines().filter_map(|line| line.split_once(':'));
    let flags = flags.find(|(name, _)| name.trim() == "flags").map_or("", |(_, flags)| flags);
    let has = |flag: &str| flags.split_whitespace().any(|one| one == flag);
    if has("cqm_mbm_total") && !roots.path(RESCTRL).exists() {
        TrafficError::NotMounted
    } else if has("hypervisor") {
        TrafficError::NotInGuest
    } else {
        TrafficError::NotThere
    }
}
