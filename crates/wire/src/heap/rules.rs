//! The rules by which the library for memory objects puts objects on nodes: `2;n2-3;fapp;flibc.so.6;c0:11a9,0:1203;g0:4060+a000`
//! (`docs/formats/object-rules.md`).
//!
//! Parts stand between semicolons: the version; `n` the nodes that what follows prefers, `i` those over
//! which its pages alternate; `f` a file, the end of its path, numbered in their order; `c`
//! where the calls of a stack return to, innermost first, each by its file and the address in it; `g` a variable, with its bytes.

use core::fmt;

use crate::Variable;
use crate::mask;

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;

/// The variable that carries the rules.
pub const RULES: Variable = Variable(c"NUMAWISE_OBJECTS_TO");

/// The longest text: the kernel takes 128 KiB for one variable.
pub const MOST_TEXT: usize = 64 << 10;
pub const MOST_FILES: usize = 32;
/// Frames of a call stack.
pub const MOST_FRAMES: usize = 12;
/// Call stacks and variables.
pub const MOST_RULES: usize = 512;
/// Different sets of nodes.
pub const MOST_TARGETS: usize = 8;
/// Nodes are below this: no Linux kernel is built for more (MAX_NUMNODES).
pub const MOST_NODES: usize = 1024;
pub const NODE_WORDS: usize = MOST_NODES / 64;

const VERSION: &str = "2";
const SEPARATOR: u8 = b';';

/// An address in a file, by the number of that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InFile {
    pub file: u8,
    hidden: u64,
}

/// What addresses are combined with by exclusive or, so that a copy that is left on a stack is no address: of a program that is not
/// position-independent they are those of its calls, which are looked for on stacks.
const HIDES: u64 = 0xa5c3_5a3c_c35a_3ca5;

impl InFile {
    pub const fn new(file: u8, address: u64) -> InFile {
        InFile { file, hidden: address ^ HIDES }
    }

    #[inline]
    pub const fn address(self) -> u64 {
        self.hidden ^ HIDES
    }
}

/// The calls of a stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    frames: [InFile; MOST_FRAMES],
    count: u8,
}

impl Calls {
    /// Of a stack of which nothing is known.
    pub const NONE: Calls = Calls { frames: [InFile::new(0, 0); MOST_FRAMES], count: 0 };

    /// The innermost frames; those that do not fit are left out.
    pub fn of(frames: impl IntoIterator<Item = InFile>) -> Calls {
        let mut calls = Calls::default();
        for (place, frame) in calls.frames.iter_mut().zip(frames) {
            *place = frame;
            calls.count += 1;
        }
        calls
    }

    /// Innermost first.
    pub fn frames(&self) -> &[InFile] {
        self.frames.get(..usize::from(self.count)).unwrap_or_default()
    }
}

/// How the pages of an object go to the nodes of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// To them while they have room.
    Preferred,
    /// To each in turn.
    Interleaved,
}

impl Spread {
    const fn letter(self) -> char {
        match self {
            Spread::Preferred => 'n',
            Spread::Interleaved => 'i',
        }
    }
}

/// A part of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// Words of bits: the nodes of the rules that follow.
    Nodes([u64; NODE_WORDS], Spread),
    /// As it was encoded: see [`is_named`].
    File(&'a [u8]),
    /// What is allocated by these calls.
    Calls(Calls),
    Variable {
        at: InFile,
        bytes: u64,
    },
}

/// What is wrong with encoded rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulesError {
    /// Another version, or no rules at all.
    Version,
    /// Longer than [`MOST_TEXT`], or more of something than there may be.
    TooMany,
    /// A part that is none, or of a file that was not named before, or before any nodes.
    Part,
}

/// Writes rules part by part; numbers of files are those of the order in which they are written.
///
/// # Errors
/// Those of `out`.
pub fn begin(out: &mut impl fmt::Write) -> fmt::Result {
    out.write_str(VERSION)
}

/// The nodes of the rules that follow, as words of bits.
///
/// # Errors
/// Those of `out`.
pub fn write_nodes(nodes: &[u64], spread: Spread, out: &mut impl fmt::Write) -> fmt::Result {
    write!(out, ";{}", spread.letter())?;
    mask::write_list(nodes, out)
}

/// A file by the end of its path.
///
/// # Errors
/// Those of `out`.
pub fn write_file(name: &[u8], out: &mut impl fmt::Write) -> fmt::Result {
    out.write_str(";f")?;
    name.iter().try_for_each(|byte| {
        if is_plain(*byte) { out.write_char(char::from(*byte)) } else { write!(out, "%{byte:02x}") }
    })
}

