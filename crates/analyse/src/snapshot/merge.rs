//! Merging what ranks did: in any order, in any grouping, with the same result, so that parts of a job may be merged where they are.
//!
//! Nothing grows with the number of ranks. Where there is no room for all, what stays is chosen by the value itself (the ranks with
//! the least and the most, places by their number), so that it does not depend on what came first.

use numawise_facts::activity::{CallSite, CallTime, ProcessEnd};
use numawise_facts::{Activity, Reading};
use numawise_tables::snapshot::{
    Efficiencies, MergedBytes, MergedCalls, MergedRanks, MergedSite, RankDistribution,
};
use numawise_units::{Bytes, Nanoseconds};

use super::efficiency::{self, MpiTimes};
use super::process::{self, Process, in_mpi};

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;

/// Ranks at each end of a spread that are named.
pub const OUTLIERS: usize = 16;
/// Places in the program.
pub const MOST_SITES: usize = 512;
/// Groups of neighbouring ranks.
const GROUPS: u32 = 128;
/// Classes of a histogram for each doubling; a quantile is off by a 32nd at most.
const CLASSES: u32 = 16;

/// One rank. None for what is no rank of MPI.
pub fn rank_summary(activity: &Activity) -> Option<MergedRanks> {
    let process = Process::new(activity);
    let world = process.world()?;
    let mut merged = MergedRanks { ranks: 1, world: world.size, ..MergedRanks::default() };
    merged.with_openmp = u64::from(process.uses_openmp());
    merged.elapsed =
        activity.elapsed.measured().map(|time| distribution(*time, world.rank)).unwrap_or_default();
    let known = (process.time.measured(), process.cpus.measured(), process.span.measured());
    match known {
        (Some(time), Some(cpus), Some(span)) => {
            merged.span = *span;
            merged.cpus = *cpus;
            merged.time = *time;
            merged.hosts.insert(activity.host.clone(), (*cpus, in_mpi(time)));
            merged.useful = distribution(Nanoseconds(time.useful.0 / (*cpus).max(1)), world.rank);
            merged.mpi = distribution(Nanoseconds(in_mpi(time).0 / (*cpus).max(1)), world.rank);
            let has_ended = activity.end == ProcessEnd::Exit;
            merged.first_dead = (!has_ended).then_some((*span, world.rank));
        }
        _ => merged.unmeasured = 1,
    }
    let group = world.size.div_ceil(GROUPS).max(1);
    for thread in process.threads() {
        for site in &thread.calls {
            add_site(&mut merged, activity, site, world.rank);
        }
        for sizes in &thread.messages {
            let place = merged.messages.entry((sizes.family as u32, sizes.bits)).or_insert((sizes.family, 0));
            place.1 = place.1.saturating_add(sizes.messages);
        }
        for peer in &thread.peers {
            for (from, to, messages, bytes) in [
                (world.rank, peer.rank, peer.sent_messages, peer.sent),
                (peer.rank, world.rank, 0, peer.fetched),
            ] {
                if messages > 0 || bytes.0 > 0 {
                    let cell = merged.traffic.entry((from / group, to / group)).or_default();
                    *cell = (cell.0.saturating_add(messages), cell.1 + bytes);
                }
            }
        }
    }
    bound(&mut merged);
    Some(merged)
}

fn distribution(time: Nanoseconds, rank: u32) -> RankDistribution {
    RankDistribution {
        count: 1,
        sum: time,
        least: vec![(time, rank)],
        most: vec![(time, rank)],
        histogram: [(class(time), 1)].into(),
    }
}

/// Whose lower end is [`class_begin`].
fn class(time: Nanoseconds) -> u16 {
    // Below that each nanosecond is a class of its own.
    if time.0 < u64::from(CLASSES) {
        return time.0 as u16;
    }
    let bits = time.0.ilog2();
    let within = (time.0 >> (bits - CLASSES.ilog2())) as u32 - CLASSES;
    ((bits - CLASSES.ilog2() + 1) * CLASSES + within) as u16
}

fn class_begin(class: u16) -> u64 {
    let (octave, within) = (u32::from(class) / CLASSES, u64::from(class) % u64::from(CLASSES));
    match octave {
        0 => within,
        octave => (u64::from(CLASSES) + within) << (octave - 1),
    }
}

