//! The nouns of numawise: values and their invariants.
//!
//! This crate knows what a machine, a placement, a trial and a finding are. It does no input or output, reads no clock and
//! draws no random numbers; it does not know where a machine comes from, how a program is started or how a finding is
//! reached. All types are plain values, `Send` and `Sync`; those that are kept or exchanged go through `serde`.

mod choice;
mod event;
mod finding;
mod machine;
mod notice;
mod observation;
mod pages;
mod placement;
mod profile;
mod reading;
mod run;
mod snapshot;
mod study;

pub use choice::{CpuChoice, Order, ParseChoiceError, Smt};
pub use event::{Event, Ignore, Sink};

pub use finding::{
    Advice, Amount, Effect, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, Finding, FindingId,
};
pub use machine::{
    Attribute, AttributeKind, AttributeOrigin, Cache, Cpu, Figure, FigureVsOrdinary, Machine, MemoryAccess,
    MemoryKind, MemoryKindEvidence, Node, Package, RecognisedMemory, Source,
};

pub use notice::{
    BufferLimit, ChangedPart, ContendedCpu, EmulationNotice, LaunchNotice, LauncherMask, LiftedBy,
    MachineNotice, MembenchNotice, MlcLineGap, MlcTable, MlcTableGap, MovedTask, NamedTask, NamedThread,
    NodeBandwidth, NotTriedReason, Notice, ObservedFigure, PinnedGroup, PlacementGroup, PlanNotice,
    ProfileReference, RemotePlace, ResidencyNotice, ResidencyPart, SessionNotice, StudyNotice,
    UnsuppliedNode,
};
pub use observation::{
    HostNoise, Observation, ResidencySample, ResourceUsage, SamplerCost, ThreadObservation,
};
pub use pages::{Balancing, PageSize, ParsePagesError};
pub use placement::{
    EquivalentTool, MemoryMode, MemoryPlan, MemoryRequest, NodeWeight, OwnPlacement,
    ParseEquivalentToolError, ParseMemoryRequestError, ParseStrategyError, Placement, PlacementRequest,
    Strategy, TaskPlacement, ThreadBinding,
};
pub use profile::{
    Bandwidth, BufferPages, Depth, Estimate, Fingerprint, IdleLatency, LoadPoint, LoadedLatency,
    MeasurementStep, Mix, PROFILE_COMPARE_SCHEMA, PROFILE_SCHEMA, ParseMixError, Profile, ProfileHeader,
    ProfileNode, ProfileOrigin, Target, Transfer, Workers, WorkingSet, WorkingSets,
};
pub use reading::{Reading, Reason};

pub use run::{Argument, RunSpec, takes_threads};
pub use snapshot::{
    MappingSnapshot, MemorySnapshot, PageUse, PolicyShare, Snapshot, TaskSnapshot, ThreadSnapshot,
};
pub use study::{
    ContrastRole, Disturbance, Exit, Factor, HostFacts, Levels, Metric, MetricProblem, Outcome,
    PlacementLevel, Point, PointId, PointPair, PointRole, ProgramParameter, StopReason, Study, StudyHeader,
    Trial,
};
