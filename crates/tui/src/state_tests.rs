use numawise_facts::Reading;
use numawise_units::Pid;

use super::*;
use crate::fixture::{SECOND, ranks, residency, task, thread, view};

#[test]
fn a_task_that_ends_stays_for_a_few_samples() {
    let mut view = view();
    view.take(ranks(0), Nanoseconds(0));
    let mut three = ranks(1);
    three.tasks.remove(1);
    for sample in 1..=ENDED_SAMPLES {
        view.take(three.clone(), Nanoseconds(0));
        assert_eq!(view.tasks.len(), 4, "sample {sample}");
        assert_eq!(view.tasks[3].ended, Some(sample));
    }
    view.take(three, Nanoseconds(0));
    assert_eq!(view.tasks.len(), 3);
    assert!(!view.over());
}

#[test]
fn the_task_that_is_opened_stays_until_it_is_closed() {
    let mut view = view();
    view.take(ranks(0), Nanoseconds(0));
    view.level = Level::Threads(view.tasks[1].id());
    let mut three = ranks(1);
    three.tasks.remove(1);
    (0..20).for_each(|_| view.take(three.clone(), Nanoseconds(0)));
    assert_eq!(view.opened().unwrap().ended, Some(20));
    view.level = Level::Tasks;
    view.take(three, Nanoseconds(0));
    assert_eq!(view.tasks.len(), 3);
}

#[test]
fn when_all_have_ended_the_last_state_stays() {
    let mut view = view();
    assert!(!view.over(), "nothing has been seen yet");
    view.take(ranks(0), Nanoseconds(0));
    (0..20).for_each(|k| view.take(residency(k, Vec::new(), 2), Nanoseconds(0)));
    assert!(view.over());
    assert_eq!(view.tasks.len(), 4);
    assert_eq!(view.sample.as_ref().unwrap().tasks.len(), 4);
    view.take(ranks(30), Nanoseconds(0));
    assert!(!view.over(), "the same processes are seen again");
}

#[test]
fn a_number_that_is_used_again_is_another_task() {
    let mut view = view();
    view.take(ranks(0), Nanoseconds(0));
    let mut other = ranks(1);
    other.tasks[0].started = Nanoseconds(7);
    view.take(other, Nanoseconds(0));
    let same: Vec<_> = view.tasks.iter().filter(|kept| kept.task.pid == Pid(5000)).collect();
    assert_eq!(same.len(), 2);
    assert_eq!(same[0].ended, None);
    assert_eq!(same[0].busy.line(2, 4.0, crate::history::Levels::Ascii), " #");
    assert_eq!(same[1].ended, Some(1));
}

#[test]
fn one_task_alone_is_opened_at_once_and_only_at_first() {
    let one = |k| residency(k, vec![task(7, None, "app", vec![thread(7, "app", 0, 1.0)], &[1 << 20])], 1);
    let mut view = view();
    view.take(one(0), Nanoseconds(0));
    assert_eq!(view.level, Level::Threads(view.tasks[0].id()));
    view.level = Level::Tasks;
    view.take(one(1), Nanoseconds(0));
    assert_eq!(view.level, Level::Tasks);
}

#[test]
fn histories_of_threads_go_with_the_threads() {
    let sample = |tids: std::ops::Range<i32>| {
        let threads = tids.map(|tid| thread(tid, "worker", 1, 0.5)).collect();
        residency(0, vec![task(7, None, "app", threads, &[1 << 20])], 1)
    };
    let mut view = view();
    view.take(sample(7..107), Nanoseconds(0));
    assert_eq!(view.tasks[0].threads.len(), 100);
    view.take(sample(100..110), Nanoseconds(0));
    assert_eq!(view.tasks[0].threads.len(), 10);
}

#[test]
fn what_cannot_be_seen_leaves_a_gap_in_the_history() {
    let mut view = view();
    view.take(ranks(0), SECOND);
    let mut blind = ranks(1);
    blind.job.busy = Reading::unavailable("not allowed");
    blind.tasks[0].busy = Reading::unavailable("not allowed");
    view.take(blind, SECOND);
    view.take(ranks(2), SECOND);
    let line = |history: &History| history.line(3, 1.0, crate::history::Levels::Ascii);
    assert_eq!(line(&view.busy), "# #");
    assert_eq!(line(&view.tasks[0].busy), "# #");
}

#[test]
fn a_task_that_cannot_be_read_for_once_is_no_dip() {
    let mut view = view();
    let sample = |second, blind: bool| {
        let mut tasks = ranks(second).tasks;
        if blind {
            tasks[0].threads = Reading::unavailable("it was ending");
            tasks[0].busy = Reading::unavailable("it was ending");
            tasks[3].memory = Reading::unavailable("it was ending");
        }
        residency(second, tasks, 2)
    };
    for (second, blind) in [(0, false), (1, true), (2, false)] {
        view.take(sample(second, blind), SECOND);
    }
    let line = |history: &History| history.line(3, 1.0, crate::history::Levels::Ascii);
    assert_eq!(line(&view.busy), "# #");
    assert_eq!(line(&view.local), "+ +");
    assert!(view.nodes.iter().all(|node| line(node) == "# #"));
}

#[test]
fn a_task_that_could_never_be_read_is_left_out_of_all_samples_alike() {
    let mut view = view();
    for second in 0..3 {
        let mut tasks = ranks(second).tasks;
        tasks[1].threads = Reading::unavailable("not allowed");
        tasks[1].busy = Reading::unavailable("not allowed");
        tasks[1].memory = Reading::unavailable("not allowed");
        view.take(residency(second, tasks, 2), SECOND);
    }
    let line = |history: &History| history.line(3, 1.0, crate::history::Levels::Ascii);
    assert_eq!(line(&view.busy), "###");
    assert!(view.nodes.iter().all(|node| line(node) == "###"));
}
