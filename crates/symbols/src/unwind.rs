//! Callers of a function, from registers and a copy of the stack. Nothing of the live process is read.
//!
//! All registers that a function must keep are followed, not only the stack and frame pointers: the dynamic linker's entry has its frame
//! in rbx, functions that align their stack begin and end with theirs in r10.

use std::collections::HashMap;

use gimli::{Encoding, EvaluationResult, Format, UnwindContext, UnwindExpression, Value};

use crate::elf::Processor;
use crate::frame_table::{FrameAddress, FrameRule, FrameTable, Recovery};

/// Registers of which the numbers are in `.eh_frame`: 0 to 15 and the return address of x86-64; x0 to x30 and sp of aarch64.
const REGISTERS: usize = 33;
/// Most callers of one stack. A recursion without end has no more to say.
const MOST_CALLERS: usize = 1024;
/// Rules that are kept; a program runs through a few thousand places most of its time.
const MOST_RULES: usize = 1 << 16;
/// Operations of an expression: those of signal frames and of the linker's table of calls have at most ten.
const MOST_OPERATIONS: u32 = 100;
/// Code pointers of aarch64 carry a signature above the 48 bits of an address.
const WITHOUT_SIGNATURE: u64 = (1 << 48) - 1;

/// The registers of a thread and a copy of its stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackView<'a> {
    pub ip: u64,
    pub sp: u64,
    /// rbp; x29 on aarch64.
    pub bp: u64,
    /// rbx and r12 to r15. On aarch64 the first is x30, where the innermost function returns to; the others are not used.
    pub kept: [u64; 5],
    /// r10, where functions that align their stack have its old begin at first; none where it is not known.
    pub r10: Option<u64>,
    /// `ip` is where a call returns to, and not an instruction at which the thread was interrupted.
    pub after_call: bool,
    /// From `sp` on.
    pub bytes: &'a [u8],
}

impl StackView<'_> {
    /// A word of the copied stack.
    fn word(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.sp)?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(8)?)?;
        Some(u64::from_le_bytes(std::array::from_fn(|k| bytes[k])))
    }
}

/// Which registers have which number.
struct Numbers {
    sp: usize,
    bp: usize,
    kept: &'static [usize],
    /// Those that a call may change.
    lost: &'static [usize],
    /// Where an instruction's own address is read in expressions.
    ip: Option<usize>,
}

const X86_64: Numbers =
    Numbers { sp: 7, bp: 6, kept: &[3, 12, 13, 14, 15], lost: &[0, 1, 2, 4, 5, 8, 9, 10, 11], ip: Some(16) };
const AARCH64: Numbers = Numbers {
    sp: 31,
    bp: 29,
    kept: &[30],
    lost: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18],
    ip: None,
};

type Registers = [Option<u64>; REGISTERS];

/// What is known of the code at an address: the file's number and frames, its processor, the address in the file.
pub struct CodeAt<'a> {
    pub file: u32,
    pub frames: &'a FrameTable,
    pub processor: Processor,
    pub address: u64,
}

/// Follows stacks, and remembers the rules that it met.
#[derive(Debug, Default)]
pub struct Unwinder {
    rules: HashMap<(u32, u64), Option<FrameRule>>,
    context: UnwindContext<usize>,
}

/// A caller, and whether it was interrupted rather than that it called.
struct Caller {
    ip: u64,
    is_interrupted: bool,
}

impl Unwinder {
    /// Where the callers go on, from the innermost on. `code`: what lies at an address of the process; `is_code`: whether any code may.
    pub fn callers<'a>(
        &mut self,
        stack: &StackView<'_>,
        code: impl Fn(u64) -> Option<CodeAt<'a>>,
        is_code: impl Fn(u64) -> bool,
    ) -> Vec<u64> {
        let mut callers = Vec::new();
        let numbers = match code(stack.ip).map(|at| at.processor) {
            Some(Processor::Aarch64) => &AARCH64,
            Some(Processor::X86_64) => &X86_64,
            None if cfg!(target_arch = "aarch64") => &AARCH64,
            None => &X86_64,
        };
        let mut registers = numbers.first(stack);
        let (mut ip, mut exact) = (stack.ip, !stack.after_call);
        while callers.len() < MOST_CALLERS {
            // A call may be the last instruction of a function.
            let probe = if exact { ip } else { ip.wrapping_sub(1) };
            let is_first = callers.is_empty();
            let at = code(probe);
            let step = match at.as_ref().and_then(|at| self.rule(at).map(|rule| (at.frames, rule))) {
                Some((frames, rule)) => {
                    by_rule(stack, numbers, &mut registers, ip, (frames, rule), is_first || exact)
                }
                None => by_frame_pointer(stack, numbers, &mut registers, &is_code),
            };
            let Some(caller) = step.filter(|caller| caller.ip != 0) else { break };
            (ip, exact) = (caller.ip, caller.is_interrupted);
            callers.push(ip);
        }
        callers
    }

    fn rule(&mut self, at: &CodeAt<'_>) -> Option<&FrameRule> {
        if self.rules.len() >= MOST_RULES && !self.rules.contains_key(&(at.file, at.address)) {
            self.rules.clear();
        }
        let context = &mut self.context;
        let find = || at.frames.rule(at.address, context);
        self.rules.entry((at.file, at.address)).or_insert_with(find).as_ref()
    }
}

