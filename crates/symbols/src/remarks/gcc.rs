//! The records of gcc, g++ and gfortran: `-fopt-info-vec-all-internals`, from version 9 on; of its notes only the one of sums in order.
//!
//! A line is `FILE:LINE:COLUMN: KIND: TEXT`; what is part of something else stands further to the right. A loop is tried with one width
//! of vectors after the other: the first attempt is with the widest, and says what is in the way. `couldn't vectorize loop` or `loop vectorized`
//! ends what belongs to it.

use numawise_facts::objects::{CompiledUnit, CompilerFamily, LoopObstacle, LoopRemark, ObstacleCause};

use super::{decides, is_source};

#[cfg(test)]
#[path = "gcc_tests.rs"]
mod tests;

/// A call of the compiler proper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GccCall {
    /// Where it was called.
    pub folder: String,
    /// As it was named there; missing where a whole program is linked.
    pub source: Option<String>,
    pub flags: Vec<String>,
}

/// Options of the compiler proper whose value follows as a word of its own.
const WITH_VALUE: [&str; 22] = [
    "-imultiarch",
    "-iprefix",
    "-isystem",
    "-isysroot",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-I",
    "-D",
    "-U",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-auxbase",
    "-auxbase-strip",
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-MD",
    "-MMD",
];

/// Words, each ended by a zero: the folder, the options of the driver as the shell would read them, and the words of the call.
pub fn gcc_call(words: &str) -> Option<GccCall> {
    let mut words = words.split('\0');
    let (folder, options) = (words.next()?, words.next()?);
    let quoted = |word: &str| word.trim().trim_matches('\'').to_owned();
    let mut flags: Vec<String> = Vec::new();
    for flag in options.split("' '").map(quoted).filter(|flag| decides(flag)) {
        // The last level counts.
        flags.retain(|of| *of != flag && !(of.starts_with("-O") && flag.starts_with("-O")));
        flags.push(flag);
    }
    let mut source = None;
    let mut is_value = false;
    for word in words {
        if !is_value && !word.starts_with('-') && !word.starts_with('@') && is_source(word) {
            source = Some(word.to_owned());
        }
        is_value = WITH_VALUE.contains(&word);
    }
    Some(GccCall { folder: folder.to_owned(), source, flags })
}

