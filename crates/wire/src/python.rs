//! Where CPython 3.9 to 3.14 keeps what a thread executes, and how its tables of lines are read.
//!
//! From 3.13 on the interpreter says so itself, at the begin of `_PyRuntime` (`_Py_DebugOffsets`). Before, the layout of a version of two numbers stays
//! as it is: the tables here are of its headers, on 64-bit machines. Nothing here reads memory; what does is `guest`.

use core::mem::size_of;

#[cfg(test)]
#[path = "python_tests.rs"]
mod tests;

/// Python frames of a call stack that are kept, from the innermost on.
pub const FRAMES: usize = 16;
/// Bytes of `_PyRuntime` from which [`Layout::published`] reads.
pub const PUBLISHED_BYTES: usize = 664;

/// How the lines of a function's instructions are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTable {
    /// 3.9, `co_lnotab`: steps of bytes and lines.
    Steps,
    /// 3.10, `co_linetable` (PEP 626): ranges of bytes, each with a step of lines.
    Ranges,
    /// From 3.11 on, `co_linetable` (PEP 657): ranges of instructions with lines and columns.
    Locations,
}

/// What tells which instruction of its function a frame is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// A number of bytes from the first one on.
    Bytes,
    /// A number of units of two bytes.
    Units,
    /// An address; the first instruction lies so far behind the begin of the code object.
    Address { begin: u16 },
}

/// Offsets in the structs of the interpreter, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub runtime: Runtime,
    pub thread: Thread,
    pub frame: Frame,
    pub code: Code,
    pub text: Text,
}

/// Where the interpreters of a process are found, and their threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runtime {
    /// A word that is not 0 from when the interpreter begins to end.
    pub finalizing: u16,
    pub interpreters: u16,
    pub next: u16,
    pub threads: u16,
}

/// A thread of an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thread {
    pub next: u16,
    /// pthread_self(3)
    pub id: u16,
    pub frame: u16,
    /// The frame is behind another pointer, with this offset.
    pub within: Option<u16>,
}

/// A function in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    pub previous: u16,
    pub code: u16,
    pub instruction: u16,
    /// A byte that is 3 or more where the frame is no function of the program's.
    pub owner: Option<u16>,
    pub position: Position,
}

/// A function as it was compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    pub kind: u16,
    pub file: u16,
    pub name: u16,
    pub first_line: u16,
    pub lines: u16,
    pub table: LineTable,
}

/// Strings (PEP 393) and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    pub length: u16,
    pub state: u16,
    /// Where the letters of ASCII are; of others they are behind two words more, or three.
    pub ascii: u16,
    pub others: u16,
    pub bytes_length: u16,
    pub bytes: u16,
}

const TEXT_BEFORE_3_12: Text =
    Text { length: 16, state: 32, ascii: 48, others: 72, bytes_length: 16, bytes: 32 };
const TEXT: Text = Text { ascii: 40, others: 56, ..TEXT_BEFORE_3_12 };

const LAYOUT_3_9: Layout = Layout {
    runtime: Runtime { finalizing: 16, interpreters: 32, next: 0, threads: 8 },
    thread: Thread { next: 8, id: 176, frame: 24, within: None },
    frame: Frame { previous: 24, code: 32, instruction: 104, owner: None, position: Position::Bytes },
    code: Code { kind: 8, file: 104, name: 112, first_line: 40, lines: 120, table: LineTable::Steps },
    text: TEXT_BEFORE_3_12,
};

const LAYOUT_3_10: Layout = Layout {
    frame: Frame { instruction: 96, position: Position::Units, ..LAYOUT_3_9.frame },
    code: Code { table: LineTable::Ranges, ..LAYOUT_3_9.code },
    ..LAYOUT_3_9
};

const LAYOUT_3_11: Layout = Layout {
    runtime: Runtime { finalizing: 24, interpreters: 40, next: 0, threads: 16 },
    thread: Thread { next: 8, id: 152, frame: 56, within: Some(8) },
    frame: Frame {
        previous: 48,
        code: 32,
        instruction: 56,
        owner: None,
        position: Position::Address { begin: 184 },
    },
    code: Code { kind: 8, file: 112, name: 128, first_line: 72, lines: 136, table: LineTable::Locations },
    text: TEXT_BEFORE_3_12,
};

