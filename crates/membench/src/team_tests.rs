use std::sync::atomic::AtomicU64;

use numawise_facts::{LoopPath, MemoryLoop, Mix, Vectors};

use super::*;
use crate::fixture;

const WINDOW_RULE: WindowRule = WindowRule {
    window: 0.001,
    allowance: 0.05,
    warm: 1,
    least: 1,
    rule: Rule { least: 3, most: 5, precision: 0.01 },
};

/// Counts its blocks, each of which takes 20 us of CPU time: time on the wall may be another program's.
struct Count<'a>(&'a AtomicU64, Option<CellError>);

impl Work for Count<'_> {
    fn block(&mut self) -> u64 {
        let began = clock::thread_seconds();
        while clock::thread_seconds() - began < 20e-6 {}
        self.0.fetch_add(1, Relaxed);
        1
    }

    fn wrong(&self) -> Option<CellError> {
        self.1.clone()
    }
}

fn cpus() -> Vec<CpuId> {
    fixture::live().allowed_cpus.iter().take(2).collect()
}

fn team(
    cpus: &[CpuId],
    counts: &[AtomicU64],
    wrong: Option<CellError>,
    stop: bool,
) -> Result<TeamResult, CellError> {
    let workers = cpus
        .iter()
        .zip(counts)
        .map(|(&cpu, count)| Worker { cpu, work: Box::new(Count(count, wrong.clone())) as Box<dyn Work> });
    run(workers.collect(), WINDOW_RULE, |window| window.all, &System::live(), &AtomicBool::new(stop))
}

#[test]
fn every_thread_counts_in_every_window() {
    let counts = [AtomicU64::new(0), AtomicU64::new(0)];
    let taken = team(&cpus(), &counts, None, false).unwrap();
    assert!(!taken.windows.is_empty() && taken.windows.len() <= 50);
    for window in &taken.windows {
        // So no thread does more than 50,000 in a second; the clocks of time and CPU time agree to a percent.
        assert!(window.all > 0.0 && window.all <= 2.0 * 50_500.0, "{window:?}");
        assert!(window.seconds_each >= 19.8e-6, "{window:?}");
        assert!((window.others + 1.0 / window.seconds_each - window.all).abs() < 1e-6 * window.all);
    }
    // A block in each of three windows at least.
    assert!(counts.iter().take(cpus().len()).all(|count| count.load(Relaxed) >= 3));
}

#[test]
fn a_cpu_that_is_gone_ends_them_all_with_its_name() {
    let mut with_gone = cpus();
    with_gone.truncate(1);
    with_gone.push(CpuId(8191));
    let counts = [AtomicU64::new(0), AtomicU64::new(0)];
    for order in [with_gone.clone(), with_gone.into_iter().rev().collect()] {
        let reason = team(&order, &counts, None, false).unwrap_err().to_string();
        assert!(reason.contains("CPU 8191 went offline"), "{reason}");
    }
}

#[test]
fn a_stop_lets_the_window_in_hand_end() {
    let counts = [AtomicU64::new(0), AtomicU64::new(0)];
    assert_eq!(team(&cpus(), &counts, None, true).unwrap().windows.len(), 1);
}

#[test]
fn wrong_work_is_no_measurement_and_nobody_is_stopped() {
    let counts = [AtomicU64::new(0)];
    let wrong = CellError::WrongSums {
        mix: Mix::Read,
        which: MemoryLoop { vectors: Vectors::Portable, path: LoopPath::Straight },
    };
    assert_eq!(team(&cpus()[..1], &counts, Some(wrong.clone()), false), Err(wrong));
    assert_eq!(team(&[], &[], None, false), Err(CellError::Stopped));
}

#[test]
fn time_without_the_cpu_disturbs() {
    let share = |wall, own| Share { amount: 1, wall, own, missed: false };
    assert_eq!(share(0.01, 0.00996).lost(), None);
    assert!((share(0.01, 0.0099).lost().unwrap() - 0.01).abs() < 1e-9);
    assert_eq!(share(0.01, 0.005).rate(), 200.0, "what it did while it ran");
    assert_eq!(share(0.01, 0.00996).rate(), 100.0);
    assert_eq!(share(0.0001, 0.000095).lost(), None, "a tick in a short window");
    assert_eq!(Share { missed: true, ..share(1.0, 1.0) }.lost(), Some(1.0));
}
