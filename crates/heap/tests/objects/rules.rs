//! Rules that put objects on nodes: exactly those of a call stack, as long as they are there. Policies are read in the kernel's list of the process; that
//! is enough on a machine of one node.

use std::path::Path;
use std::process::Command;

use numawise_observe::objects::input::MemoryChange;

use crate::support::{Bench, Ended, Entry, Written};

const NONE: [(&str, &str); 0] = [];
const BYTES: u64 = 1_000_000;

/// A program, and the log of one way of it, from which rules are made.
struct Program {
    bench: Bench,
    path: String,
    name: String,
}

impl Program {
    /// `None`, having said so, where it cannot be compiled or the kernel does not list policies.
    fn new(options: &[&str]) -> Option<Program> {
        if !Path::new("/proc/self/numa_maps").exists() {
            eprintln!("SKIPPED: the kernel lists no policies");
            return None;
        }
        let bench = Bench::new();
        let path = bench.compile("gcc", "three.c", options)?;
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        Some(Program { bench, path: path.to_str().unwrap().to_owned(), name })
    }

    /// The calls of each allocation of so many bytes in one way of the program, by their addresses in its file.
    fn calls(&self, way: &[&str], bytes: u64) -> Vec<Vec<u64>> {
        let words: Vec<&str> = [self.path.as_str()].into_iter().chain(way.iter().copied()).collect();
        let (written, _) = self.bench.with(&words, &NONE);
        let moved = moved(&written, bytes, symbol(&self.path, "make"));
        let calls = stacks(&written, bytes).into_iter();
        calls.map(|calls| calls.into_iter().map(|ip| ip - moved).collect()).collect()
    }

    fn rule(&self, calls: &[u64]) -> String {
        let calls: Vec<String> = calls.iter().map(|address| format!("0:{address:x}")).collect();
        format!("2;n0;f{};c{}", self.name, calls.join(","))
    }

    fn run(&self, way: &[&str], rules: &str) -> Vec<(String, String)> {
        let words: Vec<&str> = [self.path.as_str()].into_iter().chain(way.iter().copied()).collect();
        let Ended { status, output, errors } = self.bench.with_rules(&words, rules, &NONE);
        assert!(status.success() && errors.is_empty(), "{status} {errors}");
        let pair = |line: &str| line.split_once(' ').map(|(name, rest)| (name.to_owned(), rest.to_owned()));
        output.lines().filter_map(pair).collect()
    }

    fn policies(&self, way: &[&str], rules: &str) -> Vec<String> {
        self.run(way, rules).into_iter().map(|(name, policy)| format!("{name} {policy}")).collect()
    }
}

/// The address of a symbol in a file.
fn symbol(path: &str, name: &str) -> u64 {
    let output = Command::new("nm").arg(path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text
        .lines()
        .find(|line| line.split(' ').nth(2) == Some(name))
        .unwrap_or_else(|| panic!("{name} in {path}"));
    u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
}

/// How far from its own addresses a file lies of which a function allocates.
fn moved(written: &Written, bytes: u64, function: u64) -> u64 {
    (stacks(written, bytes)[0][0] - function) & !4095
}

/// Where the calls of allocations of so many bytes return to: the innermost, and the callers by frame pointers up to main.
fn stacks(written: &Written, wanted: u64) -> Vec<Vec<u64>> {
    let number = |entry: &Entry| match entry {
        Entry::Memory {
            change:
                MemoryChange::Allocated { bytes, stack: Some(stack), .. }
                | MemoryChange::Mapped { bytes, stack: Some(stack), .. },
            ..
        } if *bytes == wanted => Some(*stack),
        _ => None,
    };
    let follow = |wanted: u32| {
        let of = |entry: &Entry| match entry {
            Entry::Stack { number, ip, sp, bp, bytes, .. } if *number == wanted => {
                Some((*ip, *sp, *bp, bytes.clone()))
            }
            _ => None,
        };
        let (ip, sp, mut bp, bytes) = written.entries.iter().find_map(of).unwrap();
        let word = |address: u64| {
            let at = address.checked_sub(sp)? as usize;
            Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().unwrap()))
        };
        let mut calls = vec![ip];
        // Frames of the program only: the C library has none.
        while let (Some(next), Some(caller)) = (word(bp), word(bp + 8)) {
            if caller.abs_diff(ip) > 1 << 20 {
                break;
            }
            calls.push(caller);
            bp = next;
        }
        calls
    };
    written.entries.iter().filter_map(number).map(follow).collect()
}

#[test]
fn a_rule_hits_the_array_of_its_line_and_no_other() {
    for options in [&["-no-pie"] as &[&str], &["-pie", "-fPIE"]] {
        let Some(program) = Program::new(options) else { return };
        let calls = program.calls(&["three"], BYTES);
        assert_eq!(calls.len(), 4, "{calls:x?}");
        let names = ["u", "v", "w"];
        for (k, name) in names.iter().enumerate() {
            assert_eq!(calls[k].len(), 2, "{calls:x?}");
            let found = program.policies(&["three"], &program.rule(&calls[k]));
            let expected = |of: &&str| format!("{of} {}", if of == name { "prefer:0" } else { "default" });
            let rest = ["table default".to_owned(), "again default".to_owned()];
            let expected: Vec<String> = names.iter().map(expected).chain(rest).collect();
            assert_eq!(found, expected, "{options:?}");
        }
        // The innermost call alone is of all of them.
        let all = program.policies(&["three"], &program.rule(&calls[0][..1]));
        assert_eq!(all, ["u prefer:0", "v prefer:0", "w prefer:0", "table default", "again prefer:0"]);
    }
}