/// The time below which this share of the ranks are: the middle of its class, and no less and no more than any rank has.
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

/// The ranks of which everything is worth keeping: those at the ends of the spreads.
pub fn outliers(merged: &MergedRanks) -> std::collections::BTreeSet<u32> {
    let all = [&merged.useful, &merged.mpi, &merged.elapsed];
    all.into_iter().flat_map(|of| of.least.iter().chain(&of.most)).map(|(_, rank)| *rank).collect()
}

fn add_site(merged: &mut MergedRanks, activity: &Activity, site: &CallSite, rank: u32) {
    let bytes = |of: &Reading<Bytes>| match of.measured() {
        Some(known) => MergedBytes { known: *known, unknown: 0 },
        None => MergedBytes { known: Bytes(0), unknown: 1 },
    };
    let one = MergedCalls {
        calls: site.calls,
        longest: site.longest,
        sent: bytes(&site.sent),
        received: bytes(&site.received),
        ranks: 0,
    };
    let place = site.at.measured().and_then(|at| Some((activity.path(at.file)?.to_owned(), at.address)));
    let communicator = site.communicator.and_then(|number| activity.communicators.get(usize::from(number)));
    let communicator = communicator.map(|communicator| communicator.name.clone());
    let by_name = merged.calls.entry(site.call.clone()).or_default();
    *by_name = together(*by_name, one);
    by_name.ranks = 1;
    let number = number_of(&site.call, place.as_ref(), communicator.as_deref());
    let of_site = merged.sites.entry(number).or_insert_with(|| MergedSite {
        call: site.call.clone(),
        place,
        communicator,
        of: MergedCalls::default(),
        least: Default::default(),
        most: Default::default(),
    });
    of_site.of = together(of_site.of, one);
    of_site.of.ranks = 1;
    // Several threads of a rank are there for the sum of their times.
    (of_site.least, of_site.most) = ((of_site.of.calls.time, rank), (of_site.of.calls.time, rank));
}

