//! A job on its node: does what its order says, once, and hands over what comes of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numawise_facts::{HostFacts, Ignore, Machine, Outcome, PlacementRequest, Point, Reading, Study, Trial};
use numawise_study::{Engine, Standing, StudyError, SystemClock};
use numawise_units::HostId;

use super::{StudyRequest, with_profile};
use crate::experiment::NotYet;
use crate::slurm::{
    JobFailure, JobResult, NodeDescription, Order, SlurmError, TrialOrder, hand_over, inputs_of, order_at,
};
use crate::{Cause, Error};

/// Slurm's name of the node that a job runs on.
const NODE: &str = "SLURMD_NODENAME";
/// How many nodes it has.
const NODES: &str = "SLURM_JOB_NUM_NODES";
/// A signal to all processes of a job reaches them one after the other, within so much time even on a busy node.
const SIGNAL_PATIENCE: Duration = Duration::from_millis(500);

/// What this process was started for.
#[derive(Debug)]
pub struct AssignedJob {
    path: PathBuf,
    order: Order,
}

impl AssignedJob {
    /// # Errors
    /// When the order is not there, or not ours.
    pub fn open(path: &Path) -> Result<AssignedJob, Error> {
        Ok(AssignedJob { path: path.to_owned(), order: order_at(path)? })
    }

    /// The machine as trials here are to be laid out for: that of this node, with the figures that the study was begun with. One that is
    /// only described gets its own later.
    pub fn machine(&self, machine: Machine) -> Machine {
        match &self.order {
            Order::Describe => machine,
            Order::Trial(order) => numawise_machine::with_measured_of(machine, &order.description.machine),
        }
    }

    /// Describes this node where that is all that was asked for; false where a trial is to be run.
    ///
    /// # Errors
    /// When it cannot be handed over.
    pub fn describe(&self, machine: &Machine) -> Result<bool, Error> {
        if self.order != Order::Describe {
            return Ok(false);
        }
        let host = numawise_observe::host::facts(&numawise_observe::Roots::default());
        let (machine, saturating_cores) = with_profile(machine.clone());
        let node = NodeDescription { machine, host, saturating_cores };
        hand_over(&self.path, &JobResult::Described(Box::new(node)))?;
        Ok(true)
    }

    /// Says why the study cannot be laid out here.
    ///
    /// # Errors
    /// When that cannot be handed over.
    pub fn fail(&self, problem: &str) -> Result<(), Error> {
        let (problem, failure) = (problem.to_owned(), JobFailure::Other);
        Ok(hand_over(&self.path, &JobResult::Failed { problem, failure })?)
    }

    /// Runs the trial that was ordered, unless this machine is another than that of the study.
    ///
    /// # Errors
    /// When nothing can be handed over. What else goes wrong is handed over.
    pub fn run(&self, request: StudyRequest, machine: Machine, stop: &AtomicBool) -> Result<(), Error> {
        let Order::Trial(order) = &self.order else { return Ok(()) };
        let result = match self.trial(order, request, machine, stop) {
            Ok(Some(result)) => result,
            // Who broke it off waits for nothing.
            Ok(None) => return Ok(()),
            Err(error) => {
                let failure = match error.cause() {
                    Cause::ProgramNotFound => JobFailure::ProgramNotFound,
                    Cause::ProgramNotExecutable => JobFailure::ProgramNotExecutable,
                    Cause::Ours | Cause::Interrupted | Cause::ProgramFailed(_) => JobFailure::Other,
                };
                JobResult::Failed { problem: error.to_string(), failure }
            }
        };
        Ok(hand_over(&self.path, &result)?)
    }

