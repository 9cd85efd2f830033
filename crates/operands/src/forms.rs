//! What registers hold, as sums of what others held at an earlier instruction.

use crate::effect::combined;
use crate::registers::{Part, Source};
use crate::step::{Change, MemoryOperand, Operation, Step};
use crate::{Architecture, effect};

/// General registers of the architecture that has the most: the first atoms are what each held at the begin.
pub(crate) const REGISTERS: u32 = 32;
/// Values that are made of values that are made of values.
const DEEPEST: u32 = 16;

/// A sum of values, each so many times; modulo 2^64.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// Atoms in ascending order, with factors that are not 0.
    pub terms: Vec<(u32, u64)>,
    pub plus: u64,
}

impl Form {
    pub fn constant(plus: u64) -> Form {
        Form { terms: Vec::new(), plus }
    }

    pub fn atom(atom: u32) -> Form {
        Form { terms: vec![(atom, 1)], plus: 0 }
    }

    pub fn times(&self, factor: u64) -> Form {
        let terms = self.terms.iter().map(|(atom, of)| (*atom, of.wrapping_mul(factor)));
        Form { terms: terms.filter(|(_, of)| *of != 0).collect(), plus: self.plus.wrapping_mul(factor) }
    }

    /// The sum of this one and so many times another.
    pub fn with(&self, other: &Form, factor: u64) -> Form {
        let mut sum = self.clone();
        for (atom, of) in &other.times(factor).terms {
            match sum.terms.binary_search_by_key(atom, |(atom, _)| *atom) {
                Ok(at) => sum.terms[at].1 = sum.terms[at].1.wrapping_add(*of),
                Err(at) => sum.terms.insert(at, (*atom, *of)),
            }
        }
        sum.terms.retain(|(_, of)| *of != 0);
        sum.plus = sum.plus.wrapping_add(other.plus.wrapping_mul(factor));
        sum
    }

    /// The same with something else in place of each atom; nothing where one has no such.
    pub fn replaced(&self, by: impl Fn(u32) -> Option<Form>) -> Option<Form> {
        let begin = Some(Form::constant(self.plus));
        self.terms.iter().fold(begin, |sum, (atom, factor)| Some(sum?.with(&by(*atom)?, *factor)))
    }

    pub fn as_constant(&self) -> Option<u64> {
        self.terms.is_empty().then_some(self.plus)
    }
}

/// A value that is no sum.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Atom {
    /// What a register held at the begin, or what nobody knows, such as what was loaded.
    Own,
    Made {
        operation: Operation,
        a: Form,
        b: Form,
        is_narrow: bool,
    },
    Part {
        of: Form,
        part: Part,
    },
    /// What a place of the stack holds, or a variable.
    Loaded {
        address: Form,
    },
}

/// What a function knows of its values.
#[derive(Debug, Clone)]
pub(crate) struct Atoms {
    all: Vec<Atom>,
    /// Registers that a call may change.
    lost_in_calls: u32,
    /// Numbers of 32 bits do not overflow: parts are as the whole.
    is_whole: bool,
}

/// The stack pointer, or the register by which a frame is found: of x86-64 4 and 5, of aarch64 31 and 29.
pub(crate) fn is_of_frame(atom: u32) -> bool {
    matches!(atom, 4 | 5 | 29 | 31)
}

/// What each register holds.
pub(crate) type Forms = Vec<Form>;

impl Atoms {
    pub fn new(architecture: Architecture, is_whole: bool) -> Atoms {
        let lost_in_calls = match architecture {
            // rax, rcx, rdx, rsi, rdi, r8 to r11 (System V ABI, 3.2.1).
            Architecture::X86_64 => 0x0fc7,
            // x0 to x18, x30 (AAPCS64, 6.1.1).
            Architecture::Aarch64 => 0x4007_ffff,
        };
        Atoms { all: vec![Atom::Own; REGISTERS as usize], lost_in_calls, is_whole }
    }

    /// At the begin.
    pub fn begin() -> Forms {
        (0..REGISTERS).map(Form::atom).collect()
    }

    pub fn lost(&mut self) -> Form {
        self.all.push(Atom::Own);
        Form::atom(self.all.len() as u32 - 1)
    }

    fn found(&mut self, atom: Atom) -> Form {
        if let Some(known) = self.all.iter().position(|known| *known == atom) {
            return Form::atom(known as u32);
        }
        self.all.push(atom);
        Form::atom(self.all.len() as u32 - 1)
    }

    /// What registers hold behind a step.
    pub fn after(&mut self, step: &Step, forms: &mut Forms) {
        let is_call = step.calls();
        let made = step.changes.map(|change| {
            let change = change.filter(|_| !is_call && !step.repeats)?;
            Some((change.to, self.result(&change, forms)))
        });
        let loaded = step.load.and_then(|load| {
            let address = self.address(step.memory.first()?, forms);
            let is_kept =
                self.is_whole && !matches!(load.part, Part::Signed(8 | 16) | Part::Unsigned(8 | 16));
            let is_variable = address.terms.iter().all(|(atom, _)| is_of_frame(*atom));
            (is_kept && is_variable).then(|| (load.to, self.found(Atom::Loaded { address })))
        });
        let stays = |register: u32| is_call && self.lost_in_calls >> register & 1 == 0;
        let is_lost = |register: u32| {
            (is_call && self.lost_in_calls >> register & 1 == 1)
                || (step.writes.has(register as u8) && !stays(register))
        };
        for register in (0..REGISTERS).filter(|register| is_lost(*register)).collect::<Vec<_>>() {
            forms[register as usize] = self.lost();
        }
        for (to, form) in made.into_iter().flatten().chain(loaded) {
            forms[usize::from(to)] = form;
        }
    }

