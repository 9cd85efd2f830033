//! Accesses at addresses that do not follow from the registers: the same instruction is asked what it accesses at other times.

use std::collections::{BTreeMap, HashMap};

use numawise_units::Pid;

use super::tally::{Used, User};

/// An instruction of a process.
pub type Instruction = (Pid, u64);

/// What instructions access, and how often that was not known.
#[derive(Debug, Clone, Default)]
pub struct UnknownAccesses {
    known: HashMap<Instruction, BTreeMap<u32, f64>>,
    waiting: BTreeMap<(Instruction, User, Option<u32>), Used>,
}

/// A use that was not known to be of this object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuessedUse {
    pub object: u32,
    pub user: User,
    pub place: Option<u32>,
    pub used: Used,
}

/// An instruction tells what it accesses at other times from so many samples on.
const LEAST_KNOWN: f64 = 5.0;

impl UnknownAccesses {
    /// An access of which the object is known.
    pub fn learn(&mut self, instruction: Instruction, object: u32, samples: f64) {
        *self.known.entry(instruction).or_default().entry(object).or_default() += samples;
    }

    /// One of which it is not.
    pub fn wait(&mut self, instruction: Instruction, user: User, place: Option<u32>, used: Used) {
        self.waiting.entry((instruction, user, place)).or_default().add(used);
    }

    /// Those that waited, divided among the objects as the instruction's others are; and how many stay unknown.
    pub fn resolve(self) -> (Vec<GuessedUse>, f64) {
        let mut guessed = Vec::new();
        let mut unknown = 0.0;
        for ((instruction, user, place), used) in self.waiting {
            let objects = self.known.get(&instruction);
            let all: f64 = objects.into_iter().flat_map(|objects| objects.values()).sum();
            let Some(objects) = objects.filter(|_| all >= LEAST_KNOWN) else {
                unknown += used.samples;
                continue;
            };
            guessed.extend(objects.iter().map(|(object, weight)| {
                let part = weight / all;
                let used = Used { samples: used.samples * part, reads: used.reads * part };
                GuessedUse { object: *object, user, place, used }
            }));
        }
        (guessed, unknown)
    }
}
