//! What an instruction makes of general registers, where that is understood.

use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand, ShiftStyle, SizeCode};

use super::{LAST, source};
use crate::registers::{Part, Source};
use crate::step::{Change, Compare, Condition, Operation};

/// Of the first operand.
pub fn change(ip: u64, instruction: &Instruction) -> Option<Change> {
    let operands = &instruction.operands;
    let (to, is_narrow) = match operands[0] {
        // Nothing is kept of what goes to zero.
        Operand::Register(_, LAST) => return None,
        Operand::Register(size, number) | Operand::RegisterOrSP(size, number) => {
            (number as u8, size == SizeCode::W)
        }
        _ => return None,
    };
    let make = |operation, a, b| Some(Change { to, operation, a, b, plus: 0, is_narrow });
    let both = |operation| make(operation, value(&operands[1])?, value(&operands[2])?);
    let zero = Source::Constant(0);
    match instruction.opcode {
        Opcode::ADD | Opcode::ADDS => both(Operation::Add),
        Opcode::SUB | Opcode::SUBS => both(Operation::Subtract),
        Opcode::AND | Opcode::ANDS => both(Operation::And),
        Opcode::ORR => both(Operation::Or),
        Opcode::EOR => both(Operation::Xor),
        Opcode::MOVZ => make(Operation::Add, value(&operands[1])?, zero),
        Opcode::MOVN => make(Operation::Xor, value(&operands[1])?, Source::Constant(u64::MAX)),
        Opcode::ADR => make(Operation::Add, Source::Constant(ip.wrapping_add(offset(operands)?)), zero),
        Opcode::ADRP => {
            make(Operation::Add, Source::Constant((ip & !0xfff).wrapping_add(offset(operands)?)), zero)
        }
        Opcode::MADD if is_zero(&operands[3]) => both(Operation::Multiply),
        Opcode::UBFM => field(operands, to, is_narrow, false),
        Opcode::SBFM => field(operands, to, is_narrow, true),
        _ => None,
    }
}

/// What flags say of registers that count; a branch that compares with zero says it itself.
pub fn compares(instruction: &Instruction) -> Option<Compare> {
    let operands = &instruction.operands;
    let is_narrow =
        matches!(operands[0], Operand::Register(SizeCode::W, _) | Operand::RegisterOrSP(SizeCode::W, _));
    let (a, b, is_sum) = match instruction.opcode {
        Opcode::SUBS => (value(&operands[1])?, value(&operands[2])?, false),
        Opcode::ADDS => (value(&operands[1])?, value(&operands[2])?, true),
        Opcode::CBZ | Opcode::CBNZ => (value(&operands[0])?, Source::Constant(0), false),
        _ => return None,
    };
    Some(Compare { a, b, is_sum, is_narrow })
}

/// By the numbers of conditions (Arm Architecture Reference Manual, C1.2.4); without regard to signs.
pub fn condition(opcode: Opcode) -> Option<Condition> {
    Some(match opcode {
        Opcode::CBZ | Opcode::Bcc(0) => Condition::Equal,
        Opcode::CBNZ | Opcode::Bcc(1) => Condition::NotEqual,
        Opcode::Bcc(3 | 4 | 11) => Condition::Less,
        Opcode::Bcc(9 | 13) => Condition::LessOrEqual,
        Opcode::Bcc(8 | 12) => Condition::Greater,
        Opcode::Bcc(2 | 5 | 10) => Condition::GreaterOrEqual,
        _ => return None,
    })
}

fn is_zero(operand: &Operand) -> bool {
    matches!(operand, Operand::Register(_, LAST))
}

fn offset(operands: &[Operand; 4]) -> Option<u64> {
    operands.iter().find_map(|operand| match operand {
        Operand::PCOffset(offset) => Some(*offset as u64),
        _ => None,
    })
}

fn value(operand: &Operand) -> Option<Source> {
    let known = |source| (source != Source::Unknown).then_some(source);
    match *operand {
        Operand::Register(size, number) => known(source(number, size, ShiftStyle::LSL, 0)),
        Operand::RegisterOrSP(SizeCode::X, number) => Some(Source::whole(number as u8)),
        Operand::RegisterOrSP(SizeCode::W, number) => {
            Some(Source::Register { number: number as u8, part: Part::Unsigned(32), shift: 0 })
        }
        Operand::RegShift(style, shift, size, number) => known(source(number, size, style, shift)),
        Operand::Immediate(value) => Some(Source::Constant(u64::from(value))),
        Operand::Imm64(value) => Some(Source::Constant(value)),
        Operand::Imm16(value) => Some(Source::Constant(u64::from(value))),
        Operand::ImmShift(value, shift) => Some(Source::Constant(u64::from(value) << shift)),
        _ => None,
    }
}

/// Shifts by a constant, and extensions of parts: all are fields that are moved.
fn field(operands: &[Operand; 4], to: u8, is_narrow: bool, is_signed: bool) -> Option<Change> {
    let (Operand::Register(_, number), Operand::Immediate(turned), Operand::Immediate(last)) =
        (operands[1], operands[2], operands[3])
    else {
        return None;
    };
    let (turned, last) = (turned as u8, last as u8);
    let width = if is_narrow { 32 } else { 64 };
    let field = |bits, shift| {
        let part = match (bits, is_signed) {
            (64, _) => Part::Whole,
            (_, true) => Part::Signed(bits),
            (_, false) => Part::Unsigned(bits),
        };
        match number {
            LAST => Source::Constant(0),
            _ => Source::Register { number: number as u8, part, shift },
        }
    };
    let zero = Source::Constant(0);
    let (operation, a, b) = if last >= width || turned >= width {
        return None;
    } else if last < turned {
        (Operation::Add, field(last + 1, width - turned), zero)
    } else if is_signed {
        (Operation::ShiftRightSigned, field(last + 1, 0), Source::Constant(u64::from(turned)))
    } else {
        (Operation::ShiftRight, field(last + 1, 0), Source::Constant(u64::from(turned)))
    };
    Some(Change { to, operation, a, b, plus: 0, is_narrow })
}
