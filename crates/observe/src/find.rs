//! Which processes a person means: by number, name, user or job.

use numawise_linux::calls::process;
use std::collections::HashSet;

use numawise_units::Pid;

use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::status::Status;

mod error;
mod job;
mod name;
mod processes;
#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;

pub use error::{FindError, ProcessCount};
use processes::Processes;

/// Which processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessRequest {
    /// One process, whatever it is: the only way to name a thread of the kernel.
    Pid(Pid),
    /// The kernel's short name of the program, or the last part of its first argument or of the file that it runs,
    /// exactly. With a slash: the whole first argument or the whole path of the file. Never ourselves, nor what started us.
    Name(String),
    /// What acts as this user (the effective one).
    User(u32),
    /// A job of Slurm, Flux, PBS, LSF or PALS, a PMIx namespace, or the number of a process that started ranks.
    Job(String),
    /// A process with its children, their children and so on.
    Descendants(Pid),
}

/// The processes, in the order of their numbers; never none. Threads of the kernel and what has ended already (zombies)
/// come only by their own number.
///
/// # Errors
/// When there are none, with what was examined and what to try.
pub fn find(roots: &Roots, wanted: &ProcessRequest) -> Result<Vec<Pid>, FindError> {
    let own = roots.has_own_numbers().then(|| Pid(std::process::id() as i32));
    find_as(roots, wanted, own)
}

/// The same as the process `own`.
fn find_as(roots: &Roots, wanted: &ProcessRequest, own: Option<Pid>) -> Result<Vec<Pid>, FindError> {
    match wanted {
        ProcessRequest::Pid(pid) => there(roots, *pid).map(|()| vec![*pid]),
        ProcessRequest::Descendants(pid) => {
            there(roots, *pid)?;
            let processes = Processes::list(roots, own)?;
            let mut found: Vec<Pid> = processes.below(*pid).map(|process| process.pid).collect();
            found.push(*pid);
            found.sort_unstable();
            found.dedup();
            Ok(found)
        }
        ProcessRequest::Name(name) => name::find(roots, name, &Processes::list(roots, own)?),
        ProcessRequest::Job(id) => job::find(roots, id, &Processes::list(roots, own)?),
        ProcessRequest::User(user) => by_user(roots, *user, &Processes::list(roots, own)?),
    }
}

fn by_user(roots: &Roots, user: u32, processes: &Processes) -> Result<Vec<Pid>, FindError> {
    let mut buffer = Vec::with_capacity(4096);
    let mut users = HashSet::new();
    let mut found = Vec::new();
    for process in processes.others() {
        let status = read_path(&roots.process(process.pid).join("status"), &mut buffer)
            .ok()
            .and_then(|()| Status::parse(&buffer).ok());
        match status.and_then(|status| status.user) {
            Some(of) if of == user => found.push(process.pid),
            Some(of) => _ = users.insert(of),
            None => {}
        }
    }
    if found.is_empty() {
        let mut users: Vec<u32> = users.into_iter().collect();
        users.sort_unstable();
        return Err(FindError::User { user, users, counted: processes.counted(0) });
    }
    Ok(found)
}

/// Fails when there is no such process.
fn there(roots: &Roots, pid: Pid) -> Result<(), FindError> {
    let path = roots.process(pid);
    let mut buffer = Vec::with_capacity(4096);
    match read_path(&path.join("status"), &mut buffer) {
        Ok(()) => match Status::parse(&buffer).ok().and_then(|status| status.process) {
            // Threads have a directory too, which no listing shows.
            Some(process) if process != pid.0 => Err(FindError::Thread { tid: pid, pid: Pid(process) }),
            _ => Ok(()),
        },
        Err(error) if error.is_gone() && roots.has_own_numbers() && process::exists(pid) => {
            Err(FindError::Hidden { pid })
        }
        Err(error) if error.is_gone() => Err(FindError::Process { pid }),
        Err(error) => Err(FindError::Read(error)),
    }
}
