//! What compilers write down of the loops that they compile: whether they vectorized them, and why not.
//!
//! Their texts differ from version to version. One that is not known is kept as it is.

mod clang;
mod gcc;

pub use clang::{ClangCall, clang_calls, clang_remarks};
pub use gcc::{GccCall, gcc_call, gcc_remarks};

/// What decides on vectors: options that begin so.
const DECIDING: [&str; 22] = [
    "-O",
    "-march=",
    "-mcpu=",
    "-mavx",
    "-msse",
    "-mfma",
    "-msve",
    "-mprefer-vector-width=",
    "-ffast-math",
    "-fassociative-math",
    "-funsafe-math",
    "-fno-math-errno",
    "-ffinite-math",
    "-fno-signed-zeros",
    "-fno-trapping-math",
    "-fopenmp",
    "-flto",
    "-fvect-cost-model=",
    "-ftree-",
    "-fno-tree-",
    "-fvectorize",
    "-fno-vectorize",
];

fn decides(flag: &str) -> bool {
    DECIDING.iter().any(|of| flag.starts_with(of))
}

/// By their ends, what is compiled.
const SOURCES: [&str; 22] = [
    "c", "i", "cc", "cp", "cxx", "cpp", "c++", "C", "CPP", "ii", "f", "F", "for", "FOR", "f77", "f90", "F90",
    "f95", "F95", "f03", "F03", "f08",
];

fn is_source(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.rsplit_once('.').is_some_and(|(_, end)| SOURCES.contains(&end))
}

/// A path from a folder on, without steps back; one of no known folder stays relative.
fn joined(folder: &str, path: &str) -> String {
    let whole =
        if path.starts_with('/') || folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let begin = if whole.starts_with('/') { "/" } else { "" };
    format!("{begin}{}", parts.join("/"))
}
