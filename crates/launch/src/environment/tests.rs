use numawise_facts::MemoryPlan;
use numawise_units::TaskId;

use super::*;

fn task(threads: &[&str]) -> TaskPlacement {
    let threads: Vec<numawise_units::CpuSet> = threads.iter().map(|cpus| cpus.parse().unwrap()).collect();
    let cpus = threads.iter().fold(numawise_units::CpuSet::new(), |all, cpus| all.union(cpus));
    TaskPlacement { task: TaskId(0), cpus, threads, memory: MemoryPlan::default_policy() }
}

fn value<'a>(changes: &'a [Change], name: &str) -> Option<&'a str> {
    changes.iter().find(|change| change.name == name)?.value.as_deref()
}

#[test]
fn free_threads_are_only_counted() {
    let changes = environment(&task(&["0-3", "0-3"]), ThreadBinding::Free);
    assert_eq!(changes, [Change { name: "OMP_NUM_THREADS", value: Some("2".to_owned()) }]);
}

#[test]
fn pinned_threads_have_places_in_their_own_order() {
    let changes = environment(&task(&["4", "0", "8-9"]), ThreadBinding::Pinned);
    assert_eq!(value(&changes, "OMP_NUM_THREADS"), Some("3"));
    assert_eq!(value(&changes, "OMP_PLACES"), Some("{4},{0},{8,9}"));
    assert_eq!(value(&changes, "OMP_PROC_BIND"), Some("close"));
    assert!(changes.contains(&Change { name: "KMP_AFFINITY", value: None }));
}

#[test]
fn what_the_user_had_set_otherwise_is_said() {
    let changes = environment(&task(&["0", "1"]), ThreadBinding::Pinned);
    let now = |name: &str| match name {
        "OMP_NUM_THREADS" => Some("2".into()),
        "OMP_PROC_BIND" => Some("spread".into()),
        "KMP_AFFINITY" => Some("compact".into()),
        _ => None,
    };
    let sentences = overrides(&changes, now);
    assert_eq!(sentences.len(), 2, "{sentences:?}");
    assert!(sentences[0].contains("OMP_PROC_BIND=spread") && sentences[0].contains("replaced by close"));
    assert!(sentences[1].contains("KMP_AFFINITY=compact") && sentences[1].contains("taken out"));
    assert!(overrides(&changes, |_| None).is_empty());
}
