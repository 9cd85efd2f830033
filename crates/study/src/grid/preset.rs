//! Factors of experiments that many people do, fitted to a machine.

use std::fmt;
use std::str::FromStr;

use numawise_facts::{Machine, MemoryKind, MemoryRequest, RanksByThreads, Strategy, ThreadBinding};
use numawise_units::harmless::quoted;

use super::factor::GridFactor;

#[cfg(test)]
#[path = "preset_tests.rs"]
mod tests;

/// An experiment that many people do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Threads from one to all CPUs, by strategy.
    Scaling,
    /// Copies from one to as many as there are cores, by strategy.
    Copies,
    /// High-bandwidth memory against the rest.
    Hbm,
    /// Pinned threads against free ones.
    Pinning,
    /// All divisions of the CPUs into ranks and threads.
    Hybrid,
}

const NAMES: [(&str, Preset); 5] = [
    ("scaling", Preset::Scaling),
    ("copies", Preset::Copies),
    ("hbm", Preset::Hbm),
    ("pinning", Preset::Pinning),
    ("hybrid", Preset::Hybrid),
];

/// A word that is no preset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no preset; expected scaling, copies, hbm, pinning or hybrid")]
pub struct ParsePresetError(String);

impl FromStr for Preset {
    type Err = ParsePresetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = NAMES.iter().find(|(name, _)| *name == text);
        known.map(|(_, preset)| *preset).ok_or_else(|| ParsePresetError(quoted(text)))
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, preset)| preset == self).map_or("", |(name, _)| name);
        f.pad(name)
    }
}

/// A preset that this machine cannot show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    #[error(
        "the preset hbm compares high-bandwidth memory with the rest, and this machine has none that we may use"
    )]
    NoHbm,
}

impl Preset {
    /// Its factors on a machine, those left out that were given.
    ///
    /// # Errors
    /// [`PresetError::NoHbm`].
    pub fn factors(self, machine: &Machine, given: &[GridFactor]) -> Result<Vec<GridFactor>, PresetError> {
        let cpus = machine.allowed_cpus.len() as u32;
        let nodes = machine.nodes.iter().filter(|node| {
            machine.allowed_nodes.contains(node.id)
                && !node.cpus.intersection(&machine.allowed_cpus).is_empty()
        });
        let several = nodes.count() > 1;
        let strategies =
            |all: &[Strategy], one: &[Strategy]| if several { all.to_vec() } else { one.to_vec() };
        let all = match self {
            Preset::Scaling => {
                let (all, one) = (
                    [Strategy::None, Strategy::Local, Strategy::Distributed],
                    [Strategy::None, Strategy::Local],
                );
                vec![GridFactor::Threads(powers(cpus)), GridFactor::Place(strategies(&all, &one))]
            }
            Preset::Copies => {
                let (all, one) = (
                    [Strategy::Local, Strategy::Distributed, Strategy::Semi],
                    [Strategy::None, Strategy::Local],
                );
                vec![GridFactor::Copies(powers(cpus)), GridFactor::Place(strategies(&all, &one))]
            }
            Preset::Hbm => {
                let is_hbm = |node: &&numawise_facts::Node| {
                    node.kind == MemoryKind::Hbm && machine.allowed_nodes.contains(node.id)
                };
                if !machine.nodes.iter().any(|node| is_hbm(&node)) {
                    return Err(PresetError::NoHbm);
                }
                vec![GridFactor::Memory(vec![MemoryRequest::Default, MemoryRequest::Hbm])]
            }
            Preset::Pinning => vec![GridFactor::Pin(vec![ThreadBinding::Free, ThreadBinding::Pinned])],
            Preset::Hybrid => {
                let divisions = (1..=cpus).filter(|threads| cpus.is_multiple_of(*threads));
                let divisions = divisions.map(|threads| RanksByThreads { ranks: cpus / threads, threads });
                vec![GridFactor::RanksTimesThreads(divisions.collect())]
            }
        };
        Ok(all.into_iter().filter(|factor| given.iter().all(|other| other.name() != factor.name())).collect())
    }
}

/// 1, 2, 4, ... and the number itself.
fn powers(most: u32) -> Vec<u32> {
    let mut all: Vec<u32> = (0..32).map(|exponent| 1 << exponent).take_while(|power| *power < most).collect();
    all.push(most.max(1));
    all
}
