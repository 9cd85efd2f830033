//! Readers of what a program's code says of itself: the file that it was loaded from, and its source.

use std::path::Path;

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::objects::LoopRemark;
use numawise_linux::Roots;
use numawise_symbols::remarks::{clang_calls, clang_remarks, gcc_call, gcc_remarks};
use numawise_symbols::{LoadedFiles, PerfMap, StackView};
use numawise_units::{Bytes, Pid};

use super::text;
use crate::{Read, Reader, tree};

pub(crate) const READERS: [Reader; 6] = [
    Reader {
        name: "code-file",
        read: code_file,
        corpus: &["crates/hostile/testdata/elf"],
        words: &[
            "\u{7f}ELF",
            ".eh_frame",
            ".debug_info",
            "\0\0\0\0\0\0\0\0",
            "\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}",
            "zR\0",
        ],
        inputs: 1500,
    },
    Reader {
        name: "source-c",
        read: |input| source(input, "source.cpp"),
        corpus: &["crates/symbols/testdata"],
        words: &[
            "(",
            ")",
            "{",
            "}",
            "<",
            ">",
            "= malloc(",
            " : u_(n)",
            "new T[",
            "\"",
            "/*",
            "R\"x(",
            "\\\n",
            ";",
        ],
        inputs: 600,
    },
    Reader {
        name: "source-fortran",
        read: |input| source(input, "source.f90"),
        corpus: &["crates/symbols/testdata/frames.f90"],
        words: &["allocate(", ")", "&\n", "!", "::", "%", "'", ";", "stat=", "\n"],
        inputs: 600,
    },
    Reader {
        name: "gcc-remarks",
        read: |input| {
            let text = text(input);
            let _ = gcc_call(&text);
            remarks(&gcc_remarks(&text, "/src", 0), input)
        },
        corpus: &[
            "crates/symbols/testdata/remarks/gcc-12.txt",
            "crates/symbols/testdata/remarks/gfortran-12.txt",
        ],
        words: &[":1:1: missed: ", "couldn't vectorize loop\n", " between ", "_1(D)", "\u{0}", ": ", "\n"],
        inputs: 600,
    },
    Reader {
        name: "clang-remarks",
        read: |input| {
            let text = text(input);
            remarks(&clang_remarks(&text, &clang_calls(&text)).1, input)
        },
        corpus: &[
            "crates/symbols/testdata/remarks/clang-14.log",
            "crates/symbols/testdata/remarks/clang-14.calls",
        ],
        words: &["<key>main-file</key>", "<string>", "</string>", "&amp;", "\" \"", "\\", "-cc1"],
        inputs: 600,
    },
    Reader {
        name: "perf-map",
        read: perf_map,
        corpus: &["crates/hostile/testdata/perf-map"],
        words: &["7f0010000000", "0x", "ffffffffffffffff", " ", "\n", "-1", "\0", "\u{1b}["],
        inputs: 1500,
    },
];

/// A record says no more than stands in it, and nothing of lines that are not there.
fn remarks(remarks: &[LoopRemark], input: &[u8]) -> Read {
    let texts = remarks.iter().flat_map(|of| &of.obstacle).map(|of| of.text.len());
    if texts.sum::<usize>() > 2 * input.len() {
        return Read::Nonsense("reasons are longer than the record".to_owned());
    }
    Read::accepted(None)
}

/// Places in the file that are asked for.
const PLACES: u64 = 40;
/// Where it lies in the process.
const BEGIN: u64 = 0x40_0000;

fn code_file(input: &[u8]) -> Read {
    tree::with_file(input, "app", |path| {
        // There is no process: what lies where is said here.
        let mut files = LoadedFiles::new(Roots::at("/no/such/root"));
        let (process, length) = (Pid(1), input.len() as u64);
        files.mapped(process, BEGIN, length.max(1), 0, path);
        for k in 0..PLACES {
            let address = BEGIN + length * k / PLACES;
            if let Some((begin, code)) = files.function(process, address)
                && !(begin..begin.saturating_add(code.len() as u64)).contains(&address)
            {
                return Read::Nonsense(format!("{address:#x} is not in its function at {begin:#x}"));
            }
            let bytes = &input[..input.len().min(2048)];
            let kept = [BEGIN, address, 0, u64::MAX, 1 << 20];
            let stack = StackView {
                ip: address,
                sp: 1 << 20,
                bp: (1 << 20) + 64,
                kept,
                r10: None,
                after_call: k % 2 == 0,
                bytes,
            };
            if files.callers(process, &stack).len() > 1024 {
                return Read::Nonsense("a stack without end".to_owned());
            }
            files.place(process, address);
        }
        let _ = files.variables(process, path, Bytes(1));
        let problem = files.problems().next();
        problem.map_or(Read::Accepted, |error| Read::refused(error))
    })
}

/// Names of code that a runtime makes: around all of the corpus, and at the ends of all addresses.
fn perf_map(input: &[u8]) -> Read {
    let map = PerfMap::parse(input.to_vec());
    let around = (0..64).map(|k| 0x7f00_1000_0000 + 16 * k);
    for name in around.chain([0, u64::MAX]).filter_map(|address| map.function(address)) {
        if name.is_empty() || name.len() > 1024 || name.contains('\n') {
            return Read::Nonsense(format!("the name {name:?}"));
        }
    }
    Read::Accepted
}

/// Lines of a source are asked for their variables.
fn source(input: &[u8], name: &str) -> Read {
    tree::with_file(input, name, |path| {
        let mut files = LoadedFiles::default();
        // The whole text is read for each of them.
        let most = (1 << 20) / input.len().max(1 << 14);
        let lines = input.iter().filter(|byte| **byte == b'\n').count().min(most) as u32;
        for line in 0..lines + 2 {
            if let Reading::Measured(variable) = files.variable(&at(path, line))
                && (variable.is_empty() || variable.chars().any(char::is_control))
            {
                return Read::Nonsense(format!("line {line} has the variable {variable:?}"));
            }
        }
        let shown = files.source_lines(&path.to_string_lossy(), 3, 5);
        let harms = |(_, text): &(u32, String)| text.chars().any(char::is_control);
        Read::accepted(
            shown.measured().filter(|lines| lines.iter().any(harms)).map(|lines| format!("{lines:?}")),
        )
    })
}

fn at(path: &Path, line: u32) -> CodePlace {
    let file = path.to_string_lossy().into_owned();
    let source = SourcePlace {
        function: Reading::unavailable("not asked for"),
        file: Reading::Measured(file),
        line: Reading::Measured(line),
    };
    CodePlace { file: String::new(), address: 0, source }
}
