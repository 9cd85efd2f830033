//! The rows of phases, by kind and name: a hash table in the file to which any thread may add.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use numawise_wire::snapshot::{PHASES, Phase, PhaseKind};

use crate::process;

/// What tells a phase from others of its kind.
#[derive(Clone, Copy)]
pub enum PhaseName<'a> {
    Text(&'a [u8]),
    /// Of MPI_Pcontrol.
    Level(i32),
}

/// Of a name (FNV-1a).
pub fn hash(name: &[u8]) -> u64 {
    name.iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The row of a phase and its number; it is made where there is none. `None` where there is no place.
pub fn find<'a>(kind: PhaseKind, name: PhaseName<'_>) -> Option<(usize, &'a Phase)> {
    let of_name = match name {
        PhaseName::Text(text) => hash(text),
        PhaseName::Level(level) => u64::from(level.cast_unsigned()),
    };
    // Two names with the same number would be one phase: that is less likely than a bit that flips.
    let key = (of_name ^ (kind as u64) << 61).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let phases = process::phases()?;
    for step in 0..PHASES {
        let number = (key >> 58) as usize;
        let number = number.wrapping_add(step) % PHASES;
        let phase = phases.get(number)?;
        let found = match phase.key.load(Acquire) {
            0 => match phase.key.compare_exchange(0, key, AcqRel, Acquire) {
                Ok(_) => {
                    fill(phase, kind, name);
                    key
                }
                Err(found) => found,
            },
            found => found,
        };
        if found == key {
            return Some((number, phase));
        }
    }
    None
}

pub fn row<'a>(number: usize) -> Option<&'a Phase> {
    process::phases()?.get(number)
}

fn fill(phase: &Phase, kind: PhaseKind, name: PhaseName<'_>) {
    match name {
        PhaseName::Text(text) => process::copy(text, &phase.name),
        PhaseName::Level(level) => phase.level.store(level.cast_unsigned(), Relaxed),
    }
    phase.kind.store(kind as u32, Relaxed);
}
