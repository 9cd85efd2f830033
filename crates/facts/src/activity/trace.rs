//! Calls of MPI of one thread, one after the other, with their messages; its regions and waits in OpenMP, the phases that it began, and its calls on
//! files.

use std::num::NonZeroU64;

use numawise_units::{Bytes, Nanoseconds, Pid};
use serde::{Deserialize, Serialize};

use super::{CodeAddress, ConstructName, FileOperation, PhaseName, SeenThread};
use crate::Reading;

/// What a thread called, in the order in which it returned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadTrace {
    /// What [`TracedCall::site`] numbers.
    pub sites: Vec<TracedSite>,
    pub calls: Vec<TracedCall>,
    /// Of all calls, one after the other: see [`TracedCall::messages`].
    pub messages: Vec<TracedMessage>,
    /// What [`TracedSpan::of`] numbers.
    pub names: Vec<SpanName>,
    /// In the order in which they ended; phases in that in which they began.
    pub spans: Vec<TracedSpan>,
    /// None: nobody looked at it.
    pub seen: Option<SeenThread>,
}

impl ThreadTrace {
    /// Of calls that follow one another, those that tell from when to when their thread was in MPI, without what they sent: the first and the last, and
    /// those that begin and end MPI. `until`: later ones may be missing.
    pub fn calls_at_edges(
        sites: &[TracedSite],
        calls: &[TracedCall],
        until: Option<Nanoseconds>,
    ) -> Vec<TracedCall> {
        let last = calls.partition_point(|call| until.is_none_or(|until| call.end <= until)).checked_sub(1);
        let is_of_mpi = |call: &TracedCall| {
            sites.get(call.site as usize).is_some_and(|site| site.begins_mpi() || site.ends_mpi())
        };
        let is_edge =
            |(number, call): &(usize, &TracedCall)| *number == 0 || Some(*number) == last || is_of_mpi(call);
        let edges = calls.iter().enumerate().filter(is_edge);
        edges.map(|(_, call)| TracedCall { messages: 0, ..*call }).collect()
    }

    /// Changes each moment in it, as by another clock.
    pub fn each_moment(&mut self, mut change: impl FnMut(&mut Nanoseconds)) {
        for call in &mut self.calls {
            change(&mut call.begin);
            change(&mut call.end);
        }
        self.messages.iter_mut().for_each(|message| change(&mut message.posted));
        for seen in self.seen.iter_mut().flat_map(|seen| &mut seen.changes) {
            change(&mut seen.before);
            change(&mut seen.at);
        }
        for span in &mut self.spans {
            change(&mut span.begin);
            change(&mut span.end);
            match &mut span.kind {
                SpanKind::Region { waits_since: moment, .. } | SpanKind::Worked { begun: moment, .. } => {
                    change(moment)
                }
                SpanKind::Waited | SpanKind::Phase | SpanKind::File => {}
            }
        }
    }
}

/// What a span is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanName {
    Construct(ConstructName, Reading<CodeAddress>),
    Phase(PhaseName),
    File(FileOperation),
}

/// A span of time of a thread that is no call of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedSpan {
    pub of: u32,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub kind: SpanKind,
}

/// What a span was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// A parallel region that the thread opened; at its end it waited for the others. 0 threads: how many is not known.
    Region {
        threads: u32,
        waits_since: Nanoseconds,
    },
    /// Its part of a region that another thread opened: from its end to that of the region, or until it is called again, it waits.
    Worked {
        master: Pid,
        begun: Nanoseconds,
    },
    /// It waited in OpenMP, other than at the end of a region.
    Waited,
    Phase,
    /// It was in a call on a file.
    File,
}

/// A call of MPI at one place of the program on one communicator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedSite {
    /// As in C: `MPI_Send`.
    pub call: String,
    pub at: Reading<CodeAddress>,
    /// Which of the process's communicators; none where the call has none.
    pub communicator: Option<u16>,
}

impl TracedSite {
    pub fn begins_mpi(&self) -> bool {
        matches!(self.call.as_str(), "MPI_Init" | "MPI_Init_thread")
    }

    pub fn ends_mpi(&self) -> bool {
        self.call == "MPI_Finalize"
    }
}

/// One call, or several that found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedCall {
    pub site: u32,
    /// Both by the monotonic clock of the host.
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub kind: TracedKind,
    /// Sent and received.
    pub bytes: Bytes,
    /// How many of [`ThreadTrace::messages`] belong to it: those behind the ones of the call before it.
    pub messages: u32,
}

/// Between two polls with nothing else between them: what we add to a call, 52 ns (`docs/decisions/0042-trace.md`), and the loop, four times over. Some
/// calls that find nothing take less.
const BETWEEN_POLLS: Nanoseconds = Nanoseconds(250);

