//! Lines of Python, of each interpreter that is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use numawise_observe::objects::input::{MemoryChange, PythonFrame};

use crate::ALL;
use crate::support::{Bench, Entry, Written};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/objects/programs/blocks.py");

/// The interpreters of known versions that can be run here.
fn interpreters() -> Vec<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let versions = (9..=14).map(|minor| format!("python3.{minor}"));
    // The system's own, also where another one is meant by `python3`.
    let all =
        versions.map(|name| folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file()));
    let own = Path::new("/usr/bin/python3");
    let found: BTreeSet<_> = all
        .flatten()
        .chain(own.is_file().then(|| own.to_owned()))
        .filter_map(|path| path.canonicalize().ok())
        // Scripts of tools for several versions stand before the interpreters.
        .filter(|path| std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")))
        .collect();
    found.into_iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// The Python functions in which blocks of so many bytes were allocated.
fn frames(written: &Written) -> BTreeMap<u64, Vec<&Vec<PythonFrame>>> {
    let (mut python, mut stacks, mut found) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for entry in &written.entries {
        match entry {
            Entry::Python { number, frames } => {
                python.insert(*number, frames);
            }
            Entry::Stack { number, python: Some(of), .. } => {
                stacks.insert(*number, *of);
            }
            Entry::Memory { change: MemoryChange::Allocated { bytes, stack: Some(stack), .. }, .. }
                if stacks.contains_key(stack) =>
            {
                found.entry(*bytes).or_insert_with(Vec::new).push(python[&stacks[stack]]);
            }
            _ => {}
        }
    }
    found
}

#[test]
fn a_block_is_of_the_line_of_python_that_allocates_it() {
    let interpreters = interpreters();
    if interpreters.is_empty() {
        eprintln!("SKIPPED: there is no CPython from 3.9 to 3.14");
    }
    for interpreter in interpreters {
        let bench = Bench::new();
        let (written, _) = bench.with(&[&interpreter, PROGRAM], &ALL);
        let found = frames(&written);
        // A byte for the end is behind each.
        let of = |line: u64| -> &Vec<&Vec<PythonFrame>> {
            found
                .get(&(line * 100_000 + 1))
                .unwrap_or_else(|| panic!("{interpreter}: none of line {line}: {found:?}"))
        };
        for (line, at, function, count) in [
            (16, 7, "of", 1),
            (13, 12, "each", 3),
            (18, 18, "<lambda>", 1),
            (20, 20, "<lambda>", 1),
            (23, 23, "<module>", 1),
            (28, 28, "again", 50),
        ] {
            let blocks = of(line);
            assert_eq!(blocks.len(), count, "{interpreter}, line {line}");
            for frames in blocks {
                // A comprehension is a function of its own before 3.12.
                let names = frames.iter().skip_while(|frame| frame.function.ends_with("<listcomp>"));
                let named = names.map(|frame| (frame.line, frame.function.as_str())).next().unwrap();
                assert_eq!(named.0, Some(at), "{interpreter}: {frames:?}");
                assert!(named.1.ends_with(function), "{interpreter}: {frames:?}");
                let file = if line == 23 { "/tmp/größe-ж.py" } else { PROGRAM };
                assert_eq!(frames[0].file, file);
            }
        }
        // Who has called it comes next.
        let outer: Vec<_> = of(16)[0].iter().map(|frame| (frame.line, frame.function.as_str())).collect();
        assert_eq!(outer[1..2], [(Some(16), "<module>")], "{interpreter}");
    }
}

#[test]
fn a_child_of_fork_has_lines_of_its_own() {
    let code = "
import os
kept = bytearray(900_000)
child = os.fork()
more = bytearray(1_000_000)
if child:
    os.waitpid(child, 0)
";
    for interpreter in interpreters() {
        let bench = Bench::new();
        let (written, _) = bench.with(&[&interpreter, "-c", code], &ALL);
        let found = frames(&written);
        let lines: Vec<_> = found[&1_000_001].iter().map(|frames| frames[0].line).collect();
        assert_eq!(lines, [Some(5); 2], "{interpreter}");
    }
}

#[test]
fn a_sample_is_of_the_function_of_python_that_it_interrupts() {
    let code = "
import time
def work():
    kept = bytearray(900_000)
    end = time.process_time() + 0.4
    while time.process_time() < end:
        kept[0] = 1
work()
";
    for interpreter in interpreters() {
        let bench = Bench::new();
        let (written, _) = bench.with(&[&interpreter, "-c", code], &[("NUMAWISE_OBJECTS_TIMER", "1000")]);
        let works: BTreeSet<u32> = (written.entries.iter())
            .filter_map(|entry| match entry {
                Entry::Python { number, frames } if frames[0].function == "work" => Some(*number),
                _ => None,
            })
            .collect();
        let is_of_work = |entry: &&Entry| matches!(entry, Entry::Sample { python: Some(python), .. } if works.contains(python));
        let found = written.entries.iter().filter(is_of_work).count();
        // By its own processor time: there are a hundred and more at 250 Hz.
        assert!(found > 20, "{interpreter}: {found}");
    }
}
