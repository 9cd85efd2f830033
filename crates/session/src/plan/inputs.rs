//! Input files of the program that are filled in for the tasks of a run: which there are, where they lie, and when they go.
//!
//! In a folder that was named they stay. In one of ours they go with the program: this process may become it, so that another one stands by
//! and takes them away once it has ended, however that comes. What the program has put beside them stays, and somebody is told.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_facts::{Argument, InputTemplate, TaskPlacement, TaskWord, UnknownWord};
use numawise_launch::when_ended;
use numawise_study::{
    FillError, InputFiles, InputsError, LayoutError, Template, check_named, check_templates,
    template_placeholders,
};
use numawise_units::{Arrange, TaskId};

use super::placeholders::{RankOfJob, not_told};
use super::request::{Environment, InputsRequest, RunRequest, TaskCount};
use super::{RunPlan, placeholders};
use crate::Error;

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod tests;

const BEGIN: &str = "numawise-";
/// What stands in the place of a number of our own in a plan that is only shown.
const NO_NUMBER: &str = "XXXXXX";
/// Placeholders in a file, beside those for paths.
const WORDS: [&str; 6] = [
    "threads",
    "task",
    placeholders::RANK,
    TaskWord::Cpus.name(),
    TaskWord::Nodes.name(),
    TaskWord::Host.name(),
];

/// Input files of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInputs {
    templates: Vec<InputTemplate>,
    /// Holds a folder for each task; absolute, since the program may go elsewhere.
    folder: PathBuf,
    stay: bool,
}

/// An input file of a task, filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledFile<'a> {
    pub task: TaskId,
    pub template: &'a InputTemplate,
    pub path: PathBuf,
    /// It does not go with the program.
    pub stays: bool,
}

impl RunInputs {
    /// Those of a run that starts.
    ///
    /// # Errors
    /// Where a name in a file or in the command names nothing, or nothing names a file.
    pub fn for_start(request: &RunRequest, environment: Environment<'_>) -> Result<Option<RunInputs>, Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        RunInputs::of(request, &format!("{}-{now:x}", std::process::id()), environment)
    }

    /// Those of a plan that is shown.
    ///
    /// # Errors
    /// As above.
    pub fn for_display(
        request: &RunRequest,
        environment: Environment<'_>,
    ) -> Result<Option<RunInputs>, Error> {
        RunInputs::of(request, NO_NUMBER, environment)
    }

    fn of(
        request: &RunRequest,
        number: &str,
        environment: Environment<'_>,
    ) -> Result<Option<RunInputs>, Error> {
        let InputsRequest { templates, folder } = &request.inputs;
        if templates.is_empty() {
            return Ok(None);
        }
        check(request, templates)?;
        let ours = || {
            let temporary = environment("TMPDIR").filter(|folder| !folder.is_empty());
            temporary.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from).join(format!("{BEGIN}{number}"))
        };
        let stay = folder.is_some();
        let folder = folder.clone().unwrap_or_else(ours);
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        Ok(Some(RunInputs { templates: templates.clone(), folder, stay }))
    }

    /// The files in the folder of this number.
    pub(super) fn files(&self, number: u32) -> InputFiles {
        InputFiles::new(&self.templates, &Argument(self.of_task(number).into()).kept())
    }

    fn of_task(&self, number: u32) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// Makes our folder, and has it taken away when the program has ended.
    fn make(&self, left: &dyn Fn(&[PathBuf])) -> Result<(), Error> {
        DirBuilder::new().mode(0o700).create(&self.folder).map_err(|source| self.no_folder(source))?;
        when_ended(|| {
            let stays = self.clear();
            if !stays.is_empty() {
                left(&stays);
            }
        })
        .map_err(|source| {
            // It is empty.
            let _ = fs::remove_dir(&self.folder);
            Error::InputsStay { source }
        })
    }

    fn no_folder(&self, source: io::Error) -> Error {
        // Where ours is to be made, or the one that was named.
        let folder = if self.stay { &self.folder } else { self.folder.parent().unwrap_or(&self.folder) };
        Error::InputsFolder { folder: folder.to_owned(), source }
    }

    /// Takes the files away; gives the folders that hold something else too, which stay whole.
    fn clear(&self) -> Vec<PathBuf> {
        let is_ours = |name: &OsStr| self.templates.iter().any(|one| name == one.name());
        let tasks = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut stay = Vec::new();
        for task in tasks {
            let mut held = fs::read_dir(&task).into_iter().flatten().flatten();
            if held.any(|entry| !is_ours(&entry.file_name())) || fs::remove_dir_all(&task).is_err() {
                stay.push(task);
            }
        }
        // One that holds something is not removed.
        let _ = fs::remove_dir(&self.folder);
        stay.arrange();
        stay
    }

    /// A template is not written over, where the folder of a task is its own.
    fn check_apart(&self, folder: &Path) -> Result<(), Error> {
        let same = |template: &&InputTemplate| {
            let id = |path: &Path| path.metadata().ok().map(|facts| (facts.dev(), facts.ino()));
            let filled = id(&folder.join(template.name()));
            filled.is_some() && filled == id(Path::new(&template.file))
        };
        match self.templates.iter().find(same) {
            Some(template) => {
                let file = template.file.clone();
                Err(Error::InputOverItself { file, folder: self.folder.clone() })
            }
            None => Ok(()),
        }
    }
}

