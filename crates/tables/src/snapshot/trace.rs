//! What the calls of a trace tell together: who waited for whom, when, why, and what the elapsed time hangs on.

use std::iter::Sum;

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, ConstructName, FileOperation, PhaseName};
use numawise_facts::finding::RegionOrCall;
use numawise_units::{Bytes, Nanoseconds};

use super::RankInCall;

mod events;
mod placed;
mod teams;

pub use events::{
    CallAt, EventCall, EventCommunicator, EventLane, EventMessage, EventPair, EventPhase, EventSpan,
    EventState, EventTransfer, EventWorker, SpanState, TraceEvents,
};
pub use placed::{PlacedChange, PlacedMark, PlacedMarks, ThreadWithoutCpu};
pub use teams::{LateThread, TracedRegion, TracedSerial};

/// A run whose calls of MPI were written down one by one.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTrace {
    /// When the part begins that is asked for, since the begin of all; 0 where all is.
    pub begin: Nanoseconds,
    /// From the end of the first `MPI_Init` to the begin of the last `MPI_Finalize`, as far as the trace is whole, or what of it is asked for.
    pub span: Nanoseconds,
    /// Not all is asked for.
    pub is_part: bool,
    /// Else they are processes without MPI, by their numbers in the run.
    pub are_ranks: bool,
    /// Calls, and messages of which both ends are there.
    pub calls: u64,
    pub messages: u64,
    /// Ends of messages without the other one.
    pub unmatched: u64,
    /// Records that are not there: what came after the first of them is not in these tables.
    pub lost: u64,
    /// It is what came before the last of them that is not.
    pub is_end: bool,
    /// What came behind these tables is not, either.
    pub is_window: bool,
    /// All of them lie outside of the time that `--from` and `--to` of the recording asked for.
    pub lost_is_outside: bool,
    /// Clocks of several computers were compared, and may be wrong by so much.
    pub clock_error: Option<Nanoseconds>,
    /// Ranks in the order of their numbers; of those with several threads in MPI, one for each.
    pub ranks: Vec<TracedRank>,
    /// Of all ranks together.
    pub times: TraceTimes,
    /// Those with most waiting first.
    pub waits: Vec<TracedWait>,
    /// Who waited for whom, those with most waiting first.
    pub pairs: Vec<WaitingPair>,
    /// What the late ranks did while others waited for them, those with most waiting first.
    pub causes: Vec<WaitingCause>,
    /// The chain of calls and of computing that no other rank waited out: what the span hangs on, the longest parts first.
    pub critical_path: Vec<PathPart>,
    /// How long the span would be if something had been otherwise.
    pub what_if: Reading<Vec<WhatIf>>,
    /// What all ranks do again and again, where they do.
    pub period: Option<TracePeriod>,
    /// Receives that waited while another message was there, those with most waiting first.
    pub out_of_order: Vec<OutOfOrder>,
    /// Why waiting is not known of calls that took this long in all.
    pub not_judged: Vec<NotJudged>,
    /// How fast messages were from rank to rank, those with most bytes first.
    pub messages_by_pair: Vec<MessageProfile>,
    /// By call and communicator, those that take most time first.
    pub collective_calls: Vec<CollectiveProfile>,
    /// Regions of OpenMP, and where threads waited in it, those with most waiting first.
    pub openmp: Vec<TracedConstruct>,
    /// Where threads waited for one another, those with most waiting first.
    pub regions: Vec<TracedRegion>,
    /// Where ranks were outside of regions, the longest first; of ranks that have regions.
    pub serial: Vec<TracedSerial>,
    /// What was seen from outside to change of threads.
    pub placed: Reading<PlacedMarks>,
    /// Ranks that use OpenMP of which the trace does not have it: their waiting there counts as useful.
    pub openmp_unseen: u64,
    /// What the program named, in the order in which it began.
    pub phases: Vec<TracedPhase>,
    /// It was too large for the memory, and analysed in slices of its time.
    pub slices: Option<TraceSlices>,
}

/// How a trace was analysed that is too large for the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceSlices {
    pub slices: u64,
    /// Of a slice, about.
    pub calls: u64,
    /// Waiting whose cause may lie before its slice: it was looked for from the begin of that.
    pub cut: Nanoseconds,
    /// Calls of which something was still awaited when there was no room for more of them.
    pub forgotten: u64,
    /// Else there was no room for the moments of all calls.
    pub has_period: bool,
}

/// Messages from one rank to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageProfile {
    /// The number of their `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub from: u32,
    pub to: u32,
    pub messages: u64,
    pub bytes: Bytes,
    /// Those of which it is known how long they took from when both ranks had come to the end of the receiving call: the receiver was in that call by
    /// then. The others may have come while the receiver computed.
    pub timed: u64,
    pub timed_bytes: Bytes,
    pub time: Nanoseconds,
    pub longest: Option<LongestTransfer>,
}

/// One message: when both ranks had come, since the begin of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestTransfer {
    pub time: Nanoseconds,
    pub begin: Nanoseconds,
    pub bytes: Bytes,
}

