//! Single calls of MPI, drawn so that all ranks that take part draw the same ones: from how long each rank was in a call follows what of it
//! was waiting. A call is drawn by a number that all its ranks know, without a word between them.

use core::sync::atomic::{AtomicU16, AtomicU64};

/// Calls that a process keeps; when they are full, every second one goes.
pub const SAMPLES: usize = 600;
/// Of each call site (and each pair of ranks) so many of the first calls are kept.
pub const FIRST_CALLS: u64 = 8;

/// What was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum SampleKind {
    /// A blocking collective call: the number of the call on its communicator.
    Collective = 1,
    /// A message that was sent: its number from one rank to another.
    Send = 2,
    /// The same message, received by a blocking call.
    Receive = 3,
    /// The wait for the request of a message that was sent.
    SendWait = 4,
    /// The wait for the request of a message that is received.
    ReceiveWait = 5,
    /// A wait for one request of which no other rank can tell what it waited for.
    OtherWait = 6,
}

impl SampleKind {
    pub fn from_number(number: u16) -> Option<SampleKind> {
        use SampleKind::{Collective, OtherWait, Receive, ReceiveWait, Send, SendWait};
        [Collective, Send, Receive, SendWait, ReceiveWait, OtherWait]
            .into_iter()
            .find(|kind| *kind as u16 == number)
    }
}

/// One call.
#[repr(C)]
pub struct CallSample {
    /// The same in all ranks that take part, and in no other call; 0: free.
    pub key: AtomicU64,
    pub begin: AtomicU64,
    pub ticks: AtomicU64,
    /// Of a [`SampleKind::ReceiveWait`], when the call began that gave its request; else 0.
    pub posted: AtomicU64,
    /// As those of its [`super::Site`].
    pub address: AtomicU64,
    pub call: AtomicU16,
    pub communicator: AtomicU16,
    /// [`SampleKind`].
    pub kind: AtomicU16,
    /// 1: among the first of its site.
    pub is_first: AtomicU16,
}

const _: () = assert!(size_of::<CallSample>() == 48);
