//! Merging what ranks did: in any order, in any grouping, with the same result, so that parts of a job may be merged where they are.
//!
//! Nothing grows with the number of ranks. Where there is no room for all, what stays is chosen by the value itself (the ranks with
//! the least and the most, places by their number), so that it does not depend on what came first.

use numawise_facts::activity::{CallSite, MpiLibrary, is_collective};
use numawise_facts::merged::{
    CLASSES_OF_A_DOUBLING, CallSum, MOST_MERGED_COMMUNICATORS, MOST_MERGED_GROUPS, MOST_MERGED_SITES,
    MOST_NEIGHBOURHOODS, MOST_OUTLIERS, MergedBytes, MergedCalls, MergedCommunicator, MergedHost,
    MergedMemory, MergedRankName, MergedSite, RankDistribution, SnapshotLosses,
};
use numawise_facts::{Activity, MergedRanks, Reading};
use numawise_tables::snapshot::Efficiencies;
use numawise_units::{Bytes, Nanoseconds, TimeSum};

use super::numbers::{keep_lowest, named, number_of, site_number};
use super::process::{self, Process, in_mpi};
use super::{compared, efficiency, openmp, phase, placement};

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;

/// Ranks at each end of a spread, and those that died first.
type RankedTimes = Vec<(Nanoseconds, u32)>;

/// One rank. None for what is no rank of MPI.
pub fn rank_summary(activity: &Activity) -> Option<MergedRanks> {
    let process = process::rank_of(activity)?;
    let world = process.world()?;
    let mpi = activity.mpi.measured()?;
    let mut merged = MergedRanks {
        ranks: 1,
        world: world.size,
        library: Some(mpi.library),
        has_several_mpis: mpi.has_several,
        without_init: u64::from(mpi.initialised.measured().is_none()),
        openmp: openmp::of_rank(&process),
        phases: Some(phase::of_rank(&process)),
        memory: memory(&process, world.rank),
        lost: losses(&process),
        ..MergedRanks::default()
    };
    merged.elapsed =
        activity.elapsed.measured().map(|time| distribution(*time, world.rank)).unwrap_or_default();
    let mut host = MergedHost::default();
    let known = (process.time.measured(), process.cpus.measured(), process.span.measured());
    match known {
        (Some(time), Some(cpus), Some(span)) => {
            merged.span = *span;
            merged.cpus = *cpus;
            merged.time = *time;
            host = MergedHost { cpus: *cpus, mpi: in_mpi(time) };
            merged.useful = distribution(time.on_cpu().each_of(*cpus), world.rank);
            merged.mpi = distribution(in_mpi(time).each_of(*cpus), world.rank);
            merged.dead = process.died().then_some((*span, world.rank)).into_iter().collect();
        }
        _ => merged.unmeasured = 1,
    }
    merged.hosts.insert(activity.host.clone(), host);
    add_communicators(&mut merged, activity);
    for thread in process.threads() {
        merged.callers += u64::from(!thread.calls.is_empty());
        for site in &thread.calls {
            add_site(&mut merged, &process, site, world.rank);
        }
        let lost = CallSum { count: thread.lost_calls.count, time: thread.lost_calls.time.into() };
        merged.lost_calls = merged.lost_calls.plus(lost);
        for sizes in &thread.messages {
            let place = merged.messages.entry((sizes.family as u32, sizes.bits)).or_insert((sizes.family, 0));
            place.1 = place.1.saturating_add(sizes.messages);
        }
        let [messages, bytes] = thread.lost_messages;
        merged.lost_messages = flow_together(merged.lost_messages, (messages, Bytes(bytes)));
        add_traffic(&mut merged, thread, world.rank);
    }
    compared::of_rank(&mut merged, &process);
    bound(&mut merged);
    Some(merged)
}

fn add_traffic(merged: &mut MergedRanks, thread: &numawise_facts::ThreadActivity, rank: u32) {
    let group = neighbours(merged.world);
    for peer in &thread.peers {
        for (from, to, messages, bytes) in
            [(rank, peer.rank, peer.sent_messages, peer.sent), (peer.rank, rank, 0, peer.fetched)]
        {
            if messages > 0 || bytes.0 > 0 {
                let cell = merged.traffic.entry((from / group, to / group)).or_default();
                *cell = flow_together(*cell, (messages, bytes));
            }
        }
    }
}

/// So many neighbouring ranks are one row of the table of messages.
pub fn neighbours(world: u32) -> u32 {
    world.div_ceil(MOST_NEIGHBOURHOODS).max(1)
}

