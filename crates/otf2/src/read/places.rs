//! Where calls were made, as a run has it: addresses of a file, and what lies there.

use std::collections::BTreeMap;

use numawise_facts::activity::SourcePlace;
use numawise_facts::{Reading, SourcePlaces};

use super::definitions::{Definitions, Place, Regions};

pub struct Places<'d> {
    definitions: &'d Definitions,
    regions: &'d Regions,
    addresses: BTreeMap<Place, u64>,
}

impl<'d> Places<'d> {
    pub fn new(definitions: &'d Definitions, regions: &'d Regions) -> Places<'d> {
        Places { definitions, regions, addresses: BTreeMap::new() }
    }

    pub fn name(&self, call: u32) -> &'d str {
        self.regions.name(call)
    }

    pub fn tells_polls(&self) -> bool {
        self.regions.tells_polls
    }

    /// A number that stands for an address; none where nothing is known.
    pub fn address(&mut self, place: Place) -> Option<u64> {
        if place == Place::default() {
            return None;
        }
        let next = self.addresses.len() as u64 + 1;
        Some(*self.addresses.entry(place).or_insert(next))
    }

    /// All that were numbered, for a program by its path.
    pub fn of_program(&self, path: &str) -> SourcePlaces {
        let place = |(place, address): (&Place, &u64)| ((path.to_owned(), *address), self.source(place));
        self.addresses.iter().map(place).collect()
    }

    fn source(&self, place: &Place) -> SourcePlace {
        let reading = |text: Option<&str>| match text {
            Some(text) => Reading::Measured(text.to_owned()),
            None => Reading::unavailable("the archive does not say it"),
        };
        let text = |number: u32| self.definitions.string(number);
        let region = place.inside.and_then(|region| self.definitions.regions.get(&region));
        let line = place.at.line.and_then(|line| self.definitions.lines.get(&line));
        // The line where the region begins is not that of the call.
        let file = line.map(|(file, _)| *file).or(region.map(|region| region.file));
        let function = place.at.function.or(region.map(|region| region.name));
        SourcePlace {
            function: reading(function.and_then(text)),
            file: reading(file.and_then(text)),
            line: match line {
                Some((_, line)) => Reading::Measured(*line),
                None => Reading::unavailable("the archive does not say it"),
            },
        }
    }
}
