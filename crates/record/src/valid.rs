//! What must hold of a study or of a job for its numbers to mean something: looked at before anything is written, so that no trial
//! makes a record that cannot be read, and when a record is read, which a stranger may have written.
//!
//! Only what the formulas and the tables behind rely on is asked for, and what no machine can have measured is refused. The text of
//! a flaw names the place, what was found and what was expected.

mod header;
mod lines;
mod look;
mod machine;
mod merged;
mod objects;
mod run;
mod trial;
mod watched;

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;

use numawise_facts::{FigureNumber, FigureUnit, Notice};
use numawise_units::harmless::quoted;
use numawise_units::{Bytes, Nanoseconds};

pub use header::header;
pub use lines::lines;
pub use look::{look, sequence};
pub use machine::machine;
pub use merged::{MOST_CALLS, MOST_HOSTS, merged};
pub use objects::{ObjectSums, beyond_objects, code_place, object_header, object_thread, watching};
pub use trial::{line_trial, study, trial};
pub use watched::{CountedSoFar, MOST_THREADS, process, watched_header};

/// What cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: found {found}, expected {expected}")]
pub struct Flaw {
    place: String,
    found: String,
    expected: &'static str,
}

impl Flaw {
    pub fn new(place: String, found: String, expected: &'static str) -> Self {
        Flaw { place, found, expected }
    }
}

pub type Sound = Result<(), Flaw>;

/// `place` is a closure, since it is needed seldom and put together from parts.
fn ensure(
    holds: bool,
    place: impl FnOnce() -> String,
    found: impl fmt::Display,
    expected: &'static str,
) -> Sound {
    if holds { Ok(()) } else { Err(Flaw { place: place(), found: quoted(&found.to_string()), expected }) }
}

/// Ten years: nobody waits longer for a run.
const LONGEST: Nanoseconds = Nanoseconds(10 * 366 * 86_400 * 1_000_000_000);
/// What 52 bits of physical addresses can reach, the most of any processor.
const MOST_MEMORY: Bytes = Bytes(1 << 52);
/// The highest number that SQLite keeps as it is.
const MOST: u64 = i64::MAX as u64;
/// Metrics of a trial besides the one that is compared.
const MOST_METRICS: usize = 64;
const MOST_METRICS_IN_WORDS: &str = "at most 64 metrics";
/// The longest name of a point, a thread, a policy, a node.
const LONGEST_NAME: usize = 1024;
/// The longest reason, command, or end of an output.
const LONGEST_TEXT: usize = 4 << 20;

fn span(span: Nanoseconds, place: impl FnOnce() -> String) -> Sound {
    ensure(span <= LONGEST, place, format_args!("{} ns", span.0), "a span of at most ten years")
}

/// A moment since 1970, or CPU time of many CPUs.
fn moment(moment: Nanoseconds, place: impl FnOnce() -> String) -> Sound {
    ensure(moment.0 <= MOST, place, format_args!("{} ns", moment.0), "at most 9223372036854775807 ns")
}

fn count(count: u64, place: impl FnOnce() -> String) -> Sound {
    ensure(count <= 1 << 53, place, count, "a count of at most 2^53")
}

fn bytes(bytes: Bytes, place: impl FnOnce() -> String) -> Sound {
    ensure(
        bytes <= MOST_MEMORY,
        place,
        format_args!("{} bytes", bytes.0),
        "at most 4 PiB, which 52 bits of addresses reach",
    )
}

fn figure(of: &FigureNumber, place: impl FnOnce() -> String) -> Sound {
    let number = of.value.measured().copied().unwrap_or_default();
    match of.unit {
        FigureUnit::Nanoseconds => moment(Nanoseconds(number), place),
        FigureUnit::Bytes => bytes(Bytes(number), place),
        FigureUnit::Count => count(number, place),
    }
}

fn name(text: &str, place: impl FnOnce() -> String) -> Sound {
    let found = format_args!("{} bytes", text.len());
    ensure(text.len() <= LONGEST_NAME, place, found, "a name of at most 1024 bytes")
}

fn text(text: &str, place: impl FnOnce() -> String) -> Sound {
    let found = format_args!("{} bytes", text.len());
    ensure(text.len() <= LONGEST_TEXT, place, found, "a text of at most 4 MiB")
}

fn share(share: f64, place: impl FnOnce() -> String) -> Sound {
    ensure((0.0..=1.0).contains(&share), place, share, "a share from 0 to 1")
}

/// The first that is there twice.
fn first_again<T: Eq + Hash>(all: impl IntoIterator<Item = T>) -> Option<T> {
    let mut seen = HashSet::new();
    for one in all {
        if let Some(again) = seen.replace(one) {
            return Some(again);
        }
    }
    None
}

/// The numbers in what was said beside a result: amounts of memory, counts, shares.
pub fn notices(notices: &[Notice], place: impl Fn() -> String) -> Sound {
    numawise_facts::notice::unlikely_number(notices).map_or(Ok(()), |number| {
        let place = format!("{}{}", place(), number.place);
        Err(Flaw::new(place, number.found, "a number from 0 to 2^52"))
    })
}
