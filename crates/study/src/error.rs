//! Why a study cannot go on.

use crate::input_files::InputsError;
use crate::metric::MetricError;

/// Failures of the study itself; a program that fails is a trial's outcome, not an error.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Launch(#[from] numawise_launch::LaunchError),
    #[error(transparent)]
    Metric(#[from] MetricError),
    #[error(transparent)]
    Placeholder(#[from] numawise_facts::UnknownWord),
    #[error(transparent)]
    Inputs(Box<InputsError>),
    #[error(
        "the kernel does not drop the pages of files that it holds ({source}, {file}), which takes root; run this as root, or leave the \
         caches as they are"
    )]
    CachesKept { file: &'static str, source: std::io::Error },
    /// A trial could not be kept; what was kept before is whole.
    #[error("cannot keep the trial just measured: {0}")]
    Store(Box<dyn std::error::Error + Send + Sync>),
    /// Trials cannot be carried out where they were to be; what was kept before is whole.
    #[error(transparent)]
    Fleet(Box<dyn std::error::Error + Send + Sync>),
}

impl From<InputsError> for StudyError {
    fn from(error: InputsError) -> Self {
        StudyError::Inputs(Box::new(error))
    }
}
