//! The memory objects of a job rank by rank. Ranks that do the same share a place: a thousand of them do not take a thousand tables.

use std::collections::BTreeSet;

use numawise_facts::objects::{ObjectKind, TimeSamples};
use numawise_facts::{FindingId, ObjectRun, RankSet, Reading, ResourceUsage};
use numawise_tables::ObjectTables;
use numawise_tables::objects::{NodeShare, ObjectRow, ObjectsOfRanks, RankObjects, ShareOfRanks, UseRow};
use numawise_units::{CpuSet, NodeId, Pid, Rank, Ratio};

use super::objects;

#[cfg(test)]
#[path = "ranks_tests.rs"]
mod tests;

/// An object with less of the time of its rank does not tell ranks apart.
const TELLING: f64 = 0.05;
/// Shares of ranks that do the same differ by less. One of 400 samples is known within 5 points.
const ALIKE: f64 = 0.10;

/// The objects of these runs, by rank; of `asked` only where not all were asked for. Nothing where there are no runs.
pub fn objects_of_ranks(runs: &[ObjectRun], asked: Option<&RankSet>) -> Option<RankObjects> {
    let is_asked = |rank: &Option<Rank>| match (rank, asked) {
        (Some(rank), Some(asked)) => asked.contains(*rank),
        _ => true,
    };
    let mut groups: Vec<Group> = Vec::new();
    for run in runs {
        for rank in ranks(run).into_iter().filter(is_asked) {
            let run = of_rank(run, rank);
            let tables = objects(&run);
            match groups.iter_mut().find(|group| are_alike(&group.of, &run, &tables)) {
                Some(group) => group.join(rank, &run, &tables),
                None => groups.push(Group::of(rank, run, tables)),
            }
        }
    }
    let mut groups: Vec<ObjectsOfRanks> = groups.into_iter().map(Group::finish).collect();
    groups.sort_by_key(|group| (group.ranks.is_empty(), group.ranks.first()));
    (!runs.is_empty()).then(|| RankObjects { groups, cost: cost(runs) })
}

/// Those of a run; none where no launcher named one, so that all of its processes stand together.
fn ranks(run: &ObjectRun) -> BTreeSet<Option<Rank>> {
    let named: BTreeSet<Option<Rank>> = run.ranks.iter().map(|of| Some(of.rank)).collect();
    if named.is_empty() { BTreeSet::from([None]) } else { named }
}

/// What the run says of one rank: launchers and others that are none are in no part.
fn of_rank(run: &ObjectRun, rank: Option<Rank>) -> ObjectRun {
    let Some(rank) = rank else { return run.clone() };
    let processes: BTreeSet<Pid> =
        run.ranks.iter().filter(|of| of.rank == rank).map(|of| of.process).collect();
    objects_of_processes(run, &processes)
}

/// The part of a run that is of these processes: shares are of their time.
pub fn objects_of_processes(run: &ObjectRun, processes: &BTreeSet<Pid>) -> ObjectRun {
    let is_own = |process: &Pid| processes.contains(process);
    let others = run.objects.iter().any(|object| !is_own(&object.process));
    let mut part = ObjectRun {
        objects: run.objects.iter().filter(|object| is_own(&object.process)).cloned().collect(),
        header: run.header.clone(),
        watching: run.watching.clone(),
        threads: run.threads.clone(),
        places: run.places.clone(),
        ranks: run.ranks.iter().filter(|of| is_own(&of.process)).copied().collect(),
        sources: run.sources.clone(),
        bandwidth: run.bandwidth.clone(),
        memory_bound: run.memory_bound.clone(),
        trials: Vec::new(),
    };
    if let Reading::Measured(time) = &mut part.watching.time
        && others
    {
        // Of the samples without memory nobody noted whose they are.
        let with_memory = part.objects.iter().map(super::samples).sum::<f64>().round() as u64;
        *time = TimeSamples { samples: with_memory, with_memory, unknown_address: 0, spinning: 0, ..*time };
    }
    part
}

