//! What one pass of a loop loads, stores and computes.

use super::{CourseAccess, Stride};
use crate::body::Body;
use crate::listing::Listing;
use crate::step::Direction;
use crate::vector::Element;
use crate::{Operation, Work};

/// Of fewer samples in a loop nothing follows on which way passes go.
const LEAST_SAMPLES: u64 = 200;

/// How many times the time of one instruction those of other blocks may take.
const EVEN: f64 = 1.5;

/// Bytes and operations.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PassCount {
    /// Bytes of memory that moves on from pass to pass, or lies anywhere.
    pub loaded: f64,
    pub stored: f64,
    /// Bytes at the same places of the stack in each pass.
    pub stack_loaded: f64,
    pub stack_stored: f64,
    /// Bytes at the same other places: constants, sums that are kept in memory.
    pub fixed: f64,
    /// Floating-point operations on elements of 64 bits, of 32 and of 16; a product with a sum is two.
    pub double: f64,
    pub single: f64,
    pub half: f64,
    pub instructions: f64,
}

impl PassCount {
    fn each(&self) -> [f64; 9] {
        let of = self;
        [
            of.loaded,
            of.stored,
            of.stack_loaded,
            of.stack_stored,
            of.fixed,
            of.double,
            of.single,
            of.half,
            of.instructions,
        ]
    }

    fn of_each(of: [f64; 9]) -> PassCount {
        let [loaded, stored, stack_loaded, stack_stored, fixed, double, single, half, instructions] = of;
        PassCount { loaded, stored, stack_loaded, stack_stored, fixed, double, single, half, instructions }
    }
}

/// Why it is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPassCount {
    /// It calls functions, which load, store and compute too.
    Calls,
    /// An instruction goes over as much memory as registers say.
    Repeats,
    /// Vectors are as long as the processor has them.
    LengthUnknown,
}

/// What passes do, whichever way they go.
#[derive(Debug, Clone, PartialEq)]
pub struct PassCounts {
    /// Without what masks may leave out.
    pub least: PassCount,
    pub most: PassCount,
    /// Of each block: its first and last instruction, and what it does.
    blocks: Vec<(std::ops::Range<usize>, PassCount, bool)>,
}

impl PassCounts {
    pub(super) fn of(
        body: &Body,
        listing: &Listing,
        works: &[Option<Work>],
        accesses: &[CourseAccess],
    ) -> Result<PassCounts, NoPassCount> {
        for step in body.steps() {
            let of = &listing.steps()[step];
            if of.calls() {
                return Err(NoPassCount::Calls);
            }
            if of.repeats {
                return Err(NoPassCount::Repeats);
            }
            let is_long = works.get(step).copied().flatten().is_some_and(|work| work.is_of_unknown_length);
            if is_long || of.memory.iter().any(|memory| memory.bytes == 0) {
                return Err(NoPassCount::LengthUnknown);
            }
        }
        let counted = |with_masked: bool| -> Vec<[f64; 9]> {
            let of_block = |block: &crate::body::BodyBlock| {
                let mut sum = [0.0; 9];
                for step in block.steps.clone() {
                    let work = works.get(step).copied().flatten();
                    let own = accesses.iter().filter(|of| of.step == step);
                    let count = count(work, own, with_masked).each();
                    sum.iter_mut().zip(count).for_each(|(sum, one)| *sum += one);
                }
                sum
            };
            body.blocks.iter().map(of_block).collect()
        };
        let (few, all) = (counted(false), counted(true));
        let extreme = |of: &[[f64; 9]], pick: fn((f64, f64)) -> f64| {
            PassCount::of_each(std::array::from_fn(|k| {
                let values: Vec<f64> = of.iter().map(|block| block[k]).collect();
                pick(body.extremes(&values))
            }))
        };
        let blocks = body.blocks.iter().zip(&all).enumerate().map(|(number, (block, count))| {
            (block.steps.clone(), PassCount::of_each(*count), body.is_in_each_pass(number))
        });
        Ok(PassCounts {
            least: extreme(&few, |both| both.0),
            most: extreme(&all, |both| both.1),
            blocks: blocks.collect(),
        })
    }

