//! What goes in comes out, and can be read with plain SQL.

use numawise_facts::{
    Disturbance, EndedBy, Exit, Metric, MetricFileProblem, MetricProblem, Observation, Outcome, PrintedLines,
    Reading, StopReason, Study, StudyHeader, Trial, TrialFailure,
};
use numawise_record::{Record, RecordError};
use numawise_units::{Bytes, Nanoseconds, Ratio};
use proptest::prelude::*;
use rusqlite::Connection;

use crate::sample;

#[test]
fn a_study_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    let trials: Vec<Trial> = (0..15).map(sample::trial).collect();
    {
        let mut record = Record::create(&path, &sample::header()).unwrap();
        for trial in &trials[..8] {
            record.append(trial).unwrap();
        }
        record.set_stopped(Some(StopReason::Interrupted)).unwrap();
        assert_eq!(record.study().unwrap().trials, trials[..8]);
    }
    {
        let mut record = Record::open(&path).unwrap();
        assert_eq!(record.study().unwrap().stopped, Some(StopReason::Interrupted));
        record.set_stopped(None).unwrap();
        for trial in &trials[8..] {
            record.append(trial).unwrap();
        }
        record.set_stopped(Some(StopReason::Decided)).unwrap();
    }
    let expected = Study {
        header: sample::header(),
        trials,
        stopped: Some(StopReason::Decided),
        lines: None,
        objects: None,
    };
    assert_eq!(Record::open_to_read(&path).unwrap().study().unwrap(), expected);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["app.nw"], "no journal or lock file stays behind");
}

#[test]
fn lines_come_back_with_their_runs_until_other_lines_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    let mut record = Record::create(&path, &sample::header()).unwrap();
    assert_eq!(record.study().unwrap().lines, None);
    record.set_lines(&sample::lines()).unwrap();
    let runs: Vec<Trial> = (0..9).map(sample::line_run).collect();
    for run in &runs {
        record.append_line(run).unwrap();
    }
    assert!(matches!(record.append_line(&runs[8]), Err(RecordError::Duplicate { number: 8, .. })));
    let ended = PrintedLines { trials: runs, stopped: Some(StopReason::BudgetSpent), ..sample::lines() };
    record.set_lines(&ended).unwrap();
    drop(record);
    let mut record = Record::open(&path).unwrap();
    assert_eq!(record.study().unwrap().lines, Some(ended));
    let stray = PrintedLines { point: "os".into(), ..sample::lines() };
    assert!(record.set_lines(&stray).unwrap_err().to_string().contains("lines_point: found 'os'"));
    record.set_lines(&sample::lines()).unwrap();
    assert_eq!(record.study().unwrap().lines, Some(sample::lines()), "others begin anew");
}

#[test]
fn every_reason_to_stop_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = Record::create(&folder.path().join("a"), &sample::header()).unwrap();
    let reasons =
        [StopReason::Decided, StopReason::BudgetSpent, StopReason::Interrupted, StopReason::TooManyFailures];
    for reason in reasons.map(Some).into_iter().chain([None]) {
        record.set_stopped(reason).unwrap();
        assert_eq!(record.study().unwrap().stopped, reason);
    }
}

#[test]
fn people_can_ask_in_sql() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    let mut record = Record::create(&path, &sample::header()).unwrap();
    for number in 0..6 {
        record.append(&sample::trial(number)).unwrap();
    }
    drop(record);
    let sql = Connection::open(&path).unwrap();
    let one = |query: &str| -> rusqlite::types::Value { sql.query_row(query, [], |row| row.get(0)).unwrap() };
    assert_eq!(one("SELECT count(*) FROM samples"), 6.into());
    assert_eq!(one("SELECT value FROM samples WHERE number = 1"), (4.0 / 3.0).into());
    assert_eq!(one("SELECT value FROM samples WHERE status = 'failed'"), rusqlite::types::Value::Null);
    assert_eq!(
        one("SELECT started_utc FROM samples WHERE number = 0"),
        "2023-11-14 22:13:21".to_owned().into()
    );
    assert_eq!(one("SELECT disturbed FROM samples WHERE number = 1"), 1.into());
    assert_eq!(one("SELECT share FROM memory_by_node WHERE number = 0 AND node = 0"), 0.8.into());
    assert_eq!(one("SELECT share FROM cpu_time_by_node WHERE number = 0 AND node = 1"), 0.25.into());
    assert_eq!(one("SELECT seed FROM study"), "18446744073709551615".to_owned().into());
    assert_eq!(
        one("SELECT command FROM study"),
        r"./app 'it'\''s; rm -rf $HOME' {threads}".to_owned().into()
    );
    assert_eq!(one("SELECT kind FROM nodes WHERE node = 1"), "dram".to_owned().into());
    // A missing value is NULL with a reason, a measured zero is zero.
    assert_eq!(one("SELECT major_faults FROM trials WHERE number = 0"), 0.into());
    assert_eq!(one("SELECT run_delay_ns FROM trials WHERE number = 0"), rusqlite::types::Value::Null);
    assert_eq!(
        one("SELECT json_extract(missing, '$.run_delay_ns') FROM trials WHERE number = 0"),
        "/proc/PID/schedstat: no such file".to_owned().into()
    );
    assert_eq!(one("SELECT name FROM pragma_table_info('study') WHERE cid = 0"), "id".to_owned().into());
}