    fn trial(
        &self,
        order: &TrialOrder,
        request: StudyRequest,
        machine: Machine,
        stop: &AtomicBool,
    ) -> Result<Option<JobResult>, Error> {
        let host = numawise_observe::host::facts(&numawise_observe::Roots::default());
        let description = &order.description;
        if let Some(what) = difference((&description.machine, &description.host), (&machine, &host)) {
            return Ok(Some(JobResult::OtherMachine { difference: what.to_owned() }));
        }
        let (header, runs) = request.header(machine, None)?;
        let Some(point) = header.point(&order.point.id).cloned() else {
            let difference = format!("what can be placed there at {}", order.point.id);
            return Ok(Some(JobResult::OtherMachine { difference }));
        };
        if point.placement.tasks != order.point.placement.tasks {
            let difference = format!("the CPUs or the memory that {} may use", order.point.id);
            return Ok(Some(JobResult::OtherMachine { difference }));
        }
        check_nodes(&point)?;
        let mut runner = request.runner_with(&header, runs, &inputs_of(&self.path));
        let start_nodes = std::mem::take(&mut runner.local.start_nodes);
        runner.local.start_nodes = start_nodes.after(&point.id, order.block as usize);
        let mut study = Study { header, trials: Vec::new(), stopped: None, lines: None, objects: None };
        let mut engine = Engine {
            runner: &mut runner,
            clock: &SystemClock { begun: Instant::now() },
            keep: &mut NotYet,
            sink: &mut Ignore,
            redactor: &request.redactor(),
            standing: &mut |_, _| Standing::Decided,
            repeats_first: true,
            first_block: 0,
            stop,
        };
        // The role decides what becomes of a program that is not there, and the first level of today may not be that of the study.
        let point = Point { role: order.point.role, ..point };
        if !engine.run_one(&mut study, order.block, &point)? {
            return Ok(None);
        }
        let trial = study.trials.pop().ok_or_else(|| StudyError::Store("no trial was run".into()))?;
        if !matches!(trial.outcome, Outcome::Measured { .. }) && is_stopped_soon(stop) {
            return Ok(None);
        }
        Ok(Some(JobResult::Trial(Box::new(on_its_node(trial)))))
    }
}

/// What we place is placed on the first node of a job: ranks that a launcher starts on others are not.
fn check_nodes(point: &Point) -> Result<(), SlurmError> {
    let nodes = std::env::var(NODES).ok().and_then(|nodes| nodes.parse().ok()).unwrap_or(1);
    let is_free = point.request
        == PlacementRequest { threads: point.request.threads, ..PlacementRequest::as_the_os_does() };
    if nodes > 1 && !is_free {
        return Err(SlurmError::SeveralNodes { nodes, point: point.id.to_string() });
    }
    Ok(())
}

/// What tells the machine of another node from that of the study; nothing where trials on both may stand in one study.
fn difference(study: (&Machine, &HostFacts), here: (&Machine, &HostFacts)) -> Option<&'static str> {
    let (old, new) = (study.0, here.0);
    let nodes = |machine: &Machine| -> Vec<_> {
        machine.nodes.iter().map(|node| (node.id, node.cpus.clone(), node.kind)).collect()
    };
    if study.1.cpu_model.measured() != here.1.cpu_model.measured() {
        Some("the model of its CPUs")
    } else if nodes(old) != nodes(new) {
        Some("its NUMA nodes")
    } else if old.cpus != new.cpus {
        Some("its CPUs")
    } else if old.packages != new.packages {
        Some("its packages")
    } else if old.caches != new.caches {
        Some("its caches")
    } else {
        None
    }
}

/// Who ends a job sends the program the same signal as us, and its end may be seen first: it is not the program that failed then.
fn is_stopped_soon(stop: &AtomicBool) -> bool {
    let begun = Instant::now();
    while !stop.load(Ordering::Relaxed) && begun.elapsed() < SIGNAL_PATIENCE {
        std::thread::sleep(SIGNAL_PATIENCE / 20);
    }
    stop.load(Ordering::Relaxed)
}

/// A trial under the name that Slurm has for its node, which may not be that of the host.
fn on_its_node(mut trial: Trial) -> Trial {
    let node = std::env::var(NODE).ok().and_then(HostId::new);
    if let (Some(node), Reading::Measured(observation)) = (node, &mut trial.observation) {
        observation.host = Reading::Measured(node);
    }
    trial
}
