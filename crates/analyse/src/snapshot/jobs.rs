//! Jobs of MPI that ran one after the other within one run, as a script starts them. Their times are of different spans, so that no figure is
//! of all of them: one is the run, and the others stand beside it.
//!
//! All ranks of a job are between `MPI_Init` and `MPI_Finalize` at some moment, since each of the two waits for all ranks. Jobs whose
//! spans overlap (of `MPI_Comm_spawn`, or of a launcher in the background) share the CPUs at the same time and stay together. Where no
//! rank is there twice and all are of one size, there is one job, whatever the clocks of the hosts say.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::Activity;
use numawise_facts::activity::WorldRank;
use numawise_units::Arrange;

#[cfg(test)]
#[path = "jobs_tests.rs"]
mod tests;

/// Which of the processes are the ranks of each job, that with the most time of its ranks first; the others in the order in which
/// they began.
pub fn mpi_jobs(activities: &[Activity]) -> Vec<Vec<usize>> {
    let ranks: Vec<Spanned<'_>> = activities.iter().enumerate().filter_map(Spanned::of).collect();
    if ranks.is_empty() {
        return Vec::new();
    }
    let worlds: BTreeSet<(u32, u32)> = ranks.iter().map(Spanned::key).collect();
    let is_one_size = worlds.iter().all(|(size, _)| Some(*size) == worlds.first().map(|(size, _)| *size));
    if worlds.len() == ranks.len() && is_one_size {
        return vec![ranks.iter().map(|rank| rank.index).collect()];
    }
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for part in parts(&ranks) {
        match jobs.iter_mut().find(|job| job.takes(&part)) {
            Some(job) => job.parts.push(part),
            None => jobs.push(Job { parts: vec![part] }),
        }
    }
    let most = (0..jobs.len()).rev().max_by_key(|job| jobs.get(*job).map_or(0, Job::time)).unwrap_or(0);
    if let Some(begin) = jobs.get_mut(..=most) {
        begin.rotate_right(1);
    }
    let mut jobs: Vec<Vec<usize>> = jobs.iter().map(Job::indices).collect();
    // What is not known to be of another job is of the one that is the run.
    let unknown = ranks.iter().filter(|rank| rank.span.is_none()).map(|rank| rank.index);
    if let Some(first) = jobs.first_mut() {
        first.extend(unknown);
    } else {
        jobs.push(unknown.collect());
    }
    jobs
}

/// A rank, and from when to when it was in MPI.
struct Spanned<'a> {
    index: usize,
    host: &'a str,
    world: WorldRank,
    span: Option<(u64, u64)>,
}

impl<'a> Spanned<'a> {
    fn of((index, activity): (usize, &'a Activity)) -> Option<Spanned<'a>> {
        let mpi = activity.mpi.measured().filter(|_| !activity.is_forked)?;
        let world = mpi.rank.measured().copied()?;
        let from = mpi.initialised.measured().map(|[_, end]| *end);
        let to = mpi.finalised.measured().map(|[begin, _]| *begin);
        let to = to.or(activity.elapsed.measured().copied());
        let at = |since: numawise_units::Nanoseconds| activity.began.0.saturating_add(since.0);
        let span = from.zip(to).map(|(from, to)| (at(from), at(to.max(from))));
        Some(Spanned { index, host: &activity.host, world, span })
    }

    fn key(&self) -> (u32, u32) {
        (self.world.size, self.world.rank)
    }
}

/// Ranks of a host, each with its span.
type WithSpans<'a> = Vec<((u64, u64), &'a Spanned<'a>)>;

/// Ranks of a host whose spans overlap, directly or through others of them.
struct Part<'a> {
    host: &'a str,
    begin: u64,
    end: u64,
    time: u128,
    ranks: Vec<&'a Spanned<'a>>,
}

impl Part<'_> {
    fn worlds(&self) -> BTreeSet<(u32, u32)> {
        self.ranks.iter().map(|rank| rank.key()).collect()
    }

    fn sizes(&self) -> BTreeSet<u32> {
        self.ranks.iter().map(|rank| rank.world.size).collect()
    }
}

/// In the order in which they began, by the clocks of their hosts.
fn parts<'a>(ranks: &'a [Spanned<'a>]) -> Vec<Part<'a>> {
    let mut by_host: BTreeMap<&str, WithSpans<'a>> = BTreeMap::new();
    for rank in ranks {
        if let Some(span) = rank.span {
            by_host.entry(rank.host).or_default().push((span, rank));
        }
    }
    let mut parts: Vec<Part<'a>> = Vec::new();
    for (host, mut ranks) in by_host {
        ranks.arrange_by_key(|(span, rank)| (*span, rank.index));
        let first = parts.len();
        for ((begin, end), rank) in ranks {
            let time = u128::from(end - begin);
            match parts.get_mut(first..).and_then(<[Part<'_>]>::last_mut).filter(|part| begin <= part.end) {
                Some(part) => {
                    part.end = part.end.max(end);
                    part.time += time;
                    part.ranks.push(rank);
                }
                None => parts.push(Part { host, begin, end, time, ranks: vec![rank] }),
            }
        }
    }
    parts.arrange_by_key(|part| (part.begin, part.host));
    parts
}

/// Parts of a job, of one host each.
struct Job<'a> {
    parts: Vec<Part<'a>>,
}

impl<'a> Job<'a> {
    /// Clocks of hosts are not compared, but for their order.
    fn takes(&self, part: &Part<'a>) -> bool {
        let is_elsewhere = self.parts.iter().all(|own| own.host != part.host);
        let is_alike = self.parts.iter().all(|own| own.sizes() == part.sizes());
        let worlds = part.worlds();
        is_elsewhere && is_alike && self.parts.iter().all(|own| own.worlds().is_disjoint(&worlds))
    }

    /// Of all ranks together.
    fn time(&self) -> u128 {
        self.parts.iter().map(|part| part.time).sum()
    }

    fn indices(&self) -> Vec<usize> {
        self.parts.iter().flat_map(|part| part.ranks.iter().map(|rank| rank.index)).collect()
    }
}