/// FNV-1a of what a place is, the same in all ranks.
fn number_of(call: &str, place: Option<&(String, u64)>, communicator: Option<&str>) -> u64 {
    let (file, address) = place.map_or(("", 0), |(file, address)| (file.as_str(), *address));
    let parts: [&[u8]; 4] = [
        call.as_bytes(),
        file.as_bytes(),
        &address.to_le_bytes(),
        communicator.unwrap_or_default().as_bytes(),
    ];
    parts
        .into_iter()
        .flat_map(|part| part.iter().chain(&[0xff]))
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

fn together(one: MergedCalls, other: MergedCalls) -> MergedCalls {
    let bytes = |one: MergedBytes, other: MergedBytes| MergedBytes {
        known: one.known + other.known,
        unknown: one.unknown.saturating_add(other.unknown),
    };
    MergedCalls {
        calls: CallTime {
            count: one.calls.count.saturating_add(other.calls.count),
            time: one.calls.time + other.calls.time,
        },
        longest: one.longest.max(other.longest),
        sent: bytes(one.sent, other.sent),
        received: bytes(one.received, other.received),
        ranks: one.ranks + other.ranks,
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
    into.ranks += other.ranks;
    into.unmeasured += other.unmeasured;
    into.span = into.span.max(other.span);
    into.first_dead = [into.first_dead, other.first_dead].into_iter().flatten().min();
    into.cpus = into.cpus.saturating_add(other.cpus);
    process::add(&mut into.time, &other.time);
    into.with_openmp += other.with_openmp;
    for (host, (cpus, mpi)) in &other.hosts {
        match into.hosts.get_mut(host) {
            Some(of) => *of = (of.0.saturating_add(*cpus), of.1 + *mpi),
            None => drop(into.hosts.insert(host.clone(), (*cpus, *mpi))),
        }
    }
    spread(&mut into.useful, &other.useful);
    spread(&mut into.mpi, &other.mpi);
    spread(&mut into.elapsed, &other.elapsed);
    for (call, of) in &other.calls {
        match into.calls.get_mut(call) {
            Some(all) => *all = together(*all, *of),
            None => drop(into.calls.insert(call.clone(), *of)),
        }
    }
    for (number, site) in &other.sites {
        match into.sites.get_mut(number) {
            Some(all) => {
                all.of = together(all.of, site.of);
                all.least = all.least.min(site.least);
                all.most = most_of(all.most, site.most);
            }
            None => drop(into.sites.insert(*number, site.clone())),
        }
    }
    for (key, (family, messages)) in &other.messages {
        let all = into.messages.entry(*key).or_insert((*family, 0));
        all.1 = all.1.saturating_add(*messages);
    }
    for (pair, (messages, bytes)) in &other.traffic {
        let cell = into.traffic.entry(*pair).or_default();
        *cell = (cell.0.saturating_add(*messages), cell.1 + *bytes);
    }
    bound(into);
}

/// The longer one; of two that are as long, that of the lower rank.
fn most_of(one: (Nanoseconds, u32), other: (Nanoseconds, u32)) -> (Nanoseconds, u32) {
    if (other.0, std::cmp::Reverse(other.1)) > (one.0, std::cmp::Reverse(one.1)) { other } else { one }
}

fn spread(into: &mut RankDistribution, other: &RankDistribution) {
    into.count += other.count;
    into.sum = into.sum + other.sum;
    for (class, ranks) in &other.histogram {
        *into.histogram.entry(*class).or_default() += ranks;
    }
    keep(&mut into.least, &other.least, |one| one);
    keep(&mut into.most, &other.most, |(time, rank)| (Nanoseconds(u64::MAX - time.0), rank));
}

/// Keeps those that come first, in their order.
fn keep(
    into: &mut Vec<(Nanoseconds, u32)>,
    other: &[(Nanoseconds, u32)],
    order: impl Fn((Nanoseconds, u32)) -> (Nanoseconds, u32),
) {
    for one in other {
        let at = into.partition_point(|kept| order(*kept) <= order(*one));
        if at < OUTLIERS {
            into.insert(at, *one);
            into.truncate(OUTLIERS);
        }
    }
}

fn bound(merged: &mut MergedRanks) {
    while merged.sites.len() > MOST_SITES {
        merged.sites.pop_last();
    }
    if merged.has_several_worlds {
        merged.traffic.clear();
    }
}

/// Efficiencies of the ranks together, with the formulas of [`super::run_snapshot`].
pub fn merged_efficiencies(merged: &MergedRanks) -> Efficiencies {
    let missing = match merged.unmeasured {
        0 if merged.cpus == 0 => Some("no rank was watched".to_owned()),
        0 => None,
        some => Some(format!("the times of {some} ranks are not known")),
    };
    let time = match &missing {
        Some(why) => Reading::unavailable(why.clone()),
        None => Reading::Measured(merged.time),
    };
    let mpi = match (&missing, merged.mpi.least.first()) {
        (None, Some((least, _))) if merged.span.0 > 0 => {
            let all = merged.hosts.values().fold((0.0, 0.0), |sum: (f64, f64), (cpus, mpi)| {
                (sum.0 + *cpus as f64, sum.1 + mpi.seconds())
            });
            let by_host = merged.hosts.values().map(|(cpus, mpi)| mpi.seconds() / *cpus as f64);
            Reading::Measured(MpiTimes {
                elapsed: merged.span.seconds(),
                mean: all.1 / all.0,
                least: least.seconds(),
                least_host: by_host.fold(f64::INFINITY, f64::min),
                unequal: unequal(merged),
            })
        }
        (Some(why), _) => Reading::unavailable(why.clone()),
        _ => Reading::unavailable("the run took no time that could be measured"),
    };
    efficiency::of_times(&time, merged.with_openmp > 0, &mpi)
}

fn unequal(merged: &MergedRanks) -> Option<String> {
    if merged.has_several_worlds || merged.ranks > u64::from(merged.world) {
        return Some("there are several MPI_COMM_WORLDs in the run".to_owned());
    }
    if merged.ranks < u64::from(merged.world) {
        return Some(format!("of {} ranks {} were watched", merged.world, merged.ranks));
    }
    let (lived, rank) = merged.first_dead?;
    efficiency::died_before(lived, merged.span)
        .then(|| format!("rank {rank} ended after {lived}, before the others"))
}
