//! `plan`: a program with its threads and its memory where they are asked for; the plan, and the start.
//!
//! The way of a request: the [job](job) that we are in says what may be used and by how many tasks; with that, lists become a
//! request to the planner; it is placed on as little of the machine as it needs ([`numawise_placement::needs`]), and with all
//! there is to know where that ends in an error; last come the environment and the library that pins threads.

use std::convert::Infallible;

use numawise_facts::notice::{AffinityRefusal, LaunchNotice, MachineNotice, PlanNotice};
use numawise_facts::{Machine, Notice, Placement, RunSpec, TaskPlacement, ThreadBinding};
use numawise_launch::{Change, LaunchError, Pinner};
use numawise_machine::{AllowedSets, Roots};
use numawise_placement::{MachineDetail, needs};
use numawise_units::TaskId;

use crate::{Error, here, objects_to};

mod evidence;
mod gpus;
mod inputs;
mod job;
mod own;
mod pages;
mod placeholders;
mod preload;
mod request;
#[cfg(test)]
pub(crate) mod testing;
mod weights;

use inputs::RunInputs;
use job::JobContext;
use preload::PreloadDecision;
use request::JobRequest;

pub use inputs::FilledFile;
pub(crate) use own::mode;
pub use own::own_placement;
pub use placeholders::RankOfJob;
pub use request::{
    CpuSelection, Environment, Explanation, InputsRequest, MemorySelection, NodeSelection, RunRequest,
    TaskCount,
};

/// The plan of a run, with all that there is to say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlan {
    /// The machine that the plan was made for; of a plan that is not explained only what it took.
    pub machine: Machine,
    pub placement: Placement,
    /// The number of OpenMP threads is a part of the plan.
    pub steers_threads: bool,
    /// Which of the tasks this process becomes.
    pub ours: u32,
    /// The same where there are several and this process is one of them.
    pub task_of_job: Option<u32>,
    pub rank_of_job: RankOfJob,
    /// Among the ranks of this computer, where this is one.
    pub local_rank: Option<u32>,
    /// What the environment of our task gets, or does not get.
    pub changes: Vec<Change>,
    pub pinner: Option<Pinner>,
    /// Input files that are filled in.
    inputs: Option<RunInputs>,
    pub notes: Vec<Notice>,
    /// The warnings that this process is to give: of several ranks on a computer, one gives those that concern all.
    pub warnings: Vec<Notice>,
}

/// Makes the plan for a start, from as little of the machine as it takes.
///
/// # Errors
/// When the request cannot be met here.
pub fn for_start(request: &RunRequest, environment: Environment<'_>) -> Result<RunPlan, Error> {
    let mut job = JobContext::of_this_process(request, environment)?;
    let asked = JobRequest::new(request, &job.allowed, &job.tasks, environment)?;
    let (machine, mut placement, notes) = placed_on_enough(&asked, &job.allowed)?;
    name_the_launcher(&mut job, &mut placement)?;
    if request.write_weights {
        weights::write(request, &mut placement)?;
    }
    let machine = if request.explain == Explanation::EachRank {
        full(&job.allowed).map_or(machine, |full| evidence::with_profile(&asked.placement, full).0)
    } else {
        machine
    };
    can_be_placed(&placement, &job)?;
    placement.warnings.extend(gpus::of_bound_rank(request.share_gpus, &job.notes));
    let own_plan = job.reports || job.tasks.number == 1;
    let mut warnings = if own_plan { placement.warnings.clone() } else { Vec::new() };
    let (reports, of_job) = (job.reports, job.warnings.clone());
    let (mut plan, preload) = completed(request, &asked, job, machine, placement, notes)?;
    if reports {
        let of_program = numawise_launch::overrides(&plan.changes, environment).into_iter();
        let of_program = of_program.map(Notice::from);
        warnings.extend(
            of_job
                .into_iter()
                .chain(preload)
                .chain(of_program)
                .chain(pages::problem(&numawise_linux::Roots::live(), request.pages)),
        );
    }
    plan.warnings = warnings;
    plan.put_objects(request, environment)?;
    plan.inputs = RunInputs::for_start(request, environment)?;
    Ok(plan)
}

