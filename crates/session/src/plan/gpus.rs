//! Which GPUs may be shared out: all, or those that our own environment leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use numawise_facts::notice::{LaunchNotice, PlanNotice};
use numawise_facts::{GpuRuntime, Notice, TaskGpu};
use numawise_units::harmless::quoted;

use crate::Error;

#[cfg(test)]
#[path = "gpus_tests.rs"]
mod tests;

/// The numbers that variables of our environment name, by runtime; a runtime without its variable sees all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisibleGpus(BTreeMap<GpuRuntime, BTreeSet<u32>>);

impl VisibleGpus {
    /// # Errors
    /// When a variable names GPUs by anything but numbers: which these are, only the vendor's library knows.
    pub fn of(environment: &dyn Fn(&str) -> Option<OsString>) -> Result<VisibleGpus, Error> {
        let mut visible = VisibleGpus::default();
        for runtime in GpuRuntime::ALL {
            let Some(value) = environment(runtime.variable()) else { continue };
            let text = value.to_string_lossy();
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            let numbers: Result<BTreeSet<u32>, _> = words.map(str::parse).collect();
            let unknown = |_| Error::VisibleGpus { variable: runtime.variable(), found: quoted(&text) };
            visible.0.insert(runtime, numbers.map_err(unknown)?);
        }
        Ok(visible)
    }

    pub fn may(&self, gpu: &TaskGpu) -> bool {
        self.0.get(&gpu.runtime).is_none_or(|numbers| numbers.contains(&gpu.number))
    }
}

/// A rank that its launcher bound knows its own CPUs only, and so not who else is near to a GPU.
pub fn of_bound_rank(shares_gpus: bool, notes: &[Notice]) -> Option<Notice> {
    let bound = |note: &Notice| matches!(note, Notice::Launch(LaunchNotice::RankIsBound { .. }));
    (shares_gpus && notes.iter().any(bound)).then_some(PlanNotice::GpusOfBoundRank.into())
}
