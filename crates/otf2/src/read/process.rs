//! The run that an archive holds: its processes, with what follows from their calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use numawise_facts::activity::{
    CallSite, CallTime, CodeFile, Communicator, MessageSide, PeerTraffic, StateTimes, ThreadTrace, WorldRank,
};
use numawise_facts::{Activity, Reading, ThreadActivity, WatchedRun};
use numawise_units::{Bytes, Nanoseconds};

use super::communicators::{ClassOf, Communicators};
use super::definitions::{Clock, Definitions};
use super::places::Places;
use super::ranks::{ProcessOf, Ranks};
use super::traces::{Thread, Traced};
use crate::unknown;

pub fn run(
    anchor: &Path,
    definitions: &Definitions,
    clock: Clock,
    ranks: &Ranks,
    communicators: &Communicators,
    places: Places<'_>,
    traced: Traced,
) -> WatchedRun {
    let anchor = anchor.display().to_string();
    let named = traced.threads.iter().find_map(|thread| definitions.string(thread.program?));
    // One name for all: places are found by it.
    let program = named.map_or_else(|| anchor.clone(), str::to_owned);
    let first = traced.threads.iter().map(|thread| thread.span[0]).min().unwrap_or(0);
    let last = traced.threads.iter().map(|thread| thread.span[1]).max().unwrap_or(first);
    let mut by_process: BTreeMap<usize, Vec<Thread>> = BTreeMap::new();
    for thread in traced.threads {
        by_process.entry(thread.process).or_default().push(thread);
    }
    let mut processes = Vec::new();
    for (number, (of, own)) in ranks.processes.iter().zip(traced.communicators).enumerate() {
        let Some(threads) = by_process.remove(&number).filter(|threads| !threads.is_empty()) else {
            continue;
        };
        let host = definitions.host(of.group).unwrap_or_default();
        let pid = i32::try_from(number).unwrap_or(i32::MAX);
        let mut process = unknown::process(pid, host, &program);
        process.files = vec![CodeFile { path: String::new() }];
        process.communicators = known(communicators, ranks.place(number), &own);
        fill(&mut process, ranks, *of, threads, clock);
        processes.push(process);
    }
    let mut header = unknown::header(&program, &anchor);
    header.begun = Nanoseconds(clock.day(first).unwrap_or(0));
    header.wall = Nanoseconds(last - first);
    WatchedRun { header, processes, merged: None, places: places.of_program(&program), objects: Vec::new() }
}

fn known(communicators: &Communicators, place: Option<u64>, own: &[ClassOf]) -> Vec<Communicator> {
    let known = |of: &ClassOf| {
        let class = communicators.get(*of).cloned().unwrap_or_default();
        let is_inter = class.others.is_some();
        // Those in which processes are alone have no lists: each is another one.
        let members =
            of.alone.map_or_else(|| number_of(&class.members), |process| number_of(&[process.into()]));
        Communicator {
            name: class.name.clone(),
            size: class.size(place),
            rank: place.and_then(|place| class.rank(place)).unwrap_or(0),
            lives: 1,
            is_inter,
            members: if is_inter {
                Reading::unavailable("it connects two groups of ranks")
            } else {
                Reading::Measured(members)
            },
        }
    };
    own.iter().map(known).collect()
}