/// Makes the plan to be shown, with all there is to know of the machine: this one, or the one of `input`, an hwloc XML file or a
/// synthetic description.
///
/// # Errors
/// When the request cannot be met there.
pub fn for_display(
    request: &RunRequest,
    input: Option<&str>,
    environment: Environment<'_>,
) -> Result<RunPlan, Error> {
    let (mut job, machine) = match input {
        None => {
            let job = JobContext::of_this_process(request, environment)?;
            let machine = full(&job.allowed)?;
            (job, machine)
        }
        Some(input) => {
            let machine = numawise_machine::from_input(input)?;
            let allowed =
                AllowedSets { cpus: machine.allowed_cpus.clone(), nodes: machine.allowed_nodes.clone() };
            (JobContext::recorded(allowed, request.tasks), machine)
        }
    };
    let asked = JobRequest::new(request, &job.allowed, &job.tasks, environment)?;
    let (machine, mut placement, notes) = match input {
        None => placed_here(&asked, machine)?,
        Some(_) => {
            let placement = asked.place(&machine)?;
            let notes = evidence::notes(&asked.placement, &machine, &placement, None);
            (machine, placement, notes)
        }
    };
    name_the_launcher(&mut job, &mut placement)?;
    let of_job = job.warnings.clone();
    let refused = if input.is_none() { refusal(&placement, &job)? } else { None };
    let refused = refused.map(|by| Notice::from(MachineNotice::AffinityCallsRefused { by }));
    let (mut plan, preload) = completed(request, &asked, job, machine, placement, notes)?;
    let on_pages =
        if input.is_none() { pages::problem(&numawise_linux::Roots::live(), request.pages) } else { None };
    plan.placement.warnings.splice(0..0, of_job);
    plan.placement.warnings.extend(gpus::of_bound_rank(request.share_gpus, &plan.notes));
    plan.placement.warnings.extend(refused.into_iter().chain(preload).chain(on_pages));
    plan.warnings.clone_from(&plan.placement.warnings);
    if input.is_none() {
        plan.put_objects(request, environment)?;
    }
    plan.inputs = RunInputs::for_display(request, environment)?;
    Ok(plan)
}

/// Makes the plan for programs that run already, a task for each, on the CPUs that the kernel would let us have, whatever our mask is.
///
/// # Errors
/// When the request cannot be met here.
pub(crate) fn for_running(request: &RunRequest, programs: u32) -> Result<(Machine, Placement), Error> {
    let allowed = AllowedSets { cpus: job::widest(), ..job::allowed()? };
    let mut asked = JobRequest::new(request, &allowed, &request::JobTasks::of(programs), &|_| None)?;
    asked.needs_topology = true;
    let (machine, placement, _) = placed_on_enough(&asked, &allowed)?;
    Ok((machine, placement))
}

/// Where the launcher left our task fewer CPUs than threads, that says more than that they are too many.
fn name_the_launcher(job: &mut JobContext, placement: &mut Placement) -> Result<(), Error> {
    let Some(shortage) = job.shortage(task(placement, job.tasks.ours)?) else { return Ok(()) };
    placement.warnings.retain(|warning| {
        !matches!(
            warning,
            Notice::Plan(PlanNotice::Oversubscribed { .. } | PlanNotice::TaskOversubscribed { .. })
        )
    });
    job.warnings.push(shortage.into());
    Ok(())
}

/// Adds what our task gets: its environment and the library that pins its threads. Gives the warning about that library too.
fn completed(
    request: &RunRequest,
    asked: &JobRequest,
    job: JobContext,
    machine: Machine,
    placement: Placement,
    notes: Vec<Notice>,
) -> Result<(RunPlan, Option<Notice>), Error> {
    let preload = PreloadDecision::new(request, &placement);
    let ours = job.tasks.ours;
    let changes = asked.changes(task(&placement, ours)?, preload.pinner.as_ref());
    let one_of_several = job.tasks.number > 1 && request.tasks == TaskCount::OfTheJob;
    let plan = RunPlan {
        machine,
        placement,
        steers_threads: asked.steers_threads,
        ours,
        task_of_job: one_of_several.then_some(ours),
        rank_of_job: job.rank_of_job,
        local_rank: job.local_rank,
        changes,
        pinner: preload.pinner,
        inputs: None,
        notes: job.notes.into_iter().chain(notes).chain(preload.note).collect(),
        warnings: Vec::new(),
    };
    Ok((plan, preload.warning))
}

/// How the call that sets CPUs is refused, where the plan needs it: one that only pins threads inside the CPUs that we have would
/// fail inside the program, where nobody is told. Nothing is called where nothing is placed.
fn refusal(placement: &Placement, job: &JobContext) -> Result<Option<AffinityRefusal>, Error> {
    let cpus = &task(placement, job.tasks.ours)?.cpus;
    let placed = placement.binding == ThreadBinding::Pinned || *cpus != job.allowed.cpus;
    Ok(if placed && !cpus.is_empty() { numawise_machine::affinity_refusal() } else { None })
}