/// What is allocated by these calls.
///
/// # Errors
/// Those of `out`.
pub fn write_calls(calls: &Calls, out: &mut impl fmt::Write) -> fmt::Result {
    for (k, frame) in calls.frames().iter().enumerate() {
        let (file, address) = (frame.file, frame.address());
        write!(out, "{}{file:x}:{address:x}", if k == 0 { ";c" } else { "," })?;
    }
    Ok(())
}

/// A variable of so many bytes.
///
/// # Errors
/// Those of `out`.
pub fn write_variable(at: InFile, bytes: u64, out: &mut impl fmt::Write) -> fmt::Result {
    write!(out, ";g{:x}:{:x}+{bytes:x}", at.file, at.address())
}

/// Gives each part to `take`, once it is known that it is sound; the parts before a broken one were given.
///
/// # Errors
/// What is broken.
pub fn decode<'a>(text: &'a [u8], take: &mut impl FnMut(Part<'a>)) -> Result<(), RulesError> {
    if text.len() > MOST_TEXT {
        return Err(RulesError::TooMany);
    }
    let mut parts = text.split(|byte| *byte == SEPARATOR);
    if parts.next() != Some(VERSION.as_bytes()) {
        return Err(RulesError::Version);
    }
    let (mut files, mut rules, mut targets) = (0, 0, 0);
    let count = |count: &mut usize, most| {
        *count += 1;
        if *count > most { Err(RulesError::TooMany) } else { Ok(()) }
    };
    for part in parts {
        let (first, rest) = part.split_first().ok_or(RulesError::Part)?;
        let part = match first {
            b'n' | b'i' => {
                count(&mut targets, MOST_TARGETS)?;
                let mut nodes = [0; NODE_WORDS];
                mask::read_list(rest, &mut nodes).ok_or(RulesError::Part)?;
                Part::Nodes(nodes, if *first == b'i' { Spread::Interleaved } else { Spread::Preferred })
            }
            b'f' => {
                count(&mut files, MOST_FILES)?;
                if rest.is_empty() || !rest.iter().all(|byte| is_plain(*byte) || *byte == b'%') {
                    return Err(RulesError::Part);
                }
                Part::File(rest)
            }
            b'c' | b'g' if targets == 0 => return Err(RulesError::Part),
            b'c' => {
                count(&mut rules, MOST_RULES)?;
                Part::Calls(calls(rest, files)?)
            }
            b'g' => {
                count(&mut rules, MOST_RULES)?;
                variable(rest, files).ok_or(RulesError::Part)?
            }
            _ => return Err(RulesError::Part),
        };
        take(part);
    }
    Ok(())
}

/// Whether an encoded name is that of a file.
pub fn is_named(encoded: &[u8], name: &[u8]) -> bool {
    let mut rest = encoded;
    for byte in name {
        let found = match rest {
            [b'%', high, low, after @ ..] => {
                rest = after;
                let digit = |byte: u8| char::from(byte).to_digit(16);
                digit(*high).zip(digit(*low)).map(|(high, low)| (high << 4 | low) as u8)
            }
            [b'%', ..] | [] => None,
            [plain, after @ ..] => {
                rest = after;
                Some(*plain)
            }
        };
        if found != Some(*byte) {
            return false;
        }
    }
    rest.is_empty()
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+')
}

fn calls(text: &[u8], files: usize) -> Result<Calls, RulesError> {
    let mut calls = Calls::default();
    for frame in text.split(|byte| *byte == b',') {
        let place = calls.frames.get_mut(usize::from(calls.count)).ok_or(RulesError::TooMany)?;
        *place = in_file(frame, files).ok_or(RulesError::Part)?;
        calls.count += 1;
    }
    Ok(calls)
}

fn variable<'a>(text: &[u8], files: usize) -> Option<Part<'a>> {
    let mut halves = text.split(|byte| *byte == b'+');
    let at = in_file(halves.next()?, files)?;
    let bytes = hexadecimal(halves.next()?)?;
    (halves.next().is_none() && at.address().checked_add(bytes).is_some())
        .then_some(Part::Variable { at, bytes })
}

fn in_file(text: &[u8], files: usize) -> Option<InFile> {
    let mut halves = text.split(|byte| *byte == b':');
    let file = u8::try_from(hexadecimal(halves.next()?)?).ok().filter(|file| usize::from(*file) < files)?;
    let address = hexadecimal(halves.next()?)?;
    halves.next().is_none().then_some(InFile::new(file, address))
}

/// At most 16 digits.
fn hexadecimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 {
        return None;
    }
    text.iter().try_fold(0u64, |number, byte| Some(number << 4 | u64::from(char::from(*byte).to_digit(16)?)))
}
