//! Clocks of the computers of a job, put beside each other by its messages. What is received ends no earlier than it began to be sent, and what all
//! ranks wait for ends in none of them before it began in the last. Both ways together bound by how much a clock is off from another; the middle is
//! taken, and half of what is left is the error. Computers that do not talk with each other are compared through others.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;
use std::sync::Arc;

use numawise_facts::Activity;
use numawise_facts::activity::{ClockMove, MessageSide, ThreadTrace, TracedKind, needs_all_ranks};
use numawise_traces::paired;
use numawise_units::Nanoseconds;

#[cfg(test)]
#[path = "clocks_tests.rs"]
mod tests;

/// Collective calls that are looked at, of a part of the run.
const MEETINGS: usize = 1000;
/// A run that is longer may have its clocks drift: their difference at its begin and at its end is told apart. In nanoseconds.
const LONG: u64 = 10_000_000_000;

/// The least time from the begin of something on one computer to its end on another, by their own clocks.
type Least = HashMap<(usize, usize), i128>;

/// What happened on one computer and ended on another.
#[derive(Debug, Clone, Copy)]
struct Way {
    from: usize,
    to: usize,
    begin: u64,
    end: u64,
}

/// By how much a clock is off at most, and at least.
type Bounds = Vec<Option<[i128; 2]>>;

/// Moves moments of traces of all computers to the clock of the first one, where their messages tell how.
pub fn align_clocks(processes: &mut [Activity]) {
    let mut hosts: Vec<&str> = Vec::new();
    let of_process: Vec<usize> = processes
        .iter()
        .map(|process| match hosts.iter().position(|host| *host == process.host) {
            Some(host) => host,
            None => {
                hosts.push(&process.host);
                hosts.len() - 1
            }
        })
        .collect();
    let computers = hosts.len();
    if computers < 2 {
        return;
    }
    let ways = ways(processes, &of_process);
    let (Some(begin), Some(end)) =
        (ways.iter().map(|way| way.begin).min(), ways.iter().map(|way| way.begin).max())
    else {
        return;
    };
    let quarter = (end - begin) / 4;
    let within = |from: u64, to: u64| {
        bounds(computers, &least(ways.iter().copied().filter(|way| (from..=to).contains(&way.begin))))
    };
    let whole = within(begin, end);
    let parts = (end - begin > LONG).then(|| [within(begin, begin + quarter), within(end - quarter, end)]);
    let mut moves: Vec<Option<Line>> = Vec::new();
    for computer in 0..computers {
        let of = |bounds: &Bounds| bounds.get(computer).copied().flatten();
        let line = parts.as_ref().and_then(|[first, last]| {
            let [first, last] = [of(first)?, of(last)?];
            let half = u128::from(quarter / 2) as i128;
            Some(Line::through((i128::from(begin) + half, first), (i128::from(end) - half, last)))
        });
        moves.push(line.or_else(|| Some(Line::level(of(&whole)?))));
    }
    settle(&mut moves, &ways);
    for (process, computer) in processes.iter_mut().zip(of_process) {
        if let Some(line) = moves.get(computer).and_then(Option::as_ref) {
            apply(process, line);
        }
    }
}

/// Finds the errors of moves: half of what they could still be otherwise, of which the middle is taken, and what still comes too early.
fn settle(moves: &mut [Option<Line>], ways: &[Way]) {
    let moved = |moves: &[Option<Line>], computer: usize, moment: u64| {
        let line = moves.get(computer)?.as_ref()?;
        u64::try_from(i128::from(moment) + line.at(moment)).ok()
    };
    let each = ways.iter().filter_map(|way| {
        let [begin, end] = [moved(moves, way.from, way.begin)?, moved(moves, way.to, way.end)?];
        Some(Way { begin, end, ..*way })
    });
    let rest = bounds(moves.len(), &least(each));
    for (line, rest) in moves.iter_mut().zip(rest) {
        if let Some((line, rest)) = line.as_mut().zip(rest) {
            let (by, error) = middle(rest);
            line.from.1 += by;
            line.error = error;
        }
    }
    for way in ways {
        let [begin, end] = [moved(moves, way.from, way.begin), moved(moves, way.to, way.end)];
        let early = begin.zip(end).map_or(0, |(begin, end)| begin.saturating_sub(end));
        for computer in [way.from, way.to].into_iter().filter(|computer| *computer > 0) {
            let line = moves.get_mut(computer).and_then(Option::as_mut);
            line.into_iter().for_each(|line| line.error = line.error.max(i128::from(early)));
        }
    }
}

