//! Parallel regions in which threads of a rank work together: who came last to their barriers and to their end, and what lies between them.
//!
//! Regions that the thread opens which calls MPI, the outermost; a region in a region is a part of it. Of processes in which several threads call
//! MPI it is not known whose region a thread works in.

use numawise_facts::activity::ConstructName;
use numawise_tables::snapshot::SpanState;
use numawise_units::{Arrange, Nanoseconds};

use super::phases::Window;
use super::span;
use super::threads::{PlacedConstruct, Region, ThreadStates, Worker};

/// A region from its begin or a barrier to the next barrier or its end.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    /// The thread that came last, where one did: 0 calls MPI, others as [`Worker::number`].
    pub late: Option<u32>,
    /// How long after the last one of the others.
    pub alone: Nanoseconds,
    /// Of all threads, up to the end.
    pub waiting: Nanoseconds,
}

/// A region each time that it was open.
#[derive(Debug, Clone, Copy)]
pub struct Opened {
    pub of: u32,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub threads: u32,
    stages: (u32, u32),
}

/// What the threads of a rank do together.
#[derive(Debug, Default)]
pub struct Team {
    /// One after the other.
    pub opened: Vec<Opened>,
    stages: Vec<Stage>,
    /// The most that worked together; 0: they never did, as far as is known.
    pub threads: u32,
}

/// A wait for the others of a team: the thread by its place among them.
#[derive(Clone, Copy)]
struct TeamWait {
    begin: Nanoseconds,
    end: Nanoseconds,
    thread: u32,
}

fn is_for_all(name: ConstructName) -> bool {
    use ConstructName::{Barrier, Loop, Parallel, Sections, Single, Teams};
    matches!(name, Barrier | Loop | Parallel | Sections | Single | Teams)
}

impl Team {
    /// `is_alone`: no other thread of the process calls MPI.
    pub fn of<'w>(
        (states, begin, end): (&ThreadStates, Nanoseconds, Nanoseconds),
        is_alone: bool,
        workers: impl Iterator<Item = &'w Worker>,
        constructs: &[PlacedConstruct],
    ) -> Team {
        let mut team = Team::default();
        // Of a thread of which no regions are known.
        if states.outside() == SpanState::Useful || !is_alone {
            return team;
        }
        let threads: Vec<(u32, &ThreadStates)> = std::iter::once((0, states))
            .chain(workers.map(|worker| (worker.number, &worker.states)))
            .collect();
        let mut regions: Vec<Region> = states.regions.iter().filter(|of| of.is_team).copied().collect();
        regions.arrange_by_key(|region| (region.begin, std::cmp::Reverse(region.end)));
        let mut at = begin;
        for region in regions {
            if region.begin >= at && region.end <= end {
                at = region.end;
                team.add(region, &threads, constructs);
            }
        }
        team
    }

    pub fn is_in_region(&self, moment: Nanoseconds) -> bool {
        let next = self.opened.get(self.opened.partition_point(|region| region.end <= moment));
        next.is_some_and(|region| region.begin <= moment)
    }

    pub fn stages(&self, of: &Opened) -> &[Stage] {
        self.stages.get(of.stages.0 as usize..of.stages.1 as usize).unwrap_or_default()
    }

    fn add(&mut self, region: Region, threads: &[(u32, &ThreadStates)], constructs: &[PlacedConstruct]) {
        let (mut members, mut at_barriers, mut at_end) = (Vec::new(), Vec::new(), Vec::new());
        for (number, states) in threads {
            let (barriers, ends) = (at_barriers.len(), at_end.len());
            let mut is_member = false;
            for part in states.within(region.begin, region.end) {
                is_member |= part.of == Some(region.of);
                let name =
                    part.of.and_then(|of| constructs.get(of as usize)).map(|(construct, _)| *construct);
                if part.state != SpanState::Waiting || !name.is_some_and(is_for_all) {
                    continue;
                }
                let wait = TeamWait { begin: part.begin, end: part.end, thread: members.len() as u32 };
                if part.of == Some(region.of) {
                    at_end.push(wait);
                } else if !states.is_in_inner(&region, &part) {
                    at_barriers.push(wait);
                }
            }
            if is_member {
                members.push(*number);
            } else {
                at_barriers.truncate(barriers);
                at_end.truncate(ends);
            }
        }
        let first = self.stages.len() as u32;
        at_barriers.arrange_by_key(|wait| wait.end);
        let (mut since, mut rest) = (region.begin, at_barriers.as_slice());
        // All who wait at a barrier are there when the first of them may go on.
        while let Some(free) = rest.first().map(|wait| wait.end) {
            let (here, later) =
                rest.split_at(rest.iter().take_while(|wait| wait.begin < free).count().max(1));
            self.stages.push(stage((since, free), &members, here));
            (since, rest) = (free, later);
        }
        at_end.retain(|wait| wait.begin >= since);
        self.stages.push(stage((since, region.end), &members, &at_end));
        let threads = members.len() as u32;
        if threads > 1 {
            self.threads = self.threads.max(threads);
        }
        let Region { begin, end, of, .. } = region;
        self.opened.push(Opened { of, begin, end, threads, stages: (first, self.stages.len() as u32) });
    }
}

/// A thread that waited more than once, doing tasks between, comes with its last wait.
fn stage((begin, end): Window, members: &[u32], waits: &[TeamWait]) -> Stage {
    let waiting = waits.iter().fold(Nanoseconds(0), |sum, wait| sum + span(wait.begin, wait.end.min(end)));
    let (mut before, mut last, mut late) = (begin, begin, None);
    for (thread, number) in (0..).zip(members) {
        let waits = waits.iter().filter(|wait| wait.thread == thread && wait.end >= end);
        let came = waits.map(|wait| wait.begin).max().unwrap_or(end).min(end);
        if came > last || late.is_none() {
            (before, last, late) = (last, came, Some(*number));
        } else {
            before = before.max(came);
        }
    }
    let alone = span(before, last);
    let late = late.filter(|_| members.len() > 1 && alone.0 > 0);
    Stage { begin, end, late, alone, waiting }
}