/// Ranks that are alike, while more come.
struct Group {
    of: ObjectsOfRanks,
    /// Samples of each row, of all ranks together.
    samples: Vec<f64>,
    all: u64,
    /// Of all of them a sample is of the memory that was waited for.
    are_trusted: bool,
}

impl Group {
    fn of(rank: Option<Rank>, run: ObjectRun, tables: ObjectTables) -> Group {
        let shares = tables.rows.iter().map(|row| {
            let value = row.memory_time.measured()?.value;
            Some(ShareOfRanks { least: (rank?, value), most: (rank?, value) })
        });
        let shares = shares.collect();
        let samples = tables.rows.iter().map(|row| of_row(&run, row)).collect();
        let (all, are_trusted) = with_memory(&run);
        let ranks = rank.into_iter().collect();
        let of = ObjectsOfRanks { ranks, run, tables, times: Vec::new(), shares };
        Group { of, samples, all, are_trusted }
    }

    fn join(&mut self, rank: Option<Rank>, run: &ObjectRun, tables: &ObjectTables) {
        let Some(rank) = rank else { return };
        let (all, are_trusted) = with_memory(run);
        self.all += all;
        self.are_trusted &= are_trusted;
        let of = &mut self.of;
        of.ranks.insert(rank);
        // Each of the other's rows once: a line may allocate several that have no names.
        let mut left: Vec<&ObjectRow> = tables.rows.iter().collect();
        for (row, (share, samples)) in of.tables.rows.iter().zip(of.shares.iter_mut().zip(&mut self.samples))
        {
            let Some(same) = left.iter().position(|other| is_same(row, other)) else { continue };
            let other = left.remove(same);
            *samples += of_row(run, other);
            let (Some(share), Reading::Measured(time)) = (share, &other.memory_time) else { continue };
            if time.value.0 < share.least.1.0 {
                share.least = (rank, time.value);
            }
            if time.value.0 > share.most.1.0 {
                share.most = (rank, time.value);
            }
        }
    }

    fn finish(self) -> ObjectsOfRanks {
        let Group { mut of, samples, all, are_trusted } = self;
        let enough = match &of.tables.time_samples {
            // Too few of each may be enough together.
            Reading::Unavailable { .. } if are_trusted => super::enough(all),
            of_first => of_first.clone().map(|_| all),
        };
        let share = |samples: &f64| enough.clone().and_then(|all| super::interval(*samples, all as f64));
        of.times = samples.iter().map(share).collect();
        of
    }
}

fn of_row(run: &ObjectRun, row: &ObjectRow) -> f64 {
    run.objects.get(row.object).map_or(0.0, super::samples)
}

fn with_memory(run: &ObjectRun) -> (u64, bool) {
    run.watching.time.measured().map_or((0, false), |time| (time.with_memory, super::is_trusted(time)))
}

/// The same line allocates it under the same name, in another process.
fn is_same(one: &ObjectRow, other: &ObjectRow) -> bool {
    let (name, allocated) = (one.name.measured(), one.allocated.measured());
    let is_known = name.is_some() || allocated.is_some() || is_alone(one.kind);
    is_known
        && one.kind == other.kind
        && name == other.name.measured()
        && allocated == other.allocated.measured()
        && one.called_at == other.called_at
}

/// Kinds of which each process has one.
fn is_alone(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Stack | ObjectKind::Small | ObjectKind::Other)
}

/// Whether a rank does the same as those of a group: its objects that count are theirs, take as much of its time, lie and are used as theirs.
fn are_alike(group: &ObjectsOfRanks, run: &ObjectRun, tables: &ObjectTables) -> bool {
    let (own, other) = (telling(&group.tables), telling(tables));
    let is_known = |of: &ObjectTables| of.time_samples.measured().is_some();
    let pairs = || other.iter().filter_map(|row| Some((*own.iter().find(|of| is_same(of, row))?, *row)));
    // Which of two objects is just above the least share is left to chance; those of one that is well above are not.
    let has_none_alone = |some: &[&ObjectRow], all: &ObjectTables| {
        some.iter().all(|row| weight(row) < TELLING + ALIKE || all.rows.iter().any(|of| is_same(of, row)))
    };
    have_same_nodes(&group.run, run)
        && is_known(&group.tables) == is_known(tables)
        && has_none_alone(&own, tables)
        && has_none_alone(&other, &group.tables)
        && pairs().all(|(one, other)| do_the_same(one, other))
        && findings(&group.tables) == findings(tables)
}

