//! Where a result goes: text on the standard output, `--json[=FILE]`, `--html FILE`. One declaration for all commands.

use std::path::{Path, PathBuf};

use crate::exit::{Failure, all_well};
use crate::files::{self, OutputFile};
use crate::streams::print;

/// `--json[=FILE]`
#[derive(clap::Args, Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonOption {
    /// Print JSON instead of text; with a file, write it there beside the text (docs/formats/)
    #[arg(id = "json", long = "json", value_name = "FILE", num_args = 0..=1, require_equals = true)]
    to: Option<Option<PathBuf>>,
}

impl JsonOption {
    pub fn of(typed: Option<Option<PathBuf>>) -> JsonOption {
        JsonOption { to: typed }
    }

    /// Prints a result of a command that has no page, and writes the file.
    pub fn put(&self, text: impl FnOnce() -> String, json: impl Fn() -> String) -> Result<(), Failure> {
        Faces { html: None, json: self.clone() }.put(text, json, String::new)
    }

    /// Fails early where the file could not be written in the end.
    pub fn check(&self) -> Result<(), Failure> {
        self.output().map_or(Ok(()), |file| files::check(&[file], &[]))
    }

    /// It takes the place of the text.
    pub fn is_printed(&self) -> bool {
        matches!(self.to, Some(None))
    }

    pub fn file(&self) -> Option<&Path> {
        self.to.as_ref()?.as_deref()
    }

    /// What is to be tried before time is spent on what is to be in it.
    pub fn output(&self) -> Option<OutputFile<'_>> {
        self.file().map(|path| OutputFile::page("--json", path))
    }
}

/// `--json[=FILE]` and `--html FILE`.
#[derive(clap::Args, Debug, Clone, Default, PartialEq, Eq)]
pub struct Faces {
    /// Write a report in HTML too
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonOption,
}

impl Faces {
    /// What is to be tried before time is spent on what is to be in it.
    pub fn outputs(&self) -> Vec<OutputFile<'_>> {
        self.html.as_deref().map(OutputFile::html).into_iter().chain(self.json.output()).collect()
    }

    /// The same with the file in another place.
    pub fn moved(&self, to: impl Fn(&Path) -> PathBuf) -> Faces {
        let json = self.json.to.as_ref().map(|path| path.as_deref().map(&to));
        Faces { html: self.html.as_deref().map(&to), json: JsonOption { to: json } }
    }

    /// Writes the files that were asked for, each of them whatever became of the other.
    pub fn write(
        &self,
        json: impl FnOnce() -> String,
        html: impl FnOnce() -> String,
    ) -> Vec<Result<(), Failure>> {
        let html = self.html.as_deref().map(|path| files::write(path, html(), "the report"));
        let json = self.json.file().map(|path| files::write(path, json(), "the result"));
        html.into_iter().chain(json).collect()
    }

    /// Prints a result, also where a file of it could not be written; that is the failure then.
    pub fn put(
        &self,
        text: impl FnOnce() -> String,
        json: impl Fn() -> String,
        html: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        self.put_with(text, json, html, |failure| failure)
    }

    /// The same of what is kept in a record.
    pub fn put_of_record(
        &self,
        text: impl FnOnce() -> String,
        json: impl Fn() -> String,
        html: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        self.put_with(text, json, html, |failure| {
            Failure::new(format!("{}; what was measured is kept in the record", failure.message()))
        })
    }

    /// `unwritten`: what is said of a file that could not be written.
    fn put_with(
        &self,
        text: impl FnOnce() -> String,
        json: impl Fn() -> String,
        html: impl FnOnce() -> String,
        unwritten: fn(Failure) -> Failure,
    ) -> Result<(), Failure> {
        let printed = if self.json.is_printed() { print(json()) } else { print(text()) };
        let written = self.write(json, html).into_iter().map(|written| written.map_err(unwritten));
        all_well([printed.map_err(Failure::from)].into_iter().chain(written))
    }
}
