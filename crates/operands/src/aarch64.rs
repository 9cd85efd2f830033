//! Code of aarch64. What the decoder does not know, such as SVE, is kept as an instruction of which little is known.

mod changes;
mod opcodes;
mod scalable;

use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction, Opcode, Operand, ShiftStyle, SizeCode};

use crate::registers::{Part, RegisterSet, Source};
use crate::step::{Change, Direction, Flow, Load, MemoryOperand, Step};

#[cfg(test)]
#[path = "aarch64_tests.rs"]
mod tests;

/// Bytes of each instruction.
const WORD: usize = 4;
/// The number that stands for zero, or for the stack pointer, by where it stands.
const LAST: u16 = 31;
const FLAGS: RegisterSet = RegisterSet::of(RegisterSet::FLAGS);

/// `yield` and `wfe`, which spinning threads run; some runtimes take `isb` for it.
const PAUSES: [u32; 3] = [0xd503_203f, 0xd503_205f, 0xd503_3fdf];

/// The instructions of code that lies at `begin`.
pub fn steps(begin: u64, code: &[u8]) -> Vec<Step> {
    let decoder = InstDecoder::default();
    let words = code.chunks_exact(WORD).enumerate();
    words
        .map(|(k, bytes)| {
            let ip = begin.wrapping_add((WORD * k) as u64);
            let word = u32::from_le_bytes(std::array::from_fn(|k| bytes[k]));
            let step = match decoder.decode(&mut U8Reader::new(bytes)) {
                Ok(instruction) => step(ip, &instruction),
                Err(_) => scalable::step(ip, word),
            };
            Step { pauses: PAUSES.contains(&word), ..step }
        })
        .collect()
}

fn step(ip: u64, instruction: &Instruction) -> Step {
    let (reads, writes) = used(instruction);
    let memory = memory(ip, instruction);
    let moved = moved(instruction);
    let made = if memory.is_some() { None } else { changes::change(ip, instruction) };
    Step {
        ip,
        bytes: WORD as u8,
        flow: flow(ip, instruction),
        memory: memory.into_iter().collect(),
        reads,
        writes,
        changes: [made, moved],
        load: load(instruction),
        repeats: false,
        pauses: false,
        compares: changes::compares(instruction),
        condition: changes::condition(instruction.opcode),
    }
}

fn flow(ip: u64, instruction: &Instruction) -> Flow {
    let target = || {
        instruction.operands.iter().find_map(|operand| match operand {
            Operand::PCOffset(offset) => Some(ip.wrapping_add_signed(*offset)),
            _ => None,
        })
    };
    match instruction.opcode {
        Opcode::B => target().map_or(Flow::Away, Flow::Jump),
        Opcode::Bcc(_) | Opcode::BCcc(_) | Opcode::CBZ | Opcode::CBNZ | Opcode::TBZ | Opcode::TBNZ => {
            target().map_or(Flow::Away, Flow::Branch)
        }
        Opcode::BL
        | Opcode::BLR
        | Opcode::BLRAA
        | Opcode::BLRAAZ
        | Opcode::BLRAB
        | Opcode::BLRABZ
        | Opcode::SVC => Flow::Call,
        Opcode::BR
        | Opcode::BRAA
        | Opcode::BRAAZ
        | Opcode::BRAB
        | Opcode::BRABZ
        | Opcode::RET
        | Opcode::RETAA
        | Opcode::RETAB
        | Opcode::ERET
        | Opcode::BRK
        | Opcode::HLT
        | Opcode::UDF => Flow::Away,
        _ => Flow::Next,
    }
}

/// A general register where 31 is zero.
fn general(number: u16) -> RegisterSet {
    if number == LAST { RegisterSet::NONE } else { RegisterSet::of(number as u8) }
}

fn vectors(first: u16, count: u8) -> RegisterSet {
    let number = |k| RegisterSet::of(RegisterSet::VECTORS + ((first + u16::from(k)) % 32) as u8);
    (0..count).fold(RegisterSet::NONE, |all, k| all.with(number(k)))
}

/// Data registers that an operand names.
fn data(operand: &Operand) -> RegisterSet {
    match *operand {
        Operand::Register(_, number) | Operand::RegShift(_, _, _, number) => general(number),
        Operand::RegisterOrSP(_, number) => RegisterSet::of(number as u8),
        Operand::RegisterPair(_, number) => general(number).with(general((number + 1) % 32)),
        Operand::SIMDRegister(_, number)
        | Operand::SIMDRegisterElements(_, number, _)
        | Operand::SIMDRegisterElementsLane(_, number, _, _)
        | Operand::SIMDRegisterElementsMultipleLane(_, number, _, _, _) => vectors(number, 1),
        Operand::SIMDRegisterGroup(_, number, _, count)
        | Operand::SIMDRegisterGroupLane(number, _, count, _) => vectors(number, count),
        _ => RegisterSet::NONE,
    }
}

