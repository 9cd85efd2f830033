//! Why a compiler did not vectorize a loop, in plain words: what is in the way, what removes it, and what that risks.

use numawise_facts::Reading;
use numawise_facts::objects::{BuildFlags, CompilerFamily, LoopObstacle, ObstacleCause};
use numawise_tables::survey::{CompiledLoop, LoopRow, VectorLevel};

use crate::document::Text;

#[cfg(test)]
#[path = "why_tests.rs"]
mod tests;

/// Functions of which compilers have vector versions in libmvec or of their own.
const MATHS: [&str; 12] =
    ["sin", "cos", "tan", "exp", "log", "pow", "sqrt", "exp2", "log2", "log10", "atan2", "tanh"];

/// In a cell of a table.
pub fn in_short(row: &LoopRow) -> Text {
    let Some(compiled) = &row.compiled else { return Text::default() };
    Text::of(compiled, |of| match of.obstacles.first() {
        Some(why) if row.level < VectorLevel::Full => noun(why),
        _ => "vectorized".to_owned(),
    })
}

/// The name of a cause, in tables and in JSON.
pub fn noun(why: &LoopObstacle) -> String {
    let noun = match why.cause {
        ObstacleCause::Aliasing => "aliasing",
        ObstacleCause::Dependence => "dependence between iterations",
        ObstacleCause::CarriedValue => "value of the iteration before",
        ObstacleCause::ReductionOrder => "order of a sum",
        ObstacleCause::IterationCount => "number of iterations",
        ObstacleCause::Call => match &why.about {
            Some(function) => return format!("call of {function}"),
            None => "call",
        },
        ObstacleCause::ControlFlow => "control flow",
        ObstacleCause::DataAccess => "data access",
        ObstacleCause::Cost => "estimated cost",
        ObstacleCause::Operation => "operation or type",
        ObstacleCause::Nest => "loops inside",
        ObstacleCause::Level => "optimization level",
        ObstacleCause::Other => "other",
    };
    noun.to_owned()
}

/// What the compiler says, for a finding.
pub fn said(row: &LoopRow) -> Vec<String> {
    let of = match &row.compiled {
        None => return Vec::new(),
        Some(Reading::Unavailable { unavailable }) => return vec![format!("unknown: {unavailable}")],
        Some(Reading::Measured(of)) => of,
    };
    let mut said = vec![compiled_with(of)];
    if row.level == VectorLevel::Full {
        return said;
    }
    let part = if of.is_vectorized { "not vectorized, or not fully" } else { "not vectorized" };
    for why in &of.obstacles {
        let line = why.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let own = if why.text.is_empty() { String::new() } else { format!(" (\"{}\"{line})", why.text) };
        said.push(format!("{part}: {}{own}", sentence(why)));
    }
    if of.is_vectorized && of.obstacles.is_empty() {
        let copy = "vectorized, but the time is in a scalar copy or in the remainder: the loop has few iterations, or its data overlap";
        said.push(copy.to_owned());
    }
    said
}

fn compiled_with(of: &CompiledLoop) -> String {
    let name = match of.compiler {
        CompilerFamily::Gcc => "gcc",
        CompilerFamily::Clang => "clang",
    };
    let with = if of.flags.is_empty() { "" } else { " with " };
    format!("compiled by {name}{with}{}", of.flags.join(" "))
}

fn sentence(why: &LoopObstacle) -> String {
    let about = |before: &str| why.about.as_ref().map(|of| format!("{before}{of}")).unwrap_or_default();
    match why.cause {
        ObstacleCause::Aliasing => format!("pointers may point to the same data{}", about(": ")),
        ObstacleCause::Dependence => format!("an iteration may read what an earlier one writes{}", about(": ")),
        ObstacleCause::CarriedValue => {
            "an iteration needs a value that the one before computes, which is no plain sum, minimum or maximum".to_owned()
        }
        ObstacleCause::ReductionOrder => "a sum or product would be computed in another order".to_owned(),
        ObstacleCause::IterationCount => "the number of iterations is not known before the loop begins".to_owned(),
        ObstacleCause::Call => format!("it calls {}", why.about.as_deref().unwrap_or("a function")),
        ObstacleCause::ControlFlow => "conditions or several ways out".to_owned(),
        ObstacleCause::DataAccess => "elements of neighbouring iterations are not neighbours in memory".to_owned(),
        ObstacleCause::Cost => "the compiler expects no gain".to_owned(),
        ObstacleCause::Operation => "there is no vector instruction for an operation or a type".to_owned(),
        ObstacleCause::Nest => "loops inside of it, in a form that is not vectorized".to_owned(),
        ObstacleCause::Level => "this level of optimization does not vectorize it".to_owned(),
        ObstacleCause::Other => "for another reason".to_owned(),
    }
}

/// Whether a higher level or other instructions of the CPU may remove what is in the way, or are worth more when an option has removed it.
pub fn may_need_instructions(of: &CompiledLoop) -> bool {
    use ObstacleCause::{ControlFlow, Cost, DataAccess, Level, Operation, Other};
    let helps = |why: &LoopObstacle| {
        matches!(why.cause, ControlFlow | Cost | DataAccess | Level | Operation | Other)
            || flags(why, of).is_some()
    };
    of.obstacles.is_empty() || of.obstacles.iter().any(helps)
}

/// What to change, and what that risks.
pub fn cures(of: &CompiledLoop) -> Vec<String> {
    let mut cures: Vec<String> = of.obstacles.iter().flat_map(|why| cure(why, of)).collect();
    cures.dedup();
    cures
}

