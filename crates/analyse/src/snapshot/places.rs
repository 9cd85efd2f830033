//! Addresses of processes as places in the code, the same in all processes of a program.

use numawise_facts::activity::{CodeAddress, CodePlace, SourcePlace};
use numawise_facts::{Activity, Reading};

use super::input::RunParts;
use super::process::Process;

pub fn place(parts: &RunParts<'_>, activity: &Activity, at: &Reading<CodeAddress>) -> Reading<CodePlace> {
    at.as_ref().and_then(|at| {
        let Some(file) = activity.path(at.file) else {
            return Reading::unavailable("it lies in no file that was noted");
        };
        Reading::Measured(place_in(parts, file, at.address))
    })
}

/// An address in a file.
pub fn place_in(parts: &RunParts<'_>, file: &str, address: u64) -> CodePlace {
    let known = parts.places.get(&(file.to_owned(), address));
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

/// The name of a communicator of a process, by its number.
pub fn communicator_name(process: &Process<'_>, number: Option<u16>) -> Reading<String> {
    let Some(number) = number else {
        return Reading::unavailable("the call has none");
    };
    match process.activity.communicators.get(usize::from(number)) {
        Some(communicator) => Reading::Measured(communicator.name.clone()),
        None => Reading::unavailable("it found no place in the table"),
    }
}
