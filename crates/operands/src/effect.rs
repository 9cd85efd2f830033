//! What an instruction does to general registers, forwards and backwards. What is not understood makes registers unknown.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use crate::listing::Step;
use crate::registers::Registers;

#[cfg(test)]
#[path = "effect_tests.rs"]
mod tests;

/// The registers after a step, from those before it.
pub fn after(step: &Step, registers: &mut Registers) {
    change(step, registers, result, step.instruction.stack_pointer_increment());
    registers.ip = step.instruction.next_ip();
}

/// The registers before a step, from those after it.
pub fn before(step: &Step, registers: &mut Registers) {
    change(step, registers, original, -step.instruction.stack_pointer_increment());
    registers.ip = step.ip();
}

/// Makes all registers unknown that a step writes, but for the stack pointer, which moves by so much, and the one that it makes anew, for
/// which `value` tells.
fn change(
    step: &Step,
    registers: &mut Registers,
    value: fn(&Instruction, &Registers) -> Option<u64>,
    stack_moves: i32,
) {
    let made = changed(step).map(|register| (register, value(&step.instruction, registers)));
    let stack = registers.whole(Register::RSP);
    for register in step.writes() {
        registers.set(register, None);
    }
    if step.instruction.is_stack_instruction() {
        registers.set(Register::RSP, stack.map(|value| value.wrapping_add_signed(i64::from(stack_moves))));
    }
    if let Some((register, value)) = made {
        registers.set(register, value);
    }
}

/// The general register that a step makes anew as its first operand, whole: the 32-bit ones clear the upper half.
fn changed(step: &Step) -> Option<Register> {
    let register = step.instruction.op0_register();
    let is_whole = register.is_gpr64() || register.is_gpr32();
    (is_whole && step.writes().any(|written| written == register.full_register())).then_some(register)
}

/// The operand, as wide as the register that it is combined with.
fn operand(instruction: &Instruction, number: u32, registers: &Registers) -> Option<u64> {
    match instruction.op_kind(number) {
        OpKind::Register => registers.of_address(instruction.op_register(number)),
        OpKind::Immediate8
        | OpKind::Immediate16
        | OpKind::Immediate32
        | OpKind::Immediate64
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32to64 => Some(instruction.immediate(number)),
        _ => None,
    }
}

/// What `lea` computes from registers with these values.
fn location(instruction: &Instruction, value: impl Fn(Register) -> Option<u64>) -> Option<u64> {
    instruction.virtual_address(1, 0, |register, _, _| match register {
        // It takes no segment in.
        Register::FS | Register::GS => Some(0),
        _ => value(register),
    })
}

fn result(instruction: &Instruction, registers: &Registers) -> Option<u64> {
    let of = |number| operand(instruction, number, registers);
    let both = |combine: fn(u64, u64) -> u64| Some(combine(of(0)?, of(1)?));
    let narrow = instruction.op0_register().is_gpr32();
    let bits = if narrow { 31 } else { 63 };
    let same = instruction.op1_kind() == OpKind::Register
        && instruction.op1_register() == instruction.op0_register();
    let value = match instruction.mnemonic() {
        Mnemonic::Mov => of(1),
        Mnemonic::Movsxd => of(1).map(|value| i64::from(value as i32) as u64),
        Mnemonic::Lea => location(instruction, |register| registers.of_address(register)),
        Mnemonic::Xor | Mnemonic::Sub if same => Some(0),
        Mnemonic::Add => both(u64::wrapping_add),
        Mnemonic::Sub => both(u64::wrapping_sub),
        Mnemonic::And => both(|a, b| a & b),
        Mnemonic::Or => both(|a, b| a | b),
        Mnemonic::Xor => both(|a, b| a ^ b),
        Mnemonic::Inc => of(0).map(|value| value.wrapping_add(1)),
        Mnemonic::Dec => of(0).map(|value| value.wrapping_sub(1)),
        Mnemonic::Neg => of(0).map(u64::wrapping_neg),
        Mnemonic::Not => of(0).map(|value| !value),
        Mnemonic::Shl | Mnemonic::Sal => of(0).zip(shift(instruction, bits)).map(|(value, by)| value << by),
        Mnemonic::Shr => of(0).zip(shift(instruction, bits)).map(|(value, by)| value >> by),
        Mnemonic::Sar => of(0).zip(shift(instruction, bits)).map(|(value, by)| {
            let signed = if narrow { i64::from(value as i32) } else { value as i64 };
            (signed >> by) as u64
        }),
        Mnemonic::Imul => match instruction.op_count() {
            2 => both(u64::wrapping_mul),
            3 => Some(of(1)?.wrapping_mul(of(2)?)),
            _ => None,
        },
        _ => None,
    };
    value.map(|value| if narrow { value & 0xffff_ffff } else { value })
}

/// By how many bits, where that stands in the instruction.
fn shift(instruction: &Instruction, bits: u64) -> Option<u64> {
    let constant = matches!(instruction.op1_kind(), OpKind::Immediate8);
    constant.then(|| instruction.immediate(1) & bits)
}

/// What the register that was changed held before, where it can be had back. Of 32 bits the upper half is lost.
fn original(instruction: &Instruction, registers: &Registers) -> Option<u64> {
    let register = instruction.op0_register();
    let now = registers.whole(register).filter(|_| register.is_gpr64())?;
    let other = || {
        let same = instruction.op1_kind() == OpKind::Register
            && instruction.op1_register().full_register() == register;
        operand(instruction, 1, registers).filter(|_| !same)
    };
    match instruction.mnemonic() {
        Mnemonic::Add => Some(now.wrapping_sub(other()?)),
        Mnemonic::Sub => Some(now.wrapping_add(other()?)),
        Mnemonic::Xor => Some(now ^ other()?),
        Mnemonic::Inc => Some(now.wrapping_sub(1)),
        Mnemonic::Dec => Some(now.wrapping_add(1)),
        Mnemonic::Neg => Some(now.wrapping_neg()),
        Mnemonic::Not => Some(!now),
        // `lea rax, [rax + rcx + 8]`: the place that the rest gives from 0 is the difference.
        Mnemonic::Lea => {
            let (base, index) = (instruction.memory_base(), instruction.memory_index());
            let once = base == register && index != register;
            let rest = |from: Register| if from == register { Some(0) } else { registers.of_address(from) };
            location(instruction, rest).filter(|_| once).map(|moved| now.wrapping_sub(moved))
        }
        _ => None,
    }
}
