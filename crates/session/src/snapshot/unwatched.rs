//! Processes that computed and of which there is no file: seen from outside alone.

use std::path::Path;

use numawise_facts::activity::ProcessEnd;
use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{Activity, Notice, ObservedProcess};
use numawise_units::{Arrange, Nanoseconds};

/// What computed for less is on its way to become another program.
const LEAST: Nanoseconds = Nanoseconds(10_000_000);
/// From which share of all that was computed on it is said.
const SHARE: f64 = 0.05;
const NAMES: usize = 3;
/// Bytes that the kernel keeps of a program's name.
const NAME_BYTES: usize = 15;

/// True where the process was watched, and became a program that is not: it did not note its end, and has the name of another. A process
/// can also give itself another name before it is killed; with MPI or OpenMP it is taken for that.
pub fn took_the_place(read: &[&Activity], seen: &ObservedProcess) -> bool {
    let last = read.iter().filter(|activity| activity.pid == seen.pid).max_by_key(|activity| activity.began);
    let Some(last) = last.filter(|last| last.end == ProcessEnd::NotTold) else { return false };
    let is_plain = last.mpi.measured().is_none() && last.openmp.measured().is_none();
    let program = Path::new(&last.program).file_name().unwrap_or_default().as_encoded_bytes();
    let program = program.get(..NAME_BYTES).unwrap_or(program);
    is_plain && !program.is_empty() && name(seen).is_some_and(|name| name.as_bytes() != program)
}

/// The name of the first thread, which is that of the program.
fn name(seen: &ObservedProcess) -> Option<&str> {
    let first = seen.threads.iter().find(|thread| thread.observation.tid == seen.pid);
    first.map(|first| first.observation.name.as_str())
}

/// How long processes computed, as far as it is known.
pub fn computed(processes: &[&Activity]) -> Nanoseconds {
    let threads = processes.iter().flat_map(|activity| activity.threads.measured().into_iter().flatten());
    let computed = threads.filter_map(|thread| thread.processor.measured());
    computed.fold(Nanoseconds(0), |sum, time| sum + *time)
}

/// What is to be said of them; nothing where they hardly computed, and where nothing at all was watched.
pub fn notice(read: &[&Activity], seen: &[ObservedProcess]) -> Option<Notice> {
    let seen_computing =
        |one: &ObservedProcess| one.threads.iter().map(|thread| thread.observation.cpu_time.0).sum();
    let is_watched = |one: &ObservedProcess| read.iter().any(|activity| activity.pid == one.pid);
    let unwatched = seen.iter().filter(|one| !is_watched(one) || took_the_place(read, one));
    let mut unwatched: Vec<(u64, &ObservedProcess)> =
        unwatched.map(|one| (seen_computing(one), one)).collect();
    unwatched.retain(|(computed, _)| *computed >= LEAST.0);
    unwatched.arrange_by_key(|(computed, one)| (std::cmp::Reverse(*computed), one.pid));
    let sum: u64 = unwatched.iter().map(|(computed, _)| computed).sum();
    if read.is_empty() || sum == 0 || (sum as f64) < SHARE * (sum + computed(read).0) as f64 {
        return None;
    }
    let mut names: Vec<String> =
        unwatched.iter().filter_map(|(_, one)| name(one)).map(str::to_owned).collect();
    names.dedup();
    names.truncate(NAMES);
    let count = unwatched.len() as u64;
    Some(SnapshotNotice::ProcessesNotWatched { count, computed: Nanoseconds(sum), names }.into())
}
