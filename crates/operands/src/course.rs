//! How the registers of an innermost loop go on from pass to pass: how often it is passed through, and what each access moves by.

use crate::body::{Body, BodyBlock};
use crate::forms::{Atoms, Form, Forms, REGISTERS, is_of_frame};
use crate::listing::Listing;
use crate::nest::Nest;
use crate::registers::{RegisterSet, Registers};
use crate::step::{Condition, Direction, Flow, MemoryOperand};
use crate::{Architecture, Work};

mod count;
mod entry;

pub use count::{NoPassCount, PassCount, PassCounts};

#[cfg(test)]
#[path = "course_tests.rs"]
mod tests;

/// Instructions of a loop that is looked into, at most.
const MOST_STEPS: usize = 2048;

/// Why nothing is said of how a loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCourse {
    /// Loops lie inside, or circles that no head is the only way into; or it is very large.
    NotInnermost,
}

/// Why a loop's registers do not say how often it is passed through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCounter {
    /// It can be left at several places, or at one that not every pass comes to.
    SeveralExits,
    /// It ends by what it computes or loads, not by a number that grows by the same in each pass.
    ByData,
}

/// By how many bytes an access moves on from pass to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stride {
    Constant(i64),
    /// By what a register holds.
    ByRegister,
    /// Its address is loaded or computed anew, or it gathers.
    Irregular,
}

/// An access of a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CourseAccess {
    /// The instruction, by its number in the listing.
    pub step: usize,
    pub direction: Direction,
    /// Of all its elements.
    pub bytes: u32,
    pub elements: u32,
    pub stride: Stride,
    /// Accesses with the same number are apart by constants.
    pub stream: u32,
    /// From the lowest access of its stream on.
    pub offset: u64,
    /// Of the stack, at the same place in each pass.
    pub is_of_stack: bool,
    address: Form,
    change: Option<Form>,
}

/// How a loop goes on.
#[derive(Debug, Clone)]
pub struct Course {
    atoms: Atoms,
    /// By how much each register changes in a pass; nothing where that is not known.
    changes: Vec<Option<Form>>,
    /// Of each instruction: by how much each register that matters is more than at the begin of the pass.
    moved: Vec<(usize, Vec<Option<Form>>)>,
    /// The registers that matter.
    matter: Vec<u32>,
    pub accesses: Vec<CourseAccess>,
    counter: Result<Counter, NoCounter>,
    pub counts: Result<PassCounts, NoPassCount>,
}

/// What ends it.
#[derive(Debug, Clone)]
struct Counter {
    /// Goes on while this is so to 0.
    condition: Condition,
    difference: Form,
    change: Form,
    is_narrow: bool,
    /// It is compared behind all else.
    is_at_end: bool,
    entry: Option<entry::Entry>,
}

/// What registers hold before each instruction of a pass.
struct Walk {
    before: Vec<(usize, Forms)>,
    end: Option<Forms>,
}

impl Walk {
    fn of(body: &Body, listing: &Listing, atoms: &mut Atoms) -> Walk {
        let mut at_begin: Vec<Option<Forms>> = vec![None; body.blocks.len()];
        at_begin[0] = Some(Atoms::begin());
        let mut walk = Walk { before: Vec::new(), end: None };
        let mut of_block: Vec<Vec<(usize, Forms)>> = vec![Vec::new(); body.blocks.len()];
        for (number, block) in body.blocks.iter().enumerate() {
            let Some(mut forms) = at_begin[number].take() else { continue };
            for step in block.steps.clone() {
                of_block[number].push((step, forms.clone()));
                atoms.after(&listing.steps()[step], &mut forms);
            }
            let mut meet = |place: &mut Option<Forms>| match place {
                Some(known) => atoms.merge(known, &forms),
                None => *place = Some(forms.clone()),
            };
            block.next.iter().for_each(|next| meet(&mut at_begin[*next]));
            if block.is_latch {
                meet(&mut walk.end);
            }
        }
        // In the order of the code.
        let mut begins: Vec<usize> = body.blocks.iter().map(|block| block.steps.start).collect();
        begins.sort_unstable();
        for begin in begins {
            let of = body.blocks.iter().position(|block| block.steps.start == begin);
            walk.before.append(&mut of.map(|of| std::mem::take(&mut of_block[of])).unwrap_or_default());
        }
        walk
    }

