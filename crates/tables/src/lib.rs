//! What is shown, computed, without words: complete tables of values, so that a report need not compute.
//!
//! This crate knows what a table of numawise holds. It does no input or output and makes no sentence; only `analyse` fills its
//! types, only `report` and `tui` read them. All types are plain values, `Send` and `Sync`.

mod analysis;
mod expected;
mod grid;
mod lines;
pub mod objects;
mod picture;
mod prediction;
mod profile;
mod residency;
pub mod snapshot;
mod study_comparison;
pub mod survey;
mod timeline;
mod trial_table;

pub use analysis::{
    Analysis, Contrast, ContrastCall, MoreRepeats, PlacedWell, PointSummary, Verdict, VerdictCase,
    VerdictKind,
};
pub use expected::{Expected, ExpectedEffect, MemoryMove, NotExpected};
pub use grid::{
    BestOfGrid, CheapestPoint, GridRow, GridTables, LevelEffect, LevelEffects, OtherFigure, OtherUnit,
    ScalingKnee, ScalingModel, ScalingSeries, SpreadChange, UsedUp,
};
pub use lines::{LineCall, LineEffect, LineEffects, LineNotMeasured};
pub use objects::ObjectTables;
pub use picture::{
    CacheGroup, CorePicture, CpuPicture, MachinePicture, MemoryPicture, MemorySeen, NodePicture,
    PackagePicture, PictureRole, PlacementPicture, PlannedMemory, PointPicture, SharedCache,
};
pub use prediction::{
    OtherMachineFacts, PredictedFigure, PredictedPoint, Prediction, PredictionErrors, TimeBound, TimePart,
};
pub use profile::{
    CacheStep, Cell, CellCall, CellKey, ComparedCell, ComparedRatio, ComparisonStatement, CoreMatrix,
    DeclaredShare, FigureUnit, KneeReason, LatencySpread, LineHome, LoadKnee, LoadedCurve, MatrixMeasure,
    NodeCores, NodeMatrix, Peak, ProfileComparison, ProfileDifference, ProfileProperty, ProfileStatement,
    ProfileTables, RemoteNodes, TransferGroup, TransferLatency, ValueSpan, VsLocal, WorkingSetCurve,
};
pub use residency::{
    JobResidency, LeftOut, LocalShare, MaskOverlap, MemoryRow, MemoryTable, NodeColumn, NodeTotal, Occupant,
    RemoteMemory, Residency, ShareSpan, SharedCpu, TaskResidency, ThreadResidency,
};
pub use snapshot::RunSnapshot;
pub use study_comparison::{ComparedPoint, StudyComparison};
pub use timeline::{LocalChange, MemoryChange, Moment, NodeTimeline, SessionSpan, TaskTimeline, Timeline};
pub use trial_table::{TrialColumn, TrialTable, TrialValues};
