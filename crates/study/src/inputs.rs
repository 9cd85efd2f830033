//! Input files of the program, filled in for each trial: a folder for each task, made anew for the trial and gone after it.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use numawise_facts::{Argument, GridRun, InputTemplate, Machine, RunSpec, TaskPlacement, UnknownWord};

use crate::grid::{Grid, GridFactor, GridLevel};
use crate::input_files::{InputFiles, InputsError, Words};

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod tests;

/// Fills the input files of a study in.
#[derive(Debug)]
pub struct TrialInputs {
    /// Holds a folder for each task of a trial, named by its number.
    folder: PathBuf,
    factors: Vec<GridFactor>,
    /// Of each task, whose number is left open in their paths.
    files: InputFiles,
}

impl TrialInputs {
    /// `folder` is absolute, since the program may go elsewhere.
    pub fn new(grid: &Grid, templates: &[InputTemplate], folder: PathBuf) -> TrialInputs {
        // A folder of the user's may be called {task}.
        let of_task = PathBuf::from(Argument(folder.clone().into()).kept().0).join("{task}");
        let files = InputFiles::new(templates, &Argument(of_task.into()));
        TrialInputs { folder, factors: grid.factors().to_vec(), files }
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
            self.files.write(&folder, &self.words(run, task, machine)?)?;
        }
        Ok(())
    }

    /// What names stand for in the files of a task; a factor goes before what each task fills in.
    fn words(&self, run: &GridRun, task: &TaskPlacement, machine: &Machine) -> Result<Words, UnknownWord> {
        let mut words = self.files.words(task, machine)?;
        let mut insert = |name: &str, word: String, is_first| {
            words.insert(name.to_owned(), (word.into(), is_first));
        };
        for (factor, k) in self.factors.iter().zip(&run.levels) {
            let Some(level) = factor.levels().into_iter().nth(*k as usize) else { continue };
            let is_first = *k == 0;
            insert(factor.name().word(), level.word(), is_first);
            if let GridLevel::Division(division) = level {
                insert("ranks", division.ranks.to_string(), is_first);
                insert("threads", division.threads.to_string(), is_first);
            }
        }
        Ok(words)
    }

    /// A command with the paths of its files, but for the number of the task in them.
    pub fn in_command(&self, command: &RunSpec) -> RunSpec {
        self.files.in_command(command)
    }

    /// A word with the paths that it names.
    pub fn in_word(&self, word: &Argument) -> Argument {
        self.files.in_word(word)
    }

    /// Takes the files of a trial away, with what the program has put beside them.
    pub fn remove(&self) {
        // What cannot be removed is in nobody's way, and is looked at before the next trial.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Drop for TrialInputs {
    fn drop(&mut self) {
        if self.check().is_ok() {
            self.remove();
        }
    }
}
