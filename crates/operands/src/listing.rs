//! The instructions of a function.

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpAccess, Register,
    UsedMemory, UsedRegister,
};

use crate::registers::Registers;

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;

/// A function, instruction after instruction. What cannot be decoded is passed over.
#[derive(Debug, Clone)]
pub struct Listing {
    steps: Vec<Step>,
}

/// One instruction.
#[derive(Debug, Clone)]
pub struct Step {
    pub(crate) instruction: Instruction,
    memory: Vec<UsedMemory>,
    registers: Vec<UsedRegister>,
}

/// What an instruction does with memory, or with a register.
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
    /// Of one element; 0 where that is not told, as for strings.
    pub bytes: u32,
    pub direction: Direction,
    /// 1, or the number of elements of a gather or scatter. These lie anywhere from `address` on: the registers with their places are not
    /// sampled.
    pub elements: u32,
}

impl Listing {
    /// Of a function whose first byte lies at `begin`.
    pub fn of(begin: u64, code: &[u8]) -> Listing {
        let mut decoder = Decoder::with_ip(64, code, begin, DecoderOptions::NONE);
        let mut factory = InstructionInfoFactory::new();
        let mut steps = Vec::new();
        while decoder.can_decode() {
            let position = decoder.position();
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                // Data among code: the next byte may begin an instruction again.
                decoder.set_ip(begin.wrapping_add(position as u64 + 1));
                if decoder.set_position(position + 1).is_err() {
                    break;
                }
                continue;
            }
            let info = factory.info(&instruction);
            let accessed = |memory: &&UsedMemory| direction(memory.access()).is_some();
            steps.push(Step {
                instruction,
                memory: info.used_memory().iter().filter(accessed).copied().collect(),
                registers: info.used_registers().to_vec(),
            });
        }
        Listing { steps }
    }

    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of the instruction that begins at this address; nothing inside of one.
    pub fn find(&self, ip: u64) -> Option<usize> {
        self.steps.binary_search_by_key(&ip, Step::ip).ok()
    }

    /// The one before, where nothing lies between and it goes on here.
    pub(crate) fn before(&self, step: usize) -> Option<usize> {
        let before = step.checked_sub(1)?;
        // What was slow in a call stands in what was called.
        let falls = matches!(self.steps[before].flow(), Flow::Next | Flow::Branch(_));
        (falls && self.steps[before].instruction.next_ip() == self.steps[step].ip()).then_some(before)
    }

    /// The last instruction of the loop that begins here: the nearest jump back to it.
    pub(crate) fn latch(&self, head: usize) -> Option<usize> {
        /// Loops are shorter, and each sample looks for the end of its own.
        const MOST: usize = 4096;
        let ip = self.steps[head].ip();
        let back = |step: &Step| matches!(step.flow(), Flow::Jump(to) | Flow::Branch(to) if to == ip);
        let all = self.steps[head..].iter().take(MOST);
        all.enumerate().find(|(_, step)| back(step)).map(|(further, _)| head + further)
    }
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

impl Step {
    pub fn ip(&self) -> u64 {
        self.instruction.ip()
    }

    pub fn accesses_memory(&self) -> bool {
        !self.memory.is_empty()
    }

    pub(crate) fn flow(&self) -> Flow {
        let target = self.instruction.near_branch_target();
        match self.instruction.flow_control() {
            FlowControl::Next | FlowControl::XbeginXabortXend => Flow::Next,
            FlowControl::Call | FlowControl::IndirectCall => Flow::Call,
            FlowControl::UnconditionalBranch => Flow::Jump(target),
            FlowControl::ConditionalBranch => Flow::Branch(target),
            FlowControl::IndirectBranch
            | FlowControl::Return
            | FlowControl::Interrupt
            | FlowControl::Exception => {
                if self.instruction.mnemonic() == iced_x86::Mnemonic::Syscall {
                    Flow::Call
                } else {
                    Flow::Away
                }
            }
        }
    }

    /// What it accesses when it begins with these registers; nothing where an address cannot be known from them.
    pub fn accesses(&self, registers: &Registers) -> Option<Vec<Access>> {
        self.memory.iter().map(|memory| self.access(memory, registers)).collect()
    }

    fn access(&self, memory: &UsedMemory, registers: &Registers) -> Option<Access> {
        let of = |register: Register, _: usize, _: usize| {
            if register.is_vector_register() { Some(0) } else { registers.of_address(register) }
        };
        Some(Access {
            ip: self.ip(),
            address: memory.virtual_address(0, of)?,
            bytes: memory.memory_size().size() as u32,
            direction: direction(memory.access())?,
            elements: if memory.index().is_vector_register() { self.spread(memory) } else { 1 },
        })
    }

    /// Elements of a gather or scatter.
    fn spread(&self, memory: &UsedMemory) -> u32 {
        let all = |register: Register, bytes: usize| register.size().checked_div(bytes).unwrap_or(1);
        let places = memory.index();
        let others = self.registers.iter().map(UsedRegister::register);
        let others = others.filter(|one| one.is_vector_register() && *one != places);
        // Places and elements may have different sizes: as many as fit on both sides.
        let data = others.map(|register| all(register, memory.memory_size().size())).max();
        let place = if memory.vsib_size() == 8 { 8 } else { 4 };
        data.unwrap_or(1).min(all(places, place)).max(1) as u32
    }

    /// Registers that it needs, or may need; those of addresses among them.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Register> {
        self.used(|direction| direction != Direction::Write)
    }

    /// Registers that it changes, or may change.
    pub(crate) fn writes(&self) -> impl Iterator<Item = Register> {
        self.used(|direction| direction != Direction::Read)
    }

    fn used(&self, wanted: fn(Direction) -> bool) -> impl Iterator<Item = Register> {
        let used = self.registers.iter().filter(move |used| direction(used.access()).is_some_and(wanted));
        used.map(|used| used.register().full_register())
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
