//! Code of x86-64.

use iced_x86::{
    ConditionCode, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfo,
    InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory, UsedRegister,
};

use crate::registers::{Part, RegisterSet, Source};
use crate::step::{
    Change, Compare, Condition, Direction, Flow, Load, MemoryOperand, Operation, Segment, Step,
};

/// Numbers of general registers.
const RSP: u8 = 4;
const RBP: u8 = 5;
const RSI: u8 = 6;
const RDI: u8 = 7;

/// The instructions of code that lies at `begin`. Data among them is passed over.
pub fn steps(begin: u64, code: &[u8]) -> Vec<Step> {
    let mut decoder = Decoder::with_ip(64, code, begin, DecoderOptions::NONE);
    let mut factory = InstructionInfoFactory::new();
    let mut steps = Vec::with_capacity(code.len() / 4);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        let position = decoder.position();
        decoder.decode_out(&mut instruction);
        if instruction.is_invalid() {
            // The next byte may begin an instruction again.
            decoder.set_ip(begin.wrapping_add(position as u64 + 1));
            if decoder.set_position(position + 1).is_err() {
                break;
            }
            continue;
        }
        steps.push(step(&instruction, factory.info(&instruction)));
    }
    steps
}

fn step(instruction: &Instruction, info: &InstructionInfo) -> Step {
    let registers = info.used_registers();
    let memory = info.used_memory().iter().filter_map(|memory| operand(memory, registers));
    let used = |wanted: fn(Direction) -> bool| {
        let used = registers.iter().filter(|used| direction(used.access()).is_some_and(wanted));
        used.fold(RegisterSet::NONE, |all, used| all.with(set(used.register())))
    };
    let reads = used(|direction| direction != Direction::Write);
    let writes = used(|direction| direction != Direction::Read);
    Step {
        ip: instruction.ip(),
        bytes: instruction.len() as u8,
        flow: flow(instruction),
        memory: memory.collect(),
        reads: reads.with(flags(instruction.rflags_read())),
        writes: writes.with(flags(instruction.rflags_modified())),
        changes: changes(instruction, writes),
        load: load(instruction),
        repeats: instruction.is_string_instruction()
            && (instruction.has_rep_prefix() || instruction.has_repne_prefix()),
        pauses: instruction.mnemonic() == Mnemonic::Pause,
        compares: compares(instruction),
        condition: condition(instruction),
    }
}

fn flags(bits: u32) -> RegisterSet {
    RegisterSet(u128::from(bits) << RegisterSet::FLAGS)
}

/// The whole register that this one is a part of.
fn set(register: Register) -> RegisterSet {
    let whole = register.full_register();
    if whole.is_gpr64() {
        RegisterSet::of(whole.number() as u8)
    } else if whole.is_vector_register() {
        RegisterSet::of(RegisterSet::VECTORS + whole.number() as u8)
    } else if whole.is_k() {
        RegisterSet::of(RegisterSet::MASKS + whole.number() as u8)
    } else {
        RegisterSet::NONE
    }
}

fn flow(instruction: &Instruction) -> Flow {
    let target = instruction.near_branch_target();
    match instruction.flow_control() {
        FlowControl::Next | FlowControl::XbeginXabortXend => Flow::Next,
        FlowControl::Call | FlowControl::IndirectCall => Flow::Call,
        FlowControl::UnconditionalBranch => Flow::Jump(target),
        FlowControl::ConditionalBranch => Flow::Branch(target),
        FlowControl::IndirectBranch
        | FlowControl::Return
        | FlowControl::Interrupt
        | FlowControl::Exception => {
            if instruction.mnemonic() == Mnemonic::Syscall {
                Flow::Call
            } else {
                Flow::Away
            }
        }
    }
}

fn direction(access: OpAccess) -> Option<Direction> {
    match access {
        OpAccess::Read | OpAccess::CondRead => Some(Direction::Read),
        OpAccess::Write | OpAccess::CondWrite => Some(Direction::Write),
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => Some(Direction::ReadAndWrite),
        OpAccess::None | OpAccess::NoMemAccess => None,
    }
}

fn operand(memory: &UsedMemory, registers: &[UsedRegister]) -> Option<MemoryOperand> {
    let spreads = memory.index().is_vector_register();
    let part = |register| part(register, 0).unwrap_or(Source::Unknown);
    let index = match part(memory.index()) {
        // The places are not sampled: the elements lie from the base on.
        _ if spreads => Source::Constant(0),
        Source::Register { number, part, .. } => {
            Source::Register { number, part, shift: memory.scale().trailing_zeros() as u8 }
        }
        other => other,
    };
    Some(MemoryOperand {
        base: part(memory.base()),
        index,
        displacement: memory.displacement(),
        segment: match memory.segment() {
            Register::FS => Some(Segment::Fs),
            Register::GS => Some(Segment::Gs),
            // In 64-bit mode the others begin at 0.
            _ => None,
        },
        is_narrow: memory.address_size() == iced_x86::CodeSize::Code32,
        bytes: memory.memory_size().size() as u32,
        direction: direction(memory.access())?,
        elements: if spreads { elements(memory, registers) } else { 1 },
    })
}

