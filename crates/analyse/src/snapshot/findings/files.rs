//! NW034: a thread that the run has to wait for is in calls on files for long.

use numawise_facts::activity::FileCalls;
use numawise_facts::finding::{
    Amount, Evidence, FileAdvice, FileCallKind, FilesQuantity, WatchedAdvice, WatchedSubject,
};
use numawise_facts::{FindingId, ThreadActivity};
use numawise_tables::snapshot::SnapshotFinding;
use numawise_units::{Arrange, Bytes, Nanoseconds};

use super::{Case, advice, evidence, finding, of_process, of_run};
use crate::snapshot::files;
use crate::snapshot::process::Process;

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;

/// Less of the elapsed time is as it should be: the limit of a good share of files.
const LONG: f64 = 0.1;
/// A thread that is on files for so much of its life does nothing else.
const NOTHING_ELSE: f64 = 0.9;
/// A thread that computed for so much of the elapsed time is not one that only waits for the one on files.
const COMPUTES: f64 = 0.1;
/// Calls that move less pay for the call more than for the bytes, where there are so many of them.
const SMALL: Bytes = Bytes(16 << 10);
const MANY: u64 = 1000;

/// A thread on files.
struct OnFiles<'a> {
    process: &'a Process<'a>,
    thread: &'a ThreadActivity,
    /// By kind, those that took any time; the longest first.
    kinds: Vec<(FileCallKind, FileCalls)>,
}

impl OnFiles<'_> {
    fn time(&self) -> Nanoseconds {
        self.kinds.iter().fold(FileCalls::default(), |sum, (_, calls)| sum.with(calls)).time
    }

    fn does_nothing_else(&self) -> bool {
        let life = self.thread.times.measured().map(|times| times.total().seconds());
        life.is_some_and(|life| self.time().seconds() >= NOTHING_ELSE * life)
    }

    /// On a CPU, or useful where that is not known, without its calls on files.
    fn computed(&self) -> f64 {
        let useful = || self.thread.times.measured().map_or(0.0, |times| times.useful.seconds());
        let worked = self.thread.processor.measured().map_or_else(useful, |time| time.seconds());
        (worked - self.time().seconds()).max(0.0)
    }
}

pub fn long_on_files(case: &Case<'_>) -> Option<SnapshotFinding> {
    // Of merged ranks no calls on files are there.
    if case.run.parts.merged.is_some() {
        return None;
    }
    let elapsed = case.elapsed()?;
    let is_long = |on: &OnFiles<'_>| on.time().seconds() >= LONG * elapsed;
    let mut long: Vec<OnFiles<'_>> = case
        .run
        .processes
        .iter()
        .filter_map(|process| most_on_files(process, elapsed))
        .filter(is_long)
        .collect();
    long.arrange_by_key(|on| std::cmp::Reverse(on.time()));
    let most = long.first()?;
    let (kind, calls) = *most.kinds.first()?;
    let subject = of_process(most.process);
    let all = Amount::Time(most.time());
    let mut facts =
        vec![evidence(FilesQuantity::TimeOnFiles.into(), all, case.elapsed_amount(), subject.clone())];
    facts.extend(of_kind(kind, calls, all));
    facts.extend(disk_wait(most.process, subject));
    let (count, processes) = (long.len() as u64, case.run.processes.len() as u64);
    if processes > 1 {
        let of = Some(Amount::Count(processes));
        facts.push(of_run(FilesQuantity::ProcessesOnFiles.into(), Amount::Count(count), of));
    }
    let few =
        case.run.processes.iter().filter(|process| process.rank().is_some()).count() as u64 >= 2 * count;
    let mut cures: Vec<FileAdvice> = of_calls(kind, calls).into_iter().collect();
    if few && most.process.rank().is_some() && kind != FileCallKind::Mpi {
        cures.push(FileAdvice::SharedFiles);
    }
    cures.push(FileAdvice::Meanwhile);
    let cures = cures.into_iter().map(|one| advice(WatchedAdvice::OnFiles(one))).collect();
    Some(finding(FindingId::LongOnFiles, facts, case.gain(most.time().seconds().min(elapsed)), cures))
}

