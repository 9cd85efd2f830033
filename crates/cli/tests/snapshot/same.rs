//! Programs of many languages and kinds, alone and watched: the same bytes on both streams, the same exit status. A program for which this
//! machine has no compiler or interpreter is SKIPPED, by name.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use crate::support::Bench;

/// What a program is given to read.
const INPUT: &[u8] = b"one two three\ntwo three\nthree \xff\n";

/// How far two runs of the program without us are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alike {
    /// All that it prints.
    Wholly,
    /// All lines of both streams: ranks do not take turns.
    Lines,
    /// The lines of the standard output: errors are printed with numbers of processes or addresses.
    Output,
}

/// What a program printed, and how it ended as a shell says it.
#[derive(Debug, PartialEq)]
struct Ending {
    status: i32,
    out: String,
    err: String,
}

fn run(mut command: Command, alike: Alike) -> Ending {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It need not read it.
    let _ = child.stdin.take().unwrap().write_all(INPUT);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| {
        let text = bytes.escape_ascii().to_string().replace("\\n", "\n");
        if alike == Alike::Wholly {
            return text;
        }
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    let status = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap());
    let err = if alike == Alike::Output { String::new() } else { text(&output.stderr) };
    Ending { status, out: text(&output.stdout), err }
}

/// Whether the machine has a program of that name.
pub fn has(program: &str) -> bool {
    let found = program.contains('/') || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    };
    if !found {
        eprintln!("SKIPPED: no {program}");
    }
    found
}

/// The two that watch a program from inside.
pub const WATCHING: [&str; 2] = ["snapshot", "objects"];
/// What cannot be watched is said, in front of what it prints.
const NOT_LOADED: [&str; 2] = [
    "numawise: warning: the collector cannot be loaded into",
    "numawise: warning: the library that logs allocations cannot be loaded into",
];

/// Runs a program alone and watched by both; whether it could run at all.
pub fn same(bench: &Bench, words: &[&str], alike: Alike) -> bool {
    same_by(&WATCHING, bench, words, alike)
}

/// The same, watched by some.
pub fn same_by(watching: &[&str], bench: &Bench, words: &[&str], alike: Alike) -> bool {
    if !has(words[0]) {
        return false;
    }
    let mut alone = bench.command(words[0]);
    alone.args(&words[1..]);
    let alone = run(alone, alike);
    for face in watching {
        let mut watched = bench.command(&bench.numawise);
        watched.args([*face, "--quiet", "--"]).args(words);
        let mut watched = run(watched, alike);
        let is_ours = |line: &&str| NOT_LOADED.iter().any(|ours| line.starts_with(ours));
        watched.err = watched.err.split_inclusive('\n').filter(|line| !is_ours(line)).collect();
        assert_eq!(watched, alone, "{face} {words:?}");
    }
    assert!(alone.status < 125 || alone.status > 127, "{words:?}: {alone:?}");
    true
}