/// By how much a clock is moved, from moment to moment.
#[derive(Debug, Clone, Copy)]
struct Line {
    from: (i128, i128),
    /// A billionth more for each nanosecond.
    billionths: i128,
    error: i128,
}

/// Between what a clock is to be moved at least and at most, and how far it is to both.
fn middle([least, most]: [i128; 2]) -> (i128, i128) {
    (least + (most - least) / 2, (most - least).abs() / 2)
}

impl Line {
    fn level(bounds: [i128; 2]) -> Line {
        Line { from: (0, middle(bounds).0), billionths: 0, error: 0 }
    }

    fn through((from, first): (i128, [i128; 2]), (to, last): (i128, [i128; 2])) -> Line {
        let [one, other] = [middle(first).0, middle(last).0];
        let billionths = (other - one) * 1_000_000_000 / (to - from).max(1);
        Line { from: (from, one), billionths, error: 0 }
    }

    fn at(&self, moment: u64) -> i128 {
        self.from.1 + (i128::from(moment) - self.from.0) * self.billionths / 1_000_000_000
    }
}

fn apply(process: &mut Activity, line: &Line) {
    let moved = |moment: &mut Nanoseconds| {
        let at = i128::from(moment.0) + line.at(moment.0);
        moment.0 = u64::try_from(at.max(0)).unwrap_or(u64::MAX);
    };
    let mut first = None;
    for thread in process.threads.measured_mut().into_iter().flatten() {
        let Some(trace) = &mut thread.trace else { continue };
        let trace: &mut ThreadTrace = Arc::make_mut(trace);
        first = first.or_else(|| trace.calls.first().map(|call| call.begin.0));
        trace.each_moment(moved);
    }
    if let Some(loss) = &mut process.lost.trace {
        moved(&mut loss.since);
        loss.until.iter_mut().chain(&mut loss.again).for_each(moved);
    }
    let by = i64::try_from(line.at(first.unwrap_or_default())).unwrap_or(i64::MAX);
    let error = Nanoseconds(u64::try_from(line.error).unwrap_or(u64::MAX));
    process.clock = Some(ClockMove { by, error });
}

/// World, communicator, sender, receiver and tag.
type Channel = (Option<u64>, Option<NonZeroU64>, u32, u32, i32);

/// When a message was sent or asked for, the computer, and when it was sent or had come.
type End = (u64, usize, u64);

/// Of each collective call, by world and number, on each computer when the last rank began it and the first one ended it.
type Meetings = BTreeMap<(Option<u64>, NonZeroU64), BTreeMap<usize, (u64, u64)>>;