fn memory(process: &Process<'_>, rank: u32) -> MergedMemory {
    let activity = process.activity;
    let Some(peak) = activity.surroundings.peak_memory.measured() else { return MergedMemory::default() };
    let name = MergedRankName { rank, host: activity.host.clone(), pid: activity.pid };
    MergedMemory { known: 1, sum: *peak, most: Some((*peak, name)) }
}

fn losses(process: &Process<'_>) -> SnapshotLosses {
    let of = &process.activity.lost;
    let threads = |lost: fn(&numawise_facts::ThreadActivity) -> u64| super::sum(process.threads().map(lost));
    SnapshotLosses {
        threads: of.threads.into(),
        files: of.files.into(),
        communicators: of.communicators.into(),
        requests: of.requests.into(),
        mpi_calls: threads(|thread| thread.lost_calls.count),
        messages: threads(|thread| thread.lost_messages[0]),
        constructs: threads(|thread| thread.lost_constructs),
    }
}

fn distribution(time: Nanoseconds, rank: u32) -> RankDistribution {
    RankDistribution {
        count: 1,
        sum: time.into(),
        least: vec![(time, rank)],
        most: vec![(time, rank)],
        histogram: [(class(time), 1)].into(),
    }
}

/// Whose lower end is [`class_begin`].
fn class(time: Nanoseconds) -> u16 {
    // Below that each nanosecond is a class of its own.
    if time.0 < u64::from(CLASSES_OF_A_DOUBLING) {
        return time.0 as u16;
    }
    let bits = time.0.ilog2();
    let within = (time.0 >> (bits - CLASSES_OF_A_DOUBLING.ilog2())) as u32 - CLASSES_OF_A_DOUBLING;
    ((bits - CLASSES_OF_A_DOUBLING.ilog2() + 1) * CLASSES_OF_A_DOUBLING + within) as u16
}

/// Of the class behind the last one, the longest time.
fn class_begin(class: u16) -> u64 {
    let all = u64::from(CLASSES_OF_A_DOUBLING);
    let (octave, within) = (u32::from(class) / CLASSES_OF_A_DOUBLING, u64::from(class) % all);
    match octave {
        0 => within,
        octave => u64::try_from(u128::from(all + within) << (octave - 1).min(64)).unwrap_or(u64::MAX),
    }
}

/// The time that this share of the ranks do not exceed: the middle of its class, and no less and no more than any rank has.
pub fn quantile(of: &RankDistribution, share: f64) -> Option<Nanoseconds> {
    let (least, most) = (of.least.first()?.0, of.most.first()?.0);
    let wanted = (share.clamp(0.0, 1.0) * of.count as f64).ceil().max(1.0) as u64;
    let mut below = 0_u64;
    for (class, ranks) in &of.histogram {
        below = below.saturating_add(*ranks);
        if below >= wanted {
            let middle = u64::midpoint(class_begin(*class), class_begin(class + 1).max(1) - 1);
            return Some(Nanoseconds(middle).max(least).min(most));
        }
    }
    None
}

/// The ranks of which everything is worth keeping: those at the ends of the spreads, those that died first, the one that waited for
/// CPUs for longest and the one with the largest part of its memory on nodes of others, and rank 0.
pub fn outliers(merged: &MergedRanks) -> std::collections::BTreeSet<u32> {
    let spreads = [&merged.useful, &merged.mpi, &merged.elapsed];
    let ends = spreads.into_iter().flat_map(|of| of.least.iter().chain(&of.most));
    let placement = merged.placement.iter();
    let placed = placement.flat_map(|of| {
        let delayed = of.delayed.as_ref().and_then(|one| one.process.rank);
        let remote = of.remote.worst.as_ref().and_then(|one| one.process.rank);
        delayed.into_iter().chain(remote)
    });
    ends.chain(&merged.dead).map(|(_, rank)| *rank).chain(placed).chain([0]).collect()
}

fn add_communicators(merged: &mut MergedRanks, activity: &Activity) {
    for one in &activity.communicators {
        let named = merged.communicators.entry(number_of([one.name.as_bytes()]));
        let named = named.or_insert_with(|| MergedCommunicator {
            name: one.name.clone(),
            sizes: (one.size, one.size),
            groups: Default::default(),
            has_further_groups: false,
            unknown_groups: 0,
            calls: CallSum::default(),
            ranks: 1,
        });
        named.sizes = (named.sizes.0.min(one.size), named.sizes.1.max(one.size));
        match one.members.measured() {
            Some(members) => drop(named.groups.insert(*members)),
            None => named.unknown_groups += 1,
        }
    }
}

