//! What the collector noted in the processes of a program: one file for each process (`docs/formats/snapshot-part.md`), whose
//! bytes nobody vouches for.
//!
//! A file may be read while its process runs, or when that was killed: what could not be told any more is unavailable. What contradicts
//! itself is refused, but for times that a thread was just writing.

mod clock;
mod drain;
mod error;
mod pages;
mod phase;
mod sample;
mod thread;
mod trace;
mod trace_files;

use std::io::Read;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use numawise_facts::activity::{
    ActivityLosses, CodeAddress, CodeFile, Communicator, CpuUse, KernelIo, MpiActivity, MpiLibrary,
    OpenMpRuntimes, ProcessEnd, ProcessIo, ProcessSurroundings, ThreadSwitches, WorldRank,
};
use numawise_facts::{Activity, Reading};
use numawise_linux::source;
use numawise_units::{Bytes, Id, Nanoseconds, Pid, Rank};
use numawise_wire::snapshot::reader::{SnapshotFile, bytes_in_use};
use numawise_wire::snapshot::{Flag, HEADER_BYTES, Header, MpiKind, SUFFIX};

use clock::Clock;
pub use clock::{ClockPair, SeenFromOutside};
pub use drain::{DrainTo, Drained, KeptCalls, TAKEN, TraceDrain, count_taken};
pub use error::{ActivityError, ActivityProblem};
pub use pages::TracePages;
use trace::TraceParts;

#[cfg(test)]
#[path = "activity_tests.rs"]
mod tests;

/// What each file of a folder holds, in the order of their names, without traces; other files are not looked at. What was `seen` of the
/// processes while they ran completes what those that were killed could not note.
///
/// # Errors
/// Where the folder cannot be listed. A file that cannot be read or is damaged is among the results, with the reason.
pub fn read_folder(
    folder: &Path,
    seen: &SeenFromOutside,
) -> Result<Vec<Result<Activity, ActivityError>>, ActivityError> {
    each_file(folder, |path, seen| read_file(path, None, seen), seen)
}

/// The same with the traces beside them.
///
/// # Errors
/// As [`read_folder`].
pub fn read_folder_with_traces(
    folder: &Path,
    seen: &SeenFromOutside,
) -> Result<Vec<Result<Activity, ActivityError>>, ActivityError> {
    let read = |path: &Path, seen: &SeenFromOutside| {
        let beside = trace::beside(path);
        let trace = beside.map_err(|source| ActivityError::System { path: path.to_owned(), source })?;
        read_file(path, trace.as_ref(), seen)
    };
    each_file(folder, read, seen)
}

fn each_file(
    folder: &Path,
    read: impl Fn(&Path, &SeenFromOutside) -> Result<Activity, ActivityError>,
    seen: &SeenFromOutside,
) -> Result<Vec<Result<Activity, ActivityError>>, ActivityError> {
    let system = |source| ActivityError::System { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(system)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<PathBuf>, _>>();
    let mut paths = paths.map_err(system)?;
    paths.retain(|path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(SUFFIX.as_bytes()))
    });
    paths.sort();
    let seen = seen.with_successors(&paths);
    Ok(paths.iter().map(|path| read(path, &seen)).collect())
}

/// What one file holds. No more of it is read than it says is in use, 64 MiB at most.
fn read_file(
    path: &Path,
    trace: Option<&TraceParts>,
    seen: &SeenFromOutside,
) -> Result<Activity, ActivityError> {
    let system = |source| ActivityError::System { path: path.to_owned(), source };
    let source = source::open(path).map_err(system)?;
    let bytes = in_use(source, HEADER_BYTES, bytes_in_use).map_err(system)?;
    parse_seen(&bytes, trace, seen).map_err(|problem| ActivityError::File { path: path.to_owned(), problem })
}

