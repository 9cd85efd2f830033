//! Input files of the program, filled in for a task: their paths in its command, what their words stand for, and the files themselves.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use numawise_facts::{
    Argument, InputTemplate, Machine, Reading, RunSpec, TaskPlacement, TaskWord, UnknownWord,
};
use numawise_linux::{Roots, host};

use crate::grid::{FillError, Filling, TEMPLATE_FILE, TEMPLATE_FOLDER, Template, placeholder};

/// Why an input file is not where the program looks for it.
#[derive(Debug, thiserror::Error)]
pub enum InputsError {
    #[error("cannot write the input file {} that was filled in: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(
        "input files that are filled in lie in {} for as long as a trial lasts, and {} is there already, which is not ours; expected no \
         such folder",
        folder.display(), entry.to_string_lossy()
    )]
    Foreign { folder: PathBuf, entry: OsString },
    #[error(transparent)]
    Fill(#[from] FillError),
    #[error(transparent)]
    Placeholder(#[from] UnknownWord),
}

/// What names stand for in the files of a task, and whether that is the first level of a factor.
pub type Words = BTreeMap<String, (OsString, bool)>;

/// The input files of a task.
#[derive(Debug)]
pub struct InputFiles {
    /// By the name that the file has in its folder.
    templates: Vec<(String, Template)>,
    /// The names of paths, and which path of a task each is; `{task}` may be left in it.
    paths: Vec<(String, Argument)>,
}

impl InputFiles {
    /// `folder` is that of the task, absolute, since the program may go elsewhere; `{threads}` and `{task}` in it are filled in with the
    /// start, and what a user calls so is [kept](Argument::kept).
    pub fn new(templates: &[InputTemplate], folder: &Argument) -> InputFiles {
        let of_task = Path::new(folder.as_os_str());
        let mut paths = vec![(TEMPLATE_FOLDER.to_owned(), folder.clone())];
        for template in templates {
            let name = Argument(template.name().into()).kept();
            let file = Argument(of_task.join(name.as_os_str()).into());
            if templates.len() == 1 {
                paths.push((TEMPLATE_FILE.to_owned(), file.clone()));
            }
            paths.push((placeholder(template), file));
        }
        InputFiles {
            templates: templates
                .iter()
                .map(|one| (one.name().to_owned(), Template::new(OsStr::new(&one.text))))
                .collect(),
            paths,
        }
    }

    /// What names stand for that every task fills in. What no file asks for need not be known.
    ///
    /// # Errors
    /// [`UnknownWord`].
    pub fn words(&self, task: &TaskPlacement, machine: &Machine) -> Result<Words, UnknownWord> {
        let mut words = Words::new();
        for word in TaskWord::ALL.into_iter().filter(|word| self.takes(word.name())) {
            words.insert(word.name().to_owned(), (word.of(task, machine, hostname)?, true));
        }
        let threads = task.threads.len() as u32;
        words.insert("task".to_owned(), (task.task.0.to_string().into(), task.task.0 == 0));
        words.insert("threads".to_owned(), (threads.to_string().into(), true));
        for (name, path) in &self.paths {
            words.insert(name.clone(), (path.for_task(threads, task.task), true));
        }
        Ok(words)
    }

    /// Whether one of the files has this placeholder.
    pub fn takes(&self, name: &str) -> bool {
        self.templates.iter().any(|(_, template)| template.names().contains(&name))
    }

    /// Puts the files into a folder that is there.
    ///
    /// # Errors
    /// [`InputsError::Fill`], [`InputsError::Write`].
    pub fn write(&self, folder: &Path, words: &Words) -> Result<(), InputsError> {
        let known: Vec<&str> = words.keys().map(String::as_str).collect();
        let filling = |name: &str| {
            let (level, is_first) = words.get(name)?;
            Some(Filling { level, is_first: *is_first })
        };
        for (name, template) in &self.templates {
            let text = template.fill(&filling, &known, &[])?.unwrap_or_default();
            let path = folder.join(name);
            fs::write(&path, text.as_encoded_bytes())
                .map_err(|source| InputsError::Write { path, source })?;
        }
        Ok(())
    }

    /// A command with the paths of its files.
    pub fn in_command(&self, command: &RunSpec) -> RunSpec {
        let words = command.command.iter().map(|word| self.in_word(word));
        RunSpec { command: words.collect(), directory: command.directory.clone() }
    }

    /// A word with the paths that it names.
    pub fn in_word(&self, word: &Argument) -> Argument {
        let filled = |word: Argument, (name, path): &(String, Argument)| {
            word.filled(&format!("{{{name}}}"), path.as_os_str())
        };
        self.paths.iter().fold(word.clone(), filled)
    }
}

/// The name of this computer.
pub(crate) fn hostname() -> Reading<String> {
    host::hostname(&Roots::default()).into()
}
