//! Options of compilers, tried: the program is built with each, and runs in turn with itself as it was built.
//!
//! It stays where it is: a program may find its files and libraries by its own place. So the files that the build wrote are replaced before each run,
//! and in the end are those of the build without options.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use numawise_facts::objects::{BuildFlags, TriedFlags};
use numawise_facts::{Exit, ObjectRun, Point, Reading, RunSpec};
use numawise_study::{LineRunner, ProgramRun, RunContext, Runner, StudyError};
use numawise_units::Nanoseconds;

use super::{Environment, Purpose, RanBuild, build_for, clang_records, gcc_records};
use crate::Error;
use crate::objects::tried::{Turns, point};
use crate::snapshot::folder::CollectorFolder;

/// Runs of one line whose output is kept.
const OUTPUTS: usize = 20;

/// Builds of a program to be compared.
#[derive(Debug)]
pub struct FlagTrials {
    command: String,
    /// The files of the program that its build writes.
    files: Vec<PathBuf>,
    /// Those of each build, beginning with the one without options, in folders by number.
    kept: CollectorFolder,
    builds: Vec<Build>,
}

#[derive(Debug)]
struct Build {
    flags: Vec<BuildFlags>,
    wall: Nanoseconds,
    /// Why it cannot run.
    usable: Reading<()>,
}

impl FlagTrials {
    /// Keeps the files of the program as it was built.
    ///
    /// # Errors
    /// Where they cannot be kept.
    pub fn of(built: &RanBuild, files: &[String], environment: Environment<'_>) -> Result<FlagTrials, Error> {
        let kept = CollectorFolder::on_disk(environment)?;
        let files = files.iter().map(PathBuf::from).collect();
        let trials = FlagTrials { command: built.command.clone(), files, kept, builds: Vec::new() };
        trials.keep(0)?;
        Ok(trials)
    }

    /// Builds it with these options behind its own. How the build ended is said; one that failed is not run.
    ///
    /// # Errors
    /// Where the build cannot begin, or its files cannot be kept.
    pub fn build(
        &mut self,
        flags: Vec<BuildFlags>,
        environment: Environment<'_>,
    ) -> Result<(Exit, Nanoseconds), Error> {
        let built = build_for(Purpose::Flags(&flags), &self.command, environment)?;
        let number = self.builds.len() + 1;
        let usable = match built.exit() {
            Exit::Code(0) if compiled(built.folder.path()) == 0 => {
                Reading::unavailable("the build compiled nothing")
            }
            Exit::Code(0) => {
                self.keep(number)?;
                if self.is_as_before(number)? {
                    Reading::unavailable("the program is the same, byte by byte")
                } else {
                    Reading::Measured(())
                }
            }
            Exit::Code(code) => Reading::unavailable(format!("the build failed with exit status {code}")),
            Exit::Signal(signal) => Reading::unavailable(format!("signal {signal} ended the build")),
        };
        let (exit, wall) = (built.exit(), built.wall());
        self.builds.push(Build { flags, wall, usable });
        Ok((exit, wall))
    }

    /// Builds it as without us: this is what the others are compared with, and what is there in the end.
    ///
    /// # Errors
    /// As above.
    pub fn build_as_it_was(&self, environment: Environment<'_>) -> Result<(Exit, Nanoseconds), Error> {
        let built = build_for(Purpose::Product, &self.command, environment)?;
        if built.exit() == Exit::Code(0) {
            self.keep(0)?;
        }
        Ok((built.exit(), built.wall()))
    }

