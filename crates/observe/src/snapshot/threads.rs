//! The threads of a process.

use numawise_linux::calls::affinity;
use numawise_linux::file::open_at;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};

use numawise_facts::{Reading, ThreadSnapshot};
use numawise_units::{CpuSet, Nanoseconds, Pid};

use super::Context;
use super::task::{self, Task};
use numawise_linux::Error;
use numawise_linux::file::read_record;
use numawise_linux::proc::sched::Sched;
use numawise_linux::proc::schedstat::SchedStat;
use numawise_linux::proc::stat::TaskStat;
use numawise_linux::proc::status::Status;
use numawise_linux::proc::tasks;

const NO_SCHED: &str =
    "the kernel does not tell: it has no /proc/PID/task/TID/sched with se.nr_migrations (CONFIG_SCHED_DEBUG)";

/// Of processes with more threads than this, those that have hardly run are not asked for their migrations: `sched` is half
/// of what a thread costs (7 of 14 us).
const FEW: usize = 256;
const HARDLY_RAN: &str =
    "it has used less than a clock tick of CPU time, and there are more than 256 threads: not asked for";

/// All threads that are there. Those that end meanwhile are left out.
pub(super) fn read(context: &Context<'_>, task: &Task, buffer: &mut Vec<u8>) -> Reading<Vec<ThreadSnapshot>> {
    let directory = context.roots.process(task.pid()).join("task");
    let listed = File::open(&directory).map_err(|error| Error::from_io(&directory, error));
    let (open, mut tids) = match listed.and_then(|open| Ok((open, tasks::numbered(&directory)?))) {
        Ok(found) => found,
        Err(error) => return Reading::unavailable(task::reason(&error)),
    };
    tids.sort_unstable();
    let few = tids.len() <= FEW;
    let mut reader = Reader { context, open, path: Vec::with_capacity(32), few, has_sched: true };
    let threads = tids.into_iter().filter_map(|tid| reader.thread(tid, buffer).ok()).collect();
    Reading::Measured(threads)
}

/// Reads files below the directory `task` of a process.
struct Reader<'a> {
    context: &'a Context<'a>,
    open: File,
    path: Vec<u8>,
    few: bool,
    /// False once a living thread had no `sched`.
    has_sched: bool,
}

impl Reader<'_> {
    fn file(&mut self, tid: Pid, name: &str, buffer: &mut Vec<u8>) -> io::Result<()> {
        self.path.clear();
        write!(self.path, "{tid}/{name}\0")?;
        let path = CStr::from_bytes_with_nul(&self.path).map_err(io::Error::other)?;
        read_record(&open_at(&self.open, path)?, buffer)
    }

    fn thread(&mut self, tid: Pid, buffer: &mut Vec<u8>) -> io::Result<ThreadSnapshot> {
        self.file(tid, "stat", buffer)?;
        let stat = TaskStat::parse(buffer).map_err(|problem| io::Error::other(problem.found))?;
        let ticks = Nanoseconds(stat.ticks.saturating_mul(self.context.tick.0));
        let mut thread = ThreadSnapshot {
            tid,
            name: String::from_utf8_lossy(stat.name).into_owned(),
            state: stat.state,
            cpu: stat.cpu,
            mask: Reading::unavailable(""),
            cpu_time: ticks,
            started: task::started_after(self.context, stat.start),
            migrations: Reading::unavailable(NO_SCHED),
            minor_faults: stat.minor_faults,
            major_faults: stat.major_faults,
        };
        if self.few || ticks > Nanoseconds(0) {
            self.scheduler(&mut thread, buffer)
        } else {
            thread.migrations = Reading::unavailable(HARDLY_RAN)
        }
        thread.mask = self.mask(tid, buffer)?;
        Ok(thread)
    }

    /// Migrations and exact CPU time, where the kernel tells.
    fn scheduler(&mut self, thread: &mut ThreadSnapshot, buffer: &mut Vec<u8>) {
        if self.has_sched {
            match self.file(thread.tid, "sched", buffer) {
                Ok(()) => {
                    let sched = Sched::parse(buffer);
                    if let Some(migrations) = sched.migrations {
                        thread.migrations = Reading::Measured(migrations);
                    }
                    thread.cpu_time = sched.cpu_time.unwrap_or(thread.cpu_time);
                }
                // Ended meanwhile, or a kernel without such files.
                Err(_) => self.has_sched = self.file(thread.tid, "stat", buffer).is_err(),
            }
        }
        if !self.has_sched && self.file(thread.tid, "schedstat", buffer).is_ok() {
            // Zero slices of a thread that exists: the kernel does not count.
            let counted = SchedStat::parse(buffer).ok().filter(|counted| counted.slices > 0);
            thread.cpu_time = counted.map_or(thread.cpu_time, |counted| counted.cpu_time);
        }
    }

    /// Fails when the thread has ended.
    fn mask(&mut self, tid: Pid, buffer: &mut Vec<u8>) -> io::Result<Reading<CpuSet>> {
        if self.context.calls
            && let Ok(mask) = affinity::of(tid)
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