/// A collective call on one communicator.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveProfile {
    pub call: String,
    pub communicator: Reading<String>,
    pub ranks: u64,
    /// Of all ranks together, as all that follows.
    pub calls: u64,
    pub time: Nanoseconds,
    pub waiting: Nanoseconds,
    pub bytes: Bytes,
}

/// A region of OpenMP, or where threads wait in it.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedConstruct {
    pub construct: ConstructName,
    pub place: Reading<CodePlace>,
    /// How often it was opened and how long that took, of a region, all ranks together.
    pub regions: u64,
    pub time: Nanoseconds,
    /// How often threads waited, and how long all together.
    pub waits: u64,
    pub waiting: Nanoseconds,
    pub longest: Option<LongestThreadWait>,
    pub ranks: u64,
}

/// One wait of a thread in OpenMP: when it began since the begin of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestThreadWait {
    pub time: Nanoseconds,
    pub begin: Nanoseconds,
    pub rank: u32,
    /// Of the rank's workers, from 1 on; 0: it calls MPI.
    pub number: u32,
}

/// A phase that the program named.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedPhase {
    pub name: PhaseName,
    /// How often, in the rank that had it most often.
    pub times: u64,
    /// When the first of all ranks began it, since the begin of all, and when the last one ended it.
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub ranks: u64,
    /// Of those threads of these ranks that call MPI.
    pub spent: TraceTimes,
}

/// Time of a rank, or of several, by what it was for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceTimes {
    /// In no call; in a process that has parallel regions, in one of these.
    pub useful: Nanoseconds,
    /// Outside of parallel regions, where the other threads idle.
    pub serial: Nanoseconds,
    pub openmp_waiting: Nanoseconds,
    /// Of a worker outside of regions.
    pub idle: Nanoseconds,
    /// In calls on files that took more than a microsecond each.
    pub in_files: Nanoseconds,
    /// In calls, but for waiting.
    pub in_calls: Nanoseconds,
    pub waiting: Nanoseconds,
    /// From the first to the last of several calls that asked whether something had come, and found nothing.
    pub polling: Nanoseconds,
}

impl TraceTimes {
    pub fn total(&self) -> Nanoseconds {
        let outside = self.useful + self.serial + self.openmp_waiting + self.idle + self.in_files;
        outside + self.in_calls + self.waiting + self.polling
    }
}

impl Sum for TraceTimes {
    fn sum<I: Iterator<Item = TraceTimes>>(all: I) -> TraceTimes {
        all.fold(TraceTimes::default(), |sum, one| TraceTimes {
            useful: sum.useful + one.useful,
            serial: sum.serial + one.serial,
            openmp_waiting: sum.openmp_waiting + one.openmp_waiting,
            idle: sum.idle + one.idle,
            in_files: sum.in_files + one.in_files,
            in_calls: sum.in_calls + one.in_calls,
            waiting: sum.waiting + one.waiting,
            polling: sum.polling + one.polling,
        })
    }
}

/// A rank, or one of its threads.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedRank {
    /// The number of its `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub rank: u32,
    /// Its number, where several threads of the rank call MPI.
    pub thread: Option<i32>,
    pub times: TraceTimes,
    /// How long others waited for it.
    pub waited_for: Nanoseconds,
    pub calls: u64,
    /// Parts of the span, of equal length and as many for each rank.
    pub timeline: Vec<TraceTimes>,
    /// Threads of OpenMP that call no MPI.
    pub workers: Vec<TracedWorker>,
}

/// A thread of a rank that calls no MPI.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedWorker {
    /// Among those of the rank, from 1 on.
    pub number: u32,
    /// The system's number of it.
    pub thread: i32,
    pub times: TraceTimes,
    pub timeline: Vec<TraceTimes>,
}

/// Why a call waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitKind {
    /// The message was not sent yet.
    LateSender,
    /// The message was not received yet.
    LateReceiver,
    /// The root of a collective call, which has what all others need, had not come.
    LateRoot,
    /// The root needs what all others have, and the last of them had not come.
    EarlyRoot,
    /// Not all ranks had come to a call that needs all.
    LastOfAll,
    /// The target had not opened its window to the rank yet.
    LatePost,
    /// The rank that accesses the window had not ended that yet.
    LateComplete,
    /// Another rank held the lock of the window.
    LockContention,
    /// A rank before it in the communicator, whose data it needs, had not come.
    LateLowerRank,
    /// A neighbour in the topology of the communicator, whose data it needs, had not come.
    LateNeighbour,
}

/// Waiting at one place in the program for ranks that came late to another.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedWait {
    pub kind: WaitKind,
    /// Of the two ranks of which one waited longest for the other.
    pub waits: RankInCall,
    pub late: RankInCall,
    pub times: u64,
    /// Sum over all ranks.
    pub waiting: Nanoseconds,
    /// The longest of all: how long, when it began since the begin of all, and the two ranks.
    pub longest: LongestWait,
    pub waiting_ranks: u64,
    pub late_ranks: u64,
}

/// One wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestWait {
    pub time: Nanoseconds,
    pub begin: Nanoseconds,
    pub waits: u32,
    pub late: u32,
}

