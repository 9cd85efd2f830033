//! Where threads ran: who moved, and which CPUs several have in common. Of each computer by itself, and then of all together, so that ranks that
//! were merged where they are have the same said of them as those that are all there.

mod host;
mod order;

use std::collections::BTreeMap;

use numawise_facts::merged::{
    MOST_OVERFULL, MOST_THERE, MergedPlacement, OverfullCpus, PlacedHost, RemoteSum, SharedCpu,
    SumOverProcesses,
};
use numawise_facts::{Activity, Machine, MergedRanks, Reading, Reason};
use numawise_tables::snapshot::{PlacementSummary, ProcessSpread, RemoteSummary};
use numawise_units::{Arrange, CpuSet, Nanoseconds};

use host::OnHost;
use order::{by_delay, by_fullness, by_part};

use super::Run;
use super::process::{Process, rank_of};

#[cfg(test)]
#[path = "placement_tests.rs"]
mod tests;

/// What threads of one CPU have to compute, but for the busiest, of the time of the run: what findings need.
const WORTH: f64 = 0.05;

/// Of the processes of a run, or of the ranks that were merged.
pub fn of_run(run: &Run<'_>) -> Reading<MergedPlacement> {
    match run.parts.merged {
        Some(merged) => of_merged(merged).map(Clone::clone),
        None => Reading::Measured(of_processes(&run.processes, |host| run.parts.machines.get(host).copied())),
    }
}

/// Memory elsewhere of those that are all there.
pub fn remote_of(run: &Run<'_>) -> RemoteSum {
    let each = by_host(&run.processes, |host| run.parts.machines.get(host).copied());
    each.into_iter().map(|host| host.remote()).reduce(remote_together).unwrap_or_default()
}

/// What came with ranks that were merged, if it is of all of them.
pub fn of_merged(merged: &MergedRanks) -> Reading<&MergedPlacement> {
    let Some(placement) = &merged.placement else {
        return Reading::unavailable("ranks were merged without the CPUs of their threads");
    };
    if placement.processes != merged.ranks {
        let (known, all) = (placement.processes, merged.ranks);
        return Reading::unavailable(format!("ranks are merged: it is known of {known} of {all} of them"));
    }
    match placement.hosts.iter().find(|(_, host)| host.parts > 1) {
        Some((host, of)) => Reading::unavailable(format!(
            "ranks of {host} were merged in {} parts: which CPUs they share with one another is not known",
            of.parts
        )),
        None => Reading::Measured(placement),
    }
}

/// The placement of ranks that are to be merged: of all ranks of a computer at once.
pub fn of_ranks<'a>(
    ranks: impl Iterator<Item = &'a Activity>,
    machine: Option<&Machine>,
) -> Option<MergedPlacement> {
    let processes: Vec<Process<'_>> = ranks.filter_map(rank_of).collect();
    let mut all = (!processes.is_empty()).then(|| of_processes(&processes, |_| machine))?;
    bound(&mut all);
    Some(all)
}

fn of_processes<'a>(
    processes: &'a [Process<'a>],
    machine: impl Fn(&str) -> Option<&'a Machine>,
) -> MergedPlacement {
    let each = by_host(processes, machine).into_iter().map(|host| host.placement());
    let nothing = || OnHost { host: "", processes: Vec::new(), machine: None }.placement();
    each.reduce(together).unwrap_or_else(nothing)
}

fn by_host<'a>(
    processes: &'a [Process<'a>],
    machine: impl Fn(&str) -> Option<&'a Machine>,
) -> Vec<OnHost<'a>> {
    let mut hosts: BTreeMap<&str, Vec<&Process<'_>>> = BTreeMap::new();
    for process in processes {
        hosts.entry(&process.activity.host).or_default().push(process);
    }
    let on_host = |(host, processes)| OnHost { host, processes, machine: machine(host) };
    hosts.into_iter().map(on_host).collect()
}

/// Both; of merged ranks no more than there is room for.
pub fn merge(into: &mut Option<MergedPlacement>, other: &Option<MergedPlacement>) {
    let mut all = match (into.take(), other.clone()) {
        (Some(one), Some(other)) => together(one, other),
        (one, other) => match one.or(other) {
            Some(only) => only,
            None => return,
        },
    };
    bound(&mut all);
    *into = Some(all);
}

