//! Experiments: which points to try, in which order, and when to stop.
//!
//! This crate knows how an experiment is designed and carried out. It does not know where the machine comes from, how a
//! request becomes a placement (it names requests; the session resolves them), where trials are kept (it hands each
//! to a [`TrialStore`]), or what the result means to a person (that is `analyse`).

mod clock;
mod design;
mod disturb;
mod engine;
mod error;
mod fleet;
mod grid;
mod input_files;
mod inputs;
mod local;
mod metric;
mod order;
mod pages;
mod spending;
mod start_nodes;
mod suggestion;
mod task;

pub use clock::{Clock, SystemClock};
pub use design::{FirstRunPlaces, NearDevice, PlannedPoint, ProgramNeeds, StudyDesign, can_place, plan};
pub use disturb::{OTHER_LOAD_LIMIT, STEAL_LIMIT, WATCHED_PART_OF_MARGIN, disturbances};
pub use engine::{Engine, NextTrial, ProgramRun, RunContext, Runner, Standing, TrialStore};
pub use error::StudyError;
pub use fleet::{Fleet, TrialPlace};
pub use grid::{
    Constraint, ConstraintError, FactorName, FillError, Filling, Grid, GridBase, GridError, GridFactor,
    GridLayout, GridLevel, GridPoint, LayoutError, NamedCommand, NumberLevels, NumberLevelsError,
    ParsePresetError, Preset, PresetError, Template, TemplateError, WordLevels, WordLevelsError, check_named,
    check_templates, lay_out, template_placeholders,
};
pub use input_files::{InputFiles, InputsError, Words};
pub use inputs::TrialInputs;
pub use local::{GridRunner, LineRunner, LocalRunner, PrintedRun};
pub use metric::{MetricError, MetricReader, check_answer, number_is_found};
pub use pages::FirstRunPages;
pub use spending::fitting;
pub use start_nodes::StartNodes;
pub use suggestion::metric_suggestion;
pub use task::TaskRun;
