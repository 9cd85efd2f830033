//! Jobs whose course is known by hand.

use numawise_facts::notice::{ResidencyNotice, ResidencyPart};
use numawise_facts::{Reading, Reason, Snapshot, TaskSnapshot};
use numawise_tables::Timeline;
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid, Ratio};
use proptest::prelude::*;

use super::Series;
use crate::residency::sample::{SECOND, heap, machine, task, thread};

/// A sample `seconds` after the first.
fn snapshot(seconds: u64, tasks: Vec<TaskSnapshot>) -> Snapshot {
    Snapshot {
        at: Nanoseconds((1000 + seconds) * SECOND),
        unix_time: Nanoseconds((1_700_000_000 + seconds) * SECOND),
        tasks,
    }
}

fn at(seconds: u64) -> Nanoseconds {
    Nanoseconds((1_700_000_000 + seconds) * SECOND)
}

fn timeline(samples: &[(u32, Snapshot)]) -> Timeline {
    let mut series = Series::default();
    for (session, sample) in samples {
        series.push(&machine(), *session, &std::rc::Rc::new(sample.clone()));
    }
    series.timeline()
}

/// One thread on node 0 that uses half of a CPU; memory first on node 0, then half of it on node 1, which grows, and then
/// shrinks.
fn one_task() -> Vec<(u32, Snapshot)> {
    let memory = [heap(&[(0, 100)]), heap(&[(0, 100), (1, 300)]), heap(&[(0, 100), (1, 100)])];
    memory
        .into_iter()
        .zip([0, 10, 20])
        .map(|(memory, seconds)| {
            let mut worker = thread(100, 1, 7.0 + seconds as f64 / 2.0);
            worker.migrations = Reading::Measured(3 + seconds / 10);
            (0, snapshot(seconds, vec![task(100, vec![worker], memory)]))
        })
        .collect()
}

#[test]
fn a_job_is_told_by_its_first_last_and_most() {
    let told = timeline(&one_task());
    assert_eq!((told.samples, told.sessions.len(), told.samples_per_moment), (3, 1, 1));
    assert_eq!((told.sessions[0].first, told.sessions[0].last), (at(0), at(20)));
    let of = |memory: &numawise_tables::MemoryChange| {
        [&memory.first, &memory.last, &memory.peak].map(|m| m.measured().unwrap().0 >> 20)
    };
    assert_eq!(of(&told.total), [100, 200, 400]);
    assert_eq!(told.total.peak_at, Reading::Measured(at(10)));
    assert_eq!(of(&told.by_node[0].memory), [100, 100, 100]);
    assert_eq!(of(&told.by_node[1].memory), [0, 100, 300]);
    // What is a peak at the first sample was first seen then.
    assert_eq!(told.by_node[0].memory.peak_at, Reading::Measured(at(0)));
    let busy = |reading: &Reading<Ratio>| reading.measured().unwrap().0;
    assert!((busy(&told.busy) - 0.5).abs() < 1e-9);
    assert!((busy(&told.by_node[0].busy) - 0.5).abs() < 1e-9 && busy(&told.by_node[1].busy) == 0.0);
    assert_eq!(told.migrations, Reading::Measured(2));
    let local = told.local.measured().unwrap();
    assert_eq!((local.first, local.least, local.last), (Ratio(1.0), Ratio(0.25), Ratio(0.5)));
    assert_eq!(local.least_at, at(10));
    assert_eq!(told.tasks.len(), 1);
    let task = &told.tasks[0];
    assert_eq!((task.pid, &task.memory, &task.local), (Pid(100), &told.total, &told.local));
    assert_eq!(task.by_node, Reading::Measured(vec![Bytes::mib(100), Bytes::mib(100)]));
    assert_eq!(
        (task.threads.clone(), task.first_seen, task.last_seen),
        (Reading::Measured(1), at(0), at(20))
    );
}

#[test]
fn the_chart_has_every_sample_and_no_share_at_the_first() {
    let told = timeline(&one_task());
    assert_eq!(told.moments.len(), 3);
    assert!(told.moments[0].busy.reason().unwrap().0.contains("the first sample of its session"));
    assert_eq!(told.moments[1].busy, Reading::Measured(vec![Ratio(0.5), Ratio(0.0)]));
    let memory: Vec<_> = told
        .moments
        .iter()
        .map(|m| m.memory.measured().unwrap().iter().map(|b| b.0 >> 20).collect::<Vec<_>>())
        .collect();
    assert_eq!(memory, [vec![100, 0], vec![100, 300], vec![100, 100]]);
}

