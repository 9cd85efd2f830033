//! What keeps a study from saying anything of another machine.

use std::path::PathBuf;

/// Why a study says nothing of a machine.
#[derive(Debug, thiserror::Error)]
pub enum OtherMachineError {
    #[error(
        "{}: the profile has no {lacks}, and without it nothing is predicted for its machine; expected a profile that was measured in full",
        profile.display()
    )]
    ProfileLacks { profile: PathBuf, lacks: String },
    #[error(
        "{}: its machine was not measured before the study: it has no {lacks}; give a profile of the machine of the study, too",
        record.display()
    )]
    StudyNotMeasured { record: PathBuf, lacks: String },
    #[error("none of the {points} points can be predicted for the machine of {}: {reason}", profile.display())]
    NoPoint { profile: PathBuf, points: usize, reason: String },
}
