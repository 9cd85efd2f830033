//! Where the threads of merged ranks ran.

use numawise_facts::MergedRanks;
use numawise_facts::merged::{MOST_OVERFULL, MOST_THERE, MergedPlacement, ProcessName};
use numawise_units::TimeSum;

use super::{MOST_HOSTS, Sound, amount, ensure, moment, name, sum};

pub fn placement(of: &MergedPlacement, all: &MergedRanks) -> Sound {
    let place = |part: &'static str| move || format!("merged: placement.{part}");
    ensure(of.processes <= all.ranks, place("processes"), of.processes, "no more than the ranks")?;
    ensure(of.hosts.len() <= MOST_HOSTS, place("hosts"), of.hosts.len(), "at most 1048576")?;
    for (host, cpus) in &of.hosts {
        name(host, place("hosts"))?;
        ensure(
            (1..=of.processes).contains(&cpus.parts),
            place("hosts"),
            cpus.parts,
            "a part for each rank at most",
        )?;
    }
    let counts = [of.threads, of.unknown, of.moved, of.migrations, of.on_several_nodes];
    let readings = [&of.unbound, &of.forced_switches].into_iter().filter_map(|of| of.measured().copied());
    counts.into_iter().chain(readings).try_for_each(|count| amount(count, place("threads")))?;
    ensure(of.moved <= of.threads, place("moved"), of.moved, "no more than the threads")?;
    moment(of.run_delay.measured().copied().unwrap_or_default(), place("run_delay"))?;
    if let Some(delayed) = &of.delayed {
        moment(delayed.delay, place("delayed"))?;
        moment(delayed.lived.measured().copied().unwrap_or_default(), place("delayed"))?;
        whose(&delayed.process, all, "delayed")?;
    }
    if let Some(delays) = of.run_delays.measured() {
        sum(delays.sum, place("run_delays"))?;
        ensure(
            TimeSum::from(delays.most) <= delays.sum,
            place("run_delays"),
            delays.most,
            "a part of the sum",
        )?;
        whose(&delays.most_of, all, "run_delays")?;
    }
    if let Some(migrations) = of.migrations_by_process.measured() {
        amount(migrations.sum, place("migrations_by_process"))?;
        whose(&migrations.most_of, all, "migrations_by_process")?;
    }
    if let Some(masks) = of.masks.measured() {
        let holds = masks.least <= masks.most && masks.sets <= of.processes;
        ensure(
            holds,
            place("masks"),
            masks.sets,
            "a set for each rank at most, from the smallest to the largest",
        )?;
    }
    overfull(of, all)?;
    let remote = &of.remote;
    let known = remote.known.saturating_add(remote.unknown);
    ensure(known == of.processes, place("remote"), known, "each process once")?;
    let holds = remote.notable <= remote.known && remote.elsewhere <= remote.all;
    ensure(holds, place("remote"), remote.elsewhere, "a part of the memory")?;
    let worst = remote.worst.as_ref();
    ensure(
        worst.is_some() == (remote.notable > 0),
        place("remote.worst"),
        remote.notable,
        "the worst of some",
    )?;
    worst.map_or(Ok(()), |worst| {
        ensure(worst.elsewhere <= worst.all, place("remote.worst"), worst.elsewhere, "a part of its memory")?;
        whose(&worst.process, all, "remote.worst")
    })
}

fn overfull(of: &MergedPlacement, all: &MergedRanks) -> Sound {
    let place = |part: &'static str| move || format!("merged: placement.{part}");
    let kept = |all: u64| usize::try_from(all).unwrap_or(usize::MAX).min(MOST_OVERFULL);
    for (part, found, all) in
        [("shared", of.shared.len(), of.all_shared), ("overfull", of.overfull.len(), of.all_overfull)]
    {
        amount(all, place(part))?;
        ensure(found == kept(all), place(part), found, "64, or all where there are fewer")?;
    }
    for one in &of.shared {
        name(&one.host, place("shared"))?;
        amount(one.count, place("shared"))?;
        let holds = one.count > 1 && one.threads.len() <= MOST_THERE;
        ensure(holds, place("shared"), one.count, "several threads, of which 32 are named at most")?;
        moment(one.others_computed.measured().copied().unwrap_or_default(), place("shared"))?;
        ranks(&one.ranks, one.further_ranks, all, "shared")?;
    }
    of.overfull.iter().try_for_each(|one| {
        name(&one.host, place("overfull"))?;
        amount(one.threads, place("overfull"))?;
        ensure(
            one.threads > one.cpus.len() as u64,
            place("overfull"),
            one.threads,
            "more threads than CPUs",
        )?;
        ranks(&one.ranks, one.further_ranks, all, "overfull")
    })
}

fn ranks(of: &[u32], further: u64, all: &MergedRanks, part: &'static str) -> Sound {
    let place = || format!("merged: placement.{part}");
    let count = (of.len() as u64).saturating_add(further);
    ensure(
        of.len() <= MOST_THERE && count <= all.ranks,
        place,
        count,
        "32 at most, and how many more there are",
    )?;
    of.iter().try_for_each(|rank| ensure(*rank < all.world, place, rank, "a rank below their number"))
}

fn whose(of: &ProcessName, all: &MergedRanks, part: &'static str) -> Sound {
    let place = || format!("merged: placement.{part}");
    name(&of.host, place)?;
    let found = of.rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string());
    let is_rank = of.rank.is_some_and(|rank| rank < all.world) && of.pid.0 >= 0;
    ensure(is_rank, place, found, "a rank below their number")
}
