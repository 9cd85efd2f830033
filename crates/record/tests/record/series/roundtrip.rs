//! What is kept comes back.

use std::path::PathBuf;

use numawise_facts::{
    MappingSnapshot, MemorySnapshot, PageUse, PolicyShare, Reading, Snapshot, TaskSnapshot, ThreadSnapshot,
};
use numawise_record::{RecordError, RecordKind, Series, kind};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};
use proptest::prelude::*;

use super::sample;
use crate::sample::{cpus, machine};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("job.nw")
    }

    fn record(&self, snapshots: &[Snapshot]) {
        let mut series = sample::open(&self.file());
        for snapshot in snapshots {
            series.append(snapshot).unwrap();
        }
    }

    fn looks(&self) -> Vec<Snapshot> {
        Series::read(&self.file()).unwrap().1
    }
}

#[test]
fn looks_come_back_as_they_were() {
    let place = Place::new();
    place.record(&sample::snapshots(80));
    let (found, looks) = Series::read(&place.file()).unwrap();
    assert_eq!(found, machine());
    assert_eq!(looks, sample::snapshots(80));
    assert_eq!(kind(&place.file()).unwrap(), RecordKind::Series);
}

#[test]
fn a_series_without_looks_is_a_series() {
    let place = Place::new();
    place.record(&[]);
    assert_eq!(place.looks(), []);
    let nobody = Snapshot { tasks: vec![], ..sample::snapshot(0) };
    place.record(std::slice::from_ref(&nobody));
    assert_eq!(place.looks(), [nobody]);
}

#[test]
fn the_same_file_goes_on_and_tells_its_sessions_apart() {
    let place = Place::new();
    let looks = sample::snapshots(30);
    place.record(&looks[..11]);
    place.record(&looks[11..12]);
    place.record(&looks[20..]);
    let mut expected = looks[..12].to_vec();
    expected.extend_from_slice(&looks[20..]);
    assert_eq!(place.looks(), expected);
    let mut sessions = Vec::new();
    Series::replay(&place.file(), |_, session, _| sessions.push(session)).unwrap();
    let counts: Vec<usize> = (0..3).map(|k| sessions.iter().filter(|&&s| s == k).count()).collect();
    assert_eq!((counts, sessions.is_sorted()), (vec![11, 1, 10], true));
}

#[test]
fn free_memory_and_limits_may_change_between_sessions() {
    let place = Place::new();
    place.record(&[sample::snapshot(0)]);
    let mut later = machine();
    later.nodes[0].free = Reading::unavailable("not read");
    later.allowed_cpus = cpus("1");
    drop(sample::open(&place.file()));
    let mut series = loop {
        match Series::open(&place.file(), &later) {
            // As in `sample::open`.
            Err(RecordError::InUse(_)) => std::thread::sleep(std::time::Duration::from_millis(5)),
            opened => break opened.unwrap(),
        }
    };
    series.append(&sample::snapshot(1)).unwrap();
    assert_eq!(place.looks(), sample::snapshots(2));
}

/// They would be most of the file, and what matters of them is in the policies.
#[test]
fn the_largest_mappings_are_left_out() {
    let place = Place::new();
    let mut look = sample::snapshot(0);
    let Reading::Measured(memory) = &mut look.tasks[0].memory else { panic!("it has memory") };
    memory.largest = vec![MappingSnapshot {
        address: 0x7f00_0000_0000,
        used_for: PageUse::Heap,
        policy: "default".to_owned(),
        page: Bytes(4096),
        by_node: vec![(NodeId(0), Bytes::mib(10))],
        file: None,
    }];
    place.record(&[look]);
    assert_eq!(place.looks(), [sample::snapshot(0)]);
}

/// The largest that a machine can give; beyond them a look is refused, since a record that says so would be.
#[test]
fn the_largest_numbers_come_back() {
    let place = Place::new();
    let mut look = sample::snapshot(0);
    look.unix_time = Nanoseconds(i64::MAX as u64);
    let Reading::Measured(threads) = &mut look.tasks[0].threads else { panic!("it has threads") };
    threads[0].cpu_time = Nanoseconds(9 * 365 * 86_400 * 1_000_000_000);
    threads[0].minor_faults = 1 << 53;
    threads[0].migrations = Reading::Measured((1 << 53) - 1);
    threads[0].state = '\u{1F600}';
    let Reading::Measured(memory) = &mut look.tasks[0].memory else { panic!("it has memory") };
    memory.by_use[0].2 = Bytes((1 << 52) - (1 << 30));
    memory.mappings = 1 << 53;
    place.record(&[look.clone(), look.clone()]);
    assert_eq!(place.looks(), [look.clone(), look.clone()]);
    let mut series = sample::open(&place.file());
    look.unix_time = Nanoseconds(u64::MAX);
    let error = series.append(&look).unwrap_err();
    assert!(matches!(error, RecordError::Unstorable(_)), "{error}");
}