impl TracedCall {
    /// Since when the thread was in it, by and large. Polls between which it did something else for most of the time take the time that it
    /// was in them, before the last one's end.
    #[inline]
    pub fn entered(&self) -> Nanoseconds {
        let all = self.end.saturating_sub(self.begin);
        match self.kind {
            TracedKind::Polls { calls, within }
                if within.0 < all.0 / 2 && all.0 - within.0 > calls.saturating_mul(BETWEEN_POLLS.0) =>
            {
                self.end.saturating_sub(within)
            }
            _ => self.begin,
        }
    }
}

/// The root of a collective call between two groups, where that is the rank itself (`MPI_ROOT`).
pub const ROOT_ITSELF: u32 = u32::MAX - 1;

impl TracedCall {
    pub fn is_left_out(&self) -> bool {
        matches!(self.kind, TracedKind::LeftOut { .. })
    }
}

/// What a call was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracedKind {
    /// One of which no other rank has the same.
    Alone,
    /// It needs all ranks of its communicator, or begins what needs them and another call ends.
    Collective {
        /// The same in all ranks that take part, and in no other call of them.
        key: NonZeroU64,
        /// The root in the communicator, where the call has one; [`ROOT_ITSELF`].
        root: Option<u32>,
    },
    /// So many calls that asked whether something had come, one after the other, and found nothing; the thread was in them for `within`.
    Polls { calls: u64, within: Nanoseconds },
    /// So many calls that were not to be written down one by one. It ends with the last of them, and took as long as all of them.
    LeftOut { calls: u64 },
}

/// A message, as one of its two ranks saw it; the end of what was begun by another call; or what a call means to other ranks by which it is not
/// known itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedMessage {
    pub end: MessageSide,
    /// When the call began that sent it or asked for it.
    pub posted: Nanoseconds,
    /// The same number in all ranks of its communicator.
    pub communicator: Option<NonZeroU64>,
    pub bytes: Bytes,
    pub tag: i32,
    /// The other rank of `MPI_COMM_WORLD`.
    pub peer: u32,
}

/// What a call did with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSide {
    Sent,
    Received,
    /// It waited for the request of one that was sent by the call that began at [`TracedMessage::posted`]; nothing else is known of it.
    SendDone,
    /// It ended a collective call that the call began which began at [`TracedMessage::posted`]; the number of a [`MessageSide::Part`] stands in place
    /// of the communicator's, and nothing else is known of it.
    CollectiveDone,
    /// The call takes part in a collective call that has this number in place of the communicator's in all ranks, and is what the site says that has
    /// the number of the peer. The tag is 1 + the root in the communicator; 0: there is none.
    Part,
    /// The call is the first one of its kind on its communicator, and gets data of the peer: a neighbour in a topology, or one of the other group, in
    /// their order. Nothing else is known of it.
    Source,
    /// So many ends of this kind (the bytes) of the same channel stood before the next one, and are not in the trace.
    SentBefore,
    ReceivedBefore,
    /// A step on a window, which has this number in place of the communicator's in all its ranks, with the peer.
    Window(WindowStep),
}

/// What a call does on a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowStep {
    /// The peer may access ours, until `Wait` returns.
    Post,
    /// We access that of the peer, until `Complete`.
    Start,
    Complete,
    Wait,
    /// That of the peer is locked, for nobody else or for others too.
    LockExclusive,
    LockShared,
    Unlock,
    /// Those of all ranks, for others too.
    LockAll,
    UnlockAll,
}

impl WindowStep {
    /// In the order of their numbers in a trace.
    pub const ALL: [WindowStep; 9] = {
        use WindowStep::{
            Complete, LockAll, LockExclusive, LockShared, Post, Start, Unlock, UnlockAll, Wait,
        };
        [Post, Start, Complete, Wait, LockExclusive, LockShared, Unlock, LockAll, UnlockAll]
    };
}

impl MessageSide {
    /// One of the two ends of a message.
    pub fn is_of_message(self) -> bool {
        matches!(self, MessageSide::Sent | MessageSide::Received)
    }
}

/// How the clock of a process was set to that of the others of its job, which run on other computers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockMove {
    /// So many nanoseconds its moments were made later, at its first call.
    pub by: i64,
    pub error: Nanoseconds,
}

/// Records of a process that are not in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceLoss {
    pub records: u64,
    /// From when on, by the monotonic clock of the host: from there the trace of a thread may have gaps.
    pub since: Nanoseconds,
    /// Until when; none: to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Nanoseconds>,
    /// From when on again; none: nothing is missing behind that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Nanoseconds>,
    /// They lie outside of the time that was asked for; else they found no place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_outside: bool,
}