#[test]
fn pages_of_an_object_go_to_its_nodes_in_turn() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let calls = program.calls(&["three"], BYTES);
    let rule = program.rule(&calls[1]).replace(";n0;", ";i0;");
    let found = program.policies(&["three"], &rule);
    assert_eq!(found, ["u default", "v interleave:0", "w default", "table default", "again default"]);
}

#[test]
fn a_variable_goes_to_its_nodes_before_main() {
    let Some(program) = Program::new(&[]) else { return };
    let rules = format!("2;n0;f{};g0:{:x}+{:x}", program.name, symbol(&program.path, "table"), 400_000);
    let found = program.policies(&["three"], &rules);
    assert_eq!(found, ["u default", "v default", "w default", "table prefer:0", "again default"]);
}

#[test]
fn a_block_that_is_freed_and_its_memory_are_as_before() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let calls = program.calls(&["kept"], 100_000);
    let found = program.policies(&["kept"], &program.rule(&calls[1]));
    assert_eq!(found, ["v prefer:0", "freed default", "same 1 default"]);
}

#[test]
fn realloc_keeps_the_nodes_and_the_content() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let calls = program.calls(&["realloc"], BYTES);
    let found = program.policies(&["realloc"], &program.rule(&calls[0]));
    assert_eq!(found, ["v prefer:0", "larger prefer:0", "content 1 7", "smaller prefer:0"]);
}

#[test]
fn children_of_fork_have_it_and_give_it_back_for_themselves() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let calls = program.calls(&["fork"], BYTES);
    let found = program.policies(&["fork"], &program.rule(&calls[0]));
    assert_eq!(found, ["inherited prefer:0", "parent prefer:0"]);
}

#[test]
fn a_mapping_takes_its_policy_along_and_the_next_one_there_has_none() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let (written, _) = program.bench.with(&[&program.path, "mapped"], &NONE);
    let calls = stacks(&written, BYTES);
    let found = program.policies(&["mapped"], &program.rule(&calls[0]));
    assert_eq!(found, ["v prefer:0", "w default", "moved prefer:0", "gone default"]);
}

#[test]
fn calls_stand_in_their_order_whatever_is_between() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let calls = program.calls(&["deep"], BYTES);
    assert!(calls[0].len() == 13 && calls[1].len() == 3, "{calls:x?}");
    let first = program.policies(&["deep"], &program.rule(&calls[0][..12]));
    assert_eq!(first, ["deep prefer:0", "flat default"]);
    // Of main it is the other call.
    let second = program.policies(&["deep"], &program.rule(&calls[1]));
    assert_eq!(second, ["deep default", "flat prefer:0"]);
    let reversed: Vec<u64> = calls[1].iter().take(1).chain(calls[1].iter().skip(1).rev()).copied().collect();
    assert_eq!(program.policies(&["deep"], &program.rule(&reversed)), ["deep default", "flat default"]);
}

#[test]
fn a_library_that_is_loaded_later_is_found_then() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let Some(library) = program.bench.compile("gcc", "loaded.c", &["-shared", "-fPIC"]) else { return };
    let library = library.to_str().unwrap();
    let (written, _) = program.bench.with(&[&program.path, "loaded", library], &NONE);
    let give = symbol(library, "give");
    let ip = stacks(&written, BYTES)[0][0] - moved(&written, BYTES, give);
    let name = Path::new(library).file_name().unwrap().to_str().unwrap();
    let found = program.policies(&["loaded", library], &format!("2;n0;f{name};c0:{ip:x}"));
    assert_eq!(found, ["loaded prefer:0", "own default"]);
}

#[test]
fn many_blocks_are_put_and_given_back_and_more_are_left_alone() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let calls = program.calls(&["many"], 20_000);
    let rules = program.rule(&calls[0]);
    let Ended { status, output, .. } = program.bench.with_rules(&[&program.path, "many"], &rules, &NONE);
    assert!(status.success() && output == "done\n", "{status} {output}");
}

#[test]
fn broken_rules_do_nothing() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let calls = program.calls(&["three"], BYTES);
    let rules = program.rule(&calls[0]);
    let default = ["u default", "v default", "w default", "table default", "again default"];
    let version = rules.replacen('1', "2", 1);
    let no_node = rules.replacen(";n0", ";n1023", 1);
    for broken in ["", "1", "x", &version, &format!("{rules};"), &format!("{rules};c9:1"), &no_node] {
        assert_eq!(program.policies(&["three"], broken), default, "{broken}");
    }
    let other = rules.replacen(&program.name, "other", 1);
    assert_eq!(program.policies(&["three"], &other), default);
}

#[test]
fn rules_and_a_log_go_together() {
    let Some(program) = Program::new(&["-no-pie"]) else { return };
    let calls = program.calls(&["kept"], 100_000);
    let log = program.bench.log();
    let variables = [("NUMAWISE_OBJECTS", log.to_str().unwrap())];
    let ended = program.bench.with_rules(&[&program.path, "kept"], &program.rule(&calls[1]), &variables);
    assert_eq!(ended.output, "v prefer:0\nfreed default\nsame 1 default\n");
    let logs: Vec<_> = std::fs::read_dir(&log).unwrap().collect();
    assert_eq!(logs.len(), 1);
}
