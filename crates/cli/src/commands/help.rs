//! What `numawise` says alone, and `-h`: one screen each. `--help` has all options.

use std::ffi::OsString;

#[cfg(test)]
#[path = "help_tests.rs"]
mod tests;

/// The questions that people come with, and the line for each.
pub const QUESTIONS: &str = "\
Questions, and the line for each:
  Does placement matter for my program, and what should I change?
      numawise check -- ./app
  It does not scale over two sockets: which arrays lie on the wrong node?
      numawise objects -- ./app
  How many ranks, and how many threads each?
      numawise study --ranks-x-threads 24 -- mpirun -n {ranks} ./app
  What would placements give that I did not run?
      numawise predict --threads 1..=44 --place all -- ./app {threads}
  Where does its time go: MPI, OpenMP, waiting for whom?
      numawise snapshot -- mpirun -n 4 ./app
  Who waits for whom in MPI and OpenMP, when, and why?
      numawise trace -- mpirun -n 4 ./app
  Which loops are hot, and do they use the vector units?
      numawise survey -- ./app
  How do I pin it and its memory (MPI, OpenMP, oneTBB, Python)?
      numawise run --place local --threads 4 -- ./app
  What can the memory of this machine do, HBM and CXL too?
      numawise machine measure
  Did the change help?
      numawise compare before.nw after.nw";

/// Where they stand.
pub const FRONT: &str = "{about}{after-help}\n\n{usage-heading} {usage}\n\n{all-args}";

/// The options that `-h` shows of commands which have more than a screen of them.
const SHORT: [(&str, &[&str]); 5] = [
    (
        "run",
        &[
            "place",
            "cpus",
            "nodes",
            "memory",
            "threads",
            "copies",
            "ranks",
            "objects_to",
            "page_size",
            "dry_run",
            "emit",
            "verbose",
            "cpunodebind",
            "physcpubind",
            "membind",
            "interleave",
            "preferred",
            "localalloc",
        ],
    ),
    (
        "study",
        &[
            "preset",
            "threads",
            "copies",
            "ranks",
            "ranks_x_threads",
            "place",
            "memory",
            "env",
            "param",
            "command",
            "repeats",
            "budget",
            "metric",
            "verify_output",
            "output",
            "fresh",
            "html",
            "json",
            "csv",
            "dry_run",
        ],
    ),
    (
        "predict",
        &[
            "threads", "place", "memory", "param", "points", "repeats", "budget", "metric", "output",
            "fresh", "html", "json", "csv", "dry_run",
        ],
    ),
    (
        "snapshot",
        &[
            "output",
            "fresh",
            "html",
            "json",
            "full",
            "quiet",
            "objects",
            "ranks_x_threads",
            "repeats",
            "place",
            "memory",
            "threads",
        ],
    ),
    ("objects", &["output", "fresh", "html", "json", "quiet", "try_for", "place", "memory", "threads"]),
];

/// The command line with what `-h` shows, where that is asked for: for a start of a program nobody pays for it.
pub fn in_short(command: clap::Command, words: &[OsString]) -> clap::Command {
    let asks = words.iter().take_while(|word| *word != "--").any(|word| word == "-h");
    let called = words.get(1).and_then(|word| word.to_str()).filter(|_| asks);
    let Some((name, shown)) = SHORT.iter().find(|(name, _)| Some(*name) == called) else { return command };
    command.mut_subcommand(name, |one| {
        let all = format!("numawise {name} --help shows all options.");
        let one = one.mut_args(|argument| {
            let id = argument.get_id().as_str();
            let is_shown = shown.contains(&id) || argument.is_positional() || id == "help";
            argument.hide_short_help(!is_shown)
        });
        let rest = one.get_after_help().map(|text| format!("\n{text}")).unwrap_or_default();
        one.after_help(all + &rest)
    })
}
