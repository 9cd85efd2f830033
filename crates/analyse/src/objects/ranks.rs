//! The memory objects of a job rank by rank. Ranks that do the same share a place: a thousand of them do not take a thousand tables.

use std::collections::BTreeSet;

use numawise_facts::objects::{ObjectKind, TimeSamples};
use numawise_facts::{FindingId, ObjectRun, RankSet, Reading, ResourceUsage};
use numawise_tables::ObjectTables;
use numawise_tables::objects::{
    NodeShare, ObjectRow, ObjectsOfRanks, RankObjects, ShareInterval, ShareOfRanks,
};
use numawise_units::{Arrange, CpuSet, NodeId, Pid, Rank, Ratio};

use super::{MemorySamples, objects};

#[cfg(test)]
#[path = "ranks_tests.rs"]
mod tests;

/// An object with less of the time of its rank does not tell ranks apart.
const TELLING: f64 = 0.05;
/// Shares of ranks that do the same differ by less. One of 400 samples is known within 5 points.
const ALIKE: f64 = 0.10;
/// Samples of a rank from which on they tell it apart, by as much as is known from so few: a half is known within 14 points then.
const LEAST_TELLING: u64 = 50;

/// The objects of these runs, by rank; of `asked` only where not all were asked for. Nothing where there are no runs.
pub fn objects_of_ranks(runs: &[ObjectRun], asked: Option<&RankSet>) -> Option<RankObjects> {
    let is_asked = |rank: &Option<Rank>| match (rank, asked) {
        (Some(rank), Some(asked)) => asked.contains(*rank),
        _ => true,
    };
    let parts = runs.iter().flat_map(|run| {
        let ranks = ranks(run).into_iter().filter(is_asked);
        ranks.map(move |rank| OneRank::of(rank, of_rank(run, rank)))
    });
    // The first of a group stands for it: one of which times are said, where there is one.
    let (known, unknown): (Vec<OneRank>, Vec<OneRank>) =
        parts.partition(|one| one.tables.time_samples.measured().is_some());
    let mut groups: Vec<Group> = Vec::new();
    for one in known.into_iter().chain(unknown) {
        match groups.iter_mut().find(|group| are_alike(&group.first, &one)) {
            Some(group) => group.join(&one),
            None => groups.push(Group::of(one)),
        }
    }
    let mut groups: Vec<ObjectsOfRanks> = groups.into_iter().map(Group::finish).collect();
    groups.arrange_by_key(|group| (group.ranks.is_empty(), group.ranks.first()));
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
        code: Reading::unavailable("its loops were not surveyed"),
    };
    // Of the samples without memory that is known nobody noted whose they are: some are of these.
    if others {
        part.memory_bound =
            Reading::unavailable("samples without memory are known of all processes of the run together");
    }
    if let Reading::Measured(time) = &mut part.watching.time
        && others
    {
        let with_memory = part.objects.iter().map(super::samples).sum::<f64>().round() as u64;
        let part_of_all = with_memory as f64 / time.with_memory.max(1) as f64;
        let unknown_address = (time.unknown_address as f64 * part_of_all).round() as u64;
        *time = TimeSamples { samples: with_memory, with_memory, unknown_address, spinning: 0, ..*time };
    }
    part
}

/// What is known of a rank.
struct OneRank {
    rank: Option<Rank>,
    run: ObjectRun,
    tables: ObjectTables,
    /// Samples with memory; none where they are not of the memory that was waited for.
    samples: Option<MemorySamples>,
}

impl OneRank {
    fn of(rank: Option<Rank>, run: ObjectRun) -> OneRank {
        let tables = objects(&run);
        let time = run.watching.time.measured();
        let samples = time.filter(|time| super::is_trusted(time)).map(MemorySamples::of);
        OneRank { rank, run, tables, samples }
    }

    fn samples_of(&self, row: &ObjectRow) -> f64 {
        self.run.objects.get(row.object).map_or(0.0, super::samples)
    }

    /// Its share of the rank's time, also where too little is known of that to be said.
    fn time(&self, row: &ObjectRow) -> Option<ShareInterval> {
        let all = self.samples.filter(|samples| samples.known >= LEAST_TELLING)?;
        all.share(self.samples_of(row)).measured().copied()
    }

    /// The rows that tell ranks apart; where nothing is known of times, those with much of the memory.
    fn telling(&self) -> Vec<&ObjectRow> {
        let rows = &self.tables.rows;
        let all: f64 = rows.iter().map(|row| row.bytes.0 as f64).sum();
        let counts = |row: &&ObjectRow| match self.time(row) {
            Some(share) => share.value.0 >= TELLING,
            None => row.bytes.0 as f64 >= TELLING * all,
        };
        rows.iter().filter(counts).collect()
    }
}

