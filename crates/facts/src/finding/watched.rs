//! What findings rest on of a run that was watched from inside.

use numawise_units::{CpuId, CpuSet, NodeId, NodeSet};
use serde::Serialize;

use super::{RegionOrCall, TracedQuantity};
use crate::Reading;
use crate::activity::{CodePlace, ConstructName, FileOperation};
use crate::merged::ProcessName;

/// What a piece of evidence of such a run is a value of. Times are of the run, by the clock, where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchedQuantity {
    /// MPI load balance, as TALP has it.
    MpiLoadBalance,
    /// Time in MPI beyond that of the rank with the least, on average; `of`: the elapsed time.
    MpiWaiting,
    /// Time of a rank outside of MPI, for each of its CPUs; `of`: the mean over ranks.
    OutsideMpiOfRank,
    /// MPI communication efficiency, as TALP has it.
    MpiCommunication,
    /// Time in MPI of the rank where it is the least; `of`: the elapsed time.
    MpiLeast,
    /// In calls of MPI, waiting for ranks that came later; `of`: time in the calls of which that is known. Sums over ranks.
    WaitingInCalls,
    /// Ranks of the `MPI_COMM_WORLD` that a finding is of, where there are several.
    RanksOfWorld,
    /// Waiting of a receive for a message that is not sent, of a send for a receive, in a collective call for the last rank; `of`: `WaitingInCalls`.
    LateSender,
    LateReceiver,
    LateToCollective,
    /// What all ranks handed over to MPI.
    MpiVolume,
    /// Bytes that ranks sent to ranks on other hosts; `of`: to all ranks.
    VolumeBetweenHosts,
    /// Time in a call of MPI, or at one place; `of`: all time in MPI. Sums over ranks.
    TimeOfCall,
    /// How often it was called, in all ranks.
    CallsOf,
    /// Messages that were sent of less than 1 KiB; `of`: all messages.
    SmallMessages,
    /// Time in calls from one to one, for each message.
    TimePerMessage,
    /// Iterations of a loop, on average over its calls; `of`: the threads of its team.
    LoopIterations,
    /// The share of the threads' time that they are good for at best.
    LoopAtBest,
    /// Time in a region, of the process where it is the most; `of`: the elapsed time.
    TimeOfRegion,
    /// Waiting at barriers of a region, over all threads; `of`: all time of its threads.
    RegionImbalance,
    /// The same for locks and critical sections.
    RegionLock,
    /// The same for being given work.
    RegionScheduling,
    /// How often a region was opened.
    RegionCalls,
    /// Chunks of the loops of a region.
    RegionChunks,
    /// Useful time for each of these chunks.
    UsefulPerChunk,
    /// Waits at a construct.
    WaitsAt,
    /// Time outside of parallel regions and of MPI, on average over the processes; `of`: the elapsed time.
    SerialTime,
    /// The speedup that no number of threads exceeds.
    SpeedupLimit,
    /// Of CPUs and memory.
    #[serde(untagged)]
    Placed(PlacedQuantity),
    /// Of calls on files.
    #[serde(untagged)]
    Files(FilesQuantity),
    /// Of ranks that ended without MPI_Finalize.
    #[serde(untagged)]
    Early(EarlyQuantity),
    /// Of a trace.
    #[serde(untagged)]
    Traced(TracedQuantity),
}

/// Of CPUs and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacedQuantity {
    /// Threads that work on one CPU at the same time.
    ThreadsOnCpu,
    /// CPUs that the processes may use; `of`: threads that work at once.
    CpusForThreads,
    /// Threads that are bound to a set of CPUs and work at the same time; `of`: these CPUs.
    ThreadsBoundTo,
    /// How long threads were ready and waited for a CPU, for each CPU, of the process where that is the most; `of`: the elapsed time.
    RunDelay,
    /// The same of one process.
    RunDelayOf,
    /// Processes whose threads waited for CPUs that other work had; `of`: all of them.
    ProcessesDisplaced,
    /// Share of the time of the CPUs of a host that processes of the run had; `of`: that time.
    OwnUseOfCpus,
    /// Threads that may run on several cores; `of`: all whose CPUs are known.
    UnboundThreads,
    /// Threads that worked on several nodes; `of`: all whose CPUs are known.
    ThreadsOnSeveralNodes,
    /// How often threads had to give up their CPUs.
    ForcedSwitches,
    /// Threads that were seen on more than one CPU; `of`: all whose CPUs are known.
    MovedThreads,
    /// How often threads were found on another CPU than before.
    MovesOfThreads,
    /// Threads that work at once; `of`: CPUs that they may use.
    ThreadsAtOnce,
    /// Share of the memory of a process on nodes where none of its threads was seen; `of`: all of it.
    MemoryElsewhere,
}

