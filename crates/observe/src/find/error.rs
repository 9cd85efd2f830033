//! Why no process was found.

use std::fmt;

use numawise_units::Pid;

use numawise_linux::Error;

/// How many processes were examined, and how many could not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessCount {
    pub listed: usize,
    pub closed: usize,
}

impl fmt::Display for ProcessCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.listed {
            1 => f.write_str("1 process examined")?,
            count => write!(f, "{count} processes examined")?,
        }
        match self.closed {
            0 => Ok(()),
            closed => write!(f, ", {closed} of them could not be examined (another user's?)"),
        }
    }
}

/// Why no process was found, and what to try.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("there is no process {pid}; it may have ended: look for it with 'ps -e', or give its name")]
    Process { pid: Pid },
    #[error(
        "process {pid} exists, but /proc does not show it (mounted with hidepid); sample it as its own user or as root"
    )]
    Hidden { pid: Pid },
    #[error("{tid} is a thread of process {pid}, not a process; give {pid}")]
    Thread { tid: Pid, pid: Pid },
    #[error("no process is called '{name}' ({counted}){}{}", left_out(ours), suggestion(candidates, *more))]
    Name {
        name: String,
        counted: ProcessCount,
        /// Processes of the name that were left out, since they have started us.
        ours: Vec<Pid>,
        /// Processes that have the name somewhere in their command: at most [`FindError::CANDIDATES`].
        candidates: Vec<(Pid, String)>,
        /// How many further ones there are.
        more: usize,
    },
    #[error("no process acts as user {user} ({counted}); users that have some: {}", list(users))]
    User { user: u32, users: Vec<u32>, counted: ProcessCount },
    #[error("no process belongs to job '{id}' ({counted}); {}", jobs_seen(jobs))]
    Job {
        id: String,
        counted: ProcessCount,
        /// The jobs that are here, as in `Slurm 4711`.
        jobs: Vec<String>,
    },
    #[error(transparent)]
    Read(#[from] Error),
}

impl FindError {
    /// How many processes are suggested at most.
    pub const CANDIDATES: usize = 10;
}

fn left_out(ours: &[Pid]) -> String {
    let ours: Vec<String> = ours.iter().map(Pid::to_string).collect();
    if ours.is_empty() {
        String::new()
    } else {
        format!(" but what started this command, process {}; to see that, give its number", ours.join(", "))
    }
}

fn suggestion(candidates: &[(Pid, String)], more: usize) -> String {
    if candidates.is_empty() {
        return "; give its number, or its name as 'ps -e' shows it".to_owned();
    }
    let mut text = "; did you mean one of these, which have it in their command?".to_owned();
    for (pid, command) in candidates {
        text += &format!("\n  {pid:>7}  {command}");
    }
    if more > 0 {
        text += &format!("\n  and {more} more");
    }
    text
}

fn list(users: &[u32]) -> String {
    let users: Vec<String> = users.iter().map(u32::to_string).collect();
    if users.is_empty() { "none".to_owned() } else { users.join(", ") }
}

fn jobs_seen(jobs: &[String]) -> String {
    if jobs.is_empty() {
        "no job was seen at all; is it on this computer? Or give the number of mpirun's or mpiexec's process"
            .to_owned()
    } else {
        format!("jobs seen here: {}", jobs.join(", "))
    }
}