/// What went on between two sessions is not known: no share is told over it, no migrations are counted.
#[test]
fn sessions_are_not_compared_with_each_other() {
    let mut samples = one_task();
    samples[2].0 = 1;
    let told = timeline(&samples);
    assert_eq!(told.sessions.iter().map(|s| s.samples).collect::<Vec<_>>(), [2, 1]);
    assert_eq!((told.sessions[1].first, told.sessions[1].last), (at(20), at(20)));
    assert!(told.moments[2].busy.measured().is_none());
    assert_eq!(told.migrations, Reading::Measured(1));
    // A process is the same by its number and its start, in whatever session.
    assert_eq!(told.tasks.len(), 1);
}

#[test]
fn nothing_recorded_is_nothing_known() {
    let told = timeline(&[]);
    assert_eq!((told.samples, told.moments.len(), told.tasks.len()), (0, 0, 0));
    assert!(
        told.total.peak.reason().is_some() && told.busy.reason().is_some() && told.local.reason().is_some()
    );
    let told = timeline(&[(0, snapshot(0, vec![]))]);
    assert_eq!(told.samples, 1);
    assert!(told.total.first.reason().is_some(), "no process is not the same as no memory");
}

#[test]
fn what_could_not_be_seen_is_said_and_counted_as_nothing() {
    let mut samples = one_task();
    samples[1].1.tasks[0].memory = Reading::unavailable("permission denied");
    samples[2].1.tasks[0].threads = Reading::unavailable("it ended");
    let told = timeline(&samples);
    assert_eq!(told.total.peak, Reading::Measured(Bytes::mib(200)));
    assert_eq!(told.moments[1].memory.reason().unwrap().0, "permission denied");
    assert!(told.moments[2].busy.reason().is_some());
    let notice = |part, reason: &'static str| ResidencyNotice::UnavailableInSamples {
        part,
        tasks: vec![Pid(100)],
        reason: Reason(reason.into()),
        missing: 1,
        samples: 3,
    };
    assert!(told.unavailable.contains(&notice(ResidencyPart::Memory, "permission denied")), "{told:?}");
    assert!(told.unavailable.contains(&notice(ResidencyPart::Threads, "it ended")), "{told:?}");
}

/// Where one of two processes hides its memory for a while, the job's memory does not seem to shrink; one that always hides it
/// is left out.
#[test]
fn a_process_that_hides_its_memory_for_a_while_leaves_a_gap() {
    let samples: Vec<_> = (0..4u64)
        .map(|k| {
            let mut other = task(200, vec![thread(200, 0, 1.0)], heap(&[(0, 50)]));
            if k == 2 {
                other.memory = Reading::unavailable("permission denied");
            }
            let mut third = task(300, vec![thread(300, 0, 1.0)], heap(&[]));
            third.memory = Reading::unavailable("it is another user's");
            (0, snapshot(k, vec![task(100, vec![thread(100, 0, 1.0)], heap(&[(0, 100)])), other, third]))
        })
        .collect();
    let told = timeline(&samples);
    let seen: Vec<_> = told.moments.iter().map(|m| m.memory.measured().map(|m| m[0].0 >> 20)).collect();
    assert_eq!(seen, [Some(150), Some(150), None, Some(150)]);
    assert_eq!(told.total.last, Reading::Measured(Bytes::mib(150)));
}

#[test]
fn a_number_that_is_used_again_is_another_process() {
    let process = |started: u64, mib: u64| {
        let mut task = task(100, vec![thread(100, 0, 1.0)], heap(&[(0, mib)]));
        task.started = Nanoseconds(started);
        task
    };
    let told = timeline(&[(0, snapshot(0, vec![process(1, 50)])), (0, snapshot(1, vec![process(2, 70)]))]);
    assert_eq!(told.tasks.len(), 2);
    assert_eq!(told.tasks[0].memory.last, Reading::Measured(Bytes::mib(50)));
    assert_eq!((told.tasks[0].last_seen, told.tasks[1].first_seen), (at(0), at(1)));
}

