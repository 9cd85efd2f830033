//! What holds for every job.

use numawise_facts::notice::{ResidencyNotice, ResidencyPart};
use numawise_facts::{MemorySnapshot, PageUse, Reading, Snapshot, TaskSnapshot, ThreadSnapshot};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, Pid};
use proptest::prelude::*;

use crate::residency::residency;
use crate::residency::sample::{heap, task, thread, with_hbm};

fn reading<T: Clone + std::fmt::Debug + 'static>(
    of: impl Strategy<Value = T>,
) -> impl Strategy<Value = Reading<T>> {
    prop_oneof![4 => of.prop_map(Reading::Measured), 1 => Just(Reading::unavailable("not permitted"))]
}

fn a_thread() -> impl Strategy<Value = ThreadSnapshot> {
    let mask = proptest::collection::vec(0u32..10, 0..4)
        .prop_map(|cpus| cpus.into_iter().map(CpuId).collect::<CpuSet>());
    (1i32..40, "[RSDZX]", 0u32..10, reading(mask), 0u64..20, 0u64..20, reading(0u64..90), 0u64..9).prop_map(
        |(tid, state, cpu, mask, cpu_time, started, migrations, faults)| ThreadSnapshot {
            state: state.chars().next().unwrap(),
            mask,
            cpu_time: Nanoseconds(cpu_time * 100_000_000),
            started: Nanoseconds(started * 100_000_000),
            migrations,
            minor_faults: faults,
            ..thread(tid, cpu, 0.0)
        },
    )
}

fn a_memory() -> impl Strategy<Value = MemorySnapshot> {
    let used_for = proptest::sample::select(PageUse::ALL.to_vec());
    proptest::collection::vec((used_for, 0u32..6, 0u64..1_000_000), 0..12).prop_map(|all| MemorySnapshot {
        by_use: all
            .into_iter()
            .map(|(used_for, node, bytes)| (used_for, NodeId(node), Bytes(bytes)))
            .collect(),
        ..heap(&[])
    })
}

fn a_task() -> impl Strategy<Value = TaskSnapshot> {
    let threads = reading(proptest::collection::vec(a_thread(), 0..12));
    (1i32..9, threads, reading(a_memory()), reading(0u32..4), 0u64..3).prop_map(
        |(pid, threads, memory, rank, started)| TaskSnapshot {
            threads,
            memory,
            rank,
            parent: Pid(pid / 2),
            started: Nanoseconds(started),
            ..task(pid, vec![], heap(&[]))
        },
    )
}

fn a_sample() -> impl Strategy<Value = Snapshot> {
    (0u64..30, proptest::collection::vec(a_task(), 0..5)).prop_map(|(at, tasks)| Snapshot {
        at: Nanoseconds(at * 100_000_000),
        unix_time: Nanoseconds(at * 100_000_000),
        tasks,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn totals_are_sums_and_shares_are_shares(now in a_sample(), before in proptest::option::of(a_sample())) {
        let seen = residency(&now, before.as_ref(), &with_hbm());
        let columns = seen.nodes.len();
        prop_assert_eq!(seen.tasks.len(), now.tasks.len());
        prop_assert_eq!(seen.job.by_node.len(), columns);
        let mut all = 0;
        for task in &seen.tasks {
            if let Some(table) = task.memory.measured() {
                all += table.total.0;
                prop_assert_eq!(table.total.0, table.by_node.iter().map(|bytes| bytes.0).sum::<u64>());
                prop_assert_eq!(table.total.0, table.rows.iter().map(|row| row.total.0).sum::<u64>());
                for row in &table.rows {
                    prop_assert_eq!(row.by_node.len(), columns);
                    prop_assert_eq!(row.total.0, row.by_node.iter().map(|bytes| bytes.0).sum::<u64>());
                }
            }
            for thread in task.threads.measured().into_iter().flatten() {
                if let Some(share) = thread.share.measured() {
                    prop_assert!((0.0..=1.0).contains(&share.0), "{}", share.0);
                }
            }
            if let (Some(busy), Some(threads)) = (task.busy.measured(), task.threads.measured()) {
                prop_assert!((0.0..=threads.len() as f64).contains(&busy.0));
            }
            if let Some(times) = task.time_by_node.measured() {
                prop_assert!((times.iter().map(|time| time.0).sum::<f64>() - 1.0).abs() < 1e-9);
            }
            if let Some(local) = task.local.measured() {
                prop_assert!((0.0..=1.0).contains(&local.at_most.0));
                prop_assert!((0.0..=local.at_most.0 + 1e-9).contains(&local.if_alike.0));
            }
            // What is far is what is not local.
            if let (Some(far), Some(local), Some(table)) =
                (task.remote.measured(), task.local.measured(), task.memory.measured())
            {
                let far: u64 = far.iter().map(|far| far.bytes.0).sum();
                let near = local.at_most.0 * table.total.0 as f64;
                prop_assert!((far as f64 + near - table.total.0 as f64).abs() < 1.0);
            }
        }
        if let Some(total) = seen.job.total.measured() {
            prop_assert_eq!(total.0, all);
        }
        let without = |missing: fn(&numawise_facts::TaskSnapshot) -> bool| {
            now.tasks.iter().filter(|task| missing(task)).count() as u64
        };
        prop_assert_eq!(seen.job.left_out.threads, without(|task| task.threads.measured().is_none()));
        prop_assert_eq!(seen.job.left_out.memory, without(|task| task.memory.measured().is_none()));
    }

    #[test]
    fn missing_stays_missing(now in a_sample(), before in proptest::option::of(a_sample())) {
        let seen = residency(&now, before.as_ref(), &with_hbm());
        for task in &now.tasks {
            let shown = seen.tasks.iter().filter(|shown| shown.pid == task.pid && shown.started == task.started);
            for shown in shown.filter(|shown| shown.rank == task.rank && shown.threads.reason().is_some()) {
                prop_assert!(shown.busy.reason().is_some() && shown.mask.reason().is_some());
                prop_assert!(shown.local.reason().is_some() && shown.remote.reason().is_some());
                let is_threads = |note: &ResidencyNotice| {
                    matches!(note, ResidencyNotice::Unavailable { part: ResidencyPart::Threads, .. })
                };
                prop_assert!(seen.notes.iter().any(is_threads));
            }
        }
        let none = now.tasks.iter().all(|task| task.memory.reason().is_some());
        prop_assert_eq!(seen.job.total.reason().is_some(), none);
    }

    #[test]
    fn the_same_samples_give_the_same_tables(now in a_sample(), before in a_sample()) {
        let machine = with_hbm();
        prop_assert_eq!(
            residency(&now, Some(&before), &machine),
            residency(&now, Some(&before), &machine)
        );
    }
}
