//! One instruction, of whatever architecture: what it accesses, reads, writes and computes, and where it goes on.

use crate::registers::{Part, RegisterSet, Registers, Source};

/// One instruction.
#[derive(Debug, Clone)]
pub struct Step {
    pub(crate) ip: u64,
    /// Of the instruction.
    pub(crate) bytes: u8,
    pub(crate) flow: Flow,
    pub(crate) memory: Box<[MemoryOperand]>,
    /// Registers that it needs, or may need; those of addresses among them.
    pub(crate) reads: RegisterSet,
    /// Registers that it changes, or may change.
    pub(crate) writes: RegisterSet,
    /// What it makes of general registers, as far as that is understood.
    pub(crate) changes: [Option<Change>; 2],
    /// The general register that it loads, with nothing else done to what was loaded.
    pub(crate) load: Option<Load>,
    /// Goes over many elements before the next instruction; the changes are those of one.
    pub(crate) repeats: bool,
    /// Tells the processor that the thread spins: `pause`, `yield`, `wfe`.
    pub(crate) pauses: bool,
    /// What it sets flags by, where that is understood.
    pub(crate) compares: Option<Compare>,
    /// When a branch is taken, where that is understood.
    pub(crate) condition: Option<Condition>,
}

/// What an instruction does with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Read,
    Write,
    ReadAndWrite,
}

/// One access to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Of the instruction.
    pub ip: u64,
    pub address: u64,
    /// Of one element; 0 where that is not known.
    pub bytes: u32,
    pub direction: Direction,
    /// 1, or the number of elements of a gather or scatter. These lie anywhere from `address` on: the registers with their places are not
    /// sampled.
    pub elements: u32,
}

/// Where it goes on after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    /// Behind a call, when it returns.
    Call,
    Jump(u64),
    /// Or to the next.
    Branch(u64),
    /// Nobody knows where from the code alone.
    Away,
}

/// The part of memory that threads have for themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Segment {
    Fs,
    Gs,
}

/// Memory that an instruction accesses, by registers: their sum is the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryOperand {
    pub base: Source,
    pub index: Source,
    pub displacement: u64,
    pub segment: Option<Segment>,
    /// Only the lower 32 bits count.
    pub is_narrow: bool,
    pub bytes: u32,
    pub direction: Direction,
    pub elements: u32,
}

impl MemoryOperand {
    /// A read at an address that stands in the instruction, or of a variable on the stack, as far as these registers say.
    pub fn is_near(&self, registers: &Registers) -> bool {
        /// Frames are smaller, and lie above the stack pointer; but for the part below that functions may use that call none.
        const FRAME: u64 = 4096;
        const BELOW: u64 = 128;
        if self.direction != Direction::Read || self.index != Source::Constant(0) || self.elements > 1 {
            return false;
        }
        match (self.base, registers.value(self.base), registers.stack_pointer()) {
            (Source::Constant(_), ..) => true,
            (_, Some(base), Some(stack)) => {
                base.wrapping_add(self.displacement).wrapping_sub(stack.wrapping_sub(BELOW)) < FRAME
            }
            _ => false,
        }
    }
}

/// Two values of which the difference, or the sum, is compared with 0: as they are before the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compare {
    pub a: Source,
    pub b: Source,
    pub is_sum: bool,
    /// Of 32 bits.
    pub is_narrow: bool,
}

/// How the first value of a comparison has to be to the second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Condition {
    pub fn negated(self) -> Condition {
        match self {
            Condition::Equal => Condition::NotEqual,
            Condition::NotEqual => Condition::Equal,
            Condition::Less => Condition::GreaterOrEqual,
            Condition::LessOrEqual => Condition::Greater,
            Condition::Greater => Condition::LessOrEqual,
            Condition::GreaterOrEqual => Condition::Less,
        }
    }
}

/// How two values become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    Multiply,
    ShiftLeft,
    ShiftRight,
    /// Keeps the sign.
    ShiftRightSigned,
}

/// A general register that is made anew: of `a` and `b`, `plus` a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub to: u8,
    pub operation: Operation,
    pub a: Source,
    pub b: Source,
    pub plus: u64,
    /// Of 32 bits: the upper half becomes zero.
    pub is_narrow: bool,
}

/// A load that fills a general register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Load {
    pub to: u8,
    /// Of what was loaded.
    pub part: Part,
}

impl Change {
    /// The register becomes the sum of these.
    pub fn sum(to: u8, a: Source, b: Source, plus: u64) -> Change {
        Change { to, operation: Operation::Add, a, b, plus, is_narrow: false }
    }

    /// The register moves by so much.
    pub fn moved(register: u8, by: u64) -> Change {
        Change::sum(register, Source::whole(register), Source::Constant(0), by)
    }
}

impl Step {
    pub fn ip(&self) -> u64 {
        self.ip
    }

    /// Where the next one begins.
    pub(crate) fn next_ip(&self) -> u64 {
        self.ip.wrapping_add(u64::from(self.bytes))
    }

    /// Another function, or the system.
    pub fn calls(&self) -> bool {
        self.flow == Flow::Call
    }

    /// The thread tells the processor that it spins until another one does something.
    pub fn pauses(&self) -> bool {
        self.pauses
    }

    pub fn accesses_memory(&self) -> bool {
        !self.memory.is_empty()
    }

    /// What it accesses when it begins with these registers; nothing where an address cannot be known from them.
    pub fn accesses(&self, registers: &Registers) -> Option<Vec<Access>> {
        self.memory.iter().map(|memory| self.access(memory, registers)).collect()
    }

    fn access(&self, memory: &MemoryOperand, registers: &Registers) -> Option<Access> {
        let place = registers.value(memory.base)?.wrapping_add(registers.value(memory.index)?);
        let place = place.wrapping_add(memory.displacement);
        let place = if memory.is_narrow { place & 0xffff_ffff } else { place };
        let segment = match memory.segment {
            None => 0,
            Some(Segment::Fs) => registers.fs_base?,
            Some(Segment::Gs) => registers.gs_base?,
        };
        Some(Access {
            ip: self.ip,
            address: segment.wrapping_add(place),
            bytes: memory.bytes,
            direction: memory.direction,
            elements: memory.elements,
        })
    }
}
