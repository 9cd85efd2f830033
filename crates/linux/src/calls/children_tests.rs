use std::process::{Child, Command};

use super::*;

fn sleeper() -> Child {
    Command::new("sleep").arg("60").spawn().unwrap()
}

fn found(by: impl Fn(&mut dyn FnMut(Pid)) -> io::Result<()>, child: &Child) -> bool {
    let mut found = false;
    by(&mut |pid| found |= pid.0 == child.id() as i32).unwrap();
    found
}

#[test]
fn a_child_is_listed_in_both_ways_until_it_is_waited_for() {
    let mut child = sleeper();
    let both = |child: &Child| [found(|each| by_parent(each), child), found(|each| super::each(each), child)];
    assert_eq!(both(&child), [true; 2]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(both(&child), [false; 2]);
}

#[test]
fn the_name_is_that_of_the_program() {
    let mut child = sleeper();
    // Until exec the child has our name.
    while name(Pid(child.id() as i32)) != *b"sleep\0\0\0\0\0\0\0\0\0\0\0" {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(name(Pid(child.id() as i32)), [0; NAME]);
}

#[test]
fn paths_and_words_are_taken_apart() {
    assert!(path(Pid(4194304), b"/stat").starts_with(b"/proc/4194304/stat\0"));
    assert_eq!(parent_in(b"7 (a) b)) S 42 7 7 0"), Some(42));
    for broken in [&b""[..], b"7", b"7 (a", b"7 (a)", b"7 (a) S", b"7 (a) S x"] {
        assert_eq!(parent_in(broken), None);
    }
    assert_eq!(number(b"12\0"), Some(Pid(12)));
    assert_eq!([number(b"12"), number(b"self\0"), number(b"-3\0"), number(b"0\0")], [None; 4]);
}
