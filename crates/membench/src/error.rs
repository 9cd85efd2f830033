//! What can keep a whole measurement from being made; what keeps one cell from it stands in the cell.

/// Why there is no profile at all.
#[derive(Debug, thiserror::Error)]
pub enum MembenchError {
    /// Nothing of what was asked for can be measured on this machine.
    #[error("there is nothing to measure: {0}")]
    NothingToMeasure(String),
}
