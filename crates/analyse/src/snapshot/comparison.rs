//! Two runs side by side: rows that mean the same thing are joined. Nothing is decided: each ran once.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numawise_facts::activity::{CodePlace, ConstructName};
use numawise_facts::finding::{EvidenceSubject, WatchedSubject};
use numawise_facts::{FindingId, Reading};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    BothRuns, ComparedCall, ComparedCount, ComparedFinding, ComparedMemory, ComparedProcess, ComparedRegion,
    ComparedShare, ComparedTime, FindingCourse, MpiCallRow, MpiSummary, NodeMemoryRow, OpenMpSummary,
    PlacementSummary, ProcessPlacement, ProcessRow, RatedShare, RegionFigures, RegionRow, SnapshotComparison,
    SnapshotFinding,
};
use numawise_units::{Arrange, FlopsPerSecond, Nanoseconds};

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;

/// Both runs' figures, calls, regions and findings, each with that of the other.
pub fn compare_snapshots(first: &RunSnapshot, second: &RunSnapshot) -> SnapshotComparison {
    let runs = [first, second];
    let both =
        |of: fn(&RunSnapshot) -> Reading<Nanoseconds>| BothRuns { first: of(first), second: of(second) };
    let times = vec![
        (ComparedTime::Elapsed, both(|run| run.elapsed.clone())),
        (ComparedTime::Span, both(|run| run.span.as_ref().map(|span| span.time))),
        (ComparedTime::MpiImbalance, both(|run| of_mpi(run, |mpi| mpi.imbalance.clone()))),
        (ComparedTime::PotentialGain, both(|run| of_openmp(run, |openmp| openmp.potential_gain.clone()))),
        (ComparedTime::RunDelay, both(|run| of_placement(run, |of| of.run_delay.clone()))),
    ];
    SnapshotComparison {
        times,
        shares: shares(runs),
        counts: counts(runs),
        memory: memory(runs),
        processes: processes(runs),
        flops: BothRuns { first: flops(first), second: flops(second) },
        calls: calls(runs),
        regions: regions(runs),
        findings: findings(runs),
    }
}

fn flops(run: &RunSnapshot) -> Reading<FlopsPerSecond> {
    run.counters.as_ref().and_then(|counters| counters.flops.clone())
}

fn of_mpi<T>(run: &RunSnapshot, of: impl Fn(&MpiSummary) -> Reading<T>) -> Reading<T> {
    run.mpi.as_ref().and_then(of)
}

fn of_openmp<T>(run: &RunSnapshot, of: impl Fn(&OpenMpSummary) -> Reading<T>) -> Reading<T> {
    run.openmp.as_ref().and_then(of)
}

fn of_placement<T>(run: &RunSnapshot, of: impl Fn(&PlacementSummary) -> Reading<T>) -> Reading<T> {
    run.placement.as_ref().and_then(of)
}

fn shares([first, second]: [&RunSnapshot; 2]) -> Vec<(ComparedShare, BothRuns<RatedShare>)> {
    type Share = fn(&RunSnapshot) -> RatedShare;
    // Without MPI or OpenMP there is a reason in the place of the share, and no rating.
    fn rated(of: Reading<&RatedShare>) -> RatedShare {
        match of {
            Reading::Measured(share) => share.clone(),
            Reading::Unavailable { unavailable } => {
                RatedShare { value: Reading::Unavailable { unavailable }, rating: None }
            }
        }
    }
    let all: [(ComparedShare, Share); 17] = [
        (ComparedShare::Useful, |run| run.useful.clone()),
        (ComparedShare::WithCpu, |run| run.efficiency.with_cpu.clone()),
        (ComparedShare::Parallel, |run| run.efficiency.parallel.clone()),
        (ComparedShare::MpiParallel, |run| run.efficiency.mpi_parallel.clone()),
        (ComparedShare::MpiCommunication, |run| run.efficiency.mpi_communication.clone()),
        (ComparedShare::MpiLoadBalance, |run| run.efficiency.mpi_load_balance.clone()),
        (ComparedShare::OpenmpParallel, |run| run.efficiency.openmp_parallel.clone()),
        (ComparedShare::OpenmpSerialization, |run| run.efficiency.openmp_serialization.clone()),
        (ComparedShare::OpenmpLoadBalance, |run| run.efficiency.openmp_load_balance.clone()),
        (ComparedShare::OpenmpScheduling, |run| run.efficiency.openmp_scheduling.clone()),
        (ComparedShare::Mpi, |run| rated(run.mpi.as_ref().map(|mpi| &mpi.share))),
        (ComparedShare::Serial, |run| rated(run.openmp.as_ref().map(|openmp| &openmp.serial))),
        (ComparedShare::Files, |run| run.files.share.clone()),
        (ComparedShare::CyclesPerInstruction, |run| {
            rated(run.counters.as_ref().map(|of| &of.cycles_per_instruction))
        }),
        (ComparedShare::MemoryBound, |run| rated(run.counters.as_ref().map(|of| &of.memory_bound))),
        (ComparedShare::Vector, |run| rated(run.counters.as_ref().map(|of| &of.vector))),
        (ComparedShare::RemoteMemory, |run| rated(run.counters.as_ref().map(|of| &of.remote_memory))),
    ];
    all.into_iter().map(|(name, of)| (name, BothRuns { first: of(first), second: of(second) })).collect()
}

