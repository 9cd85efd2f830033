//! What a location of an archive did, event by event: what is written and what is read.

use crate::ffi;

/// Attributes of events: names, what they are, and types, in the order of their numbers where we write them. Score-P has the first one too.
pub const ATTRIBUTES: [(&str, &str, u8); 4] = [
    ("SOURCE_CODE_LOCATION", "Source code location", ffi::TYPE_SOURCE_CODE_LOCATION),
    ("CALLING_FUNCTION", "Function that made the call", ffi::TYPE_STRING),
    ("POLLS", "Calls that found nothing, one after the other, of which this is the first", ffi::TYPE_UINT64),
    ("POLLING_TIME", "Nanoseconds within these calls", ffi::TYPE_UINT64),
];

/// A message, as events tell it: ranks are those of the communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    pub peer: u32,
    pub communicator: u32,
    pub tag: u32,
    pub bytes: u64,
}

/// Calls that were made one after the other, found nothing, and stand as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Polls {
    pub calls: u64,
    /// Nanoseconds.
    pub within: u64,
}

/// Where a region was entered, by the numbers that the archive has for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnteredAt {
    /// The function that made the call: a string.
    pub function: Option<u32>,
    /// A source code location.
    pub line: Option<u32>,
}

/// The end of a collective call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collective {
    pub operation: u8,
    pub communicator: u32,
    /// In the communicator; [`NO_ROOT`] where there is none.
    pub root: u32,
    pub sent: u64,
    pub received: u64,
}

/// `OTF2_COLLECTIVE_ROOT_NONE`.
pub const NO_ROOT: u32 = u32::MAX;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The string that names the program.
    ProgramBegin(u32),
    ProgramEnd,
    Enter {
        region: u32,
        at: EnteredAt,
        polls: Option<Polls>,
    },
    Leave(u32),
    /// Threads of a parallel region that begins; 0: not known.
    ThreadFork(u32),
    ThreadJoin,
    Send(Message),
    Isend(Message, u64),
    IsendComplete(u64),
    IrecvRequest(u64),
    Recv(Message),
    Irecv(Message, u64),
    CollectiveBegin,
    CollectiveEnd(Collective),
    /// The begin of a collective call that another one ends, and that end, by a request.
    CollectiveRequest(u64),
    CollectiveComplete(Collective, u64),
}

/// An event and its moment, in ticks of the archive's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    pub time: u64,
    pub what: What,
}
