//! Ranks that were merged.

mod placement;

use numawise_facts::MergedRanks;
use numawise_facts::merged::{
    CallSum, LAST_CLASS, LoadedPlace, MOST_COMPARED_CALLS, MOST_COMPARED_KINDS, MOST_COMPARED_PLACES,
    MOST_MERGED_COMMUNICATORS, MOST_MERGED_GROUPS, MOST_MERGED_PHASES, MOST_MERGED_REGIONS,
    MOST_MERGED_SITES, MOST_NEIGHBOURHOODS, MOST_OUTLIERS, MergedCalls, MergedOpenMp, MergedPhases,
    MergedRegion, PARTS_OF_A_SHARE, RankDistribution,
};
use numawise_units::{Nanoseconds, TimeSum};

use super::watched::{MOST_RANKS, phase_name};
use super::{LONGEST, Sound, bytes, ensure, moment, name, span};

/// The most computers of a job, with room to spare.
pub const MOST_HOSTS: usize = 1 << 20;
/// Names of calls; MPI has fewer than a thousand.
pub const MOST_CALLS: usize = 4096;
/// Regions that stand in one another.
const DEEPEST: usize = 64;
/// The most ranks, each of 256 CPUs, for the longest time.
const LONGEST_SUM: TimeSum = TimeSum((LONGEST.0 as u128) << 34);

/// All of them together.
pub fn merged(of: &MergedRanks) -> Sound {
    let place = |part: &'static str| move || format!("merged: {part}");
    let most = u64::from(MOST_RANKS);
    ensure((1..=most).contains(&of.ranks), place("ranks"), of.ranks, "1 to 67108864")?;
    ensure((1..=MOST_RANKS).contains(&of.world), place("world"), of.world, "1 to 67108864")?;
    for (part, count) in [("unmeasured", of.unmeasured), ("without_init", of.without_init)] {
        ensure(count <= of.ranks, place(part), count, "no more than the ranks")?;
    }
    span(of.span, place("span"))?;
    ranked(&of.dead, of, "dead")?;
    ensure(of.cpus <= 1 << 40, place("cpus"), of.cpus, "at most 2^40")?;
    let is_counted = of.unmeasured > 0 || of.cpus >= of.ranks;
    ensure(is_counted, place("cpus"), of.cpus, "one for each rank at least")?;
    of.time.each().into_iter().try_for_each(|time| sum(time, place("time")))?;
    ensure(!of.hosts.is_empty(), place("hosts"), "none", "a computer at least")?;
    ensure(of.hosts.len() <= MOST_HOSTS, place("hosts"), of.hosts.len(), "at most 1048576")?;
    for (host, part) in &of.hosts {
        name(host, place("hosts"))?;
        let is_counted = of.unmeasured > 0 || part.cpus > 0;
        ensure(is_counted && part.cpus <= of.cpus, place("hosts"), part.cpus, "from 1 to all CPUs")?;
        sum(part.mpi, place("hosts"))?;
    }
    distribution(&of.useful, of, "useful")?;
    distribution(&of.mpi, of, "mpi")?;
    distribution(&of.elapsed, of, "elapsed")?;
    for (part, count) in [("useful", of.useful.count), ("mpi", of.mpi.count)] {
        let measured = of.ranks - of.unmeasured;
        ensure(count == measured, place(part), count, "as many as were measured")?;
    }
    mpi(of)?;
    openmp(&of.openmp, of.ranks)?;
    of.phases.as_ref().map_or(Ok(()), |phases| self::phases(phases, of.ranks))?;
    ensure(of.memory.known <= of.ranks, place("memory"), of.memory.known, "no more than the ranks")?;
    let (most, known) = (&of.memory.most, of.memory.known);
    ensure(
        most.is_some() == (known > 0),
        place("memory"),
        known,
        "the rank with the most, where some are known",
    )?;
    if let Some((most, whose)) = most {
        bytes(*most, place("memory"))?;
        name(&whose.host, place("memory"))?;
        let is_rank = whose.rank < of.world && whose.pid.0 >= 0;
        ensure(is_rank, place("memory"), whose.rank, "a rank below their number")?;
    }
    of.placement.as_ref().map_or(Ok(()), |placement| placement::placement(placement, of))?;
    let lost = &of.lost;
    let losses = [lost.threads, lost.files, lost.communicators, lost.requests];
    losses
        .into_iter()
        .chain([lost.mpi_calls, lost.messages, lost.constructs])
        .try_for_each(|lost| amount(lost, place("lost")))
}