/// Registers of the address that an operand is, and the one that moves.
fn of_address(operand: &Operand) -> (RegisterSet, RegisterSet) {
    let base = |number: u16| RegisterSet::of(number as u8);
    match *operand {
        Operand::RegRegOffset(first, second, ..) => (base(first).with(general(second)), RegisterSet::NONE),
        Operand::RegPreIndex(first, _, false) => (base(first), RegisterSet::NONE),
        Operand::RegPreIndex(first, _, true) | Operand::RegPostIndex(first, _) => (base(first), base(first)),
        Operand::RegPostIndexReg(first, second) => (base(first).with(general(second)), base(first)),
        _ => (RegisterSet::NONE, RegisterSet::NONE),
    }
}

/// What is read and what is written.
fn used(instruction: &Instruction) -> (RegisterSet, RegisterSet) {
    let opcode = &instruction.opcode;
    let direction = opcodes::direction(instruction);
    let (mut reads, mut writes) = (RegisterSet::NONE, RegisterSet::NONE);
    for (place, operand) in instruction.operands.iter().enumerate() {
        let (address, moved) = of_address(operand);
        reads = reads.with(address);
        writes = writes.with(moved);
        let data = data(operand);
        let (is_read, is_written) = match direction {
            Some(Direction::Read) => (opcodes::keeps_first(opcode), true),
            // Whether it could be stored comes back in the first one.
            Some(Direction::Write) if opcodes::has_status(opcode) => (place > 0, place == 0),
            Some(Direction::Write) => (true, false),
            Some(Direction::ReadAndWrite) => (true, true),
            None if opcodes::only_reads(opcode) => (true, false),
            None => (place > 0 || opcodes::keeps_first(opcode), place == 0),
        };
        reads = if is_read { reads.with(data) } else { reads };
        writes = if is_written { writes.with(data) } else { writes };
    }
    reads = if opcodes::reads_flags(opcode) { reads.with(FLAGS) } else { reads };
    writes = if opcodes::writes_flags(opcode) { writes.with(FLAGS) } else { writes };
    (reads, writes)
}

fn memory(ip: u64, instruction: &Instruction) -> Option<MemoryOperand> {
    let direction = opcodes::direction(instruction)?;
    let none = Source::Constant(0);
    let (base, index, displacement) = instruction.operands.iter().find_map(|operand| {
        let base = |number: u16| Source::whole(number as u8);
        Some(match *operand {
            Operand::RegRegOffset(first, second, size, style, shift) => {
                (base(first), source(second, size, style, shift), 0)
            }
            Operand::RegPreIndex(first, offset, _) => (base(first), none, i64::from(offset)),
            // It moves behind the access.
            Operand::RegPostIndex(first, _) | Operand::RegPostIndexReg(first, _) => (base(first), none, 0),
            Operand::PCOffset(offset) => (Source::Constant(ip), none, offset),
            _ => return None,
        })
    })?;
    Some(MemoryOperand {
        base,
        index,
        displacement: displacement as u64,
        segment: None,
        is_narrow: false,
        bytes: opcodes::bytes(instruction),
        direction,
        elements: 1,
    })
}

/// A load of a whole register, or of one of 32 bits, which clears the upper half.
fn load(instruction: &Instruction) -> Option<Load> {
    let is_word = matches!(instruction.opcode, Opcode::LDR | Opcode::LDUR);
    let is_signed = matches!(instruction.opcode, Opcode::LDRSW | Opcode::LDURSW);
    let Operand::Register(size, to) = instruction.operands[0] else { return None };
    let part = match size {
        SizeCode::X if is_word => Part::Whole,
        SizeCode::W if is_word => Part::Unsigned(32),
        SizeCode::X if is_signed => Part::Signed(32),
        _ => return None,
    };
    (to != LAST).then_some(Load { to: to as u8, part })
}

/// The base of an address, where it moves.
fn moved(instruction: &Instruction) -> Option<Change> {
    instruction.operands.iter().find_map(|operand| match *operand {
        Operand::RegPreIndex(base, offset, true) | Operand::RegPostIndex(base, offset) => {
            Some(Change::moved(base as u8, i64::from(offset) as u64))
        }
        Operand::RegPostIndexReg(base, by) if by != LAST => {
            Some(Change::sum(base as u8, Source::whole(base as u8), Source::whole(by as u8), 0))
        }
        _ => None,
    })
}

/// A register where 31 is zero, part of it, and shifted; unknown where it is shifted to the right or turned.
fn source(number: u16, size: SizeCode, style: ShiftStyle, shift: u8) -> Source {
    let part = match (style, size) {
        (ShiftStyle::UXTB, _) => Part::Unsigned(8),
        (ShiftStyle::UXTH, _) => Part::Unsigned(16),
        (ShiftStyle::SXTB, _) => Part::Signed(8),
        (ShiftStyle::SXTH, _) => Part::Signed(16),
        (ShiftStyle::SXTW, _) => Part::Signed(32),
        (ShiftStyle::UXTW, _) | (ShiftStyle::LSL, SizeCode::W) => Part::Unsigned(32),
        (ShiftStyle::LSL | ShiftStyle::UXTX | ShiftStyle::SXTX, _) => Part::Whole,
        _ => return Source::Unknown,
    };
    if number == LAST {
        return Source::Constant(0);
    }
    Source::Register { number: number as u8, part, shift }
}
