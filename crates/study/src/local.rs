//! Runs trials on this machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use numawise_facts::{Point, RunSpec};
use numawise_launch::{Finished, Io, Job, Pinner, Start};
use numawise_observe::{Options, Usage, Watch};
use numawise_units::Nanoseconds;

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
        let start = Start { io: Io::Capture, pinner: self.pinner.as_ref() };
        let mut job = Job::spawn(&self.spec, &point.placement, start)?;
        let watch = Watch::start(job.pids(), &self.watch);
        let finished = loop {
            if let Some(finished) = job.wait_timeout(PATIENCE)? {
                break finished;
            }
            if stop.load(Ordering::Relaxed) {
                job.kill(GRACE);
                return Ok(None);
            }
        };
        let observation = watch.finish(&usage(&finished));
        let tasks = finished.tasks.into_iter();
        let tasks: Vec<TaskRun> = tasks
            .map(|task| TaskRun { exit: task.exit, wall: task.wall, output: task.output.text })
            .collect();
        let wall = tasks.iter().map(|task| task.wall).max().unwrap_or_default();
        Ok(Some(ProgramRun { wall, tasks, observation: numawise_facts::Reading::Measured(observation) }))
    }
}

/// What the kernel accounted, over all tasks.
fn usage(finished: &Finished) -> Usage {
    let sum = |of: fn(&numawise_launch::Usage) -> u64| finished.tasks.iter().map(|t| of(&t.usage)).sum();
    let largest = finished.tasks.iter().filter_map(|t| t.usage.max_rss.measured()).max();
    Usage {
        user: Nanoseconds(sum(|u| u.user.0)),
        system: Nanoseconds(sum(|u| u.system.0)),
        peak_memory: largest.copied(),
        minor_faults: sum(|u| u.minor_faults),
        major_faults: sum(|u| u.major_faults),
        voluntary_switches: sum(|u| u.voluntary_switches),
        involuntary_switches: sum(|u| u.involuntary_switches),
        wall: finished.longest(),
    }
}
