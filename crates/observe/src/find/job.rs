//! Finding the processes of a job by what their launcher wrote into their environment.

use std::collections::BTreeSet;

use numawise_units::Pid;

use super::FindError;
use super::processes::{Process, Processes};
use crate::rank::rank;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::environ::Environment;

/// A name by which a job can be asked for.
struct JobName {
    /// Who gave it.
    giver: &'static str,
    id: String,
}

pub(super) fn find(roots: &Roots, id: &str, processes: &Processes) -> Result<Vec<Pid>, FindError> {
    let mut buffer = Vec::with_capacity(16 << 10);
    let (mut found, mut jobs, mut closed) = (Vec::new(), BTreeSet::new(), 0);
    for process in processes.strangers() {
        match read_path(&roots.process(process.pid).join("environ"), &mut buffer) {
            Ok(()) => {
                let names = names(Environment(&buffer));
                if names.iter().any(|name| name.id == id) {
                    found.push(process.pid);
                }
                jobs.extend(names.into_iter().map(|name| format!("{} {}", name.giver, name.id)));
            }
            Err(error) => closed += usize::from(!error.is_gone()),
        }
    }
    if found.is_empty() {
        found = started_by(roots, id, processes, &mut buffer);
    }
    if found.is_empty() {
        let jobs = jobs.into_iter().collect();
        return Err(FindError::Job { id: id.to_owned(), counted: processes.counted(closed), jobs });
    }
    Ok(found)
}

/// What a launcher of MPI has started, named by the number of its process: the ranks of MPICH and Intel MPI have no name
/// of their job.
fn started_by(roots: &Roots, id: &str, processes: &Processes, buffer: &mut Vec<u8>) -> Vec<Pid> {
    let Ok(launcher) = id.parse() else {
        return Vec::new();
    };
    let below: Vec<&Process> = processes.below(Pid(launcher)).collect();
    let ranks = below.iter().any(|process| {
        let read = read_path(&roots.process(process.pid).join("environ"), buffer);
        read.is_ok() && rank(Environment(buffer)).is_some()
    });
    if ranks { below.into_iter().map(|process| process.pid).collect() } else { Vec::new() }
}

/// All names of the job of a process.
fn names(environment: Environment<'_>) -> Vec<JobName> {
    let value = |name: &str| {
        environment
            .value(name)
            .map(|value| String::from_utf8_lossy(value).into_owned())
            .filter(|id| !id.is_empty())
    };
    let mut names = Vec::new();
    let mut add = |giver, id: Option<String>| names.extend(id.map(|id| JobName { giver, id }));
    let pair = |first: Option<String>, between: &str, second: Option<String>, end: &str| {
        Some(format!("{}{between}{}{end}", first?, second?))
    };
    let slurm = value("SLURM_JOB_ID").or_else(|| value("SLURM_JOBID"));
    let step = value("SLURM_STEP_ID").or_else(|| value("SLURM_STEPID"));
    add("Slurm step", pair(slurm.clone(), ".", step, ""));
    add("Slurm", slurm);
    let array = value("SLURM_ARRAY_JOB_ID");
    add("Slurm array task", pair(array.clone(), "_", value("SLURM_ARRAY_TASK_ID"), ""));
    add("Slurm array", array);
    add("Flux", value("FLUX_JOB_ID"));
    // `4711.server`, which people know as 4711.
    let pbs = value("PBS_JOBID");
    add("PBS", pbs.as_deref().and_then(|id| id.split('.').next()).map(str::to_owned));
    add("PBS", pbs.filter(|id| id.contains('.')));
    let lsf = value("LSB_JOBID");
    add("LSF", pair(lsf.clone(), "[", value("LSB_JOBINDEX").filter(|index| index != "0"), "]"));
    add("LSF", lsf);
    add("PALS", value("PALS_APID"));
    add("PMIx", value("PMIX_NAMESPACE"));
    names
}