#[test]
fn the_value_in_sql_is_the_value_in_the_program() {
    for higher_is_better in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.nw");
        let mut header = sample::header();
        header.metric = numawise_facts::Metric::Output { regex: "(.*)".to_owned(), higher_is_better };
        let mut trial = sample::trial(0);
        trial.outcome = Outcome::Measured { per_task: vec![3.0, 5.0, 4.0] };
        let mut record = Record::create(&path, &header).unwrap();
        record.append(&trial).unwrap();
        let sql = Connection::open(&path).unwrap();
        let value: f64 = sql.query_row("SELECT value FROM samples", [], |row| row.get(0)).unwrap();
        assert_eq!(Some(value), header.value(&trial));
    }
}

#[test]
fn a_trial_is_kept_once_and_only_of_points_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = Record::create(&folder.path().join("a"), &sample::header()).unwrap();
    record.append(&sample::trial(3)).unwrap();
    let error = record.append(&sample::trial(3)).unwrap_err();
    assert!(matches!(error, RecordError::Duplicate { number: 3, .. }), "{error}");
    let mut stray = sample::trial(4);
    stray.point = "nowhere".into();
    let error = record.append(&stray).unwrap_err();
    assert!(error.to_string().contains("'nowhere'"), "{error}");
    assert_eq!(record.study().unwrap().trials, [sample::trial(3)]);
}

#[test]
fn what_is_not_a_number_does_not_spoil_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = Record::create(&folder.path().join("a"), &sample::header()).unwrap();
    let mut trial = sample::trial(0);
    let mut observation = sample::observation();
    observation.noise.steal = Reading::Measured(Ratio(f64::NAN));
    observation.noise.other_load = Reading::Measured(Ratio(f64::INFINITY));
    trial.observation = Reading::Measured(observation);
    trial.disturbances =
        vec![Disturbance::Steal(f64::NAN), Disturbance::OtherLoad(0.5), Disturbance::Steal(7.0)];
    record.append(&trial).unwrap();
    let read = record.study().unwrap().trials.remove(0);
    assert_eq!(read.disturbances, [Disturbance::OtherLoad(0.5)]);
    let host = read.observation.measured().unwrap().noise.clone();
    assert_eq!(host.steal, Reading::unavailable("found NaN, expected a share from 0 to 1"));
    assert_eq!(host.other_load, Reading::unavailable("found inf, expected a share from 0 to 1"));
}

/// A record that says what cannot be is refused as a whole: nothing may make one of what was measured.
#[test]
fn a_trial_that_cannot_be_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let mut record = Record::create(&path, &sample::header()).unwrap();
    for value in [f64::NAN, f64::INFINITY, -1.0, 0.0, -0.0, f64::MIN_POSITIVE, 1e308] {
        let mut trial = sample::trial(0);
        trial.outcome = Outcome::Measured { per_task: vec![1.0, value] };
        let error = record.append(&trial).unwrap_err();
        assert!(matches!(error, RecordError::Unstorable(_)), "{error}");
        assert!(error.to_string().contains("a number above 0"), "{error}");
    }
    let mut trial = sample::trial(0);
    trial.wall = Nanoseconds(u64::MAX);
    assert!(record.append(&trial).unwrap_err().to_string().contains("at most ten years"));
    record.append(&sample::trial(0)).unwrap();
    assert_eq!(Record::open_to_read(&path).unwrap().study().unwrap().trials, [sample::trial(0)]);
}

#[test]
fn a_study_that_could_not_be_read_again_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.nw");
    let mut header = sample::header();
    header.margin = f64::NAN;
    let error = Record::create(&path, &header).unwrap_err();
    assert!(matches!(error, RecordError::Unstorable(_)), "{error}");
    assert!(!path.exists());
}