/// The same in any order.
fn together(mut one: MergedPlacement, other: MergedPlacement) -> MergedPlacement {
    for (host, of) in other.hosts {
        match one.hosts.remove(&host) {
            None => drop(one.hosts.insert(host, of)),
            Some(mut both) => {
                both.parts = both.parts.saturating_add(of.parts);
                both.allowed = joined(both.allowed, of.allowed, |a, b| a.union(&b));
                both.usable = joined(both.usable, of.usable, |a, b| a.union(&b));
                one.hosts.insert(host, both);
            }
        }
    }
    one.processes = one.processes.saturating_add(other.processes);
    one.threads = one.threads.saturating_add(other.threads);
    one.unknown = one.unknown.saturating_add(other.unknown);
    one.why_unknown = first_reason(one.why_unknown, other.why_unknown);
    one.moved = one.moved.saturating_add(other.moved);
    one.migrations = one.migrations.saturating_add(other.migrations);
    one.unbound = joined(one.unbound, other.unbound, u64::saturating_add);
    one.on_several_nodes = one.on_several_nodes.saturating_add(other.on_several_nodes);
    one.run_delay = joined(one.run_delay, other.run_delay, Nanoseconds::max);
    one.delayed = one.delayed.into_iter().chain(other.delayed).max_by(by_delay);
    one.run_delays = joined(one.run_delays, other.run_delays, |a, b| sums(a, b, |a, b| a + b));
    one.migrations_by_process = joined(one.migrations_by_process, other.migrations_by_process, |a, b| {
        sums(a, b, u64::saturating_add)
    });
    one.forced_switches = joined(one.forced_switches, other.forced_switches, u64::saturating_add);
    one.masks = joined(one.masks, other.masks, |mut a, b| {
        a.sets = a.sets.saturating_add(b.sets);
        (a.least, a.most) = (a.least.min(b.least), a.most.max(b.most));
        a
    });
    one.shared.extend(other.shared);
    one.all_shared = one.all_shared.saturating_add(other.all_shared);
    one.overfull.extend(other.overfull);
    one.all_overfull = one.all_overfull.saturating_add(other.all_overfull);
    one.remote = remote_together(one.remote, other.remote);
    one
}

fn remote_together(one: RemoteSum, other: RemoteSum) -> RemoteSum {
    RemoteSum {
        known: one.known.saturating_add(other.known),
        unknown: one.unknown.saturating_add(other.unknown),
        why_unknown: first_reason(one.why_unknown, other.why_unknown),
        all: one.all + other.all,
        elsewhere: one.elsewhere + other.elsewhere,
        notable: one.notable.saturating_add(other.notable),
        worst: one.worst.into_iter().chain(other.worst).max_by(by_part),
    }
}

/// Both together; of two reasons the one that comes first.
fn joined<T>(one: Reading<T>, other: Reading<T>, with: impl FnOnce(T, T) -> T) -> Reading<T> {
    match (one, other) {
        (Reading::Measured(one), Reading::Measured(other)) => Reading::Measured(with(one, other)),
        (Reading::Unavailable { unavailable: one }, Reading::Unavailable { unavailable: other }) => {
            Reading::Unavailable { unavailable: one.min(other) }
        }
        (Reading::Unavailable { unavailable }, _) | (_, Reading::Unavailable { unavailable }) => {
            Reading::Unavailable { unavailable }
        }
    }
}

fn first_reason(one: Option<Reason>, other: Option<Reason>) -> Option<Reason> {
    one.into_iter().chain(other).min()
}

fn sums<S, T: Ord + Copy>(
    one: SumOverProcesses<S, T>,
    other: SumOverProcesses<S, T>,
    plus: impl FnOnce(S, S) -> S,
) -> SumOverProcesses<S, T> {
    let sum = plus(one.sum, other.sum);
    // Of as many, the one with the lower number.
    let is_other = (other.most, &one.most_of) > (one.most, &other.most_of);
    let (most, most_of) = if is_other { (other.most, other.most_of) } else { (one.most, one.most_of) };
    SumOverProcesses { sum, most, most_of }
}