/// Elements of a gather or scatter.
fn elements(memory: &UsedMemory, registers: &[UsedRegister]) -> u32 {
    let all = |register: Register, bytes: usize| register.size().checked_div(bytes).unwrap_or(1);
    let places = memory.index();
    let others = registers.iter().map(UsedRegister::register);
    let others = others.filter(|one| one.is_vector_register() && *one != places);
    // Places and elements may have different sizes: as many as fit on both sides.
    let data = others.map(|register| all(register, memory.memory_size().size())).max();
    let place = if memory.vsib_size() == 8 { 8 } else { 4 };
    data.unwrap_or(1).min(all(places, place)).max(1) as u32
}

/// The value of a register, from bit `lowest` on where that is 0 or the register has such a half.
fn part(register: Register, shift: u8) -> Option<Source> {
    let number = register.full_register().number() as u8;
    match register {
        Register::None => Some(Source::Constant(0)),
        _ if register.is_gpr64() => Some(Source::Register { number, part: Part::Whole, shift }),
        _ if register.is_gpr32() => Some(Source::Register { number, part: Part::Unsigned(32), shift }),
        _ => None,
    }
}

/// What the instruction makes of general registers, where that is understood.
fn changes(instruction: &Instruction, writes: RegisterSet) -> [Option<Change>; 2] {
    let element = string_element(instruction);
    if element > 0 {
        let moved = |register| writes.has(register).then(|| Change::moved(register, element));
        return [moved(RSI), moved(RDI)];
    }
    let stack = stack_change(instruction);
    let own = own_change(instruction).filter(|change| writes.has(change.to));
    // `pop rsp` and the like: what was loaded is not known.
    let stack =
        stack.filter(|_| set(instruction.op0_register()) != RegisterSet::of(RSP) || is_push(instruction));
    [own, stack]
}

/// A load of a whole register, or of one of 32 bits, which clears the upper half.
fn load(instruction: &Instruction) -> Option<Load> {
    let register = instruction.op0_register();
    if instruction.op1_kind() != OpKind::Memory || !(register.is_gpr32() || register.is_gpr64()) {
        return None;
    }
    let bits = 8 * instruction.memory_size().size() as u8;
    let part = match instruction.mnemonic() {
        Mnemonic::Mov if register.is_gpr64() => Part::Whole,
        Mnemonic::Mov | Mnemonic::Movzx => Part::Unsigned(bits),
        Mnemonic::Movsx | Mnemonic::Movsxd if register.is_gpr64() => Part::Signed(bits),
        _ => return None,
    };
    Some(Load { to: register.full_register().number() as u8, part })
}

fn is_push(instruction: &Instruction) -> bool {
    instruction.stack_pointer_increment() < 0
}

fn stack_change(instruction: &Instruction) -> Option<Change> {
    match instruction.mnemonic() {
        Mnemonic::Leave => Some(Change::sum(RSP, Source::whole(RBP), Source::Constant(0), 8)),
        Mnemonic::Enter => None,
        _ if instruction.is_stack_instruction() => {
            Some(Change::moved(RSP, i64::from(instruction.stack_pointer_increment()) as u64))
        }
        _ => None,
    }
}

/// Bytes by which an instruction for strings goes on, upwards as programs have it; 0 for all others.
fn string_element(instruction: &Instruction) -> u64 {
    if !instruction.is_string_instruction() {
        return 0;
    }
    instruction.memory_size().size() as u64
}

