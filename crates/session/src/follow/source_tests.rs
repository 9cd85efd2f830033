use std::time::Duration;

use numawise_facts::Reading;
use numawise_facts::activity::SourcePlace;
use numawise_facts::objects::{FileAddress, LoopLine, LoopPassing, LoopWork, MachineLoop, ThreadSamples};

use super::*;

fn line_of(file: &str) -> CodePlace {
    let source = SourcePlace {
        function: Reading::Measured("sum".to_owned()),
        file: Reading::Measured(file.to_owned()),
        line: Reading::Measured(7),
    };
    CodePlace { file: "app".to_owned(), address: 16, source }
}

fn loop_at(places: &[u32], samples: u64) -> MachineLoop {
    MachineLoop {
        head: FileAddress { file: "/w/app".to_owned(), address: 16 },
        function: 0,
        parent: None,
        depth: 1,
        is_innermost: true,
        lines: places.iter().map(|place| LoopLine { place: *place, instructions: 1 }).collect(),
        samples: (samples > 0).then_some(ThreadSamples { thread: 0, samples }).into_iter().collect(),
        work: LoopWork::default(),
        passing: LoopPassing::default(),
    }
}

/// When the tests' files were written, in minutes.
fn written(path: &str) -> Option<SystemTime> {
    let minutes = match path {
        "/w/app" => 10,
        "/w/older.c" => 9,
        "/w/newer.c" => 11,
        _ => return None,
    };
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(60 * minutes))
}

#[test]
fn sources_that_are_newer_than_the_program_are_named_once() {
    let places = ["/w/older.c", "/w/newer.c", "/gone.c"].map(line_of);
    let code = CodeSamples {
        loops: vec![loop_at(&[0, 1, 2], 5), loop_at(&[1], 3)],
        ..CodeSamples::none(Reading::Measured(256))
    };
    let [programs, files] = ["/w/app", "/w/newer.c"].map(|file| vec![file.to_owned()]);
    let expected = ObjectsNotice::SourceChanged { programs, files, count: 1 };
    assert_eq!(changed(&places, &code, &written), Some(expected.into()));
}

#[test]
fn nothing_is_said_of_older_sources_unsampled_loops_and_files_that_are_not_here() {
    let places = ["/w/older.c", "/w/newer.c", "/gone.c"].map(line_of);
    let code = CodeSamples {
        loops: vec![loop_at(&[0, 2], 5), loop_at(&[1], 0)],
        ..CodeSamples::none(Reading::Measured(256))
    };
    assert_eq!(changed(&places, &code, &written), None);
    assert_eq!(changed(&places, &code, &|_| None), None);
}
