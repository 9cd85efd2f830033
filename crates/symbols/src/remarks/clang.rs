//! The records of clang: diagnostics in its log (`CC_LOG_DIAGNOSTICS_FILE`), one list for each source, and the calls of the compiler
//! proper (`CC_PRINT_OPTIONS_FILE`).
//!
//! The log names a source as the call does, without its folder: that is in the calls.

use std::collections::BTreeMap;

use numawise_facts::objects::{CompiledUnit, CompilerFamily, LoopObstacle, LoopRemark, ObstacleCause};

use super::{decides, is_source, joined};

#[cfg(test)]
#[path = "clang_tests.rs"]
mod tests;

/// A call of the compiler proper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClangCall {
    /// Where it was called.
    pub folder: String,
    /// As it was named there.
    pub source: String,
    pub flags: Vec<String>,
    pub vectorizes: bool,
}

/// Calls, as clang prints them: words in quotes. What links or assembles is left out.
pub fn clang_calls(printed: &str) -> Vec<ClangCall> {
    printed.lines().filter_map(call).collect()
}

/// Nobody types so many features of a CPU that are not to be used.
const NOT_TYPED: usize = 8;

fn call(line: &str) -> Option<ClangCall> {
    let words: Vec<String> = words(line);
    words.iter().any(|word| word == "-cc1").then_some(())?;
    let after = |option: &str| {
        let at = words.iter().position(|word| word == option)?;
        words.get(at + 1).cloned()
    };
    let folder = words.iter().find_map(|word| word.strip_prefix("-fdebug-compilation-dir="));
    let folder = folder.map(str::to_owned).or_else(|| after("-fdebug-compilation-dir")).unwrap_or_default();
    let source = words.last().filter(|word| is_source(word))?.clone();
    let decide = words.iter().filter(|word| decides(word)).cloned();
    // -march=native is taken apart: all that the CPU has, and all that it has not.
    let features = words.windows(2).filter(|pair| pair[0] == "-target-feature").map(|pair| pair[1].as_str());
    let cpu = if features.filter(|feature| feature.starts_with('-')).count() > NOT_TYPED {
        Some("-march=native".to_owned())
    } else {
        after("-target-cpu").map(|cpu| format!("-march={cpu}"))
    };
    let vectorizes = words.iter().any(|word| word == "-vectorize-loops");
    Some(ClangCall { folder, source, flags: decide.chain(cpu).collect(), vectorizes })
}

/// The words between quotes; a backslash keeps what follows.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, &mut word) {
            ('"', Some(_)) => words.extend(word.take()),
            ('"', None) => word = Some(String::new()),
            ('\\', Some(word)) => word.extend(letters.next()),
            (letter, Some(word)) => word.push(letter),
            (_, None) => {}
        }
    }
    words
}

/// Units of calls, and remarks of a log. A source that has the name of another one in another folder cannot be told from it in the log: the
/// remarks are of a unit without a folder.
pub fn clang_remarks(log: &str, calls: &[ClangCall]) -> (Vec<CompiledUnit>, Vec<LoopRemark>) {
    let mut units: Vec<CompiledUnit> = Vec::new();
    let mut by_name: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
    for call in calls {
        let folders = by_name.entry(call.source.as_str()).or_default();
        let number = *folders.entry(call.folder.as_str()).or_insert_with(|| {
            units.push(CompiledUnit {
                source: Some(joined(&call.folder, &call.source)),
                compiler: CompilerFamily::Clang,
                flags: call.flags.clone(),
                tried: false,
            });
            units.len() as u32 - 1
        });
        let unit = &mut units[number as usize];
        // Compiled several times: what was the same.
        unit.flags.retain(|flag| call.flags.contains(flag));
        unit.tried |= call.vectorizes;
    }
    let mut remarks = Vec::new();
    for source in log.split("<key>main-file</key>").skip(1) {
        let Some(name) = next_value(source) else { continue };
        let folders = by_name.get(name.as_str()).filter(|folders| folders.len() == 1);
        let only = folders.and_then(|folders| folders.iter().next());
        let (folder, unit) = only.map_or(("", units.len() as u32), |(folder, unit)| (*folder, *unit));
        if only.is_none() {
            let (source, compiler) = (Some(joined("", &name)), CompilerFamily::Clang);
            units.push(CompiledUnit { source, compiler, flags: Vec::new(), tried: true });
        }
        remarks.extend(of_source(source, folder, unit, units[unit as usize].tried));
    }
    (units, remarks)
}

