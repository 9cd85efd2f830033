//! One thread, from its samples.

use numawise_linux::calls::{affinity, clock};
use std::fs::File;
use std::path::PathBuf;

use numawise_facts::activity::{SeenChange, SeenKind, SeenThread};
use numawise_facts::{Reading, ThreadObservation};
use numawise_units::{CpuId, CpuSet, Nanoseconds, Pid};

use numawise_linux::Error;
use numawise_linux::Roots;
use numawise_linux::file::{read_path, read_record};
use numawise_linux::proc::schedstat::SchedStat;
use numawise_linux::proc::stat::TaskStat;
use numawise_linux::proc::status::Status;

/// What was last seen of a thread.
#[derive(Debug)]
pub(crate) struct Thread {
    pub pid: Pid,
    pub tid: Pid,
    /// Times that it was read.
    pub samples: u32,
    pub cpu_time: Nanoseconds,
    pub migrations: u64,
    /// It was stopped when last read, by a signal and not by a debugger.
    pub stopped: bool,
    /// It had ended when last read, and nobody had waited for it.
    pub is_dead: bool,
    /// It was on a CPU or waited for one when last read.
    pub ready: bool,
    /// Samples that found it ready while others were.
    pub ready_with_others: u64,
    /// Where it was when last read.
    pub cpu: CpuId,
    name: Vec<u8>,
    start: u64,
    /// None where the kernel does not count.
    scheduler: Option<SchedStat>,
    minor_faults: u64,
    on: Vec<(CpuId, Nanoseconds)>,
    mask: Reading<CpuSet>,
    files: Option<(File, File)>,
    /// When it was read last.
    looked: Nanoseconds,
    /// What changed from one sample to the next.
    pub seen: SeenThread,
}

/// Changes that are kept.
const MOST_CHANGES: usize = 1024;
/// Fewer page faults from one sample to the next are no burst: a megabyte of small pages.
const BURST: u64 = 256;
/// Waiting for a CPU that is noted: the least, and the share of the time between two samples.
const NO_CPU: (Nanoseconds, u64) = (Nanoseconds(1_000_000), 10);

impl Thread {
    pub fn new(pid: Pid, tid: Pid) -> Self {
        Thread {
            pid,
            tid,
            samples: 0,
            cpu_time: Nanoseconds(0),
            scheduler: None,
            migrations: 0,
            stopped: false,
            is_dead: false,
            ready: false,
            ready_with_others: 0,
            name: Vec::new(),
            start: 0,
            minor_faults: 0,
            cpu: CpuId(0),
            on: Vec::new(),
            mask: Reading::unavailable("the thread ended before its mask was read"),
            files: None,
            looked: Nanoseconds(0),
            seen: SeenThread::default(),
        }
    }

    pub fn keeps_files(&self) -> bool {
        self.files.is_some()
    }

    /// True when there were files to close.
    pub fn close_files(&mut self) -> bool {
        self.files.take().is_some()
    }

    /// Takes a sample and gives the number of threads of the process; with `keep` the files stay open for the next. None when the thread has not run since the last:
    /// then nothing of it has changed.
    pub fn read(&mut self, roots: &Roots, buffer: &mut Vec<u8>, keep: bool) -> Result<Option<u32>, Error> {
        let before = std::mem::replace(&mut self.looked, clock::monotonic());
        let (pid, tid) = (self.pid, self.tid);
        let file = |name: &str| directory(roots, pid, tid).join(name);
        if self.files.is_none() && keep && self.samples > 0 {
            // Only from the second sample on, so that threads that live shortly cost no more than need be.
            let open = |name| File::open(file(name)).ok();
            self.files = open("stat").zip(open("schedstat"));
        }
        let scheduler = match &self.files {
            Some((_, schedstat)) => read_record(schedstat, buffer).is_ok(),
            None => read_path(&file("schedstat"), buffer).is_ok(),
        };
        let scheduler = scheduler
            .then(|| SchedStat::parse(buffer).ok())
            .flatten()
            // Zero slices of a thread that exists: the kernel does not count.
            .filter(|scheduler| scheduler.slices > 0);
        if scheduler.is_some() && scheduler == self.scheduler && self.files.is_some() {
            self.samples += 1;
            return Ok(None);
        }
        match &self.files {
            Some((stat, _)) => {
                read_record(stat, buffer).map_err(|error| Error::from_io(&file("stat"), error))?;
            }
            None => read_path(&file("stat"), buffer)?,
        }
        let stat = TaskStat::parse(buffer).map_err(|problem| problem.at(&file("stat")))?;
        if self.samples > 0 && stat.start != self.start {
            // The identifier is another thread's by now.
            return Err(Error::Gone { path: file("stat") });
        }
        if self.name != stat.name {
            self.name = stat.name.to_vec();
        }
        self.note(before, (stat.cpu, stat.minor_faults), scheduler);
        self.start = stat.start;
        self.stopped = stat.state == 'T';
        self.is_dead = matches!(stat.state, 'Z' | 'X');
        self.ready = stat.state == 'R';
        self.minor_faults = stat.minor_faults;
        let threads = stat.threads;
        let ticks = Nanoseconds(stat.ticks.saturating_mul(clock::tick().0));
        self.account(stat.cpu, scheduler.map_or(ticks, |scheduler| scheduler.cpu_time));
        self.scheduler = scheduler.or(self.scheduler);
        self.read_mask(roots, buffer);
        self.samples += 1;
        Ok(Some(threads))
    }

