//! The threads of a process.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};

use numawise_facts::{Reading, ThreadSnapshot};
use numawise_units::{CpuSet, Nanoseconds, Pid};

use super::Look;
use super::task::{self, Task};
use crate::error::Error;
use crate::read::file::read_record;
use crate::read::sched::Sched;
use crate::read::schedstat::SchedStat;
use crate::read::stat::TaskStat;
use crate::read::status::Status;
use crate::read::tasks;
use crate::sys;

const NO_SCHED: &str =
    "the kernel does not tell: it has no /proc/PID/task/TID/sched with se.nr_migrations (CONFIG_SCHED_DEBUG)";

/// All threads that are there. Those that end meanwhile are left out.
pub(super) fn read(look: &Look<'_>, task: &Task, buffer: &mut Vec<u8>) -> Reading<Vec<ThreadSnapshot>> {
    let directory = look.roots.process(task.pid()).join("task");
    let listed = File::open(&directory).map_err(|error| Error::from_io(&directory, error));
    let (open, mut tids) = match listed.and_then(|open| Ok((open, tasks::numbered(&directory)?))) {
        Ok(found) => found,
        Err(error) => return Reading::unavailable(task::reason(&error)),
    };
    tids.sort_unstable();
    let mut reader = Reader { look, open, path: Vec::with_capacity(32), has_sched: true };
    let threads = tids.into_iter().filter_map(|tid| reader.thread(tid, buffer).ok()).collect();
    Reading::Measured(threads)
}

/// Reads files below the directory `task` of a process.
struct Reader<'a> {
    look: &'a Look<'a>,
    open: File,
    path: Vec<u8>,
    /// False once a living thread had no `sched`.
    has_sched: bool,
}

impl Reader<'_> {
    fn file(&mut self, tid: Pid, name: &str, buffer: &mut Vec<u8>) -> io::Result<()> {
        self.path.clear();
        write!(self.path, "{tid}/{name}\0")?;
        let path = CStr::from_bytes_with_nul(&self.path).map_err(io::Error::other)?;
        read_record(&sys::open_at(&self.open, path)?, buffer)
    }

    fn thread(&mut self, tid: Pid, buffer: &mut Vec<u8>) -> io::Result<ThreadSnapshot> {
        self.file(tid, "stat", buffer)?;
        let stat = TaskStat::parse(buffer).map_err(|problem| io::Error::other(problem.found))?;
        let ticks = Nanoseconds(stat.ticks.saturating_mul(self.look.tick.0));
        let mut thread = ThreadSnapshot {
            tid,
            name: String::from_utf8_lossy(stat.name).into_owned(),
            state: stat.state,
            cpu: stat.cpu,
            mask: Reading::unavailable(""),
            cpu_time: ticks,
            started: task::started_after(self.look, stat.start),
            migrations: Reading::unavailable(NO_SCHED),
            minor_faults: stat.minor_faults,
            major_faults: stat.major_faults,
        };
        if self.has_sched {
            match self.file(tid, "sched", buffer) {
                Ok(()) => {
                    let sched = Sched::parse(buffer);
                    if let Some(migrations) = sched.migrations {
                        thread.migrations = Reading::Measured(migrations);
                    }
                    thread.cpu_time = sched.cpu_time.unwrap_or(ticks);
                }
                // Ended meanwhile, or a kernel without such files.
                Err(_) => self.has_sched = self.file(tid, "stat", buffer).is_err(),
            }
        }
        if !self.has_sched && self.file(tid, "schedstat", buffer).is_ok() {
            // Zero slices of a thread that exists: the kernel does not count.
            let counted = SchedStat::parse(buffer).ok().filter(|counted| counted.slices > 0);
            thread.cpu_time = counted.map_or(ticks, |counted| counted.cpu_time);
        }
        thread.mask = self.mask(tid, buffer)?;
        Ok(thread)
    }

    /// Fails when the thread has ended.
    fn mask(&mut self, tid: Pid, buffer: &mut Vec<u8>) -> io::Result<Reading<CpuSet>> {
        if self.look.calls
            && let Ok(mask) = sys::affinity(tid)
        {
            return Ok(Reading::Measured(mask));
        }
        self.file(tid, "status", buffer)?;
        Ok(match Status::parse(buffer) {
            Ok(Status { cpus: Some(mask), .. }) => Reading::Measured(mask),
            Ok(_) => Reading::unavailable("its status has no Cpus_allowed_list"),
            Err(problem) => {
                let (found, expected) = (problem.found, problem.expected);
                Reading::unavailable(format!("its status reads '{found}'; expected {expected}"))
            }
        })
    }
}
