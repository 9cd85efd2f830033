use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use numawise_facts::{Exit, Ignore, Outcome, Reading, Redactor};

use super::*;
use crate::engine::tests::{Fake, Kept, Running, study};

/// Two nodes; a trial ends when it is waited for, the oldest first.
struct Nodes {
    under_way: Vec<TrialPlace>,
    room: usize,
    /// The most that were under way at once, and of how many blocks.
    most: (usize, usize),
    begun: Vec<TrialPlace>,
    fails: Option<&'static str>,
    stop_after: usize,
    stop: Rc<AtomicBool>,
    cancelled: usize,
    clock: u64,
}

impl Nodes {
    fn new() -> Nodes {
        Nodes {
            under_way: Vec::new(),
            room: 4,
            most: (0, 0),
            begun: Vec::new(),
            fails: None,
            stop_after: usize::MAX,
            stop: Rc::default(),
            cancelled: 0,
            clock: 0,
        }
    }
}

fn trial(place: &TrialPlace, started: u64, fails: bool) -> Trial {
    let outcome = if fails {
        Outcome::Failed { failure: Exit::Code(1).into(), output_tail: String::new() }
    } else {
        Outcome::Measured { per_task: vec![1.0] }
    };
    Trial {
        number: 0,
        block: place.block,
        point: place.point.clone(),
        started: Nanoseconds(started),
        wall: Nanoseconds(1),
        outcome,
        observation: Reading::unavailable("fake"),
        disturbances: vec![],
        left_behind: None,
        other_values: vec![],
    }
}

impl Fleet for Nodes {
    fn under_way(&self) -> Vec<TrialPlace> {
        self.under_way.clone()
    }

    fn room(&self) -> usize {
        self.room.saturating_sub(self.under_way.len())
    }

    fn nodes(&self) -> usize {
        2
    }

    fn begin(&mut self, _: &Study, block: u32, point: &Point, _: &mut dyn Sink) -> Result<bool, StudyError> {
        let place = TrialPlace { block, point: point.id.clone() };
        self.begun.push(place.clone());
        self.under_way.push(place);
        let blocks: HashSet<u32> = self.under_way.iter().map(|place| place.block).collect();
        self.most = (self.most.0.max(self.under_way.len()), self.most.1.max(blocks.len()));
        Ok(true)
    }

    fn wait(&mut self, _: &mut dyn Sink) -> Result<Option<Trial>, StudyError> {
        self.clock += 1;
        if self.clock as usize > self.stop_after {
            self.stop.store(true, Ordering::Relaxed);
            return Ok(None);
        }
        let fails = |place: &TrialPlace| self.fails.is_some_and(|point| place.point.0 == point);
        Ok(self.under_way.first().map(|place| trial(place, self.clock, fails(place))))
    }

    fn kept(&mut self, trial: &Trial) {
        self.under_way.retain(|place| *place != TrialPlace::of(trial));
    }

    fn cancel(&mut self, _: &mut dyn Sink) {
        self.cancelled += self.under_way.len();
        self.under_way.clear();
    }
}

fn go(study: &mut Study, nodes: &mut Nodes, choose: Option<Chooser<'_>>) -> (StopReason, usize) {
    go_until(study, nodes, choose, 0)
}

/// The point b is known once it has so many trials, the others as soon as there is one.
fn go_until(
    study: &mut Study,
    nodes: &mut Nodes,
    choose: Option<Chooser<'_>>,
    trials: usize,
) -> (StopReason, usize) {
    let of_b = |study: &Study| study.trials.iter().filter(|trial| trial.point.0 == "b").count();
    let mut kept = Kept(vec![], None);
    let stop = Rc::clone(&nodes.stop);
    let mut engine = Engine {
        runner: &mut Fake::new(),
        clock: &Running(Rc::new(Cell::new(0))),
        keep: &mut kept,
        sink: &mut Ignore,
        redactor: &Redactor::default(),
        standing: &mut |study, _| match of_b(study) {
            enough if enough >= trials => Standing::Decided,
            _ => Standing::Open { known: vec!["os".into(), "a".into()] },
        },
        repeats_first: true,
        first_block: 0,
        stop: &stop,
    };
    let reason = engine.run_fleet(study, nodes, choose).unwrap();
    (reason, kept.0.len())
}

