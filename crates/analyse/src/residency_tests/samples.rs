//! Shares of CPUs: one sample and two, and clocks that do not fit together.

use numawise_facts::{Reading, ThreadSnapshot};
use numawise_tables::{Residency, ShareSpan, ThreadResidency};
use numawise_units::{Nanoseconds, Pid};

use crate::residency::residency;
use crate::residency::sample::{heap, machine, snapshot, task, thread};

fn only(where_: &Residency) -> &ThreadResidency {
    let threads = where_.tasks[0].threads.measured().unwrap();
    assert_eq!(threads.len(), 1);
    &threads[0]
}

/// One process of one thread, as `before` and `now`.
fn two(before: (f64, ThreadSnapshot), now: (f64, ThreadSnapshot)) -> Residency {
    let at = |(at, thread)| snapshot(at, vec![task(10, vec![thread], heap(&[(0, 64)]))]);
    residency(&at(now), Some(&at(before)), &machine())
}

fn share(thread: &ThreadResidency) -> Result<f64, String> {
    match &thread.share {
        Reading::Measured(share) => Ok(share.0),
        Reading::Unavailable { unavailable } => Err(unavailable.to_string()),
    }
}

#[test]
fn one_sample_tells_shares_since_the_threads_began() {
    let begun = ThreadSnapshot { started: Nanoseconds::from_seconds(6.0), ..thread(10, 0, 1.0) };
    let now = snapshot(10.0, vec![task(10, vec![begun], heap(&[(0, 64)]))]);
    let seen = residency(&now, None, &machine());
    assert_eq!(seen.span, ShareSpan::SinceBegin);
    assert_eq!(share(only(&seen)), Ok(0.25));
    assert!(only(&seen).busy, "it runs");
    assert_eq!(only(&seen).recent_migrations.reason().unwrap().0, "there was one sample only");
    assert_eq!(only(&seen).recent_faults.reason().unwrap().0, "there was one sample only");
    assert_eq!(only(&seen).migrations, Reading::Measured(3));
}

#[test]
fn two_samples_tell_shares_between_them() {
    let later = ThreadSnapshot {
        migrations: Reading::Measured(8),
        minor_faults: 150,
        state: 'S',
        ..thread(10, 4, 51.5)
    };
    let seen = two((100.0, thread(10, 0, 50.0)), (102.0, later));
    assert_eq!(seen.span, ShareSpan::BetweenSamples(Nanoseconds::from_seconds(2.0)));
    assert_eq!(share(only(&seen)), Ok(0.75));
    assert!(only(&seen).busy, "three quarters of a CPU, though it sleeps at this moment");
    assert_eq!(only(&seen).recent_migrations, Reading::Measured(5));
    assert_eq!(only(&seen).recent_faults, Reading::Measured(50));
}

#[test]
fn a_thread_that_runs_at_the_sample_only_is_not_busy() {
    let seen = two((100.0, thread(10, 0, 50.0)), (101.0, thread(10, 0, 50.01)));
    assert!(!only(&seen).busy);
}

#[test]
fn a_thread_that_began_between_the_samples_counts_since_it_began() {
    let new = ThreadSnapshot { started: Nanoseconds::from_seconds(101.0), ..thread(11, 0, 0.5) };
    let seen = two((100.0, thread(10, 0, 50.0)), (102.0, new));
    assert_eq!(share(only(&seen)), Ok(0.5));
    assert_eq!(only(&seen).recent_migrations, Reading::Measured(3));
}

#[test]
fn a_number_that_was_used_again_is_another_thread() {
    let again = ThreadSnapshot { started: Nanoseconds::from_seconds(101.0), ..thread(10, 0, 0.25) };
    let seen = two((100.0, thread(10, 0, 50.0)), (102.0, again));
    assert_eq!(share(only(&seen)), Ok(0.25));
}

#[test]
fn an_old_thread_that_was_not_seen_before_has_no_share() {
    let seen = two((100.0, thread(10, 0, 50.0)), (102.0, thread(11, 0, 60.0)));
    assert_eq!(share(only(&seen)), Err("it was not seen at the sample before".to_owned()));
}

#[test]
fn a_process_that_was_used_again_shares_nothing_with_the_old_one() {
    let before = snapshot(100.0, vec![task(10, vec![thread(10, 0, 50.0)], heap(&[(0, 64)]))]);
    let mut new = task(10, vec![thread(10, 0, 50.5)], heap(&[(0, 64)]));
    new.started = Nanoseconds::from_seconds(1.0);
    let seen = residency(&snapshot(101.0, vec![new]), Some(&before), &machine());
    assert!(share(only(&seen)).is_err());
}

