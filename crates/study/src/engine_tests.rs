use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use numawise_facts::{
    Argument, Exit, HostFacts, Machine, Metric, Notice, Placement, PlacementRequest, RunSpec, Source,
    Strategy, StudyHeader, ThreadBinding,
};
use numawise_units::Pid;

use super::*;

const SECOND: u64 = 1_000_000_000;

pub(crate) struct Fake {
    /// What the next runs give; success of one second when it is empty.
    script: VecDeque<Exit>,
    stop_after: Option<usize>,
    runs: Vec<String>,
    /// What interrupts the next runs; nothing when it is empty.
    interruptions: VecDeque<Option<Disturbance>>,
    /// What each run heard of the first one's time.
    first: Vec<Option<Nanoseconds>>,
    clock: Rc<Cell<u64>>,
    /// Seconds of a run at some points; one elsewhere.
    slow: Vec<(&'static str, u64)>,
    /// What a run takes beside the program, in seconds.
    beside: u64,
    /// Whether the least number of repeats comes before the budget.
    repeats_first: bool,
    warnings: Vec<Notice>,
    /// Points that are known well enough after so many blocks.
    finished_after: Vec<(&'static str, u32)>,
    /// The points that were run no more when it was last asked whether it is decided.
    dropped: Vec<PointId>,
}

impl Fake {
    pub(crate) fn new() -> Self {
        Fake {
            script: VecDeque::new(),
            stop_after: None,
            runs: Vec::new(),
            interruptions: VecDeque::new(),
            first: Vec::new(),
            clock: Rc::default(),
            slow: Vec::new(),
            beside: 0,
            repeats_first: false,
            warnings: Vec::new(),
            finished_after: Vec::new(),
            dropped: Vec::new(),
        }
    }
}

impl Runner for Fake {
    fn run(&mut self, point: &Point, context: &mut RunContext<'_>) -> Result<Option<ProgramRun>, StudyError> {
        if self.stop_after == Some(self.runs.len()) {
            context.stop.store(true, Ordering::Relaxed);
            return Ok(None);
        }
        self.runs.push(point.id.0.clone());
        self.first.push(context.first);
        let exit = self.script.pop_front().unwrap_or(Exit::Code(0));
        let seconds = self.slow.iter().find(|(id, _)| *id == point.id.0).map_or(1, |(_, seconds)| *seconds);
        self.clock.set(self.clock.get() + (seconds + self.beside) * SECOND);
        let wall = Nanoseconds(seconds * SECOND);
        let task =
            TaskRun { exit, ended_by: None, wall, output: "time: 2.5\n".to_owned(), dropped: 0, file: None };
        Ok(Some(ProgramRun {
            wall,
            tasks: vec![task],
            observation: Reading::unavailable("fake"),
            interruptions: self.interruptions.pop_front().flatten().into_iter().collect(),
            left_behind: None,
        }))
    }
}

pub(crate) struct Kept(pub Vec<Trial>, pub Option<usize>);

impl TrialStore for Kept {
    fn keep(&mut self, trial: &Trial) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if self.1 == Some(self.0.len()) {
            return Err("disk full".into());
        }
        self.0.push(trial.clone());
        Ok(())
    }
}

/// Goes on only while a program runs.
pub(crate) struct Running(pub Rc<Cell<u64>>);

impl Clock for Running {
    fn now(&self) -> Nanoseconds {
        Nanoseconds(7)
    }

