//! Why a numawise that follows a program says nothing of it.

use std::io;
use std::path::PathBuf;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// Nobody is there who could answer.
    #[error("{}: {source}", socket.display())]
    Nobody { socket: PathBuf, source: io::Error },
    #[error("{0}")]
    Silent(io::Error),
    /// The program has just ended.
    #[error("the program has ended")]
    Ended,
    #[error("the numawise that follows it is another build ({found}); expected {expected}")]
    OtherVersion { found: String, expected: String },
    #[error("the answer cannot be read: {0}")]
    Unreadable(serde_json::Error),
}