fn add_site(merged: &mut MergedRanks, process: &Process<'_>, site: &CallSite, rank: u32) {
    let activity = process.activity;
    let bytes = |of: &Reading<Bytes>| match of.measured() {
        Some(known) => MergedBytes { known: *known, unknown: 0 },
        None => MergedBytes { known: Bytes(0), unknown: 1 },
    };
    let one = MergedCalls {
        calls: CallSum { count: site.calls.count, time: site.calls.time.into() },
        longest: site.longest,
        sent: bytes(&site.sent),
        received: bytes(&site.received),
        ranks: 0,
    };
    let (place, communicator) = named(activity, &site.at, site.communicator);
    let of_name = communicator.map(|name| number_of([name.as_bytes()]));
    if let Some(named) = of_name.and_then(|number| merged.communicators.get_mut(&number)) {
        named.calls = named.calls.plus(one.calls);
    }
    let by_name = merged.calls.entry(site.call.clone()).or_default();
    *by_name = together(*by_name, one);
    by_name.ranks = 1;
    let number = site_number(activity, &site.call, &site.at, site.communicator);
    let is_alone = process.ranks_of(site.communicator) == Some(1) && is_collective(&site.call);
    let of_site = merged.sites.entry(number).or_insert_with(|| MergedSite {
        call: site.call.clone(),
        place: place.map(|(file, address)| (file.to_owned(), address)),
        communicator: communicator.map(str::to_owned),
        of: MergedCalls::default(),
        alone: TimeSum::default(),
        least: Default::default(),
        most: Default::default(),
    });
    of_site.of = together(of_site.of, one);
    of_site.of.ranks = 1;
    if is_alone {
        of_site.alone = of_site.alone + one.calls.time;
    }
    // Several threads of a rank are there for the sum of their times.
    let time = of_site.of.calls.time.each_of(1);
    (of_site.least, of_site.most) = ((time, rank), (time, rank));
}

fn flow_together(one: (u64, Bytes), other: (u64, Bytes)) -> (u64, Bytes) {
    (one.0.saturating_add(other.0), one.1 + other.1)
}

fn together(one: MergedCalls, other: MergedCalls) -> MergedCalls {
    let bytes = |one: MergedBytes, other: MergedBytes| MergedBytes {
        known: one.known + other.known,
        unknown: one.unknown.saturating_add(other.unknown),
    };
    MergedCalls {
        calls: one.calls.plus(other.calls),
        longest: one.longest.max(other.longest),
        sent: bytes(one.sent, other.sent),
        received: bytes(one.received, other.received),
        ranks: one.ranks.saturating_add(other.ranks),
    }
}

/// Adds what other ranks did.
pub fn merge(into: &mut MergedRanks, other: &MergedRanks) {
    if other.ranks == 0 {
        return;
    }
    let is_first = into.ranks == 0;
    into.has_several_worlds |= other.has_several_worlds || !is_first && into.world != other.world;
    into.world = into.world.max(other.world);
    into.ranks = into.ranks.saturating_add(other.ranks);
    into.unmeasured = into.unmeasured.saturating_add(other.unmeasured);
    into.without_init = into.without_init.saturating_add(other.without_init);
    into.span = into.span.max(other.span);
    keep(&mut into.dead, &other.dead, |one| one);
    into.cpus = into.cpus.saturating_add(other.cpus);
    process::add(&mut into.time, &other.time);
    for (host, of) in &other.hosts {
        let all = into.hosts.entry(host.clone()).or_default();
        *all = MergedHost { cpus: all.cpus.saturating_add(of.cpus), mpi: all.mpi + of.mpi };
    }
    spread(&mut into.useful, &other.useful);
    spread(&mut into.mpi, &other.mpi);
    spread(&mut into.elapsed, &other.elapsed);
    into.library = match (into.library, other.library) {
        (Some(one), Some(other)) if one != other => Some(MpiLibrary::Other),
        (one, other) => one.or(other),
    };
    into.has_several_mpis |= other.has_several_mpis;
    for (call, of) in &other.calls {
        match into.calls.get_mut(call) {
            Some(all) => *all = together(*all, *of),
            None => drop(into.calls.insert(call.clone(), *of)),
        }
    }
    merge_sites(into, other);
    compared::merge(into, other);
    into.callers = into.callers.saturating_add(other.callers);
    into.lost_calls = into.lost_calls.plus(other.lost_calls);
    merge_communicators(into, other);
    for (key, (family, messages)) in &other.messages {
        let all = into.messages.entry(*key).or_insert((*family, 0));
        all.1 = all.1.saturating_add(*messages);
    }
    for (pair, flow) in &other.traffic {
        let cell = into.traffic.entry(*pair).or_default();
        *cell = flow_together(*cell, *flow);
    }
    into.lost_messages = flow_together(into.lost_messages, other.lost_messages);
    openmp::merge(&mut into.openmp, &other.openmp);
    if let Some(phases) = &other.phases {
        phase::merge(into.phases.get_or_insert_default(), phases);
    }
    into.memory.known = into.memory.known.saturating_add(other.memory.known);
    into.memory.sum = into.memory.sum + other.memory.sum;
    into.memory.most = into.memory.most.take().max(other.memory.most.clone());
    placement::merge(&mut into.placement, &other.placement);
    add_losses(&mut into.lost, &other.lost);
    bound(into);
}