/// Whether all names are known, in the files and in the command.
fn check(request: &RunRequest, templates: &[InputTemplate]) -> Result<(), Error> {
    let paths = template_placeholders(templates);
    let known: Vec<&str> = WORDS.into_iter().chain(paths.iter().map(String::as_str)).collect();
    check_templates(templates, &known).map_err(LayoutError::from)?;
    let words = || request.command.command.iter().map(Argument::as_os_str);
    for word in words() {
        // Braces around other names have always been the program's.
        let is_unknown = |name: &&str| name.starts_with("template") && !known.contains(name);
        if let Some(name) = Template::new(word).names().into_iter().find(is_unknown) {
            let text = word.to_string_lossy().into_owned();
            let unknown = FillError::Unknown { name: name.to_owned(), text, known: paths.join(", ") };
            return Err(InputsError::from(unknown).into());
        }
    }
    Ok(check_named(templates, words()).map_err(LayoutError::from)?)
}

impl RunPlan {
    /// The input files as they are or would be filled in: of all tasks, and in a rank of a job its own.
    ///
    /// # Errors
    /// Where the number of the rank is not told, and the folder is one for all ranks.
    pub fn filled_files(&self) -> Result<Vec<FilledFile<'_>>, Error> {
        let Some(inputs) = &self.inputs else { return Ok(Vec::new()) };
        let own = [self.own_task_in_job()?];
        let tasks = if self.rank_of_job == RankOfJob::None { &self.placement.tasks[..] } else { &own };
        let mut files = Vec::new();
        for task in tasks {
            let folder = inputs.of_task(self.folder_number(inputs, task)?);
            files.extend(inputs.templates.iter().map(|template| FilledFile {
                task: task.task,
                path: folder.join(template.name()),
                template,
                stays: inputs.stay,
            }));
        }
        Ok(files)
    }

    /// Fills the input files of what starts in: our task, or all copies. `left` is called in another process, when the program has ended, with
    /// folders that hold more than its input files, and stay.
    ///
    /// Must be called while this process has one thread.
    ///
    /// # Errors
    /// Where a file cannot be written, or what it asks for is not known.
    pub fn write_inputs(&self, tasks: TaskCount, left: &dyn Fn(&[PathBuf])) -> Result<(), Error> {
        let Some(inputs) = &self.inputs else { return Ok(()) };
        let own = [self.own_task_in_job()?];
        let tasks = if matches!(tasks, TaskCount::Copies(_)) { &self.placement.tasks[..] } else { &own };
        if !inputs.stay {
            inputs.make(left)?;
        }
        for task in tasks {
            let number = self.folder_number(inputs, task)?;
            let files = inputs.files(number);
            let mut words = files.words(task, &self.machine).map_err(InputsError::from)?;
            if files.takes(placeholders::RANK) {
                let rank = self.rank(task)?;
                words.insert(placeholders::RANK.to_owned(), (rank.to_string().into(), rank == 0));
            }
            let folder = inputs.of_task(number);
            fs::create_dir_all(&folder).map_err(|source| inputs.no_folder(source))?;
            inputs.check_apart(&folder)?;
            files.write(&folder, &words)?;
        }
        Ok(())
    }

    /// Ranks of several computers may share a folder, so that each has its number in the job. One of ours is this process' alone.
    pub(super) fn folder_number(&self, inputs: &RunInputs, task: &TaskPlacement) -> Result<u32, UnknownWord> {
        match self.rank_of_job {
            RankOfJob::Untold if inputs.stay => Err(not_told()),
            RankOfJob::Untold | RankOfJob::None => Ok(task.task.0),
            RankOfJob::Told(rank) => Ok(rank),
        }
    }
}