    fn before(&self, step: usize) -> Option<&Forms> {
        let at = self.before.binary_search_by_key(&step, |(step, _)| *step).ok()?;
        Some(&self.before[at].1)
    }
}

impl Course {
    /// Of a loop of a nest, by its number there; `works`: those of the listing.
    ///
    /// # Errors
    /// Of a loop that has other loops inside.
    pub fn of(
        architecture: Architecture,
        (listing, works): (&Listing, &[Option<Work>]),
        nest: &Nest,
        number: usize,
    ) -> Result<Course, NoCourse> {
        let body = Body::of(nest, number).ok_or(NoCourse::NotInnermost)?;
        if body.steps().count() > MOST_STEPS {
            return Err(NoCourse::NotInnermost);
        }
        let mut atoms = Atoms::new(architecture, true);
        let walk = Walk::of(&body, listing, &mut atoms);
        let addresses = addresses(&body, listing, &walk, &mut atoms);
        let stored = addresses.iter().filter(|(_, memory, _)| memory.direction != Direction::Read);
        let stored: Vec<Form> = stored.map(|(.., address)| address.clone()).collect();
        let counter = Counter::of(&body, listing, &walk, &mut atoms);
        let end = walk.end.as_ref();
        let is_same = |register: u32| end.is_some_and(|end| end[register as usize] == Form::atom(register));
        let kept = |form: &Form| form.terms.iter().all(|(atom, _)| atoms.is_kept(*atom, &is_same, &stored));
        let changes: Vec<Option<Form>> = (0..REGISTERS)
            .map(|register| {
                let change = end?[register as usize].with(&Form::atom(register), u64::MAX);
                kept(&change).then_some(change)
            })
            .collect();
        let change_of = |form: &Form| {
            let changed = form.replaced(|atom| match changes.get(atom as usize) {
                Some(change) => change.clone(),
                None => atoms.is_kept(atom, &is_same, &stored).then(Form::default),
            })?;
            Some(Form { plus: changed.plus.wrapping_sub(form.plus), ..changed })
        };
        let counter = counter.and_then(|counter| {
            let change = change_of(&counter.difference).filter(|change| *change != Form::default());
            let entry = entry::Entry::of(architecture, listing, nest, &body);
            let entry = entry.and_then(|entry| entry.at_begin(&counter.difference, &changes));
            Ok(Counter { change: change.ok_or(NoCounter::ByData)?, entry, ..counter })
        });
        let accesses = accesses(addresses, &change_of);
        let counts = PassCounts::of(&body, listing, works, &accesses);
        let forms = accesses.iter().map(|of| &of.address).chain(counter.iter().map(|of| &of.difference));
        let atoms_in: Vec<u32> = forms.flat_map(|form| &form.terms).map(|(atom, _)| *atom).collect();
        let matter: Vec<u32> = (0..REGISTERS).filter(|register| atoms_in.contains(register)).collect();
        let moved = |(step, forms): &(usize, Forms)| {
            let moved = |atom: &u32| {
                let moved = forms[*atom as usize].with(&Form::atom(*atom), u64::MAX);
                kept(&moved).then_some(moved)
            };
            (*step, matter.iter().map(moved).collect())
        };
        let moved = walk.before.iter().map(moved).collect();
        Ok(Course { atoms, changes, moved, matter, accesses, counter, counts })
    }

    /// Why it is not known how often it is passed through.
    pub fn no_counter(&self) -> Option<NoCounter> {
        self.counter.as_ref().err().copied()
    }