/// Of the first operand, where it is made anew as a whole: those of 32 bits clear the upper half.
fn own_change(instruction: &Instruction) -> Option<Change> {
    use Operation::{Add, And, Multiply, Or, ShiftLeft, ShiftRight, ShiftRightSigned, Subtract, Xor};
    let register = instruction.op0_register();
    let is_narrow = register.is_gpr32();
    if !(is_narrow || register.is_gpr64()) {
        return None;
    }
    let to = register.full_register().number() as u8;
    let change = |operation, a, b| Some(Change { to, operation, a, b, plus: 0, is_narrow });
    let of = |number| value(instruction, number);
    let zero = Source::Constant(0);
    let both = |operation| change(operation, of(0)?, of(1)?);
    // By a constant only.
    let shifted = |operation| match instruction.op1_kind() {
        OpKind::Immediate8 => change(operation, of(0)?, of(1)?),
        _ => None,
    };
    let same = instruction.op1_kind() == OpKind::Register
        && instruction.op1_register() == instruction.op0_register();
    match instruction.mnemonic() {
        Mnemonic::Mov => change(Add, of(1)?, zero),
        Mnemonic::Movsxd | Mnemonic::Movsx => change(Add, extended(instruction, Part::Signed)?, zero),
        Mnemonic::Movzx => change(Add, extended(instruction, Part::Unsigned)?, zero),
        Mnemonic::Cdqe => change(Add, Source::Register { number: 0, part: Part::Signed(32), shift: 0 }, zero),
        Mnemonic::Lea => location(instruction, to, is_narrow),
        Mnemonic::Xor | Mnemonic::Sub if same => change(Add, zero, zero),
        Mnemonic::Add => both(Add),
        Mnemonic::Sub => both(Subtract),
        Mnemonic::And => both(And),
        Mnemonic::Or => both(Or),
        Mnemonic::Xor => both(Xor),
        Mnemonic::Inc => change(Add, of(0)?, Source::Constant(1)),
        Mnemonic::Dec => change(Subtract, of(0)?, Source::Constant(1)),
        Mnemonic::Neg => change(Subtract, zero, of(0)?),
        Mnemonic::Not => change(Xor, of(0)?, Source::Constant(u64::MAX)),
        Mnemonic::Shl | Mnemonic::Sal => shifted(ShiftLeft),
        Mnemonic::Shr => shifted(ShiftRight),
        Mnemonic::Sar => shifted(ShiftRightSigned),
        Mnemonic::Imul => match instruction.op_count() {
            2 => both(Multiply),
            3 => change(Multiply, of(1)?, of(2)?),
            _ => None,
        },
        _ => None,
    }
}

/// An operand that is a register or stands in the instruction.
fn value(instruction: &Instruction, number: u32) -> Option<Source> {
    match instruction.op_kind(number) {
        OpKind::Register => part(instruction.op_register(number), 0),
        OpKind::Immediate8
        | OpKind::Immediate16
        | OpKind::Immediate32
        | OpKind::Immediate64
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32to64 => Some(Source::Constant(instruction.immediate(number))),
        _ => None,
    }
}

/// What flags say of registers that count.
fn compares(instruction: &Instruction) -> Option<Compare> {
    let one = Source::Constant(1);
    let (b, is_sum) = match instruction.mnemonic() {
        Mnemonic::Cmp | Mnemonic::Sub => (value(instruction, 1)?, false),
        Mnemonic::Add => (value(instruction, 1)?, true),
        Mnemonic::Inc => (one, true),
        Mnemonic::Dec => (one, false),
        Mnemonic::Test if instruction.op0_register() == instruction.op1_register() => {
            (Source::Constant(0), false)
        }
        _ => return None,
    };
    let is_narrow = instruction.op0_register().is_gpr32();
    Some(Compare { a: value(instruction, 0)?, b, is_sum, is_narrow })
}

/// Without regard to signs: counters and pointers do not pass the middle of all numbers.
fn condition(instruction: &Instruction) -> Option<Condition> {
    Some(match instruction.condition_code() {
        ConditionCode::e => Condition::Equal,
        ConditionCode::ne => Condition::NotEqual,
        ConditionCode::l | ConditionCode::b | ConditionCode::s => Condition::Less,
        ConditionCode::le | ConditionCode::be => Condition::LessOrEqual,
        ConditionCode::g | ConditionCode::a => Condition::Greater,
        ConditionCode::ge | ConditionCode::ae | ConditionCode::ns => Condition::GreaterOrEqual,
        _ => return None,
    })
}

/// The second operand, a narrower register; none of those that begin at bit 8.
fn extended(instruction: &Instruction, part: fn(u8) -> Part) -> Option<Source> {
    let register = instruction.op1_register();
    let begins_at_0 = !matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
    let is_general = register.is_gpr8() || register.is_gpr16() || register.is_gpr32();
    (instruction.op1_kind() == OpKind::Register && begins_at_0 && is_general).then(|| Source::Register {
        number: register.full_register().number() as u8,
        part: part(8 * register.size() as u8),
        shift: 0,
    })
}

/// What `lea` computes.
fn location(instruction: &Instruction, to: u8, is_narrow: bool) -> Option<Change> {
    let base = match instruction.memory_base() {
        // The displacement is the place already.
        Register::RIP | Register::EIP => Source::Constant(0),
        register => part(register, 0)?,
    };
    let index = part(instruction.memory_index(), instruction.memory_index_scale().trailing_zeros() as u8)?;
    let plus = instruction.memory_displacement64();
    Some(Change { to, operation: Operation::Add, a: base, b: index, plus, is_narrow })
}