#[test]
fn clocks_that_do_not_fit_together_give_reasons_and_not_infinities() {
    let begun = |seconds: f64, cpu: f64| ThreadSnapshot {
        started: Nanoseconds::from_seconds(seconds),
        ..thread(10, 0, cpu)
    };
    let cases = [
        // (before, now, what the reason says)
        ((10.0, thread(10, 0, 5.0)), (10.0, thread(10, 0, 5.0)), "no time has passed between"),
        ((10.0, thread(10, 0, 5.0)), (9.0, thread(10, 0, 5.0)), "no time has passed between"),
        ((0.0, thread(10, 0, 5.0)), (0.0, thread(10, 0, 5.0)), "no time has passed between"),
        ((10.0, thread(10, 0, 5.0)), (11.0, thread(10, 0, 4.0)), "went backwards"),
        ((10.0, thread(10, 0, 5.0)), (11.0, thread(10, 0, 8.0)), "do not fit together"),
        ((10.0, thread(11, 0, 5.0)), (11.0, begun(11.0, 0.1)), "no time has passed since it began"),
        ((10.0, thread(11, 0, 5.0)), (11.0, begun(12.0, 0.1)), "begun after it was sampled"),
    ];
    for (before, now, reason) in cases {
        let seen = two(before, now);
        let why = share(only(&seen)).unwrap_err();
        assert!(why.contains(reason), "{why} instead of {reason}");
        assert!(seen.tasks[0].busy.reason().is_some(), "{reason}");
        assert!(seen.job.busy.reason().is_some(), "{reason}");
        assert!(!seen.notes.is_empty(), "{reason}");
    }
    let first = snapshot(0.0, vec![task(10, vec![thread(10, 0, 5.0)], heap(&[(0, 64)]))]);
    let seen = residency(&first, None, &machine());
    assert_eq!(share(only(&seen)), Err("no time has passed since it began".to_owned()));
}

#[test]
fn a_little_more_than_a_cpu_is_a_cpu() {
    let seen = two((10.0, thread(10, 0, 5.0)), (11.0, thread(10, 0, 6.1)));
    assert_eq!(share(only(&seen)), Ok(1.0));
}

#[test]
fn counts_that_go_backwards_are_not_shown() {
    let fewer = ThreadSnapshot { migrations: Reading::Measured(1), minor_faults: 5, ..thread(10, 0, 50.5) };
    let seen = two((100.0, thread(10, 0, 50.0)), (101.0, fewer));
    let why = "its count went backwards between the samples";
    assert_eq!(only(&seen).recent_migrations.reason().unwrap().0, why);
    assert_eq!(only(&seen).recent_faults.reason().unwrap().0, why);
    assert_eq!(share(only(&seen)), Ok(0.5));
}

#[test]
fn migrations_that_can_not_be_read_say_why() {
    let blind = ThreadSnapshot {
        migrations: Reading::unavailable("the kernel keeps no count"),
        ..thread(10, 0, 50.5)
    };
    let seen = two((100.0, thread(10, 0, 50.0)), (101.0, blind));
    assert_eq!(only(&seen).recent_migrations.reason().unwrap().0, "the kernel keeps no count");
    let is_migrations = |note: &numawise_facts::notice::ResidencyNotice| {
        use numawise_facts::notice::{ResidencyNotice, ResidencyPart};
        matches!(note, ResidencyNotice::Unavailable { part: ResidencyPart::ThreadMigrations, tasks, .. } if tasks.is_empty())
    };
    assert!(seen.notes.iter().any(is_migrations));
}

#[test]
fn tasks_stand_by_rank_and_then_by_number() {
    let one = |pid| task(pid, vec![thread(pid, 0, 1.0)], heap(&[(0, 1)]));
    let ranked = |pid, rank| crate::residency::sample::rank(rank, one(pid));
    let now = snapshot(10.0, vec![one(1), ranked(2, 7), one(3), ranked(4, 0)]);
    let order: Vec<Pid> = residency(&now, None, &machine()).tasks.iter().map(|task| task.pid).collect();
    assert_eq!(order, [Pid(4), Pid(2), Pid(1), Pid(3)]);
}
