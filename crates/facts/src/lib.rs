//! The nouns of numawise: values and their invariants.
//!
//! This room knows what a machine, a placement, a trial and a finding are. It does no input or output, reads no clock and
//! draws no random numbers; it does not know where a machine comes from, how a program is started or how a finding is
//! reached. All types are plain values, `Send` and `Sync`; those that are kept or exchanged go through `serde`.

mod choice;
mod event;
mod expected;
mod finding;
mod machine;
mod measured;
mod observation;
mod pages;
mod placement;
mod profile;
mod reading;
mod residency;
mod run;
mod snapshot;
mod study;
mod timeline;

pub use choice::{CpuChoice, Order, ParseChoiceError, Smt};
pub use event::{Event, Ignore, Sink};
pub use expected::{Expected, ExpectedEffect};
pub use finding::{
    Analysis, Contrast, ContrastCall, Effect, Finding, FindingId, PointSummary, Verdict, VerdictKind,
};
pub use machine::{
    Attribute, AttributeKind, AttributeOrigin, Cache, Cpu, Limit, LimitKind, Machine, MemoryKind, Node,
    Package, Source,
};
pub use measured::{
    CacheStep, Cell, CellCall, CellKey, ComparedCell, ComparedRatio, CoreMatrix, Crew, DeclaredShare,
    FigureUnit, Knee, KneeWhy, LineHome, LoadedCurve, MatrixMeasure, NodeMatrix, Peak, ProfileComparison,
    ProfileDifference, ProfileTables, Spread, TransferGroup, WorkingSetCurve,
};
pub use observation::{HostNoise, Observation, PageCensus, SamplerCost, ThreadObservation};
pub use pages::{Balancing, PageSize, ParsePagesError};
pub use placement::{
    MemoryMode, MemoryPlan, MemoryRequest, NodeWeight, ParseMemoryRequestError, ParseStrategyError,
    Placement, PlacementRequest, Strategy, TaskPlacement, ThreadBinding,
};
pub use profile::{
    Bandwidth, BufferPages, Depth, Estimate, Fingerprint, IdleLatency, LoadPoint, LoadedLatency, Mix,
    PROFILE_COMPARE_SCHEMA, PROFILE_SCHEMA, ParseMixError, Profile, ProfileHeader, ProfileNode,
    ProfileOrigin, Target, Transfer, Workers, WorkingSet, WorkingSets,
};
pub use reading::{Reading, Reason};
pub use residency::{
    FarMemory, JobResidency, LeftOut, LocalShare, MaskOverlap, MemoryRow, MemoryTable, NodeColumn, NodeTotal,
    Occupant, Remark, RemarkKind, Residency, ResidencyNote, ShareSpan, SharedCpu, TaskResidency,
    ThreadResidency,
};
pub use run::{Argument, RunSpec, takes_threads};
pub use snapshot::{
    MappingSnapshot, MemorySnapshot, PageUse, PolicyShare, Snapshot, TaskSnapshot, ThreadSnapshot,
};
pub use study::{
    Counts, Disturbance, Exit, HostFacts, Metric, Outcome, Pair, Point, PointId, PointRole, StopReason,
    Study, StudyHeader, Trial,
};
pub use timeline::{LocalChange, MemoryChange, Moment, NodeTimeline, SessionSpan, TaskTimeline, Timeline};