/// A rank that waited for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingPair {
    /// The number of their `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub waits: u32,
    pub late: u32,
    pub times: u64,
    pub waiting: Nanoseconds,
}

/// What a rank did while others waited, directly or along a chain of ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingCause {
    /// The number of its `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub rank: u32,
    pub what: RankActivity,
    /// Waiting of other ranks that it explains, and how many ranks these are.
    pub waiting: Nanoseconds,
    pub waiting_ranks: u64,
    /// Of that, what came through ranks that waited themselves.
    pub through_others: Nanoseconds,
}

/// What a rank did.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RankActivity {
    /// It computed on the way to a call; none: behind its last one.
    Computed { to: Option<CallPlace> },
    /// It was in a parallel region on the way to a call; its other threads waited for that one which is named (0: it calls MPI).
    InRegion { region: Reading<CodePlace>, thread: Option<u32>, to: Option<CallPlace> },
    /// One of its threads worked outside of regions between these two, on the way to a call; none: behind its last one.
    Serial { after: Option<RegionOrCall>, before: Option<RegionOrCall>, to: Option<CallPlace> },
    /// It was in calls on files on the way to a call; none: behind its last one.
    InFiles { operation: FileOperation, to: Option<CallPlace> },
    /// It was in a call that waited for nobody.
    Called(CallPlace),
    /// It polled.
    Polled(CallPlace),
    /// It was in calls that were left out, waiting or not.
    LeftOut,
    /// It had not called MPI yet, or not any more.
    Outside,
}

impl RankActivity {
    /// Whether it computed, or was in files, and before which call; none: behind its last one.
    pub fn computed_to(&self) -> Option<Option<&CallPlace>> {
        match self {
            RankActivity::Computed { to }
            | RankActivity::InRegion { to, .. }
            | RankActivity::InFiles { to, .. }
            | RankActivity::Serial { to, .. } => Some(to.as_ref()),
            RankActivity::Called(_)
            | RankActivity::Polled(_)
            | RankActivity::LeftOut
            | RankActivity::Outside => None,
        }
    }
}

/// A call of MPI at a place of the program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallPlace {
    pub call: String,
    pub place: Reading<CodePlace>,
}

/// A part of the critical path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPart {
    /// The number of its `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub rank: u32,
    pub what: RankActivity,
    pub times: u64,
    pub time: Nanoseconds,
}

/// The span of a trace that was replayed with a change.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    pub change: TraceChange,
    pub span: Nanoseconds,
}

/// What is otherwise in a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceChange {
    /// Each time that ranks come to a call at one place, they have computed equally long before it.
    ComputingEqual,
    /// Calls take only as long as they wait for other ranks.
    CallsInstant,
    /// No send waits for its receive.
    ReceivesPosted,
    /// Calls on files take no time.
    FilesInstant,
    /// Threads have equal work in a region.
    ThreadsEqual {
        region: Reading<CodePlace>,
    },
    /// All threads of a rank share what one of them does outside of regions.
    SerialDivided,
    RankAsOthers(RankAsOthers),
}

/// A rank computes no longer before a call than the other ranks do; where no other rank makes this call, not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankAsOthers {
    /// The number of its `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub rank: u32,
    /// None: behind its last call.
    pub to: Option<CallPlace>,
    /// How long it computes there in all, and the others on average; none where no other makes the call.
    pub own: Nanoseconds,
    pub others: Option<Nanoseconds>,
}

/// What all ranks do again and again: from each call at a place to the next one there.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePeriod {
    pub from: CallPlace,
    /// When the first one begins, since the begin of all, in the rank that comes last; as all moments and lengths here.
    pub begin: Nanoseconds,
    pub repetitions: u64,
    pub median: Nanoseconds,
    /// From and to which nine of ten take.
    pub nine_of_ten: [Nanoseconds; 2],
    /// How many take much longer or shorter than the others, and those that differ most.
    pub odd: u64,
    pub oddest: Vec<OddRepetition>,
}

/// A repetition that differs from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddRepetition {
    /// The first one is 1.
    pub number: u64,
    pub begin: Nanoseconds,
    pub length: Nanoseconds,
}

/// Receives that waited for a message while the one was there that was received soon after.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfOrder {
    /// The number of its `MPI_COMM_WORLD`, where there are several, and the rank: of the longest.
    pub world: Option<u32>,
    pub rank: u32,
    pub waits: CallPlace,
    /// What received the message that was there.
    pub next: CallPlace,
    pub times: u64,
    /// While that was there, all ranks together.
    pub waiting: Nanoseconds,
}

/// Calls of which waiting is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotJudged {
    pub why: NotJudgedReason,
    pub calls: u64,
    pub time: Nanoseconds,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotJudgedReason {
    /// The other ranks of it are not in the trace.
    OtherRanksMissing,
    /// They are on other computers, and nothing tells how the clocks differ.
    ClocksDiffer,
    /// What it waits for is not known: unlocks and flushes of windows, requests of files, neighbours of which there are too many.
    NotFollowed,
    /// They were not to be written down.
    LeftOut,
}
