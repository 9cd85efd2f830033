//! What many samples at a job say together: samples go in one after another, a [`Timeline`] comes out.
//!
//! Each sample is judged as `numawise where` would judge it beside the sample before; here is only added up. So a file of any
//! length needs memory for one sample, and a line for each.

mod measures;
mod moments;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use numawise_facts::notice::{ResidencyNotice, ResidencyPart};
use numawise_facts::{Machine, Notice, Reading, Reason, Snapshot};
use numawise_tables::{
    NodeColumn, NodeTimeline, Residency, SessionSpan, ShareSpan, TaskResidency, TaskTimeline, Timeline,
};
use numawise_units::{Arrange, Bytes, Nanoseconds, NodeId, Pid};

use crate::residency;
use measures::{Counts, Locality, Mean, Memory};
use moments::Line;

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;

/// Moments in a chart at most, about: more than the columns of a screen do not show more.
const MOMENTS: usize = 1500;
const NO_SAMPLES: &str = "nothing was recorded yet";

/// Adds up samples.
#[derive(Default)]
pub struct Series {
    before: Option<(u32, Rc<Snapshot>)>,
    sessions: Vec<SessionSpan>,
    nodes: BTreeMap<NodeId, (NodeColumn, Memory, Mean)>,
    total: Memory,
    busy: Mean,
    local: Locality,
    migrations: Counts,
    tasks: BTreeMap<(Pid, Nanoseconds), Task>,
    lines: Vec<Line>,
    /// What could not be seen and why, of which processes and in how many samples.
    missing: Vec<MissingPart>,
    rehearsal: Option<Notice>,
}

/// One process.
struct Task {
    /// Where its moments begin: processes of one number are distinguished by it.
    first_seen: Nanoseconds,
    last_seen: Nanoseconds,
    last: Last,
    threads: Reading<u64>,
    memory: Memory,
    busy: Mean,
    local: Locality,
    migrations: Counts,
}

/// A part that could not be seen and why, of which processes and in how many samples.
struct MissingPart {
    part: ResidencyPart,
    reason: Reason,
    tasks: BTreeSet<Pid>,
    samples: u64,
}

impl MissingPart {
    fn notice(self, samples: u64) -> ResidencyNotice {
        ResidencyNotice::UnavailableInSamples {
            part: self.part,
            tasks: self.tasks.into_iter().collect(),
            reason: self.reason,
            missing: self.samples,
            samples,
        }
    }
}

/// How it described itself when last seen, and where its memory was when that was last seen.
struct Last {
    name: String,
    command: Reading<String>,
    rank: Reading<u32>,
    by_node: Reading<Vec<(NodeId, Bytes)>>,
}

impl Series {
    /// Adds a sample; samples come in the order of their sessions and of time.
    pub fn push(&mut self, machine: &Machine, session: u32, sample: &Rc<Snapshot>) {
        let before = self.before.take().filter(|(of, _)| *of == session).map(|(_, before)| before);
        let seen = residency(sample, before.as_deref(), machine);
        let span = match seen.span {
            ShareSpan::BetweenSamples(span) if span.0 > 0 => Some(span),
            ShareSpan::BetweenSamples(_) | ShareSpan::SinceBegin => None,
        };
        self.session(session, seen.unix_time);
        let hidden = self.hidden(&seen);
        let known = |bytes: Reading<Bytes>| match &hidden {
            Some(unavailable) => Reading::Unavailable { unavailable: unavailable.clone() },
            None => bytes,
        };
        for (k, column) in seen.nodes.iter().enumerate() {
            let total = &seen.job.by_node[k];
            let node = self.nodes.entry(column.node);
            let (_, memory, busy) = node.or_insert((*column, Memory::default(), Mean::default()));
            memory.add(known(total.memory.clone()), seen.unix_time);
            busy.add(&total.busy, span);
        }
        self.total.add(known(seen.job.total.clone()), seen.unix_time);
        self.busy.add(&seen.job.busy, span);
        self.local.add(&seen.job.local, seen.unix_time);
        for task in &seen.tasks {
            self.task(task, &seen, span);
        }
        self.lines.push(Line::of(&seen, session, span, hidden));
        self.note(&seen);
        self.before = Some((session, Rc::clone(sample)));
    }

    /// Why the memory of the job is not known though that of some tasks is: what could be seen of one of the others before
    /// would seem to be gone. One that could never be seen is left out of all sums alike.
    fn hidden(&self, seen: &Residency) -> Option<Reason> {
        seen.tasks.iter().find_map(|task| {
            let before = self.tasks.get(&(task.pid, task.started))?;
            task.memory.reason().filter(|_| before.memory.was_seen()).cloned()
        })
    }

    fn session(&mut self, session: u32, at: Nanoseconds) {
        match &self.before_session() {
            Some(last) if *last == session => {}
            _ => self.sessions.push(SessionSpan { first: at, last: at, samples: 0 }),
        }
        if let Some(span) = self.sessions.last_mut() {
            span.last = at;
            span.samples += 1;
        }
    }