const LAYOUT_3_12: Layout = Layout {
    runtime: Runtime { threads: 72, ..LAYOUT_3_11.runtime },
    thread: Thread { id: 136, within: Some(0), ..LAYOUT_3_11.thread },
    frame: Frame {
        previous: 8,
        code: 0,
        instruction: 56,
        owner: Some(70),
        position: Position::Address { begin: 192 },
    },
    code: Code { first_line: 68, ..LAYOUT_3_11.code },
    text: TEXT,
};

impl Layout {
    /// Of a version before the one that publishes it: 3.9 to 3.12. `None` for others.
    pub fn of(minor: u8) -> Option<Layout> {
        match minor {
            9 => Some(LAYOUT_3_9),
            10 => Some(LAYOUT_3_10),
            11 => Some(LAYOUT_3_11),
            12 => Some(LAYOUT_3_12),
            _ => None,
        }
    }

    /// What the begin of `_PyRuntime` says, of 3.13 and 3.14. `None` for others, and for what makes no sense.
    pub fn published(runtime: &[u8]) -> Option<Layout> {
        let word = |number: usize| {
            let bytes = runtime.get(number * size_of::<u64>()..)?.first_chunk()?;
            Some(u64::from_ne_bytes(*bytes))
        };
        // Offsets are small: what is not is none.
        let at = |number: usize| u16::try_from(word(number)?).ok();
        if runtime.get(..8)? != b"xdebugpy" {
            return None;
        }
        // Words that 3.14 has more: of an interpreter, of a frame, of a code object, and a struct for sets.
        let more = match word(1)? >> 16 {
            0x30d => [0; 4],
            0x30e => [3, 5, 6, 10],
            _ => return None,
        };
        let [thread, code, object, bytes] = more;
        Some(Layout {
            runtime: Runtime { finalizing: at(4)?, interpreters: at(5)?, next: at(8)?, threads: at(9)? },
            thread: Thread {
                next: at(21 + thread)?,
                id: at(24 + thread)?,
                frame: at(23 + thread)?,
                within: None,
            },
            frame: Frame {
                previous: at(29 + thread)?,
                code: at(30 + thread)?,
                instruction: at(31 + thread)?,
                owner: Some(at(33 + thread)?),
                position: Position::Address { begin: at(43 + code)? },
            },
            code: Code {
                file: at(35 + code)?,
                name: at(37 + code)?,
                lines: at(38 + code)?,
                first_line: at(39 + code)?,
                kind: at(45 + object)?,
                table: LineTable::Locations,
            },
            text: Text {
                bytes_length: at(65 + bytes)?,
                bytes: at(66 + bytes)?,
                state: at(68 + bytes)?,
                length: at(69 + bytes)?,
                ascii: at(70 + bytes)?,
                others: at(70 + bytes)?.checked_add(16)?,
            },
        })
    }
}

/// How the letters of a string are stored, by the word of its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letters {
    /// Bytes of one: 1, 2 or 4.
    pub width: u8,
    pub is_ascii: bool,
}

impl Letters {
    /// `None` for a string whose letters are elsewhere, and for what is no string.
    pub fn of(state: u32) -> Option<Letters> {
        // Before these bits stands whether it is kept for others: in two bits, in one byte without a lock of the interpreter, in two in newer versions.
        let state = [2, 8, 16].map(|shift| state >> shift).into_iter().find(|state| state & 8 != 0)?;
        let (width, is_ascii) = ((state & 7) as u8, state & 16 != 0);
        [1, 2, 4].contains(&width).then_some(Letters { width, is_ascii })
    }
}

/// The line of the instruction at `at` (in bytes from the first one on), by the table of its function, which begins on line `first`. `None` where the
/// table gives it none.
pub fn line(kind: LineTable, table: impl Iterator<Item = u8>, first: u32, at: u32) -> Option<u32> {
    match kind {
        LineTable::Steps => by_steps(table, first, at),
        LineTable::Ranges => by_ranges(table, first, at),
        LineTable::Locations => by_locations(table, first, at),
    }
}

fn stepped(line: u32, step: i64) -> u32 {
    u32::try_from(i64::from(line) + step).unwrap_or(0)
}

