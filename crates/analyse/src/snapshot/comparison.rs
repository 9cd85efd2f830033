//! Two runs side by side: rows that mean the same thing are joined. Nothing is decided: each ran once.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numawise_facts::activity::{CodePlace, ConstructName};
use numawise_facts::finding::{EvidenceSubject, WatchedSubject};
use numawise_facts::{FindingId, Reading};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    BothRuns, ComparedCall, ComparedFinding, ComparedMemory, ComparedProcess, ComparedRegion, FindingCourse,
    MpiCallRow, NodeMemoryRow, RegionFigures, RegionRow, SnapshotComparison, SnapshotFinding,
};
use numawise_units::{Arrange, Nanoseconds};

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;

/// Both runs' calls, regions and findings, each with that of the other.
pub fn compare_snapshots(first: &RunSnapshot, second: &RunSnapshot) -> SnapshotComparison {
    let runs = [first, second];
    SnapshotComparison {
        memory: memory(runs),
        processes: processes(runs),
        calls: calls(runs),
        regions: regions(runs),
        findings: findings(runs),
    }
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
    let rows = |run: &RunSnapshot| -> Vec<(usize, Option<u32>)> {
        run.rows.iter().map(|row| row.rank.measured().copied()).enumerate().collect()
    };
    let number = |row: Option<&(usize, Option<u32>)>| row.map(|(number, _)| *number);
    let rows = [rows(first), rows(second)];
    joined([&rows[0], &rows[1]], |(_, rank)| *rank)
        .into_iter()
        .map(|((rank, _), [first, second])| ComparedProcess {
            rank,
            runs: BothRuns { first: number(first), second: number(second) },
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
