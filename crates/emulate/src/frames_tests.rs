use super::{Ended, parse};
use crate::Error;

const WHOLE: &[u8] =
    b"boot 2.50\nstart 0\ncommand 0 0 2.50 3.75 6 3\nhello\nno\nstart 1\ncommand 1 137 3.75 3.80 0 0\n\
    file 0 4\n\0\n\xff\nabsent 1\ndone\n";

#[test]
fn all_frames_are_read() {
    let frames = parse(WHOLE).unwrap();
    assert_eq!((frames.boot, frames.started, frames.done), (Some(2.5), Some(1), true));
    assert_eq!(
        frames.commands,
        [
            Ended { status: 0, seconds: 1.25, stdout: b"hello\n".to_vec(), stderr: b"no\n".to_vec() },
            Ended { status: 137, seconds: 3.8 - 3.75, stdout: vec![], stderr: vec![] },
        ]
    );
    assert_eq!(frames.files, [Some(b"\0\n\xff\n".to_vec()), None]);
}

#[test]
fn wherever_the_guest_is_cut_off_what_came_before_counts() {
    for length in 0..WHOLE.len() {
        let frames = parse(&WHOLE[..length]).unwrap_or_else(|e| panic!("cut at {length}: {e}"));
        assert!(!frames.done, "cut at {length}");
        assert!(frames.commands.len() <= frames.started.map_or(0, |k| k + 1), "cut at {length}");
    }
    let cut_in_output = parse(&WHOLE[..50]).unwrap();
    assert_eq!((cut_in_output.started, cut_in_output.commands.len()), (Some(0), 0));
}

#[test]
fn all_that_was_asked_for_may_be_there_without_the_last_word() {
    let (last, whole) = (b"done\n".len(), WHOLE.len());
    for length in 0..whole {
        let are_all = parse(&WHOLE[..length]).unwrap().are_all(2, 2);
        assert_eq!(are_all, length >= whole - last, "cut at {length}");
    }
}

#[test]
fn output_that_looks_like_frames_is_output() {
    let frames = parse(b"start 0\ncommand 0 0 1 2 14 0\ndone\nabsent 0\n").unwrap();
    assert!(!frames.done);
    assert!(frames.files.is_empty());
    assert_eq!(frames.commands[0].stdout.len(), 14);
}

#[test]
fn what_the_guest_never_sends_is_refused_with_its_place() {
    for (text, at) in [
        (&b"boot x\n"[..], 0),
        (b"boot 1\nhello\n", 7),
        (b"boot 1\n\n", 7),
        (b"start 1\n", 0),
        (b"start 0\nstart 1\n", 8),
        (b"command 0 0 1 2 0 0\n", 0),
        (b"start 0\ncommand 0 0 1 2 0\n", 8),
        (b"start 0\ncommand 0 0 1 2 -1 0\n", 8),
        (b"start 0\ncommand 1 0 1 2 0 0\n", 8),
        (b"start 0\ncommand 0 0 1 2 0 0\ncommand 0 0 1 2 0 0\n", 28),
        (b"file 1 0\n", 0),
        (b"file 0 many\n", 0),
        (b"absent 3\n", 0),
        (b"Kernel panic\n", 0),
        (b"\xff\xfe\n", 0),
    ] {
        match parse(text) {
            Err(Error::Garbled { at: found, .. }) => assert_eq!(found, at, "{text:?}"),
            other => panic!("expected a refusal, found {other:?} for {text:?}"),
        }
    }
}

#[test]
fn a_huge_length_is_just_not_there_yet() {
    let frames = parse(b"start 0\ncommand 0 0 1 2 18446744073709551615 1\n").unwrap();
    assert!(frames.commands.is_empty());
}
