//! Instructions of Advanced SIMD by their operands and names; of SVE by the groups that their bits say (Arm Architecture Reference Manual, C4.1,
//! "SVE encodings"), with as many elements as the shortest vectors hold.

use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction, Opcode, Operand, SIMDSizeCode};

use super::{Element, Operation, Work};
use crate::listing::Listing;

/// Of the shortest vectors of SVE.
const SHORTEST: u32 = 128;
/// The stack pointer, as a base.
const STACK: u16 = 31;

pub fn works(listing: &Listing, begin: u64, code: &[u8]) -> Vec<Option<Work>> {
    let decoder = InstDecoder::default();
    let work = |ip: u64| {
        let at = usize::try_from(ip.wrapping_sub(begin)).ok()?;
        let bytes = code.get(at..at.checked_add(4)?)?;
        match decoder.decode(&mut U8Reader::new(bytes)) {
            Ok(instruction) => work(&instruction),
            Err(_) => scalable(u32::from_le_bytes(std::array::from_fn(|k| bytes[k]))),
        }
    };
    listing.steps().iter().map(|step| work(step.ip())).collect()
}

fn bits(size: SIMDSizeCode) -> u32 {
    match size {
        SIMDSizeCode::B => 8,
        SIMDSizeCode::H => 16,
        SIMDSizeCode::S => 32,
        SIMDSizeCode::D => 64,
        SIMDSizeCode::Q => 128,
    }
}

/// The bits of the register, and of an element in it.
fn shape(operand: &Operand) -> Option<(u32, u32)> {
    match *operand {
        Operand::SIMDRegister(size, _) => Some((bits(size), bits(size))),
        Operand::SIMDRegisterElements(whole, _, element) => Some((bits(whole), bits(element))),
        Operand::SIMDRegisterGroup(whole, _, element, _) => Some((bits(whole), bits(element))),
        // One element of a register.
        Operand::SIMDRegisterElementsLane(_, _, element, _)
        | Operand::SIMDRegisterElementsMultipleLane(_, _, element, _, _)
        | Operand::SIMDRegisterGroupLane(_, element, _, _) => Some((bits(element), bits(element))),
        _ => None,
    }
}

fn work(instruction: &Instruction) -> Option<Work> {
    let shapes = instruction.operands.iter().filter_map(shape);
    let (whole, element) = shapes.reduce(|one, other| {
        let lanes = |shape: (u32, u32)| shape.0 / shape.1;
        if lanes(other) > lanes(one) { other } else { one }
    })?;
    let name = format!("{:?}", instruction.opcode);
    let operation = operation(instruction.opcode, &name)?;
    let is_moved = matches!(operation, Operation::Load | Operation::Store);
    // What is loaded is bits: of a whole register four of four bytes.
    let element = if is_moved && element == 128 { 32 } else { element };
    let is_floating = name.starts_with('F') || name.contains("CVTF") || is_moved;
    let is_at_fixed_place = instruction
        .operands
        .iter()
        .any(|operand| matches!(operand, Operand::RegPreIndex(STACK, _, false) | Operand::PCOffset(_)));
    Some(Work {
        operation,
        element: of_bits(element, is_floating),
        lanes: whole / element,
        bits: whole,
        is_masked: false,
        is_at_fixed_place,
        is_of_unknown_length: false,
    })
}

fn of_bits(bits: u32, is_floating: bool) -> Option<Element> {
    match (bits, is_floating) {
        (8, _) => Some(Element::I8),
        (16, true) => Some(Element::F16),
        (16, false) => Some(Element::I16),
        (32, true) => Some(Element::F32),
        (32, false) => Some(Element::I32),
        (64, true) => Some(Element::F64),
        (64, false) => Some(Element::I64),
        _ => None,
    }
}

