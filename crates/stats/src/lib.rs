//! Numbers in, numbers with their uncertainty out.
//!
//! This crate knows: paired differences of logarithms, simultaneous intervals, the rule that says when an experiment
//! may stop, descriptive figures, bootstrap intervals, and the comparison of two spreads. It does not know what a
//! machine, a placement or a trial is: a point is a column, a block is a row, a value is an `f64`. It reads no clock
//! and no disk, and everything random is seeded by the caller, so the same data give the same answer for ever.
//!
//! Every formula, every level and every measured error rate is in `docs/statistics.md`.

mod association;
mod bootstrap;
mod critical;
mod describe;
mod design;
mod differences;
mod drift;
mod error;
mod family;
mod groups;
mod models;
mod planning;
mod precision;
mod proportion;
mod scaling;
mod search;
mod sequence;
mod spread;
mod surrogate;

pub use association::{RankCorrelation, rank_correlation};
pub use bootstrap::{MedianInterval, median_between, median_interval};
pub use critical::two_sided_t;
pub use describe::{Outlier, Summary, median, outliers, quantile, summarise};
pub use design::{Better, FamilyDesign, Judgement, PlannedContrast};
pub use differences::NoInterval;
pub use drift::{Drift, drift};
pub use error::StatsError;
pub use family::{Contrast, ContrastStanding, Estimate, Family, FamilyDecision, analyse};
pub use groups::{GroupRatio, compare_groups};
pub use models::{ScalingFit, ScalingLaw, ScalingTimes, fit_scaling};
pub use planning::{Noise, blocks_needed, noise};
pub use precision::is_known;
pub use proportion::{Proportion, proportion};
pub use scaling::{efficiency, speedup};
pub use search::{BestPoint, PriorSettings, Search, SearchEnd, SearchSettings, SearchStep};
pub use sequence::{FIRST_INTERIM, StoppingAdvice, finished_points, is_interim, next_interim, should_stop};
pub use spread::{SpreadRatio, compare_spread, compare_spreads};
pub use surrogate::{Coordinate, Guess, Observed, Surrogate};
