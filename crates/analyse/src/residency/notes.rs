//! What could not be seen, gathered: a reason that holds for many tasks is said once.

use numawise_facts::notice::{ResidencyNotice, ResidencyPart};
use numawise_facts::{Reading, Reason, Snapshot};
use numawise_tables::{ShareSpan, TaskResidency};
use numawise_units::{Nanoseconds, Pid};

use super::threads::Clock;

pub fn notes(tasks: &[TaskResidency], clock: &Clock, before: Option<&Snapshot>) -> Vec<ResidencyNotice> {
    let no_time = clock.span() == ShareSpan::BetweenSamples(Nanoseconds(0));
    let mut parts = MissingParts(Vec::new());
    for task in tasks {
        parts.missing(ResidencyPart::Threads, task.pid, &task.threads);
        parts.missing(ResidencyPart::Memory, task.pid, &task.memory);
        if task.threads.measured().is_some() && task.memory.measured().is_some() {
            parts.missing(ResidencyPart::LocalShare, task.pid, &task.local);
        }
        for thread in task.threads.measured().into_iter().flatten() {
            parts.missing(ResidencyPart::ThreadMasks, task.pid, &thread.mask);
            parts.missing(ResidencyPart::ThreadMigrations, task.pid, &thread.migrations);
            if !no_time {
                parts.missing(ResidencyPart::ThreadShares, task.pid, &thread.share);
            }
        }
        for remote in task.remote.measured().into_iter().flatten() {
            parts.missing(ResidencyPart::RemoteDistance, task.pid, &remote.distance);
        }
    }
    if before.is_some() && no_time {
        let reason = Reason("the second sample is not later than the first".into());
        parts.0.push((ResidencyPart::CpuShares, Vec::new(), reason));
    }
    let notice = |(part, pids, reason): (ResidencyPart, Vec<Pid>, Reason)| ResidencyNotice::Unavailable {
        part,
        tasks: if pids.len() == tasks.len() { Vec::new() } else { pids },
        reason,
    };
    parts.0.into_iter().map(notice).collect()
}

struct MissingParts(Vec<(ResidencyPart, Vec<Pid>, Reason)>);

impl MissingParts {
    fn missing<T>(&mut self, part: ResidencyPart, pid: Pid, reading: &Reading<T>) {
        let Some(reason) = reading.reason() else {
            return;
        };
        match self.0.iter_mut().find(|(of, _, why)| (*of, why) == (part, reason)) {
            Some((_, tasks, _)) if tasks.last() == Some(&pid) => {}
            Some((_, tasks, _)) => tasks.push(pid),
            None => self.0.push((part, vec![pid], reason.clone())),
        }
    }
}
