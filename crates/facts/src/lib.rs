//! The nouns of numawise: values and their invariants.
//!
//! This crate knows what a machine, a placement, a trial and a finding are. It does no input or output, reads no clock and
//! draws no random numbers; it does not know where a machine comes from, how a program is started or how a finding is
//! reached. All types are plain values, `Send` and `Sync`; those that are kept or exchanged go through `serde`. The nouns stand at
//! the top; what notices, findings, points and memory are made of stands in the modules of those names.

pub mod activity;
mod choice;
mod contents;
mod device;
mod effect;
pub mod environment;
mod event;
mod figures;
pub mod finding;
mod frequency;
mod grid;
mod host;
mod hybrid;
mod kernel;
mod launcher;
mod lines;
mod machine;
mod measurement;
pub mod memory;
pub mod merged;
mod moved;
pub mod notice;
pub mod objects;
mod observation;
mod observed;
mod outcome;
mod pages;
mod placed;
mod placement;
pub mod point;
mod profile;
mod reading;
pub mod redaction;
mod request;
mod run;
mod shared_memory;
mod snapshot;
mod study;
mod system_memory;
mod task_words;
mod watched;

pub use activity::{Activity, SourcePlaces, ThreadActivity};
pub use choice::{CpuChoice, MOST_THREADS, Order, Smt};
pub use device::{
    Device, DeviceKind, DeviceLocality, DeviceName, GpuRuntime, ParseDeviceNameError, PciVendor, TaskGpu,
    gpu_variables,
};
pub use effect::Effect;
pub use event::{Event, Ignore, Sink};
pub use figures::{FigureNumber, FigureUnit};
pub use finding::{Finding, FindingId};
pub use frequency::{CpuFrequency, FrequencyFacts, FrequencyPolicy, FrequencySource, TrialFrequency};
pub use grid::{AroundTrials, FactorKind, FactorLevels, GridRun, GridStudy, InputTemplate, UntilKnown};
pub use host::HostFacts;
pub use hybrid::{RanksByThreads, RanksByThreadsError, RanksByThreadsList};
pub use kernel::{BufferSpread, LoopChoice, LoopPath, LoopTrial, MemoryLoop, Vectors};
pub use launcher::Launcher;
pub use lines::{LineTool, NotRun, PrintedLine};
pub use machine::{Cache, Cpu, Machine, Node, Package, Source};
pub use measurement::{Depth, Fingerprint, MeasurementStep, Mix, Target, Workers};
pub use memory::{Attribute, AttributeKind, AttributeOrigin, Figure, MemoryAccess, MemoryKind};
pub use merged::MergedRanks;
pub use moved::{MovedMemory, ResidentMemory};
pub use notice::Notice;
pub use objects::ObjectRun;
pub use observation::{
    HostNoise, MemoryEvents, Observation, ResidencySample, ResourceUsage, SamplerCost, ThreadObservation,
};
pub use observed::{ObservedProcess, ObservedThread};
pub use outcome::{
    Disturbance, EndedBy, Exit, LeftProcesses, Metric, MetricFileProblem, MetricProblem, NamedMetric,
    OtherValue, Outcome, TrialFailure,
};
pub use pages::{Balancing, PageSize};
pub use placed::{PlacedProcess, PlacedThread};
pub use placement::{OwnPlacement, Placement, RankBinding, RanksLeft, TaskPlacement};
pub use point::{ContrastRole, Levels, PointId, PointPair, PointRole};
pub use profile::{
    Bandwidth, BufferPages, IdleLatency, LoadPoint, LoadedLatency, PROFILE_COMPARE_SCHEMA, PROFILE_SCHEMA,
    PeakArithmetic, PeakCache, PeakKind, Profile, ProfileHeader, ProfileNode, ProfileOrigin, Transfer,
    WorkingSet, WorkingSets,
};
pub use reading::{Estimate, Reading, Reason};
pub use redaction::Redactor;
pub use request::{
    EquivalentTool, MemoryMode, MemoryPlan, MemoryRequest, NodeWeight, PlacementRequest, Strategy,
    ThreadBinding,
};
pub use run::{Argument, RunSpec, takes_threads};
pub use shared_memory::{SharedFinding, SharedPart, SharedPolicy};
pub use snapshot::{
    MappingSnapshot, MemorySnapshot, PageUse, PolicyShare, Snapshot, TaskSnapshot, ThreadSnapshot,
};
pub use study::{Point, PrintedLines, StopReason, Study, StudyHeader, Trial, line_point};
pub use system_memory::{MeminfoAmount, NodeAccount, SystemMemory};
pub use task_words::{TaskWord, UnknownWord};
pub use watched::{
    MachineOfHosts, RankEnd, RankSet, TracePart, WatchedDivision, WatchedRun, WatchedRunHeader,
};
