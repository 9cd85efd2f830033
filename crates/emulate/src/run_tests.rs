//! What becomes of a guest that does not end well, with other programs in QEMU's place.

use super::*;

/// The files that a guest leaves, written before it starts.
struct Left(tempfile::TempDir);

impl Left {
    fn new(results: &str, console: &str) -> Left {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("results"), results).unwrap();
        std::fs::write(folder.path().join("console"), console).unwrap();
        Left(folder)
    }

    /// Runs a program that writes nothing, and takes the files for its own.
    fn run(&self, words: &[&str], limit: Duration) -> Result<(Frames, Duration), Error> {
        let path = |name| self.0.path().join(name);
        let (console, results, messages) = (path("console"), path("results"), path("messages"));
        let outputs = Outputs { console: &console, results: &results, messages: &messages };
        let arguments: Vec<String> = words[1..].iter().map(|word| (*word).to_owned()).collect();
        let commands = ["true", "echo on the console > /dev/console; sleep 1000"].map(str::to_owned);
        let watch = Watch { limit, files: 0, live: false, stop: None };
        run(words[0].as_ref(), &arguments, &outputs, &watch, &commands)
    }
}

const LONG: Duration = Duration::from_secs(600);
const IN_THE_SECOND: &str = "boot 2.50\nstart 0\ncommand 0 0 2.50 2.51 0 0\nstart 1\n";

#[test]
fn a_time_limit_ends_the_guest_and_names_the_command() {
    let left = Left::new(IN_THE_SECOND, "first\non the console\n");
    let begun = Instant::now();
    let error = left.run(&["sleep", "1000"], Duration::from_millis(300)).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::TimeLimit { .. }), "{message}");
    let expected = "not done within 0 s: stopped during command 2 of 2, `echo on the console > /dev/console; sleep 1000`";
    assert!(message.contains(expected), "{message}");
    assert!(message.ends_with("\non the console"), "{message}");
    assert!(begun.elapsed() < LONG, "it was waited for");
}

#[test]
fn a_guest_that_ends_in_a_command_is_an_error_and_one_that_met_its_own_breakpoint_is_told_apart() {
    let ended = |console: &str| match Left::new(IN_THE_SECOND, console).run(&["true"], LONG) {
        Err(Error::Ended { booted: true, own_breakpoint, progress, .. }) => {
            assert!(progress.starts_with("during command 2 of 2"), "{progress}");
            own_breakpoint
        }
        other => panic!("{other:?}"),
    };
    assert!(!ended("Power down\n"));
    assert!(ended("Oops: int3: 0000 [#1]\n"));
}

#[test]
fn a_guest_that_has_not_booted_says_so() {
    let error = Left::new("", "").run(&["false"], LONG).unwrap_err();
    assert!(matches!(error, Error::Ended { booted: false, .. }), "{error}");
    assert!(error.to_string().contains("before it had booted"), "{error}");
    let error = Left::new("", "").run(&["/no/such/qemu"], LONG).unwrap_err();
    assert!(matches!(error, Error::Start { .. }), "{error}");
}

/// How often a guest that ends so is started, and how that ends.
fn starts(console: &str, results: &str) -> (u32, Result<((), u32), Error>) {
    let mut starts = 0;
    let ended = until_it_stays(|| {
        starts += 1;
        Left::new(results, console).run(&["true"], LONG).map(drop)
    });
    (starts, ended)
}

#[test]
fn only_a_guest_that_did_not_boot_or_met_its_own_breakpoint_is_started_again_and_never_a_result() {
    let (count, ended) = starts("Oops: int3: 0000 [#1]\n", IN_THE_SECOND);
    assert!(count == BOOTS && matches!(ended, Err(Error::Ended { own_breakpoint: true, .. })), "{ended:?}");
    let (count, ended) = starts("", "");
    assert!(count == BOOTS && matches!(ended, Err(Error::Ended { booted: false, .. })), "{ended:?}");
    let (count, ended) = starts("Power down\n", IN_THE_SECOND);
    assert!(count == 1 && matches!(ended, Err(Error::Ended { own_breakpoint: false, .. })), "{ended:?}");
    let whole = format!("{IN_THE_SECOND}command 1 7 2.51 3.00 0 0\ndone\n");
    let (count, ended) = starts("", &whole);
    assert_eq!((count, ended.unwrap().1), (1, 1));
    let mut failing = 2;
    let third = until_it_stays(|| {
        failing -= 1;
        Left::new(if failing < 0 { &whole } else { "" }, "").run(&["true"], LONG).map(drop)
    });
    assert_eq!(third.unwrap().1, 3, "the third start is one too");
}