    /// The session of the sample before.
    fn before_session(&self) -> Option<u32> {
        self.lines.last().map(Line::session)
    }

    fn task(&mut self, seen: &TaskResidency, sample: &Residency, span: Option<Nanoseconds>) {
        let at = sample.unix_time;
        let task = self.tasks.entry((seen.pid, seen.started)).or_insert_with(|| Task {
            first_seen: at,
            last_seen: at,
            last: Last {
                name: String::new(),
                command: seen.command.clone(),
                rank: seen.rank.clone(),
                by_node: Reading::unavailable(NO_SAMPLES),
            },
            threads: seen.threads.as_ref().map(|threads| threads.len() as u64),
            memory: Memory::default(),
            busy: Mean::default(),
            local: Locality::default(),
            migrations: Counts::default(),
        });
        task.last_seen = at;
        seen.name.clone_into(&mut task.last.name);
        // What was known once is not forgotten because the end of a process hides it.
        keep_known(&mut task.last.command, &seen.command);
        keep_known(&mut task.last.rank, &seen.rank);
        let by_node = seen.memory.as_ref().map(|memory| {
            sample.nodes.iter().zip(&memory.by_node).map(|(column, bytes)| (column.node, *bytes)).collect()
        });
        keep_known(&mut task.last.by_node, &by_node);
        task.memory.add(seen.memory.as_ref().map(|memory| memory.total), at);
        task.busy.add(&seen.busy, span);
        task.local.add(&seen.local, at);
        if let Reading::Measured(threads) = &seen.threads {
            let most = task.threads.measured().copied().unwrap_or(0).max(threads.len() as u64);
            task.threads = Reading::Measured(most);
            if span.is_some() {
                for thread in threads {
                    task.migrations.add(&thread.recent_migrations);
                    self.migrations.add(&thread.recent_migrations);
                }
            }
        }
    }

    fn note(&mut self, seen: &Residency) {
        self.rehearsal = self.rehearsal.take().or_else(|| seen.rehearsal.clone());
        for note in &seen.notes {
            let ResidencyNotice::Unavailable { part, tasks, reason } = note else { continue };
            let known = self.missing.iter().position(|of| (of.part, &of.reason) == (*part, reason));
            let k = known.unwrap_or_else(|| {
                let reason = reason.clone();
                self.missing.push(MissingPart { part: *part, reason, tasks: BTreeSet::new(), samples: 0 });
                self.missing.len() - 1
            });
            let entry = &mut self.missing[k];
            entry.samples += 1;
            match tasks.as_slice() {
                [] => entry.tasks.extend(seen.tasks.iter().map(|task| task.pid)),
                tasks => entry.tasks.extend(tasks),
            }
        }
    }

    /// What all samples say.
    pub fn timeline(mut self) -> Timeline {
        self.missing.arrange_by(|a, b| (a.part, &a.reason.0).cmp(&(b.part, &b.reason.0)));
        let nodes: Vec<NodeColumn> = self.nodes.values().map(|(column, ..)| *column).collect();
        let samples = self.lines.len() as u64;
        let (moments, samples_per_moment) = moments::thinned(self.lines, &nodes, MOMENTS);
        let mut tasks: Vec<TaskTimeline> =
            self.tasks.into_iter().map(|(who, task)| task.timeline(who, &nodes)).collect();
        tasks.arrange_by_key(|task| {
            let rank = task.rank.measured().copied();
            (rank.is_none(), rank, task.first_seen, task.pid, task.started)
        });
        Timeline {
            samples,
            sessions: self.sessions,
            by_node: self
                .nodes
                .into_values()
                .map(|(column, memory, busy)| NodeTimeline {
                    node: column.node,
                    memory: memory.change(),
                    busy: busy.reading(),
                })
                .collect(),
            nodes,
            total: self.total.change(),
            busy: self.busy.reading(),
            local: self.local.change(),
            migrations: self.migrations.reading(),
            tasks,
            moments,
            samples_per_moment,
            unavailable: self.missing.into_iter().map(|part| part.notice(samples)).collect(),
            rehearsal: self.rehearsal,
        }
    }
}

impl Task {
    fn timeline(self, (pid, started): (Pid, Nanoseconds), nodes: &[NodeColumn]) -> TaskTimeline {
        TaskTimeline {
            pid,
            started,
            name: self.last.name,
            command: self.last.command,
            rank: self.last.rank,
            first_seen: self.first_seen,
            last_seen: self.last_seen,
            threads: self.threads,
            memory: self.memory.change(),
            by_node: self.last.by_node.map(|by_node| moments::columns(&by_node, nodes, Bytes(0))),
            busy: self.busy.reading(),
            local: self.local.change(),
            migrations: self.migrations.reading(),
        }
    }
}

/// Takes over a value, or a reason where there was only one.
fn keep_known<T: Clone>(kept: &mut Reading<T>, now: &Reading<T>) {
    if now.measured().is_some() || kept.measured().is_none() {
        *kept = now.clone();
    }
}
