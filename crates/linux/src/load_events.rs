//! Events by which a processor samples loads itself, with their addresses and where the data came from, as the kernel describes them in
//! files: `mem-loads` of the core (PEBS of Intel; others have it too), and IBS of AMD.

use numawise_units::{CpuSet, Cycles};

use crate::Roots;
use crate::counters::{SOURCES, of_cores, processor};

#[cfg(test)]
#[path = "load_events_tests.rs"]
mod tests;

/// Loads that took fewer cycles are not sampled where that can be chosen: those that the first cache answers tell nothing of memory.
const LEAST: Cycles = Cycles(30);
/// Loads from one sample to the next: prime, so that no loop is met again and again at the same one. A core does some 200 million loads a second
/// beyond its second cache at most, which makes 2,000 samples.
const LOADS: u64 = 100_003;
/// Cycles from one sample to the next, a multiple of 16 as IBS takes it, and of 20 bits as the first processors with IBS have it.
const CYCLES: u64 = 0xf_fff0;

/// How an event is opened: words for perf_event_open(2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadEvent {
    /// `type`.
    pub kind: u32,
    /// `config`, `config1` and `config2`.
    pub config: [u64; 3],
    /// The same of an event that has to lead its group: some processors know where data came from only beside it.
    pub leader: Option<[u64; 3]>,
    /// Of what it counts, from one sample to the next.
    pub period: u64,
    /// How many steps of precision are asked for.
    pub precise: u8,
    /// It can leave out what the kernel does; else the kernel's own samples come too.
    pub can_leave_kernel_out: bool,
    /// CPUs that have it; all where the kernel names none.
    pub cpus: Option<CpuSet>,
    pub counts: LoadEventCounts,
}

/// What such an event counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadEventCounts {
    /// Loads that took so long and longer; none where the processor gives no choice.
    Loads(Option<Cycles>),
    /// Cycles: whatever instruction is then begun is sampled, loads among them (IBS).
    Cycles,
}

/// Why no load can be sampled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadEventError {
    #[error(
        "the host of this virtual machine shows it no event that samples loads (PEBS, IBS); on the host, or on a computer of its own, there may \
         be one"
    )]
    NotInGuest,
    #[error("the processor or the kernel has no event that samples loads (mem-loads, ibs_op)")]
    NotThere,
    #[error("the processor samples accesses by SPE ({name}), which numawise does not read")]
    SpeOnly { name: String },
    #[error("{file} is '{found}', expected {expected}")]
    Malformed { file: String, found: String, expected: &'static str },
}

/// The events for all CPUs of the machine: one, or one for each kind of core.
///
/// # Errors
/// Where there is none, or the kernel describes it in a way that is not known.
#[doc(alias = "PEBS")]
#[doc(alias = "IBS")]
pub fn load_events(roots: &Roots) -> Result<Vec<LoadEvent>, LoadEventError> {
    let of_cores: Vec<LoadEvent> = of_cores(roots)
        .into_iter()
        .filter_map(|core| of_core(roots, &core.name, core.kind).transpose())
        .collect::<Result<_, _>>()?;
    if !of_cores.is_empty() {
        return Ok(of_cores);
    }
    if let Some(kind) = roots.try_value(&format!("{SOURCES}/ibs_op/type")) {
        return Ok(vec![of_ibs(roots, kind)]);
    }
    Err(why_none(roots))
}

/// `mem-loads` of the cores of one kind.
fn of_core(roots: &Roots, name: &str, kind: u32) -> Result<Option<LoadEvent>, LoadEventError> {
    let folder = format!("{SOURCES}/{name}");
    let event = |name: &str| encoded(roots, &folder, name);
    let Some(config) = event("mem-loads")? else { return Ok(None) };
    let chooses = roots.path(&format!("{folder}/format/ldlat")).exists();
    Ok(Some(LoadEvent {
        kind,
        config,
        leader: event("mem-loads-aux")?,
        period: LOADS,
        precise: precision(roots, &folder),
        can_leave_kernel_out: true,
        cpus: roots.try_value(&format!("{folder}/cpus")),
        counts: LoadEventCounts::Loads(chooses.then_some(LEAST)),
    }))
}

