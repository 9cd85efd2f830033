//! Input files of the program, filled in for each trial: a folder for each task, made anew for the trial and gone after it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use numawise_facts::{
    Argument, GridRun, InputTemplate, Machine, Reading, RunSpec, TaskPlacement, TaskWord, UnknownWord,
};
use numawise_linux::{Roots, host};

use crate::grid::{
    FillError, Filling, Grid, GridFactor, GridLevel, TEMPLATE_FILE, TEMPLATE_FOLDER, Template, placeholder,
};

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod tests;

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

/// Fills the input files of a study in.
#[derive(Debug)]
pub struct TrialInputs {
    /// Holds a folder for each task of a trial, named by its number.
    folder: PathBuf,
    factors: Vec<GridFactor>,
    /// By the name that the file has in its folder.
    templates: Vec<(String, Template)>,
    /// The names of paths, and which path of a task each is; `{task}` is left in it.
    paths: Vec<(String, Argument)>,
}

impl TrialInputs {
    /// `folder` is absolute, since the program may go elsewhere.
    pub fn new(grid: &Grid, templates: &[InputTemplate], folder: PathBuf) -> TrialInputs {
        // A folder of the user's may be called {task}.
        let of_task = PathBuf::from(Argument(folder.clone().into()).kept().0).join("{task}");
        let path = |path: &Path| Argument(path.to_owned().into());
        let mut paths = vec![(TEMPLATE_FOLDER.to_owned(), path(&of_task))];
        for template in templates {
            let name = Argument(template.name().into()).kept();
            let file = path(&of_task.join(name.as_os_str()));
            if templates.len() == 1 {
                paths.push((TEMPLATE_FILE.to_owned(), file.clone()));
            }
            paths.push((placeholder(template), file));
        }
        TrialInputs {
            folder,
            factors: grid.factors().to_vec(),
            templates: templates
                .iter()
                .map(|one| (one.name().to_owned(), Template::new(OsStr::new(&one.text))))
                .collect(),
            paths,
        }
    }

    /// Whether the folder can be made, and holds nothing but what a trial of ours left that was killed.
    ///
    /// # Errors
    /// [`InputsError::Foreign`], [`InputsError::Write`].
    pub fn check(&self) -> Result<(), InputsError> {
        let failed = |source| InputsError::Write { path: self.folder.clone(), source };
        fs::create_dir_all(&self.folder).map_err(failed)?;
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?.file_name();
            if entry.is_empty() || !entry.as_bytes().iter().all(u8::is_ascii_digit) {
                return Err(InputsError::Foreign { folder: self.folder.clone(), entry });
            }
        }
        Ok(())
    }

    /// Writes the files of a trial.
    ///
    /// # Errors
    /// As [`TrialInputs::check`].
    pub fn write(
        &self,
        run: &GridRun,
        tasks: &[TaskPlacement],
        machine: &Machine,
    ) -> Result<(), InputsError> {
        self.check()?;
        for task in tasks {
            let folder = self.folder.join(task.task.0.to_string());
            let failed = |path: &Path| {
                let path = path.to_owned();
                move |source| InputsError::Write { path, source }
            };
            match fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&folder)(error)),
                _ => fs::create_dir(&folder).map_err(failed(&folder))?,
            }
            let levels = self.levels(run, task, machine)?;
            let known: Vec<&str> = levels.keys().map(String::as_str).collect();
            let filling = |name: &str| {
                let (level, is_first) = levels.get(name)?;
                Some(Filling { level, is_first: *is_first })
            };
            for (name, template) in &self.templates {
                let text = template.fill(&filling, &known, &[])?.unwrap_or_default();
                let path = folder.join(name);
                fs::write(&path, text.as_bytes()).map_err(failed(&path))?;
            }
        }
        Ok(())
    }

    /// What names stand for in the files of a task, and whether that is the first level of a factor.
    fn levels(
        &self,
        run: &GridRun,
        task: &TaskPlacement,
        machine: &Machine,
    ) -> Result<BTreeMap<String, (OsString, bool)>, UnknownWord> {
        let mut levels = BTreeMap::new();
        let mut insert = |name: &str, word: OsString, is_first| {
            levels.insert(name.to_owned(), (word, is_first));
        };
        let used = |name| self.templates.iter().any(|(_, template)| template.names().contains(&name));
        for word in TaskWord::ALL.into_iter().filter(|word| used(word.name())) {
            insert(word.name(), word.of(task, machine, hostname)?, true);
        }
        insert("task", task.task.0.to_string().into(), task.task.0 == 0);
        insert("threads", task.threads.len().to_string().into(), true);
        for (name, path) in &self.paths {
            insert(name, path.for_task(task.threads.len() as u32, task.task), true);
        }
        for (factor, k) in self.factors.iter().zip(&run.levels) {
            let Some(level) = factor.levels().into_iter().nth(*k as usize) else { continue };
            let is_first = *k == 0;
            insert(factor.name().word(), level.word().into(), is_first);
            if let GridLevel::Division(division) = level {
                insert("ranks", division.ranks.to_string().into(), is_first);
                insert("threads", division.threads.to_string().into(), is_first);
            }
        }
        Ok(levels)
    }

    /// A command with the paths of its files, but for the number of the task in them.
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

    /// Takes the files of a trial away, with what the program has put beside them.
    pub fn remove(&self) {
        // What cannot be removed is in nobody's way, and is looked at before the next trial.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The name of this computer.
pub(crate) fn hostname() -> Reading<String> {
    host::hostname(&Roots::default()).into()
}

impl Drop for TrialInputs {
    fn drop(&mut self) {
        if self.check().is_ok() {
            self.remove();
        }
    }
}
