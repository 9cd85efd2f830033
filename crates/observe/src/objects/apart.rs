//! Objects that the same line allocates, as a constructor or a wrapper of malloc does: what tells them apart is who called it.

use std::collections::HashMap;

use numawise_facts::Reading;
use numawise_facts::objects::{FileAddress, ObjectKind, first_difference};

use super::input::Code;
use super::places::Places;
use super::tally::Tally;

/// Calls of an allocation in which a variable is searched for: further out, the result has gone through too many hands.
const DEEPEST: usize = 8;

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
        let Some(depth) = first_difference(together.iter().map(|(_, own)| own.as_slice())) else {
            name_by_calls(objects, &together, code);
            continue;
        };
        let mut of_caller: HashMap<Option<u32>, Vec<OwnPlaces>> = HashMap::new();
        for (k, own) in together {
            of_caller.entry(own.get(depth).copied()).or_default().push((k, own));
        }
        for (caller, together) in of_caller {
            let caller = caller.and_then(|place| places.get(place));
            if let Some(Reading::Measured(name)) = caller.map(|place| code.variable(place)) {
                together.iter().for_each(|(k, _)| objects[*k].rename(name.clone()));
            }
            // Its line may have several.
            name_by_calls(objects, &together, code);
        }
    }
}

/// The same for those whose callers stand on the same lines: they are different calls on one of these.
fn name_by_calls(objects: &mut [Tally], together: &[OwnPlaces], code: &mut dyn Code) {
    let site = |(k, _): &OwnPlaces| Some((*k, objects[*k].site().measured()?.clone()));
    let sites: Vec<(usize, Vec<FileAddress>)> = together.iter().filter_map(site).collect();
    for (at, (k, site)) in sites.iter().enumerate() {
        let process = objects[*k].process();
        let is_other = |(other, (of, _)): &(usize, &(usize, Vec<FileAddress>))| {
            *other != at && objects[*of].process() == process
        };
        let others: Vec<&[FileAddress]> =
            sites.iter().enumerate().filter(is_other).map(|(_, (_, site))| site.as_slice()).collect();
        // What several of a process share names none of them.
        let is_its_own = |depth: usize| others.iter().all(|other| other.get(depth) != site.get(depth));
        let calls = site.iter().enumerate().take(DEEPEST).filter(|(depth, _)| is_its_own(*depth));
        let mut names = calls.map(|(_, returns_to)| code.variable_of_call(returns_to));
        if let Some(Reading::Measured(name)) = names.find(|name| name.measured().is_some()) {
            objects[*k].rename(name);
        }
    }
}
