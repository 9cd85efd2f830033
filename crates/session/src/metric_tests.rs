use numawise_facts::{Outcome, PointId, Reading, RunSpec};
use numawise_units::Nanoseconds;

use super::*;

fn request(folder: &Path, metric: Metric, command: &[&str]) -> ExperimentRequest {
    let command = command.iter().map(|word| Argument::from(*word)).collect();
    ExperimentRequest {
        command: RunSpec { command, directory: folder.to_owned() },
        threads: None,
        metric,
        budget: Nanoseconds(1),
        repeats: None,
        begun: std::time::Instant::now(),
        margin: "5%".parse().unwrap(),
        sampling: "0.5%".parse().unwrap(),
        seed: Some(7),
        record: folder.join("app.nw"),
        fresh: false,
        version: "0".to_owned(),
    }
}

/// A trial that began at such a time.
fn trial(started: Nanoseconds) -> Trial {
    Trial {
        number: 0,
        block: 0,
        point: PointId::from("os"),
        started,
        wall: Nanoseconds(1),
        outcome: Outcome::NoMetric { problem: MetricProblem::NoMatch, output_tail: String::new() },
        observation: Reading::unavailable("by hand"),
        disturbances: vec![],
        left_behind: None,
    }
}

fn printed(regex: &str) -> Metric {
    Metric::Output { regex: regex.to_owned(), higher_is_better: false }
}

#[test]
fn files_that_the_run_wrote_are_found_and_searched() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    file("old", "time: 1\n");
    std::fs::File::options()
        .append(true)
        .open(folder.path().join("old"))
        .unwrap()
        .set_modified(std::time::UNIX_EPOCH)
        .unwrap();
    std::fs::create_dir(folder.path().join("out")).unwrap();
    for (name, text) in [
        ("log", "begin\n"),
        ("out/result", "time: 2\n"),
        ("app.nw", "time: 3\n"),
        ("app.nw-journal", "time: 4\n"),
    ] {
        file(name, text);
    }
    let request = request(folder.path(), printed("time: ([0-9]+)"), &["app", "-o", "out/result", "|", "tee"]);
    let clues =
        MetricClues::of(&request, &trial(Nanoseconds(1_000_000_000)), &MetricProblem::NoMatch, "Time = 5\n");
    assert_eq!(clues.written, [PathBuf::from("log"), PathBuf::from("out/result")]);
    assert_eq!(clues.found_in, Some(PathBuf::from("out/result")));
    assert_eq!(clues.suggested.as_deref(), Some(r"Time\s+=\s+([-+.0-9eEdD]+)"));
    assert_eq!(clues.shell_word.as_deref(), Some("'|'"));
    let later = trial(Nanoseconds(u64::MAX));
    assert_eq!(MetricClues::of(&request, &later, &MetricProblem::NoMatch, "").written, [PathBuf::new(); 0]);
}

#[test]
fn an_output_that_has_what_the_file_lacks_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let metric = Metric::File { file: "r".into(), regex: Some("t=(.)".to_owned()), higher_is_better: false };
    let request = request(folder.path(), metric, &["app"]);
    let problem = MetricProblem::File(numawise_facts::MetricFileProblem::Missing);
    let clues = MetricClues::of(&request, &trial(Nanoseconds(0)), &problem, "t=1\n");
    assert!(clues.found_in_output && clues.suggested.is_none() && clues.shell_word.is_none(), "{clues:?}");
}

#[test]
fn words_of_a_shell_are_known() {
    for word in ["|", ">", "2>&1", ">out", "2>out", "&>log", "<in", "&&", "$(nproc)"] {
        assert!(is_of_a_shell(OsStr::new(word)), "{word}");
    }
    for word in ["a|b", "-x", "12", "1", "--n=>3", "", "a<b", "&amp"] {
        assert!(!is_of_a_shell(OsStr::new(word)), "{word}");
    }
}
