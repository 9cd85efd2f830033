//! A study kept in a file beside the code: its options by their long names, in TOML.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use numawise_units::harmless::quoted;
use toml::{Table, Value};

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;

/// The key that holds the program and its arguments.
const PROGRAM: &str = "program";
/// Options that hold names, each with its levels.
const NAMED: [&str; 3] = ["env", "param", "command"];
/// Options that are typed several times.
const SEVERAL: [&str; 7] = ["env", "param", "command", "where", "template", "metric", "sbatch-option"];

/// Why a file of a study cannot be read, or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{}", .0.to_string().trim_end())]
    Toml(#[from] toml::de::Error),
    #[error("'{PROGRAM}' is {found}; expected a list of words")]
    Program { found: &'static str },
    #[error("'{}' holds {found}; expected a text or a number", quoted(key))]
    Value { key: String, found: &'static str },
    #[error("'{}' is no text, which a file of a study cannot hold", quoted(word))]
    Word { word: String },
    #[error("this cannot be written as TOML: {0}")]
    Unwritable(#[from] toml::ser::Error),
}

/// What a file holds, as it would be typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileWords {
    pub options: Vec<OsString>,
    pub program: Vec<OsString>,
}

/// # Errors
/// What is wrong with it, and what was expected.
pub fn read(text: &str) -> Result<FileWords, FileError> {
    let table: Table = text.parse()?;
    let mut words = FileWords::default();
    for (key, value) in &table {
        if key == PROGRAM {
            let Value::Array(all) = value else {
                return Err(FileError::Program { found: type_name(value) });
            };
            words.program =
                all.iter().map(|word| single(key, word).map(OsString::from)).collect::<Result<_, _>>()?;
        } else {
            words.options.extend(option(key, value)?);
        }
    }
    Ok(words)
}

fn option(key: &str, value: &Value) -> Result<Vec<OsString>, FileError> {
    let word = |text: String| OsString::from(format!("--{key}={text}"));
    Ok(match value {
        Value::Boolean(true) => vec![OsString::from(format!("--{key}"))],
        Value::Boolean(false) => Vec::new(),
        Value::Array(all) if SEVERAL.contains(&key) => {
            all.iter().map(|one| Ok(word(single(key, one)?))).collect::<Result<_, FileError>>()?
        }
        Value::Array(all) => vec![word(levels(key, all)?)],
        Value::Table(all) if NAMED.contains(&key) => {
            let one = |(name, value): (&String, &Value)| {
                let levels = match value {
                    Value::Array(all) => levels(key, all)?,
                    one => single(key, one)?,
                };
                Ok(word(format!("{name}={levels}")))
            };
            all.iter().map(one).collect::<Result<_, FileError>>()?
        }
        one => vec![word(single(key, one)?)],
    })
}

/// Levels as they are typed: `a,b`, with `\,` for a comma in one.
fn levels(key: &str, all: &[Value]) -> Result<String, FileError> {
    let words: Result<Vec<String>, FileError> =
        all.iter().map(|one| Ok(single(key, one)?.replace(',', "\\,"))).collect();
    Ok(words?.join(","))
}

fn single(key: &str, value: &Value) -> Result<String, FileError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        other => Err(FileError::Value { key: key.to_owned(), found: type_name(other) }),
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}

/// What was typed, as a file that says the same; options in `without` are left out.
///
/// # Errors
/// Names an argument that is no text, which TOML cannot hold.
pub fn write(command: &Command, matches: &ArgMatches, without: &[&str]) -> Result<String, FileError> {
    let mut table = Table::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let key = if id == PROGRAM { Some(PROGRAM) } else { argument.get_long() };
        let Some(key) = key.filter(|key| !without.contains(key)) else { continue };
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let value = match argument.get_action() {
            ArgAction::SetTrue => Value::Boolean(true),
            _ => values(key, matches.get_raw(id).into_iter().flatten())?,
        };
        table.insert(key.to_owned(), value);
    }
    Ok(toml::to_string(&table)?)
}

fn values<'a>(key: &str, all: impl Iterator<Item = &'a std::ffi::OsStr>) -> Result<Value, FileError> {
    let text = |word: &std::ffi::OsStr| match word.to_str() {
        Some(text) => Ok(Value::String(text.to_owned())),
        None => Err(FileError::Word { word: word.to_string_lossy().into_owned() }),
    };
    let mut texts: Vec<Value> = all.map(text).collect::<Result<_, _>>()?;
    match texts.len() {
        // Its value may be left out, and was.
        0 if key != PROGRAM => Ok(Value::Boolean(true)),
        1 if key != PROGRAM && !SEVERAL.contains(&key) => Ok(texts.remove(0)),
        _ => Ok(Value::Array(texts)),
    }
}
