//! The nouns of numawise: values and their invariants.
//!
//! This crate knows what a machine, a placement, a trial and a finding are. It does no input or output, reads no clock and
//! draws no random numbers; it does not know where a machine comes from, how a program is started or how a finding is
//! reached. All types are plain values, `Send` and `Sync`; those that are kept or exchanged go through `serde`.

mod choice;
mod event;
mod finding;
mod machine;
mod measurement;
mod memory;
mod notice;
mod observation;
mod outcome;
mod pages;
mod placement;
mod point;
mod profile;
mod reading;
mod request;
mod run;
mod snapshot;
mod study;

pub use choice::{CpuChoice, Order, ParseChoiceError, Smt};
pub use event::{Event, Ignore, Sink};
pub use finding::{
    Advice, Amount, Effect, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, Finding, FindingId,
};
pub use machine::{Cache, Cpu, Machine, Node, Package, Source};
pub use measurement::{Depth, Fingerprint, MeasurementStep, Mix, ParseMixError, Target, Workers};
pub use memory::{
    Attribute, AttributeKind, AttributeOrigin, Figure, FigureVsOrdinary, MemoryAccess, MemoryKind,
    MemoryKindEvidence, RecognisedMemory,
};
pub use notice::{
    BufferLimit, ChangedPart, ContendedCpu, EmulationNotice, LaunchNotice, LauncherMask, LiftedBy,
    MachineNotice, MembenchNotice, MlcLineGap, MlcTable, MlcTableGap, MovedTask, NamedTask, NamedThread,
    NodeBandwidth, NotPreloadableReason, NotTriedReason, Notice, ObservedFigure, PinnedGroup, PlacementGroup,
    PlanNotice, PreloadObstacle, ProfileReference, RemotePlace, ResidencyNotice, ResidencyPart,
    SessionNotice, StudyNotice, UnsuppliedNode,
};
pub use observation::{
    HostNoise, Observation, ResidencySample, ResourceUsage, SamplerCost, ThreadObservation,
};
pub use outcome::{Disturbance, Exit, Metric, MetricProblem, Outcome};
pub use pages::{Balancing, PageSize, ParsePagesError};
pub use placement::{OwnPlacement, Placement, TaskPlacement};
pub use point::{
    ContrastRole, Factor, Levels, PlacementLevel, PointId, PointPair, PointRole, ProgramParameter,
};
pub use profile::{
    Bandwidth, BufferPages, IdleLatency, LoadPoint, LoadedLatency, PROFILE_COMPARE_SCHEMA, PROFILE_SCHEMA,
    Profile, ProfileHeader, ProfileNode, ProfileOrigin, Transfer, WorkingSet, WorkingSets,
};
pub use reading::{Estimate, Reading, Reason};
pub use request::{
    EquivalentTool, MemoryMode, MemoryPlan, MemoryRequest, NodeWeight, ParseEquivalentToolError,
    ParseMemoryRequestError, ParseStrategyError, PlacementRequest, Strategy, ThreadBinding,
};
pub use run::{Argument, RunSpec, takes_threads};
pub use snapshot::{
    MappingSnapshot, MemorySnapshot, PageUse, PolicyShare, Snapshot, TaskSnapshot, ThreadSnapshot,
};
pub use study::{HostFacts, Point, StopReason, Study, StudyHeader, Trial};
