use std::hint::black_box;
use std::time::Duration;

use super::*;
use crate::calls::clock::thread_cpu_time;

/// Computes for so much CPU time.
fn spin(length: Duration) {
    let begin = thread_cpu_time();
    let mut sum = 0u64;
    while thread_cpu_time().saturating_sub(begin) < Nanoseconds::from(length) {
        sum = black_box(sum).wrapping_mul(3).wrapping_add(1);
    }
    black_box(sum);
}

#[test]
fn a_thread_is_interrupted_by_its_cpu_time() {
    let taken = interrupts(Nanoseconds(4_000_000), || spin(Duration::from_millis(200))).unwrap();
    // CPU-time timers go off at ticks of the kernel: 50 of 4 ms.
    assert!((3..=60).contains(&taken.len()), "{} interrupts", taken.len());
    assert!(taken.iter().all(|ip| *ip != 0));
}

#[test]
fn nothing_is_taken_of_a_thread_that_sleeps() {
    let taken = interrupts(Nanoseconds(1_000_000), || std::thread::sleep(Duration::from_millis(50))).unwrap();
    assert!(taken.len() <= 2, "{} interrupts", taken.len());
}

#[test]
fn a_period_of_nothing_interrupts_never() {
    assert_eq!(interrupts(Nanoseconds(0), || spin(Duration::from_millis(5))).unwrap(), []);
}
