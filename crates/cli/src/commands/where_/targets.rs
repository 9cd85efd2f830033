//! Which processes are meant, look after look.

use std::collections::{BTreeSet, HashMap};
use std::ffi::CString;

use numawise_facts::{Snapshot, TaskSnapshot};
use numawise_observe::{FindError, Roots, Wanted};
use numawise_units::{Nanoseconds, Pid};

use super::Arguments;
use super::clock::{boot_time, cpu_time};
use crate::commands::Failure;

#[cfg(test)]
#[path = "targets_tests.rs"]
mod tests;

/// Searching may take one part in this many of a CPU.
const PART: u64 = 1000;

/// What was asked for, and which processes that was when it was searched for last.
pub struct Targets {
    /// Process numbers and names: all of these ...
    any: Vec<Wanted>,
    /// ... of those that belong to these: a user, a job. Each in several readings, of which the first that is one counts.
    all: Vec<Vec<Wanted>>,
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
    pub fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let any = arguments.targets.iter().map(|word| process(word)).collect::<Result<_, _>>()?;
        let mut all = Vec::new();
        if let Some(user) = &arguments.user {
            all.push(vec![Wanted::User(user_number(user)?)]);
        }
        all.extend(arguments.job.iter().map(|id| job(id)));
        Ok(Targets { any, all, found: Vec::new(), started: HashMap::new(), searched: None })
    }

    /// Looks for the processes that are meant now, and says which are not there. The first search fails when there are
    /// none; later they may come back.
    pub fn search(&mut self) -> Result<Vec<String>, Failure> {
        let (at, spent) = (boot_time(), cpu_time());
        let first = self.searched.is_none();
        let (found, mut missing) = self.everyone()?;
        if first && found.is_empty() {
            if missing.is_empty() {
                missing.push(
                    "no process is all that was asked for: of these names, and of this user or job; leave one of them out"
                        .to_owned(),
                );
            }
            return Err(Failure::new(missing.join("; ")));
        }
        // A number that was typed means the process that had it then; what else has another one's number now is new.
        let typed = |pid: &Pid| self.any.contains(&Wanted::Pid(*pid));
        self.started.retain(|pid, _| typed(pid));
        self.found = found;
        self.searched = Some(Searched { at, cost: cpu_time().saturating_sub(spent) });
        Ok(missing)
    }

    /// Searches again when that costs little enough; gives the processes to look at.
    pub fn now(&mut self) -> Result<&[Pid], Failure> {
        let due = self.searched.as_ref().is_none_or(|searched| {
            boot_time().saturating_sub(searched.at) >= Nanoseconds(searched.cost.0.saturating_mul(PART))
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
    fn everyone(&self) -> Result<(Vec<Pid>, Vec<String>), Failure> {
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

/// What the first reading that is one gives, or the first one's complaint.
fn search_for(readings: &[Wanted], missing: &mut Vec<String>) -> Result<Vec<Pid>, Failure> {
    let roots = Roots::default();
    let mut complaint = None;
    for wanted in readings {
        match numawise_observe::find(&roots, wanted) {
            Ok(pids) => return Ok(pids),
            Err(FindError::Read(error)) => return Err(error.into()),
            Err(error) => _ = complaint.get_or_insert(error.to_string()),
        }
    }
    missing.extend(complaint);
    Ok(Vec::new())
}

/// A number is a process, anything else a name.
fn process(word: &str) -> Result<Wanted, Failure> {
    if word.is_empty() {
        return Err(Failure::new("an empty name was given; expected a process number or a program's name"));
    }
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Wanted::Name(word.to_owned()));
    }
    match word.parse() {
        Ok(pid) if pid > 0 => Ok(Wanted::Pid(Pid(pid))),
        _ => Err(Failure::new(format!("{word} is no process number; expected 1 to {}", i32::MAX))),
    }
}

/// A number may be that of a batch job, or that of a process with all below it.
fn job(id: &str) -> Vec<Wanted> {
    let mut readings = vec![Wanted::Job(id.to_owned())];
    if let Ok(pid) = id.parse()
        && pid > 0
    {
        readings.push(Wanted::Descendants(Pid(pid)));
    }
    readings
}

/// The number of a user who is named.
fn user_number(user: &str) -> Result<u32, Failure> {
    if let Ok(number) = user.parse() {
        return Ok(number);
    }
    let unknown = || {
        Failure::new(format!(
            "there is no user '{user}' on this computer; expected a name as 'id' shows it, or a number"
        ))
    };
    let name = CString::new(user).map_err(|_| unknown())?;
    // SAFETY: a passwd is numbers and pointers, for which zeros are values.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // Long enough for any entry: directories and real names are shorter.
    let mut buffer = vec![0; 64 << 10];
    // SAFETY: name ends with a zero; entry, buffer (with its length) and found live until the call returns, and what the
    // entry points to lies in the buffer.
    unsafe {
        libc::getpwnam_r(name.as_ptr(), &raw mut entry, buffer.as_mut_ptr(), buffer.len(), &raw mut found);
    }
    if found.is_null() { Err(unknown()) } else { Ok(entry.pw_uid) }
}
