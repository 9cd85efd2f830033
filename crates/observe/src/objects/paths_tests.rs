use super::super::tests::{PROGRAM, allocated, stack, tracker};
use super::*;

/// Where the interpreter is, by the program's code of the tests: in the same file as all else.
const INTERPRETER: u64 = 0x41_0000;

fn frame(file: &str, line: u32) -> PythonFrame {
    PythonFrame { file: file.to_owned(), function: "work".to_owned(), line: Some(line) }
}

#[test]
fn lines_of_python_tell_objects_apart_that_the_same_calls_allocate() {
    let mut tracker = tracker();
    let of_numpy = || frame("/usr/lib/python3/dist-packages/numpy/core/numeric.py", 204);
    tracker.python(PROGRAM, 0, INTERPRETER, vec![of_numpy(), frame("/home/me/a.py", 3)]);
    tracker.python(PROGRAM, 1, INTERPRETER, vec![of_numpy(), frame("/home/me/a.py", 4)]);
    // The same line by another instruction.
    tracker.python(PROGRAM, 2, INTERPRETER, vec![of_numpy(), frame("/home/me/a.py", 4)]);
    for number in 0..3 {
        tracker.stack(PROGRAM, 10 + number, &stack(1), Some(number));
        tracker.memory(&allocated(2000, 0x10_0000 * u64::from(1 + number), 4096, 10 + number));
    }
    let found = tracker.finish();
    let counts: Vec<u64> = found.objects.iter().map(|object| object.count).collect();
    assert_eq!(counts, [1, 2]);
    for (object, line) in found.objects.iter().zip([3, 4]) {
        let places = object.allocated.measured().unwrap();
        let lines: Vec<_> =
            places.iter().filter_map(|place| found.places[*place as usize].source.line.measured()).collect();
        assert_eq!(lines[lines.len() - 2..], [&204, &line]);
        assert!(object.site.measured().is_none(), "its calls are those of both");
    }
}

#[test]
fn calls_of_the_interpreter_itself_do_not_tell_objects_apart() {
    let mut tracker = tracker();
    tracker.python(PROGRAM, 0, INTERPRETER, vec![frame("/home/me/a.py", 3)]);
    // Two ways through the interpreter.
    for number in [1, 2] {
        tracker.stack(PROGRAM, number, &stack(u64::from(number)), Some(0));
        tracker.memory(&allocated(2000, 0x10_0000 * u64::from(number), 4096, number));
    }
    let found = tracker.finish();
    assert_eq!(found.objects.iter().map(|object| object.count).collect::<Vec<_>>(), [2]);
    assert!(found.objects[0].site.measured().is_some());
}