#[test]
fn ranks_come_first_and_in_order() {
    let rank = |pid: i32, rank: Reading<u32>| {
        let mut task = task(pid, vec![thread(pid, 0, 1.0)], heap(&[(0, 1)]));
        task.rank = rank;
        task
    };
    let none = || Reading::unavailable("its environment names none");
    let told = timeline(&[(
        0,
        snapshot(0, vec![rank(5, none()), rank(6, Reading::Measured(1)), rank(7, Reading::Measured(0))]),
    )]);
    assert_eq!(told.tasks.iter().map(|task| task.pid.0).collect::<Vec<_>>(), [7, 6, 5]);
}

/// A node that no machine has is a column of its own, empty before it was seen.
#[test]
fn a_node_that_turns_up_later_is_a_column() {
    let told = timeline(&[
        (0, snapshot(0, vec![task(1, vec![thread(1, 0, 1.0)], heap(&[(0, 1)]))])),
        (0, snapshot(1, vec![task(1, vec![thread(1, 0, 1.0)], heap(&[(0, 1), (9, 4)]))])),
    ]);
    assert_eq!(told.nodes.iter().map(|n| n.node).collect::<Vec<_>>(), [NodeId(0), NodeId(1), NodeId(9)]);
    assert_eq!(told.moments[0].memory, Reading::Measured(vec![Bytes::mib(1), Bytes(0), Bytes(0)]));
    assert_eq!(told.moments[1].memory, Reading::Measured(vec![Bytes::mib(1), Bytes(0), Bytes::mib(4)]));
}

/// A long job: the chart is thinned, the peak stays, and the mean of the shares is that of the whole.
#[test]
fn a_long_series_is_thinned_and_keeps_its_peak() {
    let samples: Vec<_> = (0..4000u64)
        .map(|k| {
            let mib = if k == 2345 { 900 } else { 100 };
            let worker = thread(1, 0, 7.0 + k as f64 * if k < 2000 { 0.5 } else { 0.25 });
            (0, snapshot(k, vec![task(1, vec![worker], heap(&[(0, mib)]))]))
        })
        .collect();
    let told = timeline(&samples);
    assert_eq!((told.samples, told.samples_per_moment), (4000, 3));
    assert!(told.moments.len() < 1500, "{}", told.moments.len());
    let most = told.moments.iter().filter_map(|m| m.memory.measured()).map(|m| m[0]).max();
    assert_eq!(most, Some(Bytes::mib(900)));
    assert!(told.moments.is_sorted_by_key(|moment| moment.at));
    let share = |k: usize| told.moments[k].busy.measured().unwrap()[0].0;
    assert!((share(100) - 0.5).abs() < 1e-9 && (share(1200) - 0.25).abs() < 1e-9);
}

proptest! {
    /// Whatever is seen: the peak is no less than any sample, shares are those of CPUs, and moments are in order.
    #[test]
    fn figures_stay_within_what_was_seen(
        course in prop::collection::vec((0u64..500, 0u64..500, 0.0f64..1.0, 0u32..8), 1..40),
    ) {
        let mut used = 1.0;
        let samples: Vec<_> = course
            .iter()
            .enumerate()
            .map(|(k, (here, there, share, cpu))| {
                used += share;
                let worker = thread(1, *cpu, used);
                (0, snapshot(k as u64, vec![task(1, vec![worker], heap(&[(0, *here), (1, *there)]))]))
            })
            .collect();
        let told = timeline(&samples);
        let most = course.iter().map(|(here, there, ..)| here + there).max().unwrap();
        prop_assert_eq!(told.total.peak.measured(), Some(&Bytes::mib(most)));
        if course.len() > 1 {
            let mean: f64 = course[1..].iter().map(|c| c.2).sum::<f64>() / (course.len() - 1) as f64;
            prop_assert!((told.busy.measured().unwrap().0 - mean).abs() < 1e-6);
            let on_nodes: f64 = told.by_node.iter().map(|n| n.busy.measured().unwrap().0).sum();
            prop_assert!((on_nodes - mean).abs() < 1e-6);
        }
        if let Some(local) = told.local.measured() {
            prop_assert!(local.least.0 <= local.first.0 && local.least.0 <= local.last.0);
            prop_assert!((0.0..=1.0).contains(&local.least.0));
        }
    }
}