fn by_steps(mut table: impl Iterator<Item = u8>, first: u32, at: u32) -> Option<u32> {
    let (mut line, mut begin) = (first, 0u32);
    while let (Some(bytes), Some(step)) = (table.next(), table.next()) {
        begin = begin.saturating_add(u32::from(bytes));
        if begin > at {
            break;
        }
        line = stepped(line, i64::from(step.cast_signed()));
    }
    (line > 0).then_some(line)
}

fn by_ranges(mut table: impl Iterator<Item = u8>, first: u32, at: u32) -> Option<u32> {
    let (mut line, mut end) = (first, 0u32);
    while let (Some(bytes), Some(step)) = (table.next(), table.next()) {
        end = end.saturating_add(u32::from(bytes));
        let step = step.cast_signed();
        let has_line = step != i8::MIN;
        if has_line {
            line = stepped(line, i64::from(step));
        }
        if at < end {
            return (has_line && line > 0).then_some(line);
        }
    }
    None
}

fn by_locations(mut table: impl Iterator<Item = u8>, first: u32, at: u32) -> Option<u32> {
    const UNIT: u32 = 2;
    const BEGINS: u8 = 0x80;
    let (mut line, mut end) = (first, 0u32);
    // What lies before the first one is nothing.
    let mut head = table.find(|byte| byte & BEGINS != 0);
    while let Some(begun) = head {
        end = end.saturating_add((u32::from(begun & 7) + 1) * UNIT);
        let kind = begun >> 3 & 15;
        let step = match kind {
            // With columns of any length, and without columns.
            13 | 14 => signed(&mut table),
            10..=12 => i64::from(kind) - 10,
            _ => 0,
        };
        line = stepped(line, step);
        if at < end {
            return (kind != 15 && line > 0).then_some(line);
        }
        // Behind its columns.
        head = table.find(|byte| byte & BEGINS != 0);
    }
    None
}

/// A number in groups of six bits, the lowest first, whose lowest bit is its sign.
fn signed(table: &mut impl Iterator<Item = u8>) -> i64 {
    let (mut number, mut shift) = (0u64, 0u32);
    for byte in table {
        if shift < 60 {
            number |= u64::from(byte & 63) << shift;
        }
        shift += 6;
        if byte & 64 == 0 {
            break;
        }
    }
    let size = (number >> 1).cast_signed();
    if number & 1 == 0 { size } else { -size }
}

/// A source of the standard library or of an installed package, which says less to a person than the one that has called it.
pub fn is_installed(file: &[u8]) -> bool {
    const INSIDE: [&[u8]; 3] = [b"/site-packages/", b"/dist-packages/", b"/lib/python3."];
    file.starts_with(b"<frozen ") || INSIDE.iter().any(|part| contains(file, part))
}

/// Whether a part stands somewhere in a text.
pub fn contains(text: &[u8], part: &[u8]) -> bool {
    (0..text.len()).any(|at| text.get(at..).is_some_and(|rest| rest.starts_with(part)))
}

/// A Python function in progress, as it is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameText<'a> {
    /// 0: its instruction has none.
    pub line: u32,
    /// UTF-8; where it is long, its end.
    pub file: &'a [u8],
    pub function: &'a [u8],
}

/// Bytes before the texts of a frame: its line, and the lengths of both.
pub const FRAME_HEAD: usize = 8;

/// The frames that were written down, one after the other, from the innermost on: line, lengths of file and function, and these. What is cut off is left
/// out.
pub fn frames(bytes: &[u8]) -> impl Iterator<Item = FrameText<'_>> {
    let mut rest = bytes;
    core::iter::from_fn(move || {
        let (head, texts) = rest.split_first_chunk::<FRAME_HEAD>()?;
        let [l0, l1, l2, l3, f0, f1, n0, n1] = *head;
        let lengths = [[f0, f1], [n0, n1]].map(|length| usize::from(u16::from_ne_bytes(length)));
        let (file, more) = texts.split_at_checked(lengths[0])?;
        let (function, more) = more.split_at_checked(lengths[1])?;
        rest = more;
        Some(FrameText { line: u32::from_ne_bytes([l0, l1, l2, l3]), file, function })
    })
}

/// The head of a frame.
pub fn frame_head(line: u32, file: u16, function: u16) -> [u8; FRAME_HEAD] {
    let ([l0, l1, l2, l3], [f0, f1], [n0, n1]) =
        (line.to_ne_bytes(), file.to_ne_bytes(), function.to_ne_bytes());
    [l0, l1, l2, l3, f0, f1, n0, n1]
}
