//! What to type next: lines that work as they stand.

use std::path::Path;

use numawise_facts::finding::{Advice, EvidenceSubject, SystemAdvice, WatchedAdvice, WatchedSubject};
use numawise_facts::{Argument, Finding, FindingId, MemoryMode, Placement, RunSpec, Strategy};
use numawise_tables::snapshot::RunTrace;
use numawise_units::Nanoseconds;

use super::Shown;
use crate::amount;
use crate::document::Command;

/// What a finding asks to be typed: a run with its cure where that is an option of ours, else the table that shows more of it.
pub fn of_finding(shown: &Shown, finding: &Finding) -> Option<String> {
    let threads = shown.tables.cpus.measured().map(|cpus| cpus.count / shown.tables.processes.counted.max(1));
    match finding.id {
        FindingId::SharedCpus | FindingId::Unpinned => {
            placed(shown, &format!("--place semi --threads {}", threads?.max(1)))
        }
        FindingId::RemoteRankMemory => {
            placed(shown, &format!("--place semi --memory local --threads {}", threads?.max(1)))
        }
        FindingId::Oversubscribed | FindingId::TooFewIterations => {
            with_threads(shown, &format!("--threads {}", fewer_threads(finding)?))
        }
        FindingId::MpiImbalance if shown.tables.trace.is_some() => table(shown, "causes"),
        FindingId::OneRankComputesLonger => around_a_wait(shown, finding),
        FindingId::ComputingUnequal => table(shown, "causes"),
        FindingId::ThreadsWaitForLast => around_late_thread(shown, finding),
        FindingId::CpuTakenAway => around_no_cpu(shown, finding),
        FindingId::ThreadsIdleOutside => table(shown, "trace_serial"),
        FindingId::SendsWait | FindingId::ReceivesOutOfOrder => table(shown, "waits"),
        FindingId::MpiImbalance | FindingId::MachineShared => table(shown, "ranks"),
        FindingId::LongOnFiles => table(shown, "files"),
        FindingId::MpiTransfer | FindingId::MpiConcentrated | FindingId::TinyMessages => {
            table(shown, "sites")
        }
        _ => table(shown, "regions"),
    }
}

/// The last lines of a report: the cure of the finding that costs most, then all of it as a page; or a run that is kept.
pub fn lines(shown: &Shown) -> Vec<Command> {
    let named = |name: &str, line: String| Command { tool: Some(name.to_owned()), line, note: None };
    let mut lines = Vec::new();
    let cures = shown.tables.findings.iter();
    let mut cures = cures.filter_map(|of| Some((of.finding.id, of_finding(shown, &of.finding)?)));
    lines.extend(cures.next().map(|(id, line)| named(id.code(), line)));
    lines.extend(match shown.record {
        Some(record) => {
            Some(named("all of it", format!("numawise report {} --html report.html", word(record))))
        }
        None => again(shown).map(|line| named("keep it", line)),
    });
    lines
}

/// The last lines of divisions: the one that took the shortest time, and all of them as a page.
pub fn of_divisions(records: &[Option<String>], best: Option<usize>) -> Vec<Command> {
    let named = |name: &str, line: String| Command { tool: Some(name.to_owned()), line, note: None };
    let best = best.and_then(|best| records.get(best)?.as_ref());
    let shortest = best.map(|record| named("the shortest", format!("numawise report {}", word(record))));
    let all: Vec<String> = records.iter().flatten().map(|record| word(record)).collect();
    let together = (all.len() > 1)
        .then(|| named("all of them", format!("numawise report {} --html divisions.html", all.join(" "))));
    shortest.into_iter().chain(together).collect()
}

/// A word as a shell needs it.
fn word(text: &str) -> String {
    Argument::from(text).to_string()
}

fn table(shown: &Shown, table: &str) -> Option<String> {
    Some(format!("numawise report {} --csv={table}", word(shown.record?)))
}

/// The part of a trace around the longest wait for the rank of a finding.
fn around_a_wait(shown: &Shown, finding: &Finding) -> Option<String> {
    let trace = shown.tables.trace.as_ref()?;
    let rank = finding.evidence.iter().find_map(|one| match &one.subject {
        EvidenceSubject::Watched(WatchedSubject::ComputingBefore { rank, .. }) => Some(*rank),
        _ => None,
    })?;
    let waits = trace.waits.iter().map(|row| row.longest).filter(|longest| longest.late == rank);
    let longest = waits.max_by_key(|longest| longest.time)?;
    around(shown, trace, (longest.begin, longest.time))
}

/// As long before a span of a trace and behind it.
fn around(shown: &Shown, trace: &RunTrace, (begin, time): (Nanoseconds, Nanoseconds)) -> Option<String> {
    let from = begin.0.saturating_sub(time.0) / 1000;
    let to = (begin.0 + 2 * time.0).min(trace.begin.0 + trace.span.0).div_ceil(1000);
    Some(format!("numawise report {} --from {from}us --to {to}us", word(shown.record?)))
}