fn ways(processes: &[Activity], of_process: &[usize]) -> Vec<Way> {
    let ranks = processes.iter().zip(of_process).filter_map(|(process, computer)| {
        let mpi = process.mpi.measured()?;
        Some((process, *computer, mpi.world, mpi.rank.measured()?.rank))
    });
    let ranks: Vec<_> = ranks.collect();
    let computers: HashMap<(Option<u64>, u32), usize> =
        ranks.iter().map(|(_, computer, world, rank)| ((*world, *rank), *computer)).collect();
    let mut channels: BTreeMap<Channel, [Vec<End>; 2]> = BTreeMap::new();
    let mut meetings = Meetings::new();
    for (process, computer, world, rank) in ranks {
        let threads = process.threads.measured().into_iter().flatten();
        for trace in threads.filter_map(|thread| thread.trace.as_deref()) {
            let mut messages = trace.messages.iter();
            for call in &trace.calls {
                for message in messages.by_ref().take(call.messages as usize) {
                    let posted = message.posted.0;
                    let (from, to, side, moment) = match message.end {
                        MessageSide::Sent => (rank, message.peer, 0, posted),
                        MessageSide::Received => (message.peer, rank, 1, call.end.0),
                        _ => continue,
                    };
                    if computers.get(&(world, message.peer)).is_some_and(|other| *other != computer) {
                        let channel = (world, message.communicator, from, to, message.tag);
                        let ends = channels.entry(channel).or_default();
                        ends.get_mut(side).into_iter().for_each(|ends| ends.push((posted, computer, moment)));
                    }
                }
                let TracedKind::Collective { key, .. } = call.kind else { continue };
                if trace.sites.get(call.site as usize).is_some_and(|site| needs_all_ranks(&site.call)) {
                    let of = meetings.entry((world, key)).or_default();
                    let times = of.entry(computer).or_insert((call.begin.0, call.end.0));
                    *times = (times.0.max(call.begin.0), times.1.min(call.end.0));
                }
            }
        }
    }
    let mut ways = Vec::new();
    let is_end = processes.iter().any(|process| process.lost.trace.is_some_and(|loss| loss.until.is_some()));
    let is_window =
        processes.iter().any(|process| process.lost.trace.is_some_and(|loss| loss.again.is_some()));
    // Which messages belong together is not known here where both ends are missing.
    for [mut sent, mut received] in channels.into_values().filter(|_| !is_window) {
        sent.sort_unstable();
        received.sort_unstable();
        let pairs = paired(sent, received, is_end);
        ways.extend(pairs.map(|((begin, from, _), (_, to, end))| Way { from, to, begin, end }));
    }
    meetings.retain(|_, of| of.len() > 1);
    let mut meetings: Vec<_> = meetings.into_values().collect();
    meetings.sort_by_cached_key(|of| of.values().map(|times| times.0).min());
    let step = (meetings.len() / (4 * MEETINGS)).max(1);
    for of in meetings.iter().step_by(step) {
        for (from, (begin, _)) in of {
            let others = of.iter().filter(|(to, _)| *to != from);
            ways.extend(others.map(|(to, (_, end))| Way { from: *from, to: *to, begin: *begin, end: *end }));
        }
    }
    ways
}

fn least(ways: impl Iterator<Item = Way>) -> Least {
    let mut all = Least::new();
    for way in ways {
        let time = i128::from(way.end) - i128::from(way.begin);
        let least = all.entry((way.from, way.to)).or_insert(time);
        *least = time.min(*least);
    }
    all
}

/// Of each computer, by how much its clock is to be moved at least and at most; none where that is not bounded on both sides.
fn bounds(computers: usize, least: &Least) -> Bounds {
    let from_first = shortest(computers, least.iter().map(|((from, to), time)| (*from, *to, *time)));
    let to_first = shortest(computers, least.iter().map(|((from, to), time)| (*to, *from, *time)));
    let mut all: Bounds =
        from_first.iter().zip(&to_first).map(|(one, other)| Some([-(*one)?, (*other)?])).collect();
    all.iter_mut().take(1).for_each(|first| *first = Some([0, 0]));
    all
}

/// The shortest way from the first computer to each.
fn shortest(computers: usize, ways: impl Iterator<Item = (usize, usize, i128)> + Clone) -> Vec<Option<i128>> {
    let mut all = vec![None; computers];
    all.iter_mut().take(1).for_each(|first| *first = Some(0));
    // Clocks that contradict each other would go round for ever.
    for _ in 0..computers {
        let mut is_shorter = false;
        for (from, to, time) in ways.clone() {
            let Some(by) = all.get(from).copied().flatten().map(|before| before + time) else { continue };
            if let Some(place) = all.get_mut(to).filter(|known| known.is_none_or(|known| by < known)) {
                *place = Some(by);
                is_shorter = true;
            }
        }
        if !is_shorter {
            break;
        }
    }
    all
}
