use numawise_facts::{MemoryPlan, Strategy};
use numawise_units::{CpuSet, TaskId};

use super::*;

fn placement(binding: ThreadBinding, tasks: &[&[&str]]) -> Placement {
    let task = |(k, threads): (usize, &&[&str])| {
        let threads: Vec<CpuSet> = threads.iter().map(|cpus| cpus.parse().unwrap()).collect();
        let cpus = threads.iter().fold(CpuSet::new(), |all, cpus| all.union(cpus));
        TaskPlacement {
            task: TaskId(k as u32),
            cpus,
            threads,
            memory: MemoryPlan::default_policy(),
            gpus: Vec::new(),
        }
    };
    let tasks = tasks.iter().enumerate().map(task).collect();
    Placement { strategy: Strategy::None, binding, tasks, warnings: vec![] }
}

/// The variables and bytes of the environment of every task of these placements.
fn sizes(placements: &[Placement], pinner: Option<&Pinner>, ours: &[(&str, &str)]) -> Vec<(usize, usize)> {
    let now = |name: &str| ours.iter().find(|(ours, _)| *ours == name).map(|(_, value)| value.into());
    let even = EvenStart::from(placements, pinner, &now);
    let tasks = placements.iter().flat_map(|placement| {
        placement.tasks.iter().map(move |task| (placement.binding, placement.tasks.len(), task))
    });
    tasks
        .map(|(binding, count, task)| {
            let changes = even.changes_from(task, binding, count, pinner, &now);
            let kept = ours.iter().filter(|(name, _)| changes.iter().all(|change| change.name != *name));
            let kept = kept.map(|(name, value)| name.len() + value.len());
            let set =
                changes.iter().filter_map(|change| Some(change.name.len() + change.value.as_ref()?.len()));
            let all: Vec<usize> = kept.chain(set).collect();
            (all.len(), all.iter().sum())
        })
        .collect()
}

#[test]
fn every_task_of_every_placement_starts_with_as_many_variables_and_bytes() {
    let pinner = Pinner { library: "/opt/libnumawise_agent.so".into(), verbose: false };
    let placements = [
        placement(ThreadBinding::Free, &[&["0-15", "0-15", "0-15"]]),
        placement(ThreadBinding::Pinned, &[&["0", "8", "10-12"]]),
        placement(ThreadBinding::Pinned, &[&["0"], &["11"]]),
    ];
    let ours = [
        ("HOME", "/"),
        ("KMP_AFFINITY", "compact"),
        ("OMP_PLACES", "threads"),
        ("LD_PRELOAD", "/a.so"),
        ("GOMP_CPU_AFFINITY", "0-3"),
    ];
    for (pinner, ours) in
        [(Some(&pinner), &ours[..]), (Some(&pinner), &ours[..1]), (None, &ours[..]), (None, &[])]
    {
        let sizes = sizes(&placements, pinner, ours);
        assert_eq!(sizes.len(), 4);
        assert!(sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
    }
}