fn merge_sites(into: &mut MergedRanks, other: &MergedRanks) {
    for (number, site) in &other.sites {
        match into.sites.get_mut(number) {
            Some(all) => {
                all.of = together(all.of, site.of);
                all.alone = all.alone + site.alone;
                all.least = all.least.min(site.least);
                all.most = most_of(all.most, site.most);
            }
            None => drop(into.sites.insert(*number, site.clone())),
        }
    }
}

fn merge_communicators(into: &mut MergedRanks, other: &MergedRanks) {
    for (number, one) in &other.communicators {
        match into.communicators.get_mut(number) {
            Some(all) => {
                all.sizes = (all.sizes.0.min(one.sizes.0), all.sizes.1.max(one.sizes.1));
                all.groups.extend(&one.groups);
                all.has_further_groups |= one.has_further_groups;
                all.unknown_groups = all.unknown_groups.saturating_add(one.unknown_groups);
                all.calls = all.calls.plus(one.calls);
                all.ranks = all.ranks.saturating_add(one.ranks);
            }
            None => drop(into.communicators.insert(*number, one.clone())),
        }
    }
}

fn add_losses(into: &mut SnapshotLosses, other: &SnapshotLosses) {
    let pairs = [
        (&mut into.threads, other.threads),
        (&mut into.files, other.files),
        (&mut into.communicators, other.communicators),
        (&mut into.requests, other.requests),
        (&mut into.mpi_calls, other.mpi_calls),
        (&mut into.messages, other.messages),
        (&mut into.constructs, other.constructs),
    ];
    pairs.into_iter().for_each(|(all, one)| *all = all.saturating_add(one));
}

/// The longer one; of two that are as long, that of the lower rank.
fn most_of(one: (Nanoseconds, u32), other: (Nanoseconds, u32)) -> (Nanoseconds, u32) {
    if (other.0, std::cmp::Reverse(other.1)) > (one.0, std::cmp::Reverse(one.1)) { other } else { one }
}

fn spread(into: &mut RankDistribution, other: &RankDistribution) {
    into.count = into.count.saturating_add(other.count);
    into.sum = into.sum + other.sum;
    for (class, ranks) in &other.histogram {
        let all = into.histogram.entry(*class).or_default();
        *all = all.saturating_add(*ranks);
    }
    keep(&mut into.least, &other.least, |one| one);
    keep(&mut into.most, &other.most, |(time, rank)| (Nanoseconds(u64::MAX - time.0), rank));
}

/// Keeps those that come first, in their order.
fn keep(
    into: &mut RankedTimes,
    other: &[(Nanoseconds, u32)],
    order: impl Fn((Nanoseconds, u32)) -> (Nanoseconds, u32),
) {
    for one in other {
        let at = into.partition_point(|kept| order(*kept) <= order(*one));
        if at < MOST_OUTLIERS {
            into.insert(at, *one);
            into.truncate(MOST_OUTLIERS);
        }
    }
}

fn bound(merged: &mut MergedRanks) {
    keep_lowest(&mut merged.sites, MOST_MERGED_SITES);
    keep_lowest(&mut merged.communicators, MOST_MERGED_COMMUNICATORS);
    for named in merged.communicators.values_mut() {
        named.has_further_groups |= named.groups.len() > MOST_MERGED_GROUPS;
        while named.groups.len() > MOST_MERGED_GROUPS {
            named.groups.pop_last();
        }
    }
    if merged.has_several_worlds {
        merged.traffic.clear();
    }
}

/// Efficiencies of the ranks together, with the formulas of [`super::run_snapshot`].
pub fn merged_efficiencies(merged: &MergedRanks) -> Efficiencies {
    efficiency::of_merged(merged)
}
