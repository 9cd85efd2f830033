//! A trace for a drawing.

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, ConstructName, FileOperation, PhaseName};
use numawise_units::{Bytes, Nanoseconds};

use super::{CallPlace, PlacedMark, WaitKind};

/// The calls and messages of a trace, for a drawing into which a person can go.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceEvents {
    /// From the begin of the first lane to the end of the last.
    pub span: Nanoseconds,
    /// Else they are processes without MPI.
    pub are_ranks: bool,
    /// What [`EventCall::site`] numbers.
    pub sites: Vec<CallPlace>,
    /// Of each of them, on what it calls; none where that is on nothing, or not known.
    pub communicators: Vec<Option<EventCommunicator>>,
    /// In the order of [`super::RunTrace::ranks`].
    pub lanes: Vec<EventLane>,
    pub messages: Vec<EventMessage>,
    /// Collective calls of which all ranks are there.
    pub collectives: Vec<Vec<CallAt>>,
    /// What [`EventSpan::of`] numbers.
    pub constructs: Vec<(ConstructName, Reading<CodePlace>)>,
    /// Threads that call no MPI, in the order of their ranks.
    pub workers: Vec<EventWorker>,
    pub phases: Vec<EventPhase>,
    /// Moments since the begin of the span.
    pub marks: Vec<(u32, PlacedMark)>,
    /// Those with most bytes first.
    pub pairs: Vec<EventPair>,
}

/// All messages from one rank to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPair {
    /// The number of their `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub from: u32,
    pub to: u32,
    pub messages: u64,
    pub bytes: Bytes,
    /// Of those of which it is known how long they took, as of [`MessageProfile::timed`], the longest first.
    pub slowest: Vec<EventTransfer>,
}

/// How long a message took, and its calls: their lanes, and when they began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTransfer {
    pub time: Nanoseconds,
    pub bytes: Bytes,
    pub from: (u32, Nanoseconds),
    pub to: (u32, Nanoseconds),
    /// Of the receiving call.
    pub end: Nanoseconds,
}

/// A communicator of calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventCommunicator {
    /// Empty: without a name.
    pub name: String,
    /// None: of two groups, or not known.
    pub ranks: Option<u32>,
}

/// A thread that calls no MPI.
#[derive(Debug, Clone, PartialEq)]
pub struct EventWorker {
    /// The lane of its rank, which says from when to when it is there.
    pub lane: u32,
    /// Among those of the rank, from 1 on.
    pub number: u32,
    pub spans: Vec<EventSpan>,
}

/// A span outside of calls; between them a thread is useful, and in no region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventSpan {
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub state: SpanState,
    /// The region, or what the thread waited at.
    pub of: Option<u32>,
}

/// What a thread is in, outside of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanState {
    /// It does its part of a region, or nothing is known of regions.
    Useful,
    /// It works alone.
    Serial,
    Waiting,
    Idle,
    Files(FileOperation),
}

/// A phase of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPhase {
    pub name: PhaseName,
    pub lane: u32,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
}

/// One thread of a rank.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventLane {
    /// The number of its `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub rank: u32,
    pub thread: Option<i32>,
    /// Since the begin of the span, as all moments here.
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    /// In their order; none begins before the one before it has ended.
    pub calls: Vec<EventCall>,
    pub spans: Vec<EventSpan>,
}

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventCall {
    pub site: u32,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub bytes: Bytes,
    pub state: EventState,
}

/// What a call was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventState {
    /// It waited for nobody, as far as is known.
    Called,
    /// It waited from its begin to this moment, for the call that came late.
    Waited { until: Nanoseconds, kind: WaitKind, late: CallAt },
    /// It asked so often, and found nothing.
    Polled { calls: u64 },
}

/// A call, by the number of its lane and its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallAt {
    pub lane: u32,
    pub call: u32,
}

/// A message with both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventMessage {
    /// The call that sent it; it left when that began.
    pub from: CallAt,
    /// The call in which it came; it was there when that ended.
    pub to: CallAt,
    pub bytes: Bytes,
    pub tag: i32,
}
