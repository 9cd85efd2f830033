//! Frames of functions as `.eh_frame` describes them: where a function begins and ends, and how the registers of its caller follow at
//! each of its instructions.

use std::ops::Range;

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EndianSlice, FrameDescriptionEntry, LittleEndian, RegisterRule,
    UnwindContext, UnwindExpression, UnwindSection,
};

use crate::elf::{ElfFile, Section};

#[cfg(test)]
#[path = "frame_table_tests.rs"]
mod tests;

type Bytes<'a> = EndianSlice<'a, LittleEndian>;
type Description<'a> = FrameDescriptionEntry<Bytes<'a>>;

/// How a value follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    Lost,
    /// It stands in memory so far from the frame's address.
    At(i64),
    /// It is the frame's address and so much.
    Is(i64),
    Register(u16),
    Constant(u64),
    AtExpression(UnwindExpression<usize>),
    IsExpression(UnwindExpression<usize>),
}

/// How the frame's address follows: the stack pointer before the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameAddress {
    Register(u16, i64),
    Expression(UnwindExpression<usize>),
}

/// How the registers of the caller follow at an instruction; those that are not listed have the same value as here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameRule {
    pub address: FrameAddress,
    pub registers: Box<[(u16, Recovery)]>,
    pub return_register: u16,
    /// The kernel called it: its caller was interrupted, and did not call.
    pub is_signal: bool,
}

/// Version 1; the place of `.eh_frame` as sdata4 from here; the count as udata4; rows as sdata4 from the section's begin.
const LINKERS_TABLE: [u8; 4] = [1, 0x1b, 0x03, 0x3b];

/// The rows of the linker's table: where a function begins, and where its description stands, both from the section's begin.
fn linkers_rows(hdr: &Section) -> std::slice::Iter<'_, [u8; 8]> {
    let count = hdr.bytes.get(8..12).map_or(0, |count| u32::from_le_bytes(std::array::from_fn(|k| count[k])));
    let (rows, _) = hdr.bytes.get(12..).unwrap_or_default().as_chunks::<8>();
    rows[..rows.len().min(count as usize)].iter()
}

/// The address of the description of the last function that begins at or before an address.
fn linkers_entry(hdr: &Section, address: u64) -> Option<u64> {
    let place = |row: &[u8; 8], at: usize| {
        let distance = i32::from_le_bytes(std::array::from_fn(|k| row[at + k]));
        hdr.address.wrapping_add_signed(distance.into())
    };
    let rows = linkers_rows(hdr).as_slice();
    let after = rows.partition_point(|row| place(row, 0) <= address);
    rows[..after].last().map(|row| place(row, 4))
}

/// Descriptions of a file's functions.
#[derive(Debug)]
pub struct FrameTable {
    frames: Section,
    bases: BaseAddresses,
    index: FrameIndex,
}

/// Where the description of an address is found.
#[derive(Debug)]
enum FrameIndex {
    /// By the linker's table.
    OfLinker(Section),
    /// First address and place, in the order of addresses.
    Own(Vec<(u64, usize)>),
}

impl FrameTable {
    /// Takes the tables out of a file.
    pub fn of(elf: &mut ElfFile) -> FrameTable {
        let (frames, hdr) = (std::mem::take(&mut elf.frames), std::mem::take(&mut elf.frames_index));
        let bases = BaseAddresses::default().set_eh_frame(frames.address).set_eh_frame_hdr(hdr.address);
        let mut table = FrameTable { frames, bases, index: FrameIndex::OfLinker(hdr) };
        if !table.has_linkers_index() {
            table.index = FrameIndex::Own(table.own_index());
        }
        table
    }

    fn section(&self) -> EhFrame<Bytes<'_>> {
        EhFrame::new(&self.frames.bytes, LittleEndian)
    }

    /// That the linker's table is as all linkers write it: places of four bytes each, counted from the table itself.
    fn has_linkers_index(&self) -> bool {
        let FrameIndex::OfLinker(hdr) = &self.index else { return false };
        hdr.bytes.starts_with(&LINKERS_TABLE) && linkers_rows(hdr).next().is_some()
    }

    fn own_index(&self) -> Vec<(u64, usize)> {
        let section = self.section();
        let mut entries = section.entries(&self.bases);
        let mut index = Vec::new();
        while let Ok(Some(entry)) = entries.next() {
            let gimli::CieOrFde::Fde(partial) = entry else { continue };
            let Ok(fde) = partial.parse(EhFrame::cie_from_offset) else { continue };
            if fde.len() > 0 {
                index.push((fde.initial_address(), fde.offset()));
            }
        }
        index.sort_unstable();
        index
    }

    fn description(&self, address: u64) -> Option<Description<'_>> {
        let section = self.section();
        let fde = match &self.index {
            FrameIndex::OfLinker(hdr) => {
                let offset = linkers_entry(hdr, address)?.checked_sub(self.frames.address)?;
                let offset = gimli::EhFrameOffset(usize::try_from(offset).ok()?);
                section.fde_from_offset(&self.bases, offset, EhFrame::cie_from_offset).ok()?
            }
            FrameIndex::Own(index) => {
                let after = index.partition_point(|(begin, _)| *begin <= address);
                let (_, offset) = index[..after].last()?;
                section.fde_from_offset(&self.bases, (*offset).into(), EhFrame::cie_from_offset).ok()?
            }
        };
        fde.contains(address).then_some(fde)
    }

    /// The function, or the part of one, around an address.
    pub fn function(&self, address: u64) -> Option<Range<u64>> {
        let fde = self.description(address)?;
        Some(fde.initial_address()..fde.initial_address().checked_add(fde.len())?)
    }

    /// How the caller's registers follow at an address; none where nothing describes it.
    pub fn rule(&self, address: u64, context: &mut UnwindContext<usize>) -> Option<FrameRule> {
        let fde = self.description(address)?;
        let row = fde.unwind_info_for_address(&self.section(), &self.bases, context, address).ok()?;
        let frame = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => FrameAddress::Register(register.0, *offset),
            CfaRule::Expression(expression) => FrameAddress::Expression(*expression),
        };
        let recovery = |(register, rule): &(gimli::Register, RegisterRule<usize>)| {
            let recovery = match rule {
                RegisterRule::SameValue => return None,
                RegisterRule::Offset(offset) => Recovery::At(*offset),
                RegisterRule::ValOffset(offset) => Recovery::Is(*offset),
                RegisterRule::Register(from) => Recovery::Register(from.0),
                RegisterRule::Expression(expression) => Recovery::AtExpression(*expression),
                RegisterRule::ValExpression(expression) => Recovery::IsExpression(*expression),
                RegisterRule::Constant(value) => Recovery::Constant(*value),
                _ => Recovery::Lost,
            };
            Some((register.0, recovery))
        };
        let mut registers: Vec<_> = row.registers().filter_map(recovery).collect();
        let return_register = fde.cie().return_address_register().0;
        // The outermost function says so.
        let is_last = row.register(gimli::Register(return_register)) == Some(RegisterRule::Undefined);
        if is_last && !registers.iter().any(|(register, _)| *register == return_register) {
            registers.push((return_register, Recovery::Lost));
        }
        Some(FrameRule {
            address: frame,
            registers: registers.into(),
            return_register,
            is_signal: fde.is_signal_trampoline(),
        })
    }

    /// The expression of a rule.
    pub fn expression(&self, expression: &UnwindExpression<usize>) -> Option<gimli::Expression<Bytes<'_>>> {
        expression.get(&self.section()).ok()
    }
}