/// What these calls did.
fn of_kind(kind: FileCallKind, calls: FileCalls, all: Amount) -> Vec<Evidence> {
    let of_calls = |quantity, value, of| evidence(quantity, value, of, WatchedSubject::FileCalls { kind });
    let mut facts = vec![
        of_calls(FilesQuantity::TimeOfFileCalls.into(), Amount::Time(calls.time), Some(all)),
        of_calls(FilesQuantity::CountOfFileCalls.into(), Amount::Count(calls.count), None),
    ];
    if let Some(bytes) = bytes_per_call(calls) {
        facts.push(of_calls(FilesQuantity::BytesPerFileCall.into(), Amount::Bytes(bytes), None));
    }
    facts
}

/// Nothing for calls that move nothing.
fn bytes_per_call(calls: FileCalls) -> Option<Bytes> {
    (calls.bytes > Bytes(0)).then(|| calls.bytes.0.checked_div(calls.count).map(Bytes)).flatten()
}

/// What would spare calls like these.
fn of_calls(kind: FileCallKind, calls: FileCalls) -> Option<FileAdvice> {
    match kind {
        FileCallKind::Read | FileCallKind::Write => {
            let is_small = bytes_per_call(calls).is_some_and(|bytes| bytes < SMALL);
            (is_small && calls.count >= MANY).then_some(FileAdvice::LargerPieces)
        }
        FileCallKind::Sync => Some(FileAdvice::SyncLessOften),
        FileCallKind::Manage => Some(FileAdvice::KeepFilesOpen),
        FileCallKind::Mpi => None,
    }
}

/// Of all threads of the process that called anything on files.
fn disk_wait(process: &Process<'_>, subject: WatchedSubject) -> Option<Evidence> {
    let of = files::of_process(process);
    let (waited, posix) = (*of.disk_wait.measured()?, of.posix.measured()?.total().time);
    (waited > Nanoseconds(0)).then(|| {
        let of = Some(Amount::Time(posix));
        evidence(FilesQuantity::DiskWaitOf.into(), Amount::Time(waited), of, subject)
    })
}

/// The thread of a process that is in calls on files longest, but for those that do nothing else while others compute: nobody waits for
/// them.
fn most_on_files<'a>(process: &'a Process<'a>, elapsed: f64) -> Option<OnFiles<'a>> {
    let of = |thread| OnFiles { process, thread, kinds: by_kind(thread) };
    let mut each: Vec<OnFiles<'_>> = process.threads().map(of).collect();
    each.arrange_by_key(OnFiles::time);
    let computes = |on: &OnFiles<'_>| on.computed() >= COMPUTES * elapsed;
    let others_compute =
        |one: &OnFiles<'_>| each.iter().any(|on| on.thread.tid != one.thread.tid && computes(on));
    let is_waited_for =
        |on: &OnFiles<'_>| on.thread.is_first || !on.does_nothing_else() || !others_compute(on);
    let most = each.iter().rposition(is_waited_for)?;
    Some(each.swap_remove(most))
}

fn by_kind(thread: &ThreadActivity) -> Vec<(FileCallKind, FileCalls)> {
    let of = &thread.files;
    let mut kinds = vec![
        (FileCallKind::Read, of.read),
        (FileCallKind::Write, of.written),
        (FileCallKind::Sync, of.synced),
        (FileCallKind::Manage, of.managed),
        (FileCallKind::Mpi, files::mpi_of_thread(thread)),
    ];
    kinds.retain(|(_, calls)| calls.time > Nanoseconds(0));
    kinds.arrange_by_key(|(_, calls)| std::cmp::Reverse(calls.time));
    kinds
}
