//! Runs trials on this machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use numawise_facts::{Point, Reading, ResourceUsage, RunSpec};
use numawise_launch::{Io, Job, Leftovers, Pinner, Start};
use numawise_observe::{Options, Watch};

use crate::engine::{ProgramRun, Runner, TaskRun};
use crate::error::StudyError;

/// How soon Ctrl-C is noticed. The end of the program is noticed at once; this is only a bound on the wait between.
const PATIENCE: Duration = Duration::from_millis(50);
/// What a program is given to end after SIGTERM before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// Starts the program on this machine and watches it.
#[derive(Debug)]
pub struct LocalRunner {
    pub spec: RunSpec,
    pub watch: Options,
    /// Pins the threads of every runtime at points that ask for it; without it only those of OpenMP are.
    pub pinner: Option<Pinner>,
}

impl Runner for LocalRunner {
    fn run(&mut self, point: &Point, stop: &AtomicBool) -> Result<Option<ProgramRun>, StudyError> {
        let start = Start { io: Io::Capture, pinner: self.pinner.as_ref(), leftovers: Leftovers::End };
        let mut job = Job::spawn(&self.spec, &point.placement, start)?;
        let watch = Watch::start(job.pids(), &self.watch);
        let ended = loop {
            if let Some(ended) = job.wait_tasks(PATIENCE)? {
                break ended;
            }
            if stop.load(Ordering::Relaxed) {
                job.kill(GRACE);
                return Ok(None);
            }
        };
        // What the tasks leave behind is ended after this: it is no part of the trial.
        let wall = ended.iter().map(|task| task.wall).max().unwrap_or_default();
        let usage = ResourceUsage::together(ended.iter().map(|task| &task.usage));
        let observation = usage.map(|usage| watch.finish(usage, wall));
        let finished = job.wait()?;
        let tasks = finished.tasks.into_iter();
        let tasks: Vec<TaskRun> = tasks
            .map(|task| TaskRun { exit: task.exit, wall: task.wall, output: task.output.text })
            .collect();
        Ok(Some(ProgramRun {
            wall,
            tasks,
            observation: observation
                .map_or_else(|| Reading::unavailable("the point has no task"), Reading::Measured),
        }))
    }
}
