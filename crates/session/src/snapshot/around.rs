//! Around a launcher whose ranks run on several computers: what it starts gets words before it, so that each rank has a numawise, as
//! inside a launcher; these hand over what they measured through a folder that we have made, and we report.
//!
//! Nothing of it needs the environment, which launchers hand on to other computers in part, or not at all. On each computer the numawise
//! whose program ends last hands over, one whose rank died within MPI at once; and where a launcher kills all of them, a process that
//! is none of its own reads what the programs had measured and hands that over ([`stand_by`](numawise_launch::stand_by)).

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{
    Argument, Machine, MachineOfHosts, Notice, ObjectRun, RankEnd, Reading, ResourceUsage, RunSpec,
};
use numawise_launch::{EndedProgram, Foreground, Keeping};
use numawise_linux::Roots;
use numawise_units::Nanoseconds;

use super::collected::Collected;
use super::exchange::{Computer, Exchange, HandedOver, LocalNote, in_name};
use super::job::Job;
use super::{EndedSnapshot, ReadFolder, SnapshotPlan, SnapshotReport};
use super::{objects, surroundings};
use crate::{Error, here, launcher};

#[cfg(test)]
#[path = "around_tests.rs"]
mod tests;

/// Machines that differ, of which a record has room: each takes some hundred kilobytes.
const MOST_MACHINES: usize = 16;

/// Words that start a program by a numawise that hands over what it measures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HandingOverWords {
    /// Those before the folder through which that goes.
    pub before: Vec<Argument>,
    /// Those behind it.
    pub after: Vec<Argument>,
}

/// A launcher that is to start ranks with a numawise each.
#[derive(Debug, Clone)]
pub struct AroundLauncher {
    command: RunSpec,
    words: HandingOverWords,
}

impl AroundLauncher {
    /// `None` where the programs cannot be told from the launcher's words.
    pub fn of(command: &RunSpec, words: &HandingOverWords) -> Option<AroundLauncher> {
        let around = AroundLauncher { command: command.clone(), words: words.clone() };
        around.with(&[]).map(|_| around)
    }

    /// Runs it to its end, and takes what its ranks hand over.
    ///
    /// # Errors
    /// Where there is no folder for that, or the launcher cannot be started.
    pub fn run(&self, mut plan: SnapshotPlan, begun: Nanoseconds) -> Result<EndedSnapshot, Error> {
        let record = plan.request.record.as_deref();
        let exchange = Exchange::for_launcher(&host(), record).map_err(|source| {
            let folder = record.and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
            Error::NoFolderForRanks { folder, source }
        })?;
        let command = self.command(exchange.folder());
        let task = plan.plan.own_task();
        // What the launcher leaves when it was asked to end has still something to hand over.
        let keeping = Keeping { ends_leftovers: false, after_us: &|| exchange.remove() };
        let started =
            task.and_then(|task| Ok(Foreground::spawn(&command, task, &plan.plan.changes, keeping)?));
        let mut program = started.inspect_err(|_| exchange.remove())?;
        let ended = program.wait();
        let taken = exchange.take_of_begun(HandedOver::to(plan.nothing()));
        exchange.remove();
        let exit = ended.exit;
        let usage = ResourceUsage::together(taken.ends.iter().map(|end| &end.usage));
        let ended = EndedProgram { usage: usage.unwrap_or_else(|| ended.usage.clone()), ..ended };
        for notice in taken.notices {
            // All computers may say the same.
            if !plan.notices.contains(&notice) {
                plan.notices.push(notice);
            }
        }
        plan.objects.extend(taken.objects);
        let through = exchange.folder().display().to_string();
        let run = plan.finished(begun, ended, taken.processes, taken.computers, Some(through));
        let report = SnapshotReport { run, is_again: false, first_rank: None, _turn: None };
        Ok(EndedSnapshot { exit, report: Some(report) })
    }

    /// What is started in the place of the command.
    pub fn command(&self, folder: &Path) -> RunSpec {
        let HandingOverWords { before, after } = &self.words;
        let folder = Argument(folder.as_os_str().to_owned());
        let words: Vec<Argument> = before.iter().chain([&folder]).chain(after).cloned().collect();
        self.with(&words).unwrap_or_else(|| self.command.clone())
    }

