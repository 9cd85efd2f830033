use super::description;
use crate::{Error, Machine};
use std::path::Path;

#[test]
fn the_description_has_all_that_the_plugin_needs() {
    let machine = Machine::load("hbm").unwrap();
    let text = description(&machine, Some(500.0), Path::new("/run/truth.txt")).unwrap();
    let expected = "numa-timing 1\nscale 500\ncore 12\ncache 512 8\ncpu 0 0\ncpu 1 0\ncpu 2 1\ncpu 3 1\n\
        node 0 14\nnode 1 14\nnode 2 60\nnode 3 60\n\
        range 0 0 30000000\nrange 1 60000000 90000000\nrange 2 c0000000 d0000000\nrange 3 e0000000 f0000000\n\
        path 0 0 80 0\npath 0 1 160 8\npath 0 2 120 0\npath 0 3 180 8\n\
        path 1 0 160 8\npath 1 1 80 0\npath 1 2 180 8\npath 1 3 120 0\n\
        truth /run/truth.txt\nend\n";
    assert_eq!(text, expected);
}

#[test]
fn without_another_scale_that_of_the_file_is_used() {
    let text = description(&Machine::load("two-socket").unwrap(), None, Path::new("t")).unwrap();
    assert!(text.contains("\nscale 1000\n"), "{text}");
}

#[test]
fn a_machine_without_timing_is_refused() {
    let machine = Machine::load("eight-nodes").unwrap();
    let error = description(&machine, None, Path::new("t")).unwrap_err();
    assert!(matches!(&error, Error::NoTiming(name) if name == "eight-nodes"), "{error}");
}
