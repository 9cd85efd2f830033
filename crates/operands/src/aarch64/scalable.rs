//! Instructions that the decoder does not know: those of SVE by what their bits say of memory and registers, all others by the registers
//! that they may write.

use crate::registers::{Part, RegisterSet, Source};
use crate::step::{Direction, Flow, MemoryOperand, Step};

/// Bits 25 to 28 of all instructions of SVE (Arm Architecture Reference Manual, C4.1, "A64 instruction set encoding").
const SVE: u32 = 0b0010;
/// log2 of the bytes of an element in memory, by bits 21 to 24 of a contiguous load (the same, "SVE memory - contiguous load").
const LOADED: [u8; 16] = [0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3];

fn field(word: u32, lowest: u32, bits: u32) -> u32 {
    word >> lowest & ((1 << bits) - 1)
}

/// Where the instruction may name registers.
const NAMES: [u32; 3] = [0, 5, 16];

pub fn step(ip: u64, word: u32) -> Step {
    let is_sve = field(word, 25, 4) == SVE;
    let direction = if is_sve { direction(word) } else { None };
    let named = |first: u8| NAMES.map(|place| RegisterSet::of(first + field(word, place, 5) as u8));
    let (general, vectors) = (named(0), named(RegisterSet::VECTORS));
    let all = |sets: [RegisterSet; 3]| sets.into_iter().fold(RegisterSet::NONE, RegisterSet::with);
    let (reads, writes) = match direction {
        Some(Direction::Read) => (general[1].with(general[2]), vectors[0]),
        Some(_) => (general[1].with(general[2]).with(vectors[0]), RegisterSet::NONE),
        None => (
            all(general).with(all(vectors)),
            // Only those of SVE have but one that they write.
            if is_sve { general[0].with(vectors[0]) } else { all(general).with(all(vectors)) }
                .with(RegisterSet::of(RegisterSet::FLAGS)),
        ),
    };
    Step {
        ip,
        bytes: 4,
        flow: Flow::Next,
        memory: direction.map(|direction| memory(word, direction)).into_iter().collect(),
        reads,
        writes,
        changes: [None, None],
        load: None,
        repeats: false,
        pauses: false,
        compares: None,
        condition: None,
    }
}

fn direction(word: u32) -> Option<Direction> {
    match field(word, 25, 7) {
        0b100_0010 | 0b101_0010 | 0b110_0010 => Some(Direction::Read),
        0b111_0010 => Some(Direction::Write),
        _ => None,
    }
}

/// The memory from the address on that the registers say; of gathers, and where it depends on the length of vectors, nobody knows where.
fn memory(word: u32, direction: Direction) -> MemoryOperand {
    let (base, index) = (field(word, 5, 5) as u8, field(word, 16, 5) as u8);
    let (is_contiguous, shift) = match field(word, 25, 7) {
        0b101_0010 => (true, LOADED[field(word, 21, 4) as usize]),
        0b111_0010 => (true, field(word, 23, 2) as u8),
        _ => (false, 0),
    };
    let by_register = match direction {
        Direction::Read => matches!(field(word, 13, 3), 0b010 | 0b011),
        _ => field(word, 13, 3) == 0b010,
    };
    let by_number = match direction {
        Direction::Read => field(word, 13, 3) == 0b101 && field(word, 20, 1) == 0,
        _ => field(word, 13, 3) == 0b111 && field(word, 20, 1) == 0,
    } && field(word, 16, 4) == 0;
    let none = Source::Constant(0);
    let (base, index) = match (is_contiguous, by_register, by_number) {
        (true, true, _) if index != 31 => {
            (Source::whole(base), Source::Register { number: index, part: Part::Whole, shift })
        }
        (true, _, true) => (Source::whole(base), none),
        _ => (Source::Unknown, none),
    };
    MemoryOperand {
        base,
        index,
        displacement: 0,
        segment: None,
        is_narrow: false,
        bytes: if is_contiguous { 1 << shift } else { 0 },
        direction,
        elements: 1,
    }
}
