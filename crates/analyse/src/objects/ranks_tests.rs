use numawise_facts::Machine;
use numawise_facts::objects::{MemoryBound, MemoryBoundSource, MemoryObject, ProcessRank};
use numawise_units::{Bytes, CpuId, Pid};

use super::super::sample::{self, Done as _, PROCESS, Pattern};
use super::*;
use crate::sample::two_sockets;

/// An object of a process of which all pages lie on a node, with so many samples of one thread there.
fn used(process: i32, name: &str, node: u32, samples: f64) -> MemoryObject {
    let thread = 2 * node;
    let object = sample::object(name, Bytes::mib(64)).lying(&[(node, 256)]).touched(&[(thread, 2000)]).used(
        &[(thread, samples)],
        Pattern::Everything,
        |_| Some(node),
    );
    MemoryObject { process: Pid(process), ..object }
}

fn rank(process: i32, rank: u32) -> ProcessRank {
    ProcessRank { process: Pid(process), rank: Rank(rank) }
}

/// Processes 100, 101, ... are ranks 0, 1, ...; each has these shares of its 1000 samples with `a`, the rest with `b`, on this node.
fn job(of: &[(f64, u32)]) -> ObjectRun {
    let processes = || (0..).zip(of);
    let objects = processes().flat_map(|(k, (share, node))| {
        let process = 100 + k;
        [used(process, "a", *node, 1000.0 * share), used(process, "b", *node, 1000.0 * (1.0 - share))]
    });
    let run = sample::run(two_sockets(), objects.collect());
    ObjectRun { ranks: processes().map(|(k, _)| rank(100 + k, k as u32)).collect(), ..run }
}

fn found(runs: &[ObjectRun]) -> RankObjects {
    objects_of_ranks(runs, None).unwrap()
}

fn sets(of: &RankObjects) -> Vec<String> {
    of.groups.iter().map(|group| group.ranks.to_string()).collect()
}

fn row<'a>(group: &'a ObjectsOfRanks, name: &str) -> (usize, &'a ObjectRow) {
    let mut rows = group.tables.rows.iter().enumerate();
    rows.find(|(_, row)| row.name.measured().is_some_and(|of| of == name)).unwrap()
}

#[test]
fn ranks_that_do_the_same_stand_together_with_the_least_and_the_most_of_them() {
    let of = found(&[job(&[(0.62, 0), (0.60, 0), (0.66, 0), (0.64, 0)])]);
    assert_eq!(sets(&of), ["0-3"]);
    let group = &of.groups[0];
    let (k, a) = row(group, "a");
    assert_eq!(a.rank, Some(Rank(0)), "the first stands for all");
    let share = group.shares[k].unwrap();
    assert_eq!((share.least, share.most), ((Rank(1), Ratio(0.60)), (Rank(2), Ratio(0.66))));
    let all = group.times[k].measured().unwrap();
    assert!((all.value.0 - 0.63).abs() < 1e-9, "{all:?}");
    let own = a.memory_time.measured().unwrap();
    assert!(all.high.0 - all.low.0 < own.high.0 - own.low.0, "more samples say more: {all:?}, {own:?}");
    assert!((own.value.0 - 0.62).abs() < 1e-9, "a share is of the rank's own time: {own:?}");
}

#[test]
fn ranks_on_other_nodes_or_with_other_shares_stand_apart() {
    let of = found(&[job(&[(0.62, 0), (0.62, 1), (0.60, 0), (0.15, 0), (0.64, 1)])]);
    assert_eq!(sets(&of), ["0,2", "1,4", "3"]);
}

#[test]
fn a_rank_with_an_object_that_others_do_not_have_stands_apart() {
    let mut run = job(&[(0.5, 0), (0.5, 0), (0.5, 0)]);
    run.objects.push(used(101, "own", 0, 800.0));
    assert_eq!(sets(&found(&[run.clone()])), ["0,2", "1"]);
    // One that takes next to nothing is left to chance.
    run.objects.last_mut().unwrap().uses[0].samples = 10.0;
    assert_eq!(sets(&found(&[run])), ["0-2"]);
}

#[test]
fn a_finding_of_one_rank_is_not_said_of_the_others() {
    let mut run = job(&[(0.5, 0), (0.5, 0)]);
    // All pages of rank 1 are used from the other node.
    for of in run.objects.iter_mut().filter(|object| object.process == Pid(101)) {
        of.uses[0].cpu = CpuId(4);
    }
    let of = found(&[run]);
    assert_eq!(sets(&of), ["0", "1"]);
    assert!(of.groups[0].tables.findings.is_empty());
    let ids: Vec<FindingId> = of.groups[1].tables.findings.iter().map(|of| of.finding.id).collect();
    assert_eq!(ids, [FindingId::ObjectOfThreadElsewhere, FindingId::ObjectOfThreadElsewhere]);
}