fn counts([first, second]: [&RunSnapshot; 2]) -> Vec<(ComparedCount, BothRuns<Reading<u64>>)> {
    type Count = fn(&RunSnapshot) -> Reading<u64>;
    /// Of threads, where some were seen.
    fn known(of: &PlacementSummary, count: u64) -> Reading<u64> {
        of.migrations.as_ref().map(|_| count)
    }
    let all: [(ComparedCount, Count); 5] = [
        (ComparedCount::Masks, |run| of_placement(run, |of| of.masks.as_ref().map(|masks| masks.sets))),
        (ComparedCount::UnboundThreads, |run| of_placement(run, |of| of.unbound.clone())),
        (ComparedCount::MovedThreads, |run| of_placement(run, |of| known(of, of.moved))),
        (ComparedCount::Migrations, |run| of_placement(run, |of| of.migrations.clone())),
        (ComparedCount::SharedCpus, |run| of_placement(run, |of| known(of, of.shared.len() as u64))),
    ];
    all.into_iter().map(|(name, of)| (name, BothRuns { first: of(first), second: of(second) })).collect()
}

/// The peaks, and the nodes of both: by host where one of the runs has several.
fn memory([first, second]: [&RunSnapshot; 2]) -> Vec<ComparedMemory> {
    fn rows(run: &RunSnapshot) -> &[NodeMemoryRow] {
        run.memory.nodes.measured().map_or(&[], Vec::as_slice)
    }
    let peak = |run: &RunSnapshot| Some(run.memory.peak.clone());
    let all = ComparedMemory { node: None, runs: BothRuns { first: peak(first), second: peak(second) } };
    let has_several = first.processes.hosts > 1 || second.processes.hosts > 1;
    let key = |row: &NodeMemoryRow| (if has_several { row.host.clone() } else { String::new() }, row.node);
    // Where a run's memory is not known, that is not none.
    let most = |run: &RunSnapshot, row: Option<&NodeMemoryRow>| match (row, run.memory.nodes.reason()) {
        (Some(row), _) => Some(row.most.clone()),
        (None, Some(reason)) => Some(Reading::Unavailable { unavailable: reason.clone() }),
        (None, None) => None,
    };
    let nodes = joined([rows(first), rows(second)], key).into_iter().map(|((node, _), [a, b])| {
        ComparedMemory { node: Some(node), runs: BothRuns { first: most(first, a), second: most(second, b) } }
    });
    std::iter::once(all).chain(nodes).collect()
}

fn processes([first, second]: [&RunSnapshot; 2]) -> Vec<ComparedProcess> {
    let of = |row: &ProcessRow| ProcessPlacement {
        mask: row.mask.clone(),
        run_delay: row.run_delay.clone(),
        migrations: row.migrations(),
        peak_memory: row.memory.peak.clone(),
    };
    let all = joined([&first.rows, &second.rows], |row| row.rank.measured().copied());
    all.into_iter()
        .map(|((rank, _), [first, second])| ComparedProcess {
            rank,
            runs: BothRuns { first: first.map(of), second: second.map(of) },
        })
        .collect()
}