/// The part of a trace around the longest time for which a thread had no CPU.
fn around_no_cpu(shown: &Shown, finding: &Finding) -> Option<String> {
    let trace = shown.tables.trace.as_ref()?;
    let of = finding.evidence.iter().find_map(|one| match &one.subject {
        EvidenceSubject::Watched(WatchedSubject::ThreadOf { rank, thread, .. }) => Some((*rank, *thread)),
        _ => None,
    })?;
    let mut all = trace.placed.measured()?.without_cpu.iter();
    let longest = all.find(|one| (one.rank, one.thread) == of)?.longest;
    around(shown, trace, (longest.begin, longest.end.saturating_sub(longest.begin)))
}

/// The part of a trace around the longest time that threads wait for one alone.
fn around_late_thread(shown: &Shown, finding: &Finding) -> Option<String> {
    let trace = shown.tables.trace.as_ref()?;
    let place = finding.evidence.iter().find_map(|one| match &one.subject {
        EvidenceSubject::Watched(WatchedSubject::Region { place, .. }) => Some(place),
        _ => None,
    })?;
    let longest = trace.regions.iter().find(|row| row.region == *place)?.longest?;
    around(shown, trace, (longest.begin, longest.time))
}

/// The same run once more, with a record of a name that is free: when this one was begun.
fn again(shown: &Shown) -> Option<String> {
    let header = &shown.run.header;
    let when: String = amount::moment(header.begun).chars().filter(char::is_ascii_digit).collect();
    let placement = header.placement.as_ref().map_or(Some(String::new()), options)?;
    Some(format!("numawise snapshot {placement}--output run-{when}.nw -- {}", header.command.shell_line()))
}

/// The options of a placement, with a blank behind them; nothing where they would not say all of it.
fn options(placement: &Placement) -> Option<String> {
    let [task] = placement.tasks.as_slice() else { return None };
    let is_plain = task.memory.mode == MemoryMode::Default && placement.strategy != Strategy::Explicit;
    is_plain.then(|| format!("--place {} --threads {} ", placement.strategy, task.threads.len()))
}

/// The run with a placement. What binds it among its words would undo that: `taskset` is left out, and with others there is no line.
fn placed(shown: &Shown, options: &str) -> Option<String> {
    let command = &shown.run.header.command;
    let binds = ["numactl", "hwloc-bind", "likwid-pin", "likwid-mpirun"];
    if command.command.iter().filter_map(name).any(|word| binds.contains(&word.as_str())) {
        return None;
    }
    let command =
        RunSpec { command: without_taskset(&command.command)?, directory: command.directory.clone() };
    with_options(shown, options, &command)
}

/// The run with as many threads, bound as it was.
fn with_threads(shown: &Shown, options: &str) -> Option<String> {
    with_options(shown, options, &shown.run.header.command)
}

/// The run with these options; around a launcher they are those of its ranks. Nothing where the program says itself where it is to
/// run, and for launchers whose words are not understood.
fn with_options(shown: &Shown, options: &str, command: &RunSpec) -> Option<String> {
    let launchers = ["mpirun", "mpiexec", "srun"];
    let is_launched = command.command.first().and_then(name).is_some_and(|first| {
        launchers.iter().any(|launcher| first == *launcher || first.starts_with(&format!("{launcher}.")))
    });
    let says_itself = command.command.iter().filter_map(name).any(|word| word == "numawise");
    let is_understood = shown.tables.processes.ranks == 0 || is_launched;
    (is_understood && !says_itself)
        .then(|| format!("numawise snapshot {options} -- {}", command.shell_line()))
}

/// The file name of a word.
fn name(word: &Argument) -> Option<String> {
    Path::new(word.as_os_str()).file_name().map(|name| name.to_string_lossy().into_owned())
}

/// The words without those of `taskset`: its name, its options, and the mask or the list. Nothing where that starts no program.
fn without_taskset(words: &[Argument]) -> Option<Vec<Argument>> {
    let Some(at) = words.iter().position(|word| name(word).is_some_and(|name| name == "taskset")) else {
        return Some(words.to_vec());
    };
    let is_option = |word: &&Argument| word.as_os_str().to_string_lossy().starts_with('-');
    let options = words[at + 1..].iter().take_while(is_option).count();
    let program = words.get(at + options + 2..).filter(|rest| !rest.is_empty())?;
    let mut rest = words[..at].to_vec();
    rest.extend(without_taskset(program)?);
    Some(rest)
}

/// Threads of each process. Nothing where one each is too many.
fn fewer_threads(finding: &Finding) -> Option<u32> {
    finding.advice.iter().find_map(|step| match &step.advice {
        Advice::System(SystemAdvice::RunFewerThreads { threads, .. }) => Some(*threads),
        Advice::Watched(WatchedAdvice::FittingThreads { threads }) => Some(*threads),
        _ => None,
    })
}
