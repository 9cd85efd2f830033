//! Bad input: the message, the status, and nothing started.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{allowed, last, run};

/// Every case starts `echo started`, unless it brings a program of its own.
fn refused(arguments: &[&str], status: i32, parts: &[&str]) {
    let answer = run(arguments);
    assert_eq!(answer.status, Some(status), "{arguments:?}: {answer:?}");
    for part in parts {
        assert!(answer.err.contains(part), "{arguments:?}: '{part}' is missing in: {}", answer.err);
    }
    assert_eq!(answer.out, "", "nothing is started: {arguments:?}");
}

#[test]
fn programs_that_cannot_run() {
    let folder = std::env::temp_dir().join(format!("numawise-run-errors-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let plain = file("plain", "#!/bin/sh\necho started\n", 0o644);
    let lost = file("lost", "#!/no/such/interpreter\n", 0o755);
    let broken = file("broken", "\x7fELF\x02 and then nothing", 0o755);
    refused(&["no-such-program-anywhere"], 127, &["no-such-program-anywhere: not found", "PATH"]);
    refused(&["/no/such/program"], 127, &["not found (no such file)"]);
    refused(&["./no-such-program"], 127, &["not found"]);
    refused(&[""], 127, &["not found"]);
    refused(&["-C", "all", &plain], 126, &["no execute permission", "chmod +x"]);
    refused(&["--place", "local", folder.to_str().unwrap()], 126, &["it is a directory"]);
    refused(&[&lost], 126, &["interpreter /no/such/interpreter, which is not there"]);
    refused(&[&broken], 126, &["neither a program for this machine nor a script"]);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn no_program_at_all() {
    refused(&[], 125, &["<PROGRAM>"]);
    refused(&["-C", "0", "--"], 125, &["<PROGRAM>"]);
}

#[test]
fn words_that_mean_nothing() {
    refused(
        &["--place", "spread", "echo", "started"],
        125,
        &["'spread' is not a strategy", "local, distributed"],
    );
    refused(
        &["--memory", "near", "echo", "started"],
        125,
        &["'near' is not a memory policy", "bind[:NODES]"],
    );
    refused(&["--memory", "bind:", "echo", "started"], 125, &["the list of nodes is empty"]);
    refused(&["--threads", "many", "echo", "started"], 125, &["many"]);
    refused(&["--threads", "0", "echo", "started"], 125, &["0 threads were asked for"]);
    refused(&["--threads", "4294967295", "echo", "started"], 125, &["4294967295 threads", "at most"]);
    refused(&["--bogus", "echo", "started"], 125, &["--bogus"]);
    refused(&["--cpus", "3-1", "echo", "started"], 125, &["runs backwards"]);
    refused(&["--cpus", "", "echo", "started"], 125, &["the list of CPUs is empty"]);
    refused(&["--nodes", "", "echo", "started"], 125, &["the list of nodes is empty"]);
    refused(&["-C", "", "echo", "started"], 125, &["--physcpubind ''", "a number is missing"]);
    refused(&["-m", "x", "echo", "started"], 125, &["--membind 'x'", "neither a number nor a range"]);
    refused(&["-C", "!all", "echo", "started"], 125, &["--physcpubind '!all'"]);
    refused(
        &["-N", "no:thing", "echo", "started"],
        125,
        &["--cpunodebind 'no:thing': 'no:' names no device"],
    );
    refused(&["-p", "same", "echo", "started"], 125, &["--preferred same", "--cpunodebind"]);
    refused(&["-m", "netdev:lo", "echo", "started"], 125, &["give the number of the node"]);
}

#[test]
fn new_words_that_mean_nothing() {
    let place = ["--place", "local"];
    for (options, part) in [
        (&["--copies", "0"][..], "expected a whole number from 1 to"),
        (&["--copies", "-1"], "-1"),
        (&["--copies", "many"], "many"),
        (&["--ranks", "2"], "--dry-run"),
        (
            &["--order", "random"],
            "'random' is not an order; expected spread, compact, scatter, balanced or CPUs",
        ),
        (&["--order", "granularity=fine,compact"], "'granularity' of KMP_AFFINITY is not understood"),
        (&["--order", "compact,1"], "permute and offset"),
        (&["--order", "0,3-1"], "runs backwards"),
        (&["--threads", "1e3"], "in digits, such as 4"),
        (&["--step", "0"], "expected a whole number from 1 to"),
        (&["--step", "x"], "x"),
        (&["--smt", "0"], "'0' is not a number of hardware threads"),
        (&["--smt", "both"], "expected 1, 2, ... or all"),
        (&["--skip-cpus", "3-1"], "runs backwards"),
        (&["--page-size", "2M"], "'2M' is not a size of pages; expected default, small, thp or huge"),
        (&["--balancing=maybe"], "'maybe' says nothing of NUMA balancing"),
        (&["--cpus", "node:x"], "node:x"),
        (&["--cpus", "socks:0"], "'socks' is not a level"),
        (&["--cpus", "core:60000"], "core:60000"),
        (&["--cpus", "node:0.pu:60000"], "node:0.pu:60000"),
        (&["--cpus", "pu:0 ~pu:0"], "leaves no CPU"),
        (&["--global-weights"], "the plan has no weights to write"),
        (&["--emit"], "--emit"),
        (&["--pin", "--no-pin"], "'--pin' cannot be used with '--no-pin'"),
        (&["--show", "--copies", "2"], "--copies is about a program that is started, and --show starts none"),
        (&["-H", "--verbose"], "--verbose is about a program that is started, and --hardware starts none"),
        (&["-N", "0-99999999999"], "node 99999999999 is above 1023"),
    ] {
        refused(&[&place, options, &["echo", "started"]].concat(), 125, &[part]);
    }
    let all = allowed("Cpus_allowed_list");
    refused(&[&place[..], &["--skip-cpus", &all, "echo", "started"]].concat(), 125, &["skipped"]);
}

#[test]
fn a_program_without_a_name_is_said_to_have_none() {
    refused(&[""], 127, &["the program's name is empty (\"\")", "an empty variable in quotes"]);
    refused(&["--copies", "2", ""], 127, &["the program's name is empty"]);
}

#[test]
fn a_tool_without_a_command_prints_nothing() {
    refused(&["--emit", "abacus", "app"], 125, &["expected numactl, taskset"]);
    refused(&["--emit", "taskset", "app"], 125, &["no command of it does this", "no mask is needed"]);
    refused(&["--emit", "kernel-weights", "app"], 125, &["nothing for it to do"]);
    refused(&["--emit", "numactl", "--dry-run", "app"], 125, &["cannot be used with"]);
}

#[test]
fn balancing_that_the_kernel_has_not() {
    refused(&["--balancing", "--memory", "interleave", "echo", "started"], 125, &["balancing"]);
}

#[test]
fn shared_memory_is_no_program() {
    refused(&["-u", "echo", "started"], 125, &["--huge is about shared memory", "--page-size huge"]);
    refused(&["--file", "/dev/shm/x", "echo", "started"], 125, &["'echo' would not be started"]);
    refused(&["--file", "/dev/shm/no/such", "--dump"], 125, &["/dev/shm/no/such cannot be had: "]);
    refused(&["--file", "/dev/shm", "--verify", "-L", "4k"], 125, &["/dev/shm cannot be had: "]);
}

#[test]
fn what_the_machine_does_not_have() {
    // The highest that Linux gives.
    let (cpu, node) = ("8191", "1023");
    let cpus = allowed("Cpus_allowed_list");
    refused(&["-C", cpu, "echo", "started"], 125, &["CPU 8191 does not exist", "it has CPUs"]);
    refused(&["--cpus", cpu, "echo", "started"], 125, &["CPU 8191 does not exist"]);
    refused(&["-N", node, "echo", "started"], 125, &["node 1023 does not exist", "it has nodes"]);
    refused(&["-m", node, "echo", "started"], 125, &["node 1023 does not exist"]);
    refused(&["--memory", "interleave:1023", "echo", "started"], 125, &["node 1023 does not exist"]);
    refused(&["--place", "local", "--nodes", node, "echo", "started"], 125, &["node 1023 does not exist"]);
    for beyond in ["60000", "6000000000000000000000000"] {
        let message = |noun: &str, highest: u32| {
            format!("{noun}{beyond} is above {highest}, the highest that Linux gives")
        };
        refused(&["-C", beyond, "echo", "started"], 125, &["--physcpubind", &message("CPU ", 8191)]);
        refused(&["-N", beyond, "echo", "started"], 125, &["--cpunodebind", &message("node ", 1023)]);
        refused(&["--cpus", beyond, "echo", "started"], 125, &[&message("", 8191)]);
    }
    let inverted = format!("!0-{}", last(&cpus));
    refused(&["-C", &inverted, "echo", "started"], 125, &["leaves no CPU", &cpus]);
    refused(&["-C", "+8191", "echo", "started"], 125, &["there is no CPU +8191"]);
}

#[test]
fn options_that_exclude_each_other() {
    refused(
        &["-m", "0", "-i", "0", "echo", "started"],
        125,
        &["--membind", "cannot be used with", "--interleave"],
    );
    refused(&["-m", "0", "--memory", "local", "echo", "started"], 125, &["cannot be used with"]);
    refused(&["-l", "-p", "0", "echo", "started"], 125, &["cannot be used with"]);
    refused(&["--cpus", "0", "-C", "0", "echo", "started"], 125, &["cannot be used with"]);
    refused(&["--json", "echo", "started"], 125, &["--dry-run"]);
    refused(&["--input", "x.xml", "echo", "started"], 125, &["--dry-run"]);
    refused(&["-p", "0-1", "-C", "all", "echo", "started"], 125, &["--preferred"]);
}

#[test]
fn more_threads_than_cpus_is_a_warning() {
    let answer = run(&["--place", "local", "--threads", "1000", "echo", "ran"]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "ran\n"));
    assert!(answer.err.contains("warning: oversubscribed: 1000 threads on"), "{answer:?}");
}

#[test]
fn machine_files_that_are_none() {
    let missing = ["--dry-run", "--input", "/no/such/machine.xml", "app"];
    refused(&missing, 125, &["/no/such/machine.xml"]);
    refused(&["--dry-run", "--input", "pack:0", "app"], 125, &["pack:0"]);
}

#[test]
fn more_tasks_than_anybody_starts_are_refused_before_they_take_memory() {
    for words in [
        &["--copies", "99999999", "true"][..],
        &["--copies", "16385", "--dry-run", "--", "true"],
        &["--copies", "4294967295", "--dry-run", "--json", "--", "true"],
        &["--ranks", "1000000", "--dry-run", "--", "true"],
    ] {
        refused(words, 125, &[&format!("{} tasks were asked for", words[1]), "at most 16384"]);
    }
}

#[test]
fn a_program_that_is_not_in_the_folder_is_missed_there() {
    let here = std::env::current_dir().unwrap();
    refused(
        &["--", "./missing"],
        127,
        &[&format!("./missing: not found (no such file, seen from {})", here.display())],
    );
}
