//! What was seen of traced threads from outside: on the clock of the trace, and joined with the machine.

use numawise_facts::Reading;
use numawise_facts::activity::{SeenKind, SeenThread};
use numawise_tables::snapshot::{PlacedChange, PlacedMark, PlacedMarks, ThreadWithoutCpu};
use numawise_units::{Arrange, CpuId, Nanoseconds, NodeId};

use super::lanes::{Lane, Lanes};
use super::waits::{ShownWait, Waits};
use super::{MOST_ROWS, Run, span};

/// A lane, the number of one of its threads, and what was seen of it.
type SeenOf<'l, 'a> = (&'l Lane<'a>, u32, &'a SeenThread);

/// Of the lane's own thread and its workers, as far as they were looked at.
fn seen<'l, 'a>(run: &Run<'a>, lanes: &'l Lanes<'a>) -> Vec<SeenOf<'l, 'a>> {
    let mut all = Vec::new();
    for lane in lanes.shown() {
        let Some(process) = run.processes.get(lane.process) else { continue };
        let activity: &'a numawise_facts::Activity = process.activity;
        let threads = || activity.threads.measured().into_iter().flatten();
        let workers = lanes.workers_of(lane.number).map(|worker| (worker.tid, worker.number));
        for (tid, number) in std::iter::once((lane.tid, 0)).chain(workers) {
            let of = threads().find(|thread| thread.tid.0 == tid && thread.trace.is_some());
            let seen = of.and_then(|thread| thread.trace.as_deref()?.seen.as_ref());
            all.extend(seen.map(|seen| (lane, number, seen)));
        }
    }
    all
}

/// Of each thread that was looked at, how long others waited for its lane while it had no CPU.
pub type WaitedMeanwhile = Vec<Nanoseconds>;

/// Adds what is counted in a slice, or all.
pub fn add_to(run: &Run<'_>, lanes: &Lanes<'_>, waits: &Waits, all: &mut WaitedMeanwhile) {
    let seen = seen(run, lanes);
    all.resize(seen.len(), Nanoseconds(0));
    for (of, sum) in seen.into_iter().zip(all) {
        let own = without_cpu(&marks_of(run, lanes, of));
        if own.is_empty() {
            continue;
        }
        let for_it = waits.each(lanes).filter(|wait| wait.wait.late.lane == of.0.number);
        for ShownWait { begin, end, .. } in for_it {
            let (begin, end) = (span(lanes.origin, begin), span(lanes.origin, end));
            let first = own.partition_point(|mark| mark.end <= begin);
            for mark in own.iter().skip(first).take_while(|mark| mark.begin < end) {
                *sum = *sum + span(mark.begin.max(begin), mark.end.min(end));
            }
        }
    }
}

fn time_of(mark: &PlacedMark) -> Nanoseconds {
    match mark.what {
        PlacedChange::NoCpu(time) => time,
        _ => Nanoseconds(0),
    }
}

fn without_cpu(marks: &[PlacedMark]) -> Vec<PlacedMark> {
    marks.iter().filter(|mark| time_of(mark).0 > 0).copied().collect()
}

/// In the part that is asked for.
pub fn marks(run: &Run<'_>, lanes: &Lanes<'_>, waited: WaitedMeanwhile) -> Reading<PlacedMarks> {
    let seen = seen(run, lanes);
    let looks: u64 = seen.iter().map(|(_, _, seen)| seen.looks).sum();
    let time: u64 = seen.iter().map(|(lane, ..)| span(lane.begin, lane.end).0).sum();
    let Some(interval) = time.checked_div(looks) else {
        return Reading::unavailable("nobody looked at the threads from outside while they ran");
    };
    let (mut marks, mut without_cpu) = (Vec::new(), Vec::new());
    for (of, waited) in seen.into_iter().zip(waited) {
        let own = marks_of(run, lanes, of);
        without_cpu.extend(of_thread(&own, waited));
        marks.extend(own);
    }
    without_cpu.arrange_by_key(|of| std::cmp::Reverse(of.time));
    without_cpu.truncate(MOST_ROWS);
    Reading::Measured(PlacedMarks { interval: Nanoseconds(interval), marks, without_cpu })
}

/// Of one thread, how long others had its CPU.
fn of_thread(marks: &[PlacedMark], waited_meanwhile: Nanoseconds) -> Option<ThreadWithoutCpu> {
    let own = without_cpu(marks);
    let longest = *own.iter().max_by_key(|mark| time_of(mark))?;
    let PlacedMark { world, rank, thread, .. } = longest;
    let time = own.iter().fold(Nanoseconds(0), |sum, mark| sum + time_of(mark));
    Some(ThreadWithoutCpu { world, rank, thread, time, longest, waited_meanwhile })
}

/// All, each with the number of its lane.
pub fn all(run: &Run<'_>, lanes: &Lanes<'_>) -> Vec<(u32, PlacedMark)> {
    let of_thread = |of: SeenOf<'_, '_>| {
        let marks = marks_of(run, lanes, of).into_iter();
        marks.map(|mark| (of.0.number, mark)).collect::<Vec<_>>()
    };
    seen(run, lanes).into_iter().flat_map(of_thread).collect()
}

fn marks_of(run: &Run<'_>, lanes: &Lanes<'_>, (lane, thread, seen): SeenOf<'_, '_>) -> Vec<PlacedMark> {
    let machine = run.machines.get(lane.host);
    let node = |cpu: CpuId| -> Option<NodeId> { machine?.node_of(cpu) };
    let asked = seen.changes.iter().filter(|change| {
        change.before < lane.end && lane.pieces(lanes, change.before, change.at).next().is_some()
    });
    let mark = |change: &numawise_facts::activity::SeenChange| PlacedMark {
        world: lane.numbered_world,
        rank: lane.rank,
        thread,
        begin: span(lanes.origin, change.before),
        end: span(lanes.origin, change.at.min(lane.end)),
        what: match change.what {
            SeenKind::Moved { from, to } => PlacedChange::Cpu { from, to, nodes: node(from).zip(node(to)) },
            SeenKind::Faults(faults) => PlacedChange::Faults(faults),
            SeenKind::NoCpu(time) => PlacedChange::NoCpu(time),
            SeenKind::MemoryMoved { from, to, bytes } => PlacedChange::Memory { from, to, bytes },
        },
    };
    asked.map(mark).collect()
}
