//! Clocks of processes that contradict one another. What is received ends no earlier than it began to be sent, and what all ranks wait for ends
//! in none of them before it began in the last; where moments say otherwise, a clock is behind, and is moved forward by the least that does.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use numawise_facts::activity::{MessageSide, TracedKind, needs_all_ranks};
use numawise_units::Nanoseconds;

use super::Assumption;
use super::traces::Traced;

/// What must not end in some processes before it begins in others: process and moment.
#[derive(Debug, Default)]
struct Meeting {
    begins: Vec<(usize, i128)>,
    ends: Vec<(usize, i128)>,
}

/// By how much each process's clock is moved.
#[derive(Debug, Default)]
pub struct Moves {
    by: Vec<u64>,
    /// How much is still contradicted.
    left: u64,
}

/// What moments say of clocks: of each pair of processes the message that came soonest after it was sent, and collective calls.
#[derive(Debug, Default)]
struct Told {
    pairs: BTreeMap<(usize, usize), i128>,
    meetings: Vec<Meeting>,
}

/// World, communicator, sender, receiver and tag.
type Channel = (usize, Option<NonZeroU64>, u32, u32, i32);

/// When a message was sent or asked for, the process, and when it was sent or had come.
type End = (u64, usize, u64);

/// Beyond so many rounds clocks are taken to contradict one another: with as many as there are processes all chains are followed.
const MOST_ROUNDS: usize = 256;

pub fn moves(traced: &Traced) -> Moves {
    let processes = traced.ranks.len();
    let told = Told::of(traced);
    let most = told.most(&vec![0; processes]);
    if most <= 0 {
        return Moves { by: vec![0; processes], left: 0 };
    }
    if let Some(by) = told.least(processes, 0) {
        return Moves { by, left: 0 };
    }
    // As little as possible is left of the contradiction: of `most` no clock is moved.
    let (mut low, mut high) = (0, most);
    let mut best = vec![0; processes];
    while high - low > (high / 100).max(1) {
        let middle = (low + high) / 2;
        match told.least(processes, middle) {
            Some(by) => (high, best) = (middle, by),
            None => low = middle,
        }
    }
    Moves { by: best, left: u64::try_from(high).unwrap_or(u64::MAX) }
}

impl Told {
    fn of(traced: &Traced) -> Told {
        let mut told = Told::default();
        told.messages(traced);
        told.collectives(traced);
        told
    }

    /// Messages are matched in their order, as MPI does it.
    fn messages(&mut self, traced: &Traced) {
        let mut channels: BTreeMap<Channel, [Vec<End>; 2]> = BTreeMap::new();
        for thread in &traced.threads {
            let Some((world, rank)) = traced.ranks.get(thread.process).copied().flatten() else { continue };
            let mut next = 0usize;
            for call in &thread.trace.calls {
                let end = next.saturating_add(call.messages as usize);
                for message in thread.trace.messages.get(next..end).unwrap_or_default() {
                    let posted = message.posted.0;
                    let (from, to, side, moment) = match message.end {
                        MessageSide::Sent => (rank, message.peer, 0, posted),
                        MessageSide::Received => (message.peer, rank, 1, call.end.0),
                        _ => continue,
                    };
                    let channel = (world, message.communicator, from, to, message.tag);
                    if let Some(side) = channels.entry(channel).or_default().get_mut(side) {
                        side.push((posted, thread.process, moment));
                    }
                }
                next = end;
            }
        }
        for [mut sent, mut received] in channels.into_values() {
            sent.sort_unstable();
            received.sort_unstable();
            for ((_, from, sent), (_, to, came)) in sent.into_iter().zip(received) {
                let time = i128::from(came) - i128::from(sent);
                let least = self.pairs.entry((from, to)).or_insert(time);
                *least = time.min(*least);
            }
        }
    }

    /// Of those in which no rank can end before another one begins, whatever is sent.
    fn collectives(&mut self, traced: &Traced) {
        let mut meetings: BTreeMap<(usize, NonZeroU64), Meeting> = BTreeMap::new();
        for thread in &traced.threads {
            let Some((world, _)) = traced.ranks.get(thread.process).copied().flatten() else { continue };
            for call in &thread.trace.calls {
                let TracedKind::Collective { key, .. } = call.kind else { continue };
                let site = thread.trace.sites.get(call.site as usize);
                if site.is_some_and(|site| needs_all_ranks(&site.call)) {
                    let meeting = meetings.entry((world, key)).or_default();
                    meeting.begins.push((thread.process, i128::from(call.begin.0)));
                    meeting.ends.push((thread.process, i128::from(call.end.0)));
                }
            }
        }
        self.meetings = meetings.into_values().filter(|meeting| meeting.begins.len() > 1).collect();
    }

    /// By how much something ends too early, of all the most.
    fn most(&self, by: &[i128]) -> i128 {
        let at = |process: usize| by.get(process).copied().unwrap_or(0);
        let pairs = self.pairs.iter().map(|((from, to), time)| at(*from) - at(*to) - time);
        let meetings = self.meetings.iter().map(|meeting| {
            let begin = meeting.begins.iter().map(|(process, moment)| moment + at(*process)).max();
            let end = meeting.ends.iter().map(|(process, moment)| moment + at(*process)).min();
            begin.zip(end).map_or(0, |(begin, end)| begin - end)
        });
        pairs.chain(meetings).max().unwrap_or(0)
    }

    /// The least moves with which nothing ends earlier than that; none where there are none.
    fn least(&self, processes: usize, early: i128) -> Option<Vec<u64>> {
        let mut by = vec![0i128; processes];
        for _ in 0..processes.saturating_add(1).min(MOST_ROUNDS) {
            let mut is_moved = false;
            let mut to_at_least = |by: &mut [i128], process: usize, least: i128| {
                if let Some(by) = by.get_mut(process).filter(|by| **by < least) {
                    *by = least;
                    is_moved = true;
                }
            };
            for ((from, to), time) in &self.pairs {
                let least = by.get(*from).copied().unwrap_or(0) - time - early;
                to_at_least(&mut by, *to, least);
            }
            for meeting in &self.meetings {
                let moved =
                    |(process, moment): &(usize, i128)| moment + by.get(*process).copied().unwrap_or(0);
                let Some(last) = meeting.begins.iter().map(moved).max() else { continue };
                for (process, end) in &meeting.ends {
                    to_at_least(&mut by, *process, last - end - early);
                }
            }
            if !is_moved {
                return by.into_iter().map(|by| u64::try_from(by).ok()).collect();
            }
        }
        None
    }
}

impl Moves {
    pub fn assumed(&self, traced: &Traced) -> Vec<Assumption> {
        let moved = self.by.iter().zip(&traced.ranks).filter(|(by, _)| **by > 0);
        let moved = moved
            .filter_map(|(by, rank)| Some(Assumption::ClockMoved { rank: (*rank)?.1, by: Nanoseconds(*by) }));
        let left = (self.left > 0).then_some(Assumption::ClocksContradict { by: Nanoseconds(self.left) });
        moved.chain(left).collect()
    }

    pub fn apply(&self, traced: &mut Traced) {
        for thread in &mut traced.threads {
            let by = self.by.get(thread.process).copied().unwrap_or(0);
            if by == 0 {
                continue;
            }
            let moved = |moment: &mut Nanoseconds| moment.0 = moment.0.saturating_add(by);
            thread.span.iter_mut().for_each(|moment| *moment = moment.saturating_add(by));
            thread.trace.each_moment(moved);
        }
    }
}