impl Numbers {
    fn first(&self, stack: &StackView<'_>) -> Registers {
        let mut registers = [None; REGISTERS];
        registers[self.sp] = Some(stack.sp);
        registers[self.bp] = Some(stack.bp);
        for (number, value) in self.kept.iter().zip(stack.kept) {
            registers[*number] = Some(value);
        }
        if self.ip.is_some() {
            registers[10] = stack.r10;
        }
        registers
    }
}

/// The caller's registers by the description of the frame. `may_be_leaf`: the return address may still be in a register.
fn by_rule(
    stack: &StackView<'_>,
    numbers: &Numbers,
    registers: &mut Registers,
    ip: u64,
    (frames, rule): (&FrameTable, &FrameRule),
    may_be_leaf: bool,
) -> Option<Caller> {
    let mut here = *registers;
    if let Some(number) = numbers.ip {
        here[number] = Some(ip);
    }
    let evaluate =
        |expression, first| evaluate(frames, expression, first, &here, |address| stack.word(address));
    let frame = match &rule.address {
        FrameAddress::Register(number, offset) => {
            here.get(usize::from(*number)).copied().flatten()?.wrapping_add_signed(*offset)
        }
        FrameAddress::Expression(expression) => evaluate(expression, None)?,
    };
    // The stack grows downwards: a frame that lies lower than what it called is none.
    if frame < here[numbers.sp]? {
        return None;
    }
    let mut next = *registers;
    if !rule.is_signal {
        numbers.lost.iter().for_each(|number| next[*number] = None);
    }
    next[numbers.sp] = Some(frame);
    let return_register = usize::from(rule.return_register);
    let mut return_address = None;
    let mut is_described = false;
    for (number, recovery) in &rule.registers {
        let value = match recovery {
            Recovery::Lost => None,
            Recovery::At(offset) => {
                let address = frame.wrapping_add_signed(*offset);
                // What was popped is back in its register, which frames by rbp do not say of the others.
                let is_popped = address < stack.sp && may_be_leaf;
                if is_popped {
                    here.get(usize::from(*number)).copied().flatten()
                } else {
                    stack.word(address)
                }
            }
            Recovery::Is(offset) => Some(frame.wrapping_add_signed(*offset)),
            Recovery::Register(from) => here.get(usize::from(*from)).copied().flatten(),
            Recovery::Constant(value) => Some(*value),
            Recovery::AtExpression(expression) => {
                evaluate(expression, Some(frame)).and_then(|address| stack.word(address))
            }
            Recovery::IsExpression(expression) => evaluate(expression, Some(frame)),
        };
        if let Some(register) = next.get_mut(usize::from(*number)) {
            *register = value;
        }
        if usize::from(*number) == return_register {
            (return_address, is_described) = (value, true);
        }
    }
    if !is_described && may_be_leaf {
        return_address = here.get(return_register).copied().flatten();
    }
    if numbers.ip.is_none() {
        return_address = return_address.map(|address| address & WITHOUT_SIGNATURE);
    }
    *registers = next;
    Some(Caller { ip: return_address?, is_interrupted: rule.is_signal })
}

/// The caller by the frame pointer, of code that nothing describes. It is believed where it leads to code.
fn by_frame_pointer(
    stack: &StackView<'_>,
    numbers: &Numbers,
    registers: &mut Registers,
    is_code: impl Fn(u64) -> bool,
) -> Option<Caller> {
    let (sp, bp) = (registers[numbers.sp]?, registers[numbers.bp]?);
    if bp < sp || !bp.is_multiple_of(8) {
        return None;
    }
    let mut ip = stack.word(bp.checked_add(8)?)?;
    if numbers.ip.is_none() {
        ip &= WITHOUT_SIGNATURE;
    }
    if !is_code(ip.wrapping_sub(1)) {
        return None;
    }
    // What else the function kept, and where, is not known.
    let mut next = [None; REGISTERS];
    next[numbers.sp] = Some(bp.checked_add(16)?);
    next[numbers.bp] = stack.word(bp);
    *registers = next;
    Some(Caller { ip, is_interrupted: false })
}

fn evaluate(
    frames: &FrameTable,
    expression: &UnwindExpression<usize>,
    first: Option<u64>,
    registers: &Registers,
    word: impl Fn(u64) -> Option<u64>,
) -> Option<u64> {
    let encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 8 };
    let mut evaluation = frames.expression(expression)?.evaluation(encoding);
    evaluation.set_max_iterations(MOST_OPERATIONS);
    if let Some(first) = first {
        evaluation.set_initial_value(first);
    }
    let mut step = evaluation.evaluate().ok()?;
    loop {
        step = match step {
            EvaluationResult::Complete => break,
            EvaluationResult::RequiresRegister { register, .. } => {
                let value = registers.get(usize::from(register.0)).copied().flatten()?;
                evaluation.resume_with_register(Value::Generic(value)).ok()?
            }
            EvaluationResult::RequiresMemory { address, size: 8, .. } => {
                evaluation.resume_with_memory(Value::Generic(word(address)?)).ok()?
            }
            _ => return None,
        };
    }
    match evaluation.result().first()?.location {
        gimli::Location::Address { address } => Some(address),
        gimli::Location::Value { value: Value::Generic(value) } => Some(value),
        _ => None,
    }
}