/// The header of a file, and what `bytes` says of it that is in use.
fn in_use(mut source: impl Read, header: usize, bytes: fn(&[u8]) -> usize) -> std::io::Result<Vec<u8>> {
    let mut found = Vec::new();
    source.by_ref().take(header as u64).read_to_end(&mut found)?;
    let rest = bytes(&found).saturating_sub(found.len());
    source.take(rest as u64).read_to_end(&mut found)?;
    Ok(found)
}

/// What the bytes of a file mean.
///
/// # Errors
/// Where they are damaged.
pub fn parse(bytes: &[u8]) -> Result<Activity, ActivityProblem> {
    parse_with_trace(bytes, None)
}

/// The same with the bytes of the trace file beside it. One that was not begun is as good as none.
///
/// # Errors
/// Where either is damaged, or made by another version.
pub fn parse_with_trace(bytes: &[u8], trace: Option<&[u8]>) -> Result<Activity, ActivityProblem> {
    let trace = trace.map(|bytes| TraceParts { bytes: bytes.to_vec(), ..TraceParts::default() });
    parse_seen(bytes, trace.as_ref(), &SeenFromOutside::default())
}

fn parse_seen(
    bytes: &[u8],
    trace: Option<&TraceParts>,
    seen: &SeenFromOutside,
) -> Result<Activity, ActivityProblem> {
    let file = SnapshotFile::parse(bytes)?;
    let word = |at| file.header_word(at);
    let clock = Clock::of(&file, seen)?;
    let context = Context { file, clock: clock.measured().copied(), mpi: library(&file)? };
    let begun = trace.map(trace::begun).transpose()?.flatten();
    let mut lost_of_trace = None;
    let (threads, phases, samples) = match &clock {
        Reading::Measured(clock) => {
            let (mut traces, lost) = begun
                .zip(trace)
                .map_or_else(Default::default, |(file, parts)| trace::all(&context, clock, (&file, parts)));
            lost_of_trace = lost;
            let phases = phase::all(&file, clock, clock.until);
            (
                Reading::Measured(thread::all(&context, clock, &mut traces)?),
                Reading::Measured(phases),
                Reading::Measured(sample::all(&context, clock)),
            )
        }
        Reading::Unavailable { unavailable } => (
            Reading::Unavailable { unavailable: unavailable.clone() },
            Reading::Unavailable { unavailable: unavailable.clone() },
            Reading::Unavailable { unavailable: unavailable.clone() },
        ),
    };
    let has = |flag| file.has(flag);
    Ok(Activity {
        pid: pid("the number of the process", file.process())?,
        parent: pid("the number of its parent", word(offset_of!(Header, parent)))?,
        host: text(file.host()),
        program: text(file.program()),
        began: Nanoseconds(file.header_long(offset_of!(Header, begin_realtime))),
        elapsed: clock.map(|clock| clock.since_begin(clock.until)),
        end: match (has(Flag::MpiAborted), has(Flag::Ended)) {
            (true, _) => ProcessEnd::MpiAbort,
            (false, true) => ProcessEnd::Exit,
            (false, false) => ProcessEnd::NotTold,
        },
        is_forked: has(Flag::Forked),
        is_sandboxed: has(Flag::Sandbox),
        mpi: context.mpi_activity()?,
        openmp: runtimes(&file),
        files: file.modules().map(|module| CodeFile { path: text(module.path) }).collect(),
        communicators: file.communicators().map(|found| communicator(&found)).collect(),
        threads,
        surroundings: surroundings(&file),
        io: io(&file),
        phases,
        samples,
        clock: None,
        lost: ActivityLosses {
            threads: file.threads_dropped(),
            files: word(offset_of!(Header, modules_dropped)),
            communicators: word(offset_of!(Header, communicators_dropped)),
            requests: word(offset_of!(Header, requests_dropped)),
            trace: lost_of_trace,
        },
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A number of a process or a thread.
fn pid(what: &'static str, found: u32) -> Result<Pid, ActivityProblem> {
    let most = i32::MAX.unsigned_abs().into();
    let number = i32::try_from(found);
    number.map(Pid).map_err(|_| ActivityProblem::Beyond { thread: None, what, found: found.into(), most })
}

fn library(file: &SnapshotFile<'_>) -> Result<Option<MpiLibrary>, ActivityProblem> {
    const LIBRARIES: [(MpiKind, Option<MpiLibrary>); 5] = [
        (MpiKind::None, None),
        (MpiKind::OpenMpi, Some(MpiLibrary::OpenMpi)),
        (MpiKind::Mpich, Some(MpiLibrary::Mpich)),
        (MpiKind::Unknown, Some(MpiLibrary::Other)),
        (MpiKind::Standard, Some(MpiLibrary::Standard)),
    ];
    let found = file.mpi();
    let known = LIBRARIES.into_iter().find(|(kind, _)| *kind as u32 == found);
    let most = MpiKind::Standard as u64;
    let beyond =
        ActivityProblem::Beyond { thread: None, what: "the number of the MPI", found: found.into(), most };
    known.map(|(_, library)| library).ok_or(beyond)
}

fn runtimes(file: &SnapshotFile<'_>) -> Reading<OpenMpRuntimes> {
    let [libgomp, ompt, has_other_tool] =
        [Flag::Libgomp, Flag::Ompt, Flag::OtherOmptTool].map(|flag| file.has(flag));
    if !libgomp && !ompt && !has_other_tool {
        return Reading::unavailable("no OpenMP runtime that can be watched was called");
    }
    Reading::Measured(OpenMpRuntimes { libgomp, ompt, has_other_tool })
}

const IN_SANDBOX: &str = "the process asked for a sandbox (seccomp, or to gain no new privileges), so that the kernel could not be asked at its end";

/// What the process noted of itself at its end.
fn surroundings(file: &SnapshotFile<'_>) -> ProcessSurroundings {
    const NO_END: &str = "the process did not come to its end, and was not looked at while it ran";
    let missing = if file.has(Flag::Sandbox) { IN_SANDBOX } else { NO_END };
    let long = |at| file.header_long(at);
    let noted = |at| match long(at).checked_sub(1) {
        Some(number) => Reading::Measured(number),
        None => Reading::unavailable(missing),
    };
    let switches = offset_of!(Header, switches);
    ProcessSurroundings {
        peak_memory: match long(offset_of!(Header, peak_memory)) {
            0 => Reading::unavailable(missing),
            bytes => Reading::Measured(Bytes(bytes)),
        },
        swapped: noted(offset_of!(Header, swapped)).map(Bytes),
        switches: noted(switches)
            .zip(noted(switches + 8))
            .map(|(voluntary, forced)| ThreadSwitches { voluntary, forced }),
        counters: Reading::unavailable(if file.has(Flag::Forked) {
            "a child that was forked is not counted apart"
        } else {
            "it handed no counters over"
        }),
        ..ProcessSurroundings::unavailable("it was not looked at while it ran")
    }
}

/// What the kernel accounted, and what of it is seen call by call.
fn io(file: &SnapshotFile<'_>) -> ProcessIo {
    let noted = |numbers: Option<[u64; 5]>, missing| match numbers {
        Some(numbers) => Reading::Measured(KernelIo::from_numbers(numbers)),
        None => Reading::unavailable(missing),
    };
    ProcessIo {
        kernel: noted(
            file.kernel_bytes(),
            if file.has(Flag::Sandbox) {
                IN_SANDBOX
            } else {
                "the process did not come to its end and was not looked at while it ran, or the kernel keeps no account of it"
            },
        ),
        at_begin: noted(file.kernel_bytes_at_begin(), "the kernel keeps no account of it"),
        sees_streams: file.has(Flag::Streams) && !file.has(Flag::Sandbox),
    }
}

fn communicator(found: &numawise_wire::snapshot::reader::KnownCommunicator<'_>) -> Communicator {
    Communicator {
        name: text(found.name),
        size: found.size,
        rank: found.rank,
        lives: found.lives,
        is_inter: found.is_inter,
        members: match found.members {
            0 => Reading::unavailable("its ranks were not asked for"),
            members => Reading::Measured(members),
        },
    }
}

/// What the parts of a file share.
struct Context<'a> {
    file: SnapshotFile<'a>,
    clock: Option<Clock>,
    mpi: Option<MpiLibrary>,
}

impl Context<'_> {
    /// The place in a file that an address of the process is.
    fn address(&self, address: u64) -> Reading<CodeAddress> {
        let is_in = |begin: u64, end: u64| (begin..end).contains(&address);
        let found = self.file.modules().enumerate().find(|(_, module)| is_in(module.begin, module.end));
        match found {
            Some((number, module)) => Reading::Measured(CodeAddress {
                file: number as u32,
                address: address.wrapping_sub(module.base),
            }),
            None => Reading::unavailable("it lies in no file that was noted"),
        }
    }

    fn mpi_activity(&self) -> Result<Reading<MpiActivity>, ActivityProblem> {
        let Some(library) = self.mpi else {
            return Ok(Reading::unavailable("no call of MPI was seen"));
        };
        let rank = match self.file.rank() {
            None if library == MpiLibrary::Other && self.file.has(Flag::MpiInitialised) => {
                Reading::unavailable("this MPI is not known to numawise, which does not ask it for ranks")
            }
            None => Reading::unavailable("MPI_Init did not return"),
            Some((_, size)) if size > Rank::LIMIT => {
                let (what, most) = ("the number of ranks in MPI_COMM_WORLD", Rank::LIMIT.into());
                return Err(ActivityProblem::Beyond { thread: None, what, found: size.into(), most });
            }
            Some((rank, size)) if rank < size => Reading::Measured(WorldRank { rank, size }),
            Some((rank, size)) => {
                let what = "the rank in MPI_COMM_WORLD";
                let most = u64::from(size) - 1;
                return Err(ActivityProblem::Beyond { thread: None, what, found: rank.into(), most });
            }
        };
        let init =
            self.moments(offset_of!(Header, mpi_init), "MPI_Init was not called", "MPI_Init did not return");
        let finalize = self.moments(
            offset_of!(Header, mpi_finalize),
            "MPI_Finalize was not called",
            "MPI_Finalize did not return",
        );
        let has_several = self.file.has(Flag::SeveralMpis);
        Ok(Reading::Measured(MpiActivity {
            library,
            has_several,
            rank,
            world: self.file.world_name(),
            initialised: init,
            finalised: finalize,
            first_thread: self.first_thread_in_mpi(),
        }))
    }

    fn first_thread_in_mpi(&self) -> Option<CpuUse> {
        let at = offset_of!(Header, mpi_use);
        let read = |number: usize| self.file.header_long(at + 8 * number).checked_sub(1);
        let [begin, end] = [[read(0)?, read(1)?], [read(2)?, read(3)?]];
        let [processor, run_delay] = [0, 1].map(|of| Nanoseconds(end[of].saturating_sub(begin[of])));
        Some(CpuUse { processor, run_delay })
    }

    /// When something began and returned.
    fn moments(
        &self,
        at: usize,
        no_begin: &'static str,
        no_return: &'static str,
    ) -> Reading<[Nanoseconds; 2]> {
        let moments = [self.file.header_long(at), self.file.header_long(at + 8)];
        match (moments, self.clock) {
            ([0, _], _) => Reading::unavailable(no_begin),
            ([_, 0], _) => Reading::unavailable(no_return),
            (_, None) => Reading::unavailable("how long a tick of the process's clock is, is not known"),
            (moments, Some(clock)) => Reading::Measured(moments.map(|ticks| clock.since_begin(ticks))),
        }
    }
}
