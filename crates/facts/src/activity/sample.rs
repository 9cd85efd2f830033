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
    /// Among the first calls of its site, which are all there; others were drawn at random.
    pub is_first: bool,
}
