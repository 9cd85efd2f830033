//! Instructions of SSE, AVX and AVX-512, by their names: most say what they do, on which elements, and on one or on all.

use std::sync::OnceLock;

use iced_x86::InstructionInfoFactory;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpAccess, OpKind, Register, UsedMemory};

use super::{Element, Operation, Work};
use crate::listing::Listing;

pub fn works(listing: &Listing, begin: u64, code: &[u8]) -> Vec<Option<Work>> {
    let mut factory = InstructionInfoFactory::new();
    let mut work = |ip: u64| {
        let at = usize::try_from(ip.wrapping_sub(begin)).ok()?;
        let instruction = Decoder::with_ip(64, code.get(at..)?, ip, DecoderOptions::NONE).decode();
        let memory = factory.info(&instruction).used_memory().iter().find(|memory| accesses(memory)).copied();
        work(&instruction, memory)
    };
    listing.steps().iter().map(|step| work(step.ip())).collect()
}

fn accesses(memory: &UsedMemory) -> bool {
    !matches!(memory.access(), OpAccess::None | OpAccess::NoMemAccess)
}

fn work(instruction: &Instruction, memory: Option<UsedMemory>) -> Option<Work> {
    let registers = (0..instruction.op_count()).filter(|op| instruction.op_kind(*op) == OpKind::Register);
    let sizes =
        registers.map(|op| instruction.op_register(op)).filter(|register| register.is_vector_register());
    let bits = sizes.map(|register| 8 * register.size() as u32).max()?;
    let meaning = meaning(instruction.mnemonic())?;
    let is_written =
        memory.is_some_and(|memory| matches!(memory.access(), OpAccess::Write | OpAccess::CondWrite));
    let operation = match (meaning.operation, memory) {
        (Operation::Other, Some(_)) if is_written => Operation::Store,
        (Operation::Other, Some(_)) => Operation::Load,
        (operation, _) => operation,
    };
    let lanes = match (meaning.lanes, meaning.element) {
        (Lanes::One, _) => 1,
        (Lanes::Half, element) => 64 / element.map_or(64, Element::bits),
        (Lanes::All, Some(element)) => (bits / element.bits()).max(1),
        // Bits: as many as there would be of four bytes.
        (Lanes::All, None) => bits / 32,
    };
    let is_fixed = |memory: UsedMemory| {
        matches!(memory.base(), Register::RSP | Register::None) && memory.index() == Register::None
    };
    Some(Work {
        operation,
        element: meaning.element,
        lanes,
        bits,
        is_masked: instruction.op_mask() != Register::None,
        is_at_fixed_place: memory.is_some_and(is_fixed),
        is_of_unknown_length: false,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lanes {
    One,
    /// 64 bits, of a register of 128.
    Half,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Meaning {
    operation: Operation,
    element: Option<Element>,
    lanes: Lanes,
}

/// Kept, as a name is found by its spelling once only.
fn meaning(mnemonic: Mnemonic) -> Option<Meaning> {
    static KNOWN: OnceLock<Vec<OnceLock<Option<Meaning>>>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| Mnemonic::values().map(|_| OnceLock::new()).collect());
    let spelled = || named(&format!("{mnemonic:?}").to_ascii_lowercase());
    known.get(mnemonic as usize).map_or_else(spelled, |place| *place.get_or_init(spelled))
}

/// What an instruction with a vector register does, by its name in small letters.
fn named(name: &str) -> Option<Meaning> {
    let bare = name.strip_prefix('v').unwrap_or(name);
    let is = |operation, element, lanes| Some(Meaning { operation, element, lanes });
    if let Some(rest) = bare.strip_prefix("cvt") {
        return converted(rest);
    }
    if let Some((operation, element, lanes)) = moved(bare) {
        return is(operation, element, lanes);
    }
    if let Some(rest) = bare.strip_prefix('p')
        && let Some(operation) = integer(rest)
    {
        return is(operation, last_integer(rest), Lanes::All);
    }
    let (stem, element, lanes) = floating(bare)?;
    let operation = match stem {
        _ if ["fmadd", "fmsub", "fnmadd", "fnmsub"].iter().any(|begin| stem.starts_with(begin)) => {
            Operation::MultiplyAdd
        }
        "mul" | "fmul" | "dp" | "fcmul" => Operation::Multiply,
        "div" | "rcp" | "rcp14" | "rcp28" => Operation::Divide,
        "sqrt" | "rsqrt" | "rsqrt14" | "rsqrt28" => Operation::SquareRoot,
        _ if stem.starts_with("cmp") || stem.ends_with("comi") => Operation::Compare,
        "and" | "andn" | "or" | "xor" | "test" | "blend" | "blendv" | "blendm" => Operation::Logic,
        "add" | "sub" | "addsub" | "hadd" | "hsub" | "min" | "max" | "range" | "reduce" | "round"
        | "rndscale" | "scalef" | "getexp" | "getmant" | "fixupimm" => Operation::Add,
        _ => Operation::Shuffle,
    };
    is(operation, Some(element), lanes)
}

/// Conversions: `ss`, `sd`, `sh` and `si` stand in those of one element.
fn converted(rest: &str) -> Option<Meaning> {
    let one = ["ss", "sd", "sh", "si"].iter().any(|part| rest.contains(part));
    let has = |part: &str| rest.contains(part);
    // The wider of both types says how many there are.
    let element = match () {
        () if has("pd") || has("sd") || has("qq") => Element::F64,
        () if has("ps") || has("ss") || has("dq") => Element::F32,
        () => Element::F16,
    };
    let lanes = if one { Lanes::One } else { Lanes::All };
    Some(Meaning { operation: Operation::Convert, element: Some(element), lanes })
}

/// Moves between registers and memory, with and without a mask.
fn moved(bare: &str) -> Option<(Operation, Option<Element>, Lanes)> {
    use Element::{F32, F64, I8, I16, I32, I64};
    let other = Operation::Other;
    Some(match bare {
        "movss" => (other, Some(F32), Lanes::One),
        "movsd" => (other, Some(F64), Lanes::One),
        "movsh" | "movw" => (other, Some(Element::F16), Lanes::One),
        "movd" => (other, Some(I32), Lanes::One),
        "movq" | "movq2dq" | "movdq2q" => (other, Some(I64), Lanes::One),
        "movaps" | "movups" | "movntps" => (other, Some(F32), Lanes::All),
        "movapd" | "movupd" | "movntpd" => (other, Some(F64), Lanes::All),
        "movdqa" | "movdqu" | "lddqu" | "movntdq" | "movntdqa" => (other, None, Lanes::All),
        "movdqu8" => (other, Some(I8), Lanes::All),
        "movdqu16" => (other, Some(I16), Lanes::All),
        "movdqa32" | "movdqu32" | "pmaskmovd" => (other, Some(I32), Lanes::All),
        "movdqa64" | "movdqu64" | "pmaskmovq" => (other, Some(I64), Lanes::All),
        "maskmovps" => (other, Some(F32), Lanes::All),
        "maskmovpd" => (other, Some(F64), Lanes::All),
        "movlps" | "movhps" => (other, Some(F32), Lanes::Half),
        "movlpd" | "movhpd" => (other, Some(F64), Lanes::Half),
        "broadcastss" => (Operation::Shuffle, Some(F32), Lanes::One),
        "broadcastsd" => (Operation::Shuffle, Some(F64), Lanes::One),
        _ if bare.contains("gather") => (Operation::Gather, gathered(bare), Lanes::All),
        _ if bare.contains("scatter") => (Operation::Scatter, gathered(bare), Lanes::All),
        _ if bare.starts_with("mov") => (Operation::Shuffle, None, Lanes::All),
        _ => return None,
    })
}

fn gathered(bare: &str) -> Option<Element> {
    match bare.get(bare.len().saturating_sub(2)..)? {
        "ps" => Some(Element::F32),
        "pd" => Some(Element::F64),
        "dd" | "qd" => Some(Element::I32),
        _ => Some(Element::I64),
    }
}

/// Instructions on whole numbers, behind their `p`.
fn integer(rest: &str) -> Option<Operation> {
    let begins = |all: &[&str]| all.iter().any(|begin| rest.starts_with(begin));
    Some(match () {
        () if begins(&["mull", "mulu", "muld", "mulh", "madd"]) => Operation::Multiply,
        () if begins(&["dpb", "dpw"]) => Operation::MultiplyAdd,
        () if begins(&["cmpistr", "cmpestr"]) => Operation::Compare,
        () if begins(&["cmp"]) => Operation::Compare,
        () if begins(&["movsx", "movzx", "movu", "movs", "movw", "movd", "movq"]) => Operation::Convert,
        () if begins(&[
            "add", "sub", "min", "max", "avg", "abs", "sad", "sll", "srl", "sra", "rol", "ror", "sign",
            "hadd", "hsub", "popcnt", "lzcnt", "conflict", "shl",
        ]) =>
        {
            Operation::Add
        }
        () if begins(&["and", "or", "xor", "test", "ternlog", "blend"]) => Operation::Logic,
        () => Operation::Shuffle,
    })
}

/// The type that the name of an instruction on whole numbers ends with.
fn last_integer(rest: &str) -> Option<Element> {
    match rest.as_bytes().last()? {
        _ if rest.ends_with("dq") && !rest.starts_with("mul") => None,
        b'b' => Some(Element::I8),
        b'w' => Some(Element::I16),
        b'd' => Some(Element::I32),
        b'q' => Some(Element::I64),
        _ => None,
    }
}

/// The name without its type, and the type.
fn floating(bare: &str) -> Option<(&str, Element, Lanes)> {
    let (stem, last) = bare.split_at_checked(bare.len().checked_sub(2)?)?;
    let (element, lanes) = match last {
        "ps" => (Element::F32, Lanes::All),
        "pd" => (Element::F64, Lanes::All),
        "ph" => (Element::F16, Lanes::All),
        "ss" => (Element::F32, Lanes::One),
        "sd" => (Element::F64, Lanes::One),
        "sh" => (Element::F16, Lanes::One),
        _ => return None,
    };
    Some((stem, element, lanes))
}
