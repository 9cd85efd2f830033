//! Events by which a processor samples loads itself, with their addresses and where the data came from, as the kernel describes them in
//! files: `mem-loads` of the core (PEBS of Intel; others have it too), IBS of AMD, and SPE of Arm.

use numawise_units::{CpuSet, Cycles};

use crate::Roots;
use crate::counters::{SOURCES, of_cores, processor};
use crate::event_terms::{MalformedEvent, encoded, of_terms, put};
use crate::spe::has_known_sources;

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

/// Operations from one sample to the next, of which those are kept that are loads and took long enough: a core that does two in a cycle takes 90,000 samples
/// a second, which the processor sorts out itself, and keeps less than 1,000 where one load in a hundred comes from memory.
const OPERATIONS: u64 = 1 << 16;

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
    /// Operations: those that are loads, and took so long and longer, are written into a buffer of their own (SPE). None where the processor gives no
    /// choice. `has_known_sources`: where data came from is told by numbers that are known here.
    Operations { least: Option<Cycles>, has_known_sources: bool },
}

/// Why no load can be sampled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadEventError {
    #[error(
        "no event that samples loads (PEBS, IBS, SPE) in this virtual machine; its host, or a computer without one, may have it"
    )]
    NotInGuest,
    #[error("the processor or the kernel has no event that samples loads (mem-loads, ibs_op, arm_spe)")]
    NotThere,
    #[error(transparent)]
    Malformed(#[from] MalformedEvent),
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
    let spe = of_spe(roots)?;
    if spe.is_empty() { Err(why_none(roots)) } else { Ok(spe) }
}

/// `mem-loads` of the cores of one kind.
fn of_core(roots: &Roots, name: &str, kind: u32) -> Result<Option<LoadEvent>, LoadEventError> {
    let folder = format!("{SOURCES}/{name}");
    // Its own limit is for all loads.
    let event = |name: &str| encoded(roots, &folder, name, Some(("ldlat", LEAST.0)));
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

/// Of each kind of core that has SPE.
fn of_spe(roots: &Roots) -> Result<Vec<LoadEvent>, LoadEventError> {
    let names = roots.path(SOURCES).read_dir().into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("arm_spe_")).collect();
    names.sort();
    let event = |name: &String| {
        let folder = format!("{SOURCES}/{name}");
        let has = |term: &str| roots.path(&format!("{folder}/format/{term}")).exists();
        // Times, so that it is known what lay at an address then; an interval that is not the same each time; what is to be kept.
        let least = format!("min_latency={}", LEAST.0);
        let terms = [
            ("ts_enable", "ts_enable=1"),
            ("jitter", "jitter=1"),
            ("load_filter", "load_filter=1"),
            ("min_latency", &least),
        ];
        let terms: Vec<&str> =
            terms.into_iter().filter(|(term, _)| has(term)).map(|(_, text)| text).collect();
        let kind = roots.try_value(&format!("{folder}/type"))?;
        let config = of_terms(roots, &folder, &format!("{folder}/format"), &terms.join(","), None);
        let period = roots.try_value(&format!("{folder}/caps/min_interval")).unwrap_or(0).max(OPERATIONS);
        let least = has("min_latency").then_some(LEAST);
        let counts =
            LoadEventCounts::Operations { least, has_known_sources: has_known_sources(&processor(roots)) };
        Some(config.map(|config| LoadEvent {
            kind,
            config,
            leader: None,
            period,
            precise: 0,
            can_leave_kernel_out: true,
            cpus: roots.try_value(&format!("{folder}/cpumask")),
            counts,
        }))
    };
    Ok(names.iter().filter_map(event).collect::<Result<_, _>>()?)
}

/// Two steps, the most that samples of loads need, or as many as there are. Kernels that do not say it have them on x86.
fn precision(roots: &Roots, folder: &str) -> u8 {
    let most = roots.try_value(&format!("{folder}/caps/max_precise"));
    most.unwrap_or(if cfg!(target_arch = "x86_64") { 2 } else { 0 }).min(2)
}

fn why_none(roots: &Roots) -> LoadEventError {
    if processor(roots).is_guest { LoadEventError::NotInGuest } else { LoadEventError::NotThere }
}