    /// Time ready and waiting; none where the kernel does not count it.
    pub fn run_delay(&self) -> Option<Nanoseconds> {
        self.scheduler.map(|scheduler| scheduler.run_delay)
    }

    /// Keeps what changed since the sample before.
    fn note(&mut self, before: Nanoseconds, (cpu, faults): (CpuId, u64), scheduler: Option<SchedStat>) {
        if self.samples == 0 {
            return;
        }
        let at = self.looked;
        let mut add = |what| self.seen.add(SeenChange { before, at, what }, MOST_CHANGES);
        if cpu != self.cpu {
            add(SeenKind::Moved { from: self.cpu, to: cpu });
        }
        let faults = faults.saturating_sub(self.minor_faults);
        if faults >= BURST {
            add(SeenKind::Faults(faults));
        }
        if let (Some(now), Some(then)) = (scheduler, self.scheduler) {
            let waited = now.run_delay.saturating_sub(then.run_delay);
            if waited >= NO_CPU.0.max(Nanoseconds(at.saturating_sub(before).0 / NO_CPU.1)) {
                add(SeenKind::NoCpu(waited));
            }
        }
    }

    /// Books the CPU time since the last sample on the CPU where the thread is now.
    fn account(&mut self, cpu: CpuId, cpu_time: Nanoseconds) {
        if self.samples > 0 && cpu != self.cpu {
            self.migrations += 1;
        }
        self.cpu = cpu;
        let used = cpu_time.saturating_sub(self.cpu_time);
        self.cpu_time = self.cpu_time.max(cpu_time);
        match self.on.iter_mut().find(|(on, _)| *on == cpu) {
            Some((_, time)) => *time = *time + used,
            None => self.on.push((cpu, used)),
        }
    }

    fn read_mask(&mut self, roots: &Roots, buffer: &mut Vec<u8>) {
        if roots.is_live()
            && let Ok(mask) = affinity::of(self.tid)
        {
            // Compared first: masks seldom change, and a new value costs an allocation.
            if self.mask.measured() != Some(&mask) {
                self.mask = Reading::Measured(mask);
            }
            return;
        }
        let path = directory(roots, self.pid, self.tid).join("status");
        let status = read_path(&path, buffer)
            .and_then(|()| Status::parse(buffer).map_err(|problem| problem.at(&path)));
        match status {
            Ok(Status { cpus: Some(mask), .. }) => self.mask = Reading::Measured(mask),
            // A mask known from an earlier sample is better than none.
            _ if self.mask.measured().is_some() => {}
            Ok(_) => self.mask = Reading::unavailable(format!("{} has no Cpus_allowed_list", path.display())),
            Err(error) => self.mask = Reading::unavailable(error.to_string()),
        }
    }

    /// The thread as the facts have it.
    pub fn observation(&self) -> ThreadObservation {
        let mut on = self.on.clone();
        on.sort_by_key(|(cpu, _)| *cpu);
        ThreadObservation {
            pid: self.pid,
            tid: self.tid,
            name: String::from_utf8_lossy(&self.name).into_owned(),
            cpu_time: self.cpu_time,
            minor_faults: self.minor_faults,
            cpu_time_on: on,
            migrations: self.migrations,
            ready_with_others: self.ready_with_others,
            mask: self.mask.clone(),
        }
    }
}

fn directory(roots: &Roots, pid: Pid, tid: Pid) -> PathBuf {
    roots.process(pid).join("task").join(tid.0.to_string())
}