    /// The files that are replaced.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Runs all builds that can run, in turn, for this time at most. Each effect is beside the program as it was built.
    ///
    /// # Errors
    /// When no shell can be started, or a file cannot be replaced.
    pub fn run(
        self,
        run: &ObjectRun,
        command: &RunSpec,
        budget: Nanoseconds,
        stop: &AtomicBool,
    ) -> Result<Vec<TriedFlags>, Error> {
        let with_flags = (1..).zip(&self.builds).filter(|(_, build)| build.usable.measured().is_some());
        let numbers: Vec<usize> = [0].into_iter().chain(with_flags.map(|(number, _)| number)).collect();
        let (effects, outputs) = if numbers.len() == 1 {
            (Vec::new(), Vec::new())
        } else {
            let lines = vec![command.shell_line(); numbers.len()];
            let turns = Turns { run, command, lines, changes: Vec::new(), budget };
            let outputs = vec![Vec::new(); numbers.len()];
            let (effects, replaced) =
                turns.run(|inner| Replaced { inner, trials: &self, numbers, outputs }, stop)?;
            (effects, replaced.outputs)
        };
        let mut ran = effects.into_iter().zip(outputs.iter().skip(1));
        let mut tried = |build: &Build| {
            let both = build.usable.as_ref().and_then(|()| match ran.next() {
                Some((effect, after)) => {
                    Reading::Measured((effect, numawise_analyse::output_change(&outputs[0], after)))
                }
                None => Reading::unavailable("it did not run"),
            });
            let effect = both.as_ref().and_then(|(effect, _)| effect.clone());
            let output = both.and_then(|(_, output)| output);
            TriedFlags { flags: build.flags.clone(), build: build.wall, effect, output }
        };
        Ok(self.builds.iter().map(&mut tried).collect())
    }

    /// Where a file of a build is kept.
    fn copy(&self, number: usize, file: usize) -> PathBuf {
        self.kept.path().join(format!("{number}-{file}"))
    }

    fn keep(&self, number: usize) -> Result<(), Error> {
        for (at, file) in self.files.iter().enumerate() {
            fs::copy(file, self.copy(number, at)).map_err(not_kept(file))?;
        }
        Ok(())
    }

    fn is_as_before(&self, number: usize) -> Result<bool, Error> {
        for (at, file) in self.files.iter().enumerate() {
            let read = |number| fs::read(self.copy(number, at)).map_err(not_kept(file));
            if read(0)? != read(number)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts the files of a build where the program has them, each at once.
    fn put(&self, number: usize) -> Result<(), Error> {
        for (at, file) in self.files.iter().enumerate() {
            let mut new = file.clone().into_os_string();
            new.push(".numawise-new");
            fs::copy(self.copy(number, at), &new)
                .and_then(|_| fs::rename(&new, file))
                .map_err(not_kept(file))?;
        }
        Ok(())
    }
}

impl Drop for FlagTrials {
    fn drop(&mut self) {
        // What fails here has failed before, and was said then.
        let _ = self.put(0);
    }
}

fn not_kept(file: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |source| Error::ProgramNotReplaced { file: file.to_owned(), source }
}

/// Sources that a build compiled.
fn compiled(folder: &Path) -> usize {
    gcc_records(folder).len() + clang_records(folder).len()
}

/// Runs a build where the program is.
struct Replaced<'a> {
    inner: LineRunner,
    trials: &'a FlagTrials,
    /// The build of each line.
    numbers: Vec<usize>,
    /// What each line printed in its runs; nothing of one whose output is not kept as a whole.
    outputs: Vec<Vec<Option<String>>>,
}

impl Runner for Replaced<'_> {
    fn run(&mut self, of: &Point, context: &mut RunContext<'_>) -> Result<Option<ProgramRun>, StudyError> {
        let line = (1..self.numbers.len()).find(|line| of.id == point(*line)).unwrap_or_default();
        self.trials.put(self.numbers[line]).map_err(|error| StudyError::Fleet(Box::new(error)))?;
        let run = self.inner.run(of, context)?;
        if let Some([task]) = run.as_ref().map(|run| run.tasks.as_slice())
            && task.exit.success()
            && self.outputs[line].len() < OUTPUTS
        {
            self.outputs[line].push((task.dropped == 0).then(|| task.output.clone()));
        }
        Ok(run)
    }
}