/// Ranks that are alike, while more come.
struct Group {
    first: OneRank,
    ranks: RankSet,
    shares: Vec<Option<ShareOfRanks>>,
    /// Samples of each row, of all ranks together.
    samples: Vec<f64>,
    /// All samples with memory; none where those of a rank are not of what was waited for.
    all: Option<MemorySamples>,
}

impl Group {
    fn of(first: OneRank) -> Group {
        let rank = first.rank;
        let shares = first.tables.rows.iter().map(|row| {
            let value = row.memory_time.measured()?.value;
            Some(ShareOfRanks { least: (rank?, value), most: (rank?, value) })
        });
        let samples = first.tables.rows.iter().map(|row| first.samples_of(row)).collect();
        Group {
            shares: shares.collect(),
            samples,
            ranks: rank.into_iter().collect(),
            all: first.samples,
            first,
        }
    }

    fn join(&mut self, one: &OneRank) {
        let Some(rank) = one.rank else { return };
        self.ranks.insert(rank);
        self.all = self.all.zip(one.samples).map(|(all, samples)| all.and(samples));
        // Each of the other's rows once: a line may allocate several that have no names.
        let mut left: Vec<&ObjectRow> = one.tables.rows.iter().collect();
        let sums = self.shares.iter_mut().zip(&mut self.samples);
        for (row, (share, samples)) in self.first.tables.rows.iter().zip(sums) {
            let Some(same) = left.iter().position(|other| is_same(row, other)) else { continue };
            let other = left.remove(same);
            *samples += one.samples_of(other);
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
        let Group { first: OneRank { rank: like, run, tables, .. }, ranks, shares, samples, all } = self;
        // Too few of each may be enough together.
        let enough = all.map_or_else(|| super::time_samples(&run), super::enough);
        let share = |samples: &f64| enough.clone().and_then(|all| all.share(*samples));
        let times = samples.iter().map(share).collect();
        ObjectsOfRanks { ranks, like, run, tables, times, shares }
    }
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

/// Whether two ranks do the same: their objects that count are the same, take as much of their time, lie and are used on the same nodes.
fn are_alike(one: &OneRank, other: &OneRank) -> bool {
    let pairs = || {
        let rows = other.telling().into_iter();
        rows.filter_map(|row| Some((one.tables.rows.iter().find(|of| is_same(of, row))?, row)))
    };
    // Which of two objects is just above the least share is left to chance; those of one that is well above are not.
    let has_none_alone = |of: &OneRank, all: &OneRank| {
        let is_well_above = |row: &&ObjectRow| of.time(row).is_some_and(|time| time.low.0 >= TELLING + ALIKE);
        let mut rows = of.telling().into_iter().filter(is_well_above);
        rows.all(|row| all.tables.rows.iter().any(|other| is_same(other, row)))
    };
    let are_known = [one, other].iter().all(|of| of.tables.time_samples.measured().is_some());
    have_same_nodes(&one.run, &other.run)
        && one.samples.is_some() == other.samples.is_some()
        && has_none_alone(one, other)
        && has_none_alone(other, one)
        && pairs().all(|pair| do_the_same((one, pair.0), (other, pair.1)))
        // What is found is not found where too little is known.
        && (!are_known || findings(&one.tables) == findings(&other.tables))
}

/// Numbers of nodes mean the same on both computers. Free memory is of a moment.
fn have_same_nodes(one: &ObjectRun, other: &ObjectRun) -> bool {
    let nodes = |run: &ObjectRun| -> Vec<(NodeId, CpuSet)> {
        run.header.machine.nodes.iter().map(|node| (node.id, node.cpus.clone())).collect()
    };
    nodes(one) == nodes(other)
}

fn do_the_same((one, of_one): (&OneRank, &ObjectRow), (other, of_other): (&OneRank, &ObjectRow)) -> bool {
    let takes_as_much = match (one.time(of_one), other.time(of_other)) {
        // Within what is known of them, also where that is less than what is alike.
        (Some(one), Some(other)) => {
            (one.value.0 - other.value.0).abs() <= ALIKE || (one.low <= other.high && other.low <= one.high)
        }
        _ => true,
    };
    let sizes = [of_one.bytes.0 as f64, of_other.bytes.0 as f64];
    let is_as_large = sizes[0].min(sizes[1]) >= 0.5 * sizes[0].max(sizes[1]);
    let remote = |row: &ObjectRow| row.used.measured().and_then(|used| used.remote.measured().copied());
    let nodes = |row: &ObjectRow| row.used.measured().map(|used| used.nodes.clone());
    takes_as_much
        && is_as_large
        && are_near(of_one.pages.measured(), of_other.pages.measured())
        && are_near(nodes(of_one).as_ref(), nodes(of_other).as_ref())
        && match (remote(of_one), remote(of_other)) {
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
