//! Notices: what a person should know beside a result, as values.
//!
//! A warning, a note, a caveat, a remark and a limit are all notices; the field that holds one says which it is. A notice has a
//! public identifier (`NW101`) and typed arguments; its text stands once, in `report`. Nothing is ever found again by its text.

mod emulation;
mod json;
mod launch;
mod machine;
mod membench;
mod numbers;
mod objects;
mod plan;
mod residency;
mod session;
mod snapshot;
mod study;

use serde::Serialize;
use serde::de::MapAccess;

pub use emulation::EmulationNotice;
pub use launch::{LaunchNotice, LauncherMask, NotPreloadableReason, PreloadObstacle};
pub use machine::{AffinityRefusal, LiftedBy, MachineNotice};
pub use membench::{BufferLimit, MembenchNotice, MlcLineGap, MlcTable, MlcTableGap};
pub use numbers::{UnlikelyNumber, unlikely_number};
pub use objects::ObjectsNotice;
pub use plan::{NodeBandwidth, PlanNotice, ProfileReference};
pub use residency::{
    ContendedCpu, MovedTask, NamedTask, NamedThread, PinnedGroup, RemotePlace, ResidencyNotice,
    ResidencyPart, UnsuppliedNode,
};
pub use session::{ChangedPart, SessionNotice};
pub use snapshot::{RankThatTold, SnapshotNotice, WatchedJob};
pub use study::{
    BindingLauncher, FrequencyHold, NodeReason, NotPinnedReason, NotTriedReason, ObservedFigure,
    PlacementEvidence, PlacementGroup, StudyNotice,
};

/// Defines the notices of a subject: an enum with one variant for each, and [`Notice::code`].
macro_rules! notices {
    (
        $(#[$of_enum:meta])*
        $subject:ident: $name:ident {
            $(
                $(#[$of_variant:meta])*
                $code:literal $variant:ident $({ $( $(#[$of_field:meta])* $field:ident : $type:ty ),* $(,)? })?
            ),* $(,)?
        }
    ) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[serde(tag = "code", content = "arguments")]
        pub enum $name {
            $(
                $(#[$of_variant])*
                #[serde(rename = $code)]
                $variant $({ $( $(#[$of_field])* $field : $type ),* })?
            ),*
        }

        impl $name {
            /// The public identifier.
            pub fn code(&self) -> &'static str {
                match self { $( $name::$variant $({ $( $field: _ ),* })? => $code ),* }
            }
        }

        impl $name {
            /// All identifiers of the subject.
            pub(super) const CODES: &'static [&'static str] = &[$( $code ),*];
        }

        impl $crate::notice::json::Subject for $name {
            fn read<'de, A: serde::de::MapAccess<'de>>(
                coded: $crate::notice::json::Coded<A>,
            ) -> Result<Self, A::Error> {
                /// The same, to be read.
                #[derive(serde::Deserialize)]
                enum Arguments {
                    $(
                        #[serde(rename = $code)]
                        $variant $({ $( $(#[$of_field])* $field : $type ),* })?
                    ),*
                }

                Ok(match <Arguments as serde::Deserialize>::deserialize(coded)? {
                    $( Arguments::$variant $({ $( $field ),* })? => $name::$variant $({ $( $field ),* })? ),*
                })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::notice::json::subject(deserializer)
            }
        }

        impl From<$name> for $crate::Notice {
            fn from(notice: $name) -> Self {
                $crate::Notice::$subject(notice)
            }
        }
    };
}
use notices;

/// A notice of any subject. In JSON `{"code": "NW101", "arguments": {...}}`, whatever its subject.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Notice {
    /// NW1xx: of a plan.
    Plan(PlanNotice),
    /// NW2xx: of what keeps us from using the whole machine.
    Machine(MachineNotice),
    /// NW4xx: of residency.
    Residency(ResidencyNotice),
    /// NW3xx: of the memory benchmark and of a profile.
    Membench(MembenchNotice),
    /// NW7xx: of a use case.
    Session(SessionNotice),
    /// NW6xx: of a launch.
    Launch(LaunchNotice),
    /// NW8xx: of an emulated machine.
    Emulation(EmulationNotice),
    /// NW90x to NW93x: of a snapshot.
    Snapshot(SnapshotNotice),
    /// NW94x: of memory objects.
    Objects(ObjectsNotice),
    /// NW5xx: of a study and its analysis.
    Study(StudyNotice),
}

impl json::Subject for Notice {
    fn read<'de, A: MapAccess<'de>>(coded: json::Coded<A>) -> Result<Self, A::Error> {
        match () {
            _ if coded.is_one_of(PlanNotice::CODES) => PlanNotice::read(coded).map(Notice::Plan),
            _ if coded.is_one_of(MachineNotice::CODES) => MachineNotice::read(coded).map(Notice::Machine),
            _ if coded.is_one_of(ResidencyNotice::CODES) => {
                ResidencyNotice::read(coded).map(Notice::Residency)
            }
            _ if coded.is_one_of(MembenchNotice::CODES) => MembenchNotice::read(coded).map(Notice::Membench),
            _ if coded.is_one_of(SessionNotice::CODES) => SessionNotice::read(coded).map(Notice::Session),
            _ if coded.is_one_of(LaunchNotice::CODES) => LaunchNotice::read(coded).map(Notice::Launch),
            _ if coded.is_one_of(EmulationNotice::CODES) => {
                EmulationNotice::read(coded).map(Notice::Emulation)
            }
            _ if coded.is_one_of(SnapshotNotice::CODES) => SnapshotNotice::read(coded).map(Notice::Snapshot),
            _ if coded.is_one_of(ObjectsNotice::CODES) => ObjectsNotice::read(coded).map(Notice::Objects),
            _ if coded.is_one_of(StudyNotice::CODES) => StudyNotice::read(coded).map(Notice::Study),
            _ => coded.unknown(),
        }
    }
}

impl Notice {
    /// The public identifier, as `NW101`. It never changes its meaning.
    pub fn code(&self) -> &'static str {
        match self {
            Notice::Plan(notice) => notice.code(),
            Notice::Machine(notice) => notice.code(),
            Notice::Residency(notice) => notice.code(),
            Notice::Membench(notice) => notice.code(),
            Notice::Session(notice) => notice.code(),
            Notice::Launch(notice) => notice.code(),
            Notice::Emulation(notice) => notice.code(),
            Notice::Snapshot(notice) => notice.code(),
            Notice::Objects(notice) => notice.code(),
            Notice::Study(notice) => notice.code(),
        }
    }
}

#[cfg(test)]
#[path = "notice_tests.rs"]
mod tests;
