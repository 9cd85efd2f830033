//! How often the blamed access is the one that a thread really waited for, in compilers' code.
//!
//! `blame record DIR [SECONDS]` compiles loops with the compilers that are there, runs each with one of its arrays larger than the caches
//! and the others small, and writes samples of it to DIR. `blame judge DIR` prints which share of these samples has the large array
//! blamed; `blame judge DIR NAME` also where the samples of the recordings lie whose names contain NAME.

mod judge;
mod record;

use std::path::Path;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["record", folder] => record::all(Path::new(folder), "0.4"),
        ["record", folder, seconds] => record::all(Path::new(folder), seconds),
        ["judge", folder] => judge::all(Path::new(folder), None),
        ["judge", folder, name] => judge::all(Path::new(folder), Some(name)),
        _ => eprintln!("blame record DIR [SECONDS] | blame judge DIR [NAME]"),
    }
}
