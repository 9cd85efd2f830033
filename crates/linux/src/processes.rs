//! How many processes there are, and how many the system and a user may have. Threads count as processes in all of it.

use numawise_units::Pid;

use crate::calls::process::{most, user};
use crate::error::Error;
use crate::file::read_path;
use crate::proc::stat::TaskStat;
use crate::proc::status::Status;
use crate::proc::tasks::numbered;
use crate::roots::Roots;

#[cfg(test)]
#[path = "processes_tests.rs"]
mod tests;

/// The files that hold the most that the system takes: how many there may be, and how high their numbers go.
pub const MOST: [&str; 2] = ["/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"];

/// The privileges CAP_SYS_ADMIN and CAP_SYS_RESOURCE.
const PASSES_OVER: u64 = 1 << 21 | 1 << 24;

/// How many there are in the whole system: `0.00 0.01 0.05 1/345 6789` has 345.
pub fn running(roots: &Roots) -> Option<u64> {
    let text = roots.try_text("/proc/loadavg")?;
    text.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

/// How many a user has. Those that end meanwhile are passed over.
///
/// # Errors
/// When `/proc` cannot be read.
pub fn of_user(roots: &Roots, user: u32) -> Result<u64, Error> {
    let mut buffer = Vec::new();
    let pids = numbered(roots.proc())?;
    Ok(pids.into_iter().filter_map(|pid| threads_of(roots, pid, user, &mut buffer)).sum())
}

fn threads_of(roots: &Roots, pid: Pid, user: u32, buffer: &mut Vec<u8>) -> Option<u64> {
    let directory = roots.process(pid);
    read_path(&directory.join("status"), buffer).ok()?;
    Status::parse(buffer).ok()?.user.filter(|of_process| *of_process == user)?;
    read_path(&directory.join("stat"), buffer).ok()?;
    TaskStat::parse(buffer).ok().map(|stat| u64::from(stat.threads))
}

/// The most that our user may have (`ulimit -u`); none where there is no limit, or we are not held to it: root is not, and who has
/// CAP_SYS_ADMIN or CAP_SYS_RESOURCE.
#[doc(alias = "RLIMIT_NPROC")]
pub fn most_of_user(roots: &Roots) -> Option<u64> {
    let status = roots.try_text("/proc/self/status")?;
    let capabilities = Status::parse(status.as_bytes()).ok()?.capabilities?;
    let is_held = user() != 0 && capabilities & PASSES_OVER == 0;
    most(libc::RLIMIT_NPROC).filter(|_| is_held)
}
