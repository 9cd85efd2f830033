use super::{TrafficCount, read};
use crate::Error;

const TEXT: &str = "mark 0 in-guest\nend\n\
    mark 1 in-guest\nlines 0 0 100 10 5\nlines 2 0 40 4 0\noutside 0 3 0\nslept 0 99 9\ncomputed 101\nend\n\
    mark 2 exit\nslept 0 109 9\nslept 1 20 15\ncomputed 111\nlines 0 0 150 12 9\nlines 2 0 40 4 0\nlines 2 1 60 6 6\noutside 0 3 0\nend\n";

#[test]
fn counts_between_marks_are_differences() {
    let truth = read(TEXT).unwrap();
    assert_eq!(truth.len(), 2);
    assert_eq!(
        (truth[0].lines(), truth[0].lines_from(0), truth[0].lines_from(1), truth[0].outside),
        (140, 140, 0, 3)
    );
    assert_eq!(truth[1].counts[0], TrafficCount { cpu: 0, node: 0, lines: 50, exposed: 2, written: 4 });
    assert_eq!((truth[1].lines_from(0), truth[1].lines_from(1), truth[1].outside), (50, 60, 0));
    let percent = |of: &super::Truth| of.waiting_share().map(|share| (100.0 * share).round());
    assert_eq!([percent(&truth[0]), percent(&truth[1])], [Some(50.0), Some(75.0)]);
    assert_eq!([truth[0].lost_share(), truth[1].lost_share()], [Some(9e-9 / 99e-9), Some(15e-9 / 30e-9)]);
    assert_eq!(super::Truth::default().waiting_share(), None);
}

#[test]
fn the_remote_share_needs_lines() {
    let machine = crate::test_machine("two-socket");
    let truth = read(TEXT).unwrap();
    assert_eq!(truth[0].remote_share(&machine), Some(40.0 / 140.0));
    assert_eq!(truth[1].remote_share(&machine), Some(0.0));
    assert_eq!(super::Truth::default().remote_share(&machine), None);
}

#[test]
fn a_block_that_was_cut_off_is_left_out() {
    let cut = TEXT.rfind("lines 2 1").unwrap();
    assert_eq!(read(&TEXT[..cut]).unwrap().len(), 1);
    assert_eq!(read("").unwrap(), []);
}

#[test]
fn broken_lines_are_told_with_their_number() {
    for (text, line) in [
        ("mark 0\nlines 0 0 1 1\nend\n", 2),
        ("mark 0\nlines 0 x 1 1 1\nend\n", 2),
        ("mark 0\nlines 0 0 -1 1 1\nend\n", 2),
        ("mark 0\nend\nwhat\n", 3),
        ("mark 0\n\nend\n", 2),
        ("mark 0\noutside 0\n", 2),
        ("mark 0\nslept 0\n", 2),
    ] {
        match read(text) {
            Err(Error::Truth { line: found, .. }) => assert_eq!(found, line, "{text}"),
            other => panic!("expected a refusal, found {other:?} for {text}"),
        }
    }
}