    /// Whether each pass does the same.
    pub fn is_exact(&self) -> bool {
        self.least == self.most
    }

    /// What a pass does on average. Samples show how much time each block has: where instructions of those that each pass goes through take about as long as
    /// one another, this is how often another one is gone through. Nothing of few samples, and where blocks take unequal time: behind a branch that nobody
    /// can foretell the processor waits, and samples say more of that than of how often.
    pub fn likely(&self, samples: impl Fn(usize) -> u64) -> Option<PassCount> {
        if self.is_exact() {
            return Some(self.most);
        }
        let of_block = |steps: &std::ops::Range<usize>| steps.clone().map(&samples).sum::<u64>();
        let all: u64 = self.blocks.iter().map(|(steps, ..)| of_block(steps)).sum();
        if all < LEAST_SAMPLES {
            return None;
        }
        let density = |steps: &std::ops::Range<usize>| of_block(steps) as f64 / steps.len() as f64;
        let (sure, others): (Vec<_>, Vec<_>) = self.blocks.iter().partition(|(.., is_sure)| *is_sure);
        let densities: Vec<f64> = sure.iter().map(|(steps, ..)| density(steps)).collect();
        let low = densities.iter().copied().fold(f64::INFINITY, f64::min);
        let high = densities.iter().copied().fold(0.0, f64::max);
        let (time, steps) =
            sure.iter().fold((0, 0), |sum, (steps, ..)| (sum.0 + of_block(steps), sum.1 + steps.len()));
        let of_pass = time as f64 / steps as f64;
        // One block alone cannot show that it takes as long as others.
        let is_even = sure.len() > 1 && high <= EVEN * low;
        if !is_even || others.iter().any(|(steps, ..)| density(steps) > EVEN * of_pass) {
            return None;
        }
        let mut sum = [0.0; 9];
        for (steps, count, is_sure) in &self.blocks {
            let share = match is_sure {
                true => 1.0,
                false => (density(steps) / of_pass).min(1.0),
            };
            sum.iter_mut().zip(count.each()).for_each(|(sum, one)| *sum += share * one);
        }
        let (least, most) = (self.least.each(), self.most.each());
        Some(PassCount::of_each(std::array::from_fn(|k| sum[k].clamp(least[k], most[k]))))
    }
}

fn count<'a>(
    work: Option<Work>,
    accesses: impl Iterator<Item = &'a CourseAccess>,
    with_masked: bool,
) -> PassCount {
    let mut sum = PassCount { instructions: 1.0, ..PassCount::default() };
    // A gather goes by a mask, which is full nearly always.
    let is_gather = work.is_some_and(|work| matches!(work.operation, Operation::Gather | Operation::Scatter));
    let is_left_out = work.is_some_and(|work| work.is_masked) && !is_gather && !with_masked;
    if is_left_out {
        return sum;
    }
    for of in accesses {
        let bytes = f64::from(of.bytes);
        let (loaded, stored) = match of.direction {
            Direction::Read => (bytes, 0.0),
            Direction::Write => (0.0, bytes),
            Direction::ReadAndWrite => (bytes, bytes),
        };
        if of.is_of_stack {
            sum.stack_loaded += loaded;
            sum.stack_stored += stored;
        } else if of.stride == Stride::Constant(0) {
            sum.fixed += loaded + stored;
        } else {
            sum.loaded += loaded;
            sum.stored += stored;
        }
    }
    if let Some(work) = work {
        let operations = f64::from(work.floating());
        match work.element {
            Some(Element::F64) => sum.double += operations,
            Some(Element::F32) => sum.single += operations,
            Some(Element::F16) => sum.half += operations,
            _ => {}
        }
    }
    sum
}
