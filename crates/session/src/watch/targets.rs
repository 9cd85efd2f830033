//! Which processes are meant, sample after sample.

use std::collections::{BTreeSet, HashMap};

use numawise_facts::{Snapshot, TaskSnapshot};
use numawise_linux::calls::{clock, process};
use numawise_observe::{FindError, ProcessRequest, Roots};
use numawise_units::{Nanoseconds, Pid};

use crate::Error;

#[cfg(test)]
#[path = "targets_tests.rs"]
mod tests;

/// Searching may take one part in this many of a CPU.
const PART: u64 = 1000;

/// Processes as a person asks for them: those of `processes` that belong to the user and to the job, where these are given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetRequest {
    /// Process numbers and names of programs.
    pub processes: Vec<String>,
    /// A user's name or number.
    pub user: Option<String>,
    /// A process number, for all its descendants, or the name of a job of the batch system.
    pub job: Option<String>,
}

/// What was asked for, and which processes that was when it was searched for last.
pub struct Targets {
    /// Process numbers and names: all of these ...
    any: Vec<ProcessRequest>,
    /// ... of those that belong to these: a user, a job. Each in several readings, of which the first that is one counts.
    all: Vec<Vec<ProcessRequest>>,
    found: Vec<Pid>,
    /// When each process began that was seen: a number may be used again.
    started: HashMap<Pid, Nanoseconds>,
    searched: Option<Searched>,
}

struct Searched {
    at: Nanoseconds,
    cost: Nanoseconds,
}

impl Targets {
    pub fn new(request: &TargetRequest) -> Result<Self, Error> {
        if *request == TargetRequest::default() {
            return Err(Error::NothingAskedFor);
        }
        let any = request.processes.iter().map(|word| wanted(word)).collect::<Result<_, _>>()?;
        let mut all = Vec::new();
        if let Some(user) = &request.user {
            all.push(vec![ProcessRequest::User(user_number(user)?)]);
        }
        all.extend(request.job.iter().map(|id| job(id)));
        Ok(Targets { any, all, found: Vec::new(), started: HashMap::new(), searched: None })
    }

    /// Searches for the processes that are meant now, and gives why others are not there. The first search fails when there are
    /// none; later they may come back.
    pub fn search(&mut self) -> Result<Vec<FindError>, Error> {
        let (at, spent) = (clock::since_boot(), clock::process_cpu_time());
        let first = self.searched.is_none();
        let (found, missing) = self.everyone()?;
        if first && found.is_empty() {
            return Err(if missing.is_empty() {
                Error::NothingInCommon
            } else {
                Error::NothingFound(missing)
            });
        }
        // A number that was typed means the process that had it then; what else has another one's number now is new.
        let typed = |pid: &Pid| self.any.contains(&ProcessRequest::Pid(*pid));
        self.started.retain(|pid, _| typed(pid));
        self.found = found;
        self.searched = Some(Searched { at, cost: clock::process_cpu_time().saturating_sub(spent) });
        Ok(missing)
    }

    /// Searches again when that costs little enough; gives the processes to sample.
    pub fn now(&mut self) -> Result<&[Pid], Error> {
        let due = self.searched.as_ref().is_none_or(|searched| {
            clock::since_boot().saturating_sub(searched.at)
                >= Nanoseconds(searched.cost.0.saturating_mul(PART))
        });
        if due {
            self.search()?;
        }
        Ok(&self.found)
    }

    /// Leaves out what has ended: another process with its number, and what only waits for its parent to ask how it ended.
    pub fn keep(&mut self, mut snapshot: Snapshot) -> Snapshot {
        let started = &mut self.started;
        snapshot.tasks.retain(|task| {
            *started.entry(task.pid).or_insert(task.started) == task.started && !has_ended(task)
        });
        snapshot
    }

    /// The processes, and what was asked for and is not there.
    fn everyone(&self) -> Result<(Vec<Pid>, Vec<FindError>), Error> {
        let mut missing = Vec::new();
        let mut found: Option<BTreeSet<Pid>> = None;
        for wanted in &self.any {
            found.get_or_insert_default().extend(search_for(std::slice::from_ref(wanted), &mut missing)?);
        }
        for readings in &self.all {
            let these: BTreeSet<Pid> = search_for(readings, &mut missing)?.into_iter().collect();
            found = Some(match found {
                Some(found) => found.intersection(&these).copied().collect(),
                None => these,
            });
        }
        Ok((found.unwrap_or_default().into_iter().collect(), missing))
    }
}

/// A process whose main thread has ended goes on while it has others.
fn has_ended(task: &TaskSnapshot) -> bool {
    task.threads
        .measured()
        .is_some_and(|threads| threads.iter().all(|thread| matches!(thread.state, 'Z' | 'X')))
}

/// What the first reading that is one gives. Where none is, the first one's error joins `missing`.
fn search_for(readings: &[ProcessRequest], missing: &mut Vec<FindError>) -> Result<Vec<Pid>, Error> {
    let roots = Roots::default();
    let mut complaint = None;
    for wanted in readings {
        match numawise_observe::find(&roots, wanted) {
            Ok(pids) => return Ok(pids),
            Err(error @ FindError::Read(_)) => return Err(error.into()),
            Err(error) => _ = complaint.get_or_insert(error),
        }
    }
    missing.extend(complaint);
    Ok(Vec::new())
}

/// A number is a process, anything else a name.
fn wanted(word: &str) -> Result<ProcessRequest, Error> {
    if word.is_empty() {
        return Err(Error::EmptyTarget);
    }
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(ProcessRequest::Name(word.to_owned()));
    }
    match word.parse() {
        Ok(pid) if pid > 0 => Ok(ProcessRequest::Pid(Pid(pid))),
        _ => Err(Error::NotAProcessNumber { found: word.to_owned() }),
    }
}

/// A number may be that of a batch job, or that of a process with all below it.
fn job(id: &str) -> Vec<ProcessRequest> {
    let mut readings = vec![ProcessRequest::Job(id.to_owned())];
    if let Ok(pid) = id.parse()
        && pid > 0
    {
        readings.push(ProcessRequest::Descendants(Pid(pid)));
    }
    readings
}

/// The number of a user who is named.
fn user_number(user: &str) -> Result<u32, Error> {
    let named = || process::user_number(user);
    user.parse().ok().or_else(named).ok_or_else(|| Error::NoSuchUser { name: user.to_owned() })
}