    /// What registers hold where two ways come together.
    pub fn merge(&mut self, one: &mut Forms, other: &Forms) {
        for (one, _) in one.iter_mut().zip(other).filter(|(one, other)| one != other) {
            *one = self.lost();
        }
    }

    /// Of an access, without what a segment adds.
    pub fn address(&mut self, memory: &MemoryOperand, forms: &Forms) -> Form {
        let (base, index) = (self.source(memory.base, forms), self.source(memory.index, forms));
        base.with(&index, 1).with(&Form::constant(memory.displacement), 1)
    }

    /// Whether a value is the same in each pass where these registers are, and nothing is stored to these addresses.
    pub fn is_kept(&self, atom: u32, register: &dyn Fn(u32) -> bool, stored: &[Form]) -> bool {
        let all = |form: &Form| form.terms.iter().all(|(atom, _)| self.is_kept(*atom, register, stored));
        match self.all.get(atom as usize) {
            Some(Atom::Own) => atom < REGISTERS && register(atom),
            Some(Atom::Made { a, b, .. }) => all(a) && all(b),
            Some(Atom::Part { of, .. }) => all(of),
            Some(Atom::Loaded { address }) => all(address) && !stored.contains(address),
            None => false,
        }
    }

    fn result(&mut self, change: &Change, forms: &Forms) -> Form {
        let (a, b) = (self.source(change.a, forms), self.source(change.b, forms));
        // Constants of 32 bits have a sign too.
        let signed = |form: Form| match form.as_constant().filter(|_| self.is_whole && change.is_narrow) {
            Some(value) => Form::constant(Part::Signed(32).of(value)),
            None => form,
        };
        let (a, b) = (signed(a), signed(b));
        let value = match (change.operation, a.as_constant(), b.as_constant()) {
            (operation, Some(a), Some(b)) => Form::constant(combined(operation, (a, b), change.is_narrow)),
            (Operation::Add, ..) => a.with(&b, 1),
            (Operation::Subtract, ..) => a.with(&b, u64::MAX),
            (Operation::ShiftLeft, _, Some(by)) if by < 64 => a.times(1 << by),
            (Operation::Multiply, _, Some(by)) => a.times(by),
            (Operation::Multiply, Some(by), _) => b.times(by),
            (operation, ..) => self.found(Atom::Made { operation, a, b, is_narrow: change.is_narrow }),
        };
        let value = value.with(&Form::constant(change.plus), 1);
        if change.is_narrow { self.part(value, Part::Unsigned(32)) } else { value }
    }

    pub fn source(&mut self, source: Source, forms: &Forms) -> Form {
        match source {
            Source::Constant(value) => Form::constant(value),
            Source::Unknown => self.lost(),
            Source::Register { number, part, shift } => {
                let whole = forms[usize::from(number) % REGISTERS as usize].clone();
                self.part(whole, part).times(1_u64.wrapping_shl(shift.into()))
            }
        }
    }

    fn part(&mut self, of: Form, part: Part) -> Form {
        let is_whole = self.is_whole && matches!(part, Part::Unsigned(32) | Part::Signed(32));
        if part == Part::Whole || is_whole {
            return of;
        }
        if let Some(value) = of.as_constant() {
            return Form::constant(part.of(value));
        }
        let is_part_already = match (of.terms.as_slice(), part) {
            ([(atom, 1)], Part::Unsigned(bits)) if of.plus == 0 => {
                matches!(self.all[*atom as usize], Atom::Part { part: Part::Unsigned(less), .. } if less <= bits)
            }
            _ => false,
        };
        if is_part_already { of } else { self.found(Atom::Part { of, part }) }
    }

    /// The value of a sum, where those of atoms are known.
    pub fn value(&self, form: &Form, known: &dyn Fn(u32) -> Option<u64>) -> Option<u64> {
        self.value_within(form, known, DEEPEST)
    }

    fn value_within(&self, form: &Form, known: &dyn Fn(u32) -> Option<u64>, depth: u32) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let of_atom = |atom: u32| {
            known(atom).or_else(|| match self.all.get(atom as usize)? {
                Atom::Own | Atom::Loaded { .. } => None,
                Atom::Made { operation, a, b, is_narrow } => {
                    let [a, b] = [a, b].map(|form| self.value_within(form, known, depth));
                    Some(effect::combined(*operation, (a?, b?), *is_narrow))
                }
                Atom::Part { of, part } => Some(part.of(self.value_within(of, known, depth)?)),
            })
        };
        form.terms.iter().try_fold(form.plus, |sum, (atom, factor)| {
            Some(sum.wrapping_add(of_atom(*atom)?.wrapping_mul(*factor)))
        })
    }
}