/// Rows of both runs by what they have in common, in the order of the keys.
fn joined<'a, K: Ord, R>(
    rows: [&'a [R]; 2],
    key: impl Fn(&'a R) -> K,
) -> BTreeMap<(K, usize), [Option<&'a R>; 2]> {
    let mut all: BTreeMap<(K, usize), [Option<&'a R>; 2]> = BTreeMap::new();
    for (side, rows) in rows.into_iter().enumerate() {
        for row in rows {
            // The second row of the same key is joined with the second one of the other run.
            let mut entry = (key(row), 0);
            while all.get(&entry).is_some_and(|found| found[side].is_some()) {
                entry.1 += 1;
            }
            all.entry(entry).or_default()[side] = Some(row);
        }
    }
    all
}

fn calls([first, second]: [&RunSnapshot; 2]) -> Vec<ComparedCall> {
    fn rows(run: &RunSnapshot) -> &[MpiCallRow] {
        run.mpi.measured().map_or(&[], |mpi| &mpi.calls)
    }
    let figures = |row: &MpiCallRow| {
        let bytes = row.sent.clone().zip(row.received.clone());
        (row.calls, bytes.map(|(sent, received)| sent + received))
    };
    let mut all: Vec<ComparedCall> = joined([rows(first), rows(second)], |row| row.call.as_str())
        .into_iter()
        .map(|((call, _), [first, second])| ComparedCall {
            call: call.to_owned(),
            runs: BothRuns { first: first.map(figures), second: second.map(figures) },
        })
        .collect();
    let time = |run: &Option<(numawise_facts::activity::CallTime, Reading<_>)>| {
        run.as_ref().map_or(Nanoseconds(0), |(calls, _)| calls.time)
    };
    all.arrange_by_key(|row| Reverse(time(&row.runs.first).max(time(&row.runs.second))));
    all
}

/// What a place is called that stays when lines move.
fn name(place: &Reading<CodePlace>) -> (String, String, u64) {
    let Some(place) = place.measured() else { return Default::default() };
    let text = |of: &Reading<String>| of.measured().cloned().unwrap_or_default();
    let function = text(&place.source.function);
    // Without a name only the address is left, which is good for the same program.
    let address = if function.is_empty() { place.address } else { 0 };
    (function, text(&place.source.file), address)
}

type RegionKey = (ConstructName, (String, String, u64), Vec<(String, String, u64)>);

fn regions([first, second]: [&RunSnapshot; 2]) -> Vec<ComparedRegion> {
    // Several of a function are joined in the order of their lines.
    fn rows(run: &RunSnapshot) -> Vec<&RegionRow> {
        let regions = run.openmp.measured().map_or(&[][..], |openmp| &openmp.regions);
        let mut rows: Vec<&RegionRow> = regions.iter().collect();
        let line =
            |row: &RegionRow| row.place.measured().and_then(|place| place.source.line.measured().copied());
        rows.arrange_by_key(|row| line(row));
        rows
    }
    let key = |row: &&RegionRow| -> RegionKey {
        (row.name, name(&row.place), row.within.iter().map(name).collect())
    };
    let figures = |row: &&RegionRow| RegionFigures {
        calls: row.calls,
        time: row.time,
        potential_gain: row.potential_gain.clone(),
    };
    let (first, second) = (rows(first), rows(second));
    let mut all: Vec<ComparedRegion> = joined([&first, &second], key)
        .into_iter()
        .filter_map(|((key, _), [first, second])| {
            let place = second.or(first)?.place.clone();
            let runs = BothRuns { first: first.map(figures), second: second.map(figures) };
            Some(ComparedRegion { name: key.0, place, runs })
        })
        .collect();
    let time = |run: &Option<RegionFigures>| run.as_ref().map_or(Nanoseconds(0), |of| of.time);
    all.arrange_by_key(|row| Reverse(time(&row.runs.first).max(time(&row.runs.second))));
    all
}

/// What a finding is of, as far as that stays the same from run to run.
fn finding_key(of: &SnapshotFinding) -> (&'static str, Vec<(String, String, u64)>, String) {
    let mut found = (of.finding.id.code(), Vec::new(), String::new());
    for one in &of.finding.evidence {
        let EvidenceSubject::Watched(subject) = &one.subject else { continue };
        match subject {
            WatchedSubject::Region { place, within } if found.1.is_empty() => {
                found.1.push(name(place));
                found.1.extend(within.clone().map(|within| name(&Reading::Measured(within))));
            }
            WatchedSubject::ConstructAt { place, .. } if found.1.is_empty() => found.1.push(name(place)),
            WatchedSubject::Call { call } | WatchedSubject::CallAt { call, .. } => found.2.clone_from(call),
            _ => {}
        }
    }
    found
}

fn findings([first, second]: [&RunSnapshot; 2]) -> Vec<ComparedFinding> {
    let id = |of: &SnapshotFinding| -> FindingId { of.finding.id };
    let potential = |of: &SnapshotFinding| of.potential.as_ref().map(|gain| gain.share);
    let mut all: Vec<ComparedFinding> = joined([&first.findings, &second.findings], finding_key)
        .into_values()
        .filter_map(|[first, second]| {
            let course = match (first, second) {
                (None, _) => FindingCourse::Came,
                (Some(_), None) => FindingCourse::Went,
                (Some(_), Some(_)) => FindingCourse::Stayed,
            };
            let potential = BothRuns { first: first.map(potential), second: second.map(potential) };
            Some(ComparedFinding { id: id(second.or(first)?), course, potential })
        })
        .collect();
    all.arrange_by_key(|one| one.course);
    all
}