fn mpi(of: &MergedRanks) -> Sound {
    let place = |part: &'static str| move || format!("merged: {part}");
    ensure(of.library.is_some(), place("library"), "none", "that of the ranks")?;
    for (part, found, most) in [
        ("calls", of.calls.len(), MOST_CALLS),
        ("sites", of.sites.len(), MOST_MERGED_SITES),
        ("communicators", of.communicators.len(), MOST_MERGED_COMMUNICATORS),
    ] {
        ensure(found <= most, place(part), found, "no more than such a table has")?;
    }
    for (call, calls) in &of.calls {
        name(call, place("calls"))?;
        merged_calls(calls, of.ranks, "calls")?;
    }
    for site in of.sites.values() {
        name(&site.call, place("sites"))?;
        loaded(site.place.as_ref(), "sites")?;
        name(site.communicator.as_deref().unwrap_or_default(), place("sites"))?;
        merged_calls(&site.of, of.ranks, "sites")?;
        // A call at one place is among the calls of its name.
        let of_name = of.calls.get(&site.call).map(|calls| calls.calls).unwrap_or_default();
        let (found, holds) =
            (site.of.calls.time, site.of.calls.time <= of_name.time && site.of.calls.count <= of_name.count);
        ensure(holds, place("sites"), found.seconds(), "no more than all calls of its name together")?;
        sum(site.alone, place("sites"))?;
        for (_, rank) in [site.least, site.most] {
            ensure(rank < of.world, place("sites"), rank, "a rank below their number")?;
        }
    }
    compared(of)?;
    calls(of.lost_calls, "lost_calls")?;
    for one in of.communicators.values() {
        name(&one.name, place("communicators"))?;
        let holds = one.sizes.0 <= one.sizes.1 && one.sizes.1 <= MOST_RANKS;
        ensure(holds, place("communicators"), one.sizes.1, "the smallest and the largest size")?;
        let groups = one.groups.len();
        ensure(groups <= MOST_MERGED_GROUPS, place("communicators"), groups, "at most 64 groups")?;
        amount(one.unknown_groups, place("communicators"))?;
        ensure(one.ranks <= of.ranks, place("communicators"), one.ranks, "no more than the ranks")?;
        calls(one.calls, "communicators")?;
    }
    for ((_, bits), (_, messages)) in &of.messages {
        ensure(*bits <= 64, place("messages"), bits, "at most 64 bits")?;
        amount(*messages, place("messages"))?;
    }
    for ((from, to), (messages, _)) in &of.traffic {
        let holds = *from.max(to) < MOST_NEIGHBOURHOODS;
        ensure(holds, place("traffic"), from.max(to), "a group below 128")?;
        amount(*messages, place("traffic"))?;
    }
    amount(of.lost_messages.0, place("lost_messages"))
}

/// Calls that are compared: as many as are kept, in the order of their keys.
fn compared(of: &MergedRanks) -> Sound {
    let place = |part: &'static str| move || format!("merged: {part}");
    amount(of.callers, place("callers"))?;
    for (part, kinds) in [("collectives", of.collectives.len()), ("sent_messages", of.sent_messages.len())] {
        ensure(kinds <= MOST_COMPARED_KINDS, place(part), kinds, "no more than such a table has")?;
    }
    for calls in of.collectives.values() {
        in_order(calls.iter().map(|call| call.key), "collectives")?;
        for call in calls {
            moment(call.shortest, place("collectives"))?;
            let places = call.ranks.len();
            ensure(
                (1..=MOST_COMPARED_PLACES).contains(&places),
                place("collectives"),
                places,
                "1 to 8 places",
            )?;
            for ranks in &call.ranks {
                amount(ranks.count, place("collectives"))?;
                sum(ranks.time, place("collectives"))?;
            }
        }
    }
    for messages in of.sent_messages.values() {
        in_order(messages.iter().map(|message| message.key), "sent_messages")?;
        for end in messages.iter().flat_map(|message| [message.send, message.receive]).flatten() {
            moment(end.begun, place("sent_messages"))?;
            moment(end.time, place("sent_messages"))?;
        }
    }
    Ok(())
}

fn in_order(keys: impl Iterator<Item = u64> + Clone, part: &'static str) -> Sound {
    let place = || format!("merged: {part}");
    let count = keys.clone().count();
    ensure(count <= MOST_COMPARED_CALLS, place, count, "at most 128 calls of a kind")?;
    ensure(keys.is_sorted_by(|one, next| one < next), place, count, "calls in the order of their keys")
}

fn openmp(of: &MergedOpenMp, ranks: u64) -> Sound {
    let place = |part: &'static str| move || format!("merged: openmp.{part}");
    for (part, found) in
        [("ranks", of.ranks), ("serial_unknown", of.serial_unknown), ("unmeasured", of.unmeasured)]
    {
        ensure(found <= ranks, place(part), found, "no more than the ranks")?;
    }
    let serial = of.serial <= of.ranks.saturating_mul(PARTS_OF_A_SHARE);
    ensure(serial, place("serial"), of.serial, "a share of at most 1 for each rank")?;
    moment(of.most_gain, place("most_gain"))?;
    amount(of.lost, place("lost"))?;
    let regions = of.regions.len();
    ensure(regions <= MOST_MERGED_REGIONS, place("regions"), regions, "at most 256")?;
    of.regions.values().try_for_each(region)
}

