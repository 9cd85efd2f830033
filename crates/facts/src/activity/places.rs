//! Addresses of processes as places in the code, the same in all processes of a program; and their communicators.

use std::collections::BTreeMap;

use super::{Activity, CodeAddress, CodePlace, SourcePlace};
use crate::Reading;

/// What lies at the addresses of a run: by the path of a file as [`Activity::path`] gives it, and the address in it.
pub type SourcePlaces = BTreeMap<(String, u64), SourcePlace>;

impl Activity {
    /// What lies at an address of it.
    pub fn place(&self, places: &SourcePlaces, at: &Reading<CodeAddress>) -> Reading<CodePlace> {
        at.as_ref().and_then(|at| {
            let Some(file) = self.path(at.file) else {
                return Reading::unavailable("it lies in no file that was noted");
            };
            Reading::Measured(CodePlace::of(places, file, at.address))
        })
    }

    /// The name of a communicator, by its number.
    pub fn communicator_name(&self, number: Option<u16>) -> Reading<String> {
        let Some(number) = number else {
            return Reading::unavailable("the call has none");
        };
        match self.communicators.get(usize::from(number)) {
            Some(communicator) => Reading::Measured(communicator.name.clone()),
            None => Reading::unavailable("it found no place in the table"),
        }
    }

    /// The ranks of a communicator; none of one with two groups, or that is not known.
    pub fn ranks_of(&self, communicator: Option<u16>) -> Option<u32> {
        let found = self.communicators.get(usize::from(communicator?))?;
        (!found.is_inter).then_some(found.size)
    }
}

impl CodePlace {
    /// An address in a file.
    pub fn of(places: &SourcePlaces, file: &str, address: u64) -> CodePlace {
        let known = places.get(&(file.to_owned(), address));
        let source = known.cloned().unwrap_or_else(|| {
            let why = || "no symbols of the file were read";
            SourcePlace {
                function: Reading::unavailable(why()),
                file: Reading::unavailable(why()),
                line: Reading::unavailable(why()),
            }
        });
        CodePlace { file: file.to_owned(), address, source }
    }
}
