//! Single calls of MPI that all ranks that took part drew alike.

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use super::CodeAddress;
use crate::Reading;

/// What was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampledCall {
    /// A blocking collective call.
    Collective,
    /// A message that was sent.
    Send,
    /// A message that a blocking call received.
    Receive,
    /// `MPI_Wait` for the request of a message that was sent.
    SendWait,
    /// `MPI_Wait` for the request of a message that is received.
    ReceiveWait,
    /// `MPI_Wait` for a request of which no other rank can tell what it waited for.
    OtherWait,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSample {
    pub kind: SampledCall,
    /// The same in all ranks that took part, and in no other call.
    pub key: u64,
    /// As that of its [`super::CallSite`].
    pub call: String,
    pub at: Reading<CodeAddress>,
    pub communicator: Option<u16>,
    /// By the monotonic clock of the host.
    pub begun: Nanoseconds,
    pub time: Nanoseconds,
    /// Of a [`SampledCall::ReceiveWait`], when the call began that gave its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posted: Option<Nanoseconds>,
    /// Among the first calls of its site, which are all there; others were drawn at random.
    pub is_first: bool,
}