    fn elapsed(&self) -> Nanoseconds {
        Nanoseconds(self.0.get())
    }
}

struct Warnings(Vec<Notice>);

impl Sink for Warnings {
    fn event(&mut self, event: Event) {
        if let Event::Warning(notice) = event {
            self.0.push(notice);
        }
    }
}

fn point(id: &str, role: PointRole) -> Point {
    let placement =
        Placement { strategy: Strategy::None, binding: ThreadBinding::Free, tasks: vec![], warnings: vec![] };
    let request = PlacementRequest::as_the_os_does();
    let levels = numawise_facts::Levels::of(&request, 1);
    Point { id: id.into(), levels, role, request, placement, ranks: None }
}

pub(crate) fn study(budget_seconds: u64) -> Study {
    let none = || Reading::unavailable("test");
    let machine = Machine {
        source: Source::Live,
        packages: vec![],
        nodes: vec![],
        cpus: vec![],
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: Default::default(),
        allowed_nodes: Default::default(),
        limits: vec![],
    };
    let host = HostFacts {
        hostname: none(),
        kernel: none(),
        cpu_model: none(),
        environment: vec![],
        numa_balancing: none(),
        transparent_huge_pages: none(),
        frequency: Reading::unavailable("test"),
        pid: Pid(1),
    };
    let header = StudyHeader {
        tool_version: String::new(),
        begun: Nanoseconds(0),
        command: RunSpec { command: vec![Argument::from("app")], directory: "/".into() },
        machine,
        host,
        metric: Metric::WallTime,
        points: vec![
            point("os", PointRole::Baseline),
            point("a", PointRole::Candidate),
            point("b", PointRole::Candidate),
        ],
        pairs: vec![],
        not_tried: vec![],
        seed: 3,
        min_repeats: 5,
        margin: 0.05,
        budget: Nanoseconds(budget_seconds * SECOND),
        start_cost: Reading::unavailable("by hand"),
        grid: None,
    };
    Study { header, trials: vec![], stopped: None, lines: None, objects: None }
}

/// Runs a study; it is decided once there are `decided_at` blocks.
fn go(
    study: &mut Study,
    fake: &mut Fake,
    kept: &mut Kept,
    decided_at: u32,
) -> Result<StopReason, StudyError> {
    let stop = AtomicBool::new(false);
    let mut gone = Vec::new();
    let done = fake.finished_after.clone();
    let mut standing = |study: &Study, dropped: &[PointId]| {
        gone = dropped.to_vec();
        if study.trials.last().is_some_and(|trial| trial.block >= decided_at) {
            return Standing::Decided;
        }
        let last = last_block(study);
        let points = done.iter().filter(|(_, after)| last >= *after).map(|(point, _)| PointId::from(*point));
        Standing::Open { known: points.filter(|point| !dropped.contains(point)).collect() }
    };
    let (clock, mut sink) = (Running(Rc::clone(&fake.clock)), Warnings(Vec::new()));
    let (repeats_first, earlier) = (fake.repeats_first, study.trials.len());
    let mut engine = Engine {
        runner: &mut *fake,
        clock: &clock,
        keep: kept,
        sink: &mut sink,
        redactor: &Redactor::default(),
        standing: &mut standing,
        repeats_first,
        first_block: 0,
        stop: &stop,
    };
    let stopped = engine.run(study, earlier);
    fake.warnings = sink.0;
    fake.dropped = gone;
    stopped
}

#[test]
fn it_warms_up_and_goes_on_until_it_is_decided() {
    let (mut study, mut fake, mut kept) = (study(1000), Fake::new(), Kept(vec![], None));
    assert_eq!(go(&mut study, &mut fake, &mut kept, 7).unwrap(), StopReason::Decided);
    assert_eq!(fake.runs.len(), 1 + 7 * 3);
    assert_eq!(fake.runs[0], "os");
    assert!(study.trials[0].is_warm_up() && !study.trials[1].is_warm_up());
    assert_eq!(kept.0, study.trials);
}

#[test]
fn the_least_number_of_repeats_is_kept_even_without_budget_where_it_was_asked_for() {
    let (mut study, mut fake) = (study(1), Fake::new());
    fake.repeats_first = true;
    let reason = go(&mut study, &mut fake, &mut Kept(vec![], None), 99).unwrap();
    assert_eq!((reason, fake.runs.len()), (StopReason::BudgetSpent, 1 + 5 * 3));
}

#[test]
fn the_budget_ends_it_before_a_block_that_would_not_fit() {
    let (mut study, mut fake) = (study(1 + 8 * 3 + 2), Fake::new());
    let reason = go(&mut study, &mut fake, &mut Kept(vec![], None), 99).unwrap();
    assert_eq!((reason, fake.runs.len()), (StopReason::BudgetSpent, 1 + 8 * 3));
}

#[test]
fn what_a_run_takes_beside_the_program_counts() {
    let (mut study, mut fake) = (study(100), Fake::new());
    fake.beside = 4;
    let reason = go(&mut study, &mut fake, &mut Kept(vec![], None), 99).unwrap();
    assert_eq!((reason, fake.runs.len()), (StopReason::BudgetSpent, 1 + 6 * 3));
    assert!(fake.clock.get() <= 100 * SECOND);
}

#[test]
fn a_point_that_turns_out_slow_is_dropped_so_that_the_others_get_their_repeats() {
    let (mut study, mut fake) = (study(60), Fake::new());
    study.header.points[2].role = PointRole::Diagnosis;
    fake.slow = vec![("b", 20)];
    let reason = go(&mut study, &mut fake, &mut Kept(vec![], None), 8).unwrap();
    let runs = |id: &str| fake.runs.iter().filter(|run| *run == id).count();
    assert_eq!((reason, runs("b"), runs("a")), (StopReason::Decided, 1, 8));
    assert!(fake.clock.get() <= 60 * SECOND);
    let [Notice::Study(StudyNotice::PointDropped { point, repeats: 5, .. })] = fake.warnings.as_slice()
    else {
        panic!("{:?}", fake.warnings)
    };
    assert_eq!(point.0, "b");
    assert_eq!(fake.dropped, ["b".into()], "it is not waited for");
}

/// What a slow point would take goes to those that are not known well enough yet.
#[test]
fn a_point_that_is_known_well_enough_leaves_its_time_to_the_others() {
    let repeats = |finished_after: Vec<(&'static str, u32)>| {
        let (mut study, mut fake, mut kept) = (study(100), Fake::new(), Kept(vec![], None));
        (fake.slow, fake.finished_after) = (vec![("b", 6)], finished_after);
        let stopped = go(&mut study, &mut fake, &mut kept, 1000).unwrap();
        assert_eq!(
            (stopped, &fake.warnings),
            (StopReason::BudgetSpent, &vec![]),
            "the time was not too short for it"
        );
        ["os", "a", "b"].map(|id| fake.runs.iter().filter(|run| *run == id).count())
    };
    // With the warm-up: 12 blocks of 8 s, or 6 of them and 25 of 2 s.
    assert_eq!(repeats(vec![]), [13, 12, 12]);
    assert_eq!(repeats(vec![("b", 6)]), [32, 31, 6]);
    // Not before there are enough of all.
    assert_eq!(repeats(vec![("b", 1)])[2], 5);
}

#[test]
fn a_point_that_was_known_well_enough_does_not_come_back() {
    let (mut study, mut fake, mut kept) = (study(1000), Fake::new(), Kept(vec![], None));
    (fake.finished_after, fake.stop_after) = (vec![("b", 6)], Some(25));
    assert_eq!(go(&mut study, &mut fake, &mut kept, 1000).unwrap(), StopReason::Interrupted);
    let mut again = Fake::new();
    go(&mut study, &mut again, &mut kept, 12).unwrap();
    assert!(!again.runs.contains(&"b".to_owned()) && again.dropped == ["b".into()]);
}

/// A study with a slow point that is dropped after its first block, broken off after so many runs, or decided.
fn with_a_dropped_point(stop_after: Option<usize>) -> Study {
    let (mut study, mut fake) = (study(60), Fake::new());
    study.header.points[2].role = PointRole::Diagnosis;
    (fake.slow, fake.stop_after) = (vec![("b", 20)], stop_after);
    study.stopped = Some(go(&mut study, &mut fake, &mut Kept(vec![], None), 5).unwrap());
    study
}

#[test]
fn a_point_that_was_dropped_does_not_come_back() {
    for (stop_after, missing) in [(None, 0), (Some(7), 5)] {
        let (mut study, mut again) = (with_a_dropped_point(stop_after), Fake::new());
        let reason = go(&mut study, &mut again, &mut Kept(vec![], None), 5).unwrap();
        assert_eq!((reason, again.runs.len()), (StopReason::Decided, missing), "{:?}", again.runs);
        assert!(!again.runs.contains(&"b".to_owned()) && again.dropped == ["b".into()]);
    }
}

#[test]
fn a_point_that_was_dropped_comes_back_where_repeats_are_asked_for() {
    let (mut study, mut again) = (with_a_dropped_point(Some(7)), Fake::new());
    again.repeats_first = true;
    go(&mut study, &mut again, &mut Kept(vec![], None), 5).unwrap();
    assert!(again.runs.contains(&"b".to_owned()) && again.dropped.is_empty());
}

#[test]
fn the_budget_is_overrun_by_one_run_at_most_whatever_does_not_fit() {
    for budget in 1..40 {
        let (mut study, mut fake) = (study(budget), Fake::new());
        fake.slow = vec![("a", 3), ("b", 7), ("os", 2)];
        go(&mut study, &mut fake, &mut Kept(vec![], None), 99).unwrap();
        assert!(fake.clock.get() < (budget + 7) * SECOND, "{budget}: {} s", fake.clock.get() / SECOND);
    }
}

#[test]
fn broken_off_anywhere_it_goes_on_as_if_nothing_had_happened() {
    let (mut whole, mut fake) = (study(1000), Fake::new());
    go(&mut whole, &mut fake, &mut Kept(vec![], None), 6).unwrap();
    for at in 0..whole.trials.len() {
        let (mut broken, mut first) = (study(1000), Fake::new());
        first.stop_after = Some(at);
        let reason = go(&mut broken, &mut first, &mut Kept(vec![], None), 6).unwrap();
        assert_eq!((reason, broken.trials.len()), (StopReason::Interrupted, at));
        assert_eq!(
            go(&mut broken, &mut Fake::new(), &mut Kept(vec![], None), 6).unwrap(),
            StopReason::Decided
        );
        assert_eq!(broken.trials, whole.trials, "broken off at {at}");
    }
}

#[test]
fn a_decided_study_runs_nothing_more() {
    let mut study = study(1000);
    go(&mut study, &mut Fake::new(), &mut Kept(vec![], None), 5).unwrap();
    let mut again = Fake::new();
    assert_eq!(go(&mut study, &mut again, &mut Kept(vec![], None), 5).unwrap(), StopReason::Decided);
    assert_eq!(again.runs.len(), 0);
}

#[test]
fn a_baseline_that_fails_ends_it() {
    let (mut study, mut fake) = (study(1000), Fake::new());
    fake.script = std::iter::repeat_n(Exit::Code(3), 99).collect();
    let reason = go(&mut study, &mut fake, &mut Kept(vec![], None), 6).unwrap();
    assert_eq!(reason, StopReason::TooManyFailures);
    assert!(study.trials.iter().all(
        |trial| matches!(&trial.outcome, Outcome::Failed { failure, .. } if failure.exit == Exit::Code(3))
    ));
}

#[test]
fn a_point_that_always_fails_is_given_up_and_the_others_go_on() {
    struct OnlyA(Fake);
    impl Runner for OnlyA {
        fn run(
            &mut self,
            point: &Point,
            context: &mut RunContext<'_>,
        ) -> Result<Option<ProgramRun>, StudyError> {
            let exit = if point.id.0 == "a" { Exit::Signal(9) } else { Exit::Code(0) };
            self.0.script.push_back(exit);
            self.0.run(point, context)
        }
    }
    let (mut study, mut runner, stop) = (study(1000), OnlyA(Fake::new()), AtomicBool::new(false));
    let mut standing = |study: &Study, _: &[PointId]| match study.trials.last() {
        Some(trial) if trial.block >= 8 => Standing::Decided,
        _ => Standing::Open { known: Vec::new() },
    };
    let (clock, mut sink, mut kept) = (Running(Rc::default()), Warnings(vec![]), Kept(vec![], None));
    let reason = Engine {
        runner: &mut runner,
        clock: &clock,
        keep: &mut kept,
        sink: &mut sink,
        redactor: &Redactor::default(),
        standing: &mut standing,
        repeats_first: true,
        first_block: 0,
        stop: &stop,
    }
    .run(&mut study, 0)
    .unwrap();
    let count = |id: &str| runner.0.runs.iter().filter(|run| *run == id).count();
    assert_eq!((reason, count("os"), count("a"), count("b")), (StopReason::Decided, 9, 3, 8));
}

#[test]
fn a_point_of_a_grid_that_is_known_no_more_is_run_again() {
    let (mut study, mut fake, stop) = (study(1000), Fake::new(), AtomicBool::new(false));
    study.header.grid = Some(Default::default());
    study.header.min_repeats = 3;
    let last = |study: &Study| study.trials.last().map_or(0, |trial| trial.block);
    let (clock, mut sink, mut kept) = (Running(Rc::default()), Warnings(vec![]), Kept(vec![], None));
    let reason = Engine {
        runner: &mut fake,
        clock: &clock,
        keep: &mut kept,
        sink: &mut sink,
        redactor: &Redactor::default(),
        standing: &mut |study, _| match last(study) {
            3 => Standing::Open { known: vec!["os".into(), "b".into()] },
            4 => Standing::Open { known: vec!["b".into()] },
            _ => Standing::Decided,
        },
        repeats_first: true,
        first_block: 0,
        stop: &stop,
    }
    .run(&mut study, 0)
    .unwrap();
    let count = |id: &str| fake.runs.iter().filter(|run| *run == id).count();
    assert_eq!((reason, count("os"), count("a"), count("b")), (StopReason::Decided, 5, 5, 3));
}

#[test]
fn when_nothing_is_left_to_compare_it_ends() {
    let (mut study, mut fake) = (study(1000), Fake::new());
    let pair = |to: &str| PointPair {
        from: "os".into(),
        to: to.into(),
        role: numawise_facts::ContrastRole::BothWays,
    };
    study.header.pairs = vec![pair("a"), pair("b")];
    fake.script.push_back(Exit::Code(0)); // the warm-up
    for block in 1..=3 {
        let order = order_of(&study, block);
        let exit = |k: &usize| if *k == 0 { Exit::Code(0) } else { Exit::Code(1) };
        fake.script.extend(order.iter().map(exit));
    }
    let reason = go(&mut study, &mut fake, &mut Kept(vec![], None), 9).unwrap();
    assert_eq!(reason, StopReason::TooManyFailures);
    assert!(
        (9..=10).contains(&fake.runs.len()),
        "the baseline of the third block may come last: {}",
        fake.runs.len()
    );
}

#[test]
fn a_trial_that_cannot_be_kept_stops_it() {
    let mut study = study(1000);
    let error = go(&mut study, &mut Fake::new(), &mut Kept(vec![], Some(4)), 6).unwrap_err();
    assert!(error.to_string().contains("disk full"), "{error}");
    assert_eq!(study.trials.len(), 4, "what was kept is there, what was not is not");
}

#[test]
fn the_tail_of_an_output_begins_with_a_line() {
    let long: String = (0..2000).map(|k| format!("line {k} with ü\n")).collect();
    let tail = |text: &str| Redactor::default().end_of_output(text, TAIL);
    let end = tail(&long);
    assert!(end.len() <= TAIL && end.starts_with("line ") && end.ends_with("line 1999 with ü\n"));
    assert_eq!(tail(&"x".repeat(2 * TAIL)).len(), TAIL, "one line longer than the tail");
}

#[test]
fn a_trial_that_was_interrupted_is_run_again_and_costs_what_it_ran() {
    let (mut study, mut fake, mut kept) = (study(1000), Fake::new(), Kept(vec![], None));
    let stopped = || Some(Disturbance::Stopped(Nanoseconds(SECOND / 2)));
    fake.interruptions = [stopped(), None, None, stopped()].into();
    assert_eq!(go(&mut study, &mut fake, &mut kept, 5).unwrap(), StopReason::Decided);
    assert_eq!(fake.runs[..2], ["os", "os"], "the first run again");
    assert_eq!((fake.runs[3] == fake.runs[4], fake.runs.len()), (true, 2 + 1 + 5 * 3));
    assert_eq!(
        fake.first[..3],
        [None, None, Some(Nanoseconds(SECOND))],
        "a run that was stopped is no measure"
    );
    assert_eq!(kept.0, study.trials);
}

#[test]
fn a_program_that_always_stops_itself_does_not_hold_the_study() {
    let (mut study, mut fake) = (study(1), Fake::new());
    fake.repeats_first = true;
    fake.interruptions = std::iter::repeat_n(Some(Disturbance::Stopped(Nanoseconds(5))), 99).collect();
    let reason = go(&mut study, &mut fake, &mut Kept(vec![], None), 99).unwrap();
    assert_eq!((reason, fake.runs.len()), (StopReason::BudgetSpent, 3 * (1 + 5 * 3)));
}

#[test]
fn broken_off_between_attempts_it_goes_on_with_the_rest_of_them() {
    let (mut study, mut fake) = (study(1000), Fake::new());
    let suspended = || Some(Disturbance::Suspended(Nanoseconds(SECOND)));
    (fake.interruptions, fake.stop_after) = ([suspended(), suspended()].into(), Some(2));
    go(&mut study, &mut fake, &mut Kept(vec![], None), 5).unwrap();
    let mut again = Fake::new();
    again.interruptions = [suspended()].into();
    go(&mut study, &mut again, &mut Kept(vec![], None), 5).unwrap();
    assert_eq!(study.trials.iter().filter(|trial| trial.is_warm_up()).count(), Study::ATTEMPTS);
    assert_eq!(again.runs.len(), 1 + 5 * 3);
}
