//! Objects that one line allocates and several call: which call is whose.

use std::collections::BTreeMap;

use numawise_facts::ObjectRun;
use numawise_facts::activity::CodePlace;
use numawise_tables::objects::ObjectRow;

#[cfg(test)]
#[path = "callers_tests.rs"]
mod tests;

/// Notes with each row of which the line is also another row's the nearest call that is not the other's too.
pub fn tell_apart(run: &ObjectRun, rows: &mut [ObjectRow]) {
    let mut of_line: BTreeMap<CodePlace, Vec<(usize, Vec<&CodePlace>)>> = BTreeMap::new();
    for (k, row) in rows.iter().enumerate() {
        let own = own_places(run, row.object);
        if let Some(first) = own.first() {
            of_line.entry((*first).clone()).or_default().push((k, own));
        }
    }
    for together in of_line.into_values() {
        let deepest = together.iter().map(|(_, own)| own.len()).max().unwrap_or(0);
        let first = together[0].1.clone();
        let differ = |depth: &usize| together.iter().any(|(_, own)| own.get(*depth) != first.get(*depth));
        let Some(depth) = (1..deepest).find(differ) else { continue };
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