/// Of calls on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesQuantity {
    /// Time of a thread in calls on files, of the thread where it is the most; `of`: the elapsed time.
    TimeOnFiles,
    /// The same of calls of one kind; `of`: those of all kinds.
    TimeOfFileCalls,
    /// How many these are.
    CountOfFileCalls,
    /// What each of them moves on average.
    BytesPerFileCall,
    /// Time that threads of a process waited for a disk, as the kernel accounts it; `of`: their time in calls on files.
    DiskWaitOf,
    /// Processes with a thread that is in calls on files for a tenth of the time or more; `of`: all of them.
    ProcessesOnFiles,
}

/// Of ranks that ended without MPI_Finalize.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EarlyQuantity {
    /// When a rank called MPI_Abort, since its begin.
    AbortedAfter,
    /// When a rank ended by exit without MPI_Finalize, since its begin.
    ExitedAfter,
    /// When a rank died, since its begin.
    DiedAfter,
    /// The same of one of several that may have died first.
    MayHaveDiedAfter,
    /// The signal that ended it; `of`: the launcher's status that says so.
    EndedBySignal,
    /// How long a rank that died was in its last call.
    DiedInCall,
    /// The last call of a rank that died outside of MPI.
    DiedAfterCall,
    /// How long other ranks were in a call then, the longest of them.
    KeptInCall,
}

/// What a call on files is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileCallKind {
    Read,
    Write,
    /// Waits until what was written is on the storage.
    Sync,
    /// Opens, closes, changes the length.
    Manage,
    /// Of MPI, whatever it does.
    Mpi,
}

impl From<FileOperation> for FileCallKind {
    fn from(of: FileOperation) -> FileCallKind {
        match of {
            FileOperation::Read => FileCallKind::Read,
            FileOperation::Write => FileCallKind::Write,
            FileOperation::Sync => FileCallKind::Sync,
            FileOperation::Manage => FileCallKind::Manage,
        }
    }
}

/// What spares time in calls on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileAdvice {
    /// Read or write more with each call.
    LargerPieces,
    /// Wait for the storage less often.
    SyncLessOften,
    /// Open files once, and fewer of them.
    KeepFilesOpen,
    /// Let all ranks read or write their parts together.
    SharedFiles,
    /// Read and write meanwhile, less, or on faster storage.
    Meanwhile,
}

/// A rank in a call of MPI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RankInCall {
    pub rank: u32,
    pub call: String,
    pub place: Reading<CodePlace>,
}