    /// A thread in it that is at this instruction.
    pub fn moment<'a>(&'a self, step: usize, registers: &'a Registers) -> Moment<'a> {
        let mut held = [None; REGISTERS as usize];
        for (register, change) in self.changes.iter().enumerate() {
            if change.as_ref().is_some_and(|change| *change == Form::default()) {
                held[register] = registers.whole(register as u8);
            }
        }
        let kept = held;
        let known = |atom: u32| kept.get(atom as usize).copied().flatten();
        if let Ok(at) = self.moved.binary_search_by_key(&step, |(step, _)| *step) {
            for (register, moved) in self.matter.iter().zip(&self.moved[at].1) {
                let moved = moved.as_ref().and_then(|moved| self.atoms.value(moved, &known));
                let now = registers.whole(*register as u8);
                held[*register as usize] = now.zip(moved).map(|(now, moved)| now.wrapping_sub(moved));
            }
        }
        Moment { course: self, registers, held }
    }
}

/// A pass that goes on.
#[derive(Debug)]
pub struct Moment<'a> {
    course: &'a Course,
    registers: &'a Registers,
    /// What registers held at its begin.
    held: [Option<u64>; REGISTERS as usize],
}

impl Moment<'_> {
    fn value(&self, form: &Form) -> Option<u64> {
        self.course.atoms.value(form, &|atom| self.held.get(atom as usize).copied().flatten())
    }

    /// Passes behind this one.
    pub fn left(&self) -> Option<u64> {
        let counter = self.course.counter.as_ref().ok()?;
        let left = counter.passes(self.value(&counter.difference)?, self.value(&counter.change)?)?;
        if counter.is_at_end { Some(left) } else { left.checked_sub(1) }
    }

    /// How often the loop is passed through, from its begin to its end; nothing where the begin is not known any more.
    pub fn trips(&self) -> Option<u64> {
        let counter = self.course.counter.as_ref().ok()?;
        let first = counter.entry.as_ref()?.value(self.registers)?;
        let all = counter.passes(first, self.value(&counter.change)?)?;
        let all = all.checked_add(counter.is_at_end.into())?;
        // What contradicts itself says nothing.
        self.left().is_none_or(|left| left < all).then_some(all)
    }

    /// Where an access of this pass is.
    pub fn place(&self, of: &CourseAccess) -> Option<u64> {
        self.value(&of.address)
    }

    /// By how much it moves on.
    pub fn stride(&self, of: &CourseAccess) -> Option<i64> {
        self.value(of.change.as_ref()?).map(|change| change as i64)
    }
}

/// Where each access of a pass is.
fn addresses<'a>(
    body: &Body,
    listing: &'a Listing,
    walk: &Walk,
    atoms: &mut Atoms,
) -> Vec<(usize, &'a MemoryOperand, Form)> {
    let mut found = Vec::new();
    for step in body.steps() {
        let Some(forms) = walk.before(step) else { continue };
        let memory = listing.steps()[step].memory.iter();
        found.extend(memory.map(|memory| (step, memory, atoms.address(memory, forms))));
    }
    found
}

impl Counter {
    /// How often in a row it goes on from this difference.
    fn passes(&self, difference: u64, change: u64) -> Option<u64> {
        passes(self.condition, difference, change, self.is_narrow)
    }

    /// By how much it changes is not said yet.
    fn of(body: &Body, listing: &Listing, walk: &Walk, atoms: &mut Atoms) -> Result<Counter, NoCounter> {
        let mut exits = (0..body.blocks.len()).filter(|block| body.blocks[*block].leaves);
        match (exits.next(), exits.next()) {
            (Some(exit), None) if body.is_in_each_pass(exit) => {
                Counter::at(&body.blocks[exit], body, listing, walk, atoms).ok_or(NoCounter::ByData)
            }
            _ => Err(NoCounter::SeveralExits),
        }
    }