impl GccCall {
    pub fn unit(self, remarks: &[LoopRemark]) -> CompiledUnit {
        let GccCall { folder, source, flags } = self;
        let source = source.map(|source| super::joined(&folder, &source));
        CompiledUnit { source, compiler: CompilerFamily::Gcc, flags, tried: !remarks.is_empty() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Missed,
    Optimized,
    Note,
}

const KINDS: [(&str, Kind); 3] =
    [(": missed: ", Kind::Missed), (": optimized: ", Kind::Optimized), (": note: ", Kind::Note)];

/// A line of the record.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    file: &'a str,
    line: u32,
    kind: Kind,
    depth: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn of(text: &'a str) -> Option<Line<'a>> {
        let (place, kind, text) = KINDS
            .into_iter()
            .find_map(|(word, kind)| text.split_once(word).map(|(place, text)| (place, kind, text)))?;
        let mut parts = place.rsplitn(3, ':');
        let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        let trimmed = text.trim_start();
        Some(Line {
            file,
            line: line.parse().ok()?,
            kind,
            depth: text.len() - trimmed.len(),
            text: trimmed.trim_end(),
        })
    }
}

/// The loops of a record, those of each function once for each time that the compiler looked at them.
pub fn gcc_remarks(record: &str, folder: &str, unit: u32) -> Vec<LoopRemark> {
    let mut remarks: Vec<LoopRemark> = Vec::new();
    let mut attempt: Vec<Line<'_>> = Vec::new();
    // The last loop has no reason yet: it may follow.
    let mut is_open = false;
    let mut in_order: Option<LoopObstacle> = None;
    for line in record.lines().filter_map(Line::of) {
        let is_missed = line.kind == Kind::Missed;
        let ended = line.depth == 0 && is_missed && line.text == "couldn't vectorize loop";
        let vectorized = line.kind == Kind::Optimized && line.text.contains("loop vectorized using");
        if ended || vectorized {
            let obstacle = ended.then(|| obstacle(&attempt, line)).filter(|of| of.text != INSIDE);
            is_open = obstacle.as_ref().is_some_and(|of| of.cause == ObstacleCause::Other);
            let file = super::joined(folder, line.file);
            // Its sums are computed one by one all the same.
            let sums = in_order.take().filter(|_| vectorized).map(Some);
            for obstacle in [obstacle].into_iter().chain(sums) {
                remarks.push(LoopRemark { unit, file: file.clone(), line: line.line, obstacle });
            }
            attempt.clear();
        } else if line.kind == Kind::Note {
            if line.text.contains(IN_ORDER) {
                in_order = Some(LoopObstacle { cause: ObstacleCause::ReductionOrder, ..other(&line) });
            }
        } else if line.depth == 0 {
            if let Some(of) = remarks.last_mut().filter(|_| is_open && is_missed)
                && let Some((_, found)) = known(&line)
            {
                of.obstacle = Some(found);
                is_open = false;
            }
        } else if is_missed {
            attempt.push(line);
        }
    }
    remarks
}

/// A sum of which only the terms are computed in vectors.
const IN_ORDER: &str = "(fold-left) reduction";
/// A loop in one that is vectorized as a whole.
const INSIDE: &str = "outer-loop already vectorized.";

/// What ends an attempt, at the place of the loop.
const ENDS: [&str; 6] = [
    "bad loop form",
    "bad data references",
    "bad data access",
    "bad data dependence",
    "unexpected pattern",
    "bad operation or unsupported loop bound",
];

/// The most telling of the first attempt.
fn obstacle(attempt: &[Line<'_>], of: Line<'_>) -> LoopObstacle {
    let is_end = |line: &Line<'_>| {
        line.depth == 1
            && (line.file, line.line) == (of.file, of.line)
            && (ENDS.iter().any(|end| line.text.starts_with(end)) || line.text.starts_with("not vectorized"))
    };
    // Of blocks behind an earlier loop.
    let blocks = |line: &Line<'_>| line.text.contains("basic block");
    let begin = attempt.iter().rposition(blocks).map_or(0, |last| last + 1);
    let attempt = &attempt[begin..];
    let end = attempt.iter().position(is_end).map_or(attempt.len(), |end| end + 1);
    let found = attempt[..end].iter().filter_map(known).max_by_key(|(weight, _)| *weight);
    let inside = attempt.iter().find(|line| line.text == INSIDE);
    match (found, inside) {
        (_, Some(line)) => other(line),
        (Some((_, found)), None) => found,
        (None, None) => attempt[..end].last().map_or_else(|| other(&of), other),
    }
}

fn other(line: &Line<'_>) -> LoopObstacle {
    let (line, text) = (Some(line.line), line.text.to_owned());
    LoopObstacle { cause: ObstacleCause::Other, line, about: None, text }
}

/// Part of a text, what it means, and how much it says: others may stand beside it.
const TEXTS: [(&str, ObstacleCause, u8); 46] = [
    ("possible dependence between", ObstacleCause::Dependence, 5),
    ("compilation time alias", ObstacleCause::Dependence, 5),
    ("would need a runtime alias check", ObstacleCause::Aliasing, 6),
    ("runtime alias check not supported", ObstacleCause::Aliasing, 5),
    ("will not create alias checks", ObstacleCause::Aliasing, 5),
    ("number of versioning for alias", ObstacleCause::Aliasing, 5),
    ("possible alias involving", ObstacleCause::Aliasing, 5),
    ("can't determine dependence", ObstacleCause::Aliasing, 1),
    ("no reduc code for scalar code", ObstacleCause::ReductionOrder, 5),
    ("in-order reduction", ObstacleCause::ReductionOrder, 5),
    ("unsafe fp math", ObstacleCause::ReductionOrder, 5),
    ("reduction used in loop", ObstacleCause::CarriedValue, 3),
    ("Unknown def-use cycle", ObstacleCause::CarriedValue, 3),
    ("unsupported use in stmt", ObstacleCause::CarriedValue, 4),
    ("value used after loop", ObstacleCause::CarriedValue, 3),
    ("relevant phi not supported", ObstacleCause::CarriedValue, 2),
    ("number of iterations cannot be computed", ObstacleCause::IterationCount, 5),
    ("niters could be", ObstacleCause::IterationCount, 4),
    ("function is not vectorizable", ObstacleCause::Call, 4),
    ("statement clobbers memory", ObstacleCause::Call, 5),
    ("loop contains function calls", ObstacleCause::Call, 2),
    ("control flow in loop", ObstacleCause::ControlFlow, 5),
    ("latch block not empty", ObstacleCause::ControlFlow, 5),
    ("multiple exits", ObstacleCause::ControlFlow, 5),
    ("too many incoming edges", ObstacleCause::ControlFlow, 5),
    ("unsupported loop form", ObstacleCause::ControlFlow, 4),
    ("complicated access pattern", ObstacleCause::DataAccess, 4),
    ("is not affine", ObstacleCause::DataAccess, 3),
    ("not suitable for gather", ObstacleCause::DataAccess, 3),
    ("not suitable for scatter", ObstacleCause::DataAccess, 3),
    ("emulated scatter", ObstacleCause::DataAccess, 3),
    ("no array mode", ObstacleCause::DataAccess, 3),
    ("single-element interleaving not supported", ObstacleCause::DataAccess, 3),
    ("not falling back to elementwise", ObstacleCause::DataAccess, 3),
    ("unsupported load permutation", ObstacleCause::DataAccess, 3),
    ("data ref analysis failed", ObstacleCause::DataAccess, 4),
    ("unsupported unaligned", ObstacleCause::DataAccess, 4),
    ("cost model: ", ObstacleCause::Cost, 5),
    ("not profitable", ObstacleCause::Cost, 4),
    ("never be profitable", ObstacleCause::Cost, 5),
    ("iteration count too small", ObstacleCause::Cost, 5),
    ("need to be peeled", ObstacleCause::Level, 6),
    ("multiple nested loops", ObstacleCause::Nest, 5),
    ("consecutive inner loops", ObstacleCause::Nest, 5),
    ("inner-loop count not invariant", ObstacleCause::Nest, 5),
    ("not supported", ObstacleCause::Operation, 1),
];

fn known(line: &Line<'_>) -> Option<(u8, LoopObstacle)> {
    let (_, mut cause, mut weight) = TEXTS.into_iter().find(|(part, _, _)| line.text.contains(part))?;
    if line.text.contains("stmt not supported: ") && called(line.text).is_some() {
        (cause, weight) = (ObstacleCause::Call, 5);
    }
    let about = match cause {
        ObstacleCause::Call => called(line.text),
        ObstacleCause::Dependence | ObstacleCause::Aliasing => shared(line.text),
        _ => None,
    };
    let obstacle = LoopObstacle { cause, line: Some(line.line), about, text: line.text.to_owned() };
    Some((weight, obstacle))
}

/// `_12 = sinf (_3);` calls `sinf`.
fn called(text: &str) -> Option<String> {
    let (_, statement) = text.split_once(": ")?;
    let call = statement.rsplit_once(" = ").map_or(statement, |(_, call)| call);
    let (name, _) = call.split_once(" (")?;
    let is_name = |c: char| c.is_alphanumeric() || "_:.~<>".contains(c);
    (!name.is_empty() && name.chars().all(is_name) && !name.starts_with('_')).then(|| name.to_owned())
}

/// `a[i_28] and a[_1]` are shared, and named `a[i] and a[...]`. Of pointers without names nothing is said.
fn shared(text: &str) -> Option<String> {
    let (_, data) = text.split_once("between ")?;
    let data = data.strip_prefix("data-refs ").unwrap_or(data);
    if data.contains("*_") || data.contains("MEM[") || data.contains("MEM ") {
        return None;
    }
    let mut plain = String::new();
    let mut rest = data;
    while let Some(at) = rest.find('_') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        plain.push_str(&rest[..at]);
        match (digits, plain.ends_with('[')) {
            (0, _) => plain.push('_'),
            (_, true) => plain.push_str("..."),
            (_, false) => {}
        }
        rest = &rest[at + 1 + digits..];
        if digits > 0 {
            rest = rest.strip_prefix("(D)").unwrap_or(rest);
        }
    }
    plain.push_str(rest);
    // Arrays of Fortran are behind pointers.
    Some(plain.replace("(*", "").replace(")[", "["))
}
