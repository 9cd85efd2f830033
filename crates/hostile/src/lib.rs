//! Every reader of foreign input, as a function of bytes, with a corpus and an engine that mutates it.
//!
//! A reader either accepts an input, and what it accepted makes sense, or refuses it with an error that may stand on a
//! terminal. Nothing else may happen: no panic, no second of CPU time, no gigabyte of memory, no nonsense taken for good.
//! The test `mutations` holds all readers to that with thousands of inputs; the fuzz targets in `fuzz/` call the same list.
//!
//! This crate is for tests only: nothing that ships uses it. It does not know what a reader is for.

mod corpus;
mod mutate;
mod random;
mod readers;
mod records;
mod sane;
mod tree;

pub use corpus::corpus;
pub use mutate::mutated;
pub use random::Random;

/// What a reader did with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Read {
    /// It took the input, and what came of it makes sense.
    Accepted,
    /// It refused the input with this text, which may stand on a terminal.
    Refused(String),
    /// It took the input with this nonsense in it, or refused it with a text that may not stand on a terminal.
    Nonsense(String),
}

impl Read {
    /// Accepted, unless `nonsense` names what makes no sense.
    pub fn accepted(nonsense: Option<String>) -> Read {
        nonsense.map_or(Read::Accepted, Read::Nonsense)
    }

    /// Refused with `error`, whose text is checked.
    pub fn refused(error: &dyn std::fmt::Display) -> Read {
        let text = error.to_string();
        match sane::message(&text) {
            Some(nonsense) => Read::Nonsense(nonsense),
            None => Read::Refused(text),
        }
    }

    /// Of a reader that gives a value or an error.
    pub fn of<T, E: std::fmt::Display>(
        result: Result<T, E>,
        nonsense: impl FnOnce(&T) -> Option<String>,
    ) -> Read {
        match result {
            Ok(value) => Read::accepted(nonsense(&value)),
            Err(error) => Read::refused(&error),
        }
    }
}

/// A reader of foreign input.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// Its name, as the fuzz target and the test's lines have it.
    pub name: &'static str,
    pub read: fn(&[u8]) -> Read,
    /// Files and folders from the project's root; a folder counts with the files directly in it.
    pub corpus: &'static [&'static str],
    /// Words that mean something to the reader; mutations insert them.
    pub words: &'static [&'static str],
    /// How many inputs `make test` gives it.
    pub inputs: u64,
}

/// All readers.
pub fn readers() -> Vec<Reader> {
    let groups: [&[Reader]; 11] = [
        &readers::activity::READERS,
        &readers::trace::READERS,
        &readers::objects::READERS,
        &readers::machine::READERS,
        &readers::profile::READERS,
        &readers::kernel::READERS,
        &readers::request::READERS,
        &readers::study::READERS,
        &readers::launch::READERS,
        &readers::symbols::READERS,
        &records::READERS,
    ];
    groups.concat()
}

/// The reader of this name.
pub fn reader(name: &str) -> Option<Reader> {
    readers().into_iter().find(|reader| reader.name == name)
}

/// Reads an input, for fuzz targets, which take a panic for a failure.
///
/// # Panics
/// When the reader takes nonsense for good, or refuses with a text that may not stand on a terminal.
pub fn hold(name: &str, input: &[u8]) {
    let reader = reader(name).unwrap_or_else(|| panic!("no reader is called {name}"));
    if let Read::Nonsense(nonsense) = (reader.read)(input) {
        panic!("{name}: {nonsense}");
    }
}

/// Input number `k` of a reader for a seed: the corpus as it is, then mutations of it. The same three give the same bytes.
pub fn input(reader: &Reader, corpus: &[Vec<u8>], seed: u64, k: u64) -> Vec<u8> {
    match corpus.get(k as usize) {
        Some(text) => text.clone(),
        None => {
            let mut random = Random::of(seed, reader.name, k);
            records::mutated(reader, corpus, &mut random)
                .unwrap_or_else(|| mutated(corpus, reader.words, &mut random))
        }
    }
}
