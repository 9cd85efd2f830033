//! Time in calls on files: of the C library, and of MPI, whose own calls of the C library are not counted again.

use numawise_facts::activity::{CallSite, CallTime, FileActivity, FileCalls, KernelIo};
use numawise_facts::{Reading, ThreadActivity};
use numawise_tables::snapshot::{FileSummary, FileTotals, FileUse, MpiFileTotals};
use numawise_units::{Bytes, Nanoseconds, Ratio};

use super::process::Process;
use super::{Run, rating};

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;

/// Calls of MPI on files begin so.
const OF_FILES: &str = "MPI_File_";
/// Those whose bytes are noted by the call that completes them.
const NON_BLOCKING_READS: &str = "MPI_File_iread";

/// Over all processes that count.
pub fn summary(run: &Run<'_>) -> FileSummary {
    let sees_streams = run.processes.iter().all(|process| process.activity.io.sees_streams);
    if run.parts.merged.is_some() {
        const NOT_MERGED: &str = "ranks are merged without their calls on files";
        let all = FileUse {
            posix: Reading::unavailable(NOT_MERGED),
            mpi: Reading::unavailable(NOT_MERGED),
            kernel: Reading::unavailable(NOT_MERGED),
            disk_wait: Reading::unavailable(NOT_MERGED),
        };
        return FileSummary { share: rating::loss(Reading::unavailable(NOT_MERGED)), all, sees_streams };
    }
    let each: Vec<FileUse> = run.processes.iter().map(of_process).collect();
    let all = FileUse {
        posix: totals(run.processes.iter().map(posix)),
        mpi: mpi_of_all(&each),
        kernel: kernel_of_all(run),
        disk_wait: disk_wait(run.processes.iter().flat_map(Process::threads)),
    };
    FileSummary { share: rating::loss(share(run, &all)), sees_streams, all }
}

/// One process.
pub fn of_process(process: &Process<'_>) -> FileUse {
    FileUse {
        posix: posix(process),
        mpi: mpi(process),
        kernel: process.activity.io.kernel.clone(),
        disk_wait: disk_wait(process.threads()),
    }
}

fn posix(process: &Process<'_>) -> Reading<FileTotals> {
    // Where its threads are not known, none is there to be added up.
    process.activity.threads.as_ref().map(|_| {
        process.threads().fold(FileTotals::default(), |sum, thread| {
            let FileActivity { read, written, synced, managed, .. } = &thread.files;
            FileTotals {
                read: sum.read.with(read),
                written: sum.written.with(written),
                synced: sum.synced.with(synced),
                managed: sum.managed.with(managed),
            }
        })
    })
}

fn totals(of: impl Iterator<Item = Reading<FileTotals>>) -> Reading<FileTotals> {
    let all = Reading::all(of);
    all.map(|all| {
        all.iter().fold(FileTotals::default(), |sum, one| FileTotals {
            read: sum.read.with(&one.read),
            written: sum.written.with(&one.written),
            synced: sum.synced.with(&one.synced),
            managed: sum.managed.with(&one.managed),
        })
    })
}

fn mpi(process: &Process<'_>) -> Reading<MpiFileTotals> {
    let known = process.activity.mpi.as_ref().zip(process.activity.threads.as_ref());
    known.map(|_| {
        let calls: Vec<&CallSite> = process.threads().flat_map(mpi_sites).collect();
        let bytes = |of: fn(&CallSite) -> &Reading<Bytes>| {
            sum(Reading::all(calls.iter().map(|site| of(site).clone())))
        };
        MpiFileTotals {
            calls: calls.iter().fold(CallTime::default(), |sum, site| add(sum, site.calls)),
            longest: calls.iter().map(|site| site.longest).max().unwrap_or_default(),
            read: if calls.iter().any(|site| site.call.starts_with(NON_BLOCKING_READS)) {
                Reading::unavailable(
                    "some was read by calls that do not wait: their bytes are with the calls that completed them",
                )
            } else {
                bytes(|site| &site.received)
            },
            written: bytes(|site| &site.sent),
        }
    })
}

