//! Objects that the same line allocates, as a constructor or a wrapper of malloc does: what tells them apart is who called it.

use std::collections::HashMap;

use numawise_facts::Reading;
use numawise_facts::objects::{FileAddress, ObjectKind, first_difference};
use numawise_units::Pid;

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
        // What a library allocates for itself belongs to no variable of those who call it.
        let file = |place: &u32| places.get(*place).map(|place| place.file.as_str());
        let mut files = tally.call_stack().iter().map(file);
        let asks = files.find(|file| !file.is_some_and(is_of_operators)).flatten();
        let is_for_itself = asks != own.first().and_then(file);
        if let Some(first) = own.first().filter(|_| !is_for_itself) {
            of_line.entry((tally.kind(), *first)).or_default().push((k, own));
        }
    }
    for together in of_line.into_values() {
        // Their calls tell them apart also where these stand on lines of their own.
        name_by_calls(objects, &together, code);
        let Some(depth) = first_difference(together.iter().map(|(_, own)| own.as_slice())) else { continue };
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

/// The libraries whose operators new pass on what the program asks for.
fn is_of_operators(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or_default();
    ["libstdc++.so", "libc++.so", "libc++abi.so"].iter().any(|library| name.starts_with(library))
}

/// The same for those whose callers stand on the same lines: they are different calls on one of these.
fn name_by_calls(objects: &mut [Tally], together: &[OwnPlaces], code: &mut dyn Code) {
    let mut of_process: HashMap<Pid, Vec<(usize, Vec<FileAddress>)>> = HashMap::new();
    for (k, _) in together {
        if let Reading::Measured(site) = objects[*k].site() {
            of_process.entry(objects[*k].process()).or_default().push((*k, site.clone()));
        }
    }
    for sites in of_process.into_values() {
        // What all have in common tells none of them from the others.
        let is_common = |depth: usize, at: &FileAddress| {
            sites.iter().all(|(_, site)| site.get(depth).is_some_and(|of| of == at))
        };
        let mut names = |site: &[FileAddress]| -> Vec<String> {
            let calls = site.iter().enumerate().take(DEEPEST);
            let own = calls.filter(|(depth, at)| !is_common(*depth, at));
            own.flat_map(|(_, returns_to)| code.variables_of_calls(returns_to)).collect()
        };
        let names: Vec<Vec<String>> = sites.iter().map(|(_, site)| names(site)).collect();
        for ((k, _), own) in sites.iter().zip(&names) {
            let mut telling = own.iter().filter(|name| names.iter().any(|of| !of.contains(name)));
            if let Some(name) = telling.next() {
                objects[*k].rename(name.clone());
            }
        }
    }
}