    /// What the block compares at its end.
    fn at(
        block: &BodyBlock,
        body: &Body,
        listing: &Listing,
        walk: &Walk,
        atoms: &mut Atoms,
    ) -> Option<Counter> {
        let branch = block.steps.end - 1;
        let Flow::Branch(to) = listing.steps()[branch].flow else { return None };
        let condition = listing.steps()[branch].condition?;
        let stays = listing.find(to).and_then(|to| body.block_of(to)).is_some();
        let condition = if stays { condition } else { condition.negated() };
        let sets = |step: &usize| {
            let of = &listing.steps()[*step];
            if *step == branch { of.compares.is_some() } else { !of.writes.common(FLAGS).is_empty() }
        };
        let at = block.steps.clone().rev().find(sets)?;
        let compare = listing.steps()[at].compares?;
        let forms = walk.before(at)?;
        let (a, b) = (atoms.source(compare.a, forms), atoms.source(compare.b, forms));
        if condition == Condition::Equal || compare.is_sum && condition != Condition::NotEqual {
            return None;
        }
        Some(Counter {
            condition,
            difference: a.with(&b, if compare.is_sum { 1 } else { u64::MAX }),
            change: Form::default(),
            is_narrow: compare.is_narrow,
            is_at_end: block.next.is_empty(),
            entry: None,
        })
    }
}

/// All flags.
const FLAGS: RegisterSet = RegisterSet(0xffff_ffff << RegisterSet::FLAGS);

/// How often in a row a difference that changes by so much is as the condition says.
fn passes(condition: Condition, difference: u64, change: u64, is_narrow: bool) -> Option<u64> {
    let signed = |value: u64| i128::from(if is_narrow { value as i32 as i64 } else { value as i64 });
    let (difference, change) = (signed(difference), signed(change));
    let (difference, change) = match condition {
        Condition::Greater | Condition::GreaterOrEqual => (-difference, -change),
        Condition::NotEqual if change < 0 => (-difference, -change),
        _ => (difference, change),
    };
    if change <= 0 {
        return None;
    }
    let left = -difference;
    let passes = match condition {
        Condition::NotEqual if left < 0 || left % change != 0 => return None,
        Condition::NotEqual => left / change,
        Condition::Less | Condition::Greater => (left + change - 1).div_euclid(change),
        _ => left.div_euclid(change) + 1,
    };
    u64::try_from(passes.max(0)).ok()
}

fn accesses(
    addresses: Vec<(usize, &MemoryOperand, Form)>,
    change_of: &dyn Fn(&Form) -> Option<Form>,
) -> Vec<CourseAccess> {
    let mut accesses: Vec<CourseAccess> = Vec::new();
    let mut streams: Vec<Vec<(u32, u64)>> = Vec::new();
    for (step, memory, address) in addresses {
        let stream = streams.iter().position(|terms| *terms == address.terms).unwrap_or_else(|| {
            streams.push(address.terms.clone());
            streams.len() - 1
        });
        let change = if memory.elements > 1 { None } else { change_of(&address) };
        let stride = match &change {
            None => Stride::Irregular,
            Some(change) => {
                change.as_constant().map_or(Stride::ByRegister, |bytes| Stride::Constant(bytes as i64))
            }
        };
        accesses.push(CourseAccess {
            step,
            direction: memory.direction,
            bytes: memory.bytes.saturating_mul(memory.elements),
            elements: memory.elements,
            stride,
            stream: stream as u32,
            offset: 0,
            is_of_stack: stride == Stride::Constant(0) && is_of_stack(memory),
            address,
            change,
        });
    }
    let of_stream = |stream: u32| accesses.iter().filter(move |of| of.stream == stream);
    let lowest: Vec<i64> = (0..streams.len() as u32)
        .map(|stream| of_stream(stream).map(|of| of.address.plus as i64).min().unwrap_or_default())
        .collect();
    for of in &mut accesses {
        of.offset = of.address.plus.wrapping_sub(lowest[of.stream as usize] as u64);
    }
    accesses
}

fn is_of_stack(memory: &MemoryOperand) -> bool {
    (0..REGISTERS).any(|register| is_of_frame(register) && memory.base.is_of(register as u8))
}