/// Numbers of nodes mean the same on both computers. Free memory is of a moment.
fn have_same_nodes(one: &ObjectRun, other: &ObjectRun) -> bool {
    let nodes = |run: &ObjectRun| -> Vec<(NodeId, CpuSet)> {
        run.header.machine.nodes.iter().map(|node| (node.id, node.cpus.clone())).collect()
    };
    nodes(one) == nodes(other)
}

/// The rows that tell ranks apart; where times are withheld, those with much of the memory.
fn telling(tables: &ObjectTables) -> Vec<&ObjectRow> {
    let all: f64 = tables.rows.iter().map(|row| row.bytes.0 as f64).sum();
    let counts = |row: &&ObjectRow| match row.memory_time.measured() {
        Some(share) => share.value.0 >= TELLING,
        None => row.bytes.0 as f64 >= TELLING * all,
    };
    tables.rows.iter().filter(counts).collect()
}

fn weight(row: &ObjectRow) -> f64 {
    row.memory_time.measured().map_or(0.0, |share| share.value.0)
}

fn do_the_same(one: &ObjectRow, other: &ObjectRow) -> bool {
    let times = [one, other].map(|row| row.memory_time.measured().copied());
    let takes_as_much = match times {
        // Within what is known of them, also where that is less than what is alike.
        [Some(one), Some(other)] => {
            (one.value.0 - other.value.0).abs() <= ALIKE || (one.low <= other.high && other.low <= one.high)
        }
        _ => true,
    };
    let sizes = [one.bytes.0 as f64, other.bytes.0 as f64];
    let is_as_large = sizes[0].min(sizes[1]) >= 0.5 * sizes[0].max(sizes[1]);
    let remote = |row: &ObjectRow| row.used.measured().and_then(|used| used.remote.measured().copied());
    let nodes = |used: &UseRow| used.nodes.clone();
    takes_as_much
        && is_as_large
        && are_near(one.pages.measured(), other.pages.measured())
        && are_near(one.used.measured().map(nodes).as_ref(), other.used.measured().map(nodes).as_ref())
        && match (remote(one), remote(other)) {
            (Some(Ratio(one)), Some(Ratio(other))) => (one - other).abs() <= ALIKE,
            _ => true,
        }
}

/// Whether parts by node are the same within what is alike; what is not known of one of them tells nothing.
fn are_near(one: Option<&Vec<NodeShare>>, other: Option<&Vec<NodeShare>>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return true };
    let share = |of: &[NodeShare], node: Option<NodeId>| {
        of.iter().find(|of| of.node == node).map_or(0.0, |of| of.share.0)
    };
    one.iter().chain(other).all(|of| (share(one, of.node) - share(other, of.node)).abs() <= ALIKE)
}

/// What is found of which object.
fn findings(tables: &ObjectTables) -> BTreeSet<(FindingId, Option<&str>)> {
    let name = |row: usize| tables.rows.get(row).and_then(|row| row.name.measured()).map(String::as_str);
    tables.findings.iter().map(|of| (of.finding.id, name(of.row))).collect()
}

/// What following took of the CPU time of all ranks.
fn cost(runs: &[ObjectRun]) -> Reading<Ratio> {
    let costs = runs.iter().map(|run| run.watching.cost.clone());
    let costs = costs.reduce(|sum, one| sum.zip(one).map(|(sum, one)| sum + one));
    let used = ResourceUsage::together(runs.iter().map(|run| &run.header.usage));
    let (Some(cost), Some(used)) = (costs, used) else { return Reading::unavailable("nothing was followed") };
    cost.zip(used.cpu_time()).and_then(super::share_of_time)
}