#[test]
fn every_trial_is_run_once_with_as_many_blocks_at_once_as_there_are_nodes() {
    let (mut study, mut nodes) = (study(1000), Nodes::new());
    assert_eq!(go(&mut study, &mut nodes, None), (StopReason::Decided, 1 + 5 * 3));
    assert_eq!(nodes.most, (4, 2));
    assert_eq!(nodes.begun[0], TrialPlace { block: 0, point: "os".into() });
    let all: HashSet<&TrialPlace> = nodes.begun.iter().collect();
    assert_eq!(all.len(), nodes.begun.len());
    assert_eq!(
        study.trials.iter().map(|trial| trial.number).collect::<Vec<_>>(),
        (0..16).collect::<Vec<u32>>()
    );
    for block in 1..=5 {
        let order: Vec<&str> =
            order_of(&study, block).into_iter().map(|k| study.header.points[k].id.0.as_str()).collect();
        let begun: Vec<&str> = nodes
            .begun
            .iter()
            .filter(|place| place.block == block)
            .map(|place| place.point.0.as_str())
            .collect();
        assert_eq!(begun, order, "block {block}");
    }
}

#[test]
fn a_trial_that_is_kept_already_is_not_kept_twice() {
    let (mut study, mut nodes) = (study(1000), Nodes::new());
    let (first, second) =
        (TrialPlace { block: 0, point: "os".into() }, TrialPlace { block: 1, point: "a".into() });
    // Kept before whoever ran it was killed, and what it left is still there.
    study.trials.push(trial(&first, 1, false));
    nodes.under_way = vec![first, second.clone()];
    assert_eq!(go(&mut study, &mut nodes, None), (StopReason::Decided, 5 * 3));
    assert_eq!(study.trials.len(), 1 + 5 * 3);
    assert!(!nodes.begun.contains(&second), "it was taken over");
}

#[test]
fn a_point_that_fails_is_given_up_and_the_others_go_on() {
    let (mut study, mut nodes) = (study(1000), Nodes::new());
    nodes.fails = Some("b");
    assert_eq!(go(&mut study, &mut nodes, None).0, StopReason::Decided);
    let of = |id: &str| study.trials.iter().filter(|trial| trial.block > 0 && trial.point.0 == id).count();
    assert_eq!((of("os"), of("a")), (5, 5));
    // Those that were under way when the third failed come all the same.
    assert!((3..=4).contains(&of("b")), "{}", of("b"));
}

#[test]
fn who_is_interrupted_ends_what_is_under_way_and_the_time_given_is_kept() {
    let (mut interrupted, mut nodes) = (study(1000), Nodes::new());
    nodes.stop_after = 6;
    assert_eq!(go(&mut interrupted, &mut nodes, None), (StopReason::Interrupted, 6));
    assert_eq!(nodes.cancelled, 4);
    let (mut spent, mut nodes) = (study(0), Nodes::new());
    assert_eq!(go(&mut spent, &mut nodes, None), (StopReason::BudgetSpent, 0));
}

#[test]
fn points_that_are_not_known_yet_are_run_beyond_their_repeats() {
    let (mut study, mut nodes) = (study(1000), Nodes::new());
    assert_eq!(go_until(&mut study, &mut nodes, None, 8), (StopReason::Decided, 1 + 5 * 3 + 3));
    let further: Vec<(u32, &str)> =
        study.trials[16..].iter().map(|trial| (trial.block, trial.point.0.as_str())).collect();
    assert_eq!(further, [(6, "b"), (7, "b"), (8, "b")]);
}

#[test]
fn a_search_waits_for_each_trial() {
    let (mut study, mut nodes) = (study(1000), Nodes::new());
    let mut left = 7;
    let choose: Chooser<'_> = &mut |study| {
        left -= 1;
        let point = if study.trials.len() % 2 == 0 { "a" } else { "b" };
        if left == 0 { NextTrial::End(StopReason::Decided) } else { NextTrial::Run(point.into()) }
    };
    assert_eq!(go(&mut study, &mut nodes, Some(choose)), (StopReason::Decided, 7));
    assert_eq!(nodes.most.0, 1);
    assert_eq!(nodes.begun[6].block, 3, "the third trial of its point: {:?}", nodes.begun);
}
