//! Objects that one line allocates and several call: which call is whose.

use std::collections::BTreeMap;

use numawise_facts::ObjectRun;
use numawise_facts::activity::CodePlace;
use numawise_facts::objects::first_difference;
use numawise_tables::objects::ObjectRow;

#[cfg(test)]
#[path = "callers_tests.rs"]
mod tests;

/// A row by its number, and its own places.
type OwnPlaces<'a> = (usize, Vec<&'a CodePlace>);

/// Notes with each row of which the line is also another row's the nearest call that is not the other's too.
pub fn tell_apart(run: &ObjectRun, rows: &mut [ObjectRow]) {
    let mut of_line: BTreeMap<CodePlace, Vec<OwnPlaces<'_>>> = BTreeMap::new();
    for (k, row) in rows.iter().enumerate() {
        let own = own_places(run, row.object);
        if let Some(first) = own.first() {
            of_line.entry((*first).clone()).or_default().push((k, own));
        }
    }
    for together in of_line.into_values() {
        let stacks = together.iter().map(|(_, own)| own.as_slice());
        let Some(depth) = first_difference(stacks) else { continue };
        for (k, own) in together {
            rows[k].called_at = own.get(depth).map(|place| (*place).clone());
        }
    }
}

/// Lines of the program itself on the way to an allocation, from the innermost on.
fn own_places(run: &ObjectRun, object: usize) -> Vec<&CodePlace> {
    let stack = run.objects.get(object).and_then(|object| object.allocated.measured());
    let places = stack.into_iter().flatten().filter_map(|place| run.places.get(*place as usize));
    places.filter(|place| place.source.line.measured().is_some() && !place.source.is_of_system()).collect()
}
