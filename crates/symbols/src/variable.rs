//! The variable that an allocation goes to, by the source line that it stands on.

use std::path::Path;

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;

use crate::source::{SourceFiles, SourceText};
use crate::{c_variables, fortran_variables, python_variables};

#[cfg(test)]
#[path = "variable_tests.rs"]
mod tests;

/// Longer names say nothing to a person.
const LONGEST_NAME: usize = 80;

/// Larger files were written by a program: their variables have no names for people.
const LARGEST_SOURCE: usize = 4 << 20;

/// How a file's text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Fortran { is_fixed: bool },
    Python,
}

/// The variable that the memory goes to which the call on a line gives; several where the line has several.
pub fn of(place: &CodePlace, sources: &mut SourceFiles) -> Reading<String> {
    searched(place, sources, |source, line, language| match language {
        Language::C => c_variables::on_line(source, line).join(", "),
        Language::Fortran { is_fixed } => fortran_variables::on_line(&source.text, line, is_fixed).join(", "),
        Language::Python => python_variables::on_line(&source.text, line).join(", "),
    })
}

/// The variable that the result of the call in a column goes to.
pub fn of_call(place: &CodePlace, column: u32, sources: &mut SourceFiles) -> Reading<String> {
    searched(place, sources, |source, line, language| match language {
        Language::C => c_variables::of_call(source, line, column).unwrap_or_default(),
        // What one statement of Fortran allocates has no calls of its own, and an interpreter has no columns of code.
        Language::Fortran { .. } | Language::Python => String::new(),
    })
}

fn searched(
    place: &CodePlace,
    sources: &mut SourceFiles,
    search: impl FnOnce(&SourceText, u32, Language) -> String,
) -> Reading<String> {
    let source = &place.source;
    source.file.clone().and_then(|file| {
        source.line.clone().and_then(|line| {
            let Some(language) = language(&file) else {
                return Reading::unavailable("its source is neither C nor C++ nor Fortran nor Python");
            };
            sources.text(&file).and_then(|text| {
                let built = std::fs::metadata(Path::new(&place.file)).and_then(|facts| facts.modified()).ok();
                if text.changed.zip(built).is_some_and(|(changed, built)| changed > built) {
                    return Reading::unavailable("its source was changed after the program was built");
                }
                if text.text.len() > LARGEST_SOURCE {
                    return Reading::unavailable("its source file is too large to be searched");
                }
                let name = search(&text, line, language);
                let is_odd = name.chars().any(|letter| letter.is_control() || letter == '\u{fffd}');
                if name.is_empty() || is_odd || name.chars().count() > LONGEST_NAME {
                    return Reading::unavailable("its source line does not say which variable it goes to");
                }
                Reading::Measured(name)
            })
        })
    })
}

/// True for a source in Fortran.
pub fn is_fortran(file: &str) -> bool {
    matches!(language(file), Some(Language::Fortran { .. }))
}

fn language(file: &str) -> Option<Language> {
    const C: [&str; 17] = [
        "c", "h", "C", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "cu", "cuh", "inl", "ipp",
        "tpp", "tcc",
    ];
    const FREE: [&str; 8] = ["f90", "F90", "f95", "F95", "f03", "F03", "f08", "F08"];
    const FIXED: [&str; 6] = ["f", "F", "for", "FOR", "ftn", "f77"];
    let end = Path::new(file).extension()?.to_str()?;
    if C.contains(&end) {
        Some(Language::C)
    } else if end == "py" {
        Some(Language::Python)
    } else if FREE.contains(&end) {
        Some(Language::Fortran { is_fixed: false })
    } else {
        FIXED.contains(&end).then_some(Language::Fortran { is_fixed: true })
    }
}