/// What interpreters and tools are asked to do.
const CASES: &[&[&str]] = &[
    &["true"],
    &["false"],
    &["cat"],
    &["sort", "-u", "-"],
    &["head", "-c", "3"],
    &["dash", "-c", "echo a; (exit 3); echo $? | cat; exec sh -c 'exit 4'"],
    &["dash", "-c", "yes | head -c 300000; kill -USR1 $$"],
    &["bash", "-c", "trap 'echo ends' EXIT; for k in 1 2 3; do (exit $k) & wait $!; echo $?; done; exit 9"],
    &[
        "bash",
        "-c",
        "coproc cat; echo x >&${COPROC[1]}; read -ru ${COPROC[0]} l; echo $l; diff <(echo a) <(echo b)",
    ],
    &["bash", "-c", "ulimit -n 8 -v 400000; cat; exec 0<&- 1>&2 2>&-; echo on the other stream"],
    &["bash", "-c", "exec 1>&-; cat; echo $? >&2"],
    &["env", "-i", "sh", "-c", "export -p; exit 2"],
    &["setsid", "-w", "sh", "-c", "ps -o tty= -p $$; cat"],
    &["timeout", "0.2", "sleep", "5"],
    &["nice", "-n", "1", "nice"],
    &["xargs", "-P", "4", "-n", "1", "sh", "-c", "test $0 = two || exit 0; exit 7"],
    &["find", "tree", "-type", "f", "-exec", "sha256sum", "{}", "+"],
    &["make", "-s", "-j2"],
    &["make", "-s", "no-such-target"],
    &["tar", "-C", "tree", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "-cz", "-f", "-", "."],
    &["awk", "{ n += NF } END { print n, ENVIRON[\"OMPI_ALLOW_RUN_AS_ROOT\"]; exit 6 }"],
    &["sed", "-n", "s/two/2/p; $q5"],
    &[
        "sqlite3",
        ":memory:",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 9) SELECT sum(x) FROM c",
    ],
    &["busybox", "sh", "-c", "cat; exit 3"],
    &[
        "perl",
        "-e",
        "$SIG{CHLD}='IGNORE'; print while <STDIN>; fork or exit 1; wait; system 'exit 3'; die qq(ends\\n)",
    ],
    &["perl", "-e", "open my $p, '-|', 'sh -c \"echo x; exit 4\"'; print <$p>; close $p; exit $? >> 8"],
    &[
        "/usr/bin/python3",
        "-c",
        "import sys, os; sys.stdout.buffer.write(sys.stdin.buffer.read()); os.abort()",
    ],
    &[
        "/usr/bin/python3",
        "-c",
        "import subprocess, os; print(subprocess.run(['false']).returncode, os.listdir('/proc/self/fd'))",
    ],
    &[
        "/usr/bin/python3",
        "-c",
        "import multiprocessing as m, sys\nwith m.Pool(2) as p: print(p.map(abs, [-1, 2]))\nsys.exit('ends')",
    ],
    &[
        "/usr/bin/python3",
        "-c",
        "import threading as t\na=[t.Thread(target=print, args=(k,)) for k in range(3)]\n[(x.start(), x.join()) for x in a]\n1/0",
    ],
    &[
        "/usr/bin/python3",
        "-c",
        "import ctypes; print(ctypes.CDLL(None).getenv(b'NOTHING')); ctypes.string_at(0)",
    ],
    &[
        "/usr/bin/python3",
        "-c",
        "import asyncio, signal, os\nasync def m():\n p = await asyncio.create_subprocess_exec('sleep', '9')\n p.kill(); print(await p.wait())\nasyncio.run(m()); signal.setitimer(signal.ITIMER_REAL, 0.05); signal.pause()",
    ],
    &["lua", "-e", "print(io.read('a')); os.exit(8)"],
    &["tclsh", "Makefile"],
    &[
        "node",
        "-e",
        "const c = require('child_process').spawnSync('sh', ['-c', 'exit 3']); console.log(c.status, [3, 1].sort()); process.exit(15)",
    ],
    &[
        "java",
        "-XX:TieredStopAtLevel=1",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshot/programs/Same.java"),
    ],
];

#[test]
fn interpreters_and_tools_are_as_without_us() {
    let bench = Bench::new();
    std::fs::write(bench.path("Makefile"), "all: a b\n\t@cat a b\na b:\n\t@echo $@ > $@\n").unwrap();
    std::fs::create_dir(bench.path("tree")).unwrap();
    for number in 0..20 {
        std::fs::write(bench.path(&format!("tree/{number}")), format!("{number}\n")).unwrap();
    }
    let ran = CASES.iter().filter(|words| same(&bench, words, Alike::Wholly)).count();
    eprintln!("{ran} of {} interpreters and tools", CASES.len());
    assert!(ran >= 20, "this machine has {ran} of {}", CASES.len());
}