#[test]
fn names_that_mean_something_to_sqlite_are_just_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file:app.nw?mode=memory", ":memory:", "a b'c\".nw", "-n", "é\n.nw"] {
        let path = folder.path().join(name);
        Record::create(&path, &sample::header()).unwrap().append(&sample::trial(0)).unwrap();
        assert!(path.metadata().unwrap().len() > 0, "{name:?}");
        assert_eq!(Record::open_to_read(&path).unwrap().study().unwrap().trials.len(), 1);
    }
}

fn reading<T: Clone + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Reading<T>> {
    prop_oneof![value.prop_map(Reading::Measured), ".*".prop_map(Reading::unavailable)]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    // What a trial may hold: see the tests of `valid`.
    let number = 1e-30..=1e30f64;
    let exit = prop_oneof![(1..=255).prop_map(Exit::Code), (1..=127).prop_map(Exit::Signal)];
    let metric_problem = prop_oneof![
        Just(MetricProblem::NoMatch),
        Just(MetricProblem::OtherCase),
        Just(MetricProblem::TooLong { characters: 197 }),
        Just(MetricProblem::AnswerNotRight),
        Just(MetricProblem::File(MetricFileProblem::NotWritten)),
        (0..u64::MAX).prop_map(|dropped| MetricProblem::NotKept { dropped: Bytes(dropped) }),
        "(?s).*".prop_map(|problem| MetricProblem::File(MetricFileProblem::Unreadable { problem })),
        "(?s).*".prop_map(|text| MetricProblem::NotANumber { text })
    ];
    let ended_by = prop_oneof![
        (0..u64::MAX).prop_map(|limit| EndedBy::TimeLimit { limit: Nanoseconds(limit) }),
        ("(?s).*", "(?s).*", "(?s).*").prop_map(|(node, state, reason)| EndedBy::Slurm {
            node,
            state,
            reason
        })
    ];
    prop_oneof![
        prop::collection::vec(number, 1..4).prop_map(|per_task| Outcome::Measured { per_task }),
        (exit, prop::option::of(ended_by), "(?s).*").prop_map(|(exit, ended_by, output_tail)| {
            Outcome::Failed { failure: TrialFailure { exit, ended_by }, output_tail }
        }),
        (metric_problem, "(?s).*")
            .prop_map(|(problem, output_tail)| Outcome::NoMetric { problem, output_tail }),
    ]
}

fn observed() -> impl Strategy<Value = Observation> {
    let count = || 0..=1u64 << 52;
    let counts = (count(), reading(count()), reading(count()), reading(count()));
    (counts, reading(0.0..1.0f64), any::<bool>(), any::<bool>(), "(?s).*").prop_map(
        |((number, a, b, c), share, threads, pages, text)| {
            let mut o = sample::observation();
            o.usage.user = Reading::Measured(Nanoseconds(number));
            o.usage.system = b.clone().map(Nanoseconds);
            o.usage.peak_memory = a.clone().map(Bytes);
            (o.usage.minor_faults, o.usage.voluntary_switches, o.migrations) =
                (a.clone(), b.clone(), c.clone());
            (o.usage.major_faults, o.usage.involuntary_switches) = (c, a.clone());
            o.run_delay = b.map(Nanoseconds);
            o.noise.steal = share.map(Ratio);
            if threads {
                o.threads = Reading::unavailable(text.clone())
            } else {
                if let Reading::Measured(threads) = &mut o.threads {
                    threads[0].name = text.clone();
                    threads[0].cpu_time = Nanoseconds(number);
                }
            }
            if pages {
                o.pages = Reading::unavailable(text);
            }
            o
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_trial_comes_back_as_it_was(
        outcome in outcome(),
        observation in reading(observed()),
        started in 0..=i64::MAX as u64,
        wall in 1u64 << 40..1 << 57,
        number in 0..u32::MAX,
        block in 0u32..=2,
    ) {
        let folder = tempfile::tempdir().unwrap();
        // What a program prints may be any number; a run time may not.
        let metric = Metric::Output { regex: "(.*)".to_owned(), higher_is_better: false };
        let header = StudyHeader { metric, ..sample::header() };
        let mut record = Record::create(&folder.path().join("a"), &header).unwrap();
        let trial = Trial {
            number, block, outcome, observation,
            started: Nanoseconds(started),
            wall: Nanoseconds(wall),
            ..sample::trial(0)
        };
        record.append(&trial).unwrap();
        prop_assert_eq!(&record.study().unwrap().trials, &[trial]);
    }
}