/// What a piece of evidence of such a run speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchedSubject {
    /// All of the run.
    WatchedRun,
    Rank {
        rank: u32,
        host: String,
    },
    Process(ProcessName),
    Call {
        call: String,
    },
    CallAt {
        call: String,
        place: Reading<CodePlace>,
    },
    /// A call in which ranks were: the first ones of very many, and how many more there are.
    CallOfRanks {
        call: String,
        place: Reading<CodePlace>,
        ranks: Vec<u32>,
        further_ranks: u64,
    },
    /// What a rank computes on the way to a call; none: behind its last one. The number of its `MPI_COMM_WORLD` where there are several.
    ComputingBefore {
        #[serde(skip_serializing_if = "Option::is_none")]
        world: Option<u32>,
        rank: u32,
        call: Option<String>,
        place: Reading<CodePlace>,
    },
    /// Two calls that receive, one after the other.
    CallBeforeCall {
        call: String,
        place: Reading<CodePlace>,
        next: String,
        next_place: Reading<CodePlace>,
    },
    /// One of several `MPI_COMM_WORLD`s.
    World {
        number: u32,
        program: String,
    },
    /// Two calls of which one waits for the other, and the ranks of which one waits longest for the other.
    LateCall {
        waits: RankInCall,
        late: RankInCall,
        /// Ranks that wait there, and those that come late.
        waiting_ranks: u64,
        late_ranks: u64,
    },
    Region {
        place: Reading<CodePlace>,
        /// The innermost region, task or line of Python that it stands in, where there is one and its place is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        within: Option<CodePlace>,
    },
    /// A thread of a rank: 0 calls MPI.
    ThreadOf {
        #[serde(skip_serializing_if = "Option::is_none")]
        world: Option<u32>,
        rank: u32,
        thread: u32,
    },
    /// The same in a region.
    ThreadInRegion {
        #[serde(skip_serializing_if = "Option::is_none")]
        world: Option<u32>,
        rank: u32,
        thread: u32,
        place: Reading<CodePlace>,
    },
    /// Outside of regions; none: from the begin, to the end.
    Between {
        after: Option<RegionOrCall>,
        before: Option<RegionOrCall>,
    },
    /// A loop, or what threads wait at, in a region.
    ConstructAt {
        construct: ConstructName,
        place: Reading<CodePlace>,
    },
    CpuOf {
        host: String,
        cpu: CpuId,
        /// Of the threads there, as far as they are ranks': the first ones of very many, and how many more there are.
        ranks: Vec<u32>,
        further_ranks: u64,
    },
    /// A set of CPUs.
    CpusOf {
        host: String,
        cpus: CpuSet,
        /// Of the threads there, as far as they are ranks': the first ones of very many, and how many more there are.
        ranks: Vec<u32>,
        further_ranks: u64,
    },
    /// Calls on files of one kind.
    FileCalls {
        kind: FileCallKind,
    },
    /// Memory of a process and where its threads ran.
    MemoryOf {
        #[serde(flatten)]
        process: ProcessName,
        /// Where most of it lies.
        node: NodeId,
        threads_on: NodeSet,
    },
}

/// What to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchedAdvice {
    /// Give the ranks that have most to do less.
    BalanceRanks { ranks: Vec<u32> },
    /// Try fewer ranks with more threads each, or the other way round.
    TryRanksTimesThreads,
    /// Let ranks that are late in turn meet less often.
    MeetLessOften,
    /// Begin messages early and compute meanwhile.
    OverlapMessages,
    /// Begin receives before the computing that others do not wait for.
    PostReceivesEarly,
    /// Begin all receives, and take what comes first.
    ReceiveWhatComesFirst,
    /// Place ranks that exchange most on the same host.
    NeighboursOnOneHost,
    /// Call it less often, or not at all.
    CallLessOften { call: String },
    /// Send several messages as one.
    JoinMessages,
    /// Give a loop more iterations: join it with the loop in it.
    MoreIterations,
    /// Use a number of threads that the iterations fill.
    FittingThreads { threads: u32 },
    /// Hand out iterations as threads become free.
    DynamicSchedule,
    /// Divide the work of threads more evenly.
    BalanceThreads,
    /// Do what is outside of regions in parallel.
    ParalleliseRest,
    /// Hand out more iterations at once.
    LargerChunks,
    /// Open fewer and larger regions.
    FewerRegions,
    /// Let each thread collect for itself, and join that at the end.
    ReduceInsteadOfLock,
    /// Give ranks and threads CPUs of their own.
    SeparateCpus,
    /// Start so many ranks on a host at most, each of one thread.
    FewerRanks { ranks: u32 },
    /// Keep each rank on one node, so that its memory is where its threads are.
    RankOnOneNode,
    /// Spare time in calls on files.
    OnFiles(FileAdvice),
    /// Find out what else runs on a host.
    FindOtherWork { host: String },
    /// Find out of what a rank died.
    FindCrash,
    /// Find out for what ranks wait that all wait.
    FindHang,
}
