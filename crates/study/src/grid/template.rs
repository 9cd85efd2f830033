//! What stands in a command for input files that are filled in: their paths, and the folder that holds them.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use numawise_facts::InputTemplate;
use numawise_units::harmless::quoted;

use super::fill::{FILE, Template};

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;

/// Stands for the folder that holds the filled files of a task.
pub const FOLDER: &str = "template_dir";
/// An input file that cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error(
        "{one} and {other} are both called {name}, and lie in the same folder once they are filled in; expected names that differ"
    )]
    Alike { one: String, other: String, name: String },
    #[error(
        "{file}, line {line}: {{{name}}} names nothing; there are: {known}. Write {{{{{name}}}}} where the program is to get {{{name}}}"
    )]
    Unknown { file: String, line: usize, name: String, known: String },
    #[error(
        "nothing names the file that is made of {file}: write {{{placeholder}}} where its path belongs, as in ./app {{{placeholder}}}, or \
         {{{FOLDER}}} for the folder that it lies in"
    )]
    Unused { file: String, placeholder: String },
}

/// What stands for the path of a file by its name: `{template:grid.nml}`.
pub fn placeholder(template: &InputTemplate) -> String {
    format!("{FILE}:{}", template.name())
}

/// All that can stand for filled files.
pub fn placeholders(templates: &[InputTemplate]) -> Vec<String> {
    let mut all: Vec<String> = templates.iter().map(placeholder).collect();
    if templates.len() == 1 {
        all.push(FILE.to_owned());
    }
    if !templates.is_empty() {
        all.push(FOLDER.to_owned());
    }
    all
}

/// Whether all of these files can be filled with what has these names.
///
/// # Errors
/// [`TemplateError::Alike`], [`TemplateError::Unknown`].
pub fn check(templates: &[InputTemplate], known: &[&str]) -> Result<(), TemplateError> {
    for (k, template) in templates.iter().enumerate() {
        if let Some(other) = templates[..k].iter().find(|other| other.name() == template.name()) {
            let shown = |of: &InputTemplate| quoted(&of.file);
            return Err(TemplateError::Alike {
                one: shown(other),
                other: shown(template),
                name: quoted(template.name()),
            });
        }
        let filled = Template::new(OsStr::new(&template.text));
        if let Some(name) = filled.names().into_iter().find(|name| !known.contains(name)) {
            return Err(TemplateError::Unknown {
                file: quoted(&template.file),
                line: line_of(&template.text, name),
                name: quoted(name),
                known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
            });
        }
    }
    Ok(())
}

/// Whether one of these texts names each of the files.
///
/// # Errors
/// [`TemplateError::Unused`].
pub fn check_named<'a>(
    templates: &[InputTemplate],
    texts: impl IntoIterator<Item = &'a OsStr>,
) -> Result<(), TemplateError> {
    let named: BTreeSet<String> = texts
        .into_iter()
        .flat_map(|text| Template::new(text).names().into_iter().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let is_named = |of: &&InputTemplate| {
        named.contains(FOLDER)
            || named.contains(&placeholder(of))
            || templates.len() == 1 && named.contains(FILE)
    };
    match templates.iter().find(|template| !is_named(template)) {
        None => Ok(()),
        Some(template) => Err(TemplateError::Unused {
            file: quoted(&template.file),
            placeholder: if templates.len() == 1 { FILE.to_owned() } else { placeholder(template) },
        }),
    }
}

/// Where a placeholder stands first, counted from 1.
fn line_of(text: &str, name: &str) -> usize {
    let open = format!("{{{name}");
    let stands = |at: &usize| {
        let rest = &text[at + open.len()..];
        rest.starts_with(['}', ':', '=']) && !text[..*at].ends_with('{')
    };
    let at = text.match_indices(&open).map(|(at, _)| at).find(stands).unwrap_or_default();
    text[..at].matches('\n').count() + 1
}