fn can_be_placed(placement: &Placement, job: &JobContext) -> Result<(), Error> {
    match refusal(placement, job)? {
        None => Ok(()),
        Some(by) => {
            let cpus = task(placement, job.tasks.ours)?.cpus.clone();
            Err(LaunchError::affinity_refused(cpus, by).into())
        }
    }
}

fn task(placement: &Placement, number: u32) -> Result<&TaskPlacement, Error> {
    Ok(placement.tasks.get(number as usize).ok_or(LaunchError::NoTask)?)
}

impl RunPlan {
    /// Our task of the plan.
    ///
    /// # Errors
    /// [`LaunchError::NoTask`].
    pub fn own_task(&self) -> Result<&TaskPlacement, Error> {
        task(&self.placement, self.ours)
    }

    /// The same with the number that it has on this computer.
    fn own_task_in_job(&self) -> Result<TaskPlacement, Error> {
        let mut task = self.own_task()?.clone();
        // A plan for this rank alone has one task, whatever its number among the ranks.
        if let (Some(local), [_]) = (self.local_rank, self.placement.tasks.as_slice()) {
            task.task = TaskId(local);
        }
        Ok(task)
    }

    /// Whether memory objects are put on nodes, which no other tool does.
    pub fn puts_objects(&self) -> bool {
        self.notes.iter().any(|note| matches!(note, Notice::Launch(LaunchNotice::ObjectPut { .. })))
    }

    /// Adds what puts memory objects on nodes of this machine.
    fn put_objects(&mut self, request: &RunRequest, environment: Environment<'_>) -> Result<(), Error> {
        let Some(asked) = &request.objects_to else { return Ok(()) };
        let cpus = &self.own_task()?.cpus;
        let put = objects_to::changes(asked, &request.command, cpus, &self.changes, environment)?;
        self.changes = put.changes;
        self.notes.extend(put.notes);
        Ok(())
    }

    /// This process becomes our task of the plan. Comes back only with an error.
    ///
    /// # Errors
    /// What failed. The mask and the policy of this process may have been changed by then.
    pub fn become_program(&self, spec: &RunSpec) -> Result<Infallible, Error> {
        let command = self.command(spec, self.own_task()?)?;
        let task = self.own_task_in_job()?;
        Ok(numawise_launch::exec_in_place(&command, &task, &self.changes)?)
    }
}

/// A placement, the machine that it is for, and what it was derived from.
type Placed = (Machine, Placement, Vec<Notice>);

fn placed_on_enough(asked: &JobRequest, allowed: &AllowedSets) -> Result<Placed, Error> {
    let roots = Roots::live();
    let detail = match needs(&asked.placement) {
        MachineDetail::Lists if asked.needs_topology || asked.is_about_devices() => MachineDetail::Topology,
        detail => detail,
    };
    if detail == MachineDetail::Lists {
        let named = asked.placement.nodes.clone().unwrap_or_default();
        if let Some(machine) = allowed.machine(&roots, &named)
            && let Ok(placement) = asked.place(&machine)
        {
            return Ok((machine, placement, Vec::new()));
        }
    }
    let machine = match detail {
        MachineDetail::Bandwidths => numawise_machine::quick_with_figures(&roots)?,
        _ => numawise_machine::quick(&roots)?,
    };
    let machine =
        if asked.is_about_devices() { numawise_machine::with_devices(&roots, machine) } else { machine };
    if let Ok(placed) = placed_here(asked, under(machine, allowed)) {
        return Ok(placed);
    }
    // Something is wrong, or is a matter of kinds that the quick reader does not know: with all there is to know.
    placed_here(asked, full(allowed)?)
}

/// On this machine, with what was measured of it where that matters, compared with the kernel's weights of now.
fn placed_here(asked: &JobRequest, machine: Machine) -> Result<Placed, Error> {
    let (machine, profile) = evidence::with_profile(&asked.placement, machine);
    let mut placement = asked.place(&machine)?;
    let notes = evidence::notes(&asked.placement, &machine, &placement, profile.as_ref());
    weights::compare(&mut placement, &Roots::live());
    Ok((machine, placement, notes))
}

/// All there is to know of this machine, with what limits us on it.
fn full(allowed: &AllowedSets) -> Result<Machine, Error> {
    Ok(under(here::full()?.machine, allowed))
}

/// The machine with these CPUs allowed, which may be more than our mask has.
fn under(mut machine: Machine, allowed: &AllowedSets) -> Machine {
    let cpus = allowed.cpus.intersection(&machine.online());
    if !cpus.is_subset(&machine.allowed_cpus) {
        // The mask no longer counts, so it must not be named as what keeps us from a CPU.
        machine.limits.retain(|limit| !matches!(limit, MachineNotice::AffinityMask { .. }));
    }
    machine.allowed_cpus = cpus;
    machine
}