fn phases(of: &MergedPhases, ranks: u64) -> Sound {
    let place = || "merged: phases".to_owned();
    let rows = of.rows.len();
    ensure(rows <= MOST_MERGED_PHASES, place, rows, "at most 256")?;
    ensure(of.unknown <= ranks, place, of.unknown, "no more than the ranks")?;
    [of.lost, of.unbalanced].into_iter().try_for_each(|count| amount(count, place))?;
    for phase in of.rows.values() {
        phase_name(&phase.name, place)?;
        for part in [phase.ranks, phase.unmeasured, phase.open] {
            ensure(part <= ranks, place, part, "no more than the ranks")?;
        }
        ensure(
            phase.ranks > 0 && phase.cpus >= phase.ranks,
            place,
            phase.cpus,
            "one for each rank at least",
        )?;
        [phase.calls, phase.cpus].into_iter().try_for_each(|count| amount(count, place))?;
        for time in [phase.elapsed, phase.longest, phase.least_mpi.unwrap_or_default()] {
            moment(time, place)?;
        }
        phase.time.each().into_iter().try_for_each(|time| sum(time, place))?;
    }
    Ok(())
}

fn region(of: &MergedRegion) -> Sound {
    let place = || "merged: openmp.regions".to_owned();
    let depth = of.surrounding.len();
    ensure((1..=DEEPEST).contains(&depth), place, depth, "the region and what it stands in, at most 64")?;
    of.surrounding.iter().try_for_each(|(_, at)| loaded(at.as_ref(), "openmp.regions"))?;
    for count in [of.ranks, of.calls, of.threads] {
        amount(count, place)?;
    }
    moment(of.longest_time, place)?;
    moment(of.most_gain, place)?;
    for time in [of.time, of.useful, of.mpi, of.barrier, of.lock, of.scheduling, of.gain] {
        sum(time, place)?;
    }
    let holds = of.team.is_none_or(|team| team.least <= team.most && team.most <= 65_536);
    ensure(holds, place, of.threads, "the smallest and the largest team, of at most 65536")
}

fn merged_calls(of: &MergedCalls, ranks: u64, part: &'static str) -> Sound {
    let place = || format!("merged: {part}");
    calls(of.calls, part)?;
    span(of.longest, place)?;
    ensure(of.ranks <= ranks, place, of.ranks, "no more than the ranks")?;
    for moved in [of.sent, of.received] {
        amount(moved.unknown, place)?;
    }
    Ok(())
}

fn calls(of: CallSum, part: &'static str) -> Sound {
    amount(of.count, || format!("merged: {part}"))?;
    sum(of.time, || format!("merged: {part}"))
}

fn loaded(at: Option<&LoadedPlace>, part: &'static str) -> Sound {
    at.map_or(Ok(()), |(file, _)| name(file, || format!("merged: {part}")))
}

fn distribution(of: &RankDistribution, all: &MergedRanks, part: &'static str) -> Sound {
    let place = || format!("merged: {part}");
    sum(of.sum, place)?;
    ensure(of.count <= all.ranks, place, of.count, "no more than the ranks")?;
    let named = (of.count as usize).min(MOST_OUTLIERS);
    for ends in [&of.least, &of.most] {
        ensure(ends.len() == named, place, ends.len(), "16 ranks, or all where there are fewer")?;
        ranked(ends, all, part)?;
    }
    let last = of.histogram.keys().next_back().copied().unwrap_or(0);
    ensure(last <= LAST_CLASS, place, last, "a class of at most 975")?;
    let counted = of.histogram.values().fold(0, |sum: u64, ranks| sum.saturating_add(*ranks));
    ensure(counted == of.count, place, counted, "each rank in one class")
}

fn ranked(times: &[(Nanoseconds, u32)], all: &MergedRanks, part: &'static str) -> Sound {
    let place = || format!("merged: {part}");
    ensure(times.len() <= MOST_OUTLIERS, place, times.len(), "at most 16 ranks")?;
    times.iter().try_for_each(|(time, rank)| {
        moment(*time, place)?;
        ensure(*rank < all.world, place, rank, "a rank below their number")
    })
}

fn amount(count: u64, place: impl FnOnce() -> String) -> Sound {
    ensure(count <= 1 << 62, place, count, "a count of at most 2^62")
}

fn sum(time: TimeSum, place: impl FnOnce() -> String) -> Sound {
    ensure(time <= LONGEST_SUM, place, time, "a sum of times of at most ten years for each CPU")
}