    fn with(&self, words: &[Argument]) -> Option<RunSpec> {
        launcher::with_words(&self.command, words)
    }
}

/// What one computer hands over to whoever is around the launcher.
#[derive(Debug)]
pub struct Delivery {
    exchange: Exchange,
    name: String,
    /// No process yet.
    nothing: Collected,
}

impl Delivery {
    /// Says that something is to come of the computer of `job`. The first of its ranks provides for that in case that all are killed.
    pub fn begin(folder: &Path, job: &Job, nothing: Collected) -> Delivery {
        let number = job.folder().path().metadata().map_or(0, |facts| facts.ino());
        let name = format!("{}-{number:x}", in_name(&host()));
        let delivery = Delivery { exchange: Exchange::given(folder), name, nothing };
        if delivery.exchange.begin(&delivery.name).unwrap_or(false) {
            // Without it, what is measured of ranks that are killed is missing.
            let _ = numawise_launch::stand_by(|| {
                let Some(turn) = job.when_all_are_gone() else { return };
                surroundings::all_are_killed(job.folder().path());
                let (runs, problems) = objects::read(job.folder().path());
                let read = surroundings::read(job.folder().path());
                let _ = delivery.deliver(&read, &of_job(job, &problems, runs));
                drop(turn);
            });
        }
        delivery
    }

    /// The same of one process that is not known to be a rank.
    pub fn begin_alone(folder: &Path, nothing: Collected) -> Delivery {
        let name = format!("{}-process-{}", in_name(&host()), std::process::id());
        let delivery = Delivery { exchange: Exchange::given(folder), name, nothing };
        let _ = delivery.exchange.begin(&delivery.name);
        delivery
    }

    /// # Errors
    /// Where the folder is not there, or cannot be written.
    pub fn deliver(&self, read: &ReadFolder, note: &LocalNote) -> io::Result<()> {
        self.exchange.hand_over(&self.name, read, note, self.nothing.clone())
    }

    /// What is to be said where it cannot be delivered.
    pub fn is_apart(&self, problem: &io::Error) -> Notice {
        let folder = self.exchange.folder().display().to_string();
        SnapshotNotice::FolderNotShared { host: host(), folder, problem: problem.to_string() }.into()
    }
}

/// What is said of the computer of a job.
pub fn of_job(job: &Job, notices: &[Notice], runs: Vec<ObjectRun>) -> LocalNote {
    of_ends(job.ranks().len() as u32, job.ends(), notices, runs)
}

pub fn of_ends(ranks: u32, ends: Vec<RankEnd>, notices: &[Notice], runs: Vec<ObjectRun>) -> LocalNote {
    let machine = here::full().ok().map(|here| here.machine);
    let (objects, left_out) = objects::kept(runs);
    let notices = notices.iter().cloned().chain(left_out).collect();
    let computer = Computer { host: host(), machine };
    let to_time_of_day = super::handed_traces::to_time_of_day();
    LocalNote { ranks, ends, computer, notices, objects, to_time_of_day }
}

/// The name of this computer, as processes note it.
pub fn host() -> String {
    numawise_linux::host::hostname(&Roots::live()).unwrap_or_default()
}

/// Machines of other computers than our own, each once with all of its hosts; and what is to be said of those that differ too much.
pub fn machines(computers: Vec<Computer>, own: &str) -> (Vec<MachineOfHosts>, Option<Notice>) {
    let mut all: Vec<MachineOfHosts> = Vec::new();
    let mut left_out = BTreeSet::new();
    for Computer { host, machine } in computers {
        let Some(machine) = machine.filter(|_| host != own).map(without_free_memory) else { continue };
        let room = all.len() < MOST_MACHINES;
        match all.iter_mut().find(|known| known.machine == machine) {
            Some(known) => known.hosts.push(host),
            None if room => all.push(MachineOfHosts { machine, hosts: vec![host] }),
            None => {
                left_out.insert(host);
            }
        }
    }
    let count = left_out.len() as u64;
    let notice = SnapshotNotice::MachinesLeftOut { count, kept: MOST_MACHINES as u64 };
    (all, (count > 0).then(|| notice.into()))
}

/// What is of a moment would make all of them differ.
fn without_free_memory(mut machine: Machine) -> Machine {
    for node in &mut machine.nodes {
        node.free = Reading::unavailable("free memory of other computers is not kept");
    }
    machine
}