/// A number for a list of ranks (FNV-1a).
fn number_of(members: &[u64]) -> u64 {
    let bytes = members.iter().flat_map(|member| member.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn fill(process: &mut Activity, ranks: &Ranks, of: ProcessOf, threads: Vec<Thread>, clock: Clock) {
    let begin = threads.iter().map(|thread| thread.span[0]).min().unwrap_or(0);
    let end = threads.iter().map(|thread| thread.span[1]).max().unwrap_or(begin);
    let mut mpi = unknown::mpi();
    let since = |moment: Nanoseconds| Nanoseconds(moment.0.saturating_sub(begin));
    if let Some((world, rank)) = of.world_rank() {
        let size = ranks.worlds.get(world).copied().unwrap_or(0);
        mpi.rank = Reading::Measured(WorldRank { rank, size });
        mpi.world = (ranks.worlds.len() > 1).then_some(world as u64);
    }
    let find = |names: [&str; 2]| {
        let of_thread = |thread: &Thread| find(&thread.trace, names).map(|span| span.map(since));
        match threads.iter().find_map(of_thread) {
            Some(span) => Reading::Measured(span),
            None => Reading::unavailable("the archive has no call of it"),
        }
    };
    mpi.initialised = find(["MPI_Init", "MPI_Init_thread"]);
    mpi.finalised = find(["MPI_Finalize", "MPI_Finalize"]);
    process.mpi = Reading::Measured(mpi);
    process.began = Nanoseconds(clock.day(begin).unwrap_or(begin));
    process.elapsed = Reading::Measured(Nanoseconds(end - begin));
    let thread = |(number, thread): (usize, Thread)| activity(number, thread, begin);
    process.threads = Reading::Measured(threads.into_iter().enumerate().map(thread).collect());
}

/// When the first call of a name began and ended.
fn find(trace: &ThreadTrace, names: [&str; 2]) -> Option<[Nanoseconds; 2]> {
    let call = trace.calls.iter().find(|call| {
        let site = trace.sites.get(call.site as usize);
        site.is_some_and(|site| names.contains(&site.call.as_str()))
    })?;
    Some([call.begin, call.end])
}

fn activity(number: usize, thread: Thread, process_begin: u64) -> ThreadActivity {
    let mut activity = unknown::thread(i32::try_from(number).unwrap_or(i32::MAX), number == 0);
    let [begin, end] = thread.span;
    activity.begin = Nanoseconds(begin.saturating_sub(process_begin));
    activity.end = Reading::Measured(Nanoseconds(end.saturating_sub(process_begin)));
    let trace = thread.trace;
    let (sites, mpi) = sites(&trace);
    let useful = Nanoseconds(end.saturating_sub(begin)).saturating_sub(mpi);
    activity.times = Reading::Measured(StateTimes { useful, mpi, ..StateTimes::default() });
    activity.calls = sites;
    activity.peers = peers(&trace);
    if !trace.calls.is_empty() || !trace.spans.is_empty() {
        activity.trace = Some(Arc::new(trace));
    }
    activity
}

/// The calls of each site together, and the time in all.
fn sites(trace: &ThreadTrace) -> (Vec<CallSite>, Nanoseconds) {
    let site = |of: &numawise_facts::activity::TracedSite| CallSite {
        call: of.call.clone(),
        at: of.at.clone(),
        communicator: of.communicator,
        calls: CallTime::default(),
        longest: Nanoseconds(0),
        sent: Reading::Measured(Bytes(0)),
        received: Reading::Measured(Bytes(0)),
    };
    let mut sites: Vec<CallSite> = trace.sites.iter().map(site).collect();
    let (mut all, mut next) = (Nanoseconds(0), 0usize);
    for call in &trace.calls {
        let messages = trace.messages.get(next..next.saturating_add(call.messages as usize));
        next = next.saturating_add(call.messages as usize);
        let (count, time) = match call.kind {
            numawise_facts::activity::TracedKind::Polls { calls, within } => (calls, within),
            _ => (1, call.end.saturating_sub(call.begin)),
        };
        all = Nanoseconds(all.0.saturating_add(time.0));
        let Some(site) = sites.get_mut(call.site as usize) else { continue };
        site.calls.count = site.calls.count.saturating_add(count);
        site.calls.time = Nanoseconds(site.calls.time.0.saturating_add(time.0));
        site.longest = site.longest.max(if count == 1 { time } else { Nanoseconds(0) });
        for message in messages.unwrap_or_default() {
            let side = match message.end {
                MessageSide::Sent => &mut site.sent,
                MessageSide::Received => &mut site.received,
                _ => continue,
            };
            if let Some(bytes) = side.measured_mut() {
                bytes.0 = bytes.0.saturating_add(message.bytes.0);
            }
        }
    }
    (sites, all)
}

fn peers(trace: &ThreadTrace) -> Vec<PeerTraffic> {
    let mut peers: BTreeMap<u32, PeerTraffic> = BTreeMap::new();
    for message in &trace.messages {
        let none = PeerTraffic {
            rank: message.peer,
            sent_messages: 0,
            sent: Bytes(0),
            received_messages: 0,
            received: Bytes(0),
            fetched: Bytes(0),
        };
        if !message.end.is_of_message() {
            continue;
        }
        let peer = peers.entry(message.peer).or_insert(none);
        let (count, bytes) = match message.end {
            MessageSide::Sent => (&mut peer.sent_messages, &mut peer.sent),
            _ => (&mut peer.received_messages, &mut peer.received),
        };
        *count += 1;
        bytes.0 = bytes.0.saturating_add(message.bytes.0);
    }
    peers.into_values().collect()
}
