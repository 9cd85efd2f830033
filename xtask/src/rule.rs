//! The rules by name, and places where one is broken.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// `linux` and `machine` alone know where the kernel's files are.
    KernelPath,
    /// Option names and commands of ours stand in `report` and in the faces.
    OptionName,
    /// Errors are types.
    StringError,
    /// The face calls nothing unsafe.
    UnsafeFace,
    /// Faces alone end the process, and nobody prints by macros: they panic where nothing can be written.
    Output,
    /// Pure crates read no clock, no disk, no environment.
    Impure,
    /// A file uses none that uses it.
    Circle,
    /// Words that DESIGN.md refuses.
    Word,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::KernelPath => "a path of /sys or /proc outside linux and machine",
            Rule::OptionName => "an option or a command of ours below report and the faces",
            Rule::StringError => "Result<_, String> in a signature",
            Rule::UnsafeFace => "unsafe in a face",
            Rule::Output => {
                "output by a macro (the face has streams.rs), or the end of the process below the faces"
            }
            Rule::Impure => "input in a pure crate",
            Rule::Circle => "a circle among files",
            Rule::Word => "a word that the house does not use",
        })
    }
}

/// Where a rule is broken.
#[derive(Debug, PartialEq, Eq)]
pub struct Breach {
    pub rule: Rule,
    pub path: String,
    pub line: usize,
    pub what: String,
}