fn bound(all: &mut MergedPlacement) {
    // What is not known may be most.
    all.shared.arrange_by_key(|one| {
        let computed = one.others_computed.measured().map_or(u64::MAX, |time| time.0);
        (std::cmp::Reverse(computed), one.host.clone(), one.cpu)
    });
    all.shared.truncate(MOST_OVERFULL);
    all.overfull.arrange_by(by_fullness);
    all.overfull.truncate(MOST_OVERFULL);
    for one in &mut all.shared {
        one.threads.truncate(MOST_THERE);
        bound_ranks(&mut one.ranks, &mut one.further_ranks);
    }
    for one in &mut all.overfull {
        bound_ranks(&mut one.ranks, &mut one.further_ranks);
    }
}

fn bound_ranks(ranks: &mut Vec<u32>, further: &mut u64) {
    *further = further.saturating_add(ranks.len().saturating_sub(MOST_THERE) as u64);
    ranks.truncate(MOST_THERE);
}

/// What is shown of it.
pub fn summary(run: &Run<'_>, of: &MergedPlacement) -> PlacementSummary {
    let mut shared: Vec<&SharedCpu> = of.shared.iter().filter(|one| !hardly_computed(run, one)).collect();
    shared.arrange_by_key(|one| (&one.host, one.cpu));
    // Those that are not here share less than these.
    let all_are_worth = shared.len() == of.shared.len();
    let further_shared = if all_are_worth { of.all_shared.saturating_sub(shared.len() as u64) } else { 0 };
    let mut overfull: Vec<&OverfullCpus> = of.overfull.iter().collect();
    overfull.arrange_by(|one, other| by_fullness(one, other));
    PlacementSummary {
        threads: of.threads,
        unknown: of.unknown,
        moved: of.moved,
        migrations: match (of.threads, &of.why_unknown) {
            (0, Some(why)) => Reading::Unavailable { unavailable: why.clone() },
            (0, None) => Reading::unavailable("no thread was watched"),
            _ => Reading::Measured(of.migrations),
        },
        unbound: of.unbound.clone(),
        on_several_nodes: of.on_several_nodes,
        run_delay: of.run_delay.clone(),
        run_delays: of.run_delays.as_ref().map(|delays| ProcessSpread {
            mean: delays.sum.each_of(of.processes),
            most: delays.most,
            most_of: delays.most_of.clone(),
        }),
        migrations_by_process: of.migrations_by_process.as_ref().map(|migrations| ProcessSpread {
            mean: migrations.sum / of.processes.max(1),
            most: migrations.most,
            most_of: migrations.most_of.clone(),
        }),
        masks: of.masks.clone(),
        shared: shared.into_iter().cloned().collect(),
        further_shared,
        further_overfull: of.all_overfull.saturating_sub(overfull.len() as u64),
        overfull: overfull.into_iter().cloned().collect(),
        remote: remote_summary(&of.remote),
    }
}

fn remote_summary(of: &RemoteSum) -> Reading<RemoteSummary> {
    match (of.known, &of.why_unknown) {
        (0, Some(why)) => Reading::Unavailable { unavailable: why.clone() },
        (0, None) => Reading::unavailable("no process was watched"),
        _ => Reading::Measured(RemoteSummary {
            processes: of.known,
            unknown: of.unknown,
            all: of.all,
            remote: of.elsewhere,
            notable: of.notable,
        }),
    }
}

/// True where one CPU was hardly in the way of the threads: all but the busiest computed for little of the run. Others that
/// keep the CPU busy make these wait too.
fn hardly_computed(run: &Run<'_>, of: &SharedCpu) -> bool {
    let known = of.others_computed.clone().zip(run.seconds());
    known.measured().is_some_and(|(computed, seconds)| computed.seconds() < WORTH * seconds)
}

/// By host: how many CPUs the run may use there, or could use.
pub fn cpus_by_host(
    of: &MergedPlacement,
    which: impl Fn(&PlacedHost) -> &Reading<CpuSet>,
) -> Reading<BTreeMap<String, u64>> {
    let count = |cpus: &CpuSet| cpus.len() as u64;
    Reading::all(
        of.hosts.iter().map(|(host, cpus)| which(cpus).as_ref().map(|cpus| (host.clone(), count(cpus)))),
    )
    .map(|hosts| hosts.into_iter().collect())
}