fn operation(opcode: Opcode, name: &str) -> Option<Operation> {
    let is = |all: &[&str]| all.iter().any(|begin| name.starts_with(begin));
    Some(match opcode {
        _ if is(&["FCVT", "SCVT", "UCVT", "XTN", "SXTL", "UXTL", "SSHLL", "USHLL", "FJCVT"]) => {
            Operation::Convert
        }
        _ if is(&[
            "FMADD", "FMSUB", "FNMADD", "FNMSUB", "FMLA", "FMLS", "MLA", "MLS", "SMLA", "UMLA", "SDOT",
            "UDOT",
        ]) =>
        {
            Operation::MultiplyAdd
        }
        _ if is(&["FMUL", "FNMUL", "MUL", "SMULL", "UMULL", "FCMLA"]) => Operation::Multiply,
        _ if is(&["FDIV", "FRECP"]) => Operation::Divide,
        _ if is(&["FSQRT", "FRSQRT"]) => Operation::SquareRoot,
        _ if is(&["FCM", "CM", "FCCMP", "FAC"]) => Operation::Compare,
        _ if is(&["FCSEL", "AND", "ORR", "ORN", "EOR", "BIC", "BIF", "BIT", "BSL", "NOT"]) => {
            Operation::Logic
        }
        _ if is(&["FMOV", "MOVI", "MVNI"]) => Operation::Other,
        _ if is(&["LD"]) => Operation::Load,
        _ if is(&["ST"]) => Operation::Store,
        _ if is(&["DUP", "INS", "UMOV", "SMOV", "EXT", "TBL", "TBX", "TRN", "UZP", "ZIP", "REV"]) => {
            Operation::Shuffle
        }
        _ if is(&[
            "F", "ADD", "SUB", "ABS", "NEG", "SQ", "UQ", "SH", "UH", "SSH", "USH", "SMAX", "SMIN", "UMAX",
            "UMIN", "SAB", "UAB", "SADD", "UADD",
        ]) =>
        {
            Operation::Add
        }
        _ => Operation::Other,
    })
}

/// An instruction of SVE; nothing for those that only work with predicates, and for what is none.
fn scalable(word: u32) -> Option<Work> {
    const SVE: u32 = 0b0010;
    let field = |lowest: u32, bits: u32| word >> lowest & ((1 << bits) - 1);
    if field(25, 4) != SVE {
        return None;
    }
    let is_floating = field(24, 8) == 0x65;
    let operation = match field(24, 8) {
        0x65 => floating(word),
        0x04 | 0x44 | 0x45 => Operation::Add,
        0x05 => Operation::Shuffle,
        0xa4 | 0xa5 => Operation::Load,
        0x84 | 0x85 | 0xc4 | 0xc5 => {
            let is_broadcast = field(30, 2) == 0b10 && field(22, 1) == 1 && field(15, 1) == 1;
            if is_broadcast { Operation::Shuffle } else { Operation::Gather }
        }
        0xe4 | 0xe5 => match field(13, 3) {
            0b010 | 0b111 | 0b011 => Operation::Store,
            _ => Operation::Scatter,
        },
        _ => return None,
    };
    let log2 = match operation {
        Operation::Load | Operation::Store => field(21, 2).max(1),
        _ => field(22, 2),
    };
    let element = 8 << log2;
    Some(Work {
        operation,
        element: of_bits(element, is_floating || matches!(operation, Operation::Load | Operation::Store)),
        lanes: SHORTEST / element,
        bits: SHORTEST,
        is_masked: false,
        is_at_fixed_place: false,
        is_of_unknown_length: true,
    })
}

/// The group "SVE floating-point", by bits 21, and 13 to 15.
fn floating(word: u32) -> Operation {
    let field = |lowest: u32, bits: u32| word >> lowest & ((1 << bits) - 1);
    match (field(21, 1), field(13, 3), field(10, 6)) {
        (1, _, _) => Operation::MultiplyAdd,
        (0, 0b000, 0b00_0010) => Operation::Multiply,
        (0, 0b100, _) if matches!(field(16, 5), 0b0_0010 | 0b1_1010) => Operation::Multiply,
        (0, 0b100, _) if matches!(field(16, 5), 0b0_1100 | 0b0_1101) => Operation::Divide,
        (0, 0b010 | 0b011 | 0b110, _) => Operation::Compare,
        (0, 0b101, _) if field(19, 2) == 0b10 => Operation::Convert,
        (0, 0b101, _) if field(16, 5) == 0b0_1101 => Operation::SquareRoot,
        _ => Operation::Add,
    }
}