fn of_ibs(roots: &Roots, kind: u32) -> LoadEvent {
    // Since Linux 6.14 the kernel can leave samples of its own out before anybody sees them.
    let filter = roots.try_text(&format!("{SOURCES}/ibs_op/format/swfilt"));
    let filter = filter.and_then(|format| put(&format, 1));
    LoadEvent {
        kind,
        config: filter.unwrap_or_default(),
        leader: None,
        period: CYCLES,
        precise: 0,
        can_leave_kernel_out: filter.is_some(),
        cpus: None,
        counts: LoadEventCounts::Cycles,
    }
}

/// Two steps, the most that samples of loads need, or as many as there are. Kernels that do not say it have them on x86.
fn precision(roots: &Roots, folder: &str) -> u8 {
    let most = roots.try_value(&format!("{folder}/caps/max_precise"));
    most.unwrap_or(if cfg!(target_arch = "x86_64") { 2 } else { 0 }).min(2)
}

/// The words of a named event: `event=0xcd,umask=0x1,ldlat=3`, each term in the bits that its format names. None where there is no such event.
fn encoded(roots: &Roots, folder: &str, event: &str) -> Result<Option<[u64; 3]>, LoadEventError> {
    let file = format!("{folder}/events/{event}");
    let Some(text) = roots.try_text(&file) else { return Ok(None) };
    let mut config = [0; 3];
    for term in text.trim().split(',') {
        let malformed = |found: &str, expected| {
            let found = found.chars().take(80).collect();
            LoadEventError::Malformed { file: file.clone(), found, expected }
        };
        let (name, value) = term.split_once('=').unwrap_or((term, "1"));
        let value = number(value).ok_or_else(|| malformed(&text, "terms with numbers"))?;
        let value = if name == "ldlat" { LEAST.0 } else { value };
        // A name that leads out of the folder is none.
        let format = Some(name).filter(|name| !name.contains('/'));
        let format = format.and_then(|name| roots.try_text(&format!("{folder}/format/{name}")));
        let format = format.ok_or_else(|| malformed(&text, "terms of which the format is known"))?;
        let bits = put(&format, value).ok_or_else(|| {
            malformed(
                &format!("{term} with the format {}", format.trim()),
                "bits of config, config1 or config2",
            )
        })?;
        for (word, bits) in config.iter_mut().zip(bits) {
            *word |= bits;
        }
    }
    Ok(Some(config))
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A value in the bits of a format, the lowest first: `config:0-7,32-35`, `config1:0-15`.
fn put(format: &str, value: u64) -> Option<[u64; 3]> {
    let (word, ranges) = format.trim().split_once(':')?;
    let word = ["config", "config1", "config2"].iter().position(|name| *name == word)?;
    let mut config = [0; 3];
    let mut rest = value;
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last > 63 {
            return None;
        }
        let width = last - first + 1;
        let mask = u64::MAX >> (64 - width);
        config[word] |= (rest & mask) << first;
        rest = rest.checked_shr(width).unwrap_or(0);
    }
    // What does not fit would be another event.
    (rest == 0).then_some(config)
}

fn why_none(roots: &Roots) -> LoadEventError {
    let mut names = roots.path(SOURCES).read_dir().into_iter().flatten().flatten();
    let names = names
        .find_map(|entry| entry.file_name().into_string().ok().filter(|name| name.starts_with("arm_spe_")));
    match names {
        Some(name) => LoadEventError::SpeOnly { name },
        None if processor(roots).is_guest => LoadEventError::NotInGuest,
        None => LoadEventError::NotThere,
    }
}
