//! Objects that the same line allocates, as a constructor or a wrapper of malloc does: what tells them apart is who called it.

use std::collections::HashMap;

use numawise_facts::Reading;
use numawise_facts::objects::{ObjectKind, first_difference};

use super::input::Code;
use super::places::Places;
use super::tally::Tally;

/// An object by its number, and the lines of the program itself on the way to its allocation, from the innermost on.
type OwnPlaces = (usize, Vec<u32>);

/// Gives objects that one line allocated the names of the variables that its callers have for them, as far as these say.
pub fn name_by_callers(objects: &mut [Tally], places: &Places, code: &mut dyn Code) {
    let mut of_line: HashMap<(ObjectKind, u32), Vec<OwnPlaces>> = HashMap::new();
    for (k, tally) in objects.iter().enumerate() {
        let own: Vec<u32> =
            tally.call_stack().iter().copied().filter(|place| places.is_programs_own(*place)).collect();
        if let Some(first) = own.first() {
            of_line.entry((tally.kind(), *first)).or_default().push((k, own));
        }
    }
    for together in of_line.into_values() {
        let Some(depth) = first_difference(together.iter().map(|(_, own)| own.as_slice())) else { continue };
        for (k, own) in together {
            let caller = own.get(depth).and_then(|place| places.get(*place));
            if let Some(Reading::Measured(name)) = caller.map(|place| code.variable(place)) {
                objects[k].rename(name);
            }
        }
    }
}
