//! What is said before and after a rehearsal, and what to type where there can be none.

use std::path::Path;
use std::time::Duration;

use numawise_facts::{Argument, RunSpec};
use numawise_report::amount::many;
use numawise_session::rehearse::{
    EndedRehearsal, RehearsalError, RehearsalPlan, RehearsedCommand, Requirement, SetupPart,
};

use super::{Failure, SUCCESS, Status};
use crate::streams;

/// As shells have it, and numawise in the guest too.
const NOT_FOUND: i32 = 127;
/// The status of `--setup` where something is missing.
const INCOMPLETE: Status = 1;

/// With less of it, ratios between placements of a program that memory bounds are too small by more than a quarter or so.
const LITTLE_WAITING: f64 = 0.6;

/// More of it is of the size of the effects that a check is to tell.
const DISTURBED: f64 = 0.05;

/// Size and limits, before time is spent.
pub fn before(plan: &RehearsalPlan, limit: Duration) -> Vec<String> {
    let (nodes, cpus, memory) = plan.size();
    vec![format!(
        "rehearsal on an emulated machine with {}, {} and {memory} of memory; the command begins in about {} s and is told to end after \
         {} s (--timeout)",
        many(nodes as u64, "node"),
        many(u64::from(cpus), "CPU"),
        plan.start().as_secs_f64().ceil(),
        limit.as_secs()
    )]
}

/// What came of it, besides what the command said itself.
pub fn after(
    plan: &RehearsalPlan,
    ended: &EndedRehearsal,
    command: &RehearsedCommand,
    interrupted: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    if !ended.written.is_empty() {
        let names: Vec<String> = ended.written.iter().map(|path| path.display().to_string()).collect();
        lines.push(format!("rehearsed; brought back: {}", names.join(", ")));
    }
    // Only these compare placements.
    let compares = command.words.get(1).is_some_and(|name| name == "check" || name == "study");
    if let Some(share) = ended.memory_share.filter(|share| compares && *share < LITTLE_WAITING) {
        lines.push(format!(
            "note: the emulated CPUs waited for memory in {:.0} % of their time, the emulation took the rest: placement changes less here \
             than on the real machine; a larger --slowdown (now {}), or a program that computes less, shows more of it",
            100.0 * share,
            plan.slowdown()
        ));
    }
    if let Some(share) = ended.disturbed_share.filter(|share| compares && *share > DISTURBED) {
        lines.push(format!(
            "note: other programs on this computer made {:.0} % of the waits for memory longer than they should be: times vary more, and \
             ratios are less sure; repeat it when this computer is idle",
            100.0 * share
        ));
    }
    if ended.status != 0 && !ended.out_of_time && !interrupted {
        let (_, _, memory) = plan.size();
        let mut text =
            format!("the command ended with status {} in the guest: {}", ended.status, line(command));
        // What is not found there is not here either.
        if ended.status != NOT_FOUND {
            text.push_str(&format!(
                ". A guest has {memory} of memory (--memory-limit), the CPU features of QEMU 7.2 (AVX2, no AVX-512), one user, root, and \
                 neither a network, nor a licence server, nor a GPU or another device of this computer"
            ));
        }
        lines.push(text);
    }
    lines
}

/// The command as it is run in the guest.
pub fn line(command: &RehearsedCommand) -> String {
    let words = command.words.iter().cloned().map(Argument).collect();
    RunSpec { command: words, directory: command.directory.clone() }.shell_line()
}

/// The option that an error is about, and what to try.
pub fn about(error: &RehearsalError) -> (Option<&'static str>, Option<String>) {
    let smaller = "a smaller --memory-limit makes room".to_owned();
    match error {
        RehearsalError::TooManyCpus { cores: Some(cores), .. } => {
            let advice = format!(
                "--cores-per-node {cores} keeps all nodes, their distances and memory, and their ratio of bandwidth to cores"
            );
            (Some("--machine"), Some(advice))
        }
        RehearsalError::TooManyCpus { cores: None, .. } => {
            (Some("--machine"), Some("it has more nodes than can be emulated".to_owned()))
        }
        RehearsalError::MemoryLimitTooSmall { least, .. } => {
            (Some("--memory-limit"), Some(format!("--memory-limit {least}, or a machine with fewer nodes")))
        }
        RehearsalError::TooLittleMemory { .. } => (None, Some(smaller)),
        RehearsalError::ProfileDoesNotFit { .. } => {
            let advice =
                "give the machine that the profile was measured on, or --latency and --bandwidth instead";
            (Some("--profile"), Some(advice.to_owned()))
        }
        RehearsalError::NoSuchNode { .. } => (Some("--latency, --bandwidth"), None),
        RehearsalError::Slowdown { .. } => (Some("--slowdown"), None),
        RehearsalError::NoCores => (Some("--cores-per-node"), None),
        RehearsalError::TimeLimit { .. } => (
            None,
            Some("a longer --timeout, or a smaller problem: memory is --slowdown times slower".to_owned()),
        ),
        error if error.is_of_setup() => {
            (None, Some("numawise rehearse --setup says what to install".to_owned()))
        }
        _ => (None, None),
    }
}

/// What is here and what is not.
pub fn setup(parts: &[SetupPart], work: &Path) -> Result<Status, Failure> {
    let mut text = String::new();
    for part in parts {
        let (mark, found) = match &part.found {
            Ok(found) => ("here   ", found),
            Err(problem) => ("MISSING", problem),
        };
        text.push_str(&format!("{mark}  {}: {found}\n", name(part.requirement)));
    }
    let missing: Vec<Requirement> =
        parts.iter().filter(|part| part.found.is_err()).map(|part| part.requirement).collect();
    if missing.is_empty() {
        text.push_str("All that a rehearsal needs is here; it needs no root and no network.\n");
    } else {
        let packages: Vec<&str> = missing.iter().map(|of| package(*of)).collect();
        text.push_str(&format!(
            "To install it on Debian 12 (as root): apt-get install {}\n",
            packages.join(" ")
        ));
    }
    if missing.contains(&Requirement::Kernel) {
        let work = work.display();
        text.push_str(&format!(
            "The kernel without root, unpacked and not installed:\n  mkdir -p {work}/kernel && cd {work} && apt-get download $(apt-cache depends \
             linux-image-amd64 | sed -n 's/.*Depends: //p') && dpkg -x linux-image-*.deb kernel\n"
        ));
    }
    streams::print(text)?;
    Ok(if missing.is_empty() { SUCCESS } else { INCOMPLETE })
}

fn name(requirement: Requirement) -> &'static str {
    match requirement {
        Requirement::Qemu => "QEMU 7.2",
        Requirement::Busybox => "busybox, static",
        Requirement::Kernel => "a kernel with modules for 9p and overlay",
    }
}

fn package(requirement: Requirement) -> &'static str {
    match requirement {
        Requirement::Qemu => "qemu-system-x86",
        Requirement::Busybox => "busybox-static",
        Requirement::Kernel => "linux-image-amd64",
    }
}
