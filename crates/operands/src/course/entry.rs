//! What registers held where a loop was entered, by what others still hold.

use crate::Architecture;
use crate::body::Body;
use crate::forms::{Atoms, Form, Forms};
use crate::listing::Listing;
use crate::nest::Nest;
use crate::registers::Registers;

/// Blocks before a loop that are looked at.
const MOST_BLOCKS: usize = 32;

/// A value of the moment when the loop was entered.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    atoms: Atoms,
    forms: Forms,
    value: Form,
    /// Values that registers of the loop still say: the register, by how much it is more, after so many times the value.
    said: Vec<(u32, u8, u64, u64)>,
}

impl Entry {
    /// Along the only way to the loop, as far back as it is the only one.
    pub fn of(architecture: Architecture, listing: &Listing, nest: &Nest, body: &Body) -> Option<Entry> {
        let graph = &nest.graph;
        let is_inside = |block: usize| body.block_of(graph.steps(block).start).is_some();
        let head = graph.block_of(body.blocks[0].steps.start)?;
        let mut outside = graph.before(head).iter().copied().filter(|block| !is_inside(*block));
        let (Some(mut block), None) = (outside.next(), outside.next()) else { return None };
        let mut way = vec![block];
        while let [before] = *graph.before(block) {
            if is_inside(before) || way.contains(&before) || way.len() == MOST_BLOCKS {
                break;
            }
            block = before;
            way.push(block);
        }
        let mut atoms = Atoms::new(architecture, false);
        let mut forms = Atoms::begin();
        for step in way.iter().rev().flat_map(|block| graph.steps(*block)) {
            atoms.after(&listing.steps()[step], &mut forms);
        }
        Some(Entry { atoms, forms, value: Form::default(), said: Vec::new() })
    }

    /// Of this value of the begin of a pass, in the first one. `changes`: what registers of the loop change by.
    pub fn at_begin(mut self, value: &Form, changes: &[Option<Form>]) -> Option<Entry> {
        self.value = value.replaced(|atom| self.forms.get(atom as usize).cloned())?;
        for (register, (form, change)) in self.forms.iter().zip(changes).enumerate() {
            let is_kept = change.as_ref().is_some_and(|change| *change == Form::default());
            if let (true, [(atom, factor)]) = (is_kept, form.terms.as_slice()) {
                self.said.push((*atom, register as u8, form.plus, *factor));
            }
        }
        Some(self)
    }

    pub fn value(&self, registers: &Registers) -> Option<u64> {
        let known = |atom: u32| {
            self.said.iter().filter(|said| said.0 == atom).find_map(|(_, register, plus, factor)| {
                let more = registers.whole(*register)?.wrapping_sub(*plus);
                match *factor {
                    u64::MAX => Some(more.wrapping_neg()),
                    factor if factor.is_power_of_two() => {
                        let value = (more as i64) >> factor.trailing_zeros();
                        (value as u64).wrapping_mul(factor).eq(&more).then_some(value as u64)
                    }
                    _ => None,
                }
            })
        };
        self.atoms.value(&self.value, &known)
    }
}