/// A thread's calls of MPI on files, by their places.
fn mpi_sites(thread: &ThreadActivity) -> impl Iterator<Item = &CallSite> {
    thread.calls.iter().filter(|site| site.call.starts_with(OF_FILES))
}

/// The same together; what they moved is left out.
pub fn mpi_of_thread(thread: &ThreadActivity) -> FileCalls {
    let CallTime { count, time } =
        mpi_sites(thread).fold(CallTime::default(), |sum, site| add(sum, site.calls));
    let longest = mpi_sites(thread).map(|site| site.longest).max().unwrap_or_default();
    FileCalls { count, time, longest, bytes: Bytes(0) }
}

fn add(sum: CallTime, more: CallTime) -> CallTime {
    CallTime {
        count: sum.count.saturating_add(more.count),
        time: Nanoseconds(sum.time.0.saturating_add(more.time.0)),
    }
}

fn sum(of: Reading<Vec<Bytes>>) -> Reading<Bytes> {
    of.map(|all| Bytes(all.iter().fold(0u64, |sum, bytes| sum.saturating_add(bytes.0))))
}

fn mpi_of_all(each: &[FileUse]) -> Reading<MpiFileTotals> {
    Reading::all(each.iter().map(|one| one.mpi.clone())).map(|all| MpiFileTotals {
        calls: all.iter().fold(CallTime::default(), |sum, one| add(sum, one.calls)),
        longest: all.iter().map(|one| one.longest).max().unwrap_or_default(),
        read: sum(Reading::all(all.iter().map(|one| one.read.clone()))),
        written: sum(Reading::all(all.iter().map(|one| one.written.clone()))),
    })
}

/// The kernel adds what children had to that of a process that waited for them: those of a process that counts are not added again.
fn kernel_of_all(run: &Run<'_>) -> Reading<KernelIo> {
    let is_child = |of: &Process<'_>| {
        let parent = |other: &Process<'_>| {
            other.activity.host == of.activity.host && other.activity.pid == of.activity.parent
        };
        run.processes.iter().any(parent)
    };
    let all = run.processes.iter().filter(|process| !is_child(process));
    let all = Reading::all(all.map(|process| match &process.activity.io.kernel {
        Reading::Measured(io) => Reading::Measured(*io),
        Reading::Unavailable { unavailable } => {
            Reading::unavailable(format!("{}: {unavailable}", process.name()))
        }
    }));
    all.map(|all| all.iter().fold(KernelIo::default(), |sum, one| sum.with(one)))
}

/// Of the threads that called anything on files.
fn disk_wait<'a>(threads: impl Iterator<Item = &'a ThreadActivity>) -> Reading<Nanoseconds> {
    let called = |thread: &&ThreadActivity| thread.files.each().iter().any(|calls| calls.count > 0);
    let each = Reading::all(threads.filter(called).map(|thread| thread.files.disk_wait.clone()));
    each.and_then(|each| match each.as_slice() {
        [] => Reading::unavailable("no call on a file was seen"),
        each => {
            Reading::Measured(Nanoseconds(each.iter().fold(0u64, |sum, time| sum.saturating_add(time.0))))
        }
    })
}

/// Of the time that the CPUs had from the begin of each process to its end: files are read before `MPI_Init` too.
fn share(run: &Run<'_>, all: &FileUse) -> Reading<Ratio> {
    let had = Reading::all(run.processes.iter().map(|process| {
        let elapsed = process.activity.elapsed.as_ref();
        elapsed.zip(process.cpus.as_ref()).map(|(elapsed, cpus)| elapsed.seconds() * *cpus as f64)
    }));
    let of_mpi = all.mpi.measured().map_or(0.0, |mpi| mpi.calls.time.seconds());
    let spent = all.posix.as_ref().map(|posix| posix.total().time.seconds() + of_mpi);
    had.zip(spent).and_then(|(had, spent)| match had.iter().sum::<f64>() {
        had if had > 0.0 => Reading::Measured(Ratio((spent / had).min(1.0))),
        _ => Reading::unavailable("the run took no time that could be measured"),
    })
}
