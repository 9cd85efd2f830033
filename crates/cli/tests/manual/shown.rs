//! What the pages that answer a question show of records and machines of `testdata` is what comes out.

use std::path::Path;
use std::process::Command;

/// A page, a word of the block in it, and what is typed.
const SHOWN: [(&str, &str, &[&str]); 7] = [
    ("two-sockets.md", "GAINS", &["report", "testdata/emulated/serial.nw"]),
    ("two-sockets.md", "object parts", &["report", "testdata/emulated/wrong.nw"]),
    ("hbm.md", "none; near", &["machine", "--input", "testdata/machines/hbm-by-figures.xml"]),
    ("hbm.md", "For the fast memory", &["report", "testdata/emulated/heat.nw"]),
    (
        "machine.md",
        "What it means",
        &["machine", "measure", "--load", "testdata/profiles/guest-sixteen.json"],
    ),
    (
        "before-after.md",
        "Points of both",
        &["compare", "testdata/emulated/serial.nw", "testdata/emulated/parallel.nw"],
    ),
    (
        "pinning.md",
        "--dry-run",
        &[
            "run",
            "--dry-run",
            "--input",
            "pack:2 [numa] core:4 pu:1",
            "--place",
            "semi",
            "--copies",
            "2",
            "--threads",
            "3",
            "--",
            "./app",
            "{task}",
        ],
    ),
];

/// Whether the words stand in the line in their order; columns between them may be left out.
fn holds(line: &str, words: &[&str]) -> bool {
    let mut rest = line.split_whitespace();
    words.iter().all(|word| rest.any(|found| found == *word))
}

#[test]
fn what_the_pages_show_comes_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (page, of, typed) in SHOWN {
        let text = std::fs::read_to_string(root.join("docs/user").join(page)).unwrap();
        let blocks = text.split("```").skip(1).step_by(2).map(|block| block.trim_start_matches('\n'));
        let block = blocks.filter(|block| block.contains(of)).find(|block| {
            let line = block.lines().next().unwrap_or_default();
            line.starts_with("$ ") || !line.starts_with("numawise ")
        });
        let block = block.unwrap_or_else(|| panic!("{page}: no block with '{of}'"));
        let output =
            Command::new(env!("CARGO_BIN_EXE_numawise")).args(typed).current_dir(&root).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        for line in block.lines().filter(|line| !line.starts_with("$ ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(
                printed.lines().any(|found| holds(found, &words)),
                "{page}: '{line}' is not in\n{printed}"
            );
        }
    }
}