/// A remark of the log.
struct Said {
    file: String,
    line: u32,
    text: String,
}

/// Below -O2 the end of a loop is all that is said of it, whatever it is made of.
fn of_source(source: &str, folder: &str, unit: u32, tried: bool) -> Vec<LoopRemark> {
    let mut remarks = Vec::new();
    // What is said of a loop stands before the end of it.
    let mut reasons: Vec<Said> = Vec::new();
    for part in source.split("<key>filename</key>").skip(1) {
        let Some(said) = said(part) else { continue };
        let is_end = said.text.starts_with("loop not vectorized") && !said.text.contains(": ");
        let refused = said.text.contains("cost-model indicates that vectorization is not beneficial");
        if said.text.starts_with("vectorized loop") || is_end || refused {
            let obstacle =
                if is_end { Some(obstacle(&reasons, &said)) } else { refused.then(|| of_text(&said)) };
            let obstacle = match obstacle {
                Some(why) if why.cause == ObstacleCause::Other && !tried => {
                    Some(LoopObstacle { cause: ObstacleCause::Level, ..why })
                }
                obstacle => obstacle,
            };
            let (file, line) = (joined(folder, &said.file), said.line);
            remarks.push(LoopRemark { unit, file, line, obstacle });
            reasons.clear();
        } else if said.text.starts_with("loop not vectorized: ") {
            reasons.push(said);
        }
    }
    remarks
}

fn said(part: &str) -> Option<Said> {
    let file = next_value(part)?;
    let line = next_value(part.split_once("<key>line</key>")?.1)?.parse().ok()?;
    let text = next_value(part.split_once("<key>message</key>")?.1)?;
    Some(Said { file, line, text })
}

/// The next `<string>` or `<integer>`.
fn next_value(text: &str) -> Option<String> {
    let begin = text.find('<')?;
    let (_, value) = text[begin..].split_once('>')?;
    let value = value.split('<').next()?;
    let plain =
        value.replace("&apos;", "'").replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
    Some(plain.replace("&amp;", "&"))
}

/// Of several reasons the one that says most.
fn obstacle(reasons: &[Said], end: &Said) -> LoopObstacle {
    let all = reasons.iter().map(of_text);
    all.max_by_key(|of| std::cmp::Reverse(rank(of.cause))).unwrap_or_else(|| of_text(end))
}

/// What cures one reason does not help while one that stands before it is there.
fn rank(cause: ObstacleCause) -> u8 {
    match cause {
        ObstacleCause::Call => 0,
        ObstacleCause::IterationCount | ObstacleCause::ControlFlow => 1,
        ObstacleCause::Dependence | ObstacleCause::Aliasing => 2,
        ObstacleCause::CarriedValue | ObstacleCause::ReductionOrder => 3,
        ObstacleCause::Other => 9,
        _ => 4,
    }
}

const TEXTS: [(&str, ObstacleCause); 20] = [
    ("reorder floating-point", ObstacleCause::ReductionOrder),
    ("reorder memory operations", ObstacleCause::Aliasing),
    ("cannot identify array bounds", ObstacleCause::DataAccess),
    ("runtime memory checks", ObstacleCause::Aliasing),
    ("runtime ptr check", ObstacleCause::Aliasing),
    ("unsafe dependent memory", ObstacleCause::Dependence),
    ("dependence", ObstacleCause::Dependence),
    ("could not be identified as", ObstacleCause::CarriedValue),
    ("used outside the loop", ObstacleCause::CarriedValue),
    ("number of loop iterations", ObstacleCause::IterationCount),
    ("call", ObstacleCause::Call),
    ("switch statement", ObstacleCause::ControlFlow),
    ("control flow", ObstacleCause::ControlFlow),
    ("cannot if-convert", ObstacleCause::ControlFlow),
    ("multiple exits", ObstacleCause::ControlFlow),
    ("not beneficial", ObstacleCause::Cost),
    ("trip count", ObstacleCause::Cost),
    ("not the innermost", ObstacleCause::Nest),
    ("instruction cannot be vectorized", ObstacleCause::Operation),
    ("type", ObstacleCause::Operation),
];

fn of_text(said: &Said) -> LoopObstacle {
    let known = TEXTS.into_iter().find(|(part, _)| said.text.contains(part));
    let cause = known.map_or(ObstacleCause::Other, |(_, cause)| cause);
    LoopObstacle { cause, line: Some(said.line), about: None, text: said.text.clone() }
}