#[test]
fn too_few_samples_of_each_may_be_enough_together() {
    let few = |ranks: usize| {
        let mut run = job(&vec![(0.6, 0); ranks]);
        for of in run.objects.iter_mut().flat_map(|object| &mut object.uses) {
            of.samples /= 5.0;
        }
        if let Reading::Measured(time) = &mut run.watching.time {
            time.with_memory /= 5;
        }
        found(&[run])
    };
    let of = few(3);
    assert_eq!(sets(&of), ["0-2"]);
    let group = &of.groups[0];
    assert!(group.tables.time_samples.measured().is_none(), "200 samples of the first");
    let (k, a) = row(group, "a");
    assert!(a.memory_time.measured().is_none() && group.shares[k].is_none());
    assert!((group.times[k].measured().unwrap().value.0 - 0.6).abs() < 1e-9);
    let of = few(1);
    assert!(of.groups[0].times.iter().all(|time| time.measured().is_none()), "200 are too few");
    // Where samples are not of what was waited for, many of them are not either.
    let mut run = job(&[(0.5, 0), (0.5, 0)]);
    let Reading::Measured(time) = &mut run.watching.time else { unreachable!() };
    time.skid.one_after = 0;
    assert!(found(&[run]).groups[0].times.iter().all(|time| time.measured().is_none()));
}

/// The one that is a few samples below what is needed is not kept apart for that, and does not stand for the others.
#[test]
fn a_rank_of_which_too_little_is_known_stands_with_those_that_may_do_the_same() {
    let mut run = job(&[(0.6, 0), (0.6, 0), (0.6, 0), (0.1, 0)]);
    for of in run.objects.iter_mut().filter(|object| [100, 103].contains(&object.process.0)) {
        of.uses[0].samples *= 0.35;
    }
    let of = found(&[run.clone()]);
    assert_eq!(sets(&of), ["0-2", "3"]);
    assert_eq!(of.groups[0].like, Some(Rank(1)));
    let share = of.groups[0].shares[row(&of.groups[0], "a").0].unwrap();
    assert_eq!((share.least.0, share.most.0), (Rank(1), Rank(1)), "of rank 0 nothing is said");
    // Next to nothing is known of it: it may be anything.
    for of in run.objects.iter_mut().filter(|object| object.process == Pid(103)) {
        of.uses[0].samples *= 0.02;
    }
    assert_eq!(sets(&found(&[run])), ["0-3"]);
}

#[test]
fn launchers_are_in_no_part_and_a_program_without_ranks_is_one() {
    let mut run = job(&[(0.5, 0), (0.5, 0)]);
    run.objects.push(used(50, "of the launcher", 0, 5000.0));
    let bound = MemoryBound { share: Ratio(0.9), source: MemoryBoundSource::Samples };
    run.memory_bound = Reading::Measured(bound);
    let of = found(&[run.clone()]);
    assert_eq!(sets(&of), ["0-1"]);
    assert!(of.groups[0].run.memory_bound.measured().is_none(), "it is of all processes together");
    let all: BTreeSet<Pid> = run.objects.iter().map(|object| object.process).collect();
    assert_eq!(objects_of_processes(&run, &all).memory_bound, Reading::Measured(bound));
    assert!(of.groups[0].tables.rows.iter().all(|row| row.name.measured().unwrap() != "of the launcher"));
    let alone = sample::run(two_sockets(), vec![used(PROCESS.0, "a", 0, 700.0)]);
    let of = found(&[alone]);
    assert!(of.groups.len() == 1 && of.groups[0].ranks.is_empty());
    assert_eq!(of.groups[0].tables.rows.len(), 1);
}

/// Two computers may give the same number to a process.
#[test]
fn ranks_of_several_runs_keep_their_own_objects() {
    let first = job(&[(0.6, 0)]);
    let second = ObjectRun { ranks: vec![rank(100, 1)], ..job(&[(0.2, 0)]) };
    let of = found(&[first.clone(), second]);
    assert_eq!(sets(&of), ["0", "1"]);
    let shares: Vec<f64> =
        of.groups.iter().map(|group| row(group, "a").1.memory_time.measured().unwrap().value.0).collect();
    assert!((shares[0] - 0.6).abs() < 1e-9 && (shares[1] - 0.2).abs() < 1e-9, "{shares:?}");
    let cost = of.cost.measured().unwrap().0;
    assert!((cost - 0.015).abs() < 1e-9, "15 ms of 1 s of each: {cost}");
    let mut unknown = first.clone();
    unknown.watching.cost = Reading::unavailable("it could not be measured");
    assert!(found(&[first, unknown]).cost.measured().is_none());
}

#[test]
fn ranks_of_computers_with_the_same_nodes_stand_together() {
    let first = job(&[(0.6, 0)]);
    let second = |change: &dyn Fn(&mut Machine)| {
        let mut run = ObjectRun { ranks: vec![rank(100, 1)], ..job(&[(0.6, 0)]) };
        run.header.host.hostname = Reading::Measured("other".to_owned());
        change(&mut run.header.machine);
        sets(&found(&[first.clone(), run]))
    };
    let less_free = |machine: &mut Machine| machine.nodes[0].free = Reading::Measured(Bytes::mib(7));
    assert_eq!(second(&less_free), ["0-1"]);
    let other_nodes = |machine: &mut Machine| machine.nodes[0].cpus = "0,2,4,6".parse().unwrap();
    assert_eq!(second(&other_nodes), ["0", "1"]);
}

#[test]
fn only_ranks_that_were_asked_for_are_shown_and_without_runs_there_is_nothing() {
    let run = job(&[(0.5, 0), (0.5, 1), (0.5, 0)]);
    let asked: RankSet = "1-2".parse().unwrap();
    assert_eq!(sets(&objects_of_ranks(&[run], Some(&asked)).unwrap()), ["1", "2"]);
    assert_eq!(objects_of_ranks(&[], None), None);
    let nothing = sample::run(two_sockets(), Vec::new());
    assert!(found(&[nothing]).groups[0].tables.rows.is_empty());
}
