//! Objects that the same line allocates, as a constructor or a wrapper of malloc does: what tells them apart is who called it.

use std::collections::HashMap;

use numawise_facts::Reading;
use numawise_facts::objects::ObjectKind;

use super::input::Code;
use super::places::Places;
use super::tally::Tally;

#[cfg(test)]
#[path = "apart_tests.rs"]
mod tests;

/// Gives objects that one line allocated the names of the variables that its callers have for them, as far as these say.
pub fn name_by_callers(objects: &mut [Tally], places: &Places, code: &mut dyn Code) {
    let mut of_line: HashMap<(ObjectKind, u32), Vec<(usize, Vec<u32>)>> = HashMap::new();
    for (k, tally) in objects.iter().enumerate() {
        let own: Vec<u32> =
            tally.call_stack().iter().copied().filter(|place| places.is_programs_own(*place)).collect();
        if let Some(first) = own.first() {
            of_line.entry((tally.kind(), *first)).or_default().push((k, own));
        }
    }
    for together in of_line.into_values() {
        let Some(depth) = first_difference(&together) else { continue };
        for (k, own) in together {
            let caller = own.get(depth).and_then(|place| places.get(*place));
            if let Some(Reading::Measured(name)) = caller.map(|place| code.variable(place)) {
                objects[k].rename(name);
            }
        }
    }
}

/// How many calls further out they were not called from the same line.
fn first_difference(together: &[(usize, Vec<u32>)]) -> Option<usize> {
    let (_, first) = together.first()?;
    let differ = |depth: &usize| together.iter().any(|(_, own)| own.get(*depth) != first.get(*depth));
    let deepest = together.iter().map(|(_, own)| own.len()).max()?;
    (1..deepest).find(differ)
}
