//! Events that count what memory controllers read and write, as the kernel describes them in files: `uncore_imc` of Intel, `amd_umc` of AMD. They
//! belong to no core: each is opened on one CPU of a package, and counts for all that runs there.

use numawise_units::CpuSet;

use crate::Roots;
use crate::counters::{SOURCES, processor};
use crate::event_terms::{MalformedEvent, encoded, of_terms};

#[cfg(test)]
#[path = "memory_controllers_tests.rs"]
mod tests;

/// Reads or writes of one controller.
#[derive(Debug, Clone, PartialEq)]
pub struct ControllerEvent {
    /// The source of the event, such as `uncore_imc_0`.
    pub source: String,
    /// `type` and `config` for perf_event_open(2).
    pub kind: u32,
    pub config: u64,
    /// Bytes for each that is counted.
    pub bytes: f64,
    /// CPUs on which it is to be opened: one of each package.
    pub cpus: CpuSet,
}

/// Why there is no such event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControllerError {
    #[error("no counters of memory controllers (uncore_imc, amd_umc) in this virtual machine")]
    NotInGuest,
    #[error(
        "the processor or the kernel has no counters of memory controllers that numawise knows (uncore_imc, amd_umc)"
    )]
    NotThere,
    #[error(transparent)]
    Malformed(#[from] MalformedEvent),
}

/// Sources of one kind.
struct Family {
    /// Of their names: what stands before the number, or the whole.
    name: &'static str,
    is_numbered: bool,
    events: Events,
}

enum Events {
    /// Those of these names that the kernel has, which also says how many bytes each is.
    Named(&'static [&'static str]),
    /// Terms that the kernel gives no names; each is a line of memory.
    Terms(&'static [&'static str]),
}

/// A line of memory, as AMD's controllers count them.
const LINE: f64 = 64.0;

/// In the order in which they are preferred: where there are free-running counters beside others, both count the same.
const FAMILIES: [Family; 4] = [
    Family {
        name: "uncore_imc_",
        is_numbered: true,
        // Two halves of a controller since Granite Rapids.
        events: Events::Named(&[
            "cas_count_read",
            "cas_count_write",
            "cas_count_read_sch0",
            "cas_count_read_sch1",
            "cas_count_write_sch0",
            "cas_count_write_sch1",
        ]),
    },
    Family {
        name: "uncore_imc_free_running_",
        is_numbered: true,
        events: Events::Named(&["data_read", "data_write", "read", "write"]),
    },
    Family { name: "uncore_imc", is_numbered: false, events: Events::Named(&["data_reads", "data_writes"]) },
    // UMC_CAS_CMD of Zen 4 and newer, reads and writes: "Processor Programming Reference" of family 19h, model 11h.
    Family {
        name: "amd_umc_",
        is_numbered: true,
        events: Events::Terms(&["event=0x0a,rdwrmask=1", "event=0x0a,rdwrmask=2"]),
    },
];

/// Reads and writes of all memory controllers.
///
/// # Errors
/// Where there are none, or the kernel describes them in a way that is not known.
#[doc(alias = "uncore_imc")]
#[doc(alias = "cas_count")]
pub fn controller_events(roots: &Roots) -> Result<Vec<ControllerEvent>, ControllerError> {
    let entries = std::fs::read_dir(roots.path(SOURCES)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    for family in &FAMILIES {
        let mut found = Vec::new();
        for name in names.iter().filter(|name| family.has(name)) {
            found.extend(of_source(roots, name, &family.events)?);
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Err(if processor(roots).is_guest { ControllerError::NotInGuest } else { ControllerError::NotThere })
}

impl Family {
    fn has(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(self.name) else { return false };
        let is_number = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        if self.is_numbered { is_number } else { rest.is_empty() }
    }
}

fn of_source(roots: &Roots, name: &str, events: &Events) -> Result<Vec<ControllerEvent>, MalformedEvent> {
    let folder = format!("{SOURCES}/{name}");
    let mut found: Vec<([u64; 3], f64)> = Vec::new();
    match events {
        Events::Named(names) => {
            for event in *names {
                if let Some(config) = encoded(roots, &folder, event, None)? {
                    found.push((config, bytes(roots, &format!("{folder}/events/{event}"))?));
                }
            }
        }
        Events::Terms(all) => {
            for terms in *all {
                found.push((of_terms(roots, &folder, &format!("{folder}/format"), terms, None)?, LINE));
            }
        }
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let kind = value(roots, &format!("{folder}/type"), "the number of a source of events")?;
    let cpus: CpuSet = value(roots, &format!("{folder}/cpumask"), "a list of CPUs")?;
    let event = |([config, rest @ ..], bytes): ([u64; 3], f64)| {
        if rest != [0, 0] {
            let found = format!("{rest:x?}");
            return Err(MalformedEvent { file: folder.clone(), found, expected: "events within config" });
        }
        Ok(ControllerEvent { source: name.to_owned(), kind, config, bytes, cpus: cpus.clone() })
    };
    found.into_iter().map(event).collect()
}

/// How many bytes an event stands for: `EVENT.scale` times `EVENT.unit`.
fn bytes(roots: &Roots, event: &str) -> Result<f64, MalformedEvent> {
    let scale: f64 = value(roots, &format!("{event}.scale"), "how many of its unit an event is")?;
    let file = format!("{event}.unit");
    let unit: String = value(roots, &file, "MiB")?;
    let unit = match unit.as_str() {
        "MiB" => 1_048_576.0,
        "KiB" => 1024.0,
        "Bytes" => 1.0,
        _ => return Err(MalformedEvent { file, found: unit, expected: "MiB" }),
    };
    let bytes = scale * unit;
    if bytes.is_finite() && bytes > 0.0 {
        return Ok(bytes);
    }
    Err(MalformedEvent {
        file: format!("{event}.scale"),
        found: scale.to_string(),
        expected: "a number above 0",
    })
}

fn value<T: std::str::FromStr>(
    roots: &Roots,
    file: &str,
    expected: &'static str,
) -> Result<T, MalformedEvent> {
    let text = roots.try_text(file).unwrap_or_default();
    text.trim().parse().map_err(|_| MalformedEvent {
        file: file.to_owned(),
        found: text.trim().chars().take(80).collect(),
        expected,
    })
}
