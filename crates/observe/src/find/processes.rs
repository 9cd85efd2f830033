//! All processes, with their parents.

use std::collections::{HashMap, HashSet};

use numawise_units::Pid;

use super::error::ProcessCount;
use numawise_linux::Error;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::stat::TaskStat;
use numawise_linux::proc::tasks;

/// One process.
#[derive(Debug)]
pub(super) struct Process {
    pub pid: Pid,
    pub name: Vec<u8>,
    parent: Pid,
    /// A program that runs: neither a thread of the kernel nor ended.
    program: bool,
}

#[derive(Debug)]
pub(super) struct Processes {
    /// In the order of their numbers.
    all: Vec<Process>,
    own: Option<Pid>,
    closed: usize,
}

impl Processes {
    pub fn list(roots: &Roots, own: Option<Pid>) -> Result<Self, Error> {
        let mut buffer = Vec::with_capacity(4096);
        let (mut all, mut closed) = (Vec::new(), 0);
        for pid in tasks::numbered(roots.proc())? {
            let path = roots.process(pid).join("stat");
            let stat = read_path(&path, &mut buffer)
                .and_then(|()| TaskStat::parse(&buffer).map_err(|problem| problem.at(&path)));
            match stat {
                Ok(stat) => all.push(Process {
                    pid,
                    name: stat.name.to_vec(),
                    parent: Pid(stat.parent),
                    program: !stat.kernel && !matches!(stat.state, 'Z' | 'X') || stat.threads > 1,
                }),
                Err(error) if error.is_gone() => {}
                Err(_) => closed += 1,
            }
        }
        all.sort_unstable_by_key(|process| process.pid);
        Ok(Processes { all, own, closed })
    }

    /// With `more` that turned out to be closed on closer examination.
    pub fn counted(&self, more: usize) -> ProcessCount {
        ProcessCount { listed: self.all.len() + self.closed, closed: self.closed + more }
    }

    /// The programs, but for ourselves.
    pub fn others(&self) -> impl Iterator<Item = &Process> {
        self.all.iter().filter(|process| process.program && Some(process.pid) != self.own)
    }

    /// The programs, but for ourselves and what started us.
    pub fn strangers(&self) -> impl Iterator<Item = &Process> {
        let ours = self.own_line();
        self.others().filter(move |process| !ours.contains(&process.pid))
    }

    /// What started us.
    pub fn ancestors(&self) -> impl Iterator<Item = &Process> {
        let ours = self.own_line();
        self.others().filter(move |process| ours.contains(&process.pid))
    }

    /// Ourselves, our parent, its parent and so on.
    fn own_line(&self) -> HashSet<Pid> {
        let mut ours = HashSet::new();
        let mut next = self.own;
        while let Some(pid) = next {
            // A chain that were a ring would not end.
            next = ours.insert(pid).then(|| self.get(pid).map(|process| process.parent)).flatten();
        }
        ours
    }

    fn get(&self, pid: Pid) -> Option<&Process> {
        self.all.binary_search_by_key(&pid, |process| process.pid).ok().map(|at| &self.all[at])
    }

    /// The programs that a process has started, directly or not; but for ourselves.
    pub fn below(&self, pid: Pid) -> impl Iterator<Item = &Process> {
        let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
        for process in &self.all {
            children.entry(process.parent).or_default().push(process.pid);
        }
        let mut below = HashSet::new();
        let mut next = vec![pid];
        while let Some(pid) = next.pop() {
            let children = children.get(&pid).into_iter().flatten();
            next.extend(children.filter(|child| below.insert(**child)));
        }
        self.others().filter(move |process| process.pid != pid && below.contains(&process.pid))
    }
}