#[test]
fn a_reader_sees_what_is_there_while_somebody_records() {
    let place = Place::new();
    let mut series = Series::open(&place.file(), &machine()).unwrap();
    for look in 0..5 {
        series.append(&sample::snapshot(look)).unwrap();
        assert_eq!(place.looks(), sample::snapshots(look + 1));
    }
}

fn reading<T: std::fmt::Debug + Clone + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Reading<T>> {
    prop_oneof![
        4 => value.prop_map(Reading::Measured),
        1 => prop::sample::select(vec!["denied", "gone"]).prop_map(Reading::unavailable),
    ]
}

/// Few values, so that looks often agree in parts.
fn threads() -> impl Strategy<Value = Vec<ThreadSnapshot>> {
    let masks = prop::sample::select(vec!["0", "1", "0-3", ""]).prop_map(cpus);
    let thread = (0u64..3, reading(masks), reading(0u64..3), 0u32..3, 0u64..2);
    prop::collection::btree_map(0i32..4, thread, 0..4).prop_map(|threads| {
        let thread = |(tid, (time, mask, migrations, cpu, started))| ThreadSnapshot {
            tid: Pid(tid),
            name: if cpu == 0 { "a" } else { "b" }.to_owned(),
            state: if time == 0 { 'S' } else { 'R' },
            cpu: CpuId(cpu),
            mask,
            cpu_time: Nanoseconds(time),
            started: Nanoseconds(started),
            migrations,
            minor_faults: time,
            major_faults: 0,
        };
        threads.into_iter().map(thread).collect()
    })
}

fn memory() -> impl Strategy<Value = MemorySnapshot> {
    let place = (prop::sample::select(PageUse::ALL.to_vec()), 0u32..3);
    let by_use = prop::collection::btree_map(place, 1u64..3, 0..5);
    let nodes = prop::collection::btree_map(0u32..3, 1u64..3, 0..3);
    let policy = (prop::sample::select(vec!["default", "bind:0", "local"]), 1u64..3, nodes);
    let by_policy = prop::collection::vec(policy, 0..3);
    (by_use, by_policy, 0u64..3).prop_map(|(by_use, by_policy, mappings)| MemorySnapshot {
        by_use: by_use.into_iter().map(|((used, node), bytes)| (used, NodeId(node), Bytes(bytes))).collect(),
        by_policy: by_policy
            .into_iter()
            .map(|(policy, mappings, nodes)| PolicyShare {
                policy: policy.to_owned(),
                mappings,
                by_node: nodes.into_iter().map(|(node, bytes)| (NodeId(node), Bytes(bytes))).collect(),
            })
            .collect(),
        largest: vec![],
        mappings,
    })
}

fn look() -> impl Strategy<Value = Snapshot> {
    let task = (
        prop::sample::select(vec!["a", "b"]),
        reading(0u32..2),
        0u64..2,
        reading(threads()),
        reading(memory()),
    );
    prop::collection::btree_map(0i32..3, task, 0..3).prop_map(|tasks| {
        let task = |(pid, (name, rank, started, threads, memory))| TaskSnapshot {
            pid: Pid(pid),
            parent: Pid(1),
            name: String::from(name),
            command: Reading::Measured(String::from(name)),
            user: 7,
            rank,
            started: Nanoseconds(started),
            threads,
            memory,
        };
        let tasks = tasks.into_iter().map(task).collect();
        Snapshot { at: Nanoseconds(1), unix_time: Nanoseconds(2), tasks }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever changes from look to look and wherever recording was broken off, what is read is what was seen.
    #[test]
    fn any_looks_come_back(looks in prop::collection::vec(look(), 1..12), broken_off in 0usize..12) {
        let place = Place::new();
        let cut = broken_off.min(looks.len());
        place.record(&looks[..cut]);
        place.record(&looks[cut..]);
        prop_assert_eq!(place.looks(), looks);
    }
}