/// Whether an option is there already, by how it begins.
pub fn has(of: &CompiledLoop, flags: &[&str]) -> bool {
    of.flags.iter().any(|flag| flags.iter().any(|begin| flag.starts_with(begin)))
}

/// Options that remove what is in the way, besides those for the CPU.
pub fn flags(why: &LoopObstacle, of: &CompiledLoop) -> Option<BuildFlags> {
    let is_gcc = of.compiler == CompilerFamily::Gcc;
    let has_level = has(of, &["-O3", "-Ofast"]);
    let is_fast = has(of, &["-ffast-math", "-Ofast"]);
    match why.cause {
        ObstacleCause::Aliasing | ObstacleCause::Cost if is_gcc && !has_level => Some(BuildFlags::Level),
        ObstacleCause::CarriedValue if !is_fast => Some(BuildFlags::FiniteValues),
        ObstacleCause::ReductionOrder if !is_fast => Some(BuildFlags::AnyOrder),
        ObstacleCause::Call if is_gcc && !is_fast && is_maths(why.about.as_deref()) => {
            Some(BuildFlags::FastMath)
        }
        _ => None,
    }
}

fn cure(why: &LoopObstacle, of: &CompiledLoop) -> Vec<String> {
    let is_gcc = of.compiler == CompilerFamily::Gcc;
    let flags = flags(why, of);
    let is_fast = has(of, &["-ffast-math", "-Ofast"]);
    let ivdep = if is_gcc {
        "'#pragma GCC ivdep' ('!GCC$ ivdep' in Fortran)"
    } else {
        "'#pragma clang loop vectorize(assume_safety)'"
    };
    let mut cures = Vec::new();
    match why.cause {
        ObstacleCause::Aliasing => {
            if let Some(flags) = flags {
                cures.push(format!("add {}: it checks for overlap when the loop begins", flags.words()));
            }
            cures.push(
                "declare the pointers restrict (C) or __restrict (C++), where their data never overlap: results are wrong where they do"
                    .to_owned(),
            );
        }
        ObstacleCause::Dependence => cures.push(format!(
            "no option helps: split the loop, or exchange it with the one around it; where iterations never meet, {ivdep} before it says so: \
             results are wrong where they do"
        )),
        ObstacleCause::CarriedValue => {
            cures.push("compute the value from the loop's index, or put its computation into a loop of its own".to_owned());
            if let Some(flags) = flags {
                cures.push(format!(
                    "a minimum or maximum: add {}; wrong for NaN and infinity",
                    flags.words()
                ));
            }
        }
        ObstacleCause::ReductionOrder => cures.push(format!(
            "add {}, or -fopenmp-simd and '#pragma omp simd reduction(+:sum)' before this loop alone: last digits of the results change",
            BuildFlags::AnyOrder.words()
        )),
        ObstacleCause::IterationCount => cures.push(
            "let the loop run to a count that is known before, and test for an early end after every block of some hundred iterations"
                .to_owned(),
        ),
        ObstacleCause::Call => cures.push(call(why.about.as_deref(), is_gcc, is_fast)),
        ObstacleCause::ControlFlow => {
            cures.push("choose values in place of ways: x = c ? a : b; have no break or return inside".to_owned());
        }
        ObstacleCause::DataAccess => cures.push(
            "let the innermost loop run over neighbours: exchange loops, take arrays in place of structures, sort indices".to_owned(),
        ),
        ObstacleCause::Cost => cures.push(format!(
            "measure it against the estimate: {} before the loop{}; it may be slower",
            if is_gcc { "'#pragma omp simd' with -fopenmp-simd" } else { "'#pragma clang loop vectorize(enable)'" },
            flags.map(|flags| format!(", or {}", flags.words())).unwrap_or_default()
        )),
        ObstacleCause::Operation => {
            cures.push("take a type that has vectors: float, double, int; 64-bit integers need AVX-512".to_owned());
        }
        ObstacleCause::Nest => {
            cures.push("give inner loops a count that does not change, or join the loops into one".to_owned());
        }
        // Options of the level are named with those for the CPU.
        ObstacleCause::Level if is_gcc && has(of, &["-O2"]) => {
            cures.push("-O2 of gcc vectorizes only what needs no check and no remainder: -O3 makes the program longer".to_owned());
        }
        ObstacleCause::Level | ObstacleCause::Other => {}
    }
    cures
}

fn is_maths(function: Option<&str>) -> bool {
    let plain = function.map(|name| name.trim_end_matches(['f', 'l']));
    plain.is_some_and(|name| MATHS.contains(&name) || MATHS.contains(&name.trim_start_matches('_')))
}

fn call(function: Option<&str>, is_gcc: bool, is_fast: bool) -> String {
    match (is_maths(function) || function.is_none() && !is_gcc, is_gcc, is_fast) {
        (true, true, false) => format!(
            "add {}: the vector version of glibc is taken (libmvec); results differ in the last digits, NaN and infinity are not expected",
            BuildFlags::FastMath.words()
        ),
        (true, false, _) => "if it is a function of mathematics, add -fveclib=libmvec -ffast-math: results differ in the last digits, NaN and infinity \
                             are not expected"
            .to_owned(),
        _ => format!(
            "have {} inlined (in the same file, or with -flto), declare it '#pragma omp declare simd', or call it in a loop of its own",
            function.unwrap_or("the function")
        ),
    }
}
