use numawise_facts::{PointId, Reading};
use numawise_units::Nanoseconds;

use super::*;

fn run(folder: &Path, command: &[&str]) -> RunSpec {
    let command = command.iter().map(|word| Argument::from(*word)).collect();
    RunSpec { command, directory: folder.to_owned() }
}

/// A trial that began at such a time, printed something and gave no metric.
fn trial(started: Nanoseconds, problem: MetricProblem, output: &str) -> Trial {
    Trial {
        number: 0,
        block: 0,
        point: PointId::from("os"),
        started,
        wall: Nanoseconds(1),
        outcome: Outcome::NoMetric { problem, output_tail: output.to_owned() },
        observation: Reading::unavailable("by hand"),
        disturbances: vec![],
        left_behind: None,
        other_values: vec![],
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
    let (metric, record) = (printed("time: ([0-9]+)"), folder.path().join("app.nw"));
    let command = run(folder.path(), &["app", "-o", "out/result", "|", "tee"]);
    let since = |started| trial(Nanoseconds(started), MetricProblem::NoMatch, "Time = 5\n");
    let clues = MetricClues::of(&command, &record, &metric, &since(1_000_000_000));
    assert_eq!(clues.written, [PathBuf::from("log"), PathBuf::from("out/result")]);
    assert_eq!(clues.found_in, Some(PathBuf::from("out/result")));
    assert_eq!(clues.suggested.as_deref(), Some(r"Time\s+=\s+([-+.0-9eEdD]+)"));
    assert_eq!(clues.shell_word.as_deref(), Some("'|'"));
    assert!(MetricClues::of(&command, &record, &metric, &since(u64::MAX)).written.is_empty());
}

#[test]
fn an_output_that_has_what_the_file_lacks_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let metric = Metric::File { file: "r".into(), regex: Some("t=(.)".to_owned()), higher_is_better: false };
    let problem = MetricProblem::File(numawise_facts::MetricFileProblem::Missing);
    let trial = trial(Nanoseconds(0), problem, "t=1\n");
    let clues = MetricClues::of(&run(folder.path(), &["app"]), Path::new("app.nw"), &metric, &trial);
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
