//! What instructions do with data: on how many elements at once, and which.

use crate::Architecture;
use crate::listing::Listing;
use crate::nest::Loop;

mod aarch64;
mod x86_64;

#[cfg(test)]
#[path = "vector_tests.rs"]
mod tests;

/// A type of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

impl Element {
    pub const fn bits(self) -> u32 {
        match self {
            Element::I8 => 8,
            Element::I16 | Element::F16 => 16,
            Element::I32 | Element::F32 => 32,
            Element::I64 | Element::F64 => 64,
        }
    }
}

/// What is done with data in vector registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Sums, differences, least, greatest, absolute values, shifts.
    Add,
    Multiply,
    /// A product and a sum.
    MultiplyAdd,
    Divide,
    SquareRoot,
    Compare,
    /// From one type to another.
    Convert,
    /// Bits, choices by a mask: says nothing of how many elements count.
    Logic,
    /// Elements change their places.
    Shuffle,
    Load,
    Store,
    Gather,
    Scatter,
    /// From register to register, or what is not known.
    Other,
}

/// One instruction that works with vector registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    pub operation: Operation,
    /// None: bits.
    pub element: Option<Element>,
    /// How many elements at once; 1: scalar.
    pub lanes: u32,
    /// Of the widest vector register in it.
    pub bits: u32,
    /// Only some of its lanes, by a mask.
    pub is_masked: bool,
    /// It accesses the same memory in each pass: the stack at a fixed place, or a constant.
    pub is_at_fixed_place: bool,
    /// Its vectors are as long as the processor has them: at least `bits`.
    pub is_of_unknown_length: bool,
}

impl Work {
    /// Whether its lanes say how many elements the program works with at once.
    fn counts(self) -> bool {
        use Operation::{Add, Compare, Convert, Divide, Multiply, MultiplyAdd, SquareRoot};
        matches!(self.operation, Add | Multiply | MultiplyAdd | Divide | SquareRoot | Compare | Convert)
    }

    fn moves_data(self) -> bool {
        use Operation::{Gather, Load, Scatter, Store};
        matches!(self.operation, Load | Store | Gather | Scatter) && !self.is_at_fixed_place
    }

    /// Floating-point operations of one execution, on all lanes.
    pub(crate) fn floating(self) -> u32 {
        let is_floating = matches!(self.element, Some(Element::F16 | Element::F32 | Element::F64));
        match self.operation {
            _ if !is_floating => 0,
            Operation::MultiplyAdd => 2 * self.lanes,
            Operation::Add | Operation::Multiply | Operation::Divide | Operation::SquareRoot => self.lanes,
            _ => 0,
        }
    }
}

/// What each instruction of a listing does with vector registers; none where it has to do with none of them.
pub fn works(architecture: Architecture, listing: &Listing, begin: u64, code: &[u8]) -> Vec<Option<Work>> {
    let of = match architecture {
        Architecture::X86_64 => x86_64::works,
        Architecture::Aarch64 => aarch64::works,
    };
    of(listing, begin, code)
}

/// Counts of instructions in one pass through all of a loop's own code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VectorUse {
    pub instructions: u32,
    /// Elements that instructions on one element, and on several, work with.
    pub scalar_elements: u32,
    pub packed_elements: u32,
    /// The same of loads and stores.
    pub scalar_moved: u32,
    pub packed_moved: u32,
    /// Of the widest vector register that holds several elements; 0: none does.
    pub bits: u32,
    /// The most elements at once.
    pub lanes: u32,
    /// Elements of arithmetic, of 8, 16, 32 and 64 bits.
    by_size: [u32; 4],
    pub floating: u32,
    pub masked: u32,
    pub gathers: u32,
    pub scatters: u32,
    pub divides: u32,
    pub square_roots: u32,
    pub converts: u32,
    pub shuffles: u32,
    /// Loads and stores of vector registers at fixed places of the stack.
    pub spills: u32,
    pub calls: u32,
    /// Instructions by which a thread tells that it spins.
    pub pauses: u32,
}

impl VectorUse {
    /// Of a loop's own instructions; `works`: those of the listing.
    pub fn of(listing: &Listing, works: &[Option<Work>], of: &Loop) -> VectorUse {
        let mut sum = VectorUse::default();
        for number in of.own_steps() {
            sum.instructions += 1;
            sum.calls += u32::from(listing.steps()[number].calls());
            sum.pauses += u32::from(listing.steps()[number].pauses());
            if let Some(work) = works.get(number).copied().flatten() {
                sum.add(work);
            }
        }
        sum
    }

    fn add(&mut self, work: Work) {
        let one = |is: bool| u32::from(is);
        let (elements, moved) = match work.lanes {
            1 => (&mut self.scalar_elements, &mut self.scalar_moved),
            _ => (&mut self.packed_elements, &mut self.packed_moved),
        };
        *elements += if work.counts() { work.lanes } else { 0 };
        if let Some(element) = work.element.filter(|_| work.counts()) {
            self.by_size[element.bits().trailing_zeros() as usize - 3] += work.lanes;
        }
        *moved += if work.moves_data() { work.lanes } else { 0 };
        if work.lanes > 1 && (work.counts() || work.moves_data()) {
            self.bits = self.bits.max(work.bits);
            self.lanes = self.lanes.max(work.lanes);
        }
        self.floating += work.floating();
        self.masked += one(work.is_masked);
        self.gathers += one(work.operation == Operation::Gather);
        self.scatters += one(work.operation == Operation::Scatter);
        self.divides += one(work.operation == Operation::Divide);
        self.square_roots += one(work.operation == Operation::SquareRoot);
        self.converts += one(work.operation == Operation::Convert);
        self.shuffles += one(work.operation == Operation::Shuffle);
        self.spills +=
            one(work.is_at_fixed_place && matches!(work.operation, Operation::Load | Operation::Store));
    }

    /// Bits of the elements that most of its arithmetic is with; 0: it has none.
    pub fn element_bits(&self) -> u32 {
        let most = (0..4).rev().max_by_key(|size| self.by_size[*size]).filter(|size| self.by_size[*size] > 0);
        most.map_or(0, |size| 8 << size)
    }
}
