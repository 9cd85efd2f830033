//! What instructions do that their operands do not say.

use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand, SIMDSizeCode, SizeCode};

use crate::step::Direction;

/// With memory; nothing for those that access none.
pub fn direction(instruction: &Instruction) -> Option<Direction> {
    use Opcode::*;
    let opcode = &instruction.opcode;
    let is_address = |operand: &Operand| {
        matches!(
            operand,
            Operand::RegRegOffset(..)
                | Operand::RegPreIndex(..)
                | Operand::RegPostIndex(..)
                | Operand::RegPostIndexReg(..)
        )
    };
    let is_literal = matches!(opcode, LDR | LDRSW)
        && instruction.operands.iter().any(|operand| matches!(operand, Operand::PCOffset(_)));
    if !is_literal && !instruction.operands.iter().any(is_address) {
        return None;
    }
    match opcode {
        // Nobody waits for it.
        PRFM | PRFUM => None,
        STLR | STLLR | STLRB | STLLRB | STLRH | STLLRH | STP | STNP | STR | STTR | STTRB | STTRH | STRB
        | STRH | STRW | STUR | STURB | STURH | ST1 | ST2 | ST3 | ST4 | STLUR | STLURB | STLURH | STG
        | STZG | ST2G | STZ2G | STGM | STZGM => Some(Direction::Write),
        _ if has_status(opcode) => Some(Direction::Write),
        _ if is_atomic(opcode) => Some(Direction::ReadAndWrite),
        _ => Some(Direction::Read),
    }
}

/// Stores that report in their first operand whether they were done.
pub fn has_status(opcode: &Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, STXR | STXRB | STXRH | STXP | STLXR | STLXRB | STLXRH | STLXP)
}

fn is_atomic(opcode: &Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        SWP(_)
            | SWPB(_)
            | SWPH(_)
            | CAS(_)
            | CASB(_)
            | CASH(_)
            | CASP(_)
            | LDADD(_)
            | LDADDB(_)
            | LDADDH(_)
            | LDCLR(_)
            | LDCLRB(_)
            | LDCLRH(_)
            | LDEOR(_)
            | LDEORB(_)
            | LDEORH(_)
            | LDSET(_)
            | LDSETB(_)
            | LDSETH(_)
            | LDSMAX(_)
            | LDSMAXB(_)
            | LDSMAXH(_)
            | LDSMIN(_)
            | LDSMINB(_)
            | LDSMINH(_)
            | LDUMAX(_)
            | LDUMAXB(_)
            | LDUMAXH(_)
            | LDUMIN(_)
            | LDUMINB(_)
            | LDUMINH(_)
    )
}

/// All operands are read.
pub fn only_reads(opcode: &Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        CBZ | CBNZ
            | TBZ
            | TBNZ
            | CCMP
            | CCMN
            | FCMP
            | FCMPE
            | FCCMP
            | FCCMPE
            | BR
            | BLR
            | RET
            | MSR
            | PRFM
            | PRFUM
    )
}

/// What the first operand held before stays in it, in part.
pub fn keeps_first(opcode: &Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        MOVK | BFM
            | FMLA
            | FMLS
            | FMLAL
            | FMLAL2
            | FMLSL
            | FMLSL2
            | FCMLA
            | MLA
            | MLS
            | SMLAL
            | SMLAL2
            | SMLSL
            | SMLSL2
            | UMLAL
            | UMLAL2
            | UMLSL
            | UMLSL2
            | UDOT
            | SDOT
            | SABA
            | UABA
            | SABAL
            | UABAL
            | SSRA
            | USRA
            | SRI
            | SLI
            | BSL
            | BIT
            | BIF
            | TBX
            | INS
            | XTN2
    )
}

pub fn reads_flags(opcode: &Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Bcc(_)
            | BCcc(_)
            | CSEL
            | CSINC
            | CSINV
            | CSNEG
            | FCSEL
            | CCMP
            | CCMN
            | FCCMP
            | FCCMPE
            | ADC
            | ADCS
            | SBC
            | SBCS
    )
}

pub fn writes_flags(opcode: &Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        ADDS | SUBS | ANDS | BICS | ADCS | SBCS | CCMP | CCMN | FCMP | FCMPE | FCCMP | FCCMPE | RMIF
    )
}

/// Bytes of the access, all of its registers together.
pub fn bytes(instruction: &Instruction) -> u32 {
    // One element fills all of a register.
    let fills = matches!(instruction.opcode, Opcode::LD1R | Opcode::LD2R | Opcode::LD3R | Opcode::LD4R);
    let data = instruction.operands.iter().map(|operand| match *operand {
        Operand::SIMDRegisterGroup(_, _, size, count) if fills => of_vector(size) * u32::from(count),
        Operand::Register(size, _) => of_general(size),
        Operand::RegisterPair(size, _) => 2 * of_general(size),
        Operand::SIMDRegister(size, _)
        | Operand::SIMDRegisterElementsLane(_, _, size, _)
        | Operand::SIMDRegisterElements(size, ..) => of_vector(size),
        Operand::SIMDRegisterGroup(size, _, _, count) | Operand::SIMDRegisterGroupLane(_, size, count, _) => {
            of_vector(size) * u32::from(count)
        }
        _ => 0,
    });
    let (first, all) = (data.clone().find(|bytes| *bytes > 0).unwrap_or(0), data.sum::<u32>());
    use Opcode::*;
    match instruction.opcode {
        LDRB | LDRSB | LDURB | LDURSB | LDTRB | LDTRSB | STRB | STURB | STTRB | LDARB | LDLARB | LDAXRB
        | LDXRB | STLRB | STLLRB | STXRB | STLXRB | LDAPRB | LDAPURB | LDAPURSB | STLURB | SWPB(_)
        | CASB(_) | LDADDB(_) | LDCLRB(_) | LDEORB(_) | LDSETB(_) => 1,
        LDRH | LDRSH | LDURH | LDURSH | LDTRH | LDTRSH | STRH | STURH | STTRH | LDARH | LDLARH | LDAXRH
        | LDXRH | STLRH | STLLRH | STXRH | STLXRH | LDAPRH | LDAPURH | LDAPURSH | STLURH | SWPH(_)
        | CASH(_) | LDADDH(_) | LDCLRH(_) | LDEORH(_) | LDSETH(_) => 2,
        LDRSW | LDURSW | LDTRSW | LDAPURSW => 4,
        LDPSW => 8,
        LDP | STP | LDNP | STNP | LDXP | LDAXP => all,
        STXP | STLXP => all - first,
        // The first register holds whether it was done.
        STXR | STLXR => all - first,
        _ => first,
    }
}

fn of_general(size: SizeCode) -> u32 {
    match size {
        SizeCode::X => 8,
        SizeCode::W => 4,
    }
}

fn of_vector(size: SIMDSizeCode) -> u32 {
    match size {
        SIMDSizeCode::B => 1,
        SIMDSizeCode::H => 2,
        SIMDSizeCode::S => 4,
        SIMDSizeCode::D => 8,
        SIMDSizeCode::Q => 16,
    }
}
